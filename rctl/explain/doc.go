// Package explain tells evidence as text for people.
//
// # Definitions
//
// A piece of evidence (rctl.Evidence) is a run from a cut and what it shows. Its
// text, a level, says which part of the property has which verdict, as the property was
// written, lists the steps of the run that matter, and gives the cut at which the run
// ends with the values there:
//
//	AG(forall i != j: !(cs@i && cs@j)) fails with i = P1, j = P3: a run of 6 events to this cut
//	    1  P1:1    sends "try" to P3
//	    2  P1:2    cs: false → true  "enters"
//	    …  2 events that change nothing in it
//	    5  P3:1    receives "try" from P1
//	    6  P3:2    cs: false → true
//	cut P1:2 P2:2 P3:2
//	    cs@P1 = true   cs@P3 = true
//
// A step matters that changes a variable, or a channel, of which the part speaks. So do
// the messages that led to it: the last one that its process received since its step
// before, the one that the sender of this had received before, and so on for a few. The
// label of an event, if it has one, follows in quotes. Of a long run the end is told, and
// the last change of each variable.
//
// Children are levels, too, indented, and start at the cut where their parent ends. What
// holds from there on all runs, which no run can show, is a remark:
//
//	EF(ack) fails: from here on, no run reaches ack
//
// # Parts and instances
//
// Engines decide a formula in negation normal form, with the instances in place of
// quantifiers. Where the property is known as it was written, the part of it is looked
// for that evidence is about: one whose verdict says what the evidence shows. One
// instance of an exists in that is named which is true at the cut, or along the whole
// run: all that follows is about that instance alone. An instance with temporal
// operators is named if the children show that it is true, or slices decide it.
// Where no part is found, because an engine put an equivalent formula in its place, that
// formula is told; where no instance is, the text is about all instances.
package explain
