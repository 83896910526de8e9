package approval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// DelivererConfig is what a [Deliverer] is made of.
type DelivererConfig struct {
	Outbox Outbox
	Store  Store
	Router *Router
	// Text brings a text to a session's surface; nil drops it: it is in the session's log.
	Text func(ctx context.Context, d Delivery) error
	// Resume takes a run up that somebody asked to, as a RunResumer does; nil leaves it to another process.
	Resume  func(ctx context.Context, runID string) error
	Timeout time.Duration // of one attempt; 5 s where zero
	Clock   func() time.Time
	Logger  *slog.Logger
}

// Deliverer takes what the outbox holds to its surfaces. A channel that hangs, fails or panics delays nobody else, and is tried again.
type Deliverer struct{ c DelivererConfig }

// NewDeliverer returns a deliverer over c.
func NewDeliverer(c DelivererConfig) *Deliverer {
	if c.Timeout == 0 {
		c.Timeout = 5 * time.Second
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Deliverer{c}
}

// deliveryBatch bounds one round, and deliveryLease is how long a round has before another process may take its deliveries.
const (
	deliveryBatch = 50
	deliveryLease = 30 * time.Second
)

// Deliver makes one round over what is due, and returns how many deliveries went out. An error is the store's.
func (d *Deliverer) Deliver(ctx context.Context) (int, error) {
	now := d.c.Clock().UTC()
	due, err := d.c.Outbox.Due(ctx, now, now.Add(deliveryLease), deliveryBatch)
	if err != nil {
		return 0, fmt.Errorf("approval: outbox: %w", err)
	}
	wishes, due := split(due)
	var mu sync.Mutex
	var errs []error
	sent := 0
	var all sync.WaitGroup
	for _, one := range due {
		all.Go(func() {
			ok, err := d.settle(ctx, one, d.attempt(ctx, &one))
			mu.Lock()
			defer mu.Unlock()
			if ok {
				sent++
			}
			if err != nil {
				errs = append(errs, err)
			}
		})
	}
	all.Wait()
	errs = append(errs, d.resumes(ctx, wishes)) // last: a run takes its time, and what is to be sent is hidden from others for a while only
	return sent, errors.Join(errs...)
}

// split parts wishes for a resume from what is to be sent.
func split(due []Delivery) (wishes, rest []Delivery) {
	for _, one := range due {
		if one.Kind == DeliverResume {
			wishes = append(wishes, one)
		} else {
			rest = append(rest, one)
		}
	}
	return wishes, rest
}

// Now delivers what a turn has just committed, without waiting for a round. What fails stays in the outbox.
func (d *Deliverer) Now(ctx context.Context, deliveries ...Delivery) {
	var all sync.WaitGroup
	for _, one := range deliveries {
		all.Go(func() {
			if _, err := d.settle(ctx, one, d.attempt(ctx, &one)); err != nil {
				d.c.Logger.WarnContext(ctx, "outbox", "delivery", one.Key, "err", err)
			}
		})
	}
	all.Wait()
}

// resumes takes up the runs that somebody asked for. A wish is granted or refused once: what becomes of it is in the run. Where nothing could be
// tried, it waits for the next round, or for another process.
func (d *Deliverer) resumes(ctx context.Context, wishes []Delivery) error {
	for _, one := range wishes {
		err := d.wish(ctx, one)
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *Deliverer) wish(ctx context.Context, one Delivery) error {
	if d.c.Resume == nil {
		return d.c.Outbox.Retry(ctx, one.Key, d.c.Clock().UTC(), "no runtime in this process")
	}
	err := d.c.Resume(ctx, one.RunID)
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		d.c.Logger.WarnContext(ctx, "run not resumed", "run", one.RunID, "err", err)
	}
	if reasonOf(err).later() {
		return d.c.Outbox.Retry(ctx, one.Key, d.c.Clock().UTC(), err.Error())
	}
	return d.c.Outbox.Done(ctx, one.Key)
}

// settle takes a delivery that went out from the outbox, and puts off one that did not.
func (d *Deliverer) settle(ctx context.Context, one Delivery, problem error) (sent bool, err error) {
	ctx = context.WithoutCancel(ctx)
	if problem == nil {
		return true, d.c.Outbox.Done(ctx, one.Key)
	}
	d.c.Logger.WarnContext(ctx, "not delivered", "delivery", one.Key, "channel", one.Channel, "attempt", one.Attempts+1, "err", problem)
	return false, d.c.Outbox.Retry(ctx, one.Key, d.c.Clock().UTC().Add(backoff(one.Attempts)), problem.Error())
}

// backoff is how long the next attempt waits: 10 s, doubled each time, at most an hour.
func backoff(attempts int) time.Duration {
	return min(10*time.Second<<min(attempts, 9), time.Hour)
}

// attempt makes one delivery, bounded in time: a surface that hangs is left behind.
func (d *Deliverer) attempt(ctx context.Context, one *Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, d.c.Timeout)
	defer cancel()
	done := make(chan error, 1)
	copied := *one
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- fmt.Errorf("approval: channel %q panicked: %v", copied.Channel, v)
			}
		}()
		done <- d.bring(ctx, copied)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Deliverer) bring(ctx context.Context, one Delivery) error {
	if one.Kind == DeliverText {
		if d.c.Text == nil {
			return nil
		}
		return d.c.Text(ctx, one)
	}
	r, err := d.c.Store.Get(ctx, one.ApprovalID)
	if errors.Is(err, ErrNotFound) {
		return nil // forgotten: there is nothing to bring
	}
	if err != nil {
		return err
	}
	ch := d.c.Router.Channel(one.Channel)
	if ch == nil {
		ch = d.c.Router.Channel(StderrName)
	}
	if one.Kind == DeliverLapse {
		return ch.NotifyTimeout(ctx, *r)
	}
	if r.Status != Pending {
		return nil // decided meanwhile: nothing is asked any more
	}
	return ch.Notify(ctx, *r)
}

// Deliveries returns the rows that bring a request, or the notice of its lapse, to each of its channels.
func (r *Router) Deliveries(kind DeliveryKind, req *Request, now, next time.Time) []Delivery {
	var out []Delivery
	for _, name := range r.Targets(req.Channel) {
		out = append(out, Delivery{
			Key: string(kind) + "/" + req.ID + "/" + name, Kind: kind, Channel: name, SessionID: req.SessionID, ApprovalID: req.ID,
			NextAt: next, CreatedAt: now,
		})
	}
	return out
}
