package native

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// A chunk is the text of a piece with the scanned lines.
//
//	(1) text ends with a line end, one put there if the last line of the file has none
//	(2) the ops of lines[i] are ops[lines[i-1].ops:lines[i].ops]
//	(3) everything before an error is scanned
type chunk struct {
	text  []byte
	noEnd bool // the last line has no end of its own

	executionKey string // names the execution of a line, "" where all are of one

	lines []line
	ops   []op
	names symbols.Table // the names of processes and variables
	// Spans beyond the text point here, so that op needs no flag for it.
	decoded []byte // strings that have escapes
	count   int    // line ends
	err     *scanError
}

// lineKind tells the kinds of line.
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

// line is a line that is not blank.
type line struct {
	number uint32 // counts from 0 in the chunk
	at     uint32 // the place of its main value in the text of the chunk
	name   int32  // the name of its process
	ops    uint32 // end of its ops
	kind   lineKind
}

// opKind tells what a line says in an op.
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

	// A timer is an opTimer and what follows it, or an opCancel.
	opTimer
	opTimerIn
	opTimerAt
	opTimerLatest // the end of an interval, after the opTimerAt of its beginning
	opTimerSet
	opCancel
)

// valueKind is the form of a value in an op.
type valueKind uint8

const (
	valueInt valueKind = iota
	valueFloat
	valueBool
	valueString
)

// op is one thing that a line says.
// An op takes 24 bytes, about as many as its text.
type op struct {
	bits  uint64 // int64, float64, 0 or 1, or a span
	at    uint32 // the place of the value in the text of the chunk
	name  int32  // the variable or process that has the value
	kind  opKind
	value valueKind
}

// span is a string: an offset and a length. Offsets from the length of the text
// on are into decoded.
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

// word returns the name in an op of a value, and the string in another.
func (c *chunk) word(o op) []byte {
	switch o.kind {
	case opSet, opClock, opTimer, opTimerSet:
		return c.names.At(o.name)
	}
	return c.str(o.bits)
}

// column returns the column of a place in the text.
func (c *chunk) column(at uint32) int {
	// Columns count runes, as editors do.
	start := bytes.LastIndexByte(c.text[:at], '\n') + 1
	return utf8.RuneCount(c.text[start:at]) + 1
}

// reset empties the chunk for another text and keeps its memory.
func (c *chunk) reset(text []byte, noEnd bool) {
	c.text, c.noEnd = text, noEnd
	// A chunk has few names, so they belong in the slots of the table, the faster place.
	c.names.Mix()
	c.names.Clear()
	if c.lines == nil { // room for lines of usual lengths
		c.lines = make([]line, 0, len(text)/40)
		c.ops = make([]op, 0, len(text)/24)
	}
	c.lines = c.lines[:0]
	c.ops = c.ops[:0]
	c.decoded = c.decoded[:0]
	c.count, c.err = 0, nil
}

// untranslated returns room for the symbols that the names of the chunk have elsewhere,
// each -1: it is not looked up yet.
func (c *chunk) untranslated(symbols []int32) []int32 {
	symbols = slices.Grow(symbols[:0], c.names.Len())[:c.names.Len()]
	for i := range symbols {
		symbols[i] = -1
	}
	return symbols
}
