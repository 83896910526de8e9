package nobypass

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// flow checks that a guarded call takes a decision's permit, on the path where its error is nil, once.
func (k *checker) flow(call ssa.CallInstruction, report func(check, message string)) {
	decision := k.decision(call.Common())
	switch {
	case decision == nil:
		report("permit", "takes no permit that a decision in this function returned")
	case !allowed(decision, call.Block()):
		report("unchecked", "is reached where the decision's error was not found nil")
	case again(call.Block(), decision.Block()):
		report("loop", "is reached again without a new decision")
	}
}

// decision returns the call whose first result is an argument of c, where that call is a decision.
func (k *checker) decision(c *ssa.CallCommon) *ssa.Call {
	for _, arg := range c.Args {
		e, ok := arg.(*ssa.Extract)
		if !ok || e.Index != 0 {
			continue
		}
		if d, ok := e.Tuple.(*ssa.Call); ok {
			if obj := callee(&d.Call); obj != nil && slices.Contains(k.Decisions, obj.FullName()) {
				return d
			}
		}
	}
	return nil
}

// allowed reports whether a branch that is taken only where the last result of d is nil dominates block.
func allowed(d *ssa.Call, block *ssa.BasicBlock) bool {
	last := d.Call.Signature().Results().Len() - 1
	for _, ref := range *d.Referrers() {
		err, ok := ref.(*ssa.Extract)
		if !ok || err.Index != last {
			continue
		}
		for _, use := range *err.Referrers() {
			if cmp, ok := use.(*ssa.BinOp); ok && comparesNil(cmp) && branches(cmp, block) {
				return true
			}
		}
	}
	return false
}

func comparesNil(cmp *ssa.BinOp) bool {
	for _, v := range []ssa.Value{cmp.X, cmp.Y} {
		if c, ok := v.(*ssa.Const); ok && c.IsNil() {
			return cmp.Op == token.EQL || cmp.Op == token.NEQ
		}
	}
	return false
}

// branches reports whether a branch on cmp has a nil side that dominates block and that only the branch enters.
func branches(cmp *ssa.BinOp, block *ssa.BasicBlock) bool {
	isNil := 0
	if cmp.Op == token.NEQ {
		isNil = 1
	}
	for _, use := range *cmp.Referrers() {
		if branch, ok := use.(*ssa.If); ok {
			from, next := branch.Block(), branch.Block().Succs[isNil]
			around := func(p *ssa.BasicBlock) bool { return p != from && !next.Dominates(p) }
			if next != from.Succs[1-isNil] && next.Dominates(block) && !slices.ContainsFunc(next.Preds, around) {
				return true
			}
		}
	}
	return false
}

// again reports whether block can be reached from itself on a path that does not pass through decision.
func again(block, decision *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{decision: true}
	todo := block.Succs
	for len(todo) > 0 {
		b := todo[0]
		todo = todo[1:len(todo):len(todo)]
		if b == block {
			return true
		}
		if !seen[b] {
			seen[b] = true
			todo = append(todo, b.Succs...)
		}
	}
	return false
}
