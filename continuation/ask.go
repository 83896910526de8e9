package continuation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Ask is what a caller says of a question it puts to a session.
type Ask struct {
	SessionID string // Required.
	Owner     string // Required: who resolves the answer.
	Question  string // Required: as put to the person, at most [MaxQuestion] bytes.

	TurnID  string
	Asker   string
	Kind    Kind   // Question where empty; Choice where empty and Options are given.
	Origin  Origin // Explicit where empty.
	Options []Option
	Intent  string
	Channel string
	AskedOf string

	RunID  string // with Origin Pause: the run that waits
	StepID int

	// ExecutorKind and Payload go together, on a yes/no. Payload is any value that encodes as JSON, frozen here:
	// what the caller does to its map afterwards changes nothing. A json.RawMessage is kept byte for byte.
	ExecutorKind string
	Payload      any

	// TTL is how long the question waits; DefaultTTL where zero.
	TTL time.Duration
}

// Freeze validates a and returns it with its options and payload frozen: what the caller does to them afterwards changes nothing.
func (a Ask) Freeze() (Ask, error) {
	c, err := a.row()
	if err != nil {
		return a, err
	}
	a.Kind, a.Origin, a.Options = c.Kind, c.Origin, c.Options
	if c.Payload != nil {
		a.Payload = c.Payload
	}
	return a, nil
}

// row validates a and returns the row it asks for, without id, times and status.
func (a Ask) row() (Continuation, error) {
	c := Continuation{
		SessionID: a.SessionID, TurnID: a.TurnID, Owner: a.Owner, Asker: a.Asker, Kind: a.Kind, Origin: a.Origin,
		Question: a.Question, Intent: a.Intent, Channel: a.Channel, AskedOf: a.AskedOf,
		RunID: a.RunID, StepID: a.StepID, ExecutorKind: a.ExecutorKind, Status: Pending,
	}
	if c.Kind == "" {
		c.Kind = Question
		if len(a.Options) > 0 {
			c.Kind = Choice
		}
	}
	if c.Origin == "" {
		c.Origin = Explicit
	}
	var err error
	if c.Options, err = freezeOptions(a.Options); err != nil {
		return c, err
	}
	if c.Payload, err = freezePayload(a.Payload); err != nil {
		return c, err
	}
	return c, c.validate(a.TTL)
}

func (c *Continuation) validate(ttl time.Duration) error {
	switch {
	case IsBlank(c.SessionID):
		return fmt.Errorf("%w: no session id", ErrInvalid)
	case IsBlank(c.Owner):
		return fmt.Errorf("%w: no owner", ErrInvalid)
	case IsBlank(c.Question):
		return fmt.Errorf("%w: no question", ErrInvalid)
	case len(c.Question) > MaxQuestion:
		return fmt.Errorf("%w: a question of %d bytes, at most %d", ErrTooLarge, len(c.Question), MaxQuestion)
	case c.Kind != Question && c.Kind != YesNo && c.Kind != Choice:
		return fmt.Errorf("%w: kind %q", ErrInvalid, c.Kind)
	case c.Origin != Explicit && c.Origin != Pause && c.Origin != Inferred:
		return fmt.Errorf("%w: origin %q", ErrInvalid, c.Origin)
	case c.Kind == Choice && len(c.Options) == 0:
		return fmt.Errorf("%w: a choice without options", ErrInvalid)
	case (c.Origin == Pause) != (c.RunID != ""):
		return fmt.Errorf("%w: a pause and a run id go together", ErrInvalid)
	case (c.ExecutorKind != "") != (c.Payload != nil):
		return fmt.Errorf("%w: an executor kind and a payload go together", ErrInvalid)
	case c.ExecutorKind != "" && c.Kind != YesNo:
		return fmt.Errorf("%w: only a yes/no carries an action", ErrInvalid)
	case c.StepID < 0:
		return fmt.Errorf("%w: step %d", ErrInvalid, c.StepID)
	case ttl < 0:
		return fmt.Errorf("%w: a negative lifetime", ErrInvalid)
	}
	return nil
}

// freezeOptions copies options and numbers those without a position. Positions count from 1 as shown, so that a number and a button name the same option.
func freezeOptions(in []Option) ([]Option, error) {
	if len(in) == 0 {
		return nil, nil
	}
	out := make([]Option, len(in))
	for i, o := range in {
		if o.Position == 0 {
			o.Position = i + 1
		}
		if o.Position != i+1 {
			return nil, fmt.Errorf("%w: option %d has position %d", ErrInvalid, i+1, o.Position)
		}
		o.Ref = bytes.Clone(o.Ref)
		if o.Ref != nil && !json.Valid(o.Ref) {
			return nil, fmt.Errorf("%w: the ref of option %d is not JSON", ErrInvalid, o.Position)
		}
		if IsBlank(o.Text) && o.Ref == nil {
			return nil, fmt.Errorf("%w: option %d is empty", ErrInvalid, o.Position)
		}
		out[i] = o
	}
	b, err := Exact(out)
	if err != nil {
		return nil, fmt.Errorf("%w: options: %w", ErrInvalid, err)
	}
	if len(b) > MaxOptions {
		return nil, fmt.Errorf("%w: options of %d bytes, at most %d", ErrTooLarge, len(b), MaxOptions)
	}
	return out, nil
}

func freezePayload(v any) (json.RawMessage, error) {
	var raw json.RawMessage
	switch p := v.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		if raw = bytes.Clone(p); !json.Valid(raw) {
			return nil, fmt.Errorf("%w: the payload is not JSON", ErrInvalid)
		}
	default:
		b, err := Exact(v)
		if err != nil {
			return nil, fmt.Errorf("%w: the payload does not encode as JSON: %w", ErrInvalid, err)
		}
		raw = b
	}
	if len(raw) > MaxPayload {
		return nil, fmt.Errorf("%w: a payload of %d bytes, at most %d", ErrTooLarge, len(raw), MaxPayload)
	}
	return raw, nil
}

// Exact encodes v as JSON and leaves <, > and & as they are written.
func Exact(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return json.RawMessage(strings.TrimSuffix(buf.String(), "\n")), nil
}
