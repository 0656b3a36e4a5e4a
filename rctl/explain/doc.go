// Package explain tells evidence as text for people.
//
// A piece of evidence (rctl.Evidence) is a run from a cut and what it shows. Its
// text says what is shown, lists those events of the run that change something the
// formula speaks of, and gives the cut at which the run ends with the values there:
//
//	EF exists i != j: cs@i && cs@j with i = P1, j = P3: a run of 5 events to this cut
//	    2  P1:2    cs: false → true  "enters"
//	    …  2 events that change nothing in it
//	    5  P3:1    cs: false → true
//	cut P1:2 P2:2 P3:1
//	    cs@P1 = true   cs@P3 = true
//
// The label of an event, if it has one, follows in quotes. Children come below,
// indented, and start at the cut where their parent ends.
//
// # Instances
//
// A resolved formula has the instances in place of its quantifiers, n² of them for
// two names over n processes. Where the property is known as it was written, a
// formula that is shown is printed as it was written too, and one instance of an
// exists is named that is true at the cut: all that follows is about that instance
// alone. An instance with temporal operators is named if the children show that it is
// true. Where none is found, the text is about all instances.
package explain
