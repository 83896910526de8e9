package loop

import (
	"bytes"
	"errors"
	"slices"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/llm"
)

// past is what the closed steps of a run came to.
type past struct {
	step  int           // the step that comes next
	msgs  []llm.Message // the conversation
	used  llm.Usage
	lost  []lost // results of it that were cut off
	bytes int    // of the steps as stored, about
}

// lost is a result whose effect was cut off: the ledger may know more of it by now.
type lost struct {
	at  int // its place in the conversation
	key string
}

// add adds a step whose base is in the conversation already: its reply and one result for each call, so that no call is left dangling, and what
// the loop said after it. A reply that was empty is left out: no model takes one back.
func (c *past) add(p *checkpoint.Payload) {
	if p.Reply != nil && (len(p.Reply.Calls) > 0 || !isBlank(p.Reply.Text)) {
		c.msgs = append(c.msgs, *p.Reply)
		for i := range p.Results {
			if r := &p.Results[i]; r.State == checkpoint.ResultUnknown {
				c.lost = append(c.lost, lost{len(c.msgs), r.Key})
			}
			c.msgs = append(c.msgs, llm.Message{Role: llm.Tool, CallID: p.Results[i].CallID, Text: p.Results[i].Text})
		}
	}
	c.msgs = append(c.msgs, p.Note...)
	c.used = c.used.Add(p.Usage)
	c.step++
}

// handOver returns c for another to go on from, with the room that there is behind it; whoever goes on from c after that makes room of its own.
// So what one adds, no other sees, and a long conversation is not copied for each resume.
func (c *past) handOver() past {
	s := *c
	c.clip()
	return s
}

func (c *past) clip() { c.msgs, c.lost = slices.Clip(c.msgs), slices.Clip(c.lost) }

// settle puts what the ledger has found out since about effects that were cut off in the place of their results. The conversation may be shared:
// it is copied where that changes it.
func (c *past) settle(ledger map[string]checkpoint.Effect) {
	copied := false
	for _, u := range c.lost {
		e, ok := ledger[u.key]
		if !ok || e.State != checkpoint.Settled {
			continue
		}
		if !copied {
			c.msgs, copied = slices.Clone(c.msgs), true
		}
		c.msgs[u.at].Text = foundOut(&e)
	}
}

func foundOut(e *checkpoint.Effect) string {
	if e.Happened {
		return "it was cut off, and it did happen, as " + e.SettledBy + " has found. Do not repeat it"
	}
	return "it was cut off, and it did not happen, as " + e.SettledBy + " has found"
}

// Live is a run that waits, as the process remembers it that ran it: with it the last row is all that has to be read to take the run up.
// Closed steps are never written again, so what came before a last row that is still the same is the same too. It is read-only, and for
// one reader at a time.
type Live struct {
	Last checkpoint.Checkpoint // the last step, as it was written
	past past                  // what came before it
}

// errChanged means that the last step of a run is not the one that is remembered.
var errChanged = errors.New("loop: the run has changed since")

// remember makes the Live of a run that stopped at p, which c is the row of. What p began with is the end of the conversation.
func (r *execution) remember(p *checkpoint.Payload, c *checkpoint.Checkpoint) *Live {
	l := &Live{Last: *c, past: r.past}
	l.past.bytes -= len(c.Payload)
	if n := len(p.Base); n > 0 { // models have seen what is behind it: that is no room
		l.past.msgs = l.past.msgs[:len(l.past.msgs)-n]
		l.past.clip()
	}
	return l
}

// Bytes is about how much of the store l keeps in memory.
func (l *Live) Bytes() int { return l.past.bytes + len(l.Last.Payload) }

// Seed is [SeedOf] for a run of which rows are the steps from the last remembered one on. It is an error where they are not that one step, byte for byte.
func (l *Live) Seed(r checkpoint.Run, rows []checkpoint.Checkpoint) (*Seed, error) {
	if len(rows) != 1 || r.ID != l.Last.RunID || rows[0].StepID != l.Last.StepID || rows[0].State != l.Last.State ||
		!bytes.Equal(rows[0].Payload, l.Last.Payload) {
		return nil, errChanged
	}
	s := &Seed{Run: r, past: l.past.handOver()}
	if err := s.take(&rows[0]); err != nil {
		return nil, err
	}
	return s, s.waits()
}
