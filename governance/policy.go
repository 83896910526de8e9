package governance

// DefaultPolicy is the last hook at PreTool: ReadOnly and Write run, Destructive requires an approval for each call.
func DefaultPolicy() Hook {
	return Hook{Name: "default_policy", At: PreTool, Priority: LastPriority, pure: defaultPolicy}
}

func defaultPolicy(s *Subject) Decision {
	if s.Effect == Destructive {
		return RequireApproval("a destructive action needs a person's approval")
	}
	return Allow()
}
