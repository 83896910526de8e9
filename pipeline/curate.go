package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
)

const withheldSentence = "I have an answer, but I may not show it."

// curate composes the answer of the turn's tasks, and lets the curator, the judges and the pre_response hooks have it.
func curate(ctx context.Context, t *Turn) error {
	if err := t.compose(ctx); err != nil {
		return err
	}
	text, err := t.curated(ctx)
	if err != nil {
		return err
	}
	t.answer = text
	return t.judge(ctx)
}

// guard gives an intercept's answer the same checks as a generated one (the red-team rule of ADR-0106 §3, closed for good). Where nothing waits after
// it, the next question that is queued is put.
func guard(ctx context.Context, t *Turn) error {
	if err := t.chooseQuestion(ctx); err != nil {
		return err
	}
	if t.paused != nil || t.halt != nil {
		_, text := t.question()
		t.answer += "\n\n" + text
	}
	return t.judge(ctx)
}

// compose joins what the tasks said: answers in plan order, then halts, then at most one question, last.
func (t *Turn) compose(ctx context.Context) error {
	if err := t.chooseQuestion(ctx); err != nil {
		return err
	}
	var parts []string
	var acted []string
	for i := range t.results {
		r := &t.results[i]
		acted = append(acted, r.fin.Executed...)
		if failedTask(r) {
			parts = append(parts, failedText(r))
			continue
		}
		if text := t.resultText(r); text != "" {
			parts = append(parts, text)
			t.owner = r.task.Agent
		}
	}
	if t.paused != nil {
		t.owner = t.paused.Agent
	}
	if key, text := t.question(); key != "" && !strings.Contains(strings.Join(parts, "\n"), key) {
		parts = append(parts, text)
	}
	if len(parts) == 0 && t.paused == nil && len(t.asks) == 0 {
		parts = t.queuedNotice()
	}
	t.answer = strings.Join(parts, "\n\n")
	t.outcome = t.fixedOutcome(acted)
	return nil
}

// queuedNotice is what is said of a run that paused where another question waits, and that has nothing else to say.
func (t *Turn) queuedNotice() []string {
	for i := range t.results {
		if t.results[i].fin.Run.State == checkpoint.Paused {
			return []string{"I have a question, too. I will ask it when the one that waits is answered."}
		}
	}
	return nil
}

// resultText is what one task says. A paused run says nothing here: its question is put last, one at a time.
func (t *Turn) resultText(r *result) string {
	switch r.fin.Run.State {
	case checkpoint.Paused:
		return ""
	case checkpoint.Held:
		return t.haltText(&r.fin)
	default:
		return r.fin.Text
	}
}

// chooseQuestion picks what the answer puts: a question that a tool raised explicitly; else that of the first paused run of this turn; else, where
// nothing will be waiting, that of the oldest run that is queued, or of an approval that waits. Where nobody spoke, a question that waits goes on waiting.
func (t *Turn) chooseQuestion(ctx context.Context) (err error) {
	if len(t.asks) > 0 {
		return nil
	}
	waits := t.remains()
	for i := range t.results {
		run := &t.results[i].fin.Run
		if run.State == checkpoint.Paused && !failedTask(&t.results[i]) && (t.person || !waits) {
			t.paused = run
			return nil
		}
	}
	if waits {
		return nil
	}
	queued, err := t.p.queued(ctx, t.Req.SessionID)
	if err != nil {
		return err
	}
	if len(queued) > 0 {
		t.paused = &queued[0]
		return nil
	}
	t.halt, err = t.chatHalt(ctx)
	return err
}

// remains reports whether the question that waited still will after this turn.
func (t *Turn) remains() bool {
	return t.pending != nil && (t.claim == nil || t.claim.back) && !t.withdraws()
}

// withdraws reports whether this turn withdraws the question that waited.
func (t *Turn) withdraws() bool {
	if t.pending == nil || t.claim != nil || t.leftOpen || !t.mayAnswer() {
		return false
	}
	return oneTurn(t.pending)
}

