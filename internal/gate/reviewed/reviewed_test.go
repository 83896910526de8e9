package reviewed_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/iris-harness/iris/governance/nobypass/nobypasstest"
	"github.com/iris-harness/iris/internal/gate/reviewed"
)

// TestNoBypassModule runs the rules on every package of the module: none makes a call around governance, and none that
// was reviewed has gone.
func TestNoBypassModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: it compiles the whole module")
	}
	const root = "github.com/iris-harness/iris"
	out, err := exec.Command("go", "list", root+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		rules := reviewed.Rules()
		if path == root+"/internal/gate" {
			rules = reviewed.GateRules()
		}
		t.Run(strings.TrimPrefix(path, root), func(t *testing.T) {
			pkg, err := nobypasstest.Load(".", path)
			if err != nil {
				t.Fatal(err)
			}
			found, err := pkg.Check(rules)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Error(f)
			}
		})
	}
}
