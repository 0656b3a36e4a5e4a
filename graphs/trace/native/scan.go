package native

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/nearmiss"
)

// key is a key of a line, and a bit in a set of them.
type key uint16

const (
	keyPota key = 1 << iota
	keyProcess
	keyInit
	keyShared
	keyEdge
	keyID
	keySet
	keySend
	keyTo
	keyRecv
	keyAfter
	keySync
	keyClock
	keyLabel
	keyTime
	keyLowerBound
)

var keyNames = [...]string{"pota", "process", "init", "shared", "edge", "id", "set", "send", "to", "recv", "after", "sync", "clock", "label", "time", "lower_bound"}

// keyIndex returns the number of a key in keyNames, len(keyNames) when there is no
// such key.
func keyIndex(name []byte) int {
	switch string(name) {
	case "process":
		return 1
	case "set":
		return 6
	case "send":
		return 7
	case "recv":
		return 9
	case "id":
		return 5
	case "clock":
		return 12
	case "after":
		return 10
	}
	for i, s := range keyNames {
		if s == string(name) {
			return i
		}
	}
	return len(keyNames)
}

const eventKeys = keyProcess | keyID | keySet | keySend | keyTo | keyRecv | keyAfter | keySync | keyClock | keyLabel | keyTime

// scanError is what is wrong at a place of a chunk.
type scanError struct {
	line, at int
	msg      string
}

// scanner turns the text of a chunk into lines and ops.
type scanner struct {
	*chunk
	pos    int
	number int   // of the line, from 0
	last   int32 // name seen last
	marks  []uint32
	mark   uint32
	keyAt  [len(keyNames)]int // where the value of each key of the line starts
}

// scan scans a piece up to its first error.
func (c *chunk) scan(p *trace.Piece) {
	c.reset(p.Text, p.NoEnd)
	s := scanner{chunk: c, last: -1}
	for s.pos < len(c.text) {
		if !s.line() {
			break
		}
		s.number++
	}
	c.count = s.number
}

// fail notes the error of the chunk and reports false.
func (s *scanner) fail(at int, format string, args ...any) bool {
	msg := fmt.Sprintf(format, args...)
	if s.noEnd && s.cutOff(at) {
		msg += " (the last line has no end: the file looks cut off; use --allow-truncated to read what comes before it)"
	}
	s.err = &scanError{s.number, at, msg}
	return false
}

// cutOff reports whether the last line, which has no end, is the one with the
// place and stops inside its object.
func (s *scanner) cutOff(at int) bool {
	if bytes.IndexByte(s.text[at:], '\n') != len(s.text)-1-at {
		return false
	}
	return trace.Unfinished(s.text[bytes.LastIndexByte(s.text[:at], '\n')+1:])
}

// next skips white space and returns the byte that follows; a line end is one.
func (s *scanner) next() byte {
	for {
		switch b := s.text[s.pos]; b {
		case ' ', '\t', '\r':
			s.pos++
		default:
			return b
		}
	}
}

// unexpected fails because what stands at the position is not what was meant.
func (s *scanner) unexpected(meant string) bool {
	if s.next() == '\n' {
		return s.fail(s.pos, "the line ends where %s was expected", meant)
	}
	return s.fail(s.pos, "%s where %s was expected", s.token(), meant)
}

// token describes what stands at the position.
func (s *scanner) token() string {
	rest := s.text[s.pos:]
	switch b := rest[0]; {
	case b == '{':
		return "an object"
	case b == '[':
		return "an array"
	case b == '"':
		return "a string"
	case b == '-' || '0' <= b && b <= '9':
		return "a number"
	}
	n := 0
	for n < len(rest) && n < 20 && ('a' <= rest[n] && rest[n] <= 'z' || 'A' <= rest[n] && rest[n] <= 'Z') {
		n++
	}
	switch word := string(rest[:n]); word {
	case "":
		return fmt.Sprintf("%q", firstRune(rest))
	case "true", "false":
		return "a boolean"
	default:
		return word
	}
}

