package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl/report"
)

// split returns the options of package split.
func (j *job) split() (split.Options, error) {
	opts := split.Options{Key: j.Key, MaxLine: j.MaxLine, Map: j.Mapping}
	var err error
	if j.Pattern != "" {
		opts.Pattern, err = regexp.Compile(j.Pattern)
	}
	return opts, err
}

// readFn splits an input into pieces. Input that belongs to no execution becomes a dead letter.
type readFn struct{ Job job }

var (
	piecesRead = beam.NewCounter("pota", "pieces")
	badRead    = beam.NewCounter("pota", "bad")
)

// A deadLetter is a part of an input that cannot be read, with its place.
type deadLetter struct {
	Place string `json:"place"`
	Error string `json:"error"`
	Text  string `json:"text,omitempty"`
	Cut   int    `json:"cut,omitempty"` // how many bytes of the text are omitted
}

// maxText is the maximum length of the text of a dead letter, in bytes.
const maxText = 64 << 10

// newDeadLetter returns a dead letter in JSON. It truncates a long text, because dead letters are
// for people.
func newDeadLetter(place string, err error, text string) []byte {
	n := min(len(text), maxText)
	return jsonOf(deadLetter{place, err.Error(), text[:n], len(text) - n})
}

// open opens a file of any file system that Beam supports.
func open(ctx context.Context, name string) (in io.Reader, closing func(), err error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	file, err := fs.OpenRead(ctx, name)
	if err != nil {
		return nil, nil, errors.Join(err, fs.Close())
	}
	return file, func() { file.Close(); fs.Close() }, nil
}

// ProcessElement emits the pieces of one file by execution. A mistake in the content becomes a dead
// letter, and reading goes on; an error of the storage fails the bundle, and the runner retries it.
func (f *readFn) ProcessElement(ctx context.Context, name string, emit, dead func(string, []byte), count func(string, int64)) error {
	opts, err := f.Job.split()
	if err != nil {
		return err
	}
	in, closing, err := open(ctx, name)
	if err != nil {
		return err
	}
	defer closing()
	// Package split reports both mistakes in the content and read errors, and only the former are
	// dead letters.
	source := &watched{Reader: in}
	err = split.Split(ctx, name, source, opts, func(p *split.Piece) error {
		piecesRead.Inc(ctx, 1)
		emit(p.Key, encode(p))
		return nil
	}, func(b split.Bad) error {
		if source.err != nil {
			return source.err // the storage failed, not the content
		}
		badRead.Inc(ctx, 1)
		count(tally{Counted: "dead"}.key(), 1)
		dead(outputOf(deadLines, b.Err.Error(), f.Job.Outputs),
			newDeadLetter(placeOf(b.Err.File, b.Err.Line), b.Err, b.Text))
		return nil
	})
	return errors.Join(err, source.err)
}

// decidedFn reads the verdicts of an earlier run. For each execution with a verdict, it emits a
// piece without content under each key that the execution may have.
type decidedFn struct{}

// ProcessElement reads one file of verdicts. Verdicts on one execution are adjacent, so comparing
// with the previous one is enough to emit it once.
func (*decidedFn) ProcessElement(ctx context.Context, name string, emit func(string, []byte)) error {
	in, closing, err := open(ctx, name)
	if err != nil {
		return err
	}
	defer closing()
	last := ""
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, trace.LineLimit)
	for lines.Scan() {
		r, err := report.Parse(lines.Bytes())
		if err != nil {
			return fmt.Errorf("%s: verdicts must be lines of JSON as pota-fleet writes them: %w",
				name, err)
		}
		// An execution has a line for each property.
		if r.Trace == last {
			continue
		}
		last = r.Trace
		for _, key := range split.KeysOf(r.Trace) {
			emit(key, nil)
		}
	}
	return lines.Err()
}

// watched records the error of a reader.
type watched struct {
	io.Reader
	err error
}

// Read records the latest error other than io.EOF.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

// encode writes a piece as a line with its other fields, followed by its text, so that no coder of
// the runner has to parse the text.
func encode(p *split.Piece) []byte {
	// The copy leaves the caller's piece unchanged.
	about := *p
	about.Text = ""
	return append(append(jsonOf(about), '\n'), p.Text...)
}

// decode reads what encode wrote.
func decode(b []byte) (*split.Piece, error) {
	about, text, _ := bytes.Cut(b, []byte("\n"))
	p := new(split.Piece)
	err := json.Unmarshal(about, p)
	p.Text = string(text)
	return p, err
}
