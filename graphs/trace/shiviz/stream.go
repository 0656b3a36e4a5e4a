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

// Known is what the Scanners of one execution know of it: how events are found, and the types
// of variables. It must not be used by several goroutines at once.
//
// Where no expression is given, the layout is the one that Read would take for the lines up to
// the first event.
type Known struct {
	opts Options
	// compiled once for all Scanners
	assign []*regexp.Regexp
	layout layout // without find where it is not known
	// of each variable by its name, fixed by the first value
	kinds map[string]graphs.Kind
}

// NewKnown returns the state before the first line of an execution. The error is a
// *trace.Error if the options do not allow to read a log as it grows.
func NewKnown(opts Options) (*Known, error) {
	k := &Known{opts: opts, kinds: make(map[string]graphs.Kind)}
	// With a delimiter, the end of an execution is known only from the next one.
	if opts.Delimiter != "" {
		return nil, errOne
	}
	var err error
	if k.assign, err = assignExpressions(opts.Assign); err == nil && opts.Regexp != "" {
		err = k.use(opts.Regexp)
	}
	return k, err
}

// detectReads is the remedy for logs that cannot be read as they grow.
const detectReads = "pota detect reads the log when it is complete"

var errOne = errors.New("a log that is read as it grows is of one execution, " +
	"and an expression that separates them says it is of several: " + detectReads)

// use takes an expression of the user, or of an upload file.
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
	// A match that may go on for any number of lines never ends in a log that grows, so its bound
	// decides how much text is held back.
	if !ok {
		const msg = "the regular expression %q may match any number of lines, or only at an end of the text, " +
			"so that events in a log that grows have no end: write [ \\t] for \\s, and [^}\\n] for [^}]"
		return fmt.Errorf(msg, pattern)
	}
	k.layout = layout{lines: ends + 1, find: regexpFinder(r)}
	return nil
}

// lineEnds returns the greatest number of line ends in a match. It is not ok if there is no such
// bound, or if a match needs an end of the text.
func lineEnds(x *syntax.Regexp) (most int, ok bool) {
	switch x.Op {
	case syntax.OpLiteral:
		return strings.Count(string(x.Rune), "\n"), true
	case syntax.OpAnyChar:
		return 1, true
	case syntax.OpCharClass:
		// Rune holds pairs of bounds, both inclusive.
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
		// Line ends below a repetition without a bound have none; x.Max is -1 there.
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

// A Scanner reads a log while it grows. It finds in them what Read does; what Read knows only
// from all lines, the type of a variable, has to show in the first line that assigns it. The
// events of a process must come in their order.
type Scanner struct {
	stream.Progress

	known *Known
	text  string // lines that may be part of an event to come
	first int    // number of the line in which it begins
	begun bool   // the header has been read, if there is one
	line  stream.Line
}

// NewScanner returns a Scanner of the lines of a file or connection.
func (k *Known) NewScanner() *Scanner { return &Scanner{known: k} }

// Scan calls take for each event in a text of whole lines, with the number of the line of its clock.
// Events of several lines are complete with the last of them. Errors are *trace.Error.
//
// The time complexity of Scan is O(length), plus the matching of expressions.
func (s *Scanner) Scan(text []byte, take func(number int, l *stream.Line) error) error {
	// With nothing held, the text begins with a new line.
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

// End says that nothing follows the lines that were scanned: events among the last of them are
// complete. Errors are *trace.Error.
func (s *Scanner) End(take func(number int, l *stream.Line) error) error {
	if err := s.scan(true, take); err != nil {
		return err
	}
	// Fewer lines than an event has are no error as long as the log grows; at its end they are.
	if s.known.layout.find == nil && s.Lines > 0 {
		return trace.Wrap("", 0, errNoLayout)
	}
	return nil
}

// scan finds the events that are complete.
func (s *Scanner) scan(last bool, take func(number int, l *stream.Line) error) error {
	k := s.known
	// The header is looked for once, before anything else: it decides the layout.
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
	// An event of n lines is complete when n-1 whole lines follow its beginning; at the end of
	// the log, all are.
	open := len(s.text) // where what begins may not be complete
	for range k.layout.lines - 1 {
		if !last {
			open = strings.LastIndexByte(s.text[:max(open-1, 0)], '\n') + 1
		}
	}
	taken, line := 0, s.first // the end of the last event, and its line
	for _, e := range k.layout.find(s.text).events {
		// Events come in the order of the text, so the rest begins later, too.
		if e.from >= open {
			break
		}
		// Line ends are counted from event to event, so the whole is linear.
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

// drop forgets the text up to a place.
func (s *Scanner) drop(to int) {
	s.first += strings.Count(s.text[:to], "\n")
	// A clone, as a substring would keep the whole text in memory.
	s.text = strings.Clone(s.text[to:])
}

// begin reads the header of an upload file, if there is one. Its two lines are the first.
func (s *Scanner) begin(last bool) error {
	first, _, _ := strings.Cut(s.text, "\n")
	if s.Lines > 0 && s.first > 1 || !isHeader(first) {
		s.begun = s.begun || s.text != ""
		return nil
	}
	pattern, delimiter, rest, ok := uploadHeader(s.text)
	// The second line has not come yet.
	if !ok {
		s.begun = last
		return nil
	}
	s.begun = true
	if delimiter != "" {
		return trace.Wrap("", 2, errOne)
	}
	// An expression of the options wins over that of the file, as in Read.
	if k := s.known; k.opts.Regexp == "" {
		if err := k.use(pattern); err != nil {
			return trace.Wrap("", 1, err)
		}
	}
	s.drop(rest)
	return nil
}

// choose finds the layout of the first event, and forgets the text before it.
func (s *Scanner) choose() error {
	// The window is two lines, as long as the longest layout known; TLC's states are refused.
	for previous, at := 0, 0; at < len(s.text); {
		end := at + strings.IndexByte(s.text[at:], '\n') + 1
		if stateLine().MatchString(strings.TrimSuffix(s.text[at:end], "\n")) {
			line := s.first + strings.Count(s.text[:at], "\n")
			return trace.Errorf("", line, "states that TLC prints are of a run that has ended: %s", detectReads)
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

// event gives an event to take.
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
