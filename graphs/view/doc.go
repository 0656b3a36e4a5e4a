// Package view writes a page on which users walk through the cuts of a computation.
//
// # Definitions
//
// Data is a window (package layout) in the form that the page reads: columns of numbers. The page
// visits the cuts in the window, and places and folds its events.
//
// # The page
//
// The page is one HTML document, assembled from the files in page/. It contains the data, or
// fetches them from the server that sent it. Its scripts are concatenated, and each builds on those
// before it:
//
//	model    cuts: least cuts, enabled events, paths, values, messages in transit
//	compare  which events of two executions do the same
//	truth    which parts of the formula are true along a walk
//	layout   the places of events, some of them folded
//	lanes    the processes in the lanes
//	pen      drawing, on a canvas or as SVG, and places of labels
//	diagram  the space-time diagram
//	panes    the panes around the diagram
//	many     the list of verdicts on traces and bindings
//	rows     the formula along the run: rows of truth, and the scrubber
//	take     exports: links, texts, pictures
//	keys     the actions of keys, the pointer and controls
//	main     the state of the page, which is passed to all others
//
// Its content security policy allows this script and this style, and requests to the origin of the
// page. A saved page may not make any requests.
package view
