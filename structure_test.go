package iris_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
)

// transactions are the functions that open one, and the operation that each belongs to. Inside of them there are statements through the inner context
// and nothing else: no code of the application, no waiting, no lock of a session.
var transactions = map[string]string{
	"pipeline.(*Pipeline).messageIn":    "message in",
	"pipeline.(*Turn).writeLocked":      "claim, effect, step, hold and record: every write of a turn",
	"pipeline.(*Recorder).Record":       "a decision outside of a turn",
	"pipeline.(*Pipeline).settleDead":   "recover",
	"pipeline.(*Pipeline).AskNow":       "ask, from a background job",
	"pipeline.(*Pipeline).Withdraw":     "withdraw",
	"pipeline.(*Pipeline).Forget":       "forget",
	"pipeline.(*Pipeline).Settle":       "settle",
	"continuation.(*Claim).move":        "settle or release, with the record of what it superseded",
	"continuation.(*Registry).Ask":      "ask",
	"continuation.(*Registry).Withdraw": "withdraw",
	"approval.(*Service).write":         "decide",
	"approval.(*Service).Lapse":         "lapse",
}

// atomicCalls finds every call of a method or field named Atomically in the core, by the function that makes it, and what is wrong with the function
// that it is given: its parameter has to be named ctx, so that the outer context cannot be used by mistake.
func atomicCalls(t *testing.T, dirs ...string) (callers []string, faults []string) {
	t.Helper()
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				if n, bad := atomicIn(fn); n > 0 {
					callers = append(callers, f.Name.Name+"."+funcName(fn))
					faults = append(faults, bad...)
				}
			}
		}
	}
	slices.Sort(callers)
	return callers, faults
}

func atomicIn(fn *ast.FuncDecl) (n int, faults []string) {
	ast.Inspect(fn.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Atomically" {
			return true
		}
		n++
		if lit, ok := call.Args[len(call.Args)-1].(*ast.FuncLit); ok {
			if p := lit.Type.Params.List; len(p) != 1 || len(p[0].Names) != 1 || p[0].Names[0].Name != "ctx" {
				faults = append(faults, fmt.Sprintf("%s: the parameter inside Atomically is not named ctx", funcName(fn)))
			}
		}
		return true
	})
	return n, faults
}

func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	recv := ""
	switch r := fn.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		recv = "(*" + r.X.(*ast.Ident).Name + ")"
	case *ast.Ident:
		recv = r.Name
	}
	return recv + "." + fn.Name.Name
}

func TestTransactionsAreTheseOnly(t *testing.T) {
	t.Parallel()
	callers, faults := atomicCalls(t, ".", "pipeline", "continuation", "approval", "intercept", "loop", "plugin", "governance", "session", "checkpoint")
	var want []string
	for f := range transactions {
		want = append(want, f)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, callers); diff != "" {
		t.Errorf("functions that open a transaction (-table +found):\n%s", diff)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// TestNothingIsLeftUndone holds that no file of the module puts work off.
func TestNothingIsLeftUndone(t *testing.T) {
	t.Parallel()
	marks := []string{"TO" + "DO", "FIX" + "ME", "XX" + "X", "not " + "implemented"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, group := range f.Comments {
			for _, m := range marks {
				if strings.Contains(group.Text(), m) {
					t.Errorf("%s: a comment says %q", path, m)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoGoroutineIsLeft takes turns of every kind and looks for goroutines that outlive them. It does not run beside other tests.
func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	var wrote counterInt
	for range 20 {
		m := iristest.Model().Call("write", nil).AskUser("Go on?").Answer("Done.").Call("write", nil).Answer("Never read.")
		h := iristest.New(t, m, iristest.Tools(countingTool("write", iris.Write, &wrote.v)))
		h.Say("write")
		h.Say("yes")
		for range h.Stream(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "write"}) {
			break
		}
		if err := h.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if after := runtime.NumGoroutine(); after > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after:\n%s", before, after, buf[:runtime.Stack(buf, true)])
	}
}
