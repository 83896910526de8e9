package pipeline

import (
	"errors"
	"fmt"

	"github.com/iris-harness/iris/checkpoint"
)

var (
	// ErrInvalid is wrapped for a request that may not be; nothing was written.
	ErrInvalid = errors.New("iris: invalid request")
	// ErrBlank is returned for a message without text, attachments or a press. It answers nothing; a question that waits goes on waiting.
	ErrBlank = errors.New("iris: a blank message")
	// ErrBusy is returned where the caller's context ended while the session's turn before was still running.
	ErrBusy = errors.New("iris: the session is busy")
	// ErrClosed is returned by a harness that was closed.
	ErrClosed = errors.New("iris: closed")
	// ErrReentrant is returned for a turn of a session from inside a run of the same session.
	ErrReentrant = errors.New("iris: a turn of a session from inside its own run")
	// ErrNotAnAnswer is returned where AnswerTo names a question that waits, and the words are no answer to it.
	ErrNotAnAnswer = errors.New("iris: the words are no answer to that question")
	// ErrNoSuchOption is returned for a press of an option that the question does not have.
	ErrNoSuchOption = errors.New("iris: the question has no such option")
	// ErrNotAllowed is returned for a press by somebody the question was not put to.
	ErrNotAllowed = errors.New("iris: the question was put to somebody else")
	// ErrCannotResume is wrapped where a run cannot be taken up; the error says why.
	ErrCannotResume = errors.New("iris: the run cannot be resumed")
	// ErrFailedBefore is wrapped for a redelivered message whose turn failed after something had happened.
	ErrFailedBefore = errors.New("iris: this message was processed before, and failed")
	// ErrNotFound is returned for a session, run or continuation that is not there.
	ErrNotFound = errors.New("iris: not found")
)

// TurnError says that a turn failed. Text is an honest sentence for the person; Err is the cause.
type TurnError struct {
	SessionID string
	TurnID    string
	RunID     string
	Reason    checkpoint.Reason
	Text      string
	// Happened says that something had been done before it failed, so that the message is not simply processed again.
	Happened bool
	Err      error
}

func (e *TurnError) Error() string {
	return fmt.Sprintf("iris: turn %s of session %s failed: %v", e.TurnID, e.SessionID, e.Err)
}

// Unwrap returns the cause.
func (e *TurnError) Unwrap() error { return e.Err }
