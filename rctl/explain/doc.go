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
// The first line is the reason: the values of the state, where a value that several processes
// share is given once. A line about the recorded order and one about the missing order may follow.
//
// A step matters if it changes a variable or a channel in the formula. So do the messages
// that led to it: the last one that its process received since its previous step, the last one
// that the sender had received before that, and so on for a few messages. The label of an event,
// if it has one, follows in quotes. Of a long run, the text shows the end and the last change of
// each variable.
//
// Children are levels too. They are indented, and start at the cut where their parent ends. A
// formula that holds on all runs from there, so that no single run shows it, is a remark:
//
//	EF(ack) fails: from here on, no run reaches ack
//
// # Parts and instances
//
// Engines decide a formula in negation normal form, with quantifiers replaced by their instances.
// If the written form of the property is known, evidence is described by its part of the
// property: the part with the verdict that the evidence shows. If that part contains an exists,
// the text names one instance of it that is true at the cut or along the whole run, and the rest
// is about that instance alone. An instance with temporal operators is named if the children or a
// slice show that it is true. If there is no such part, because an engine used an equivalent
// formula, the text shows that formula. If there is no such instance, it is about all instances.
//
// The parts of a property about data are also shown as they were written, with the names of its
// first quantifiers as long as each has one instance. No instance of its other quantifiers is
// named.
package explain
