package native

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/timer"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/execution"
	"github.com/pota-project/pota/graphs/trace/internal/jsonline"
)

// A key is the number of a key of a line in lineKeys.
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
	keyTimer
	keyClockID
	keyLowerBound
	keyClosed
	noKey
)

// lineKeys has, for each key, the function that scans its value, the kind of its ops, and a
// description for errors.
var lineKeys = [noKey]struct {
	name  string
	scan  func(s *scanner, kind opKind, meant string)
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
	keyTime:       {"time", (*scanner).times, opTime, "a time, a number or an RFC 3339 string,"},
	keyTimer:      {"timer", (*scanner).timers, opTimer, "the timers that the event starts"},
	keyClockID:    {"clock_id", (*scanner).one, opClockID, "the clock that the process reads its times from"},
	keyLowerBound: {"lower_bound", (*scanner).one, opLowerBound, "why causality is a lower bound"},
	keyClosed:     {"closed", (*scanner).closed, 0, "true"},
}

// keyOf returns the key with that name, or noKey if there is none.
func keyOf(name []byte) key {
	// A linear search among nineteen names, for keys that plainKey does not recognize.
	for k := range noKey {
		if lineKeys[k].name == string(name) {
			return k
		}
	}
	return noKey
}

// keys is a set of keys, with one bit for each.
type keys uint32

func (ks keys) has(k key) bool { return ks>>k&1 != 0 }

const (
	headerKeys  keys = 1<<keyPota | 1<<keyLowerBound
	processKeys keys = 1<<keyProcess | 1<<keyInit | 1<<keyClockID
	sharedKeys  keys = 1 << keyShared
	edgeKeys    keys = 1 << keyEdge
	closedKeys  keys = 1<<keyProcess | 1<<keyClosed
	// All keys that do not belong to another kind of line, so that a new key belongs to events by
	// default.
	eventKeys = ^(headerKeys | 1<<keyInit | sharedKeys | edgeKeys | 1<<keyClosed)
)

// A scanError is a mistake at a line and an offset of a chunk.
type scanError struct {
	line, at int
	msg      string
}

// A scanner turns the text of a chunk into lines and ops.
type scanner struct {
	jsonline.Scanner
	*chunk
	number int // the number of the line, from 0

	// marks and mark detect repeated names in an object without clearing a set for each.
	marks []uint32
	mark  uint32
	keyAt [noKey]int // the offset of the value of each key in the line
	name  int32      // the name of the process of the line, -1 if there is none
	keyed bool       // whether the line names its execution
}

// scan scans a piece up to its first error.
func (c *chunk) scan(p *trace.Piece) {
	c.reset(p.Text, p.NoEnd)
	s := scanner{Scanner: jsonline.Scanner{Text: c.text}, chunk: c}
	// One mistake ends the chunk, because the text after it may be misread.
	for s.Pos < len(c.text) {
		if !s.line() {
			break
		}
		s.number++
	}
	c.count = s.number
	if s.Err == nil {
		return
	}
	c.err = &scanError{s.number, s.Err.At, s.Err.Msg}
	// A file that is still being written ends within a line; only then name the remedy.
	text := bytes.TrimSuffix(c.text, []byte("\n"))
	last := bytes.LastIndexByte(text, '\n') + 1
	if c.noEnd && s.Err.At >= last && trace.Unfinished(text[last:]) {
		c.err.msg += " (the last line has no end: the file looks cut off; use --allow-truncated to read what comes before it)"
	}
}