func firstRune(b []byte) string {
	for _, r := range string(b[:min(4, len(b))]) {
		return string(r)
	}
	return ""
}

// line scans one line with its end.
func (s *scanner) line() bool {
	switch s.next() {
	case '\n':
		s.pos++
		return true
	case '{':
	default:
		return s.unexpected("a JSON object")
	}
	start := s.pos
	ops := len(s.ops)
	s.pos++
	var keys key
	process := int32(-1)
	if s.next() == '}' {
		return s.fail(start, `an empty object: a line needs "process", "shared", "edge" or "pota"`)
	}
	for {
		if s.next() != '"' {
			return s.unexpected("a key in quotes")
		}
		at := s.pos
		name, ok := s.string()
		if !ok {
			return false
		}
		k := keyIndex(s.str(name))
		if k == len(keyNames) {
			return s.unknownKey(at, s.str(name))
		}
		if keys>>k&1 != 0 {
			return s.fail(at, "the key %q stands twice in one line", keyNames[k])
		}
		keys |= 1 << k
		if s.next() != ':' {
			return s.unexpected("a colon")
		}
		s.pos++
		s.next()
		s.keyAt[k] = s.pos
		if !s.value(key(1)<<k, &process) {
			return false
		}
		switch s.next() {
		case ',':
			s.pos++
			continue
		case '}':
		default:
			return s.unexpected(`"," or "}"`)
		}
		break
	}
	s.pos++
	if s.next() != '\n' {
		return s.fail(s.pos, "text after the object: a line must hold one JSON object and nothing else")
	}
	s.pos++
	kind, main, ok := s.kind(keys, start)
	if !ok {
		s.ops = s.ops[:ops]
		return false
	}
	s.lines = append(s.lines, line{
		number: uint32(s.number), at: uint32(s.keyAt[main]),
		name: process, ops: uint32(len(s.ops)), kind: kind,
	})
	return true
}

// kind tells the kind of line from its keys, and the number of its main key.
func (s *scanner) kind(keys key, start int) (lineKind, int, bool) {
	if keys&^eventKeys == 0 && keys&keyProcess != 0 {
		return eventLine, 1, true
	}
	only := func(kind lineKind, main int, allowed key, what string) (lineKind, int, bool) {
		for k := range keyNames {
			if extra := key(1) << k; keys&extra != 0 && allowed&extra == 0 {
				s.fail(s.keyAt[k], "%s has no %q", what, keyNames[k])
				return 0, 0, false
			}
		}
		return kind, main, true
	}
	switch {
	case keys&keyPota != 0:
		return only(headerLine, 0, keyPota|keyLowerBound, "a header")
	case keys&keyShared != 0:
		return only(sharedLine, 3, keyShared, "a declaration of shared variables")
	case keys&keyEdge != 0:
		return only(edgeLine, 4, keyEdge, "an edge line")
	case keys&keyProcess == 0:
		s.fail(start, `no "process": an event or declaration names its process`)
		return 0, 0, false
	}
	return only(processLine, 2, keyProcess|keyInit, `a declaration (a line with "init")`)
}

// synonyms are words that other formats use for keys.
var synonyms = map[string]string{
	"receive": "recv", "received": "recv", "sends": "send", "message": "send",
	"variables": "set", "assign": "set", "values": "set", "initial": "init",
	"host": "process", "node": "process", "timestamp": "time", "event": "label",
	"destination": "to", "vector": "clock",
}

func (s *scanner) unknownKey(at int, name []byte) bool {
	meant := string(name)
	if nearmiss.Find(meant, keyNames[:]) == "" {
		if near := nearmiss.Find(meant, slices.Sorted(maps.Keys(synonyms))); near != "" {
			meant = synonyms[near]
		}
	}
	return s.fail(at, "unknown key %q%s", name, nearmiss.HintOrList(meant, keyNames[:]))
}

