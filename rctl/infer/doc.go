// Package infer finds properties in runs: properties that good runs satisfy and a bad one violates,
// properties that good runs satisfied only by luck, and properties that held.
//
// # Definitions
//
// A run is a computation, good or bad, with the logged order of its events, if that is known. A
// template is a form of properties, such as "no two processes are in a state at once". A candidate
// is a template about states, numbers or events of the good runs. It holds on a run if it holds
// over all cuts and runs of the computation, as everywhere in pota. It holds in the logged order if
// it holds on the computation with only this order.
//
//	breaks  holds on all good runs, and fails on some bad one
//	luck    holds in the logged order of all good runs, and fails on some good run
//	held    holds on all good runs, and on the bad ones
//
// For example, let two clients lease a lock, one after the other by the clock, and let no message
// inform the second that the first has released it. In the log they do not overlap, but "no two
// processes hold at once" is luck: the second may begin before the first ends.
//
// A class is the processes with the same variable. A literal is a condition on one variable of a
// process: a Boolean, x == value, x != value, or x > 0. A slot of a template is filled with a
// literal, or with a variable whose values are compared. A chain is the history of a process, cut
// into segments without a change of a literal. An interval of a literal is a maximal part of a chain
// in which it is true. A sort is a condition on single events. If events have ids, the events of one
// id are an episode.
//
// # How candidates are found
//
//	classes.go    variables, their classes, and which are ids and fields of events
//	atoms.go      literals, and the chains of a computation
//	facts.go      the facts of a run about all pairs of literals at once
//	templates.go  templates about states, as texts with places for literals, and those of users
//	numbers.go    templates about values: terms, bounds, names of processes
//	equations.go  sums that no event changes, by package nullspace
//	events.go     templates about events, by key
//	rank.go       the order of lines, and consequences of a line
//	decide.go     the decision of each line
//
// Facts cost a few passes over a run, and decide a candidate about a pair of literals in constant or
// short time: one sweep over intervals finds the literals that can be true at once on two chains, as
// in rctl/internal/intervals. Hence all pairs are tried. Candidates about one literal, about
// numbers, or about two classes are fewer, and are decided by engines, as in the command detect,
// mostly in less than a millisecond each. The remaining candidates are ranked, folded and decided
// again until the lists are full. A wrong fact can hide a line, but cannot make a wrong line appear.
//
// The time complexity of Infer is O(n·(|V|+|edges|) + n·s·k) for each run with n processes, k
// literals and s segments, plus O(k²·n) for the candidates that facts decide, plus the decisions of
// engines. A run takes O(n·|V|) memory.
//
// Related work: Ernst and others, Dynamically Discovering Likely Program Invariants (Daikon, 2001);
// Beschastnikh and others, Mining Temporal Invariants from Partially Ordered Logs (Synoptic,
// 2011); Lemieux and others, General LTL Specification Mining (Texada, 2015). None of these
// considers all consistent cuts.
package infer
