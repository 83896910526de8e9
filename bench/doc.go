// Package bench measures iris against the least that the same work can cost: mattn/go-sqlite3 with prepared statements, the same settings, on
// iris's own schema with its triggers and indexes. Each figure and the raw figure that it is divided by come from one run, and are taken in turns.
//
//	go test -bench . ./bench/...
//
// docs/PERFORMANCE.md has a table of what was measured where.
package bench