// value scans the value of a key at the position.
func (s *scanner) value(k key, process *int32) bool {
	switch k {
	case keyProcess:
		name, ok := s.mustString("the name of a process")
		if ok {
			*process = s.name(s.str(name))
		}
		return ok
	case keySet:
		return s.variables(opSet, "the variables that the event sets")
	case keyInit:
		return s.variables(opInit, "the initial values of variables")
	case keyShared:
		return s.variables(opShared, "shared variables and their initial values")
	case keySend:
		return s.strings(opSend, "the id of a message")
	case keyRecv:
		return s.strings(opRecv, "the id of a message")
	case keyAfter:
		return s.strings(opAfter, "the id of an event")
	case keySync:
		return s.strings(opSync, "the id of a synchronisation")
	case keyID:
		return s.one(opID, "the id of the event")
	case keyTo:
		return s.to()
	case keyLabel:
		return s.one(opLabel, "a text")
	case keyTime:
		return s.time()
	case keyClock:
		return s.clock()
	case keyEdge:
		return s.edge()
	case keyLowerBound:
		return s.one(opLowerBound, "why causality is a lower bound")
	}
	return s.version()
}

// name numbers a name within the chunk.
func (s *scanner) name(text []byte) int32 {
	if s.last < 0 || string(s.names.At(s.last)) != string(text) {
		s.last = s.names.Intern(text)
	}
	return s.last
}

func (s *scanner) mustString(meant string) (uint64, bool) {
	if s.next() != '"' {
		return 0, s.wrongType(meant + ", a string,")
	}
	return s.string()
}

// wrongType fails because of the value at the position; null gets a word of its
// own.
func (s *scanner) wrongType(meant string) bool {
	if strings.HasPrefix(string(s.text[s.pos:min(s.pos+5, len(s.text))]), "null") {
		return s.fail(s.pos, "null where %s was expected (leave the key out instead)", meant)
	}
	return s.unexpected(meant)
}

// one scans one string.
func (s *scanner) one(kind opKind, meant string) bool {
	at := s.pos
	text, ok := s.mustString(meant)
	if ok {
		s.ops = append(s.ops, op{kind: kind, at: uint32(at), bits: text, value: valueString})
	}
	return ok
}

func (s *scanner) to() bool {
	at := s.pos
	text, ok := s.mustString("the name of a process")
	if ok {
		s.ops = append(s.ops, op{kind: opTo, at: uint32(at), name: s.name(s.str(text))})
	}
	return ok
}

// strings scans a string or an array of strings.
func (s *scanner) strings(kind opKind, meant string) bool {
	if s.text[s.pos] != '[' {
		if s.text[s.pos] != '"' {
			return s.wrongType(meant + ", a string, or an array of them")
		}
		return s.one(kind, meant)
	}
	s.pos++
	if s.next() == ']' {
		s.pos++
		return true
	}
	for {
		s.next()
		if !s.one(kind, meant) {
			return false
		}
		switch s.next() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return true
		default:
			return s.unexpected(`"," or "]"`)
		}
	}
}

// members scans an object; f scans the value of the member with that name.
func (s *scanner) members(meant string, f func(name int32, at int) bool) bool {
	if s.text[s.pos] != '{' {
		return s.wrongType("an object with " + meant)
	}
	s.mark++
	s.pos++
	if s.next() == '}' {
		s.pos++
		return true
	}
	for {
		if s.next() != '"' {
			return s.unexpected("a name in quotes")
		}
		at := s.pos
		text, ok := s.string()
		if !ok {
			return false
		}
		name := s.name(s.str(text))
		for int(name) >= len(s.marks) {
			s.marks = append(s.marks, 0)
		}
		if s.marks[name] == s.mark {
			return s.fail(at, "the key %q stands twice in one object", s.str(text))
		}
		s.marks[name] = s.mark
		if s.next() != ':' {
			return s.unexpected("a colon")
		}
		s.pos++
		s.next()
		if !f(name, at) {
			return false
		}
		switch s.next() {
		case ',':
			s.pos++
		case '}':
			s.pos++
			return true
		default:
			return s.unexpected(`"," or "}"`)
		}
	}
}

