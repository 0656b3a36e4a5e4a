package monitor

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/monitor/ingest"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/syntax"
)

// A transcript has all lines of one execution, while they are few, to show the runs of answers: what decides these
// keeps what properties speak of.
type transcript struct {
	pieces []piece
	size   int // bytes of all lines
}

// A piece is accepted lines of a source.
type piece struct {
	source string
	ingest.Text
}

// maxTranscript is how many bytes of lines are kept. Beyond, an answer has the ids of events alone.
const maxTranscript = 64 << 20

// add adds lines that were accepted.
func (t *transcript) add(source string, text ingest.Text) {
	if t.size += len(text.Lines); t.size > maxTranscript {
		t.pieces = nil
		return
	}
	text.Lines = bytes.Clone(text.Lines)
	t.pieces = append(t.pieces, piece{source, text})
}

// read passes the lines on as a format reads them that knows nothing of the execution.
func (t *transcript) read(format *ingest.Format, yield func(*stream.Line) bool) {
	sources := make(map[string]*ingest.Source)
	for _, p := range t.pieces {
		if sources[p.source] == nil {
			sources[p.source] = format.NewSource(p.source)
		}
		if _, err := sources[p.source].Read(p.Text, &reading{p.source, yield}); err != nil {
			return
		}
	}
}

// reading passes on the lines of a source.
type reading struct {
	source string
	yield  func(*stream.Line) bool
}

// Apply implements ingest.Applier.
func (r *reading) Apply(number int, l *stream.Line) error {
	l.Place = graphs.Place{File: r.source, Line: number}
	if !r.yield(l) {
		return io.EOF
	}
	return nil
}

// Refuse implements ingest.Applier.
func (r *reading) Refuse(string, *trace.Error) bool { return false }

// runText returns the run that shows a verdict as pota detect --witness prints it.
func runText(ctx context.Context, c *graphs.Computation, p syntax.Property, e *rctl.Evidence) string {
	var text strings.Builder
	t := explain.Explainer{Of: c, Property: p.Formula, Source: p.Source, Ctx: ctx, Indent: "  "}
	_ = t.Write(&text, e) // a strings.Builder takes everything
	return text.String()
}
