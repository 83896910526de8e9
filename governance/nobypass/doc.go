// Package nobypass proves, on the SSA form of a package, that nothing is called without a decision.
//
// A guarded function takes a permit. The analyzer holds, for one function at a time:
//
//	unreviewed   a guarded call stands in a function that Config.Sites names
//	count        that function makes as many guarded calls as were reviewed
//	closure      not in a function literal or the body of a range over a function
//	go, defer    not in a go or a defer statement
//	permit       it takes the first result of a decision of the same function: not a parameter, field, zero or merged value
//	unchecked    the branch where that decision's error is nil dominates the call: no path reaches the call around it
//	loop         the call cannot be reached again without deciding again
//	value        a guarded function is called, never used as a value
//	interface    a guarded type does not become an interface, another type, or the argument of a constrained generic
//	restricted   a constructor is used only where it may be
//	field        a field that holds something raw is touched only by the functions that may
//	stale        every reviewed function exists
//
// # Use
//
// [New] returns an analyzer for a vet tool of your own, run with go vet -vettool=./mytool ./...:
//
//	func main() { unitchecker.Main(nobypass.New(config)) }
//
// In a test, nobypasstest.Load loads a package and checks it, also with edits, to show that the proof can fail.
//
// # What it cannot see
//
// Reflection, unsafe, linkname, assembly, cgo, test files, and packages that it is not run on. A guarded value that
// another package turned into an interface (the conversion is reported there). What happens inside a decision or a
// guarded function: check its package with its own rules, as iris does with internal/gate. Whether a permit is for the
// call at hand: the gate asks the permit, at run time.
package nobypass
