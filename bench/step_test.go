//go:build cgo

package bench_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"testing"

	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/sqlite"
)

// stepsOfARun is how many steps BenchmarkDurableStep's runs take.
const stepsOfARun = 20

// BenchmarkDurableStep is a governed step with its row and its audit row, against a transaction of the driver that appends the same two rows; and
// the same with an effect, against two.
func BenchmarkDurableStep(b *testing.B) {
	for _, level := range levels {
		for _, effect := range []bool{false, true} {
			name := map[bool]string{false: "read", true: "effect"}[effect]
			b.Run(string(level)+"/"+name, func(b *testing.B) { durableStep(b, level, effect) })
		}
	}
}

func durableStep(b *testing.B, level sqlite.Synchronous, effect bool) {
	tool := map[bool]string{false: "look", true: "write"}[effect]
	model := llm.Func(func(_ context.Context, req *llm.Request) (llm.Message, error) {
		results := 0
		for _, m := range req.Messages {
			if m.Role == llm.Tool {
				results++
			}
		}
		if results == stepsOfARun {
			return llm.Message{Text: "Done."}, nil
		}
		args := "{}"
		if !effect {
			args = fmt.Sprintf(`{"n":%d}`, results)
		}
		return llm.Message{Calls: []llm.Call{iristest.ToolCall("", tool, args)}}, nil
	})
	h, raw, n := harness(b, open(b, level), model), openRaw(b, level), 0
	floor := newRawSteps(raw)
	compare(b, func() {
		for range stepsOfARun {
			if effect {
				floor.append(false)
			}
			floor.append(true)
		}
	}, func() {
		n++
		turn(b, h, fmt.Sprint("s", n), "look")
	})
}

// rawSteps appends a step row and an audit row in one transaction of the driver.
type rawSteps struct {
	*raw
	step, audit driver.Stmt
	n           int64
	hash        string
}

func newRawSteps(r *raw) *rawSteps {
	prepare := func(text string) driver.Stmt {
		s, err := r.conn.Prepare(text)
		if err != nil {
			r.b.Fatal(err)
		}
		return s
	}
	r.exec(prepare(`INSERT INTO runs (id, turn_id, agent, intent, channel, asked_of, task, place, state, reason, detail, epoch, approval_id, pinned,
		created_at, updated_at, expires_at, session_id) VALUES ('r', 't', 'a', '', '', '', '', 0, 'running', '', '', 0, '', 0, 1, 1, 9000000000000000, 's')`))
	return &rawSteps{
		raw:  r,
		step: prepare(`INSERT INTO steps (run_id, step_id, session_id, state, payload, created_at) VALUES ('r', ?, 's', 'closed', ?, 1)`),
		audit: prepare(`INSERT INTO audit (session_id, at, kind, run_id, step_id, turn_id, point, subject, verdict, actor, reason, digest, prev, hash)
			VALUES ('s', 1, 'decision', 'r', ?, 't', 'pre_llm', 'model', 'allow', '', '', '', ?, ?)`),
	}
}

func (r *rawSteps) append(step bool) {
	r.n++
	r.exec(r.begin)
	if step {
		r.exec(r.step, r.n, []byte(observation))
	}
	next := fmt.Sprintf("%064d", r.n)
	r.exec(r.audit, r.n, r.hash, next)
	r.hash = next
	r.exec(r.commit)
}
