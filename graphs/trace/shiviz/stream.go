package shiviz

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
)

// Known is the state that the Scanners of one execution share: how to find events, and the types of
// variables. It must not be used by several goroutines at once.
//
// Without a given expression, the layout is the one that Read would use for the lines up to the
// first event.
type Known struct {
	opts Options
	// compiled once for all Scanners
	assign []*regexp.Regexp
	layout layout // the zero layout if it is not known yet
	// the kind of each variable by name, fixed by its first value
	kinds map[string]graphs.Kind
}

// NewKnown returns the state before the first line of an execution. It returns an error if the
// options do not allow reading a log as it grows.
func NewKnown(opts Options) (*Known, error) {
	k := &Known{opts: opts, kinds: make(map[string]graphs.Kind)}
	// With a delimiter, only the next execution shows where one ends.
	if opts.Delimiter != "" {
		return nil, errOne
	}
	var err error
	if k.assign, err = assignExpressions(opts.Assign); err == nil && opts.Regexp != "" {
		err = k.use(opts.Regexp)
	}
	return k, err
}

// detectReads is the advice for logs that cannot be read as they grow.
const detectReads = "pota detect reads the log when it is complete"

var errOne = errors.New("a log that is read as it grows has one execution, " +
	"but the expression that separates executions says it has several: " + detectReads)

// use sets the layout from an expression of the user, or of an upload file.
func (k *Known) use(pattern string) error {
	r, err := userExpression(pattern)
	if err != nil {
		return err
	}
	parsed, err := syntax.Parse("(?m)"+pattern, syntax.Perl)
	if err != nil {
		return err
	}
	ends, ok := lineEnds(parsed)
	// A match that may extend over any number of lines never ends in a growing log; the bound
	// determines how much text is held back.
	if !ok {
		const msg = "the regular expression %q may match any number of lines, or only at an end of the text, " +
			"so that events in a log that grows have no end: write [ \\t] for \\s, and [^}\\n] for [^}]"
		return fmt.Errorf(msg, pattern)
	}
	k.layout = layout{lines: ends + 1, find: regexpFinder(r)}
	return nil
}

// lineEnds returns the maximum number of line ends in a match. It returns ok = false if there is no
// such bound, or if a match requires an end of the text.
func lineEnds(x *syntax.Regexp) (most int, ok bool) {
	switch x.Op {
	case syntax.OpLiteral:
		return strings.Count(string(x.Rune), "\n"), true
	case syntax.OpAnyChar:
		return 1, true
	case syntax.OpCharClass:
		// Rune contains pairs of inclusive bounds.
		for i := 0; i < len(x.Rune); i += 2 {
			if x.Rune[i] <= '\n' && '\n' <= x.Rune[i+1] {
				return 1, true
			}
		}
	case syntax.OpBeginText, syntax.OpEndText:
		return 0, false
	}
	for _, sub := range x.Sub {
		n, ok := lineEnds(sub)
		if !ok {
			return 0, false
		}
		switch {
		case x.Op == syntax.OpAlternate:
			most = max(most, n)
		// Line ends in an unbounded repetition have no bound; its x.Max may be -1.
		case n > 0 && (x.Op == syntax.OpStar || x.Op == syntax.OpPlus || x.Max < 0):
			return 0, false
		case x.Op == syntax.OpRepeat:
			most += n * max(x.Max, 0)
		default:
			most += n
		}
	}
	return most, true
}

// A Scanner reads a log while it grows. It finds the same events as Read, but the first assignment
// of a variable must show its type, which Read infers from all lines. The events of a process must
// come in their order.
type Scanner struct {
	stream.Progress

	known *Known
	text  string // lines that may be part of the next event
	first int    // the line number of its beginning
	begun bool   // whether the header has been read, if there is one
	line  stream.Line
}

// NewScanner returns a Scanner for the lines of a file or connection.
func (k *Known) NewScanner() *Scanner { return &Scanner{known: k} }

// Scan calls take for each event in a text of whole lines, with the line number of its clock. An
// event of several lines is complete with its last line. Errors are *trace.Error.
//
// The time complexity of Scan is O(length), plus the matching of expressions.
func (s *Scanner) Scan(text []byte, take func(number int, l *stream.Line) error) error {
	// If nothing is held back, the text begins with a new line.
	if s.text == "" {
		s.first = s.Lines + 1
	}
	s.text += normalise(string(bytes.ToValidUTF8(text, []byte("\uFFFD"))))
	if err := s.scan(false, take); err != nil {
		return err
	}
	s.Lines += bytes.Count(text, []byte("\n"))
	return nil
}

// End says that no lines follow: events among the last lines are complete. Errors are *trace.Error.
func (s *Scanner) End(take func(number int, l *stream.Line) error) error {
	if err := s.scan(true, take); err != nil {
		return err
	}
	// Too few lines for an event are an error only at the end of the log.
	if s.known.layout.find == nil && s.Lines > 0 {
		return trace.Wrap("", 0, errNoLayout)
	}
	return nil
}

