// Package intercept answers turns deterministically before any agent is asked, behind a shield: while a session's question
// waits for one owner, no other owner's intercept that resolves confirmations is even called (ADR-0106 §3).
//
// An intercept returns text of its own. Whatever runs an agent is a claim in the pipeline's classify stage, so that every judge sees it.
package intercept
