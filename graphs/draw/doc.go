// Package draw makes pictures of computations and of their slices.
//
// # What is drawn
//
// A Picture names a computation and what to show on it. Its Scene says what that
// comes to: which events are drawn and in which state, which links lead between
// them and why, which events happen together, and a legend that explains exactly
// what is there. SVG draws a scene as a space-time diagram; package dot
// writes it for Graphviz, and package view makes a page to walk through.
//
// # The space-time diagram
//
// A lane for each process, time from left to right. The column of an event is the
// length of the longest path to it, so that every arrow of happened-before goes
// right; only an edge inside a meta-event may go left. The events of a meta-event
// are in neighbouring columns, and nothing else is in the rectangle around them. ⊥ and ⊤ are bars
// at the left and the right, shown where an edge uses them.
//
// Of a large computation the events around the cut are drawn, those of a window (package layout).
//
// By time, an event is where its clock says instead, and a bar goes on to the latest time at which
// it may have happened. What is closer together than its texts keeps them in its title.
//
// The same picture gives the same bytes.
package draw
