// Package conform compares computations with sequence diagrams.
//
// # Definitions
//
// A Spec is a diagram. Its lifelines are processes, or services of spans, given by names or
// patterns; its arrows are messages between them, given by texts or regular expressions; its notes
// assert something about the variables of a lifeline. Package graphs/scenario defines when the
// messages of a trace conform, are in order by luck, unfinished, or violated.
//
// Example: a diagram has A->>B: ask and B->>A: answer. In a trace, A sends "ask" to B, and B sends
// "answer"; A also sends "hello" to C. The diagram covers the first two, and the trace conforms.
//
// # Spans
//
// Spans have no messages. An arrow A->>B: Charge is a call: the start of a span of B under one of A, if
// either is called Charge. A dotted arrow the other way is its return: the end of that span.
//
// # One scenario for each value
//
// A field that distinguishes requests divides the messages: each belongs to the values that its two
// ends assign. The messages of a value have an order, whose shape is decided only once.
package conform
