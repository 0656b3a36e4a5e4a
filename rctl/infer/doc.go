// Package infer finds properties in runs: what good runs keep and a bad one breaks, what good runs
// kept by luck alone, and what held.
//
// # Definitions
//
// A run is a computation, good or bad, with the order of its events as the log has it, if that is
// known. A template is a form of properties, such as "no two processes are in a state at once". A
// candidate is a template about states, numbers or events of the good runs. It holds on a run if it
// holds over all cuts and runs of its computation, as everywhere in pota, and in the logged order
// if it holds on the computation that has this order alone.
//
//	breaks  holds on all good runs, and fails on some bad one
//	luck    holds in the logged order of all good runs, and fails on some good run
//	held    holds on all good runs, and on the bad ones
//
// For example, let two clients lease a lock, one after the other as the clock would have it, and no
// message tell the second that the first has let go. The log shows them apart, and "no two
// processes hold at once" is luck: the second may begin before the first ends.
//
// A class is the processes with the same variable. A literal is a condition on one variable of a
// process: a Boolean, x == value, x != value, or x > 0. A slot of a template is filled with a
// literal, or with a variable whose values are compared. A chain is the history of a process, cut
// into segments where no literal changes. An interval of a literal is a longest piece of a chain
// with it. A sort is a condition on single events; where they have ids, the events of one id are
// an episode.
//
// # How candidates are found
//
//	classes.go    variables, their classes, and which are ids and fields of events
//	atoms.go      literals, and the chains of a computation
//	facts.go      what a run says of all pairs of literals at once
//	templates.go  templates about states, as texts with places for literals, and those of users
//	numbers.go    templates about values: terms, bounds, names of processes
//	equations.go  sums that no event changes, by package nullspace
//	events.go     templates about events, by key
//	rank.go       which lines come first, and which follow from another
//	decide.go     the decision of each line
//
// Facts cost a few passes over a run, and answer for each pair of literals in constant or short
// time: which literals meet on two chains is one sweep over intervals, as in package intervals
// below rctl/internal. So all pairs are looked at. Candidates about one literal, about numbers, or
// about two classes are fewer, and are decided as the command detect decides them: an engine
// mostly takes less than a millisecond for one of these. What is left is ranked, folded and
// decided again until the lists are full. A wrong fact can hide a line, but never print one.
//
// The time complexity of Infer is O(n·(|V|+|edges|) + n·s·k) for each run with n processes, k
// literals and s segments, and O(k²·n) for the candidates that facts know of, beside the decisions.
// A run takes O(n·|V|) memory.
//
// Anchors: Ernst and others, Dynamically Discovering Likely Program Invariants (Daikon, 2001);
// Beschastnikh and others, Mining Temporal Invariants from Partially Ordered Logs (Synoptic,
// 2011); Lemieux and others, General LTL Specification Mining (Texada, 2015). None of these
// looks at all consistent cuts.
package infer
