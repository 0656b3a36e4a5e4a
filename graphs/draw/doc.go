// Package draw makes pictures of computations and their slices.
//
// # Pictures and scenes
//
// A Picture names a computation and what to show of it. Its Scene has the details: the
// events to draw and their states, the links between them and the reasons for these, the
// groups of events that happen together, and a legend that explains only the marks in use.
// SVG draws a scene as a space-time diagram. Package dot writes it for Graphviz, and package
// view makes an interactive page.
//
// # The space-time diagram
//
// Each process has a lane, and time goes from left to right. The column of an event is the
// length of the longest path to it, so that every arrow of happened-before goes right; only
// an edge inside a meta-event may go left. The events of a meta-event are in neighbouring
// columns, and no other event is in the rectangle around them. ⊥ and ⊤ are bars on the left
// and the right, drawn if an edge uses them.
//
// For a large computation, only the events in a window around the cut are drawn (package layout).
//
// With Picture.Times, the clock of an event determines its place instead, and a bar extends to the
// latest time at which it may have happened. If texts have no room, they appear only in the title
// of their event.
//
// Equal pictures give equal bytes.
package draw
