// Package stream admits the events of an execution while they arrive, and keeps the part of the
// computation that the future can still combine with: the window.
//
// # Admission
//
// An event arrives with its line, and is admitted once all its causes are: the event before it
// on its process, the sends of its messages, and the events of its "after". The events of a sync
// are admitted together, once the sync is complete. So the admitted events are at any time a
// prefix of the execution, closed under happened-before, and every cut of the prefix is a cut
// of the execution.
//
// The rules of package admission decide whether a line is refused.
//
// # The window
//
// A View says which variables and channels the formulas read. Of an admitted event, a stream
// keeps what the view sees and its vector clock: how many events of each process happened
// before or at it (Fidge; Mattern). Processes that receive nothing share a clock with the
// messages that they send. Clocks that nothing refers to are forgotten.
//
// The chains of a view are the processes that have a variable it sees or an end of a channel,
// and the shared variables it sees. A cut that is still to come, and differs for the view from
// all cuts of the prefix, has a new event of some chain, and with it the past of the last event
// of that chain. So all these cuts contain G, the meet over the chains of the past of their
// last events. Drop forgets G but for the values there and the messages in transit: the
// computation of a Window begins at G. G never shrinks.
//
// # Cost
//
// Admitting an event takes O(1), and O(n) more if it receives something, n the number of
// processes. The window takes O(1) for each event and n counts for each event that receives
// something, and at most n counts for each message in transit.
//
// Messages that are lost stay in transit, up to Options.Lost. Keys of forgotten messages stay
// in a filter of fixed size (bloom), at the price of false alarms. Ids of events, messages and
// syncs are remembered until at least 65,536 others have come, so that repeated ids are
// refused. If an event needs something forgotten, the stream is given up (GiveUp): it never
// admits anything wrong.
package stream
