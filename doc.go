// Package iris gives an assistant that acts on the world one rule: every question that it puts to a person has exactly one owner, the answer
// reaches that owner, at most once, after any crash; and a run that governance stopped really waits for a person.
//
// The smallest complete use: a store, a model, one tool, a question and its answer. There is no id but the session's.
//
//	type file struct{ Path string }
//	store, err := sqlite.Open(ctx, path)
//	if err != nil {
//		return err
//	}
//	remove := iris.NewTool(iris.ToolSpec{Name: "remove", Description: "remove a file"}, func(_ context.Context, f file) (string, error) {
//		return "removed", os.Remove(f.Path)
//	})
//	h, err := iris.New(iris.Config{Store: store, LLM: model, Tools: []iris.Tool{remove}})
//	if err != nil {
//		return err
//	}
//	asked, err1 := h.Turn(ctx, iris.TurnRequest{SessionID: "web-1", Message: "tidy my downloads"})
//	fmt.Println(asked.Text)
//	done, err2 := h.Turn(ctx, iris.TurnRequest{SessionID: "web-1", Message: "yes go ahead"})
//	fmt.Println(done.Text)
//	return errors.Join(err1, err2, store.Close())
//
// # Reading on
//
// A message comes in with [Harness.Turn], or with [Harness.Stream] where the events are wanted. What it may be the answer to is decided by
// package pipeline, by a table; who asked what is kept by package continuation; the one loop that runs agents is in package loop; nothing
// reaches a model, a tool or an executor but through package governance. docs/ARCHITECTURE.md is the tour, docs/SPEC.md says which test
// shows which decision.
//
// What a question is:
//
//   - A model asks with the ask_user action: its run stops, durably, and the reply resumes it at the next step ([Harness.Turn] does that).
//   - A tool asks with [Ask], or with [Confirm] where a plain yes is to run a stored action ([ConfirmationExecutor]).
//   - An answer that ends on a question opens one, too, for one turn.
//   - A run that governance held waits for an approval: [Harness.Approvals].
//
// Call [Harness.Run] in a goroutine, or [Harness.Tick] from a scheduler, for what happens outside of turns: lapses, deliveries, recovery. Nothing runs
// in the background otherwise.
package iris
