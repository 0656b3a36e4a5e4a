// Package mapped reads logs of any shape, lines of JSON, logfmt, CSV or text, with a mapping
// file that gives the lines their meaning.
//
// # Definitions
//
// A log is text with one record on each line; blank lines are ignored. A mapping says which lines
// are events; all other lines are skipped. An event belongs to a process; it may have a vector
// clock, send and receive messages, and assign variables. A directory is one execution, and its
// files are read one after the other. Parts of a rotated log are read in the order of writing
// ([trace.Log]).
//
// A mapping is a JSON object. Lines that begin with two slashes are comments. A pointer is a
// JSON pointer (RFC 6901) into a line, such as "/event/state/term". All keys except process are
// optional:
//
//	description  one line for people
//	example      a formula for people
//	lower_bound  why the causality of such logs is only a lower bound, in a few words
//	line         form of a line; the default is a JSON object
//	texts        object of pointers and the forms of the strings there
//	skip         true: lines that do not have their form are skipped and counted, as long
//	             as they are at most 1 percent of their file; or "5%", which allows more
//	files        pattern for the names of the files in a directory, or an array of these;
//	             other files are not read
//	sources      array of objects, each for the files that its pattern matches; see below
//	events       condition: the lines that are events; the default is all lines
//	process      name of the process of an event, or {"file": "node-*.log"}: the text that
//	             the * matches in the name of the file, without .gz or .zst
//	label        name that describes the event to people, or an array of these: the first
//	             that the line has is used; a missing field is empty
//	time         pointer to the wall-clock time: a number, an RFC 3339 time, or one with
//	             a space for its T or without the colon in its zone, or in the form of
//	             access logs; or a name, perhaps with a "layout" of package time; or an
//	             array of these: the first that the line has is used
//	clock        pointer to the vector clock
//	clock_id     name of the clock that gives the process its times, such as its host
//	messages     array of kinds of message
//	variables    object: for each variable, its assignment or an array of them
//	writes       array of loops over assignments that a line lists
//	initial      object of variables and constants, or "first"
//
// The members have these values:
//
//	form         "logfmt", a regular expression with named groups, or an array of
//	             expressions, the first match of which is used; for a line also "json",
//	             "csv", or "csv;" and "csv\t" with another separator
//	name         a pointer, {"constant": "x"}, or {"fields": [pointer, …], "format":
//	             "%s(%s)"}; the fields are strings, numbers or booleans
//	condition    an object of pointers and wanted values, all of which must match, or an
//	             array of such objects, one of which must match
//	wanted       a constant; "*" for a value of any type; a string with * for any text;
//	             null for null or nothing;
//	             an array of alternatives; {"not": wanted}
//	message      {"send": end, "receive": end}, perhaps "lost": end, "when": condition
//	             on the line, "kind": name, and "each": pointer to an array; with it the
//	             pointers of ends, but not those of "when", are relative to each element
//	end          {"when": condition, "key": [pointer, …]}; with "each" also "where":
//	             condition on the element; for a send also "to": name of the receiver;
//	             for a receive also "unsent": true
//	assignment   a pointer, or one of {"at": pointer}, {"value": constant} and {"add":
//	             number}, each with a "when": condition; in an array the first that
//	             applies; with "at" perhaps "decode": "number", "value", "time" or "tla";
//	             with "at" or "value" perhaps "until": time or "ttl": pointer or duration,
//	             and "then": constant
//	writes       {"each": pointer to an array, "name": pointer, "value": pointer},
//	             perhaps "when", "where", "rename": {"old": "new"}, "index": pointer,
//	             "own": pointer, "previous": pointer, "decode": as above
//
// The values of a key are compared as JSON: neither space, nor the order of names, nor the form
// of a number matters, but 1 is not "1". In names, 1 and "1" are the same text.
//
// # Sources
//
// A mapping with sources reads files of several formats as one execution. A source has the members
// of a mapping except description, example, lower_bound, initial and sources. Members next to
// "sources" apply to each source that has no member of that name; variables are merged. A file
// belongs to the first source with a pattern for its name; other files are not read, which is
// noted. Fields of keys that are numbers are compared as text, because some forms have only text.
//
// Entries with the same "kind" are about the same messages: the send may be in one source and the
// receive in another. Without "kind", the first entries of all sources are about the same messages,
// the second ones as well, and so on.
//
// # Texts
//
// A line in logfmt is a sequence of keys, each perhaps with = and a value; a value is in
// quotes, with the escapes of JSON, or ends at a blank. The first line of each CSV file (RFC
// 4180) names its columns; a record is one line. Fields of all forms except JSON are strings. A
// pointer leads into a string if its text is an object or an array in JSON, or has the form that
// "texts" gives it; in any other string it finds nothing.
//
// With "decode": "time" a string must be a time as in RFC 3339, and the value is its seconds since
// 1970. With "decode": "number" a string must be a number in the grammar of JSON. With "value" such
// a number, true and false are decoded, and any other string remains text.
//
// # Clocks
//
// A clock is an object of processes and counts, or an array of pairs [process, count]. In a pair, a
// process is a string or number, or an array of the fields of its name; if their number is that of
// the name's fields, the format of the name is applied to them. Lines with clocks may be in any
// order: the own entries of a process are exactly 1, 2, 3, … and order its events. Entries of 0 are
// ignored. Without clocks the events of a process are in the order of their lines.
//
// # Messages
//
// The k-th receive with a key gets the k-th message sent with it. Ends on one process are in its
// order; ends on several processes are in the order of lines, as far as the order of each process
// allows. With clocks, a receive gets the first unmatched message that, by its clock, was sent
// before. A loss matches a message like a receive, but the message stays in transit for ever, like
// messages that nobody receives. A receive without a message is an error, unless it has "unsent":
// true, for logs that show some receives twice or omit some sends: it is then an event like others.
//
// The receiver "to" of a message that nobody receives is the process of that name or,
// if the format of the name has a *, the only one that matches. If there is no such
// process, the receiver is not known.
//
// # Variables
//
// Numbers, booleans and strings are values; arrays and objects are the string of their JSON
// text, without space and with the names in order; null and missing values assign nothing. With
// "decode": "tla" a string is a value in TLA+: a number, TRUE, FALSE, a string in quotes, or
// the text itself; defaultInitValue assigns nothing. A variable with values of several types,
// on any processes, is a string on all of them. An event that assigns a variable twice assigns the
// last value. Assigning the value that the variable already has is an assignment, too.
//
// A value may expire: "until" is the time of its end, and "ttl" how long after the event it ends, a
// number in the unit of times or a duration such as 10s. A separate event (package timer) then sets
// the variable to "then", or to the zero value of its type. If the line has neither field, the value
// stays. The next assignment of the variable cancels the end of its value.
//
// "index" appends the indices of a write to the name of its variable, as in q[2,a], except a
// single index that is equal to "own", as when process 2 writes its own place in an array.
// "initial": "first" uses the first value assigned to a variable as its initial value; "previous"
// is the value before a write, and hence the initial value if the write is the first. Other
// initial values are those of the type: 0, false, "".
//
// # How a log is read
//
// All pointers of a mapping form a trie. A walk of the line along the trie fills an array of slots
// in one pass, without allocation; conditions, names and keys read the slots. One goroutine reads,
// GOMAXPROCS goroutines walk, and one adds the lines in order. The whole text must be valid JSON,
// even if no pointer leads to a part of it. Bytes that are not UTF-8, and halves of surrogate
// pairs, become U+FFFD. A name that occurs twice is refused if a pointer needs it.
package mapped
