// Package guess writes a mapping to start from for an unknown log.
//
// # Definitions
//
// A sample is the first lines of each file of a log. Its form is JSON, logfmt, CSV, or text
// with one of the known beginnings of lines; the form that fits most lines wins. A field is a
// string, a number or a boolean at one place in lines, and has the pointer of a mapping for a
// name. A record is a line with its fields.
//
// The fields alone give the members of the mapping:
//
//	time       a field with times only, one with a telling name first
//	process    a field that nearly all lines have, with few values for their number;
//	           one with a telling name first. In a directory without a telling name of
//	           a field, it is the name of the file
//	clock      an object of counts that has the process of its line among its names
//	messages   a field with values that occur on two processes, first on one and later
//	           on another, and a field with few values that tells the two apart; a field that
//	           names the process of the other end is the receiver.
//	           Where no field does, ids that pass from one process to the next, as often
//	           as they do, take its place: fields, and words with digits in the texts for
//	           people, as in "sent request 4711". The texts tell the ends apart; those
//	           with words become expressions
//	variables  fields that have several values, or are not in every line, and have not
//	           another value on each; the first 200 of them.
//	           Where there is none, the last text of a process is its variable
//
// Where the logs of a directory are of several forms, each form is a source of the mapping. Ids
// that pass between their processes are found under different names: one with a letter, such as
// q17, under any; of numbers, a word has the name of the word before it, and req, request and
// request_id are one.
//
// Each guess has its evidence and the alternatives as comments. A guess may be wrong: a mapping
// is for its user to read and to correct.
package guess