// scan finds the events that are complete.
func (s *Scanner) scan(last bool, take func(number int, l *stream.Line) error) error {
	k := s.known
	// Look for the header once, before anything else, because it determines the layout.
	if !s.begun {
		if err := s.begin(last); err != nil {
			return err
		}
	}
	if s.begun && k.layout.find == nil {
		if err := s.choose(); err != nil {
			return err
		}
	}
	if !s.begun || k.layout.find == nil {
		return nil
	}
	// An event of n lines is complete when n-1 whole lines follow its beginning; at the end of the
	// log, all events are complete.
	open := len(s.text) // the offset from which events may be incomplete
	for range k.layout.lines - 1 {
		if !last {
			open = strings.LastIndexByte(s.text[:max(open-1, 0)], '\n') + 1
		}
	}
	taken, line := 0, s.first // the end of the last event, and its line
	for _, e := range k.layout.find(s.text).events {
		// Events come in the order of the text, so the remaining ones begin later, too.
		if e.from >= open {
			break
		}
		// Count line ends from event to event, so that the total time is linear.
		number := line + strings.Count(s.text[taken:e.at], "\n")
		if err := s.event(&e, number, take); err != nil {
			column := e.at - strings.LastIndexByte(s.text[:e.at], '\n')
			return &trace.Error{Line: number, Column: column, Msg: err.Error(), Err: err}
		}
		line += strings.Count(s.text[taken:e.to], "\n")
		taken = e.to
	}
	// Drop the text of the events, and text that can no longer be part of one.
	s.drop(max(taken, open))
	return nil
}

// drop discards the text up to an offset.
func (s *Scanner) drop(to int) {
	s.first += strings.Count(s.text[:to], "\n")
	// Clone, because a substring would keep the whole text in memory.
	s.text = strings.Clone(s.text[to:])
}

// begin reads the header of an upload file, if there is one. It is the first two lines.
func (s *Scanner) begin(last bool) error {
	first, _, _ := strings.Cut(s.text, "\n")
	if s.Lines > 0 && s.first > 1 || !isHeader(first) {
		s.begun = s.begun || s.text != ""
		return nil
	}
	pattern, delimiter, rest, ok := uploadHeader(s.text)
	// The second line has not arrived yet.
	if !ok {
		s.begun = last
		return nil
	}
	s.begun = true
	if delimiter != "" {
		return trace.Wrap("", 2, errOne)
	}
	// An expression of the options takes precedence over that of the file, as in Read.
	if k := s.known; k.opts.Regexp == "" {
		if err := k.use(pattern); err != nil {
			return trace.Wrap("", 1, err)
		}
	}
	s.drop(rest)
	return nil
}

// choose finds the layout of the first event, and drops the text before it.
func (s *Scanner) choose() error {
	// The window is two lines, as many as the longest known layout; states of TLC are refused.
	for previous, at := 0, 0; at < len(s.text); {
		end := at + strings.IndexByte(s.text[at:], '\n') + 1
		if stateLine().MatchString(strings.TrimSuffix(s.text[at:end], "\n")) {
			line := s.first + strings.Count(s.text[:at], "\n")
			return trace.Errorf("", line, "TLC prints states after the run has ended: %s", detectReads)
		}
		if l, n := choose([]string{s.text[previous:end]}); n > 0 {
			s.known.layout = l
			s.drop(previous)
			return nil
		}
		if previous, at = at, end; at == len(s.text) {
			s.drop(previous)
			return nil
		}
	}
	return nil
}

// event passes an event to take.
func (s *Scanner) event(e *event, number int, take func(int, *stream.Line) error) error {
	k, x := s.known, &s.line
	if err := e.decode(); err != nil {
		return err
	}
	x.Reset(stream.Event)
	x.Process = []byte(e.host)
	x.Label = []byte(e.text)
	for _, f := range e.fields {
		if isTime(f) {
			x.Time = []byte(timeText(f.value))
		}
	}
	for _, host := range slices.Sorted(maps.Keys(e.counts)) {
		switch n := e.counts[host]; {
		case n < 0:
			return fmt.Errorf("the clock has %d for %q", n, host)
		case n > 0:
			x.Clock = append(x.Clock, stream.Count{Process: []byte(host), Events: n})
		}
	}
	values := e.values(k.assign)
	for _, f := range values {
		if k.opts.Variables != nil && !k.opts.Variables[f.name] {
			continue
		}
		v := parseValue(f.value)
		if kind, ok := k.kinds[f.name]; ok && kind != v.Kind {
			return trace.TwoTypes(f.name, v.Kind, kind)
		}
		x.Values = append(x.Values, stream.Assignment{Name: []byte(f.name), Value: v})
	}
	if err := take(number, x); err != nil {
		return err
	}
	for _, a := range x.Values {
		k.kinds[string(a.Name)] = a.Value.Kind
	}
	return nil
}
