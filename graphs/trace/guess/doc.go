// Package guess writes a first mapping for an unknown log.
//
// # Definitions
//
// A sample consists of the first lines of each file of a log. Its form is JSON, logfmt, CSV, or
// text with one of the known beginnings of lines; the form that fits most lines wins. A field is a
// string, a number or a boolean at one position in lines, named by the pointer that a mapping uses
// for it. A record is a line with its fields.
//
// The members of the mapping are inferred from the fields:
//
//	time       a field with only times, preferably with a typical name
//	process    a field of nearly all lines with few values relative to their number,
//	           preferably with a typical name. In a directory without a typical name of
//	           a field, it is the name of the file
//	clock      an object of counts whose names include the process of the line
//	messages   a key: a field with values that occur on two processes, first on one and later
//	           on another, and a field with few values that distinguishes the ends; a field that
//	           names the process of the other end is the receiver.
//	           If there is no such field, ids that pass from one process to the next, any
//	           number of times, replace the key: fields, and words with digits in the texts for
//	           people, as in "sent request 4711". The texts distinguish the ends; those
//	           with words become expressions
//	variables  fields that have several values, or are not in every line, and do not have
//	           a different value on each; the first 200 of them.
//	           If there is none, the last text of a process is its variable
//
// If the logs of a directory have several forms, each form is a source of the mapping. Ids that
// pass between their processes may have different names: an id with a letter, such as q17, may have
// any name; the name of a number in a text is the word before it; and req, request and request_id
// count as one name.
//
// Comments in the mapping give the evidence and the alternatives of each guess. A guess may be
// wrong: users should read and correct the mapping.
package guess
