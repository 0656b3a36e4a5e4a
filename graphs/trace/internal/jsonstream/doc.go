// Package jsonstream reads JSON and tells the place of everything: with a Reader token
// by token, so that a document of any length takes no more memory than its longest
// string, or, where it is as small as a configuration file, with a TreeReader as a whole.
//
// # Definitions
//
// An input is a sequence of documents: JSON values, one after the other, with or
// without white space between them. A single document, JSON lines and documents
// that were concatenated are all that. A byte order mark at the start is skipped.
//
// The grammar is that of RFC 7493: UTF-8, no lone surrogates, and no key twice in
// an object. To a Reader, a member with the value null is absent.
//
// Errors are *trace.Error with line and column, counted from 1 and in code points,
// and, inside of a document, its JSON pointer (RFC 6901) to the place.
package jsonstream
