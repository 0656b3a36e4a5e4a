// Package stream admits the events of an execution while they arrive, and keeps the part of the
// computation that the future can still combine with: the window.
//
// # Admission
//
// An event arrives with its line, and is admitted once all its causes are: the event before it
// on its process, the sends of its messages, and the events of its "after". The events of a sync
// are admitted together, once the sync is complete. So the admitted events always form a prefix
// of the execution, closed under happened-before, and every cut of the prefix is a cut of the
// execution.
//
// The rules of package admission decide whether a line is refused.
//
// # The window
//
// A View says which variables and channels the formulas read. For an admitted event, a stream
// keeps the parts that the view sees and the vector clock: how many events of each process
// happened before or at it (Fidge; Mattern). A process that receives nothing shares its clock
// with the messages that it sends. Clocks that nothing refers to are forgotten.
//
// The chains of a view are the processes that have a visible variable or an end of a channel,
// and the visible shared variables. A cut that is still to come, and that the view distinguishes
// from all cuts of the prefix, has a new event of some chain, and so contains the past of the
// last event of that chain. Hence all these cuts contain G, the meet over the chains of the past
// of their last events. Drop forgets the events in G, except for the values there and the
// messages in transit: the computation of a Window begins at G. G never shrinks.
//
// # Cost
//
// Admitting an event takes O(1) time, and O(n) if it receives a message, for n processes. The
// window takes O(1) space for each event, n counts for each event that receives a message, and at
// most n counts for each message in transit.
//
// Lost messages stay in transit, up to Options.Lost. Keys of forgotten messages stay in a filter
// of fixed size (bloom), which may have false positives. Ids of events, messages and syncs are
// remembered until at least 65,536 others have come, so that repeated ids are refused. If an
// event needs something forgotten, the stream is given up (GiveUp): it never admits an event
// with a wrong past.
package stream
