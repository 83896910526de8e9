// Package nobypasstest checks a package with the analyzer of nobypass in a test, as it is and with edits.
//
// [Load] loads the package's dependencies once; each [Package.Check] type-checks the package alone, with its edits, so
// that a table of mutations costs milliseconds each.
package nobypasstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"

	"github.com/iris-harness/iris/governance/nobypass"
)

// Package is a package that can be checked many times, with its dependencies loaded once. It is not safe for concurrent use.
type Package struct {
	path     string
	files    map[string]string // source by file name
	fset     *token.FileSet
	importer types.Importer
}

// Finding is one place where the proof fails.
type Finding struct {
	Pos     token.Position
	Check   string // one of the checks that nobypass documents
	Message string
}

func (f Finding) String() string { return fmt.Sprintf("%s: %s", f.Pos, f.Message) }

// Edit replaces the only occurrence of Old in a file of the package with New. With an empty Old it adds the file.
type Edit struct{ File, Old, New string }

// Load loads the one package that pattern matches in dir, as the go command sees it, without its tests.
func Load(dir, pattern string) (*Package, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,DepOnly", "--", pattern)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("nobypasstest: go list %s: %w: %s", pattern, err, &stderr)
	}
	p := &Package{files: map[string]string{}, fset: token.NewFileSet()}
	exports := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var l struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			DepOnly                 bool
		}
		if err := dec.Decode(&l); err != nil {
			return nil, fmt.Errorf("nobypasstest: go list %s: %w", pattern, err)
		}
		if exports[l.ImportPath] = l.Export; l.DepOnly {
			continue
		}
		if p.path != "" {
			return nil, fmt.Errorf("nobypasstest: %s matches %s and %s", pattern, p.path, l.ImportPath)
		}
		if err := p.read(l.ImportPath, l.Dir, l.GoFiles); err != nil {
			return nil, err
		}
	}
	p.importer = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return p, nil
}

func (p *Package) read(path, dir string, files []string) error {
	p.path = path
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			return fmt.Errorf("nobypasstest: %w", err)
		}
		p.files[f] = string(b)
	}
	return nil
}

// Check type-checks the package with edits and returns what c does not allow, in no order that matters.
// An edit that does not apply, or source that does not compile, is an error.
func (p *Package) Check(c nobypass.Config, edits ...Edit) ([]Finding, error) {
	files, err := p.parse(edits)
	if err != nil {
		return nil, err
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	pkg, err := (&types.Config{Importer: p.importer}).Check(p.path, p.fset, files, info)
	if err != nil {
		return nil, fmt.Errorf("nobypasstest: %w", err)
	}
	return p.run(nobypass.New(c), build(p.fset, pkg, files, info))
}

// run is the driver: the analyzer needs nothing but the SSA form.
func (p *Package) run(a *analysis.Analyzer, pkg *ssa.Package) ([]Finding, error) {
	var found []Finding
	_, err := a.Run(&analysis.Pass{
		Analyzer: a, Fset: p.fset, Pkg: pkg.Pkg,
		ResultOf: map[*analysis.Analyzer]any{buildssa.Analyzer: &buildssa.SSA{Pkg: pkg}},
		Report: func(d analysis.Diagnostic) {
			found = append(found, Finding{p.fset.Position(d.Pos), d.Category, d.Message})
		},
	})
	return found, err
}

func (p *Package) parse(edits []Edit) ([]*ast.File, error) {
	sources := maps.Clone(p.files)
	for _, e := range edits {
		old, ok := sources[e.File]
		switch {
		case e.Old == "" && !ok:
			sources[e.File] = e.New
		case e.Old == "" || strings.Count(old, e.Old) != 1:
			return nil, fmt.Errorf("nobypasstest: edit of %s: %d occurrences of %q", e.File, strings.Count(old, e.Old), e.Old)
		default:
			sources[e.File] = strings.Replace(old, e.Old, e.New, 1)
		}
	}
	var files []*ast.File
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		f, err := parser.ParseFile(p.fset, name, sources[name], parser.SkipObjectResolution)
		files, errs = append(files, f), append(errs, err)
	}
	return files, errors.Join(errs...)
}

// build returns the SSA form of pkg; what it imports is declared only.
func build(fset *token.FileSet, pkg *types.Package, files []*ast.File, info *types.Info) *ssa.Package {
	prog := ssa.NewProgram(fset, ssa.BuilderMode(0))
	var declare func(imports []*types.Package)
	declare = func(imports []*types.Package) {
		for _, i := range imports {
			if prog.ImportedPackage(i.Path()) == nil {
				prog.CreatePackage(i, nil, nil, true)
				declare(i.Imports())
			}
		}
	}
	declare(pkg.Imports())
	built := prog.CreatePackage(pkg, files, info, false)
	built.Build()
	return built
}

// Checks returns the names of the checks that failed: sorted, each once, separated by spaces.
func Checks(found []Finding) string {
	var names []string
	for _, f := range found {
		names = append(names, f.Check)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}
