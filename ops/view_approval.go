package ops

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/iris-harness/iris/approval"
)

// approvalView is a request for a decision.
type approvalView struct {
	ID          string     `json:"id"`
	SessionID   string     `json:"session_id,omitempty"`
	RunID       string     `json:"run_id"`
	StepID      int        `json:"step_id"`
	Agent       string     `json:"agent"`
	Point       string     `json:"point"`
	Signal      string     `json:"signal,omitempty"`
	Summary     string     `json:"summary"`
	Items       []itemView `json:"items,omitempty"`
	Digest      string     `json:"digest"`
	Destructive bool       `json:"destructive,omitempty"`
	Channel     string     `json:"channel,omitempty"`
	AskedOf     string     `json:"asked_of,omitempty"`
	Status      string     `json:"status"`
	Overdue     bool       `json:"overdue,omitempty"`
	RequestedAt time.Time  `json:"requested_at"`
	TimeoutAt   time.Time  `json:"timeout_at"`
	By          string     `json:"by,omitempty"`
	Surface     string     `json:"surface,omitempty"`
	Reason      string     `json:"reason,omitempty"`
	DecidedAt   *time.Time `json:"decided_at,omitempty"`
	ConsumedAt  *time.Time `json:"consumed_at,omitempty"`
}

// itemView is one pinned call.
type itemView struct {
	Position int             `json:"position"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`
	Card     string          `json:"card,omitempty"`
	Effect   string          `json:"effect"`
	Digest   string          `json:"digest"`
	Allowed  bool            `json:"allowed,omitempty"`
	Approved *bool           `json:"approved,omitempty"`
}

func (c *call) viewApproval(r *approval.Request) approvalView {
	v := approvalView{
		ID: r.ID, SessionID: r.SessionID, RunID: r.RunID, StepID: r.StepID, Agent: r.Agent, Point: r.Point, Signal: r.Signal,
		Summary: r.Summary, Digest: r.Digest, Destructive: r.Destructive, Channel: r.Channel, AskedOf: r.AskedOf,
		Status: string(r.Status), Overdue: r.Overdue(c.now), RequestedAt: r.RequestedAt, TimeoutAt: r.TimeoutAt,
		By: r.Principal, Surface: r.Surface, Reason: r.Reason, DecidedAt: stamp(r.DecidedAt), ConsumedAt: stamp(r.ConsumedAt),
	}
	for i := range r.Items {
		v.Items = append(v.Items, viewItem(r, &r.Items[i]))
	}
	return v
}

func viewItem(r *approval.Request, it *approval.Item) itemView {
	v := itemView{it.Position, it.Tool, it.Args, it.Card, it.Effect, it.Digest, it.Allowed, nil}
	if r.Status == approval.Approved || r.Status == approval.Rejected {
		d := r.DecisionOn(it.Position)
		v.Approved = &d.Approved
		if d.Args != nil {
			v.Args, v.Digest = d.Args, d.Digest
		}
	}
	return v
}

// stands says in words where a request stands.
func (v *approvalView) stands() string {
	s := v.Status
	if v.Overdue {
		s = "overdue"
	}
	if v.By != "" {
		s += " by " + v.By
	}
	return s
}

// writeApproval prints a request in full, so that a person can decide it.
func (c *call) writeApproval(w io.Writer, v *approvalView) {
	fmt.Fprintf(w, "approval %s: %s\n", v.ID, v.stands())
	field(w, "about", v.Summary)
	for _, it := range v.Items {
		fmt.Fprintf(w, "  %d. %s%s\n", it.Position, it.Card, itemNote(&it))
	}
	if v.Destructive {
		field(w, "note", "this cannot be undone")
	}
	field(w, "run", fmt.Sprintf("%s step %d, agent %s, at %s", v.RunID, v.StepID, v.Agent, v.Point))
	field(w, "session", v.SessionID)
	field(w, "asked", c.when(v.RequestedAt))
	field(w, "of", v.AskedOf)
	field(w, "until", c.when(v.TimeoutAt))
	if v.DecidedAt != nil {
		field(w, "decided", c.when(*v.DecidedAt)+" on "+v.Surface)
	}
	field(w, "reason", v.Reason)
	if v.Status == string(approval.Pending) && !v.Overdue {
		fmt.Fprintf(w, "answer with: approvals approve %s, or reject\n", v.ID)
	}
}

func itemNote(it *itemView) string {
	switch {
	case it.Approved != nil && !*it.Approved:
		return " (not approved)"
	case it.Allowed:
		return " (allowed; waits with the others)"
	}
	return ""
}
