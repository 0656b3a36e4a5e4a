package load

import (
	"bytes"
	"context"
	"fmt"

	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs/trace"
)

// A Line is a JSON object on a line of a file.
type Line[T any] struct {
	Value  T
	Place  string // the file and the line
	Number int    // the number of the line, from 1, over all files of a directory
}

// EachLine passes the nonblank lines of a file to take, as a step of a run. Several goroutines call
// parse. Reading ends at the first line that cannot be parsed, after take has received the lines
// before it; form describes a valid line in the error. A line has at most maxLine bytes; 0 stands
// for the default.
func EachLine[T any](r *job.Run, path string, maxLine int, form string, parse func([]byte) (T, error), take func(Line[T]) error) error {
	return r.Try("reading "+path, func(ctx context.Context) error {
		source, err := trace.Open(path)
		if err != nil {
			return err
		}
		before := 0 // the number of earlier lines of the same file
		number := 0
		// Pieces of a file are parsed on all cores.
		return trace.ReadLines(ctx, source, trace.LinesOptions[*piece[T]]{
			Options: &trace.Options{MaxLine: maxLine},
			New:     func() *piece[T] { return new(piece[T]) },
			Do:      func(p *trace.Piece, k *piece[T]) { k.parse(p.Text, parse) },
			Take: func(b *trace.Batch[*piece[T]]) error {
				// Each file of a directory counts its lines from 1.
				if b.First {
					before = 0
				}
				for _, l := range b.Work.lines {
					l.Place = fmt.Sprintf("%s:%d", b.Name, before+l.Number)
					l.Number += number
					if err := take(l); err != nil {
						return err
					}
				}
				number += b.Work.count
				before += b.Work.count
				if err := b.Work.err; err != nil {
					return fmt.Errorf("%s:%d: %s: %w", b.Name, before, form, err)
				}
				// A truncated line follows the last one that was read.
				return b.Failed(before + 1)
			},
		})
	})
}

// A piece has the lines of a part of a file, up to the first line that cannot be parsed.
type piece[T any] struct {
	lines []Line[T] // numbered within the piece
	count int       // the number of lines, including blank ones
	err   error     // the error in the last line
}

// parse parses the lines of a text.
func (k *piece[T]) parse(text []byte, parse func([]byte) (T, error)) {
	*k = piece[T]{lines: k.lines[:0]}
	for line := range bytes.Lines(text) {
		// Blank lines count, as in an editor.
		k.count++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		value, err := parse(line)
		if err != nil {
			k.err = err
			return
		}
		k.lines = append(k.lines, Line[T]{Value: value, Number: k.count})
	}
}
