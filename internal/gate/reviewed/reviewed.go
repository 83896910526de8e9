// Package reviewed is the one list of the places in this module where something is called for real.
// A new place is a change of this list, and its reason is part of the review.
package reviewed

import "github.com/iris-harness/iris/governance/nobypass"

const (
	root       = "github.com/iris-harness/iris"
	llm        = root + "/llm"
	governance = root + "/governance"
	gate       = root + "/internal/gate"
	loop       = root + "/loop"
	intercept  = root + "/intercept"
)

// Rules returns the rules for every package of the module but internal/gate: who calls a sealed model, tool or executor.
func Rules() nobypass.Config {
	return nobypass.Config{
		Guarded: []string{
			"(" + gate + ".Model).Generate",
			"(" + gate + ".Func).Call",
		},
		Decisions: []string{
			"(*" + governance + ".Kernel).Permit",
			"(*" + governance + ".Kernel).Mint",
			"(*" + governance + ".Kernel).Redeem",
		},
		Sites: map[string]int{
			"(*" + loop + ".execution).callModel":    1,
			"(*" + loop + ".execution).callTool":     1,
			"(*" + intercept + ".Confirmer).execute": 1, // a confirmed executable question
		},
		Restricted: restricted(),
	}
}

// GateRules returns the rules for internal/gate itself: the raw function is reached through a permit that was taken.
func GateRules() nobypass.Config {
	invoke, pump := "(*"+gate+".sealedFunc).invoke", "(*"+gate+".sealedModel).pump"
	return nobypass.Config{
		Guarded:   []string{invoke, pump},
		Decisions: []string{"(" + governance + ".Permit).Take"},
		Sites: map[string]int{
			"(" + gate + ".Func).Call":      1,
			"(" + gate + ".Model).Generate": 1,
		},
		Restricted: restricted(),
		Fields: map[string][]string{
			gate + ".Raw.run":          {gate + ".Wrap", gate + ".SealRaw"},
			gate + ".sealedFunc.raw":   {gate + ".SealTool", "(*" + gate + ".invocation).run", "(" + gate + ".Func).Call"},
			gate + ".sealedModel.raw":  {gate + ".SealModel", "(*" + gate + ".stream).run", "(" + gate + ".Model).Generate"},
			gate + ".invocation.start": {"(*" + gate + ".sealedFunc).invocation", invoke},
			gate + ".stream.start":     {"(*" + gate + ".sealedModel).stream", pump},
		},
	}
}

// restricted says who may build kernels, seal, take permits, and call a raw model.
func restricted() map[string][]string {
	return map[string][]string{
		governance + ".NewKernel":               {root},
		gate + ".SealModel":                     {root},
		gate + ".SealRaw":                       {root},
		gate + ".SealTool":                      {root, gate + ".SealRaw", gate + ".SealExecutor"},
		gate + ".SealExecutor":                  {root},
		"(" + governance + ".Permit).Take":      {"(" + gate + ".Func).Call", "(" + gate + ".Model).Generate"},
		"(" + llm + ".Model).Generate":          {"(*" + gate + ".stream).run"},
		"(" + llm + ".Func).Generate":           {},
		"(*" + gate + ".invocation).run":        {"(*" + gate + ".sealedFunc).invocation"},
		"(*" + gate + ".stream).run":            {"(*" + gate + ".sealedModel).stream"},
		"(*" + gate + ".sealedModel).stream":    {"(*" + gate + ".sealedModel).pump"},
		"(*" + gate + ".sealedFunc).invocation": {"(*" + gate + ".sealedFunc).invoke"},
	}
}
