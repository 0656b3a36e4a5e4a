// Package viewer draws traces with verdicts on them: as pictures, as pages in one file, and as
// pages of a server. The commands draw, slice and serve are its callers, and detect and watch with
// --view.
//
// # Definitions
//
// A finding is a verdict with the sentence about it (package explain) and the events that it names:
// those since which the state is what it is, the pair that nothing orders, or the orders of a fix.
//
// A viewing is an execution with a finding, the runs that show it, and the truth of each part of
// the formula. One that holds has the cut that comes closest to a failure. A viewing does not
// depend on where a reader looks.
//
// A window is the part of an execution that a page holds (package layout), and a shown is the data
// of a page: a viewing in a window. Events are numbered there, and texts are printable.
//
// # The server
//
// The server answers the page of package view, on this machine alone:
//
//	/         the page, which asks for the rest
//	/data     a window: trace=0&formula=EF(x == 4)&run=0&place=0:3,1:2
//	/truth    the truth of a part of the formula at a cut
//	/slice    the slice of a part of the formula
//	/line     the line of the log for an event
//	/many     the verdicts on all traces, what fails first, in JSON
//	/all      the same as a page with links
//
// An asked is a subject, a trace and a formula, with its viewing. A page asks about one again and
// again, so the last few are kept. Questions about one asked take turns. Others are answered at the
// same time, a few of them, which share the memory of the run. A question ends with the request,
// and at the limit of an answer.
//
// Example: a user types a formula that takes long, and opens another trace meanwhile. The browser
// drops the first request; its decision ends, and nothing is kept of it. The other one did not
// wait.
//
// Requests that a browser makes for the page of another site are refused before anything is
// decided.
package viewer
