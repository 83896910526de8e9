package llm

import (
	"context"
	"errors"
	"iter"
)

// Model is the application's client. The sequence is ranged over once; it ends with the reply or with one error.
// ctx governs the call: a deadline or a cancel must end the sequence with ctx's error.
// An error that [IsTransient] reports may be tried again, each time with a new decision of governance.
type Model interface {
	Generate(ctx context.Context, req *Request) iter.Seq2[*Chunk, error]
}

// Func adapts a function that returns a whole reply.
type Func func(ctx context.Context, req *Request) (Message, error)

var _ Model = Func(nil)

// Generate calls f and yields its reply as one chunk.
func (f Func) Generate(ctx context.Context, req *Request) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		m, err := f(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(&Chunk{Text: m.Text, Calls: m.Calls, ProviderData: m.ProviderData}, nil)
	}
}

// Transient marks err as one that may pass if the same request is made again (a rate limit, a dropped connection).
// A nil err stays nil.
func Transient(err error) error {
	if err == nil {
		return nil
	}
	return transientError{err}
}

// IsTransient reports whether a client marked err, or an error it wraps, with [Transient] or with
// a method Transient() bool that returns true.
func IsTransient(err error) bool {
	var t interface{ Transient() bool }
	return errors.As(err, &t) && t.Transient()
}

type transientError struct{ error }

func (e transientError) Unwrap() error { return e.error }
func (transientError) Transient() bool { return true }
