package nobypass_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The analyzer as a vet tool: it finds nothing in the loop, and the fixture's calls, which no rule of the module reviews.
func TestNoBypassVetTool(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: it builds a program")
	}
	tool := filepath.Join(t.TempDir(), "vettool")
	if out, err := exec.Command("go", "build", "-o", tool, "./testdata/vettool").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command("go", "vet", "-vettool="+tool, "../../loop").CombinedOutput(); err != nil {
		t.Errorf("loop: %v: %s", err, out)
	}
	out, err := exec.Command("go", "vet", "-vettool="+tool, "./testdata/agent").CombinedOutput()
	for _, want := range []string{
		"agent.go:67:", "callModel: Generate is called in a function that was not reviewed",
		"agent.go:75:", "callTool: Call is called in a function that was not reviewed",
	} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %s\nwant %s", err, out, want)
		}
	}
}
