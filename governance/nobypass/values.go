package nobypass

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// values checks what instr uses as a value: functions, guarded types, fields.
func (k *checker) values(fn *ssa.Function, instr ssa.Instruction) {
	report := func(check, message string) { k.report(instr.Pos(), check, name(fn), message) }
	switch v := instr.(type) {
	case *ssa.MakeInterface:
		k.converted(v.X.Type(), report)
	case *ssa.ChangeType:
		k.converted(v.X.Type(), report)
	case *ssa.FieldAddr:
		k.field(fn, v.X.Type().Underlying().(*types.Pointer).Elem(), v.Field, report)
	case *ssa.Field:
		k.field(fn, v.X.Type(), v.Field, report)
	case ssa.CallInstruction:
		if c := v.Common(); c.IsInvoke() {
			k.restricted(fn, c.Method, report)
		}
	}
	for _, operand := range instr.Operands(nil) {
		if used, ok := (*operand).(*ssa.Function); ok {
			call, ok := instr.(ssa.CallInstruction)
			k.used(fn, used, ok && operand == &call.Common().Value, report)
		}
	}
}

// used checks one use of a function.
func (k *checker) used(in, used *ssa.Function, called bool, report func(check, message string)) {
	k.instantiated(used, report)
	obj := object(used)
	if obj == nil {
		return
	}
	if k.guards(obj) && !called {
		report("value", obj.Name()+" is used as a value")
	}
	k.restricted(in, obj, report)
}

// restricted checks who uses a function that not everybody may.
func (k *checker) restricted(in *ssa.Function, obj *types.Func, report func(check, message string)) {
	may, ok := k.Restricted[obj.FullName()]
	if ok && !slices.Contains(may, name(in)) && !slices.Contains(may, root(in).Pkg.Pkg.Path()) {
		report("restricted", obj.Name()+" may not be used here")
	}
}

// instantiated checks that no guarded type is an argument of a type parameter that has methods to call.
func (k *checker) instantiated(used *ssa.Function, report func(check, message string)) {
	origin := used.Origin()
	if origin == nil {
		return
	}
	for i, arg := range used.TypeArgs() {
		constraint, _ := origin.TypeParams().At(i).Constraint().Underlying().(*types.Interface)
		if constraint != nil && constraint.NumMethods() > 0 {
			k.converted(arg, report)
		}
	}
}

// converted reports a type that has a guarded method of its own, or promoted.
func (k *checker) converted(t types.Type, report func(check, message string)) {
	methods := types.NewMethodSet(t)
	for i := range methods.Len() {
		if obj, ok := methods.At(i).Obj().(*types.Func); ok && k.guards(obj.Origin()) {
			report("interface", t.String()+" is converted")
		}
	}
}

// field checks one access to a field of t.
func (k *checker) field(fn *ssa.Function, t types.Type, index int, report func(check, message string)) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return
	}
	field := t.Underlying().(*types.Struct).Field(index)
	full := named.Obj().Pkg().Path() + "." + named.Obj().Name() + "." + field.Name()
	if may, ok := k.Fields[full]; ok && !slices.Contains(may, name(fn)) {
		report("field", full+" may not be touched here")
	}
}
