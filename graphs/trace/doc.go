// Package trace holds what the readers of traces share; each format has a package of
// its own below it, and package format tells them apart.
//
// # Definitions
//
// A trace is the log of one execution, or of several. A Source is where it is: a file,
// standard input, or a directory with a file for each process, read one after the other
// in order of their names; what is compressed is decompressed. Options say what to keep
// of it. What a reader cannot understand is an *Error with its place: lines and columns
// count from 1, columns in Unicode code points.
//
// A reader is a function
//
//	Read(ctx, source, opts) ([]Execution, error)
//
// or, where a source holds one execution at most, one that returns its computation.
// It closes the source. Formats that have a record on each line are read by ReadLines,
// which cuts the input at line ends into pieces and has them worked on side by side.
package trace
