package iris

import (
	"context"
	"errors"
	"fmt"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/pipeline"
	"github.com/iris-harness/iris/plugin"
)

// Action is something that waits for a person.
type Action = plugin.Action

const actionLimit = 100

// PendingActions lists what waits for a person: approvals first (nothing hides them), then effects that nobody knows the outcome of, open
// questions, and the application's own sources. A source that fails costs its own items only; what went wrong is joined in the error beside the rest.
func (h *Harness) PendingActions(ctx context.Context) ([]Action, error) {
	ctx = pipeline.Marked(ctx)
	sources := []func(ctx context.Context) ([]Action, error){h.approvalActions, h.effectActions, h.questionActions}
	for _, s := range h.c.Actions {
		sources = append(sources, s.Actions)
	}
	var out []Action
	var errs []error
	for i, s := range sources {
		items, err := guardSource(ctx, s)
		if err != nil {
			errs = append(errs, fmt.Errorf("iris: pending actions: source %d: %w", i, err))
		}
		out = append(out, items...)
	}
	return out, errors.Join(errs...)
}

// actionsTool lets an agent see what waits for a person, of its own session only. Seeing is all: no tool answers an approval (ADR-0108 §6).
func (h *Harness) actionsTool() Tool {
	spec := ToolSpec{
		Name: "pending_actions", Effect: ReadOnly,
		Description: "List what waits for the person in this conversation: approvals, effects whose outcome is not known, open questions. It only shows them; the person answers them.",
	}
	return NewTool(spec, func(ctx context.Context, _ struct{}) ([]Action, error) {
		s, inside := pipeline.ScopeOf(ctx)
		if !inside {
			return nil, ErrNotFound
		}
		all, err := h.PendingActions(ctx)
		own := []Action{}
		for _, a := range all {
			if a.Session == s.SessionID || a.Session == "" {
				own = append(own, a)
			}
		}
		if err != nil {
			h.c.Logger.WarnContext(ctx, "pending actions", "err", err)
		}
		return own, nil
	})
}

func guardSource(ctx context.Context, s func(ctx context.Context) ([]Action, error)) (items []Action, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return s(ctx)
}

func (h *Harness) approvalActions(ctx context.Context) ([]Action, error) {
	rows, err := h.approvals.List(ctx, approval.Query{Status: []approval.Status{approval.Pending}, Limit: actionLimit})
	var out []Action
	for i := range rows {
		out = append(out, Action{
			Kind: "approval", ID: rows[i].ID, Session: rows[i].SessionID, Title: rows[i].Summary,
			Command: "iris approvals approve " + rows[i].ID, Overdue: rows[i].Overdue(h.c.Clock()),
		})
	}
	return out, err
}

func (h *Harness) effectActions(ctx context.Context) ([]Action, error) {
	rows, err := h.c.Store.Ledger().Ambiguous(ctx, "", "", actionLimit)
	var out []Action
	for i := range rows {
		out = append(out, Action{
			Kind: "effect", ID: rows[i].Key, Session: rows[i].SessionID, Title: "Did " + rows[i].Tool + " happen?",
			Command: "iris run settle " + rows[i].Key + " happened|did-not-happen",
		})
	}
	return out, err
}

func (h *Harness) questionActions(ctx context.Context) ([]Action, error) {
	rows, err := h.Questions(ctx, "", actionLimit)
	var out []Action
	for i := range rows {
		out = append(out, Action{Kind: "question", ID: rows[i].ID, Session: rows[i].SessionID, Title: rows[i].Question, Suppressible: true})
	}
	return out, err
}
