// Package view writes the page on which people walk through the cuts of a computation.
//
// # Definitions
//
// A Window is what the page holds of a computation: the events between two cuts, its low
// and its high one. The page walks the cuts between its least and its greatest cut; these
// are the low and the high one wherever they are consistent. As both are cuts, whatever an
// event of the window needs is in the window or below it, so that the page can tell which
// of these cuts are consistent, which events are enabled and which are in the past of
// another without knowing more.
//
// Data is a window in the form in which the page gets it: columns of numbers, in which an
// event is its number in the window.
//
// # The page
//
// The page is one HTML document of its own parts (page/), with the data in it or fetched
// from the server that sent it. Its scripts are put together in the order in which they
// build on each other:
//
//	model    cuts: least ones, enabled events, paths, values, messages in transit
//	compare  which events of two executions do the same
//	truth    which parts of the formula are true along a walk
//	layout   folds, and a place for each event
//	diagram  the space-time diagram, on a canvas or as SVG
//	panes    what stands around the diagram
//	take     what people take away: links, texts, pictures
//	keys     what keys, the pointer and controls do
//	main     the state of the page, which all of these are given
//
// Its content security policy allows this script and this style, and to fetch from where
// the page came from; a saved page may fetch nothing.
package view
