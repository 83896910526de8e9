package governance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// printer is a Recorder that prints what it would store.
type printer struct{}

func (printer) Record(_ context.Context, s governance.Subject, e audit.Entry) error {
	fmt.Println("recorded:", e.Point, e.Subject, e.Verdict, "by", e.By)
	return nil
}

func (printer) Defer(governance.Subject, audit.Entry) {}

func Example() {
	kernel, err := governance.NewKernel(governance.Config{
		Recorder: printer{},
		Hooks: []governance.Hook{
			{
				Name: "no_system_files", At: governance.PreTool,
				Decide: func(_ context.Context, s governance.Subject) governance.Decision {
					var args struct{ Path string }
					if err := json.Unmarshal(s.Call.Args, &args); err != nil || args.Path == "/etc/passwd" {
						return governance.Deny("system files are off limits")
					}
					return governance.Allow()
				},
			},
			governance.DefaultPolicy(),
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/tmp/notes", "/etc/passwd"} {
		permit, err := kernel.Permit(context.Background(), governance.Subject{
			Point: governance.PreTool, Name: "write_file", Effect: governance.Write,
			Call: llm.Call{Name: "write_file", Args: json.RawMessage(`{"path":"` + path + `"}`)},
		})
		if errors.Is(err, governance.ErrDenied) {
			fmt.Println(err)
			continue
		}
		// The gate takes the permit and calls with what is in it.
		s, err := permit.Take(kernel, governance.PreTool, "write_file")
		fmt.Println("call:", string(s.Call.Args), err)
	}
	// Output:
	// recorded: pre_tool write_file allow by default_policy
	// call: {"path":"/tmp/notes"} <nil>
	// recorded: pre_tool write_file deny by no_system_files
	// governance: denied at pre_tool by no_system_files: system files are off limits
}
