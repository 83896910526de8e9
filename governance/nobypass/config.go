package nobypass

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
)

// Config says what is guarded. Functions are named as [go/types.Func.FullName] does: "path.F", "(path.T).M",
// "(*path.T).M". A function that a package does not have is ignored, except in Sites.
type Config struct {
	Guarded   []string // functions that take a permit, and the methods of interfaces that nobody may call
	Decisions []string // functions that return a permit first and an error last
	// Sites is the number of guarded calls in each function that makes any.
	Sites map[string]int
	// Restricted says which packages (by path) or functions may use a function.
	Restricted map[string][]string
	// Fields says which functions may touch a field, named "path.T.field". Closures count as the function they are in.
	Fields map[string][]string
}

// New returns the analyzer. A diagnostic's category is the check that failed.
func New(c Config) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "nobypass",
		Doc:      "report calls that no decision dominates",
		Requires: []*analysis.Analyzer{buildssa.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			pkg := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA).Pkg
			check(c, pkg, func(pos token.Pos, check, fn, message string) {
				if !strings.HasSuffix(pass.Fset.Position(pos).Filename, "_test.go") {
					pass.Report(analysis.Diagnostic{Pos: pos, Category: check, Message: fmt.Sprintf("[%s] %s: %s", check, fn, message)})
				}
			})
			return nil, nil
		},
	}
}
