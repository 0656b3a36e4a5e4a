// Package gotrace reads execution traces of Go programs, as written by runtime/trace, go test
// -trace and flight recorders.
//
// # Definitions
//
// A goroutine is a process. Its name is its initial function, without the directories of the
// package, and its id, such as main.worker#18, or goroutine#18 if the trace lacks the function.
// Processes are in the order of their first events. Goroutines of the runtime, and those of package
// runtime/trace that write the trace, are omitted if they have no logs, regions or tasks, and so
// are goroutines without events.
//
// The events of a goroutine are those that carry causality or values:
//
//	starts              it runs for the first time
//	go main.worker#18   it creates a goroutine
//	blocks: reason      it waits, for a channel, a lock, the network, …
//	continues           it runs again after that
//	unblocks f#7        it lets another one continue
//	log, region, task   what the program says with runtime/trace
//	ends                it is over
//
// Scheduling, preemption, system calls, garbage collection, profiles and metrics are not events,
// and neither are waits that the runtime imposes for its own purposes: for the collector, or by
// preemption. A goroutine older than the trace, like all in the snapshot of a flight recorder, does
// not start in it, and a block before the trace is not an event.
//
// # Causality
//
// In addition to the order of each goroutine:
//
//   - The go of a goroutine comes before its start.
//   - A goroutine blocks before another one unblocks it, and is unblocked before it
//     continues. Timers and the network unblock without an edge, because no goroutine
//     does that; so does closing a connection, which looks the same in the trace.
//   - The begin of a task comes before its end and all logs, regions and tasks in it,
//     because they need its context.
//
// So an unbuffered channel orders everything before a send before everything after its receive,
// because one of the two waits for the other. But an operation that does not block leaves nothing
// in the trace: a send into a buffer with room, locking a free lock, an atomic operation.
// Goroutines that compete for a lock or a channel are ordered as they came; other orders are not
// considered. The computation records that its causality is a lower bound, so it may have
// consistent cuts that the program could not reach.
//
// # Variables
//
// trace.Log(ctx, "x", "1") assigns 1 to the variable x of its goroutine. A value is a number in the
// grammar of JSON, true or false, or else a string. If a name has values of different types
// anywhere in the trace, it is a string variable on all goroutines. A log without a category is an
// event with a label. The variable region of a goroutine is the type of its innermost region, and
// task is the type of the last open task that it began; each is "" if there is none. A program that
// logs in a category called region or task assigns the same variables. Bytes that are not UTF-8
// become U+FFFD.
//
// # Times and versions
//
// The time of an event is wall-clock time if the trace has it (since Go 1.25), and otherwise the
// number of seconds since the trace began. Read supports traces of Go 1.22 and later, up to the
// version that golang.org/x/exp/trace supports (now Go 1.26), and refuses older ones. With
// AllowTruncated, a trace that was cut off is read up to its last complete generation; a program
// writes about one per second. A generation is held in memory as a whole, and so is the
// computation: about 80 bytes per event in all.
//
// The library expects well-formed traces. If it panics on another one, Read recovers and returns an
// error.
package gotrace
