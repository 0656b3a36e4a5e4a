// Package ingest reads lines as they arrive: it knows the formats that can be read while a file grows, and
// converts the lines of a source to the events that a monitor applies.
//
// # Sources
//
// A Source is the state of one file, connection or request: the number of lines read, the names of
// columns, or the beginning of an event of several lines. All sources of a Format share facts about
// the execution, such as the types of variables.
//
// # Refused lines
//
// A line that is refused changes nothing. Read returns how many bytes of a text were accepted
// before it, so that a log can keep exactly those. If lines name their executions, the other
// executions go on.
package ingest

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/graphs/trace/shiviz"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options define the format of lines.
type Options struct {
	Input     string   // the name of the format in package format
	Map       string   // a mapping that describes the lines, instead of Input; "" for none
	SkipLines bool     // whether lines that do not fit the mapping are skipped
	Regexp    string   // the regular expression for ShiViz logs
	Assign    []string // the assignments for ShiViz logs
	// ExecutionKey is the field that names the execution of a native line; "" if there is only one execution.
	ExecutionKey string
	Unit         time.Duration // the unit of times that are numbers
	Properties   []syntax.Property
	Variables    map[string]bool // the variables that the properties name
}

// A Format makes sources. It must not be used by several goroutines at once.
type Format struct {
	options Options
	mapping *mapped.Mapping // nil if there is none
	mapped  *mapped.Known
	shiviz  *shiviz.Known
}

// shivizFormat is the name of logs with vector clocks in package format.
const shivizFormat = "shiviz"

const ofShiviz = "--%s is only for ShiViz logs: write --input shiviz, too"

// New returns the format of lines. The error is an *exit.UsageError for options that exclude each
// other, a format that cannot be read while a file grows, or a property that needs the whole log;
// other errors are about the mapping file.
func New(ctx context.Context, o Options) (*Format, error) {
	f := &Format{options: o}
	switch {
	case o.Map != "" && o.Input != format.Native:
		return nil, exit.Usagef("--map and --input exclude each other: a mapping says what lines are")
	case o.Map == "" && o.SkipLines:
		return nil, exit.Usagef("--skip-lines is only for logs that a mapping describes: write --map MAPPING, too")
	case o.Regexp != "" && o.Input != shivizFormat:
		return nil, exit.Usagef(ofShiviz, "regexp")
	case len(o.Assign) > 0 && o.Input != shivizFormat:
		return nil, exit.Usagef(ofShiviz, "assign")
	}
	if o.ExecutionKey != "" {
		if err := native.CheckExecutionKey(o.ExecutionKey); err != nil {
			return nil, exit.Usagef("--execution-key: %s", err)
		}
	}
	var err error
	switch {
	case o.Map != "":
		err = f.useMapping(ctx)
	case o.Input == format.Native || split.Documents(o.Input):
	case o.Input == shivizFormat:
		err = f.useShiviz()
	case o.Input == format.Auto:
		err = exit.Usagef("--input auto looks at a whole file, and one that grows has not been written yet: name the format")
	case slices.ContainsFunc(format.Formats(), func(known format.Format) bool { return known.Name == o.Input }):
		err = exit.Usagef("--input %s: what is in this format shows its meaning only as a whole; when it is complete, pota detect --input %[1]s decides it", o.Input)
	default:
		err = &format.UnknownError{Input: o.Input}
	}
	return f, err
}

// counting returns the first property that counts messages in transit; "" if there is none.
func (f *Format) counting() string {
	for _, p := range f.options.Properties {
		if syntax.UsesTransit(p.Formula) {
			return strings.Join(strings.Fields(p.Source), " ")
		}
	}
	return ""
}

func (f *Format) useShiviz() error {
	if p := f.counting(); p != "" {
		return exit.Usagef("%s counts messages, and logs with vector clocks do not show them", p)
	}
	known, err := shiviz.NewKnown(shiviz.Options{
		Options: trace.Options{Variables: f.options.Variables},
		Regexp:  f.options.Regexp,
		Assign:  f.options.Assign,
	})
	if err != nil {
		return exit.Usagef("--input shiviz: %v", err)
	}
	f.shiviz = known
	return nil
}

func (f *Format) useMapping(ctx context.Context) error {
	m, err := mapped.Lookup(ctx, f.options.Map)
	if err != nil {
		return err
	}
	if f.options.SkipLines {
		m = m.Skipping()
	}
	if p := f.counting(); p != "" && !m.Messages() {
		return exit.Usagef("%s counts messages, and those of logs with vector clocks are told apart only when all lines are there: pota detect --map %s decides it on the whole log", p, m.Name)
	}
	f.mapping = m
	f.mapped, err = mapped.NewKnown(m, trace.Options{Variables: f.options.Variables, Names: true, TimeUnit: f.options.Unit})
	if err != nil {
		return exit.Usagef("--map: %v", err)
	}
	return nil
}

