// Package approval keeps the requests that a person decide whether a halted run may go on, and is the one way to decide them.
//
// A [Request]'s terms never change after it is written, its decision is written once, and a lapse is the only thing that
// happens without a person: it refuses (ADR-0108 §9). The database holds each of these.
package approval
