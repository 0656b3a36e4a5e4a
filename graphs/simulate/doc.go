// Package simulate runs distributed protocols on a simulated network and records
// their runs as traces.
//
// A Model is a protocol with the properties that every run of it has, and with faults. Each fault
// breaks one of the properties. Run executes it once. What happens depends on the configuration
// alone, to the byte: all chance comes from the seed. A Program is all runs of a model, by the same
// code, for engines that decide formulas on all executions.
//
// # The world
//
// The processes of a run share a world. It keeps an agenda of future events with their times.
// Nobody but the world knows the time. A message arrives after a random delay, so that messages
// overtake each other, except where the protocol asks for channels that are first in, first out. It
// may be lost where the protocol copes with that. Programs with shared variables run as coroutines
// that give way to others before each access.
//
// Each access to a shared variable is an event, ordered after all earlier conflicting accesses: a
// read after the write that it sees, a write after the write and the reads before it. So every
// order of events that the trace allows is an execution of the same program. A process that waits
// for a value of a variable is recorded when it has seen the value, not while it looks.
//
// # The end
//
// A run has about as many events as asked for. It ends quiescent: no process starts anything new
// once the work that was begun is expected to use up the events, all that was begun is finished,
// and only lost messages are on their way. Only so can something hold that has to happen
// eventually, because a run ends where its trace does. Under a fault a run may end in a deadlock.
//
// The memory of a run depends on the number of processes and of messages on their
// way, not on the number of events.
package simulate
