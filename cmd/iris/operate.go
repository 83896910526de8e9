package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/ops"
	"github.com/iris-harness/iris/sqlite"
)

// operator returns the commands on a store's file. There is no runtime here: what is decided, the application's Run takes up.
func operator() ops.Commands {
	o := &operatorFlags{}
	return ops.Commands{Name: "iris", Open: o.open, Flags: o.add}
}

// operatorFlags are the flags of every command on a file.
type operatorFlags struct {
	db     string
	report bool
}

func (o *operatorFlags) add(set *flag.FlagSet) {
	set.StringVar(&o.db, "db", "iris.db", "the store's file")
	set.BoolVar(&o.report, "report-rejections", false, "the application is configured to report a rejection to the model: its run goes on")
}

// open opens the file that there is; it makes none.
func (o *operatorFlags) open(ctx context.Context) (*iris.Harness, io.Closer, error) {
	if _, err := os.Stat(o.db); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is no file %s: name the application's store with --db", o.db)
	} else if err != nil {
		return nil, nil, err
	}
	store, err := sqlite.Open(ctx, o.db)
	if err != nil {
		return nil, nil, err
	}
	c := iris.Config{Store: store}
	if o.report {
		c.Approvals.OnReject = iris.ReportToModel
	}
	h, err := iris.NewOperator(c)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return h, store, nil
}
