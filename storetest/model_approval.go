package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/iris-harness/iris/approval"
)

// approvalOp is one call; its times are minutes.
type approvalOp struct {
	call    string
	id      string
	yes     bool
	at, ttl int
}

// modelRequest is a request as the model has it.
type modelRequest struct {
	timeout           int
	status            approval.Status
	consumed, noticed bool
}

type modelRequests map[string]modelRequest

func approvalOps() *rapid.Generator[approvalOp] {
	return rapid.Custom(func(rt *rapid.T) approvalOp {
		return approvalOp{
			call: rapid.SampledFrom([]string{"create", "create", "decide", "decide", "decide", "lapse", "consume", "notice", "get"}).Draw(rt, "call"),
			id:   named(rt, "a", 3), yes: rapid.Bool().Draw(rt, "yes"), at: minutes(rt, "at"), ttl: 1 + minutes(rt, "ttl"),
		}
	})
}

func approvalMachine() machine[modelRequests, approvalOp] {
	return machine[modelRequests, approvalOp]{
		begin: modelRequests{},
		step: func(s modelRequests, o approvalOp) (modelRequests, string) {
			s = maps.Clone(s)
			return s, s.step(o)
		},
		do: doApproval,
	}
}

func (s modelRequests) step(o approvalOp) string {
	r, there := s[o.id]
	switch {
	case o.call == "create" && there:
		return "invalid"
	case o.call == "create":
		s[o.id] = modelRequest{timeout: o.ttl, status: approval.Pending}
		return "created"
	case o.call == "lapse":
		return s.lapse(o.at)
	case !there:
		return "not found"
	case o.call == "get":
		return fmt.Sprint(r.status, r.consumed, r.noticed)
	}
	saw := ""
	switch o.call {
	case "decide":
		saw = r.decide(o)
	case "consume":
		saw = r.consume()
	case "notice":
		first := r.status != approval.Pending && !r.noticed
		r.noticed = r.noticed || first
		saw = fmt.Sprint(first)
	}
	s[o.id] = r
	return saw
}

func (s modelRequests) lapse(now int) string {
	var told []string
	for _, id := range slices.Sorted(maps.Keys(s)) {
		if r := s[id]; r.status == approval.Pending && now >= r.timeout {
			r.status = approval.TimedOut
			s[id] = r
			told = append(told, id)
		}
	}
	return "lapsed " + strings.Join(told, " ")
}

func (r *modelRequest) decide(o approvalOp) string {
	switch {
	case r.status == approval.TimedOut:
		return "overdue"
	case r.status != approval.Pending:
		return "was " + string(r.status)
	case o.at >= r.timeout:
		return "overdue"
	}
	r.status = decision(o)
	return "now " + string(r.status)
}

func (r *modelRequest) consume() string {
	switch {
	case r.status != approval.Approved:
		return "not approved"
	case r.consumed:
		return "consumed before"
	}
	r.consumed = true
	return "consumed"
}

func decision(o approvalOp) approval.Status {
	if o.yes {
		return approval.Approved
	}
	return approval.Rejected
}

// doApproval does o on a store and says what came of it, in the model's words.
func doApproval(t TB, s Store, prefix string, o approvalOp) string {
	ctx, id, now := t.Context(), prefix+o.id, at(time.Duration(o.at)*time.Minute)
	switch o.call {
	case "create":
		r := request("s", id)
		r.TimeoutAt = at(time.Duration(o.ttl) * time.Minute)
		return approvalWord(s.Approvals().Create(ctx, r), "created")
	case "lapse":
		rows, err := s.Approvals().Lapse(ctx, now, 10_000)
		if err != nil {
			return err.Error()
		}
		var told []string
		for _, r := range rows {
			if strings.HasPrefix(r.ID, prefix) {
				told = append(told, r.ID[len(prefix):])
			}
		}
		slices.Sort(told)
		return "lapsed " + strings.Join(told, " ")
	case "decide":
		_, err := s.Approvals().Decide(ctx, approval.Decision{ID: id, Status: decision(o), At: now})
		return approvalWord(err, "now "+string(decision(o)))
	case "consume":
		return approvalWord(s.Approvals().Consume(ctx, id, now), "consumed")
	case "notice":
		first, err := s.Approvals().Notice(ctx, id, now)
		return approvalWord(err, fmt.Sprint(first))
	}
	r, err := s.Approvals().Get(ctx, id)
	if err != nil {
		return approvalWord(err, "")
	}
	return fmt.Sprint(r.Status, !r.ConsumedAt.IsZero(), !r.NoticedAt.IsZero())
}

func approvalWord(err error, none string) string {
	var decided *approval.DecidedError
	switch {
	case err == nil:
		return none
	case errors.Is(err, approval.ErrOverdue):
		return "overdue"
	case errors.As(err, &decided):
		return "was " + string(decided.Request.Status)
	case errors.Is(err, approval.ErrNotFound):
		return "not found"
	case errors.Is(err, approval.ErrNotApproved):
		return "not approved"
	case errors.Is(err, approval.ErrConsumed):
		return "consumed before"
	case errors.Is(err, approval.ErrInvalid):
		return "invalid"
	}
	return err.Error()
}

func (s modelRequests) String() string {
	text := ""
	for _, id := range slices.Sorted(maps.Keys(s)) {
		text += fmt.Sprintf("%s%v ", id, s[id])
	}
	return text
}
