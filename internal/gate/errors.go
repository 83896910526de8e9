package gate

import (
	"errors"
	"fmt"
)

var (
	// ErrUnsealed is returned by the zero Model and the zero Func.
	ErrUnsealed = errors.New("gate: nothing is sealed here")
	// ErrOutcomeUnknown is what a *CutOffError is: the call was begun, and what became of it is not known.
	ErrOutcomeUnknown = errors.New("gate: outcome unknown")
)

// PanicError is returned where a model, a tool or an executor panicked.
type PanicError struct {
	Name  string // what was called
	Value any    // what it panicked with
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("gate: %s panicked: %v", e.Name, e.Value) }

// Unwrap returns the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// CutOffError is returned where a call had not come back when its context ended. It may still be running: its
// goroutine is left to itself and what it returns is dropped. It wraps ErrOutcomeUnknown and the context's error.
type CutOffError struct {
	Name string // what was called
	Err  error  // the context's error
}

func (e *CutOffError) Error() string { return fmt.Sprintf("gate: %s cut off: %v", e.Name, e.Err) }

// Unwrap returns ErrOutcomeUnknown and the context's error.
func (e *CutOffError) Unwrap() []error { return []error{ErrOutcomeUnknown, e.Err} }