// variables scans an object of variables and values.
func (s *scanner) variables(kind opKind, meant string) bool {
	return s.members(meant, func(name int32, at int) bool {
		bits, value, ok := s.scalar()
		if ok {
			s.ops = append(s.ops, op{kind: kind, at: uint32(at), name: name, bits: bits, value: value})
		}
		return ok
	})
}

// scalar scans a number, a boolean or a string.
func (s *scanner) scalar() (uint64, valueKind, bool) {
	rest := s.text[s.pos:]
	switch b := rest[0]; {
	case b == '"':
		text, ok := s.string()
		return text, valueString, ok
	case b == '-' || '0' <= b && b <= '9':
		return s.numeral()
	case len(rest) > 4 && string(rest[:4]) == "true":
		s.pos += 4
		return 1, valueBool, s.endOfWord(s.pos - 4)
	case len(rest) > 5 && string(rest[:5]) == "false":
		s.pos += 5
		return 0, valueBool, s.endOfWord(s.pos - 5)
	}
	return 0, 0, s.wrongType("the value of a variable, a number, a boolean or a string,")
}

// endOfWord fails where the word or number that starts at start goes on.
func (s *scanner) endOfWord(start int) bool {
	end := s.pos
	for inWord(s.text[end]) {
		end++
	}
	if end > s.pos {
		return s.fail(start, "%q is no value of JSON", shorten(string(s.text[start:end])))
	}
	return true
}

func inWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '.' || b == '+' || b == '-'
}

func (s *scanner) clock() bool {
	return s.members("a count for each process", func(name int32, at int) bool {
		if b := s.text[s.pos]; b != '-' && (b < '0' || b > '9') {
			return s.wrongType("a count of events, an integer,")
		}
		start := s.pos
		bits, value, ok := s.numeral()
		if !ok {
			return false
		}
		if value == valueFloat || int64(bits) < 0 {
			return s.fail(start, "%s is no count of events", s.text[start:s.pos])
		}
		s.ops = append(s.ops, op{kind: opClock, at: uint32(at), name: name, bits: bits})
		return true
	})
}

func (s *scanner) time() bool {
	at := s.pos
	switch b := s.text[at]; {
	case b == '"':
		text, ok := s.string()
		if !ok {
			return false
		}
		t := s.str(text)
		if !validTime(t) {
			return s.fail(at, "%q is no time as in RFC 3339 (like 2006-01-02T15:04:05.999Z)", t)
		}
		s.ops = append(s.ops, op{kind: opTime, at: uint32(at), bits: text, value: valueString})
		return true
	case b == '-' || '0' <= b && b <= '9':
		if _, _, ok := s.numeral(); !ok {
			return false
		}
		s.ops = append(s.ops, op{kind: opTime, at: uint32(at), bits: span(at, s.pos-at), value: valueFloat})
		return true
	}
	return s.wrongType("a time, a number or an RFC 3339 string,")
}

func validTime(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, unsafe.String(&text[0], len(text)))
	return err == nil
}

func (s *scanner) edge() bool {
	at, first := s.pos, len(s.ops)
	if s.text[at] != '[' {
		return s.wrongType("an array of two ids of events")
	}
	if !s.strings(opEdge, "the id of an event") {
		return false
	}
	if n := len(s.ops) - first; n != 2 {
		s.ops = s.ops[:first]
		return s.fail(at, "an edge has two ends, not %d", n)
	}
	return true
}

func (s *scanner) version() bool {
	at := s.pos
	if b := s.text[at]; b != '-' && (b < '0' || b > '9') {
		return s.wrongType("the version of the format, 1,")
	}
	bits, value, ok := s.numeral()
	if !ok {
		return false
	}
	if value != valueInt || bits != 1 {
		return s.fail(at, "the format has version %s (this reader knows version 1)", s.text[at:s.pos])
	}
	return true
}
