// Package scenario decides whether the messages of a trace follow a sequence diagram.
//
// # Definitions
//
// A diagram stands for a set of scenarios: one for each way to choose the branches of its alt, opt
// and break, and the number of rounds of its loops. A scenario is a partial order of occurrences.
// An occurrence is the send or the receive of a message, or an action of one lifeline. Occurrences
// are ordered along each lifeline, except between the branches of a par, and a send is before its
// receive. With vertical, everything is after all that is above it on the page.
//
// The trace has occurrences as well, and their happened-before order. A matching is a one-to-one
// map from the occurrences of a scenario to those of the trace. It preserves lifelines and labels,
// and maps a send and its receive to the ends of one message. The verdict is the first in this list
// that some scenario and some matching justify:
//
//	conforms     happened-before contains the order of the scenario: every order of the events fits it
//	by luck      both orders together have no cycle: some orders of the events fit it
//	unfinished   as above, for a part of a scenario closed under causes: a log may have been cut off
//	violated     none of these
//
// Example: in the diagram "A->>C: x" above "B->>C: y", C receives x first. A trace is violated if C
// receives y first. With x first it conforms, because C is one process, and orders its receives.
// With vertical it is by luck: nothing makes B wait until x has been sent.
//
// A note with an assertion holds if the assertion is true at some moment between the occurrence
// above and the one below it, on its lifeline.
//
// # Algorithm
//
// The remaining part of a diagram is a term. A derivative removes an occurrence from it, as with
// regular expressions: everything above on the same lifeline must be skipped, so branches with that
// lifeline are pruned (Mahe, Gaston and Le Gall: A small-step approach to multi-trace checking
// against interactions, 2021). Membership is NP-hard in general. The search visits pairs of a cut
// of the trace and a remaining term, none of them twice.
//
// A matched occurrence stays in the term as a leaf, as long as something may come after it on its
// lifeline. So each occurrence is compared with those immediately before it in the scenario. These
// pairs are enough: the others follow from them and from happened-before. With vertical, the page
// is one more lifeline, and everything is on it.
//
// A note is passed when something after it is matched, if the note holds then. In a par, another
// branch may advance its process; so the notes of one branch may also be passed before something is
// matched in the other.
//
// If happened-before orders all occurrences of a lifeline, the next one can be matched next,
// whatever happens elsewhere: each accepted order stays accepted when that occurrence is moved to
// the front. So the search tries only the alternatives of that occurrence. Without choices, or if
// the first message determines each choice, there is only one alternative, and the time is linear
// in the trace. An occurrence counts for all lifelines of its process that have notes: one of them
// may have to wait for it.
package scenario
