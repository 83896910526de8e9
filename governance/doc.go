// Package governance decides what an agent may do, and proves it with a permit.
//
// A [Kernel] is built once from [Hook] values and is sealed from then on: nothing can be added, removed or
// reordered. Each decision is about one [Subject] at one of six points. Hooks are asked in ascending priority;
// the first Deny or RequireApproval ends the chain, and whatever goes wrong with a hook is a Deny.
//
// What is allowed becomes a [Permit], good for one call, once. Only internal/gate can make a call, and it takes
// nothing but the permit, which carries the call itself: what runs is what was decided, transforms included.
// A denial is the error (*[Denied], *[Held]), so that Go's own control flow carries the guarantee;
// governance/nobypass proves it on the SSA form.
//
//	Permit          one call: decide, record, mint (the model, an executor)
//	Rule, Mint      the calls of one step: decide all of them before any runs, then mint one by one
//	Redeem          Mint for a call that a person approved
//	Review          where nothing is called: pre_turn, post_tool, post_step, pre_response
//
// Every decision goes to the [Recorder] first: where it cannot be written down there is no permit.
package governance
