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

// Options say how to take inputs apart.
type Options struct {
	// Map names the mapping that describes the lines of logs, as format.Options.Map does. It is ""
	// without a mapping.
	Map string
	// Key is the member that names the execution of a line that is a JSON object: a string or a
	// number. It is taken out of lines in the native format.
	Key string
	// Pattern finds the name in other lines: it is what the first group matches.
	Pattern *regexp.Regexp
	// MaxLine is as trace.Options has it.
	MaxLine int
}

// A Piece is a part of an execution.
type Piece struct {
	Key     string // of the execution
	Name    string // of the execution, in the spelling of the piece
	Format  string // as format.Options.Input names it; "" with Options.Map
	Head    string // a line to be written before those of the execution, or ""
	Text    string // without line end
	File    string // the name of the input
	Line    int    // where it begins in the input
	Number  int    // of the piece in the input
	Foreign bool   // it has a link to another execution
	Spans   int    // how many spans it has; 0 for a line that is not of spans
	Root    bool   // one of its spans has no parent
}

// A Bad part of an input cannot be taken apart.
type Bad struct {
	Err  *trace.Error
	Text string // "" where it is not known
}

// Split takes an input apart, compressed or not. It calls take for each piece and bad for each
// mistake. An error of these ends it and is returned. The time complexity of Split is
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

// Documents reports whether Document takes a format apart. Its name is that of package format.
func Documents(format string) bool { return formatOf(format) != nil }

// Document takes apart one document, the whole text, and calls take for each piece. The text
// begins in a line of the input name. Errors are *trace.Error, or the error of take, after
// which it stops. The time complexity of Document is O(length).
func Document(format, name string, text []byte, line int, take func(*Piece) error) error {
	// It needs neither ctx nor options: the document is in memory, and its format is known.
	s := &splitter{name: name, take: take, bad: func(b Bad) error { return b.Err }}
	if err := s.document(formatOf(format), text, line); err != nil && s.stopped == nil {
		return err
	}
	return s.stopped
}

// splitter is one call of Split.
type splitter struct {
	ctx     context.Context
	name    string
	opts    Options
	take    func(*Piece) error
	bad     func(Bad) error
	most    int // bytes of a line
	values  jsonstream.TreeReader
	number  int    // of the pieces
	head    string // of the pieces
	stopped error  // what take or bad returned
}

// errorAt makes an error at a line of the input, or without a place for line 0.
func (s *splitter) errorAt(line int, format string, args ...any) *trace.Error {
	return trace.Errorf(s.name, line, format, args...)
}

// give hands on a piece.
func (s *splitter) give(p *Piece) error {
	// File and Number give the pieces of an input a total order, used by Join to sort them and to
	// find repeated ones.
	p.File, p.Number = s.name, s.number
	p.Head = s.head
	s.number++
	s.stopped = s.take(p)
	return s.stopped
}

// refuse reports a mistake, and returns an error only if reading is to stop.
func (s *splitter) refuse(err *trace.Error, text []byte) error {
	s.stopped = s.bad(Bad{err, string(text)})
	return s.stopped
}

// split takes the input apart by its format, recognized by its beginning.
func (s *splitter) split(in io.Reader) error {
	// Peek needs the buffer to be as large as the head.
	r := bufio.NewReaderSize(in, headSize)
	z, err := trace.Decompressor(r)
	if err != nil {
		return s.errorAt(0, "%v", err)
	}
	if z != nil {
		defer z.Close()
		r = bufio.NewReaderSize(z, headSize)
	}
	// Any text may begin with the mark, and no detection expects it.
	if head, _ := r.Peek(len(trace.ByteOrderMark)); string(head) == trace.ByteOrderMark {
		_, _ = r.Discard(len(head)) // it has been read
	}
	head, err := r.Peek(headSize)
	if err != nil && err != io.EOF {
		return s.errorAt(1, "%v", err)
	}
	// An empty input has no pieces and no format either; a log that has just been rotated is one.
	if len(bytes.TrimSpace(head)) == 0 && err == io.EOF {
		return nil
	}
	// A mapping is explicit and wins. Spans are recognized before native lines, as both are
	// objects.
	of := slices.IndexFunc(formats, func(f format) bool { return f.detect(head) })
	switch {
	case s.opts.Map != "":
		return s.mapped(r)
	case of >= 0:
		return s.spans(r, &formats[of])
	case s.opts.Key != "":
		return s.lines(r, 1, s.native)
	}
	return s.errorAt(0, "the format cannot be told from the content: OTLP, Jaeger, Zipkin and stdouttrace are; lines in the native format need a key that names their execution, and logs a mapping, too")
}

// headSize is how much of an input is looked at to tell its format.
const headSize = 256 << 10

// lines calls one for each line that is not blank; number is that of the first line. It refuses a line
// that is too long.
func (s *splitter) lines(r *bufio.Reader, number int, one func(text []byte, line int) error) error {
	for ; ; number++ {
		text, long, err := s.line(r)
		if err != nil && err != io.EOF {
			return s.errorAt(number, "%v", err)
		}
		// Cancellation is checked once a line.
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

// line reads a line with its end. Of a line that is too long, it keeps the beginning.
func (s *splitter) line(r *bufio.Reader) (text []byte, long bool, err error) {
	return trace.ReadLine(r, nil, s.most)
}

// Joined is the text of an execution, and the pieces that it consists of.
type Joined struct {
	Name    string
	Format  string
	Text    []byte
	Foreign bool // links to other executions are not followed
	pieces  []*Piece
	head    int // lines before those of the pieces
}

// Join sorts the pieces of an execution, drops duplicates, and joins the others.
// The time complexity of Join is O(n·log n + length) for n pieces.
func Join(pieces []*Piece) (*Joined, error) {
	order := func(p, q *Piece) int { return cmp.Or(strings.Compare(p.File, q.File), p.Number-q.Number) }
	slices.SortFunc(pieces, order)
	// A piece may arrive twice, when a sender repeats a request that was received but not
	// acknowledged.
	pieces = slices.CompactFunc(pieces, func(p, q *Piece) bool { return order(p, q) == 0 })
	first := pieces[0]
	j := &Joined{Name: first.Name, Format: first.Format, pieces: pieces}
	if first.Head != "" {
		j.Text, j.head = append(append(j.Text, first.Head...), '\n'), 1
	}
	for _, p := range pieces {
		switch {
		// A reader reads one format with one header, so pieces that differ cannot be joined.
		case p.Format != first.Format:
			const msg = "execution %s is in format %s here, but in %s at %s:%d"
			return nil, trace.Errorf(p.File, p.Line, msg, first.Key, p.Format, first.Format, first.File, first.Line)
		case p.Head != first.Head:
			const msg = "the first line of the file is another than that of %s, where execution %s begins"
			return nil, trace.Errorf(p.File, p.Line, msg, first.File, first.Key)
		}
		j.Text = append(append(j.Text, p.Text...), '\n')
		// The least name, since pieces may write the id in several ways and arrive in any order.
		j.Name, j.Foreign = min(j.Name, p.Name), j.Foreign || p.Foreign
	}
	return j, nil
}

// Place returns the file and the line that a line of the text comes from. The first line is 1.
func (j *Joined) Place(line int) (file string, at int) {
	// Lines of the header count as the first piece.
	i := min(max(line-1-j.head, 0), len(j.pieces)-1)
	return j.pieces[i].File, j.pieces[i].Line
}
