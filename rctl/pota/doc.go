// Package pota decides formulas on a trace, for Go programs: what the command
// pota detect does, as one call.
//
// # Definitions
//
// A trace is a file, a directory with a log for each process, or "-" for standard input, in
// any format that the command reads. It has one execution, or several. A formula is one of CTL
// (package rctl/syntax), decided over every consistent cut of an execution: each global state
// on some path that causality allows.
//
// A witness is what shows a verdict: a run of events from one cut to another, with what each
// event does to the variables that the formula mentions, the values at the cut, and the
// processes that the quantified names stand for. Witnesses of its subformulas begin at its
// end.
//
//	results, err := pota.Check(ctx, "run.jsonl", "mutex: AG(forall i != j having cs: !(cs@i && cs@j))")
//
// The packages below it do the same in steps: graphs/trace/format reads, rctl/syntax
// parses, rctl decides, rctl/explain explains, rctl/vacuity tells what a verdict does not
// say, rctl/pattern has properties to start from. rctl/potatest is for tests.
package pota
