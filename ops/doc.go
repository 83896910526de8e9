// Package ops is the operator's tool as a package: the commands that show what a harness keeps, decide its approvals, settle its effects
// and take its runs up again.
//
// An application mounts them with its own harness, and then an approved run goes on in the same process:
//
//	cmds := ops.Commands{Name: "myapp", Open: open, By: iris.Principal{ID: "ann"}}
//	os.Exit(cmds.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
//
// Mounted with [iris.NewOperator], as cmd/iris does, there is no runtime: a decision is recorded, and the application's Run takes the run up.
//
// Every command prints text for people, or with --json one JSON object. Times are UTC.
package ops
