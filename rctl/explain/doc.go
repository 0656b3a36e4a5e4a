// Package explain describes evidence, the runs that show a verdict, as text for people.
//
// # Definitions
//
// A piece of evidence (rctl.Evidence) is a run from a cut that shows a formula. Its text, a
// level, says which part of the property has which verdict, as the property was written, lists
// the steps of the run that matter, and gives the cut at which the run ends with the values
// there:
//
//	cs is true at P1 and P3 after 6 events
//	AG(forall i != j: !(cs@i && cs@j)) fails with i = P1, j = P3: a run of 6 events to this cut
//	    1  P1:1    sends "try" to P3
//	    2  P1:2    cs: false → true  "enters"
//	    …  2 events that change nothing in it
//	    5  P3:1    receives "try" from P1
//	    6  P3:2    cs: false → true
//	cut P1:2 P2:2 P3:2
//	    cs@P1 = true   cs@P3 = true
//
// The first line is the reason: the values of the state, with those that several processes share
// told once. A line each on the recorded order and on the order that is missing may follow.
//
// A step matters if it changes a variable, or a channel, in the formula. So do the messages
// that led to it: the last one that its process received since its step before, the last one
// that the sender had received before, and so on for a few. The label of an event, if it has
// one, follows in quotes. A long run is shown by its end, with the last change of each
// variable.
//
// Children are levels, too, indented, and start at the cut where their parent ends. A formula
// that holds from there on all runs, so that no single run shows it, is a remark:
//
//	EF(ack) fails: from here on, no run reaches ack
//
// # Parts and instances
//
// Engines decide a formula in negation normal form, with the instances in place of
// quantifiers. If the property is known as it was written, evidence is described by its part
// of the property: the part with the verdict that the evidence shows. If that part contains an
// exists, one instance of it is named, true at the cut or along the whole run, and the rest is
// about that instance alone. An instance with temporal operators is named if the children or a
// slice show that it is true. Without a part, because an engine put an equivalent formula in
// its place, the text shows that formula; without an instance, it is about all instances.
//
// The parts of a property about data are told as they were written, too, with the names of its first
// quantifiers as long as these have one instance. Its other quantifiers have none that is named.
package explain
