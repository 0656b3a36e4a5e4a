package order

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs/trace/internal/nearmiss"
)

// scanner reads a line of an order file: an object whose values are strings or
// arrays of strings.
type scanner struct {
	text []byte
	pos  int
	at   int // place of what is wrong
	msg  string
}

var keys = []string{"edge", "by", "processes"}

func (s *scanner) fail(at int, format string, args ...any) bool {
	s.at, s.msg = at, fmt.Sprintf(format, args...)
	return false
}

// column returns the column of a place.
func (s *scanner) column(at int) int { return utf8.RuneCount(s.text[:at]) + 1 }

// next skips white space and returns the byte that follows, 0 at the end.
func (s *scanner) next() byte {
	for s.pos < len(s.text) {
		switch b := s.text[s.pos]; b {
		case ' ', '\t', '\r':
			s.pos++
		default:
			return b
		}
	}
	return 0
}

func (s *scanner) unexpected(meant string) bool {
	if s.next(); s.pos == len(s.text) {
		return s.fail(s.pos, "the line ends where %s was expected", meant)
	}
	r, n := utf8.DecodeRune(s.text[s.pos:])
	if r == utf8.RuneError && n == 1 {
		return s.fail(s.pos, "the byte 0x%02X is not UTF-8", s.text[s.pos])
	}
	return s.fail(s.pos, "%q where %s was expected", r, meant)
}

func (s *scanner) statement() (st statement, ok bool) {
	if s.next() != '{' {
		return st, s.unexpected(`an object such as {"edge":["e1","e2"]}`)
	}
	start := s.pos
	s.pos++
	at := make(map[string]int) // of the keys
	for s.next() != '}' || len(at) > 0 {
		if s.next() != '"' {
			return st, s.unexpected("a key in quotes")
		}
		key, ok := s.string()
		if !ok {
			return st, false
		}
		here := s.before(key)
		if _, twice := at[key.text]; twice {
			return st, s.fail(here, "the key %q stands twice in one line", key.text)
		}
		at[key.text] = here
		if s.next() != ':' {
			return st, s.unexpected("a colon")
		}
		s.pos++
		if !s.value(&st, key) {
			return st, false
		}
		if s.next() != ',' {
			break
		}
		s.pos++
	}
	if s.next() != '}' {
		return st, s.unexpected(`"," or "}"`)
	}
	s.pos++
	if s.next(); s.pos < len(s.text) {
		return st, s.fail(s.pos, "text after the object: a line must hold one JSON object and nothing else")
	}
	_, edge := at["edge"]
	by, hasBy := at["by"]
	processes, restricted := at["processes"]
	switch {
	case edge && hasBy:
		return st, s.fail(by, `a line has "edge" or "by", not both`)
	case edge && restricted:
		return st, s.fail(processes, `"processes" goes with "by", not with "edge"`)
	case !edge && !hasBy:
		return st, s.fail(start, `neither "edge" nor "by": a line orders events, or assignments of a variable`)
	}
	return st, true
}

// before returns the place of a word.
func (s *scanner) before(w word) int {
	at := 0
	for range w.column - 1 {
		_, n := utf8.DecodeRune(s.text[at:])
		at += n
	}
	return at
}

func (s *scanner) value(st *statement, key word) (ok bool) {
	switch key.text {
	case "edge":
		if s.next() != '[' {
			return s.unexpected("an array of ids of events")
		}
		at := s.pos
		if st.chain, ok = s.strings("the id of an event"); !ok {
			return false
		}
		if n := len(st.chain); n < 2 {
			return s.fail(at, "an order is of two or more events, not %d", n)
		}
		return s.checkChain(st.chain)
	case "by":
		if s.next() != '"' {
			return s.unexpected("the name of a variable, a string,")
		}
		st.by, ok = s.string()
		return ok
	case "processes":
		switch s.next() {
		case '"':
			var one word
			one, ok = s.string()
			st.processes = []word{one}
			return ok
		case '[':
			at := s.pos
			st.processes, ok = s.strings("a pattern of names of processes")
			if ok && len(st.processes) == 0 {
				return s.fail(at, "no pattern: leave the key out for all processes")
			}
			return ok
		}
		return s.unexpected("a pattern of names of processes, a string, or an array of them")
	}
	if near := nearmiss.Find(key.text, keys); near != "" {
		return s.fail(s.before(key), "unknown key %q (did you mean %q?)", key.text, near)
	}
	return s.fail(s.before(key), "unknown key %q (known are %s)", key.text, strings.Join(keys, ", "))
}

func (s *scanner) checkChain(chain []word) bool {
	seen := make(map[string]bool, len(chain))
	for _, w := range chain {
		switch {
		case w.text == "⊥" || w.text == "⊤":
			return s.fail(s.before(w), "%s is no event that can be ordered (only edges of a trace name it)", w.text)
		case seen[w.text]:
			return s.fail(s.before(w), "%q stands twice: an event cannot happen before itself", w.text)
		}
		seen[w.text] = true
	}
	return true
}

// strings reads an array of strings, at whose bracket it is.
func (s *scanner) strings(meant string) ([]word, bool) {
	s.pos++
	all := []word{}
	for s.next() != ']' || len(all) > 0 {
		if s.next() != '"' {
			return nil, s.unexpected(meant + ", a string,")
		}
		w, ok := s.string()
		if !ok {
			return nil, false
		}
		all = append(all, w)
		if s.next() != ',' {
			break
		}
		s.pos++
	}
	if s.next() != ']' {
		return nil, s.unexpected(`"," or "]"`)
	}
	s.pos++
	return all, true
}

// string reads the string at the position.
func (s *scanner) string() (word, bool) {
	start, escaped := s.pos, false
	i := start + 1
	for ; i < len(s.text) && s.text[i] != '"'; i++ {
		switch b := s.text[i]; {
		case b == '\\':
			escaped = true
			i++
		case b < 0x20:
			return word{}, s.fail(i, "the control character U+%04X stands in a string (write it as an escape)", b)
		}
	}
	if i >= len(s.text) {
		return word{}, s.fail(len(s.text), "the line ends inside a string")
	}
	s.pos = i + 1
	inside := s.text[start+1 : i]
	for at := 0; at < len(inside); {
		r, n := utf8.DecodeRune(inside[at:])
		if r == utf8.RuneError && n == 1 {
			return word{}, s.fail(start+1+at, "the byte 0x%02X is not UTF-8", inside[at])
		}
		at += n
	}
	text := string(inside)
	if escaped {
		if json.Unmarshal(s.text[start:s.pos], &text) != nil {
			return word{}, s.fail(start, "%s is no string of JSON", s.text[start:s.pos])
		}
		// What is half of a surrogate pair without the other becomes U+FFFD.
		lower := bytes.ToLower(inside)
		if half := []byte(`\ud`); bytes.Contains(lower, half) && slices.Contains([]rune(text), utf8.RuneError) {
			return word{}, s.fail(start+1+bytes.Index(lower, half), "one half of a surrogate pair without the other")
		}
	}
	return word{text, s.column(start)}, true
}
