package storetest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/session"
)

func sessionChecks() []Check {
	return []Check{
		{"session/the log", sessionLog},
		{"session/a message is processed once", turnOnce},
		{"session/a turn ends once", turnEnds},
		{"session/a void turn gives its message back", turnVoid},
		{"session/one turn for a message", turnRace},
		{"session/counts the turns of persons", turnCount},
		{"session/open turns", openTurns},
	}
}

func message(sessionID, id string) session.Message {
	return session.Message{
		ID: id, SessionID: sessionID, TurnID: "turn", Role: session.User, Agent: "planner", Sender: "ann", Channel: "web",
		Text: "häll\x00o " + id, At: start(),
	}
}

func turn(sessionID, id, messageID string) session.Turn {
	return session.Turn{
		ID: id, SessionID: sessionID, MessageID: messageID, Channel: "web", Sender: "ann", Epoch: 3, State: session.Open, StartedAt: start(),
	}
}

func openTurn(t TB, s Store, turn session.Turn) *session.Turn {
	t.Helper()
	return must[*session.Turn](t, "open turn")(s.Sessions().OpenTurn(t.Context(), turn))
}

func closeTurn(t TB, s Store, turn session.Turn, state session.TurnState) session.Turn {
	t.Helper()
	turn.State, turn.EndedAt = state, at(time.Second)
	switch state {
	case session.Answered:
		turn.Reply = []byte(`{"text": "hi", "n":12345678901234567890}`)
	default:
		turn.Error = "the model is gone"
	}
	ok(t, "close turn", s.Sessions().CloseTurn(t.Context(), turn))
	return turn
}

func sessionLog(t TB, f Factory) {
	s := f.Open(t)
	var want []session.Message
	for i := range 5 {
		m := message("s", fmt.Sprintf("m%d", i))
		m.Attachments = []llm.Attachment{{}}
		want = append(want, m)
		ok(t, "append", s.Sessions().Append(t.Context(), m))
		ok(t, "append", s.Sessions().Append(t.Context(), message("t", m.ID)))
	}
	if err := s.Sessions().Append(t.Context(), want[0]); err == nil {
		t.Errorf("a message was appended twice")
	}
	for _, test := range []struct {
		before string
		limit  int
		want   []session.Message
	}{{"", 10, want}, {"", 2, want[3:]}, {"m3", 2, want[1:3]}, {"m0", 2, nil}, {"zzz", 1, want[4:]}} {
		got := must[[]session.Message](t, "messages")(s.Sessions().Messages(t.Context(), "s", test.before, test.limit))
		same(t, fmt.Sprintf("%d messages before %q", test.limit, test.before), got, test.want)
	}
	got := must[[]session.Message](t, "messages")(s.Sessions().Messages(t.Context(), "u", "", 10))
	same(t, "an unknown session's messages", got, nil)
}

func turnOnce(t TB, f Factory) {
	s, first := f.Open(t), turn("s", "t1", "m1")
	if prior := openTurn(t, s, first); prior != nil {
		t.Errorf("the first turn found %+v", prior)
	}
	if prior := openTurn(t, s, turn("s", "t2", "m1")); prior == nil {
		t.Errorf("a redelivery began a second turn")
	} else {
		same(t, "the turn in progress", *prior, first)
	}
	first = closeTurn(t, s, first, session.Answered)
	if prior := openTurn(t, s, turn("s", "t3", "m1")); prior == nil {
		t.Errorf("a redelivery after the answer began a second turn")
	} else {
		same(t, "the answered turn", *prior, first)
	}
	got := must[*session.Turn](t, "turn")(s.Sessions().Turn(t.Context(), "s", "m1"))
	same(t, "the turn", *got, first)
	for _, other := range []session.Turn{turn("u", "t4", "m1"), turn("s", "t5", "m2"), turn("s", "t6", ""), turn("s", "t7", "")} {
		if prior := openTurn(t, s, other); prior != nil {
			t.Errorf("turn %s found %s", other.ID, prior.ID)
		}
	}
	for _, unknown := range [][2]string{{"s", "m9"}, {"x", "m1"}, {"s", ""}} {
		_, err := s.Sessions().Turn(t.Context(), unknown[0], unknown[1])
		is(t, fmt.Sprintf("turn of %q", unknown), err, session.ErrNotFound)
	}
}

