// Package plugin lets an application be put together from parts. A [Plugin] is a value in a slice: there is no loading and no manifest.
//
// A plugin registers intercepts, tools, agents, heartbeats, channels and confirmation executors, and reaches nothing but the typed seams of
// [Services]. Its faults cost its own contribution only: a [Host] records them and goes on.
package plugin
