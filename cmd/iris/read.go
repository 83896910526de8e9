package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/iris-harness/iris/continuation"
)

// readCommand shows how a reply is read, or how well a corpus of replies is.
func readCommand() command {
	return command{
		name:    "read",
		usage:   `[--question Q] [--options "a|b"] REPLY | --corpus FILE [--json]`,
		summary: "how a reply is read, and why",
		run:     runRead,
	}
}

// readFlags are the flags of the read command.
type readFlags struct {
	question string
	options  options
	corpus   string
	json     bool
}

// options collects --options: several times, or once with "|" between.
type options []string

func (o *options) String() string { return strings.Join(*o, "|") }

func (o *options) Set(s string) error {
	for part := range strings.SplitSeq(s, "|") {
		if part = strings.TrimSpace(part); part != "" {
			*o = append(*o, part)
		}
	}
	return nil
}

func runRead(_ context.Context, args []string, stdout, stderr io.Writer) int {
	var f readFlags
	fs := flag.NewFlagSet("iris read", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&f.question, "question", "", "the question that the reply answers")
	fs.Var(&f.options, "options", `the options on screen: "a|b|c", or once for each`)
	fs.StringVar(&f.corpus, "corpus", "", "a file of labelled replies, one JSON object on each line")
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
	if err := fs.Parse(args); err != nil {
		if err == flag.ErrHelp {
			return exitOK
		}
		return exitUsage
	}
	if f.corpus != "" {
		return runCorpus(f, stdout, stderr)
	}
	if fs.NArg() == 0 {
		fs.Usage()
		return exitUsage
	}
	return runReply(f, strings.Join(fs.Args(), " "), stdout, stderr)
}

// A readResult is what the command says of one reply.
type readResult struct {
	Verdict string `json:"verdict"`
	Strong  bool   `json:"strong"`
	Reason  string `json:"reason"`
	Pick    int    `json:"pick,omitempty"` // 1-based; 0 is none
	Option  string `json:"option,omitempty"`
	More    string `json:"more,omitempty"`
}

// runReply prints the reading of one reply.
func runReply(f readFlags, reply string, stdout, stderr io.Writer) int {
	r := continuation.ReadDecision(f.question, reply)
	res := readResult{Verdict: r.Verdict.String(), Strong: r.Strong, Reason: r.Reason}
	if p, ok := continuation.ReadChoice(f.options, reply); ok {
		res.Pick, res.Option, res.More = p.Index+1, f.options[p.Index], p.More
	}
	if f.json {
		return printJSON(res, stdout, stderr)
	}
	fmt.Fprintf(stdout, "decision: %s\nreason:   %s\n", res.Verdict, res.Reason)
	if len(f.options) == 0 {
		return exitOK
	}
	if res.Pick == 0 {
		fmt.Fprintln(stdout, "pick:     none")
		return exitOK
	}
	fmt.Fprintf(stdout, "pick:     %d, %s\n", res.Pick, res.Option)
	if res.More != "" {
		fmt.Fprintf(stdout, "more:     %s\n", res.More)
	}
	return exitOK
}

// printJSON prints v on one line.
func printJSON(v any, stdout, stderr io.Writer) int {
	if err := json.NewEncoder(stdout).Encode(v); err != nil {
		fmt.Fprintln(stderr, "iris read:", err)
		return exitFail
	}
	return exitOK
}

// runCorpus prints the figures for a corpus.
func runCorpus(f readFlags, stdout, stderr io.Writer) int {
	file, err := os.Open(f.corpus)
	if err != nil {
		fmt.Fprintln(stderr, "iris read:", err)
		return exitFail
	}
	defer file.Close()
	figures, err := measure(file)
	if err != nil {
		fmt.Fprintf(stderr, "iris read: %s: %v\n", f.corpus, err)
		return exitFail
	}
	if f.json {
		return printJSON(figures, stdout, stderr)
	}
	if err := printTable(stdout, figures); err != nil {
		fmt.Fprintln(stderr, "iris read:", err)
		return exitFail
	}
	return exitOK
}
