package iristest

import (
	"context"
	"sync"

	"github.com/iris-harness/iris"
)

// Deliveries keeps what a harness delivers outside of turns. It is a Config.Deliver; the zero value is ready. It drops a second copy, as a
// surface that knows the key does.
type Deliveries struct {
	mu   sync.Mutex
	seen map[string]bool
	all  []iris.Delivery
}

var _ iris.Deliver = (*Deliveries)(nil)

// Deliver implements [iris.Deliver].
func (d *Deliveries) Deliver(_ context.Context, one iris.Delivery) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.seen[one.Key] {
		return nil
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[one.Key] = true
	d.all = append(d.all, one)
	return nil
}

// Texts returns the texts delivered so far, in order.
func (d *Deliveries) Texts() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, one := range d.all {
		out = append(out, one.Text)
	}
	return out
}

// take returns what was delivered since the last call.
func (d *Deliveries) take() []iris.Delivery {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.all
	d.all = nil
	return out
}
