package iris

// HasRuntime reports whether this harness takes turns and runs up; one of [NewOperator] does not.
func (h *Harness) HasRuntime() bool { return !h.c.operator }
