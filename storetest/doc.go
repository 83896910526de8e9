// Package storetest is the conformance suite for stores: what every store must do, as checks that run against any.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, storetest.Factory{
//			Open: func(t storetest.TB) storetest.Store { return mystore.Open(t.TempDir()) },
//		})
//	}
//
// Each [Check] opens stores of its own, so they run in parallel. A check that needs a second handle on the same data, or to
// close and reopen it, is skipped where the [Factory] does not say how.
//
// The suite is itself tested: deliberately broken stores are run through it, and each must fail the check that is about
// what it breaks.
package storetest