func turnEnds(t TB, f Factory) {
	s := f.Open(t)
	for _, state := range []session.TurnState{session.Answered, session.Failed, session.Void} {
		opened := turn("s", string(state), "m-"+string(state))
		openTurn(t, s, opened)
		closeTurn(t, s, opened, state)
		opened.State, opened.Error = session.Failed, "again"
		is(t, "closing a turn that is "+string(state), s.Sessions().CloseTurn(t.Context(), opened), session.ErrNotFound)
	}
	unknown := turn("s", "nobody", "")
	unknown.State = session.Answered
	is(t, "closing an unknown turn", s.Sessions().CloseTurn(t.Context(), unknown), session.ErrNotFound)
	unknown.State = session.Open
	if err := s.Sessions().CloseTurn(t.Context(), unknown); err == nil {
		t.Errorf("a turn was closed as open")
	}
	failed := must[*session.Turn](t, "turn")(s.Sessions().Turn(t.Context(), "s", "m-failed"))
	same(t, "the failed turn's error", failed.Error, "the model is gone")
}

func turnVoid(t TB, f Factory) {
	s, first := f.Open(t), turn("s", "t1", "m1")
	openTurn(t, s, first)
	closeTurn(t, s, first, session.Void)
	_, err := s.Sessions().Turn(t.Context(), "s", "m1")
	is(t, "the void turn", err, session.ErrNotFound)
	if prior := openTurn(t, s, turn("s", "t2", "m1")); prior != nil {
		t.Errorf("the message of a void turn was not processed again: %+v", prior)
	}
	if prior := openTurn(t, s, turn("s", "t3", "m1")); prior == nil || prior.ID != "t2" {
		t.Errorf("the message belongs to %+v, want t2", prior)
	}
}

func turnRace(t TB, f Factory) {
	s := f.Open(t)
	handles := []Store{s}
	if f.Second != nil {
		handles = append(handles, f.Second(t, s))
	}
	errs := together(20, func(i int) error {
		prior, err := handles[i%len(handles)].Sessions().OpenTurn(t.Context(), turn("s", fmt.Sprintf("t%02d", i), "m1"))
		if err == nil && prior != nil {
			err = errors.New("another has it")
		}
		return err
	})
	winner := oneWinner(t, "a message delivered 20 times", errs)
	got := must[*session.Turn](t, "turn")(s.Sessions().Turn(t.Context(), "s", "m1"))
	same(t, "whose turn it is", got.ID, fmt.Sprintf("t%02d", winner))
}

func turnCount(t TB, f Factory) {
	s := f.Open(t)
	for i := range 6 {
		each := turn("s", fmt.Sprintf("t%d", i), "")
		each.System = i == 2
		openTurn(t, s, each)
	}
	closeTurn(t, s, turn("s", "t4", ""), session.Void) // it will be processed again
	openTurn(t, s, turn("other", "t9", ""))
	for after, want := range map[string]int{"": 4, "t0": 3, "t1": 2, "t3": 1, "t5": 0} {
		got := must[int](t, "count")(s.Sessions().CountTurns(t.Context(), "s", after))
		same(t, fmt.Sprintf("turns after %q", after), got, want)
	}
}

func openTurns(t TB, f Factory) {
	s := f.Open(t)
	for _, id := range []string{"t1", "t3", "t5"} {
		openTurn(t, s, turn("s", id, ""))
	}
	for _, id := range []string{"t2", "t4"} {
		openTurn(t, s, turn("u", id, ""))
	}
	closeTurn(t, s, turn("s", "t3", ""), session.Answered)
	for _, test := range []struct {
		sessionID string
		limit     int
		want      string
	}{{"", 10, "t1 t2 t4 t5"}, {"s", 10, "t1 t5"}, {"", 3, "t1 t2 t4"}, {"x", 10, ""}} {
		var ids []string
		for _, each := range must[[]session.Turn](t, "open turns")(s.Sessions().OpenTurns(t.Context(), test.sessionID, test.limit)) {
			ids = append(ids, each.ID)
		}
		same(t, fmt.Sprintf("at most %d of %q", test.limit, test.sessionID), strings.Join(ids, " "), test.want)
	}
}
