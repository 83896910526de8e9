// Package loop is the one loop that runs an agent: ask the model, decide its calls, run them, write the step, again.
//
// There is one body, [AgenticCore.Stream]; [AgenticCore.Run] drains it. Every model call and every tool call passes the
// governance kernel and takes its permit; a step is one durable row; a run that stops to ask ([AskUser]) or is held for an approval
// is resumed at the next step from a [Seed], in this process or another.
//
// What makes a run durable is a [Journal], which the pipeline supplies for each turn; without one a run keeps nothing.
package loop
