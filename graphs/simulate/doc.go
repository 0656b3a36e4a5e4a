// Package simulate runs distributed protocols on a simulated network and records
// their runs as traces.
//
// A Model is a protocol with the properties that hold on all of its runs, and with faults. Each fault
// breaks one of the properties. Run executes the model once. The trace depends only on the
// configuration, to the byte: all randomness comes from the seed. A Program represents all runs of a
// model, by the same code, for engines that decide formulas on all executions.
//
// # The world
//
// The processes of a run share a world. It keeps an agenda of future events with their times.
// Only the world knows the time. A message arrives after a random delay, so messages overtake each
// other, unless the protocol requires FIFO channels. It may be lost if the protocol tolerates that.
// Programs with shared variables run as coroutines that yield to others before each access.
//
// Each access to a shared variable is an event, ordered after all earlier conflicting accesses: a
// read after the write that it sees, a write after the write and the reads before it. So every
// order of events that the trace allows is an execution of the same program. If a process waits
// for a value of a variable, an event is recorded when it has seen the value, not while it polls.
//
// # The end
//
// A run has about as many events as requested. It ends quiescent: no process starts new work once
// the work in progress is expected to use up the events, all work in progress is finished, and only
// lost messages are in transit. Otherwise liveness properties could not hold, because a run ends
// where its trace ends. Under a fault a run may end in a deadlock.
//
// The memory of a run depends on the number of processes and of messages in transit, not on the
// number of events.
package simulate
