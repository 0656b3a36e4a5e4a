// Package record writes the trace of a running Go program, for pota to analyze:
// whatever order of events the machine happened to choose, pota decides what holds
// over all orders that the program's causality allows.
//
// # Instrument your program in five minutes
//
// One: make a recorder, and a process for whatever executes its events one after
// the other: a goroutine, a service, a node. Give variables their initial values.
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
// Three: where a process sends, record the send and let the Token travel with the
// message; where the message arrives, record the receive. A Token is short text
// that fits in any header, a field of a struct, or bytes.
//
//	request.Header.Set(record.Header, string(client.Send("server")))
//
//	server.Receive(record.Token(request.Header.Get(record.Header)), record.Set("sold", sold))
//
// Four: run the program, close the recorder (Close returns the first error of
// everything before), and ask.
//
//	pota detect 'AG(paid@client -> sold@server > 0)' trace.jsonl
//
// The Example of this package is such a program, whole.
//
// If processes are in several operating system processes or on several machines,
// each has a recorder with a file of its own. Collect the files in a directory:
// that is the trace.
//
//	pota detect 'AG(paid@client -> sold@server > 0)' logs/
//
// A process belongs to one recorder. One that restarts is another process: give it
// another name, such as node1-2 for the second life of node1, and another file. To
// switch recording off, leave the *Recorder nil: everything works and records
// nothing.
//
// # What orders events
//
// pota considers every order of events that respects causality, so causality that
// is not recorded leads to orders that could not have been: an EF that holds may
// then be spurious, while an AG that holds is right. Besides messages there is
//
//   - the order of one process, in which its events are recorded;
//   - Mutex, a lock whose critical sections are ordered;
//   - Chan, a channel, and Barrier, at which processes wait for each other;
//   - Variable, a variable that several processes read and write;
//   - After, for all other causality: what was learnt from a file, or the start of a
//     goroutine, whose first event is After the event that started it;
//   - Sync, for events that happen together.
//
// A variable belongs to the process that sets it. One that several processes set is shared; the
// format demands that all assignments of it are ordered: Variable makes sure of that, and Shared
// leaves it to the program, by any of the above.
//
// Critical sections of a Mutex and accesses of a Variable are ordered as they happened.
// That another process could have come first is not considered: record many runs, or
// write the lock as a process that is asked by messages.
//
// What ends without an event, such as a lease, has a Timer: the reader adds the event.
//
// An event can do several things at once: set variables, receive, send. Nothing
// comes between them in any order of events, so that state that changes together
// should change in one event.
//
// # When the program is killed
//
// Events are buffered, up to 64 KiB, and written in whole lines. Close writes all; so it should be
// deferred, and os.Exit and log.Fatal skip deferred calls. If the program is killed (SIGKILL, a
// runtime panic in another goroutine, out of memory), the buffer is lost:
//
//   - by default, up to 64 KiB of the last events;
//   - with WithFlushEvery, those since the last flush;
//   - with WithFlushLines, none but one that is being recorded;
//   - with WithFlushSends, none that another process can know of by a message.
//
// What was written survives the program, but not a crash of the operating system. The operating
// system may cut the last line off in its middle; pota reads such a log up to its last complete
// line with --allow-truncated, and without that names the line that is cut off.
//
// The log of one recorder always has the causes of its events: a receive never survives without its
// send, only perhaps one event of a Sync without the others. Between logs of several recorders that
// holds with WithFlushSends only; else a log that was killed may lack the send of a message that
// another log receives. pota reports that and does not repair it. Other causality between processes
// of different recorders, by After or the types of this package, is not covered: Flush where
// needed.
//
// # Costs
//
// An event takes one lock of its process and one of its recorder, and allocates nothing without an
// ID; a Token is one allocation. Actions are looked at and forgotten. The methods of
// Mutex, Chan, Barrier and Variable allocate.
package record
