package approval

import "context"

// Channel is a surface that a request can be brought to. A channel that knows [Delivery.Key] can drop a second copy.
type Channel interface {
	// Name is what a turn's Channel says where it came from here.
	Name() string
	// Notify brings a request to the people who can decide it. An error is tried again.
	Notify(ctx context.Context, r Request) error
	// NotifyTimeout says that a request timed out: it asks for nothing.
	NotifyTimeout(ctx context.Context, r Request) error
}
