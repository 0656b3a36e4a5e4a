package shiviz

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/trace/internal/jsonline"
)

// A layout finds the events in a text. Each spans at most the given number of lines; 0 means any
// number.
type layout struct {
	name string
	// A growing log is scanned from this many lines before its end, for events that may continue.
	lines int
	find  func(text string) found
}

// found is the result of a layout.
type found struct {
	events   []event
	starts   []int           // increasing byte offsets where further executions start
	initials map[int][]field // the fields of the initial state, by index in starts
}

// An event is an event in the text. The byte offsets are its beginning, its end, and its clock.
type event struct {
	from, to    int
	at          int
	host, clock string
	text        string
	fields      []field

	// set once the event belongs to an execution
	file   *file
	counts map[string]int64 // the clock
}

// A field is a named group, or a line of a TLA+ state.
type field struct{ name, value string }

// layouts are the known layouts in order of preference. Specific layouts come first: a TSViz log is
// also a ShiViz log, with the timestamp in the text. If counts are equal, choose keeps the earlier
// layout.
var layouts = []layout{
	{"TSViz", 2, expression(`(?<timestamp>\d{9,}) (?<event>.*)\n(?<host>\S+) (?<clock>{.*})`)},
	{"ShiViz", 2, expression(`(?<event>.*)\n(?<host>\S+) (?<clock>{.*})`)},
	{"GoVector", 2, expression(`^(?<host>\S+) (?<clock>{.*})\n(?<event>.*)`)},
	{"TLC", 0, findTLC},
	{"actor", 1, expression(`/(?<host>[^/\]\s]+)\] (?<clock>{[^}]*}) (?<event>.*)`)},
	{"plain", 1, expression(`^(?<host>\S+) (?<clock>{[^}]*}) (?<event>\S.*)`)},
}

// expression returns a finder of events for a constant expression.
func expression(pattern string) func(text string) found {
	// (?m) lets ^ match at each line; otherwise no layout would match within a text.
	return regexpFinder(regexp.MustCompile("(?m)" + pattern))
}

// regexpFinder returns a finder of events for an expression with the groups host and clock.
func regexpFinder(r *regexp.Regexp) func(text string) found {
	clock := r.SubexpIndex("clock")
	return func(text string) found {
		var f found
		for _, m := range r.FindAllStringSubmatchIndex(text, -1) {
			// Errors point to the clock, or to the beginning if that group did not match.
			e := event{from: m[0], to: m[1], at: max(m[0], m[2*clock])}
			for _, g := range groups(r, text, m) {
				switch g.name {
				case "host":
					e.host = g.value
				case "clock":
					e.clock = g.value
				case "event":
					e.text = g.value
				default:
					e.fields = append(e.fields, g)
				}
			}
			f.events = append(f.events, e)
		}
		return f
	}
}

// groups returns the named groups of a match. A group that did not match assigns nothing, unlike
// one that matched the empty text.
func groups(r *regexp.Regexp, text string, match []int) (all []field) {
	for i, name := range r.SubexpNames() {
		if name != "" && match[2*i] >= 0 {
			all = append(all, field{name, text[match[2*i]:match[2*i+1]]})
		}
	}
	return all
}

// compile compiles an expression of the user; what is its purpose.
func compile(pattern, what string) (*regexp.Regexp, error) {
	// The error contains the purpose, because a command line may have several expressions.
	r, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return nil, fmt.Errorf("the regular expression %q%s: %w", pattern, what, err)
	}
	return r, nil
}

// userExpression compiles an expression of the user or of an upload file.
func userExpression(pattern string) (*regexp.Regexp, error) {
	r, err := compile(pattern, "")
	if err != nil {
		return nil, err
	}
	// An event without a process or a clock has no place in the partial order.
	for _, group := range []string{"host", "clock"} {
		if !slices.Contains(r.SubexpNames(), group) {
			const msg = "the regular expression %q has no group (?<%s>…)"
			return nil, fmt.Errorf(msg, pattern, group)
		}
	}
	return r, nil
}

// choose returns the layout that finds the most events with well-formed clocks, and their number.
func choose(texts []string) (layout, int) {
	var best layout
	most := 0
	for _, l := range layouts {
		n := 0
		for _, text := range texts {
			for _, e := range l.find(text).events {
				// Only events with an own entry count, so that text in braces other than a clock
				// does not decide the layout.
				if clock, ok := parseClock(e.clock); ok && clock[e.host] > 0 {
					n++
				}
			}
		}
		if n > most {
			best, most = l, n
		}
	}

	return best, most
}

