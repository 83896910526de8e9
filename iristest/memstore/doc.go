// Package memstore is a store in memory: what an application's tests and the kit in iristest use in place of a file.
//
// It keeps the contracts of the packages whose rows it holds, and storetest uses it as the reference for every other store.
// The whole state is one immutable value. A transaction works on a copy and replaces it at the end, so a reader never waits
// for a writer, and rolling back is forgetting the copy.
package memstore
