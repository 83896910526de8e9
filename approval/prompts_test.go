package approval_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/iris-harness/iris/approval"
)

// TestOnePromptAtATime: the person takes longer than a delivery may, and the request is brought again: they are not asked twice, and one line is one answer.
func TestOnePromptAtATime(t *testing.T) {
	t.Parallel()
	in, typed := io.Pipe()
	var out bytes.Buffer
	prompted := make(chan struct{})
	decided := make(chan approval.Answer, 2)
	ch := approval.NewTerminalChannel(in, writer(func(p []byte) (int, error) {
		n, err := out.Write(p)
		close(prompted)
		return n, err
	}), approval.Principal{ID: "u1"}, func(_ context.Context, a approval.Answer) error { decided <- a; return nil })
	first := make(chan error, 1)
	go func() { first <- ch.Notify(context.Background(), approval.Request{ID: "01A"}) }()
	<-prompted
	for _, id := range []string{"01A", "01B"} {
		if err := ch.Notify(t.Context(), approval.Request{ID: id}); err == nil {
			t.Errorf("%s: a second prompt beside the first", id)
		}
	}
	if _, err := io.WriteString(typed, "yes\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-first; err != nil {
		t.Error(err)
	}
	if a := <-decided; a.ApprovalID != "01A" || strings.Count(out.String(), "Approve?") != 1 {
		t.Errorf("decided %+v after %q", a, out.String())
	}
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
