package gate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

var (
	// ErrUnsealed is returned by the zero Model and the zero Func.
	ErrUnsealed = errors.New("gate: nothing is sealed here")
	// ErrNotCalled is wrapped by Func.Call where the context had ended before anything was called.
	ErrNotCalled = errors.New("gate: not called")
	// ErrOutcomeUnknown is what a *CutOffError is: the call was begun, and what became of it is not known.
	ErrOutcomeUnknown = errors.New("gate: outcome unknown")
)

// PanicError is returned where a model, a tool or an executor panicked, or ended its goroutine.
type PanicError struct {
	Name  string // what was called
	Value any    // what it panicked with; nil where it called runtime.Goexit
	Stack []byte
}

// newPanicError is called in the deferred function that recovered v.
func newPanicError(name string, v any) *PanicError { return &PanicError{name, v, debug.Stack()} }

func (e *PanicError) Error() string { return fmt.Sprintf("gate: %s panicked: %v", e.Name, e.Value) }

// Unwrap returns the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// CutOffError is returned where a call had not come back when its context ended. It may still be running: its
// goroutine is left to itself and what it returns is dropped. It wraps ErrOutcomeUnknown, the context's error and its cause.
type CutOffError struct {
	Name  string // what was called
	Err   error  // context.Canceled or context.DeadlineExceeded
	Cause error  // context.Cause; Err where there is no other
}

func newCutOffError(ctx context.Context, name string) *CutOffError {
	return &CutOffError{Name: name, Err: ctx.Err(), Cause: context.Cause(ctx)}
}

func (e *CutOffError) Error() string { return fmt.Sprintf("gate: %s cut off: %v", e.Name, e.Cause) }

// Unwrap returns ErrOutcomeUnknown, the context's error and its cause.
func (e *CutOffError) Unwrap() []error { return []error{ErrOutcomeUnknown, e.Err, e.Cause} }
