// Package trace holds the code that the readers of traces share. Each format has a package below
// it, and package format recognizes formats.
//
// # Definitions
//
// A trace is the log of one execution, or of several. A Source is where it is: a file, standard
// input, or a directory with a file for each process, read one after the other in order of their
// names. Compressed files are decompressed. Options say which parts of a trace to keep. A mistake
// in a trace is an *Error with its position: lines and columns count from 1, columns in Unicode
// code points.
//
// A reader is a function
//
//	Read(ctx, source, opts) ([]Execution, error)
//
// or, for formats with one execution in a source, a function that returns its computation. It
// closes the source. Readers of formats with a record on each line use ReadLines, which cuts the
// input at line ends into pieces and processes them concurrently.
package trace
