// Package jsonstream reads JSON and knows the position of every value. A Reader reads token by
// token, so that a document of any length takes no more memory than its longest string; a
// TreeReader reads a small document, such as a configuration file, as a whole.
//
// # Definitions
//
// An input is a sequence of documents: JSON values, one after the other, with or without white
// space between them. It may be a single document, JSON lines, or concatenated documents. A byte
// order mark at the start is skipped.
//
// The grammar is that of RFC 7493: UTF-8, no lone surrogates, and no duplicate keys in an object. A
// Reader treats a member with the value null as absent.
//
// Errors are *trace.Error with line and column, counted from 1 and in code points. Inside a
// document, they include the JSON pointer (RFC 6901) to the position.
package jsonstream
