package governance

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// The names of the built-in signals, as a Denied or Held carries them.
const (
	SignalRepeatedAction = "repeated_action"
	SignalFailureStreak  = "failure_streak"
	SignalBudget         = "budget"
	SignalStepCap        = "step_cap"
	SignalGoalDrift      = "goal_drift"
)

// EvaluatorConfig says how a run is judged after each step. The zero value has the repeated-action and the
// failure-streak signals, with their defaults.
type EvaluatorConfig struct {
	Repeats  int    // equal calls in a run that end it; 0: 3, negative: off
	Failures int    // tool errors in a row that end it; 0: 3, negative: off
	Budget   Budget // what a run may use; zero: off
	Steps    int    // steps since the run began or was resumed that end it; 0: off, the loop has its own limit
	// Embedder turns the goal-drift signal on.
	Embedder Embedder
	// DriftThreshold is the cosine similarity to the task below which a step has drifted, in (0, 1]; 0: 0.25.
	DriftThreshold float64
	Signals        []Signal      // the application's own
	Timeout        time.Duration // for all of them together; 0: the kernel's
}

// Budget limits a run. A limit of 0 is off.
type Budget struct {
	Tokens int64 // input and output
	Cost   int64 // millionths of the application's currency unit
}

// Signal is one judgement of a step. It must be a function of the subject alone.
type Signal struct {
	Name  string
	Judge func(ctx context.Context, s Subject) Decision
}

// signal is what both the built-in signals and the application's come to.
type signal struct {
	name  string
	judge func(ctx context.Context, s *Subject) Decision
}

// Evaluator is the hook at PostStep that asks all signals whether the run may go on; the worst verdict wins, and of
// equal ones the first. A signal can allow, deny (the run ends) or require an approval; a transform is a Deny.
// A step without calls ends its run by itself, so nothing is asked then: what it says is judged at PreResponse.
func Evaluator(c EvaluatorConfig) Hook {
	h := Hook{Name: "evaluator", At: PostStep, Timeout: c.Timeout}
	signals := c.signals()
	if c.Embedder == nil && len(c.Signals) == 0 {
		h.pure = func(s *Subject) Decision { return judge(context.Background(), signals, s) }
		return h
	}
	h.Decide = func(ctx context.Context, s Subject) Decision { return judge(ctx, signals, &s) }
	return h
}

// signals returns the ones that are on.
func (c EvaluatorConfig) signals() []signal {
	var all []signal
	add := func(on bool, name string, f func(s *Subject) Decision) {
		if on {
			all = append(all, signal{name, func(_ context.Context, s *Subject) Decision { return f(s) }})
		}
	}
	repeats, failures := cmp.Or(c.Repeats, 3), cmp.Or(c.Failures, 3)
	add(repeats > 0, SignalRepeatedAction, func(s *Subject) Decision { return repeatedAction(s, repeats) })
	add(failures > 0, SignalFailureStreak, func(s *Subject) Decision { return failureStreak(s, failures) })
	add(c.Budget != Budget{}, SignalBudget, c.Budget.judge)
	add(c.Steps > 0, SignalStepCap, func(s *Subject) Decision { return stepCap(s, c.Steps) })
	if c.Embedder != nil {
		d := drift{c.Embedder, cmp.Or(c.DriftThreshold, 0.25)}
		all = append(all, signal{SignalGoalDrift, d.judge})
	}
	for _, s := range slices.Clone(c.Signals) {
		all = append(all, signal{s.Name, func(ctx context.Context, subject *Subject) Decision {
			if s.Judge == nil {
				return Deny("the signal has no function")
			}
			return s.Judge(ctx, subject.lend())
		}})
	}
	return all
}

// judge asks every signal and returns the worst decision.
func judge(ctx context.Context, signals []signal, s *Subject) Decision {
	if s.Step == nil {
		return Deny("there is no step to judge")
	}
	worst := Allow()
	if len(s.Step.Reply.Calls) == 0 {
		return worst
	}
	for _, sig := range signals {
		d := sig.judge(ctx, s)
		if d.Verdict > VerdictRequireApproval {
			d = Deny("a signal cannot answer " + d.Verdict.String())
		}
		if severity(d.Verdict) > severity(worst.Verdict) {
			worst, worst.Signal = d, sig.name
		}
	}
	return worst
}

func severity(v Verdict) int {
	switch v {
	case VerdictAllow:
		return 0
	case VerdictRequireApproval:
		return 1
	default:
		return 2
	}
}

func repeatedAction(s *Subject, limit int) Decision {
	if r := s.Step.Run; r.Repeats >= limit {
		return Deny(fmt.Sprintf("%s was called %d times with the same arguments", r.Repeated, r.Repeats))
	}
	return Allow()
}

func failureStreak(s *Subject, limit int) Decision {
	if n := s.Step.Run.Failures; n >= limit {
		return Deny(fmt.Sprintf("%d tool calls in a row failed", n))
	}
	return Allow()
}

func stepCap(s *Subject, limit int) Decision {
	if n := s.Step.Run.Steps; n >= limit {
		return Deny(fmt.Sprintf("%d steps without an answer", n))
	}
	return Allow()
}

func (b Budget) judge(s *Subject) Decision {
	u := s.Step.Run.Usage
	switch tokens := u.Input + u.Output; {
	case b.Tokens > 0 && tokens >= b.Tokens:
		return Deny(fmt.Sprintf("%d of %d tokens are used", tokens, b.Tokens))
	case b.Cost > 0 && u.Cost >= b.Cost:
		return Deny(fmt.Sprintf("%d of %d millionths are spent", u.Cost, b.Cost))
	default:
		return Allow()
	}
}
