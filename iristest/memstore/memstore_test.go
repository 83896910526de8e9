package memstore_test

import (
	"testing"
	"time"

	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Factory{
		Open: func(storetest.TB) storetest.Store { return memstore.New() },
		Impatient: func(storetest.TB) storetest.Store {
			return memstore.NewWith(memstore.Options{Patience: 50 * time.Millisecond})
		},
		TxDone:   memstore.ErrTxDone,
		Deadlock: memstore.ErrDeadlock,
	})
}
