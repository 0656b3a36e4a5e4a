package native

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// A chunk is the text of a piece with its scanned lines.
//
//	(1) text ends with a line end, which was added if the last line of the file has none
//	(2) the ops of lines[i] are ops[lines[i-1].ops:lines[i].ops]
//	(3) everything before an error is scanned
type chunk struct {
	text  []byte
	noEnd bool // whether the last line has no end in the file

	executionKey string // the key for the execution of a line; "" if there is only one

	lines []line
	ops   []op
	names symbols.Table // the names of processes and variables
	// Offsets of spans beyond text are into decoded, so that an op needs no flag for it.
	decoded []byte // the decoded strings with escapes
	count   int    // how many lines were scanned
	err     *scanError
}

// A lineKind is a kind of line.
type lineKind uint8

const (
	headerLine lineKind = iota
	processLine
	sharedLine
	eventLine
	edgeLine
	closedLine
	endLine
)

// A line is a scanned line that is not blank.
type line struct {
	number uint32 // the number of the line in the chunk, from 0
	at     uint32 // the offset of its main value in the text of the chunk
	name   int32  // the name of its process, -1 if there is none
	ops    uint32 // the end of its ops
	kind   lineKind
}

// An opKind says what an op means.
type opKind uint8

const (
	opID opKind = iota
	opSet
	opSend
	opTo
	opRecv
	opAfter
	opSync
	opClock
	opLabel
	opTime
	opLatest // the end of an interval, after the opTime of its beginning
	opClockID
	opInit
	opShared
	opEdge
	opLowerBound
	opExecution

	// A timer is an opCancel, or an opTimer and the ops that follow it.
	opTimer
	opTimerIn
	opTimerAt
	opTimerLatest // the end of an interval, after the opTimerAt of its beginning
	opTimerSet
	opCancel
)

// A valueKind is the form of a value in an op.
type valueKind uint8

const (
	valueInt valueKind = iota
	valueFloat
	valueBool
	valueString
)

// An op is one statement of a line, such as one assignment. An op takes 24 bytes, about as many as
// its text.
type op struct {
	bits  uint64 // an int64, a float64, a Boolean as 0 or 1, or a span
	at    uint32 // the offset of the value in the text of the chunk
	name  int32  // the name of the variable, process or timer; for messages, the symbol of the id
	kind  opKind
	value valueKind
}

// span encodes a string by its offset and length. Offsets of at least the length of the text are
// into decoded.
func span(offset, length int) uint64 { return uint64(offset)<<32 | uint64(length) }

// str returns the string of a span.
func (c *chunk) str(span uint64) []byte {
	offset, length := int(span>>32), int(span&0xffffffff)
	// Offsets beyond the text address decoded strings, as span says.
	if offset >= len(c.text) {
		return c.decoded[offset-len(c.text):][:length]
	}
	return c.text[offset:][:length]
}

// word returns the name of an op that has one, and the string of any other op.
func (c *chunk) word(o op) []byte {
	switch o.kind {
	case opSet, opClock, opTimer, opTimerSet:
		return c.names.At(o.name)
	}
	return c.str(o.bits)
}

// column returns the column of an offset in the text.
func (c *chunk) column(at uint32) int {
	// Columns count runes, as editors do.
	start := bytes.LastIndexByte(c.text[:at], '\n') + 1
	return utf8.RuneCount(c.text[start:at]) + 1
}

// reset empties the chunk for another text, and keeps its memory.
func (c *chunk) reset(text []byte, noEnd bool) {
	c.text, c.noEnd = text, noEnd
	// A chunk has few names, so they go into the slots of the table, which is faster.
	c.names.Mix()
	c.names.Clear()
	if c.lines == nil { // room for lines of the usual length
		c.lines = make([]line, 0, len(text)/40)
		c.ops = make([]op, 0, len(text)/24)
	}
	c.lines = c.lines[:0]
	c.ops = c.ops[:0]
	c.decoded = c.decoded[:0]
	c.count, c.err = 0, nil
}

// untranslated returns a list for the symbols that the names of the chunk have in another table.
// Each is -1, which means that it has not been looked up.
func (c *chunk) untranslated(symbols []int32) []int32 {
	symbols = slices.Grow(symbols[:0], c.names.Len())[:c.names.Len()]
	for i := range symbols {
		symbols[i] = -1
	}
	return symbols
}