// Name returns the name of the format in package format.
func (f *Format) Name() string { return f.options.Input }

// Mapping returns the mapping that describes the lines; nil if there is none.
func (f *Format) Mapping() *mapped.Mapping { return f.mapping }

// Documents reports whether each line is a document with spans, which may be of any executions.
func (f *Format) Documents() bool {
	return f.mapping == nil && split.Documents(f.options.Input)
}

// Document splits a document, the text of the line with a given number, as split.Document does.
func (f *Format) Document(name string, text []byte, line int, take func(*split.Piece) error) error {
	return split.Document(f.options.Input, name, text, line, take)
}

// NeedsEnd reports whether the last line of a connection must end with a newline, because a part of a
// line may also be a valid line. A part of a JSON object is not an object, so native lines and
// documents need no newline.
func (f *Format) NeedsEnd() bool { return f.mapped != nil || f.shiviz != nil }

// Takes reports whether a file in a directory is read.
func (f *Format) Takes(file string) bool { return f.mapped == nil || f.mapped.Takes(file) }

// NewSource returns a source. The name is the path of a file, if there is one.
func (f *Format) NewSource(name string) *Source {
	s := &Source{name: name, key: f.options.ExecutionKey}
	switch {
	case f.mapped != nil:
		s.scanner = f.mapped.NewScanner(name)
	case f.shiviz != nil:
		scanner := f.shiviz.NewScanner()
		s.scanner = scanner
		s.end = scanner.End
	default:
		s.scanner = &native.Scanner{ExecutionKey: s.key}
	}
	return s
}

// A Source is where lines come from.
type Source struct {
	name    string
	key     string // the field that names the execution; "" if there is none
	scanner interface {
		Scan(text []byte, take func(number int, l *stream.Line) error) error
		At() *stream.Progress
	}

	// end says that nothing follows. It is nil for formats with one event in each line.
	end func(take func(number int, l *stream.Line) error) error
}

// An Applier applies events.
type Applier interface {
	// Apply applies an event or a declaration from the line with the given number. An error refuses the line.
	Apply(number int, l *stream.Line) error

	// Refuse is called if a line is refused, and reports whether the lines after it are still read.
	// The execution is "" if the line does not name it or could not be read.
	Refuse(execution string, err *trace.Error) bool
}

// Text is a sequence of lines of a source.
type Text struct {
	Lines []byte // whole lines
	First int    // how many lines of the source, or of its file, precede them
	Last  bool   // whether nothing follows
}

// Accepted says how much of a text was accepted.
type Accepted struct {
	Bytes int
	Whole bool // whether a replay must read the whole text; see Source.Read
}

// Read applies the events in a text, and returns how many bytes of it were accepted. An error
// that is a *trace.Error refuses the line after these. In formats with events of several lines, an
// event need not end with the line that is refused: in this case the result is Whole, and a replay of
// the whole text leads to the same events and error.
//
// The time complexity of Read is O(length), without the calls of a.
func (s *Source) Read(t Text, a Applier) (Accepted, error) {
	at := s.scanner.At()
	if s.end == nil { // otherwise the event of the last lines may continue
		at.Lines = t.First
	}
	text := t.Lines
	for {
		before := at.Lines
		err := s.scanner.Scan(text, a.Apply)
		if err == nil {
			break
		}
		wrong, ok := err.(*trace.Error)
		if !ok {
			return Accepted{}, err
		}
		wrong.File = s.name
		if s.end != nil {
			return Accepted{len(t.Lines), true}, err
		}
		prefix, line, rest := cutLine(text, wrong.Line-before)
		execution := ""
		if s.key != "" {
			execution = native.ExecutionOf(line, s.key)
		}
		if !a.Refuse(execution, wrong) {
			return Accepted{Bytes: len(t.Lines) - len(text) + prefix}, err
		}
		at.Lines = wrong.Line
		text = rest
	}
	if s.end != nil && t.Last {
		err := s.end(a.Apply)
		if wrong, ok := err.(*trace.Error); ok {
			wrong.File = s.name
		}
		return Accepted{len(t.Lines), true}, err
	}
	return Accepted{Bytes: len(t.Lines)}, nil
}

// LowerBound says why the order of events is a lower bound; "" if it is exact.
func (s *Source) LowerBound() string { return s.scanner.At().LowerBound }

// Skipped returns how many lines were skipped because they do not fit the mapping.
func (s *Source) Skipped() int { return s.scanner.At().Skipped }

// cutLine returns the line with a number, counted from 1, the text after it, and how many bytes precede it.
func cutLine(text []byte, number int) (before int, line, rest []byte) {
	rest = text
	for ; number > 0; number-- {
		before = len(text) - len(rest)
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	return before, line, rest
}
