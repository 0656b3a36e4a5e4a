// Package viewer draws traces with verdicts on them: as pictures, as pages in one file, and as
// pages of a server. The commands draw, slice and serve call it, and so do detect and watch with
// --view.
//
// # Definitions
//
// A finding is a verdict with a sentence about it (package explain) and the events that it names:
// those that brought about the state, the pair without an order, or the orders of a fix.
//
// A viewing is an execution with a finding, the runs that show it, and the truth of each part of
// the formula. If the formula holds, the viewing has the cut that comes closest to a failure. A
// viewing does not depend on the part of the execution that the user looks at.
//
// A window is the part of an execution that a page holds (package layout). The data of a page (type
// shown) is a viewing in a window. Events are numbered there, and texts are printable.
//
// # The server
//
// The server answers the page of package view, on this machine alone:
//
//	/         the page, which requests the rest
//	/data     a window: trace=0&formula=EF(x == 4)&run=0&place=0:3,1:2
//	/truth    the truth of a part of the formula at a cut
//	/slice    the slice of a part of the formula
//	/line     the line of the log for an event
//	/many     the verdicts on all traces, failures first, in JSON
//	/all      the same as a page with links
//
// A page sends many requests about one trace and formula, so the server keeps the last few viewings
// (type asked). Requests about the same one take turns. A few others are answered at the same time,
// and share the memory of the run. A request ends when the browser drops it, and at the time limit
// of an answer.
//
// Example: a user types a formula that takes long, and opens another trace meanwhile. The browser
// drops the first request; its decision ends, and nothing of it is kept. The other request does not
// wait.
//
// Requests that a browser makes for the page of another site are refused before anything is
// decided.
package viewer
