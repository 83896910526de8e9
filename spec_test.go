package iris_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// decisions are what docs/SPEC.md has to show.
func decisions() []string {
	out := []string{"0106-context", "0106-D1", "0106-D2", "0106-D3", "0106-costs"}
	for i := 1; i <= 10; i++ {
		out = append(out, fmt.Sprintf("0106-%d", i))
	}
	for i := 1; i <= 9; i++ {
		out = append(out, fmt.Sprintf("0108-%d", i))
	}
	return out
}

var specRow = regexp.MustCompile(`(?m)^\| (\d{4}-\w+) \|[^|]*\|([^|]*)\|$`)

// specFaults returns what is wrong with a SPEC: decisions without a test, and names that do not exist.
func specFaults(spec string, exists func(name string) bool) []string {
	var out []string
	shown := map[string]int{}
	for _, row := range specRow.FindAllStringSubmatch(spec, -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			shown[row[1]]++
			if !exists(name[1]) {
				out = append(out, row[1]+" names "+name[1]+", and there is none")
			}
		}
	}
	for _, d := range decisions() {
		if shown[d] == 0 {
			out = append(out, d+" is shown by no test")
		}
	}
	return out
}

// testExists finds package.TestName, or script/name.
func testExists(name string) bool {
	if script, ok := strings.CutPrefix(name, "script/"); ok {
		_, err := os.Stat(filepath.Join("testdata", "script", script+".txtar"))
		return err == nil
	}
	i := strings.LastIndex(name, ".")
	if i < 0 {
		return false
	}
	dir, test := name[:i], name[i+1:]
	if dir == "iris" {
		dir = "."
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return false
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(src), "\nfunc "+test+"(") {
			return true
		}
	}
	return false
}

func TestSpecIsComplete(t *testing.T) {
	t.Parallel()
	spec, err := os.ReadFile("docs/SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range specFaults(string(spec), testExists) {
		t.Error(fault)
	}
}

// TestSpecCheckBites shows the check a SPEC that leaves decisions out and one that names a test that there is not.
func TestSpecCheckBites(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, d := range decisions() {
		fmt.Fprintf(&all, "| %s | x | `iris.TestSpecIsComplete` |\n", d)
	}
	if got := specFaults(all.String(), testExists); len(got) != 0 {
		t.Errorf("a complete one: %q", got)
	}
	short := strings.Replace(all.String(), "| 0106-7 | x | `iris.TestSpecIsComplete` |\n", "", 1)
	if got := specFaults(short, testExists); len(got) != 1 {
		t.Errorf("a decision left out: %q", got)
	}
	wrong := strings.Replace(all.String(), "iris.TestSpecIsComplete", "iris.TestThatThereIsNot", 1)
	if got := specFaults(wrong, testExists); len(got) != 1 {
		t.Errorf("a test that there is not: %q", got)
	}
}

// TestDocPaths holds that every path of this module that a .md file names is there.
func TestDocPaths(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, f := range append(files, more...) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(f), m[1])); err != nil {
				t.Errorf("%s names %s: %v", f, m[1], err)
			}
		}
	}
}
