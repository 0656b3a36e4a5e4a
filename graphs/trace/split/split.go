package split

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
)

// Options say how to split inputs.
type Options struct {
	// Map names the mapping that describes the lines of logs, as format.Options.Map does. It is ""
	// if there is none.
	Map string
	// Key is the member that names the execution of a line that is a JSON object; its value is a
	// string or a number. The member is removed from lines in the native format.
	Key string
	// Pattern finds the name in other lines: the first group matches it.
	Pattern *regexp.Regexp
	// MaxLine is the limit of trace.Options.
	MaxLine int
}

// A Piece is a part of an execution.
type Piece struct {
	Key     string // the key of the execution
	Name    string // the name of the execution, as the piece spells it
	Format  string // the name in format.Options.Input; "" with Options.Map
	Head    string // a line to write before the lines of the execution, or ""
	Text    string // the text without line end
	File    string // the name of the input
	Line    int    // the line of the input where the piece begins
	Number  int    // the index of the piece in the input
	Foreign bool   // whether it has a link to another execution
	Spans   int    // how many spans it has; 0 if it is not in a format of spans
	Root    bool   // whether one of its spans has no parent
}

// A Bad part of an input cannot be split.
type Bad struct {
	Err  *trace.Error
	Text string // "" if unknown
}

// Split splits an input, compressed or not. It calls take for each piece and bad for each mistake.
// If one of them returns an error, Split stops and returns it. The time complexity of Split is
// O(length).
func Split(ctx context.Context, name string, in io.Reader, opts Options, take func(*Piece) error, bad func(Bad) error) error {
	s := &splitter{ctx: ctx, name: name, opts: opts, take: take, bad: bad, most: (&trace.Options{MaxLine: opts.MaxLine}).LongestLine()}
	err := s.split(in)
	// A callback's error is returned unchanged; an error of the input itself goes to bad like any
	// other.
	if e, ok := err.(*trace.Error); ok && s.stopped == nil {
		return bad(Bad{Err: e})
	}
	return err
}

// Documents reports whether Document can split a format, named as in package format.
func Documents(format string) bool { return formatOf(format) != nil }

// Document splits one document, the whole text, and calls take for each piece. The text begins at
// the given line of the input name. Its errors are *trace.Error, or the error of take, after which
// it stops. The time complexity of Document is O(length).
func Document(format, name string, text []byte, line int, take func(*Piece) error) error {
	// Neither ctx nor options are needed: the document is in memory, and its format is known.
	s := &splitter{name: name, take: take, bad: func(b Bad) error { return b.Err }}
	if err := s.document(formatOf(format), text, line); err != nil && s.stopped == nil {
		return err
	}
	return s.stopped
}

// A splitter is one call of Split.
type splitter struct {
	ctx     context.Context
	name    string
	opts    Options
	take    func(*Piece) error
	bad     func(Bad) error
	most    int // the maximum length of a line, in bytes
	values  jsonstream.TreeReader
	number  int    // how many pieces were emitted
	head    string // the Head of the next pieces
	stopped error  // the error that take or bad returned
}

// errorAt makes an error at a line of the input, or without a place for line 0.
func (s *splitter) errorAt(line int, format string, args ...any) *trace.Error {
	return trace.Errorf(s.name, line, format, args...)
}

// give emits a piece.
func (s *splitter) give(p *Piece) error {
	// File and Number order the pieces of all inputs totally, so that Join can sort them and find
	// repeated ones.
	p.File, p.Number = s.name, s.number
	p.Head = s.head
	s.number++
	s.stopped = s.take(p)
	return s.stopped
}

// refuse reports a mistake, and returns an error only if reading must stop.
func (s *splitter) refuse(err *trace.Error, text []byte) error {
	s.stopped = s.bad(Bad{err, string(text)})
	return s.stopped
}

