// Package scenario decides whether the messages of a trace follow a sequence diagram.
//
// # Definitions
//
// A diagram stands for a set of scenarios: one for each way to choose the branches of its alt, opt
// and break, and how often its loops go round. A scenario is a partial order of occurrences. An
// occurrence is the send or the receive of a message, or an action of one lifeline. They are ordered
// along each lifeline, except between the branches of a par, and a send is before its receive. With
// vertical, everything is after all that is above it on the page.
//
// The trace gives occurrences as well, and their happened-before order. A matching is a one-to-one map
// from the occurrences of a scenario to those of the trace. It keeps lifelines and labels, and maps a
// send and its receive to the ends of one message. The verdict is the first that
// some scenario and some matching give reason for:
//
//	conforms     the order of the scenario is contained in happened-before: it was so in every order
//	by luck      both orders together have no cycle: it was so in some orders
//	unfinished   as above, for what of a scenario is closed under causes: a log may have been cut off
//	violated     none of these
//
// Example: in the diagram "A->>C: x" above "B->>C: y", C receives x first. A trace is violated if C
// receives y first. With x first it conforms, because C is one process, and orders its receives.
// With vertical it is by luck: nothing makes B wait until x has been sent.
//
// A note that asserts something holds at some moment between the occurrence above and the one below
// it, on its lifeline.
//
// # How it is decided
//
// The rest of a diagram is a term. An occurrence is taken out of it by a derivative, as with regular
// expressions: what stands above on the same lifeline must be without it, so branches with that
// lifeline are pruned (Mahe, Gaston and Le Gall: A small-step approach to multi-trace checking against
// interactions, 2021). Membership is NP-hard in general. The search goes through pairs of
// a cut of the trace and a rest of the diagram, and visits none twice.
//
// An occurrence that was taken out stays in the term as a leaf, as long as something may come after it on
// its lifeline. So each occurrence is compared with those right before it in the scenario. These pairs
// are enough: the others follow from them and from happened-before. With vertical, the page is one more
// lifeline, on which everything is.
//
// A note is passed when something behind it is taken, if it holds then. In a par, another branch may move
// its process on; so the notes of one branch may also be passed before something is taken in the other.
//
// Where happened-before orders all occurrences of a lifeline, the next one can be taken next,
// whatever happens elsewhere: each accepted order stays accepted when it comes first. So the search
// takes it alone, and only tries its alternatives. Without choices, and with choices that their first
// message tells apart, there is one: then the time is linear in the trace.
// What a process does counts for all its lifelines with notes: one may have to wait for it.
package scenario
