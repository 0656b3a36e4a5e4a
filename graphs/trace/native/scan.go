package native

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/pota-project/pota/graphs/internal/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
)

// key is a key of a line, by its number in lineKeys.
type key uint8

const (
	keyPota key = iota
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
	keyClosed
	noKey
)

// lineKeys has for each key what scans its value, into which ops, and what is meant by
// it.
var lineKeys = [noKey]struct {
	name  string
	scan  func(s *scanner, kind opKind, meant string) bool
	kind  opKind
	meant string
}{
	keyPota:       {"pota", (*scanner).version, 0, "the version of the format, 1,"},
	keyProcess:    {"process", (*scanner).process, 0, "the name of a process"},
	keyInit:       {"init", (*scanner).variables, opInit, "the initial values of variables"},
	keyShared:     {"shared", (*scanner).variables, opShared, "shared variables and their initial values"},
	keyEdge:       {"edge", (*scanner).edge, opEdge, "the id of an event"},
	keyID:         {"id", (*scanner).one, opID, "the id of the event"},
	keySet:        {"set", (*scanner).variables, opSet, "the variables that the event sets"},
	keySend:       {"send", (*scanner).strings, opSend, "the id of a message"},
	keyTo:         {"to", (*scanner).to, opTo, "the name of a process"},
	keyRecv:       {"recv", (*scanner).strings, opRecv, "the id of a message"},
	keyAfter:      {"after", (*scanner).strings, opAfter, "the id of an event"},
	keySync:       {"sync", (*scanner).strings, opSync, "the id of a synchronisation"},
	keyClock:      {"clock", (*scanner).clock, opClock, "a count for each process"},
	keyLabel:      {"label", (*scanner).one, opLabel, "a text"},
	keyTime:       {"time", (*scanner).time, opTime, "a time, a number or an RFC 3339 string,"},
	keyLowerBound: {"lower_bound", (*scanner).one, opLowerBound, "why causality is a lower bound"},
	keyClosed:     {"closed", (*scanner).closed, 0, "true"},
}

// keyOf returns the key with that name, noKey where there is none.
func keyOf(name []byte) key {
	for k := range noKey {
		if lineKeys[k].name == string(name) {
			return k
		}
	}
	return noKey
}

// keys is a set of keys, a bit for each.
type keys uint32

func (ks keys) has(k key) bool { return ks>>k&1 != 0 }

const (
	headerKeys  keys = 1<<keyPota | 1<<keyLowerBound
	processKeys keys = 1<<keyProcess | 1<<keyInit
	sharedKeys  keys = 1 << keyShared
	edgeKeys    keys = 1 << keyEdge
	closedKeys  keys = 1<<keyProcess | 1<<keyClosed
	eventKeys        = ^(headerKeys | 1<<keyInit | sharedKeys | edgeKeys | 1<<keyClosed)
)

// scanError is what is wrong at a place of a chunk.
type scanError struct {
	line, at int
	msg      string
}

// scanner turns the text of a chunk into lines and ops.
type scanner struct {
	*chunk
	pos    int
	number int // of the line, from 0

	marks []uint32
	mark  uint32
	keyAt [noKey]int // where the value of each key of the line starts
	name  int32      // of the process of the line, -1 for none
	keyed bool       // the line names its execution
}

// scan scans a piece up to its first error.
func (c *chunk) scan(p *trace.Piece) {
	c.reset(p.Text, p.NoEnd)
	s := scanner{chunk: c}
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
	if b := s.text[s.pos]; b > ' ' {
		return b
	}
	return s.space()
}

func (s *scanner) space() byte {
	for {
		switch b := s.text[s.pos]; b {
		case ' ', '\t', '\r':
			s.pos++
		default:
			return b
		}
	}
}

// unexpected fails because what is at the position is not what was meant.
func (s *scanner) unexpected(meant string) bool {
	if s.next() == '\n' {
		return s.fail(s.pos, "the line ends where %s was expected", meant)
	}
	return s.fail(s.pos, "%s where %s was expected", s.token(), meant)
}

// token describes what is at the position.
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
	var all keys
	s.name, s.keyed = -1, false
	if s.next() == '}' {
		return s.fail(start, `an empty object: a line needs "process", "shared", "edge" or "pota"`)
	}
	for again := true; again; again = s.more('}') {
		at := s.pos
		k := s.plainKey()
		if k == noKey {
			var name uint64
			var ok bool
			if at, name, ok = s.key("a key in quotes"); !ok {
				return false
			}
			k = keyOf(s.str(name))
			if k == noKey && s.executionKey != "" && string(s.str(name)) == s.executionKey {
				if !s.execution(at) {
					return false
				}
				continue
			}
			if k == noKey {
				return s.unknownKey(at, s.str(name))
			}
		}
		if all.has(k) {
			return s.fail(at, "the key %q occurs twice in one line", lineKeys[k].name)
		}
		all |= 1 << k
		s.keyAt[k] = s.pos
		if form := &lineKeys[k]; !form.scan(s, form.kind, form.meant) {
			return false
		}
	}
	if s.err != nil {
		return false
	}
	if s.next() != '\n' {
		return s.fail(s.pos, "text after the object: a line must hold one JSON object and nothing else")
	}
	s.pos++
	kind, main, ok := s.kind(all, start)
	if ok && s.executionKey != "" && !s.keyed && kind != headerLine {
		ok = s.fail(start, "%q is missing: a line must say of which execution it is", s.executionKey)
	}
	if !ok {
		s.ops = s.ops[:ops]
		return false
	}
	s.lines = append(s.lines, line{
		number: uint32(s.number), at: uint32(s.keyAt[main]),
		name: s.name, ops: uint32(len(s.ops)), kind: kind,
	})
	return true
}

