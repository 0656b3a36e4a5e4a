// Package pota decides formulas on a trace for Go programs: one call does what the command
// pota detect does.
//
// # Definitions
//
// A trace is a file, a directory with a log for each process, or "-" for standard input, in
// any format that the command reads. It has one or more executions. A formula is a CTL formula
// (package rctl/syntax), decided over every consistent cut of an execution: each global state
// on some path that causality allows.
//
// A witness shows a verdict. It is a run of events from one cut to another, with the changes of
// each event to the variables in the formula, the values at the cut, and the processes that the
// quantified names stand for. Witnesses of subformulas begin where it ends.
//
//	results, err := pota.Check(ctx, "run.jsonl", "mutex: AG(forall i != j having cs: !(cs@i && cs@j))")
//
// The packages that it is built on do the same step by step: graphs/trace/format reads,
// rctl/syntax parses, rctl decides, rctl/explain explains, rctl/vacuity points out what a verdict
// does not say, and rctl/pattern has properties to start from. rctl/potatest is for tests.
package pota
