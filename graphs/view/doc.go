// Package view writes a page for walking through the cuts of a computation.
//
// # Definitions
//
// Data is a window (package layout) in the form that the page gets: columns of numbers. The page
// walks the cuts in the window, and places and folds its events.
//
// # The page
//
// The page is one HTML document of its own parts (page/), with the data in it or fetched from the
// server that sent it. Its scripts are put together so that each builds on those before it:
//
//	model    cuts: least ones, enabled events, paths, values, messages in transit
//	compare  which events of two executions do the same
//	truth    which parts of the formula are true along a walk
//	layout   the places of events, some of them folded
//	lanes    which processes stand in which lanes
//	pen      what draws, on a canvas or as SVG, and places labels
//	diagram  the space-time diagram
//	panes    what stands around the diagram
//	many     the list of verdicts on traces and bindings
//	rows     the formula along the run: rows of truth, and the scrubber
//	take     what people take away: links, texts, pictures
//	keys     what keys, the pointer and controls do
//	main     the state of the page, which all of these are given
//
// Its content security policy allows this script and this style, and to fetch from where
// the page came from; a saved page may fetch nothing.
package view
