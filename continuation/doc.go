// Package continuation keeps the questions that a session owes an answer to: who asked, what was asked, and who resolves it.
//
// A [Continuation] is a durable row. A [Registry] opens rows (Ask), reads the one that waits (Pending) and gives
// it to the turn that answers (Claim). A session has at most one pending row, held by the database, and a claim is a
// compare-and-set with one winner. The session id is the only key that grants a claim (ADR-0106 §2).
//
// The readers ([ReadDecision], [ReadChoice], [ReadAnswer]) turn text into a verdict without a model. A false yes is the
// worst outcome there is; unclear is always safe.
package continuation
