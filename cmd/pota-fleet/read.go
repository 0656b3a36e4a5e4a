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

// readFn takes an input apart. What is none of an execution goes to the dead letters.
type readFn struct{ Job job }

var (
	piecesRead = beam.NewCounter("pota", "pieces")
	badRead    = beam.NewCounter("pota", "bad")
)

// A deadLetter is a piece of an input that cannot be read, with its place.
type deadLetter struct {
	Place string `json:"place"`
	Error string `json:"error"`
	Text  string `json:"text,omitempty"`
	Cut   int    `json:"cut,omitempty"` // bytes of the text that are left out
}

// maxText bounds the text of a dead letter.
const maxText = 64 << 10

// newDeadLetter returns a dead letter in JSON. It cuts the text off where it is too long: a dead
// letter is for a person.
func newDeadLetter(place string, err error, text string) []byte {
	n := min(len(text), maxText)
	return jsonOf(deadLetter{place, err.Error(), text[:n], len(text) - n})
}

// open opens a file of any file system that Beam knows.
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

// ProcessElement emits the pieces of one file by execution. A mistake in the content is a dead
// letter and the rest is read; an error of the storage fails the bundle, and the runner tries it
// again.
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
	// Package split reports both mistakes in the content and errors of reading. The two must be
	// told apart.
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

// decidedFn reads verdicts of an earlier run. For each execution that has one it emits a piece
// without content, under each key that the execution may have.
type decidedFn struct{}

// ProcessElement reads one file of verdicts. Verdicts on one execution stand together, so
// comparing with the last one is enough to emit it once.
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

// watched notes an error of a reader.
type watched struct {
	io.Reader
	err error
}

// Read keeps the first error that is not the end of the input.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

// encode writes a piece: its text after a line with the rest, so that no coder of the runner
// looks into it.
func encode(p *split.Piece) []byte {
	// The copy keeps the piece as it is for the caller.
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
