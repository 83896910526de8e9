package iris_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/sqlite"
)

var kills = flag.Int("kills", 20, "how often TestKilledProcesses kills its child")

// childEnv names the directory that a child process works in.
const childEnv = "IRIS_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// worker is a model that has an effect, asks, has another effect, and answers.
func worker(_ context.Context, req *llm.Request) (llm.Message, error) {
	last := req.Messages[len(req.Messages)-1]
	asked := false
	for _, m := range req.Messages {
		for _, c := range m.Calls {
			asked = asked || c.Name == "ask_user"
		}
	}
	switch {
	case last.Role == llm.User && strings.Contains(last.Text, "propose"):
		return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "propose", nil)}}, nil
	case last.Role == llm.User:
		return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "write", `{"text":"a"}`)}}, nil
	case strings.Contains(last.Text, "Go on?"):
		return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "write", `{"text":"b"}`)}}, nil
	case asked || last.Text == "proposed":
		return llm.Message{Text: "Done."}, nil
	}
	return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "ask_user", `{"question":"Go on?"}`)}}, nil
}

// workplace is the directory of one file and of the effects that were had on it.
type workplace struct{ dir string }

func (w workplace) open(ctx context.Context) (*iris.Harness, *sqlite.Store, error) {
	store, err := sqlite.Open(ctx, filepath.Join(w.dir, "iris.db"))
	if err != nil {
		return nil, nil, err
	}
	write := iris.NewTool(iris.ToolSpec{Name: "write", Description: "has an effect"}, func(ctx context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return "written", w.happened("tool " + iris.CallKey(ctx))
	})
	var n atomic.Int64
	n.Store(rand.Int64())
	propose := iris.NewTool(iris.ToolSpec{Name: "propose", Description: "asks", Effect: iris.ReadOnly}, func(ctx context.Context, _ struct{}) (string, error) {
		return "proposed", iris.Confirm(ctx, "act", n.Add(1), "Shall I act?")
	})
	h, err := iris.New(iris.Config{
		Store: store, LLM: llm.Func(worker), Tools: []iris.Tool{write, propose}, Executors: []iris.ConfirmationExecutor{acting{w}},
		LeaseTTL: 200 * time.Millisecond, Approvals: iris.ApprovalConfig{Stderr: io.Discard},
	})
	return h, store, err
}

// happened writes an effect down, durably, before anybody hears of it.
func (w workplace) happened(what string) error {
	f, err := os.OpenFile(filepath.Join(w.dir, "effects"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, what)
	return errors.Join(err, f.Close())
}

// effects returns how often each effect was had.
func (w workplace) effects(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	f, err := os.Open(filepath.Join(w.dir, "effects"))
	if errors.Is(err, os.ErrNotExist) {
		return out
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		out[lines.Text()]++
	}
	return out
}

// acting is the executor of what is proposed.
type acting struct{ w workplace }

func (acting) Kind() string { return "act" }

func (a acting) Execute(_ context.Context, payload json.RawMessage) (string, error) {
	return "Acted.", a.w.happened("act " + string(payload))
}

// child takes turns in three sessions, until it is killed, or for some rounds.
func child(dir string) error {
	ctx := context.Background()
	h, store, err := workplace{dir}.open(ctx)
	if err != nil {
		return err
	}
	if _, err := h.Recover(ctx); err != nil {
		return err
	}
	fmt.Println("ready")
	var all sync.WaitGroup
	rounds := 1 << 20
	if os.Getenv("IRIS_TEST_ROUNDS") != "" {
		rounds = 10
	}
	for s := range 3 {
		all.Go(func() {
			for range rounds {
				for _, text := range []string{"do it", "yes", "propose something", "yes"} {
					// An error is a turn that another process was at: the conversation goes on.
					_, _ = h.Turn(ctx, iris.TurnRequest{SessionID: fmt.Sprint("s", s), Message: text})
				}
				if _, err := h.Recover(ctx); err != nil {
					fmt.Fprintln(os.Stderr, "recover:", err)
				}
			}
		})
	}
	all.Wait()
	return store.Close()
}

func startChild(t *testing.T, dir string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), childEnv+"="+dir), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		_ = cmd.Process.Kill()
		t.Fatalf("child: %q (%v)", line, err)
	}
	return cmd
}

// TestKilledProcesses kills a process at random moments of its turns, and looks at what is left each time.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: it starts processes")
	}
	w := workplace{t.TempDir()}
	recovered := 0
	for range *kills {
		cmd := startChild(t, w.dir)
		time.Sleep(time.Duration(rand.IntN(80)) * time.Millisecond) // the moment of the kill is what the test varies
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		recovered += w.check(t)
	}
	t.Logf("%d kills, %d turns recovered, %d effects", *kills, recovered, len(w.effects(t)))
}

// check recovers what a dead process left and says what does not hold.
func (w workplace) check(t *testing.T) (recovered int) {
	t.Helper()
	h, store, err := w.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	done, err := h.RecoverAlone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range iristest.Broken(h, store, time.Now()) {
		t.Error(b)
	}
	for what, n := range w.effects(t) {
		if n > 1 {
			t.Errorf("%s happened %d times", what, n)
		}
	}
	return len(done)
}

// TestTwoProcesses lets two live processes take turns in the same sessions of one file, and recover all the while.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: it starts processes")
	}
	w := workplace{t.TempDir()}
	a, b := startChild(t, w.dir, "IRIS_TEST_ROUNDS=1"), startChild(t, w.dir, "IRIS_TEST_ROUNDS=1")
	for _, cmd := range []*exec.Cmd{a, b} {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if n := w.check(t); n > 0 {
		t.Errorf("%d turns were left open by processes that ended well", n)
	}
	if n := len(w.effects(t)); n < 20 {
		t.Errorf("only %d effects: the processes did not work", n)
	}
}
