package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/iris-harness/iris"
)

// invite is what a yes sends: times travel as text, and are read again where it runs.
type invite struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Start  string   `json:"start"` // RFC 3339
	Length string   `json:"length"`
	Guests []string `json:"guests"`
}

// calendar writes invitations into a folder, as .ics files.
type calendar struct{ folder string }

var _ iris.ConfirmationExecutor = (*calendar)(nil)

// Kind says what the calendar executes.
func (c *calendar) Kind() string { return "calendar.invite" }

// Execute writes the invitation. One that it cannot make sense of is an error, and nothing is written.
func (c *calendar) Execute(_ context.Context, payload json.RawMessage) (string, error) {
	var in invite
	if err := json.Unmarshal(payload, &in); err != nil {
		return "", err
	}
	start, err1 := time.Parse(time.RFC3339, in.Start)
	length, err2 := time.ParseDuration(in.Length)
	if err := errors.Join(err1, err2); err != nil {
		return "", fmt.Errorf("the invitation cannot be read, and was not sent: %w", err)
	}
	if len(in.Guests) == 0 || in.ID == "" || in.ID != filepath.Base(in.ID) {
		return "", errors.New("the invitation names no guests or has no id, and was not sent")
	}
	path := filepath.Join(c.folder, in.ID+".ics")
	if err := os.WriteFile(path, []byte(render(in, start, length)), 0o600); err != nil {
		return "", err
	}
	return fmt.Sprintf("Invited %s to %q: %s.ics.", strings.Join(in.Guests, " and "), in.Title, in.ID), nil
}

// render is the invitation as calendars read it.
func render(in invite, start time.Time, length time.Duration) string {
	cal := ics.NewCalendar()
	cal.SetMethod(ics.MethodRequest)
	event := cal.AddEvent(in.ID)
	event.SetDtStampTime(start)
	event.SetStartAt(start)
	event.SetEndAt(start.Add(length))
	event.SetSummary(in.Title)
	for _, guest := range in.Guests {
		event.AddAttendee(guest, ics.ParticipationStatusNeedsAction, ics.WithRSVP(true))
	}
	return cal.Serialize()
}
