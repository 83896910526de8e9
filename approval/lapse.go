package approval

import (
	"context"
	"fmt"

	"github.com/iris-harness/iris/audit"
)

// lapseBatch bounds one sweep.
const lapseBatch = 100

// Lapse times out what is overdue, in one statement and one transaction with its audit rows and notices: each request lapses once, whichever of
// many processes sweeps. Nothing is ever approved by time (ADR-0108 §7).
func (s *Service) Lapse(ctx context.Context) (lapsed []Request, err error) {
	now := s.now()
	err = s.c.Atomically(ctx, func(ctx context.Context) (err error) {
		if lapsed, err = s.c.Store.Lapse(ctx, now, lapseBatch); err != nil {
			return err
		}
		for i := range lapsed {
			if err := s.lapsed(ctx, &lapsed[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("approval: lapse: %w", err)
	}
	for i := range lapsed {
		s.gate.wake(lapsed[i].ID)
	}
	return lapsed, nil
}

func (s *Service) lapsed(ctx context.Context, r *Request) error {
	if err := s.c.Log.Append(ctx, audit.Entry{
		SessionID: r.SessionID, At: s.now(), Kind: audit.KindLapsed, RunID: r.RunID, StepID: r.StepID, Point: r.Point,
		Subject: r.ID, Verdict: string(TimedOut), Digest: r.Digest,
	}); err != nil {
		return err
	}
	if s.c.Lapsed == nil {
		return nil
	}
	return s.c.Lapsed(ctx, *r)
}

// LapseText is the notice that a conversation gets: it was told that the run waits, and now it does not.
func LapseText(r *Request) string {
	return fmt.Sprintf("Nobody decided in time whether I may go on (%s), so I did not. Ask again if it is still wanted. Approval %s timed out at %s.",
		r.Summary, r.ID, r.TimeoutAt.Format("2006-01-02 15:04 MST"))
}