// key scans a key with its colon, and returns its place and its span.
func (s *scanner) key(meant string) (at int, span uint64, ok bool) {
	if s.next() != '"' {
		return 0, 0, s.unexpected(meant)
	}
	at = s.pos
	if span, ok = s.string(); !ok {
		return 0, 0, false
	}
	if s.next() != ':' {
		return 0, 0, s.unexpected("a colon")
	}
	s.pos++
	s.next()
	return at, span, true
}

// plainKey scans one of the keys of most lines with its colon, where they are written
// without a space or an escape; it is noKey where they are not.
func (s *scanner) plainKey() key {
	rest := s.text[s.pos:]
	if len(rest) < len(`"process":"`) { // a value has at least a byte
		return noKey
	}
	k, n := noKey, 0
	switch {
	case string(rest[:10]) == `"process":`:
		k, n = keyProcess, 10
	case string(rest[:6]) == `"set":`:
		k, n = keySet, 6
	case string(rest[:7]) == `"send":`:
		k, n = keySend, 7
	case string(rest[:7]) == `"recv":`:
		k, n = keyRecv, 7
	case string(rest[:5]) == `"to":`:
		k, n = keyTo, 5
	case string(rest[:5]) == `"id":`:
		k, n = keyID, 5
	case string(rest[:7]) == `"time":`:
		k, n = keyTime, 7
	case string(rest[:8]) == `"clock":`:
		k, n = keyClock, 8
	case string(rest[:8]) == `"after":`:
		k, n = keyAfter, 8
	default:
		return noKey
	}
	s.pos += n
	s.next()
	return k
}

// more goes past a comma, or else past the bracket that ends an object or an array and
// reports false; so it does after a failure.
func (s *scanner) more(end byte) bool {
	if s.text[s.pos] == ',' {
		s.pos++
		return true
	}
	return s.spacedMore(end)
}

func (s *scanner) spacedMore(end byte) bool {
	switch b := s.next(); b {
	case ',', end:
		s.pos++
		return b == ','
	}
	return s.unexpected(`"," or "` + string(rune(end)) + `"`)
}

// kind tells the kind of line from its keys, and its main key.
func (s *scanner) kind(all keys, start int) (lineKind, key, bool) {
	var kind lineKind
	var main key
	var allowed keys
	var what string
	switch {
	case all&^eventKeys == 0 && all.has(keyProcess):
		return eventLine, keyProcess, true
	case s.keyed && all == 1<<keyClosed:
		return endLine, keyClosed, true
	case all.has(keyPota):
		kind, main, allowed, what = headerLine, keyPota, headerKeys, "a header"
	case all.has(keyShared):
		kind, main, allowed, what = sharedLine, keyShared, sharedKeys, "a declaration of shared variables"
	case all.has(keyEdge):
		kind, main, allowed, what = edgeLine, keyEdge, edgeKeys, "an edge line"
	case !all.has(keyProcess):
		return 0, 0, s.fail(start, `"process" is missing: an event or declaration must name its process`)
	case all.has(keyClosed):
		kind, main, allowed, what = closedLine, keyClosed, closedKeys, `the end of a process (a line with "closed")`
	default:
		kind, main, allowed, what = processLine, keyInit, processKeys, `a declaration (a line with "init")`
	}
	for k := range noKey {
		if all.has(k) && !allowed.has(k) && kind == processLine && !all.has(keyInit) {
			return 0, 0, s.fail(s.keyAt[k], "an event has no %q", lineKeys[k].name)
		}
		if all.has(k) && !allowed.has(k) {
			return 0, 0, s.fail(s.keyAt[k], "%s has no %q", what, lineKeys[k].name)
		}
	}
	return kind, main, true
}

// synonyms are words that other formats use for keys.
var synonyms = map[string]string{
	"receive": "recv", "received": "recv", "sends": "send", "message": "send",
	"variables": "set", "assign": "set", "values": "set", "initial": "init",
	"host": "process", "node": "process", "timestamp": "time", "event": "label",
	"destination": "to", "vector": "clock",
}

