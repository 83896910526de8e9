package nobypass

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

type checker struct {
	Config
	report func(pos token.Pos, check, fn, message string)
}

// check reports everything in pkg that c does not allow.
func check(c Config, pkg *ssa.Package, report func(pos token.Pos, check, fn, message string)) {
	k := &checker{c, report}
	found := map[string]bool{}
	for _, fn := range functions(pkg) {
		found[name(fn)] = true
		k.function(fn)
	}
	for site := range c.Sites {
		if strings.HasPrefix(strings.TrimLeft(site, "(*"), pkg.Pkg.Path()+".") && !found[site] {
			report(token.NoPos, "stale", site, "reviewed, and not there")
		}
	}
}

// functions returns every function of pkg that has a body, with its closures and the initializer of its variables.
func functions(pkg *ssa.Package) []*ssa.Function {
	var all []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if fn == nil || len(fn.Blocks) == 0 {
			return
		}
		all = append(all, fn)
		for _, anon := range fn.AnonFuncs {
			add(anon)
		}
	}
	for _, member := range slices.Sorted(maps.Keys(pkg.Members)) {
		switch m := pkg.Members[member].(type) {
		case *ssa.Function:
			add(m)
		case *ssa.Type:
			if named, ok := types.Unalias(m.Type()).(*types.Named); ok && named.Obj().Pkg() == pkg.Pkg {
				for method := range named.Methods() {
					add(pkg.Prog.FuncValue(method))
				}
			}
		}
	}
	return all
}

// root returns the declared function that fn is, or is in.
func root(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// name returns the full name of fn's declared function; "path.init" for the initializer of variables.
func name(fn *ssa.Function) string {
	fn = root(fn)
	if obj := object(fn); obj != nil {
		return obj.FullName()
	}
	return fn.Pkg.Pkg.Path() + "." + fn.Name()
}

// object returns the declaration of a function, or of the method that a wrapper stands for.
func object(fn *ssa.Function) *types.Func {
	obj, _ := fn.Object().(*types.Func)
	if obj == nil {
		return nil
	}
	return obj.Origin()
}

// callee returns what a call calls, where that is known.
func callee(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method.Origin()
	}
	if fn := c.StaticCallee(); fn != nil {
		return object(fn)
	}
	return nil
}

func (k *checker) guards(obj *types.Func) bool {
	return obj != nil && slices.Contains(k.Guarded, obj.FullName())
}

// function checks the instructions of one function.
func (k *checker) function(fn *ssa.Function) {
	sites := 0
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok && k.guards(callee(call.Common())) {
				sites++
				k.call(fn, call, callee(call.Common()))
			}
			k.values(fn, instr)
		}
	}
	if want := k.Sites[name(fn)]; fn.Parent() == nil && want > 0 && sites != want {
		k.report(fn.Pos(), "count", name(fn), fmt.Sprintf("%d guarded calls, %d reviewed", sites, want))
	}
}

// call checks one guarded call.
func (k *checker) call(fn *ssa.Function, call ssa.CallInstruction, obj *types.Func) {
	report := func(check, message string) { k.report(call.Pos(), check, name(fn), obj.Name()+" "+message) }
	switch call.(type) {
	case *ssa.Go:
		report("go", "is called in a go statement")
	case *ssa.Defer:
		report("defer", "is called in a defer statement")
	}
	switch {
	case fn.Parent() != nil:
		report("closure", "is called in a function literal or a range body")
	case k.Sites[name(fn)] == 0:
		report("unreviewed", "is called in a function that was not reviewed")
	}
	k.flow(call, report)
}
