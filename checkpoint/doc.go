// Package checkpoint is the durable record of runs: each [Run], each of its steps as one appended [Checkpoint], and
// the [Ledger] of the effects that its steps had on the world.
//
// A step row is open while something of it waits and is closed once. A closed step never changes; the database holds that.
package checkpoint
