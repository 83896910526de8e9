package storetest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
)

// question is a free text question that lives for an hour.
func question(sessionID, id string) continuation.Continuation {
	return continuation.Continuation{
		ID: id, SessionID: sessionID, Owner: "planner", Kind: continuation.Question, Origin: continuation.Explicit,
		Question: "Neo4j or Stardog?", CreatedAt: start(), ExpiresAt: at(time.Hour), Status: continuation.Pending,
	}
}

// fullQuestion is a row with every field set that Open writes.
func fullQuestion(sessionID, id string) continuation.Continuation {
	c := question(sessionID, id)
	c.TurnID, c.Asker, c.Kind, c.Intent, c.Channel, c.AskedOf = "turn", "organizer", continuation.YesNo, "organize", "web", "ann"
	c.Question = "Delete «все» 3 files?\nReally?\x00"
	c.Options = []continuation.Option{{Position: 1, Text: "a <b> & c", Ref: json.RawMessage(`{"id": 9007199254740993}`)}, {Position: 2, Text: "zwei"}}
	c.ExecutorKind, c.Payload = "delete", json.RawMessage(`{"b": 12345678901234567890, "a" :1.0, "html":"<&>"}`)
	return c
}

// open opens a row and ends the check where that fails.
func open(t TB, s Store, c continuation.Continuation) continuation.Continuation {
	t.Helper()
	_, err := s.Continuations().Open(t.Context(), c)
	ok(t, "open", err)
	return c
}

// claimed opens a row and claims it.
func claimed(t TB, s Store, c continuation.Continuation) *continuation.Continuation {
	t.Helper()
	open(t, s, c)
	row, err := s.Continuations().Claim(t.Context(), claimant(c))
	ok(t, "claim", err)
	return row
}

// claimant claims c a minute after the start.
func claimant(c continuation.Continuation) continuation.Claimant {
	return continuation.Claimant{ID: c.ID, SessionID: c.SessionID, TurnID: "turn-2", Sender: "ann", At: at(time.Minute)}
}

// run is a run that lives for an hour.
func run(sessionID, id string) checkpoint.Run {
	return checkpoint.Run{
		ID: id, SessionID: sessionID, TurnID: "turn", Agent: "planner", Intent: "plan", Channel: "web", AskedOf: "ann", Task: "plan it",
		Order: 1, State: checkpoint.Running, Epoch: 1, CreatedAt: start(), UpdatedAt: start(), ExpiresAt: at(time.Hour),
	}
}

// begin begins r, and moves it to the state that it is to be in.
func begin(t TB, s Store, r checkpoint.Run, state checkpoint.State) checkpoint.Run {
	t.Helper()
	ok(t, "begin", s.Checkpoints().Begin(t.Context(), r))
	if state == checkpoint.Running {
		return r
	}
	out, err := s.Checkpoints().Move(t.Context(), checkpoint.Move{
		RunID: r.ID, From: []checkpoint.State{checkpoint.Running}, Epoch: r.Epoch, To: state, At: at(time.Second),
	})
	ok(t, "move to "+string(state), err)
	return *out
}

// step is an open step.
func step(r checkpoint.Run, n int, payload string) checkpoint.Checkpoint {
	return checkpoint.Checkpoint{RunID: r.ID, StepID: n, SessionID: r.SessionID, State: checkpoint.OpenStep, Payload: []byte(payload), CreatedAt: start()}
}

// effect is an effect that starts.
func effect(r checkpoint.Run, key string) checkpoint.Effect {
	return checkpoint.Effect{
		Key: key, SessionID: r.SessionID, RunID: r.ID, StepID: 2, CallID: "call", Tool: "write", Args: []byte(`{"n": 9007199254740993}`), Digest: "abc",
		State: checkpoint.Started, StartedAt: start(),
	}
}

// request is a demand with a minute to decide it.
func request(sessionID, id string) approval.Request {
	return approval.Request{
		ID: id, SessionID: sessionID, RunID: "run-" + id, StepID: 3, TurnID: "turn", Agent: "cleaner", Point: "pre_tool", Signal: "destructive",
		Summary: "delete two files", Card: "rm a b", Digest: "d1", Destructive: true, Channel: "web", AskedOf: "ann",
		Items: []approval.Item{
			{Position: 1, CallID: "c1", Tool: "rm", Args: json.RawMessage(`{"n":12345678901234567890,"p":"<a>"}`), Digest: "x", Card: "rm a", Effect: "destructive"},
			{Position: 2, CallID: "c2", Tool: "ls", Args: json.RawMessage(`{}`), Digest: "y", Effect: "read_only", Allowed: true},
		},
		Policy: approval.FailClosed, RequestedAt: start(), TimeoutAt: at(time.Minute), Status: approval.Pending,
	}
}

// create creates r.
func create(t TB, s Store, r approval.Request) approval.Request {
	t.Helper()
	ok(t, "create", s.Approvals().Create(t.Context(), r))
	return r
}

// approve approves a request 30 seconds after the start.
func approve(ctx context.Context, s Store, id string) (*approval.Request, error) {
	return s.Approvals().Decide(ctx, approval.Decision{
		ID: id, Status: approval.Approved, Principal: "ann", Surface: "web", Reason: "fine", At: at(30 * time.Second),
	})
}
