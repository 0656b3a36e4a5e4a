// Package trace holds what the readers of traces share; each format has a package of
// its own below it, and package format tells them apart.
//
// # Definitions
//
// A trace is the log of one execution, or of several. A Source is its place: a file, standard
// input, or a directory with a file for each process, read one after the other in order of
// their names. Compressed files are decompressed. Options say what to keep of it. A mistake in
// a trace is an *Error with its place: lines and columns count from 1, columns in Unicode code
// points.
//
// A reader is a function
//
//	Read(ctx, source, opts) ([]Execution, error)
//
// or, for formats with one execution in a source, a function that returns its computation. It
// closes the source. Formats with a record on each line are read by ReadLines: it cuts the
// input at line ends into pieces and has them worked on side by side.
package trace
