// Package mapped reads logs of any shape, lines of JSON, logfmt, CSV or text, with a mapping
// file that gives the lines their meaning.
//
// # Definitions
//
// A log is text, a record a line; lines that are blank do not count. A mapping says which lines
// are events; all other lines are skipped. An event belongs to a process, may have a vector
// clock, send and receive messages, and assign variables. A directory is one execution, its
// files read one after the other. Parts of a rotated log are read in the order of writing
// ([trace.Log]).
//
// A mapping is a JSON object. Lines that begin with two slashes are comments. A pointer is a
// JSON pointer (RFC 6901) into a line, such as "/event/state/term". All keys but process may be
// left out:
//
//	description  one line for people
//	example      a formula for people
//	lower_bound  why the causality of such logs is only a lower bound, in a few words
//	line         form of a line; without it, it is an object in JSON
//	texts        object of pointers and the forms of the strings there
//	skip         true: lines that are not of their form are skipped and counted, as long as
//	             they are at most 1 percent of their file; or "5%", which allows more
//	files        pattern for the names of the files in a directory, or an array of these;
//	             others are not read
//	sources      array of objects, each for the files that its pattern matches; see below
//	events       condition: the lines that are events; without it all are
//	process      name of the process of an event, or {"file": "node-*.log"}: what the *
//	             stands for in the name of the file, without .gz or .zst
//	label        name of what the event is, for people, or an array of these, of which
//	             the first that the line has is taken; a field that is missing is empty
//	time         pointer to the wall-clock time: a number, an RFC 3339 time, or one with
//	             a space for its T or without the colon in its zone, or as access logs
//	             have it; or a name, perhaps with a "layout" as package time has it; or
//	             an array of these, of which the first that the line has is taken
//	clock        pointer to the vector clock
//	clock_id     name of the clock that the process reads its times from, such as its host
//	messages     array of kinds of message
//	variables    object: for each variable, its assignment or an array of them
//	writes       array of loops over assignments that a line lists
//	initial      object of variables and constants, or "first"
//
// What these hold:
//
//	form         "logfmt", an expression with named groups, or an array of these, of which
//	             the first that matches is taken; of a line also "json", "csv", or
//	             "csv;" and "csv\t" with another sign between columns
//	name         a pointer, {"constant": "x"}, or {"fields": [pointer, …], "format":
//	             "%s(%s)"}; the fields are strings, numbers or booleans
//	condition    an object of pointers and what is wanted there, all of which must
//	             hold, or an array of such objects, one of which must
//	wanted       a constant; "*" for a value of any type; a string with * for any text;
//	             null for null or nothing;
//	             an array, of which one is wanted; {"not": wanted}
//	message      {"send": end, "receive": end}, perhaps "lost": end, "when": condition
//	             on the line, "kind": name, and "each": pointer to an array; with it the
//	             pointers of ends, but not those of "when", are relative to each element
//	end          {"when": condition, "key": [pointer, …]}; with "each" also "where":
//	             condition on the element; for a send also "to": name of the receiver;
//	             for a receive also "unsent": true
//	assignment   a pointer, or one of {"at": pointer}, {"value": constant} and {"add":
//	             number}, each with a "when": condition; of an array the first that
//	             applies; with "at" perhaps "decode": "number", "value", "time" or "tla";
//	             with "at" or "value" perhaps "until": time or "ttl": pointer or duration,
//	             and "then": constant
//	writes       {"each": pointer to an array, "name": pointer, "value": pointer},
//	             perhaps "when", "where", "rename": {"old": "new"}, "index": pointer,
//	             "own": pointer, "previous": pointer, "decode": as above
//
// The values of a key are compared as JSON: neither space, nor the order of names, nor
// the form of a number matters, but 1 is not "1". In names they are text, where it is.
//
// # Sources
//
// Files of several formats are one execution where the mapping has sources. A source has the
// members of a mapping, but for description, example, lower_bound, initial and sources. What stands
// beside the sources is read with each of them that has no member of that name; variables are of
// both. A file belongs to the first source with a pattern for its name; a file of none is not read,
// which is noted. Fields of keys that are numbers are compared as their texts, as some forms have
// no others.
//
// Messages are of one kind where "kind" says so: the send may be in one source, the receive in
// another. Without it, the first of one source and the first of another are of one kind, and so on.
//
// # Texts
//
// A line in logfmt is a sequence of keys, each perhaps with = and a value; a value is in
// quotes, with the escapes of JSON, or ends at a blank. The first line of each file of CSV (RFC
// 4180) names its columns; a record is one line. Fields of all forms but JSON are strings. A
// pointer goes on into a string if its text is an object or an array in JSON, or is of the form
// that "texts" gives it; another string has nothing there.
//
// With "decode": "time" a string must be a time as in RFC 3339, and the value is its seconds since
// 1970. With "decode": "number" a string must be a number in the grammar of JSON; with "value"
// it is one where it is such a number, true or false, and else the text.
//
// # Clocks
//
// A clock is an object of processes and counts, or an array of pairs [process, count]. A
// process is there a string or number, or an array of the fields of its name; they are put into
// the format of the name if there are as many. Lines may then be in any order: the own entries
// of a process are exactly 1, 2, 3, … and order its events. Entries of 0 mean nothing. Without
// clocks the events of a process are in the order of their lines.
//
// # Messages
//
// The k-th receive with a key gets the k-th message sent with it. Ends on one process are in
// its order, ends on several in the order of lines, as far as the order of each process allows.
// With clocks, a receive gets the first of the messages not taken that its clock knows to be
// sent. A loss takes a message as a receive does, but the message stays in transit for ever,
// like messages that nobody receives. A receive without a message is an error. With "unsent":
// true it is an event like others, for logs that show some receives twice or some sends not at
// all.
//
// The receiver "to" of a message that nobody receives is the process of that name, or,
// with a * in the format of the name, the only one that matches. When there is none,
// the receiver is not known.
//
// # Variables
//
// Numbers, booleans and strings are values; arrays and objects are the string of their JSON
// text, without space and with the names in order; null and missing values assign nothing. With
// "decode": "tla" a string is a value in TLA+: a number, TRUE, FALSE, a string in quotes, or
// the text itself; defaultInitValue assigns nothing. A variable with values of several types,
// on any processes, is a string on all. An event that assigns a variable twice assigns the last
// value. It assigns a value also where the variable has that already.
//
// A value ends by itself with "until", the time when, or "ttl", how long after the event: a number
// in the unit of times, or a duration such as 10s. The variable is then what "then" says, or the
// zero value of its type, by an event of its own (package timer). Where the line has neither, the
// value stays. The next assignment of the variable cancels the end of the value before it.
//
// "index" appends the indices of a write to the name of its variable, as in q[2,a],
// except a single one that is equal to "own", as when process 2 writes its own place
// in an array. "initial": "first" takes the first value that a variable is assigned for
// its initial one; "previous" is the value before a write, and so the initial one where
// the write is the first. Other initial values are those of the type: 0, false, "".
//
// # How a log is read
//
// All pointers of a mapping are a trie. A line is walked along it once to fill an array of
// slots, without memory of its own; conditions, names and keys read the slots. One goroutine
// reads, GOMAXPROCS walk, and one takes the lines in their order. Text is JSON in any case,
// also where no pointer leads. Bytes that are not UTF-8, and halves of surrogate pairs, become
// U+FFFD. A name that a pointer needs and that is there twice is refused.
package mapped
