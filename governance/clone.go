package governance

import (
	"bytes"
	"slices"

	"github.com/iris-harness/iris/llm"
)

// lend returns the copy of s that a hook gets.
func (s *Subject) lend() Subject {
	c := *s
	c.lent = true
	c.Call = cloneCall(s.Call)
	c.Result = bytes.Clone(s.Result)
	c.ToolErr = cloneToolErr(s.ToolErr)
	if s.Step != nil {
		v := StepView{Reply: cloneMessage(s.Step.Reply), Results: slices.Clone(s.Step.Results), Run: s.Step.Run}
		for i := range v.Results {
			r := &v.Results[i]
			r.Call, r.Result, r.Err = cloneCall(r.Call), bytes.Clone(r.Result), cloneToolErr(r.Err)
		}
		c.Step = &v
	}
	return c
}

func cloneCall(c llm.Call) llm.Call {
	c.Args = bytes.Clone(c.Args)
	return c
}

func cloneToolErr(e *ToolError) *ToolError {
	if e == nil {
		return nil
	}
	c := *e
	return &c
}

func cloneMessage(m llm.Message) llm.Message {
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i] = cloneCall(m.Calls[i])
	}
	m.Attachments = slices.Clone(m.Attachments)
	m.ProviderData = bytes.Clone(m.ProviderData)
	return m
}

func cloneRequest(r *llm.Request) *llm.Request {
	if r == nil {
		return nil
	}
	c := llm.Request{Messages: slices.Clone(r.Messages), Tools: slices.Clone(r.Tools)}
	for i := range c.Messages {
		c.Messages[i] = cloneMessage(c.Messages[i])
	}
	for i := range c.Tools {
		c.Tools[i].Schema = bytes.Clone(c.Tools[i].Schema)
	}
	return &c
}