// parseClock decodes a clock, which may have escaped quotes.
func parseClock(text string) (clock map[string]int64, ok bool) {
	clock, ok = scanClock(text)
	// GoVector writes a clock inside a JSON string with escaped quotes. Try the plain form first,
	// because it is more common.
	if !ok && strings.Contains(text, `\"`) {
		return scanClock(strings.ReplaceAll(text, `\"`, `"`))
	}
	return clock, ok
}

// scanClock decodes an object of hosts and counts. A null count is 0. If a host occurs twice, the
// last count is used.
func scanClock(text string) (clock map[string]int64, ok bool) {
	s := jsonline.Scanner{Text: []byte(text), Lenient: true}
	if s.Next() != '{' {
		return nil, false
	}
	// The number of colons is the number of entries unless a name contains one, so the map rarely
	// grows.
	clock = make(map[string]int64, strings.Count(text, ":"))
	ok = s.Object(func(_ int, host jsonline.String) {
		name := text[host.From:host.To]
		if host.Escaped {
			name = string(s.AppendDecoded(nil, host))
		}
		from := s.Pos
		s.Skip()
		count, err := strconv.ParseInt(text[from:s.Pos], 10, 64)
		if err != nil && text[from:s.Pos] != "null" {
			s.Fail(from, "not a count")
		}
		clock[name] = count
	})
	return clock, ok && s.Ended()
}

// Detect reports whether the beginning of a text looks like a log with vector clocks.
func Detect(head []byte) bool {
	text := normalise(strings.ToValidUTF8(string(head), "\uFFFD"))
	if _, _, _, ok := uploadHeader(text); ok {
		return true
	}
	_, n := choose([]string{text})
	return n > 0
}

func normalise(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// isHeader reports whether the first line of a log is the expression of an upload file.
func isHeader(line string) bool {
	return strings.Contains(line, "(?<clock>") && strings.Contains(line, "(?<host>")
}

// uploadHeader returns the two expressions of an upload file and the offset where the log starts.
func uploadHeader(text string) (pattern, delimiter string, rest int, ok bool) {
	// An expression alone is not an upload file: two lines and a remainder are.
	lines := strings.SplitN(text, "\n", 3)
	if len(lines) < 3 || !isHeader(lines[0]) {
		return "", "", 0, false
	}
	return lines[0], lines[1], len(lines[0]) + len(lines[1]) + 2, true
}

var (
	stateLine = lazy.Regexp(`(?m)^State (\d+): (.*)$`)
	fieldLine = lazy.Regexp(`(?m)^/\\ (\w+) = (.*)$`)
)

// findTLC finds the states that TLC prints, each up to an empty line. State 1 starts an execution:
// it has the initial values and is not an event. A state without a Host and a Clock is not an event
// either.
func findTLC(text string) found {
	f := found{initials: make(map[int][]field)}
	states := stateLine().FindAllStringSubmatchIndex(text, -1)
	for i, m := range states {
		body := text[m[1]:]
		if i+1 < len(states) {
			body = text[m[1]:states[i+1][0]]
		}
		body, _, _ = strings.Cut(body, "\n\n")
		state := event{at: m[0], text: strings.TrimSuffix(strings.TrimPrefix(text[m[4]:m[5]], "<"), ">")}
		fields := fieldLine().FindAllStringSubmatchIndex(body, -1)
		for k, g := range fields {
			value := body[g[4]:]
			if k+1 < len(fields) {
				value = body[g[4]:fields[k+1][0]]
			}
			// TLC breaks long values over several indented lines.
			lines := strings.Split(strings.TrimSpace(value), "\n")
			for j := range lines {
				lines[j] = strings.TrimSpace(lines[j])
			}
			value = strings.Join(lines, " ")
			switch name := body[g[2]:g[3]]; name {
			case "Host":
				state.host = unquote(value)
			case "Clock":
				state.clock, state.at = unquote(value), m[1]+g[4]
			default:
				state.fields = append(state.fields, field{name, value})
			}
		}
		if text[m[2]:m[3]] == "1" {
			f.initials[len(f.starts)] = state.fields
			f.starts = append(f.starts, m[0])
		} else if state.host != "" && state.clock != "" {
			f.events = append(f.events, state)
		}
	}
	return f
}

func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}