// queued returns the session's paused runs, in the order they are to be put. It is only asked where nothing waits: then no
// continuation points at any of them.
func (p *Pipeline) queued(ctx context.Context, sessionID string) ([]checkpoint.Run, error) {
	runs, err := p.c.Stores.Checkpoints().List(ctx, checkpoint.Query{SessionID: sessionID, State: []checkpoint.State{checkpoint.Paused}, Now: p.now()})
	if err != nil {
		return nil, fmt.Errorf("iris: queued runs: %w", err)
	}
	slices.Reverse(runs)
	return slices.DeleteFunc(runs, func(r checkpoint.Run) bool { return r.Asked == nil }), nil
}

// question is what the answer puts last: its text, and the part of it that shows that it is there.
func (t *Turn) question() (key, text string) {
	switch {
	case len(t.asks) > 0:
		q := t.asks[len(t.asks)-1].Question
		return q, q
	case t.paused != nil:
		return t.paused.Asked.Question, askedText(t.paused.Asked)
	case t.halt != nil:
		return t.halt.ID, approvalQuestion(t.halt) + "\nApproval ID: " + t.halt.ID
	default:
		return "", ""
	}
}

// askedText shows a run's question with its choices.
func askedText(a *checkpoint.Asked) string {
	var b strings.Builder
	b.WriteString(a.Question)
	for i, c := range a.Choices {
		fmt.Fprintf(&b, "\n%d. %s", i+1, c)
	}
	return b.String()
}

// fixedOutcome takes the place of a withheld answer where something was done, or waits.
func (t *Turn) fixedOutcome(acted []string) string {
	var b strings.Builder
	if len(acted) > 0 {
		fmt.Fprintf(&b, "Done in this turn: %s.", strings.Join(acted, ", "))
	}
	for i := range t.held {
		fmt.Fprintf(&b, " A run waits for approval %s.", t.held[i].ID)
	}
	if b.Len() > 0 {
		b.WriteString(" The rest of the answer is withheld.")
	}
	return strings.TrimSpace(b.String())
}

func (t *Turn) draft() Draft {
	return Draft{SessionID: t.Req.SessionID, TurnID: t.ID, Agent: t.owner, Message: t.text, Text: t.answer}
}

// curated gives the answer to the application's curator. A question that this turn opens is put whatever the curator makes of the answer: nobody
// answers what was not shown.
func (t *Turn) curated(ctx context.Context) (string, error) {
	if t.p.c.Curator == nil {
		return t.answer, nil
	}
	text, err := guarded("curator", func() (string, error) { return t.p.c.Curator.Curate(t.scoped(ctx, ""), t.draft()) })
	if key, question := t.question(); err == nil && !strings.Contains(text, key) {
		text = strings.TrimSpace(text + "\n\n" + question)
	}
	return text, err
}

// judge asks the judges, then the pre_response hooks; the first that objects withholds the answer.
func (t *Turn) judge(ctx context.Context) error {
	for _, j := range t.p.c.Judges {
		v, err := guarded("judge", func() (Judgement, error) { return j.Judge(t.scoped(ctx, ""), t.draft()) })
		if err != nil || !v.Pass {
			t.p.c.Logger.WarnContext(ctx, "answer withheld", "session", t.Req.SessionID, "turn", t.ID, "reason", v.Reason, "err", err)
			t.withhold()
			break
		}
	}
	s, err := t.p.c.Kernel.Review(t.scoped(ctx, ""), t.subject(governance.PreResponse, t.answer))
	var denied *governance.Denied
	switch {
	case errors.As(err, &denied):
		t.withhold()
	case err != nil:
		return err
	case !t.withheld:
		key, _ := t.question()
		t.unasked = strings.Contains(t.answer, key) && !strings.Contains(s.Text, key)
		t.answer = s.Text
	}
	return nil
}

// withhold puts the fixed sentence in the answer's place. A question that the turn was about to ask is not asked.
func (t *Turn) withhold() {
	t.withheld = true
	t.answer = withheldSentence
	if t.outcome != "" {
		t.answer = t.outcome
	}
}
