package ops

import (
	"encoding/json"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
)

// The JSON of these commands is made of types of their own: what the store holds may change, what a script reads may not.

// runView is a run.
type runView struct {
	ID         string     `json:"id"`
	SessionID  string     `json:"session_id"`
	Agent      string     `json:"agent"`
	State      string     `json:"state"`
	Reason     string     `json:"reason,omitempty"`
	Detail     string     `json:"detail,omitempty"`
	Task       string     `json:"task,omitempty"`
	Question   string     `json:"question,omitempty"`
	ApprovalID string     `json:"approval_id,omitempty"`
	AskedOf    string     `json:"asked_of,omitempty"`
	Pinned     bool       `json:"pinned,omitempty"`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
	ExpiresAt  *time.Time `json:"expires_at,omitempty"`
}

func viewRun(r *checkpoint.Run) runView {
	v := runView{
		ID: r.ID, SessionID: r.SessionID, Agent: r.Agent, State: string(r.State), Reason: string(r.Reason), Detail: r.Detail, Task: r.Task,
		ApprovalID: r.ApprovalID, AskedOf: r.AskedOf, Pinned: r.Pinned, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, ExpiresAt: stamp(r.ExpiresAt),
	}
	if r.Asked != nil {
		v.Question = r.Asked.Question
	}
	return v
}

// effectView is a row of the ledger.
type effectView struct {
	Key       string          `json:"key"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args,omitempty"`
	StepID    int             `json:"step_id"`
	State     string          `json:"state"`
	Ambiguous bool            `json:"ambiguous,omitempty"`
	Failed    bool            `json:"failed,omitempty"`
	Happened  *bool           `json:"happened,omitempty"`
	SettledBy string          `json:"settled_by,omitempty"`
	StartedAt time.Time       `json:"started_at"`
	EndedAt   *time.Time      `json:"ended_at,omitempty"`
}

func viewEffect(e *checkpoint.Effect) effectView {
	v := effectView{
		Key: e.Key, Tool: e.Tool, StepID: e.StepID, State: string(e.State), Ambiguous: e.Ambiguous(), Failed: e.Failed,
		SettledBy: e.SettledBy, StartedAt: e.StartedAt, EndedAt: stamp(e.EndedAt),
	}
	if json.Valid(e.Args) {
		v.Args = e.Args
	}
	if e.State == checkpoint.Settled {
		v.Happened = &e.Happened
	}
	return v
}

// stands says in words where an effect stands.
func (e *effectView) stands() string {
	switch {
	case e.Ambiguous:
		return "nobody knows whether it happened"
	case e.Happened != nil && *e.Happened:
		return "happened, says " + e.SettledBy
	case e.Happened != nil:
		return "did not happen, says " + e.SettledBy
	case e.Failed:
		return e.State + ", with an error"
	}
	return e.State
}

// auditView is a row of the audit.
type auditView struct {
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Point   string    `json:"point,omitempty"`
	Subject string    `json:"subject,omitempty"`
	Verdict string    `json:"verdict,omitempty"`
	By      string    `json:"by,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Digest  string    `json:"digest,omitempty"`
}

func viewAudit(e *audit.Entry) auditView {
	return auditView{e.Seq, e.At, string(e.Kind), e.Point, e.Subject, e.Verdict, e.By, e.Reason, e.Digest}
}

// inspection is all that is known of a run.
type inspection struct {
	Run       runView               `json:"run"`
	Steps     []iris.StepInspection `json:"steps,omitempty"`
	Effects   []effectView          `json:"effects,omitempty"`
	Approvals []approvalView        `json:"approvals,omitempty"`
	Audit     []auditView           `json:"audit,omitempty"`
}

func (c *call) inspection(v *iris.RunInspection) inspection {
	out := inspection{Run: viewRun(&v.Run), Steps: v.Steps}
	for i := range v.Effects {
		out.Effects = append(out.Effects, viewEffect(&v.Effects[i]))
	}
	for i := range v.Approvals {
		out.Approvals = append(out.Approvals, c.viewApproval(&v.Approvals[i]))
	}
	for i := range v.Audit {
		out.Audit = append(out.Audit, viewAudit(&v.Audit[i]))
	}
	return out
}
