package iris

import "time"

// ApprovalConfig configures the approval queue.
type ApprovalConfig struct {
	Timeout     time.Duration // how long a request waits; 10 minutes where zero
	Destructive time.Duration // the same for destructive calls; 60 minutes where zero
	// OnReject says what a rejection does: EndRun (default) or ReportToModel.
	OnReject OnReject
	// NoChat keeps the conversation itself from deciding the approvals of its own runs.
	NoChat bool
}

// OnReject says what a rejection does to the run.
type OnReject uint8

// What a rejection can do.
const (
	EndRun        OnReject = iota // the run ends, and the person is told so
	ReportToModel                 // the step is closed as rejected, and the run goes on without it
)
