package iris_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// module is the path that everything here begins with.
const module = "github.com/iris-harness/iris"

// layer is one row of the house: the packages that pattern names may import the packages of this module that may names, and besides them the
// modules of third. First match wins.
type layer struct {
	pattern string
	may     []string
	third   []string
}

var (
	leaves = []string{"llm", "audit", "internal/id"}
	state  = []string{"continuation", "session", "checkpoint", "approval", "governance"}
	l1     = []string{"intercept", "internal/gate"}
	l2     = []string{"pipeline", "loop"}
	core   = slices.Concat(leaves, state, l1, l2, []string{"plugin"})
)

// house is the import table (docs/ARCHITECTURE.md): data flows one way, and so do imports.
var house = []layer{
	{"llm", nil, nil},
	{"audit", nil, nil},
	{"internal/id", nil, []string{"github.com/oklog/ulid/v2"}},
	{"continuation", leaves, nil},
	{"session", leaves, nil},
	{"checkpoint", leaves, nil},
	{"approval", leaves, nil},
	{"governance", leaves, nil},
	{"governance/nobypass", nil, []string{"golang.org/x/tools"}},
	{"governance/nobypass/*", []string{"governance/nobypass"}, []string{"golang.org/x/tools"}},
	{"internal/gate", []string{"governance", "llm"}, nil},
	{"internal/gate/reviewed", []string{"governance/nobypass"}, []string{"golang.org/x/tools"}},
	{"intercept", slices.Concat(leaves, []string{"continuation", "checkpoint", "governance", "internal/gate"}), nil},
	{"loop", slices.Concat(leaves, []string{"checkpoint", "governance", "internal/gate"}), []string{"golang.org/x/sync", "github.com/google/jsonschema-go"}},
	{"pipeline", slices.Concat(leaves, state, []string{"intercept", "loop"}), nil},
	{"plugin", slices.Concat(leaves, []string{"continuation", "approval", "intercept", "loop"}), nil},
	{"", core, nil},
	{"sqlite", slices.Concat(leaves, state), []string{"github.com/mattn/go-sqlite3"}},
	{"storetest", slices.Concat(leaves, state), []string{"github.com/google/go-cmp", "pgregory.net/rapid"}},
	{"storetest/*", slices.Concat(leaves, state, []string{"storetest"}), []string{"github.com/google/go-cmp", "pgregory.net/rapid"}},
	{"iristest", slices.Concat(core, []string{"", "iristest/memstore", "iristest/faultstore"}), []string{"github.com/google/go-cmp", "github.com/rogpeppe/go-internal"}},
	{"iristest/memstore", slices.Concat(leaves, state), nil},
	{"iristest/faultstore", slices.Concat(leaves, state), nil},
	{"bench", slices.Concat(core, []string{"", "sqlite", "iristest", "iristest/memstore"}), []string{"github.com/mattn/go-sqlite3"}},
	{"ops", slices.Concat(core, []string{""}), nil},
	{"cmd/*", slices.Concat(core, []string{"", "sqlite", "ops"}), nil},
	{"examples/*", slices.Concat(core, []string{"", "sqlite", "iristest", "ops"}), nil},
}

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

func listPackages(t *testing.T, args ...string) []goPackage {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Standard"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	return pkgs
}

// violations returns what the table has against pkgs.
func violations(table []layer, pkgs []goPackage) []string {
	var out []string
	for _, p := range pkgs {
		rel := relative(p.ImportPath)
		i := slices.IndexFunc(table, func(l layer) bool { ok, _ := path.Match(l.pattern, rel); return ok })
		if i < 0 {
			out = append(out, fmt.Sprintf("%q is not in the table", rel))
			continue
		}
		for _, imp := range p.Imports {
			if !table[i].allows(imp) {
				out = append(out, fmt.Sprintf("%q imports %s", rel, imp))
			}
		}
	}
	return out
}

func (l layer) allows(imp string) bool {
	if imp == module || strings.HasPrefix(imp, module+"/") {
		return slices.Contains(l.may, relative(imp))
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(l.third, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") })
}

func relative(imp string) string { return strings.TrimPrefix(strings.TrimPrefix(imp, module), "/") }

func TestImports(t *testing.T) {
	t.Parallel()
	for _, v := range violations(house, listPackages(t, "./...")) {
		t.Error(v)
	}
}

// TestImportsTableBites shows the table a package that it does not list, an arrow that points up, and a dependency that nobody agreed to.
func TestImportsTableBites(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		pkg  goPackage
		want int
	}{
		{"as it should be", goPackage{ImportPath: module + "/session", Imports: []string{"context", module + "/llm"}}, 0},
		{"unlisted package", goPackage{ImportPath: module + "/util"}, 1},
		{"L0 imports L0", goPackage{ImportPath: module + "/session", Imports: []string{module + "/approval"}}, 1},
		{"upward arrow", goPackage{ImportPath: module + "/loop", Imports: []string{module + "/pipeline"}}, 1},
		{"the root imports a driver", goPackage{ImportPath: module, Imports: []string{"github.com/mattn/go-sqlite3"}}, 1},
		{"a leaf imports the root", goPackage{ImportPath: module + "/llm", Imports: []string{module}}, 1},
		{"a dependency too many", goPackage{ImportPath: module + "/continuation", Imports: []string{"golang.org/x/text/unicode/norm"}}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := violations(house, []goPackage{tt.pkg}); len(got) != tt.want {
				t.Errorf("violations: %q, want %d", got, tt.want)
			}
		})
	}
}

// TestRootDependencies holds the short list of what an application takes in with iris, and that no database driver is on it.
func TestRootDependencies(t *testing.T) {
	t.Parallel()
	agreed := []string{module, "golang.org/x/sync", "github.com/oklog/ulid/v2", "github.com/google/jsonschema-go"}
	for _, p := range listPackages(t, "-deps", ".") {
		if p.Standard {
			continue
		}
		if !slices.ContainsFunc(agreed, func(m string) bool { return p.ImportPath == m || strings.HasPrefix(p.ImportPath, m+"/") }) {
			t.Errorf("the root depends on %s", p.ImportPath)
		}
	}
}
