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

// A layout finds the events in a text. None takes more than a number of lines; 0 is any.
type layout struct {
	name string
	// A log that grows is scanned up to this many lines back from its end, for events that may go
	// on.
	lines int
	find  func(text string) found
}

// found is what a layout finds in a text.
type found struct {
	events   []event
	starts   []int           // increasing offsets in bytes where further executions start
	initials map[int][]field // the fields of the initial state, by index in starts
}

// event is an event in the text. Offsets are in bytes: of its beginning, its end and its clock.
type event struct {
	from, to    int
	at          int
	host, clock string
	text        string
	fields      []field

	// of an event that has been given to an execution
	file   *file
	counts map[string]int64 // the clock
}

// A field is a named group, or a line of a TLA+ state.
type field struct{ name, value string }

// layouts are the known layouts in order of preference.
// Specific layouts come first: a TSViz log is a ShiViz log, too, with the timestamp in the text.
// On equal counts choose keeps the earlier one.
var layouts = []layout{
	{"TSViz", 2, expression(`(?<timestamp>\d{9,}) (?<event>.*)\n(?<host>\S+) (?<clock>{.*})`)},
	{"ShiViz", 2, expression(`(?<event>.*)\n(?<host>\S+) (?<clock>{.*})`)},
	{"GoVector", 2, expression(`^(?<host>\S+) (?<clock>{.*})\n(?<event>.*)`)},
	{"TLC", 0, findTLC},
	{"actor", 1, expression(`/(?<host>[^/\]\s]+)\] (?<clock>{[^}]*}) (?<event>.*)`)},
	{"plain", 1, expression(`^(?<host>\S+) (?<clock>{[^}]*}) (?<event>\S.*)`)},
}

// expression returns what finds the events of a constant expression.
func expression(pattern string) func(text string) found {
	// (?m) lets ^ match at each line; no layout could be found within a text otherwise.
	return regexpFinder(regexp.MustCompile("(?m)" + pattern))
}

// regexpFinder returns a finder of events for an expression with the groups host and clock.
func regexpFinder(r *regexp.Regexp) func(text string) found {
	clock := r.SubexpIndex("clock")
	return func(text string) found {
		var f found
		for _, m := range r.FindAllStringSubmatchIndex(text, -1) {
			// Errors point to the clock, or to the beginning where that took no part in the match.
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

// groups returns the named groups of a match. One that took no part in it assigns nothing, unlike
// one that matched the empty text.
func groups(r *regexp.Regexp, text string, match []int) (all []field) {
	for i, name := range r.SubexpNames() {
		if name != "" && match[2*i] >= 0 {
			all = append(all, field{name, text[match[2*i]:match[2*i+1]]})
		}
	}
	return all
}

// compile compiles an expression of the user. what names its purpose.
func compile(pattern, what string) (*regexp.Regexp, error) {
	// The error names the purpose, as a command line may hold several expressions.
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

// choose returns the layout that finds most events with well-formed clocks.
func choose(texts []string) (layout, int) {
	var best layout
	most := 0
	for _, l := range layouts {
		n := 0
		for _, text := range texts {
			for _, e := range l.find(text).events {
				// Only events with an own entry count, so that text in braces that is no clock
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

// parseClock decodes a clock, one with escaped quotes too.
func parseClock(text string) (clock map[string]int64, ok bool) {
	clock, ok = scanClock(text)
	// GoVector writes a clock inside a JSON string with escaped quotes. The plain form is tried
	// first, as it is the common one.
	if !ok && strings.Contains(text, `\"`) {
		return scanClock(strings.ReplaceAll(text, `\"`, `"`))
	}
	return clock, ok
}

// scanClock decodes an object of hosts and counts. A null count is 0. If a host is there twice, its
// last count is taken.
func scanClock(text string) (clock map[string]int64, ok bool) {
	s := jsonline.Scanner{Text: []byte(text), Lenient: true}
	if s.Next() != '{' {
		return nil, false
	}
	// The number of colons is the number of entries unless a name has one, so the map rarely
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

// Detect reports whether the beginning of a text looks like a log with vector
// clocks.
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

// uploadHeader returns the two expressions of an upload file and where the log
// starts.
func uploadHeader(text string) (pattern, delimiter string, rest int, ok bool) {
	// Two lines and a rest: an expression alone is no upload file.
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

// findTLC finds the states that TLC prints, each up to an empty line. State 1 starts an execution: it has
// values and is no event. Neither is a state without a Host and a Clock.
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
			// TLC breaks long values over several lines, indented.
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
