// Package pipeline takes one turn through its stages:
//
//	screen -> intercept -> classify -> route -> plan -> execute -> curate -> guard -> record
//
// No stage breaks out of the pipeline: a stage whose audience does not match the turn is passed over, so an intercept's answer
// passes the same response checks as a generated one. A resumed run takes the same stages without screen and intercept: there is no user
// message, and none is forged (ADR-0108 §5).
//
// A turn writes its message in, the claim it makes, one row per step, and record's single transaction. Whatever ends it, its claims are
// settled or released in one deferred call.
package pipeline