// split detects the format of the input and splits it.
func (s *splitter) split(in io.Reader) error {
	// Peek needs a buffer as large as the head.
	r := bufio.NewReaderSize(in, headSize)
	z, err := trace.Decompressor(r)
	if err != nil {
		return s.errorAt(0, "%v", err)
	}
	if z != nil {
		defer z.Close()
		r = bufio.NewReaderSize(z, headSize)
	}
	// Any text may begin with a byte order mark, which no detector expects.
	if head, _ := r.Peek(len(trace.ByteOrderMark)); string(head) == trace.ByteOrderMark {
		_, _ = r.Discard(len(head)) // the mark was just peeked
	}
	head, err := r.Peek(headSize)
	if err != nil && err != io.EOF {
		return s.errorAt(1, "%v", err)
	}
	// An empty input has no pieces and no format; a log that has just been rotated is empty.
	if len(bytes.TrimSpace(head)) == 0 && err == io.EOF {
		return nil
	}
	// An explicit mapping takes precedence. Spans are detected before native lines, because both
	// are objects.
	of := slices.IndexFunc(formats, func(f format) bool { return f.detect(head) })
	switch {
	case s.opts.Map != "":
		return s.mapped(r)
	case of >= 0:
		return s.spans(r, &formats[of])
	case s.opts.Key != "":
		return s.lines(r, 1, s.native)
	}
	return s.errorAt(0, "the format cannot be recognized from the content: OTLP, Jaeger, Zipkin and stdouttrace are; lines in the native format need a key that names their execution, and logs a mapping, too")
}

// headSize is how many bytes of an input are inspected to detect its format.
const headSize = 256 << 10

// lines calls one for each line that is not blank; number is the number of the first line. It
// refuses lines that are too long.
func (s *splitter) lines(r *bufio.Reader, number int, one func(text []byte, line int) error) error {
	for ; ; number++ {
		text, long, err := s.line(r)
		if err != nil && err != io.EOF {
			return s.errorAt(number, "%v", err)
		}
		// Check for cancellation once per line.
		failed := s.ctx.Err()
		switch {
		case failed != nil:
		case long:
			failed = s.refuse(s.errorAt(number, "the line has more than %d bytes", s.most), text)
		case len(bytes.TrimSpace(text)) > 0:
			failed = one(bytes.TrimRight(text, "\r\n"), number)
		}
		if failed != nil {
			return failed
		}
		if err == io.EOF {
			return nil
		}
	}
}

// line reads a line with its line end. It returns only the beginning of a line that is too long.
func (s *splitter) line(r *bufio.Reader) (text []byte, long bool, err error) {
	return trace.ReadLine(r, nil, s.most)
}

// Joined is the text of an execution and its pieces.
type Joined struct {
	Name    string
	Format  string
	Text    []byte
	Foreign bool // whether it has links to other executions, which are not followed
	pieces  []*Piece
	head    int // how many lines precede those of the pieces
}

// Join sorts the pieces of an execution, drops duplicates, and joins the others.
// The time complexity of Join is O(n·log n + length) for n pieces.
func Join(pieces []*Piece) (*Joined, error) {
	order := func(p, q *Piece) int { return cmp.Or(strings.Compare(p.File, q.File), p.Number-q.Number) }
	slices.SortFunc(pieces, order)
	// A piece may arrive twice if a sender repeats a request that was received but not
	// acknowledged.
	pieces = slices.CompactFunc(pieces, func(p, q *Piece) bool { return order(p, q) == 0 })
	first := pieces[0]
	j := &Joined{Name: first.Name, Format: first.Format, pieces: pieces}
	if first.Head != "" {
		j.Text, j.head = append(append(j.Text, first.Head...), '\n'), 1
	}
	for _, p := range pieces {
		switch {
		// A reader reads one format with one header, so pieces that differ in them cannot be
		// joined.
		case p.Format != first.Format:
			const msg = "execution %s is in format %s here, but in %s at %s:%d"
			return nil, trace.Errorf(p.File, p.Line, msg, first.Key, p.Format, first.Format, first.File, first.Line)
		case p.Head != first.Head:
			const msg = "the first line of the file is another than that of %s, where execution %s begins"
			return nil, trace.Errorf(p.File, p.Line, msg, first.File, first.Key)
		}
		j.Text = append(append(j.Text, p.Text...), '\n')
		// Use the least name, because pieces may spell the id differently and arrive in any order.
		j.Name, j.Foreign = min(j.Name, p.Name), j.Foreign || p.Foreign
	}
	return j, nil
}

// Place returns the file and the line that a line of the text comes from. The first line is 1.
func (j *Joined) Place(line int) (file string, at int) {
	// A line of the header counts as part of the first piece.
	i := min(max(line-1-j.head, 0), len(j.pieces)-1)
	return j.pieces[i].File, j.pieces[i].Line
}