// line scans one line with its end.
func (s *scanner) line() bool {
	switch s.Next() {
	case '\n':
		s.Pos++
		return true
	case '{':
	default:
		return s.Unexpected("a JSON object")
	}
	start := s.Pos
	// The ops before the line, to which a mistake returns.
	ops := len(s.ops)
	s.Pos++
	var all keys
	s.name, s.keyed = -1, false
	if s.Next() == '}' {
		return s.Fail(start, `an empty object: a line needs "process", "shared", "edge" or "pota"`)
	}

	for again := true; again; again = s.More('}') {
		at := s.Pos
		k := s.plainKey()
		if k == noKey {
			var key jsonline.String
			var ok bool
			if at, key, ok = s.Key("a key in quotes"); !ok {
				return false
			}
			name := s.str(s.meaning(key))
			switch k = keyOf(name); {
			case k != noKey:
			// The user chooses the key of executions, so no table has it.
			case s.executionKey == "" || string(name) != s.executionKey:
				return s.unknownKey(at, name)
			default:
				if s.execution(at); s.Err != nil {
					return false
				}
				continue
			}
		}
		if all.has(k) {
			return s.Fail(at, "the key %q occurs twice in one line", lineKeys[k].name)
		}
		all |= 1 << k
		s.keyAt[k] = s.Pos
		form := &lineKeys[k]
		if form.scan(s, form.kind, form.meant); s.Err != nil {
			return false
		}
	}
	if s.Err != nil {
		return false
	}
	if s.Next() != '\n' {
		return s.Fail(s.Pos, jsonline.TextAfter)
	}
	s.Pos++

	// A line with a mistake leaves no ops behind.
	kind, main, ok := s.kind(all, start)
	if ok && s.executionKey != "" && !s.keyed && kind != headerLine {
		ok = s.Fail(start, "%v", execution.Missing(s.executionKey))
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

// plainKey scans a frequent key with its colon, if it is written without a space or an escape, and
// returns noKey otherwise.
func (s *scanner) plainKey() key {
	rest := s.Text[s.Pos:]

	// Comparing constants takes a few machine words each, less than scanning a string and looking
	// it up.
	if len(rest) < len(`"process":"`) { // a value has at least one byte
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
	s.Pos += n
	s.Next()
	return k
}

// kind returns the kind of a line with the given keys, and its main key.
func (s *scanner) kind(all keys, start int) (lineKind, key, bool) {
	// Most lines are events; one bit operation recognizes them.
	if all&^eventKeys == 0 && all.has(keyProcess) {
		return eventLine, keyProcess, true
	}
	// A line with only the key of executions and "closed" ends an execution, not a process.
	if s.keyed && all == 1<<keyClosed {
		return endLine, keyClosed, true
	}

	f := forms[len(forms)-1]
	for _, form := range forms {
		if all.has(form.main) {
			f = form
			break
		}
	}
	// Report missing keys before superfluous ones, because the usual mistake is a forgotten
	// process.
	if f.allowed.has(keyProcess) && !all.has(keyProcess) {
		const msg = `"process" is missing: an event or declaration must name its process`
		return 0, 0, s.Fail(start, msg)
	}
	if !all.has(f.main) {
		f.what = "an event"
	}
	for k := range noKey {
		if all.has(k) && !f.allowed.has(k) {
			return 0, 0, s.Fail(s.keyAt[k], "%s has no %q", f.what, lineKeys[k].name)
		}
	}
	return f.kind, f.main, true
}

// forms are the kinds of lines other than events. The form of a line is the first one whose main
// key it has, or else the last one.
var forms = [...]struct {
	kind    lineKind
	main    key
	allowed keys
	what    string
}{
	{headerLine, keyPota, headerKeys, "a header"},
	{sharedLine, keyShared, sharedKeys, "a declaration of shared variables"},
	{edgeLine, keyEdge, edgeKeys, "an edge line"},
	{closedLine, keyClosed, closedKeys, `the end of a process (a line with "closed")`},
	{processLine, keyInit, processKeys, `a declaration (a line with "init")`},
}

// synonyms maps words that other formats use to keys.
var synonyms = map[string]string{
	"receive": "recv", "received": "recv", "sends": "send", "message": "send",
	"variables": "set", "assign": "set", "values": "set", "initial": "init",
	"host": "process", "node": "process", "timestamp": "time", "event": "label",
	"destination": "to", "vector": "clock",
}

// unknownKey refuses a key and suggests a known one: a near miss, or the key for which the name is
// nearly a synonym.
func (s *scanner) unknownKey(at int, name []byte) bool {
	var names []string
	for _, k := range lineKeys {
		names = append(names, k.name)
	}
	meant := string(name)
	// A near miss of a key is the better hint.
	if nearmiss.Find(meant, names) == "" {
		if near := nearmiss.Find(meant, slices.Sorted(maps.Keys(synonyms))); near != "" {
			meant = synonyms[near]
		}
	}
	return s.Fail(at, "unknown key %q%s", name, nearmiss.HintOrList(meant, names))
}

// The functions below scan a value. After a mistake s.Err is set, which ends the scan, so their
// results are not used.

// process scans the process of the line.
func (s *scanner) process(_ opKind, meant string) {
	s.name = s.names.Intern(s.str(s.mustString(meant)))
}

// execution scans the name of the execution of a line, a string or a number.
func (s *scanner) execution(key int) {
	if s.keyed {
		s.Fail(key, "%v", execution.Repeated(s.executionKey))
		return
	}
	s.keyed = true
	at := s.Pos
	text, _ := s.word("the execution of the line, a string or a number,")
	if len(s.str(text)) == 0 {
		s.Fail(at, "%v", execution.ErrEmpty)
	}
	s.ops = append(s.ops, op{kind: opExecution, at: uint32(at), bits: text, value: valueString})
}

// atNumber reports whether a number begins at the position.
func (s *scanner) atNumber() bool {
	b := s.Text[s.Pos]
	return b == '-' || '0' <= b && b <= '9'
}

// atWord reports whether the given word is at the position, and skips it if so.
func (s *scanner) atWord(word string) bool {
	rest := s.Text[s.Pos:]
	if len(rest) <= len(word) || string(rest[:len(word)]) != word {
		return false
	}
	s.Pos += len(word)
	s.EndOfWord(s.Pos - len(word))
	return true
}

// word scans a string, or a number whose spelling it keeps, because names and times are compared as
// text.
func (s *scanner) word(meant string) (text uint64, value valueKind) {
	at := s.Pos
	switch {
	case s.Text[at] == '"':
		return s.string(), valueString
	case s.atNumber():
		s.numeral()
		return span(at, s.Pos-at), valueFloat
	}
	s.WrongType(meant)
	return 0, 0
}

// mustString scans a string and refuses other values.
func (s *scanner) mustString(meant string) uint64 {
	if s.Next() != '"' {
		s.WrongType(meant + ", a string,")
		return 0
	}
	return s.string()
}

// one scans one string.
func (s *scanner) one(kind opKind, meant string) {
	at := uint32(s.Pos)
	s.ops = append(s.ops, op{kind: kind, at: at, bits: s.mustString(meant), value: valueString})
}

// to scans the receiver of an event's messages.
func (s *scanner) to(kind opKind, meant string) {
	at := uint32(s.Pos)
	s.ops = append(s.ops, op{kind: kind, at: at, name: s.names.Intern(s.str(s.mustString(meant)))})
}

// strings scans a string or an array of strings.
func (s *scanner) strings(kind opKind, meant string) {
	switch s.Text[s.Pos] {
	case '[':
		s.Array(func(int) { s.one(kind, meant) })
	case '"':
		s.one(kind, meant)
	default:
		// The error names both forms.
		s.WrongType(meant + ", a string, or an array of them")
	}
}

// members scans an object; f scans the value of the member with that name.
func (s *scanner) members(meant string, f func(name int32, at int)) {
	if s.Text[s.Pos] != '{' {
		s.WrongType("an object with " + meant)
		return
	}

	// marks[name] is the mark of the last object with that key: if it is this object's, the key is
	// repeated.
	s.mark++
	mark := s.mark // nested objects have other marks
	s.Object(func(at int, key jsonline.String) {
		text := s.str(s.meaning(key))
		name := s.names.Intern(text)
		for int(name) >= len(s.marks) {
			s.marks = append(s.marks, 0)
		}
		if s.marks[name] == mark {
			s.Fail(at, "the key %q occurs twice in one object", text)
			return
		}
		s.marks[name] = mark
		f(name, at)
	})
}

// variables scans an object of variables with their values.
func (s *scanner) variables(kind opKind, meant string) {
	s.members(meant, func(name int32, at int) {
		o := op{kind: kind, at: uint32(at), name: name}
		o.bits, o.value = s.scalar()
		s.ops = append(s.ops, o)
	})
}

// scalar scans a number, a boolean or a string.
func (s *scanner) scalar() (uint64, valueKind) {
	switch {
	case s.Text[s.Pos] == '"':
		return s.string(), valueString
	case s.atNumber():
		return s.numeral()
	case s.atWord("true"):
		return 1, valueBool
	case s.atWord("false"):
		return 0, valueBool
	}
	s.WrongType("the value of a variable, a number, a boolean or a string,")
	return 0, 0
}

// clock scans a vector clock.
func (s *scanner) clock(kind opKind, meant string) {
	s.members(meant, func(name int32, at int) {
		if !s.atNumber() {
			s.WrongType("a count of events, an integer,")
			return
		}
		start := s.Pos
		bits, value := s.numeral()
		// numeral returns the bits of an int64, so a negative count has a negative sign.
		if value == valueFloat || int64(bits) < 0 {
			const msg = "a count of events must be an integer of at least 0, not %s"
			s.Fail(start, msg, s.Text[start:s.Pos])
		}
		s.ops = append(s.ops, op{kind: kind, at: uint32(at), name: name, bits: bits})
	})
}

// times scans a wall-clock time, or an array of the earliest and the latest time if the clock knows
// its error.
func (s *scanner) times(kind opKind, meant string) {
	at, first := s.Pos, len(s.ops)
	if s.Text[at] != '[' {
		s.time(kind, meant)
		return
	}
	if !s.Array(func(int) { s.time(opLatest, meant) }) {
		return
	}
	ends := s.ops[first:]
	if len(ends) != 2 {
		s.Fail(at, "an interval of times has the earliest and the latest, not %d", len(ends))
		return
	}
	ends[0].kind = kind
	s.ordered(at, ends)
}

// ordered checks the two times of an interval.
func (s *scanner) ordered(at int, ends []op) {
	earliest, latest := timeText(s.chunk, ends[0]), timeText(s.chunk, ends[1])
	if ends[0].value != ends[1].value {
		s.Fail(at, "%v", admission.IntervalMixed.Broken(earliest, latest))
		return
	}
	// Most are UTC times of equal length, which compare like their texts.
	utc := func(text string) bool { return strings.HasSuffix(text, `Z"`) && !strings.Contains(text, ",") }
	if len(earliest) == len(latest) && earliest <= latest && utc(earliest) && utc(latest) {
		return
	}
	// Code that compares times reports those out of range.
	from, ok := graphs.ParseTime(earliest, time.Second)
	to, ok2 := graphs.ParseTime(latest, time.Second)
	if ok && ok2 && to < from {
		s.Fail(at, "%v", admission.IntervalEnds.Broken(earliest, latest))
	}
}

// timers scans an object of the timers that an event starts or cancels.
func (s *scanner) timers(kind opKind, meant string) {
	s.members(meant, func(name int32, at int) {
		if s.atWord("null") {
			s.ops = append(s.ops, op{kind: opCancel, at: uint32(at), name: name})
			return
		}
		s.ops = append(s.ops, op{kind: kind, at: uint32(at), name: name})
		s.timer(name, at)
	})
}

// timer scans when a timer is due, and which variables it sets.
func (s *scanner) timer(name int32, at int) {
	said := 0
	s.members("when the timer ends, and what it sets then,", func(key int32, at int) {
		switch word := string(s.names.At(key)); word {
		case "in":
			said++
			s.duration()
		case "at":
			said++
			first := len(s.ops)
			s.times(opTimerAt, "the time when the timer ends, a number or an RFC 3339 string,")
			for i := first + 1; i < len(s.ops); i++ {
				s.ops[i].kind = opTimerLatest
			}
		case "set":
			s.variables(opTimerSet, "the variables that the timer sets")
		default:
			hint := nearmiss.HintOrList(word, []string{"in", "at", "set"})
			s.Fail(at, "a timer has no %q%s", word, hint)
		}
	})
	if said != 1 {
		const msg = `timer %q needs "in", how long after the event it ends, or "at", the time`
		s.Fail(at, msg, s.names.At(name))
	}
}

// duration scans how long a timer runs.
func (s *scanner) duration() {
	at := s.Pos
	text, value := s.word("a duration, such as \"10s\", or a number in the unit of times,")
	if _, ok := timer.ParseDuration(string(s.str(text)), time.Second); !ok {
		const msg = `%q is not a duration such as "10s" or "1.5s", or a number of at least 0`
		s.Fail(at, msg, s.str(text))
	}
	s.ops = append(s.ops, op{kind: opTimerIn, at: uint32(at), bits: text, value: value})
}

// time scans a wall-clock time, and keeps its text.
func (s *scanner) time(kind opKind, meant string) {
	at := s.Pos
	text, value := s.word(meant)
	if value == valueString && !validTime(s.str(text)) {
		s.Fail(at, "%q is not an RFC 3339 time (such as 2006-01-02T15:04:05.999Z)", s.str(text))
	}
	s.ops = append(s.ops, op{kind: kind, at: uint32(at), bits: text, value: value})
}

// validTime reports whether a text is a time of RFC 3339.
func validTime(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, unsafe.String(&text[0], len(text)))
	return err == nil
}

// edge scans the two ends of an edge.
func (s *scanner) edge(kind opKind, meant string) {
	at, first := s.Pos, len(s.ops)
	if s.Text[at] != '[' {
		s.WrongType("an array of two ids of events")
		return
	}
	s.strings(kind, meant)
	if n := len(s.ops) - first; n != 2 {
		// Remove the ops of a wrong edge, so that they do not become those of the next line.
		s.ops = s.ops[:first]
		s.Fail(at, "an edge must have two ends, not %d", n)
	}
}

// closed scans the value of "closed", which must be true; false would say nothing.
func (s *scanner) closed(_ opKind, meant string) {
	if !s.atWord("true") {
		s.WrongType(meant)
	}
}

// version scans the version of the format.
func (s *scanner) version(_ opKind, meant string) {
	at := s.Pos
	if !s.atNumber() {
		s.WrongType(meant)
		return
	}
	if bits, value := s.numeral(); value != valueInt || bits != 1 {
		s.Fail(at, "the format has version %s (this reader knows version 1)", s.Text[at:s.Pos])
	}
}

// string scans the string that starts at the position and returns its span.
func (s *scanner) string() uint64 {
	if str, ok := s.Quoted(); ok {
		return s.meaning(str)
	}
	return 0
}

// meaning returns the span of a decoded string. A string without escapes needs no copy.
func (s *scanner) meaning(str jsonline.String) uint64 {
	if !str.Escaped {
		return span(str.From, str.To-str.From)
	}
	from := len(s.decoded)
	s.decoded = s.AppendDecoded(s.decoded, str)
	return span(len(s.Text)+from, len(s.decoded)-from)
}

// numeral scans a JSON number: an integer of 64 bits, or else a float64.
func (s *scanner) numeral() (uint64, valueKind) {
	n, ok := s.Number()
	if !ok || !s.EndOfWord(n.From) {
		return 0, 0
	}
	// Any 18 digits fit into an int64, so Abs has not overflowed.
	if n.Integer && n.Digits <= 18 {
		if n.Negative {
			n.Abs = -n.Abs
		}
		return n.Abs, valueInt
	}

	// No copy is needed, because strconv keeps no reference to the text.
	word := unsafe.String(&s.Text[n.From], n.To-n.From)
	if n.Integer {
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			return uint64(n), valueInt
		}
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil {
		s.Fail(n.From, "the number %s is beyond the range of float64", jsonline.Shorten(word))
	}
	// 1e3 and 2.0 are integers, because formulas compare values and not spellings. Up to 2^53 the
	// conversion is exact.
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return uint64(int64(f)), valueInt
	}
	return math.Float64bits(f), valueFloat
}