func (s *scanner) unknownKey(at int, name []byte) bool {
	var names []string
	for _, k := range lineKeys {
		names = append(names, k.name)
	}
	meant := string(name)
	if nearmiss.Find(meant, names) == "" {
		if near := nearmiss.Find(meant, slices.Sorted(maps.Keys(synonyms))); near != "" {
			meant = synonyms[near]
		}
	}
	return s.fail(at, "unknown key %q%s", name, nearmiss.HintOrList(meant, names))
}

// process scans the process of the line.
func (s *scanner) process(_ opKind, meant string) bool {
	text, ok := s.mustString(meant)
	if ok {
		s.name = s.names.Intern(s.str(text))
	}
	return ok
}

// execution scans the execution that a line is of, a string or an integer.
func (s *scanner) execution(key int) bool {
	if s.keyed {
		return s.fail(key, "the key %q occurs twice in one line", s.executionKey)
	}
	s.keyed = true
	at := s.pos
	var text uint64
	var ok bool
	switch b := s.text[at]; {
	case b == '-' || '0' <= b && b <= '9':
		if _, _, ok = s.numeral(); ok {
			text = span(at, s.pos-at)
		}
	case b == '"':
		text, ok = s.string()
	default:
		return s.wrongType("the execution of the line, a string or a number,")
	}
	if ok && len(s.str(text)) == 0 {
		return s.fail(at, "the execution of a line must not be empty")
	}
	s.ops = append(s.ops, op{kind: opExecution, at: uint32(at), bits: text, value: valueString})
	return ok
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

func (s *scanner) to(kind opKind, meant string) bool {
	at := s.pos
	text, ok := s.mustString(meant)
	if ok {
		s.ops = append(s.ops, op{kind: kind, at: uint32(at), name: s.names.Intern(s.str(text))})
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
	for again := true; again; again = s.more(']') {
		s.next()
		if !s.one(kind, meant) {
			return false
		}
	}
	return s.err == nil
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
	for again := true; again; again = s.more('}') {
		at, text, ok := s.key("a name in quotes")
		if !ok {
			return false
		}
		name := s.names.Intern(s.str(text))
		for int(name) >= len(s.marks) {
			s.marks = append(s.marks, 0)
		}
		if s.marks[name] == s.mark {
			return s.fail(at, "the key %q occurs twice in one object", s.str(text))
		}
		s.marks[name] = s.mark
		if !f(name, at) {
			return false
		}
	}
	return s.err == nil
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
		return s.fail(start, "%q is not a JSON value", shorten(string(s.text[start:end])))
	}
	return true
}

func inWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '.' || b == '+' || b == '-'
}

func (s *scanner) clock(kind opKind, meant string) bool {
	return s.members(meant, func(name int32, at int) bool {
		if b := s.text[s.pos]; b != '-' && (b < '0' || b > '9') {
			return s.wrongType("a count of events, an integer,")
		}
		start := s.pos
		bits, value, ok := s.numeral()
		if !ok {
			return false
		}
		if value == valueFloat || int64(bits) < 0 {
			return s.fail(start, "a count of events must be an integer of at least 0, not %s", s.text[start:s.pos])
		}
		s.ops = append(s.ops, op{kind: kind, at: uint32(at), name: name, bits: bits})
		return true
	})
}

func (s *scanner) time(kind opKind, meant string) bool {
	at := s.pos
	switch b := s.text[at]; {
	case b == '"':
		text, ok := s.string()
		if !ok {
			return false
		}
		t := s.str(text)
		if !validTime(t) {
			return s.fail(at, "%q is not an RFC 3339 time (such as 2006-01-02T15:04:05.999Z)", t)
		}
		s.ops = append(s.ops, op{kind: kind, at: uint32(at), bits: text, value: valueString})
		return true
	case b == '-' || '0' <= b && b <= '9':
		if _, _, ok := s.numeral(); !ok {
			return false
		}
		s.ops = append(s.ops, op{kind: kind, at: uint32(at), bits: span(at, s.pos-at), value: valueFloat})
		return true
	}
	return s.wrongType(meant)
}

func validTime(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, unsafe.String(&text[0], len(text)))
	return err == nil
}

func (s *scanner) edge(kind opKind, meant string) bool {
	at, first := s.pos, len(s.ops)
	if s.text[at] != '[' {
		return s.wrongType("an array of two ids of events")
	}
	if !s.strings(kind, meant) {
		return false
	}
	if n := len(s.ops) - first; n != 2 {
		s.ops = s.ops[:first]
		return s.fail(at, "an edge must have two ends, not %d", n)
	}
	return true
}

func (s *scanner) closed(_ opKind, meant string) bool {
	if rest := s.text[s.pos:]; len(rest) > 4 && string(rest[:4]) == "true" {
		s.pos += 4
		return s.endOfWord(s.pos - 4)
	}
	return s.wrongType(meant)
}

func (s *scanner) version(_ opKind, meant string) bool {
	at := s.pos
	if b := s.text[at]; b != '-' && (b < '0' || b > '9') {
		return s.wrongType(meant)
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
