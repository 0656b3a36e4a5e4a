// Package mermaid reads Mermaid sequence diagrams: a scenario as a trace, for
// teaching and for reviews of designs.
//
// # Definitions
//
// A file is one diagram, from the word sequenceDiagram after front matter, directives and comments,
// or it is Markdown, with a diagram in each fenced mermaid block that contains a sequence diagram.
// Other diagrams in Markdown are skipped, and so are blocks in block quotes. Each diagram is an
// execution, or several if it has choices.
//
// A participant is a process, named by its id: the A of "participant A as Alice". All participants
// of a diagram are processes of all its executions, in order of appearance. Statements yield events
// in the order of the text:
//
//	A->>B: text      A sends a message, B receives it: an event each; the text labels both
//	A-xB: text       A sends a message to B that is lost
//	A<<->>B: text    a rendezvous: an event of each, which happen together
//	A->>A: text      one event of A, whatever the arrow
//	Note over A: x = 1, cs = true, phase = voting       one event of A, which assigns
//	Note over A,B: x = 1                                an event of each, which happen together
//	Note over A: initially x = 1                        no event: what x is at first
//
// Arrows without a head (->, -->), with a point (-), --)), dotted ones and half arrows (-|\, -|/,
// -\\, -//) are messages, too. Reversed half arrows (/|-, \|-, //-, \\-) have their head on the
// left, so they go from right to left. The circles of central connections, "()", have no further
// meaning.
//
// An arrow is horizontal: its receive comes before anything below it, at both participants. So
// messages never overtake each other, and causality is exactly what the scenario says.
//
// # Variables
//
// A note assigns if its text starts with a name and "=". Then the whole text must be a list of
// name = value, separated by commas or line breaks (<br/>); anything else is an error. A value is a
// number in the grammar of JSON, true or false, a string in double quotes, or a word (letters,
// digits, _, - and .), which is a string. A variable is initially zero, or has the value of a note
// with the word initially before the first event of its participant. Other notes are comments.
// Texts of messages never assign.
//
// # Choices
//
// Each combination of choices is an execution; its name lists the choices, after the number of the
// diagram if the file has several:
//
//	alt      one of the branches; without else, like opt
//	opt      the body, or nothing
//	critical the body, and then nothing or one of the options
//	break    nothing, or the body, which ends the innermost loop, or else the execution
//	loop     the body once, or n times if its text is "n times"
//	par      the branches, see below
//	rect     the body
//
// A file has at most 1000 executions, with about a million events and repetitions in all; the texts
// of choices are cut to 60 characters in names. The first execution takes every first branch and no
// break.
//
// The branches of par are concurrent. But a process is a sequence of events: the events of a
// participant in several branches are ordered as they are written, which is one of the possible
// orders. A break that would end one branch of a par is refused, because it does not say how far
// the other branches got.
//
// # Ignored statements
//
// Create and destroy place lifelines on the page; create also declares its participant. Activations
// (activate B, deactivate B, A->>+B, B-->>-A) add nothing to the arrows. Box, title, accTitle,
// accDescr, autonumber, link, links, properties, details, the configuration of participants and
// their aliases do not affect executions. Keywords are case-insensitive, as in Mermaid. A semicolon
// ends a statement. # starts a comment, except in entities such as #59;, which are decoded in
// texts; <br/> becomes a space. Bytes that are not UTF-8 become U+FFFD.
package mermaid
