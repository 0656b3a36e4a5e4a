// Package record writes the trace of a running Go program, for pota to analyze: no matter in which
// order events happened to occur, pota decides what holds over all orders that the program's
// causality allows.
//
// # Instrument your program in five minutes
//
// One: make a recorder, and a process for whatever executes its events sequentially: a goroutine, a
// service, a node. Give variables their initial values.
//
//	r, err := record.Create("trace.jsonl")
//	...
//	defer r.Close()
//	client := r.Process("client", record.Set("paid", false))
//	server := r.Process("server", record.Set("sold", 0))
//
// Two: where the state that you care about changes, record an event.
//
//	server.Event(record.Set("sold", sold))
//
// Three: where a process sends, record the send and let the Token travel with the message; where
// the message arrives, record the receive. A Token is short text that fits in any header, struct
// field, or bytes.
//
//	request.Header.Set(record.Header, string(client.Send("server")))
//
//	server.Receive(record.Token(request.Header.Get(record.Header)), record.Set("sold", sold))
//
// Four: run the program, close the recorder (Close returns the first error of any earlier call),
// and ask.
//
//	pota detect 'AG(paid@client -> sold@server > 0)' trace.jsonl
//
// The Example of this package is such a program in full.
//
// If processes are in several operating system processes or on several machines, each of these has
// a recorder with a file of its own. Collect the files in a directory: that is the trace.
//
//	pota detect 'AG(paid@client -> sold@server > 0)' logs/
//
// A process belongs to one recorder. A process that restarts is a new one: give it another name,
// such as node1-2 for the second life of node1, and another file. To switch recording off, leave
// the *Recorder nil: everything works and records nothing.
//
// # What orders events
//
// pota considers every order of events that respects causality, so causality that is not recorded
// allows orders that could not have happened: an EF that holds may then be spurious, while an AG
// that holds is right. In addition to messages, events are ordered by
//
//   - the order of one process, in which its events are recorded;
//   - Mutex, a lock whose critical sections are ordered;
//   - Chan, a channel, and Barrier, where processes wait for each other;
//   - Variable, a variable that several processes read and write;
//   - After, for all other causality: information read from a file, or the start of a
//     goroutine, whose first event is After the event that started it;
//   - Sync, for events that happen together.
//
// A variable belongs to the process that sets it. One that several processes set is shared; the
// format requires that all its assignments are ordered: Variable ensures that, and Shared leaves it
// to the program, by any of the above.
//
// Critical sections of a Mutex and accesses of a Variable are ordered as they happened. pota does
// not consider that another process could have come first: record many runs, or write the lock as a
// process that grants requests.
//
// To record something that ends without an event, such as a lease, use Timer: the reader adds the
// event.
//
// An event can do several things at once: set variables, receive, send. Nothing comes between them
// in any order of events, so state that changes together should change in one event.
//
// # When the program is killed
//
// Events are buffered, up to 64 KiB, and written in whole lines. Close writes everything that is
// left; defer it, and note that os.Exit and log.Fatal skip deferred calls. If the program is killed
// (SIGKILL, a runtime panic in another goroutine, out of memory), the buffer is lost:
//
//   - by default, up to 64 KiB of the last events;
//   - with WithFlushEvery, those since the last flush;
//   - with WithFlushLines, at most one event that is being recorded;
//   - with WithFlushSends, no event of which another process can know by a message.
//
// Lines that were written survive the program, but not a crash of the operating system. The
// operating system may cut off the last line in its middle; with --allow-truncated, pota reads such
// a log up to its last complete line, and otherwise it reports the line that is cut off.
//
// The log of one recorder always contains the causes of its events: a receive never survives
// without its send; only an event of a Sync may survive without the others. Between the logs of
// several recorders, that holds with WithFlushSends only; otherwise a log that was killed may lack
// the send of a message that another log receives. pota reports that and does not repair it.
// WithFlushSends does not cover other causality between processes of different recorders, by After
// or the types of this package: call Flush where needed.
//
// # Costs
//
// An event takes one lock of its process and one of its recorder, and allocates nothing without an
// ID; a Token is one allocation. Actions are not retained. The methods of Mutex, Chan, Barrier and
// Variable allocate.
package record
