// Package iristest is the kit for testing an application of iris: a scripted model, a clock that is set by hand, a store in memory (so that
// the kit needs no cgo), a harness in one line, and conversation scripts.
//
//	h := iristest.New(t, iristest.Model().Answer("hello"))
//	h.Say("hi")
package iristest
