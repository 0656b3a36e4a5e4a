// Package spin reads what the model checker SPIN prints when it simulates a model,
//
//	spin -n1 -p -g -l -r -s model.pml
//
// as a computation: the instrumentation of Promela programs in POTA (Sen and Garg, Partial Order
// Trace Analyzer for Distributed Programs, RV 2003). Like any recorded execution, it stands for all
// executions with the same statements in an order that causality allows.
//
// # Events
//
// A process is proctype:pid, such as user:1, or init:0. If its pid and type are those of an earlier
// process that has ended, it is user:1#2. Each statement that SPIN prints is an event, labeled with
// the statement and its place. The steps of never claims are not events.
//
// # Causality
//
// In addition to the order of each process:
//
//   - The k-th message sent on a queue is received by the k-th receive; if ?? or !!
//     change the order, by the first receive that prints the same message. A
//     rendezvous is two events that happen together.
//   - Two events that access a global variable are ordered as they happened if one of
//     them assigns it. An element of an array is a variable if the index can be
//     computed from known values; otherwise, all elements are accessed.
//   - A look at a queue (len, full, nempty, x?[…], x?<…>, …) is ordered with its sends
//     and receives.
//   - The first event of a process comes after the run that created it.
//
// Some statements depend on information that SPIN does not print. They are ordered more than
// necessary, rather than less: else comes after all assignments, sends and receives before it, and
// before all later ones. The following are ordered with every other event: timeout; remote
// references; _nr_pr, _last, enabled and pc_value; C code; and the last statement of a d_step, the
// only one that is printed, which is recognized by the gap in the step numbers. Two dependencies
// are not visible: that a sender waits for a full channel, because the capacity is not printed, and
// that a process waits for another to end.
//
// # Variables
//
// SPIN prints globals and locals that have changed; with -w, it also prints all of them after each
// step. Globals are shared variables, and locals belong to their process. a[1] is named a.1, so
// that formulas can refer to it, and a field is r.f. Values are numbers, or strings (mtype); a
// boolean is 0 or 1. A variable is 0 until SPIN prints it. If its first value appears with an event
// that does not assign it, that is its initial value. So declarations such as byte x = 5 require
// -w, to show x before it is assigned. SPIN does not print hidden variables or, without -w, global
// structures: accesses to a structure that is not printed are ordered by its name.
//
// Everything else, such as the output of printf, is skipped, and so is everything after
// "#processes", a summary of the end. Truncated output is a shorter execution. Without -r and -s,
// messages could not be matched, so such output is refused.
package spin
