// Package stream admits the events of an execution while they arrive, and keeps the
// part of the computation that the future can still combine with: the window.
//
// # Definitions
//
// An event arrives with its line, and is admitted once all that happened before it
// is: the event before it on its process, the sends of what it receives, and the
// events that it names. The events of a sync are admitted together, once the sync is
// complete. So what is admitted is at any time a prefix of the execution, closed under
// happened-before, and no later event happened before one of them: every cut of the
// prefix is a cut of the execution.
//
// Of an event that is admitted, a stream keeps what a View sees, and how many events
// of each process happened before or at it, its vector clock (Fidge; Mattern). Processes
// that receive nothing share a clock, as do the messages that they send; what is not
// referred to any more is forgotten.
//
// The chains of a view are the processes that have a variable it sees or an end of a
// channel, and the shared variables it sees. A cut that is not yet in the prefix, and
// differs for the view from all that are, has a new event of some chain, and with it
// all that happened before the last event of that chain. So all of them contain G, the
// meet over the chains of what happened before or at the last event of the chain.
// Drop forgets what is in G, down to the values there and the messages in transit: the
// computation of a Window begins at G. G never shrinks.
//
// An event that is admitted takes O(1), and O(n) more if it receives something, n the
// number of processes. A window takes memory for its events and n counts for each of them
// that receives something, and for each message in transit n counts at most. Messages that are lost
// stay in transit, up to the number that Options gives; that a key was of one which is forgotten is kept
// in a room of fixed size, which may say so of another key, too. Ids of events, messages and syncs are
// remembered until 65,536 others have come at least, so that one which comes again is refused. Where it
// is forgotten what an event needs to be admitted, the stream is given up: nothing wrong is admitted.
package stream
