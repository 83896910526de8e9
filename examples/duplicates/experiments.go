package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
)

// experiment is one way to be paid twice, or not at all. Each ends with the one answer that counts, so the right count is always 1.
type experiment struct {
	name string
	try  func(ctx context.Context, b *bench) error
}

var experiments = []experiment{
	{"two answers at once, one process", func(ctx context.Context, b *bench) error { return atOnce(ctx, b, 1) }},
	{"two answers at once, two handles on one file", func(ctx context.Context, b *bench) error { return atOnce(ctx, b, 2) }},
	{"the same answer again later", again},
	{"a plain yes while paused reaches the asker", plainYes},
	{"another subject while an approval waits", otherSubject},
	{"an answer with an unknown id", unknownID},
	{"a late answer to a superseded question", superseded},
	{"a sibling fails while another call is held", siblingFails},
	{"a sibling beside ask_user is recorded as not run", siblingBesideQuestion},
}

// proposal is a model that asks before it pays to each of names.
func proposal(names ...string) *iristest.ScriptedModel {
	m := iristest.Model()
	for _, n := range names {
		m.Call("propose", amount{n}).Answer("An invoice is open.")
	}
	return m
}

// expect says what is wrong where err is not want.
func expect(what string, err, want error) error {
	if !errors.Is(err, want) {
		return fmt.Errorf("%s: %v, want %v", what, err, want)
	}
	return nil
}

func atOnce(ctx context.Context, b *bench, handles int) error {
	first, err := b.open(ctx, proposal("Ann"))
	if err != nil {
		return err
	}
	asked, err := say(ctx, first, "pay Ann")
	if err != nil {
		return err
	}
	hs := []*iris.Harness{first, first}
	if handles == 2 {
		if hs[1], err = b.open(ctx, iristest.Model()); err != nil {
			return err
		}
	}
	errs := make([]error, 2)
	var both sync.WaitGroup
	for i, h := range hs {
		both.Go(func() { errs[i] = press(ctx, h, asked.Asked.ID, "approve") })
	}
	both.Wait()
	if errs[0] != nil {
		errs[0], errs[1] = errs[1], errs[0]
	}
	return errors.Join(errs[0], expect("the other answer", errs[1], iris.ErrAnswered))
}

func again(ctx context.Context, b *bench) error {
	h, err := b.open(ctx, proposal("Ann"))
	if err != nil {
		return err
	}
	asked, err := say(ctx, h, "pay Ann")
	if err != nil {
		return err
	}
	first := press(ctx, h, asked.Asked.ID, "approve")
	return errors.Join(first, expect("the second answer", press(ctx, h, asked.Asked.ID, "approve"), iris.ErrAnswered))
}

func plainYes(ctx context.Context, b *bench) error {
	h, err := b.open(ctx, iristest.Model().AskUser("Pay Ann?").Call("pay", amount{"Ann"}).Answer("Ann is paid."))
	if err != nil {
		return err
	}
	asked, err1 := say(ctx, h, "pay what is open")
	done, err2 := say(ctx, h, "yes")
	if done.Text != "Ann is paid." || len(asked.Runs) != 1 || done.Runs[0] != asked.Runs[0] {
		return fmt.Errorf("the yes reached something else: %q", done.Text)
	}
	return errors.Join(err1, err2)
}

func otherSubject(ctx context.Context, b *bench) error {
	h, err := b.open(ctx, proposal("Ann").Answer("Sunny."))
	if err != nil {
		return err
	}
	asked, err1 := say(ctx, h, "pay Ann")
	reply, err2 := say(ctx, h, "what's the weather?")
	if reply.Text != "Sunny." || reply.Asked == nil || reply.Asked.ID != asked.Asked.ID {
		return fmt.Errorf("not an ordinary turn with the question still open: %+v", reply)
	}
	_, err3 := say(ctx, h, "yes")
	return errors.Join(err1, err2, err3)
}

func unknownID(ctx context.Context, b *bench) error {
	h, err := b.open(ctx, proposal("Ann"))
	if err != nil {
		return err
	}
	asked, err := say(ctx, h, "pay Ann")
	if err != nil {
		return err
	}
	unknown := press(ctx, h, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "approve")
	return errors.Join(expect("an unknown id", unknown, iris.ErrUnknownQuestion), press(ctx, h, asked.Asked.ID, "approve"))
}

func superseded(ctx context.Context, b *bench) error {
	h, err := b.open(ctx, proposal("Ann", "Bob"))
	if err != nil {
		return err
	}
	first, err1 := say(ctx, h, "pay Ann")
	second, err2 := say(ctx, h, "and what else is there?")
	if len(second.Superseded) != 1 {
		return errors.New("the first question went without a word")
	}
	late := press(ctx, h, first.Asked.ID, "approve")
	return errors.Join(err1, err2, expect("a late answer", late, iris.ErrSuperseded), press(ctx, h, second.Asked.ID, "approve"))
}

func siblingFails(ctx context.Context, b *bench) error {
	h, err := b.open(ctx, iristest.Model().Reply(llm.Message{Calls: []llm.Call{
		iristest.ToolCall("", "broken", nil), iristest.ToolCall("", "drop", amount{"index"}), iristest.ToolCall("", "pay", amount{"Ann"}),
	}}).Answer("Ann is paid."))
	if err != nil {
		return err
	}
	held, err := say(ctx, h, "clean up")
	if err != nil {
		return err
	}
	run, err := h.InspectRun(ctx, held.Runs[0])
	if err != nil {
		return err
	}
	calls := run.Steps[0].Calls
	if len(run.Approvals) != 1 || len(run.Approvals[0].Items) != 2 || !strings.Contains(calls[0].Text, "corrupt") || calls[1].State != "waiting" || calls[2].State != "waiting" {
		return fmt.Errorf("not both kept: %+v, %+v", run.Approvals, calls)
	}
	_, err = say(ctx, h, "yes, go ahead")
	return err
}

func siblingBesideQuestion(ctx context.Context, b *bench) error {
	h, err := b.open(ctx, iristest.Model().Reply(llm.Message{Calls: []llm.Call{
		iristest.ToolCall("", "pay", amount{"Ann"}), iristest.ToolCall("", "ask_user", `{"question":"Pay Ann?"}`),
	}}).Call("pay", amount{"Ann"}).Answer("Ann is paid."))
	if err != nil {
		return err
	}
	asked, err := say(ctx, h, "pay what is open")
	if err != nil {
		return err
	}
	run, err := h.InspectRun(ctx, asked.Runs[0])
	if err != nil {
		return err
	}
	if got := run.Steps[0].Calls[0]; got.State != "not_run" || asked.Text != "Pay Ann?" {
		return fmt.Errorf("the payment is recorded as %q, the answer is %q", got.State, asked.Text)
	}
	_, err = say(ctx, h, "yes")
	return err
}
