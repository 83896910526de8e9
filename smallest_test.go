package iris_test

import (
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/sqlite"
)

// smallest is the smallest complete use. README.md and the package documentation show what stands between the markers.
func smallest(ctx context.Context, path string, model llm.Model) error {
	// begin
	type file struct{ Path string }
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	remove := iris.NewTool(iris.ToolSpec{Name: "remove", Description: "remove a file"}, func(_ context.Context, f file) (string, error) {
		return "removed", os.Remove(f.Path)
	})
	h, err := iris.New(iris.Config{Store: store, LLM: model, Tools: []iris.Tool{remove}})
	if err != nil {
		return err
	}
	asked, err1 := h.Turn(ctx, iris.TurnRequest{SessionID: "web-1", Message: "tidy my downloads"})
	fmt.Println(asked.Text)
	done, err2 := h.Turn(ctx, iris.TurnRequest{SessionID: "web-1", Message: "yes go ahead"})
	fmt.Println(done.Text)
	return errors.Join(err1, err2, store.Close())
	// end
}

func ExampleNew() {
	dir, err := os.MkdirTemp("", "iris")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	old := filepath.Join(dir, "old.zip")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		panic(err)
	}
	model := iristest.Model().
		Answer("I found one old archive. Would you like me to remove it?").
		Call("remove", fmt.Sprintf(`{"Path":%q}`, old)).
		Answer("It is gone.")
	if err := smallest(context.Background(), filepath.Join(dir, "iris.db"), model); err != nil {
		panic(err)
	}
	// Output:
	// I found one old archive. Would you like me to remove it?
	// It is gone.
}

func TestSmallestUse(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("smallest_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(src), "\t// begin\n")
	code, _, _ = strings.Cut(code, "\t// end\n")
	lines := strings.Split(strings.TrimSuffix(code, "\n"), "\n")
	if len(lines) > 17 {
		t.Errorf("the smallest use is %d lines, at most 17", len(lines))
	}
	if strings.Contains(code, "_, _ =") || strings.Contains(code, "_ =") {
		t.Error("the smallest use drops an error")
	}
	if gofmt, err := format.Source([]byte(code)); err != nil || string(gofmt) != code {
		t.Errorf("the smallest use is not as gofmt writes it (%v)", err)
	}
	var godoc, readme strings.Builder
	for _, l := range lines {
		godoc.WriteString("//\t" + strings.TrimPrefix(l, "\t") + "\n")
		readme.WriteString(strings.TrimPrefix(l, "\t") + "\n")
	}
	for file, want := range map[string]string{"doc.go": godoc.String(), "README.md": readme.String()} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s does not show the smallest use as it is compiled here:\n%s", file, want)
		}
	}
}
