package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/slice"
)

func (s *session) sliceCommand() *cli.Command {
	return s.command(2, 2, cli.Command{
		Name:      "slice",
		Usage:     "compute the slice of a trace for a formula",
		ArgsUsage: "FORMULA TRACE",
		Description: "A slice is the computation with edges added, so that the cuts that are left are\n" +
			"those that satisfy the formula (a lean slice), or the least lattice around them.\n\n" +
			"   pota slice 'x@P1 >= 2 && y@P2 != 2' run.jsonl | dot -Tsvg > slice.svg\n" +
			"   pota slice --format svg -o slice.svg 'EF(cs@P1 && cs@P2)' run.jsonl\n" +
			"   pota slice --format json 'EG(!cs@P1)' run.jsonl | pota stats -",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "format", Value: "dot", Usage: "write `FORMAT`: dot, svg, html, or json: the native trace with the edges of the slice"},
			outputFlag(), maxEventsFlag(),
		}, limitFlags(0), inputFlags()),
		Action: s.slice,
	})
}

func (s *session) slice(c *cli.Context) error {
	format := c.String("format")
	write, ok := pictures[format]
	if !ok && format != "json" && format != pageFormat {
		return unknown("format", format, "dot", "svg", "html", "json")
	}
	f, err := s.parseFormula(c.Args().Get(0))
	if err != nil {
		return err
	}
	q, err := s.question(c, f, c.Args().Get(1), true)
	if err != nil {
		return err
	}
	sl, edges, err := s.sliceOf(q)
	if err != nil {
		return q.wrap(err)
	}
	s.describeSlice(sl, edges)
	if format == pageFormat {
		return q.wrap(s.savePage(c, q, c.Args().Get(0), 0))
	}
	return s.output(c, "writing the slice", func(_ context.Context, w io.Writer) error {
		if format == "json" {
			return native.Write(w, q.Computation, edges)
		}
		p := draw.Picture{Of: q.Computation, Title: "slice for " + f.String(), Added: edges, MaxEvents: c.Int("max-events")}
		crop(&p)
		return write(w, p)
	})
}

// sliceOf returns the slice that a question asks for, and the edges that it adds.
func (s *session) sliceOf(q *question) (*slice.Slice, []graphs.Edge, error) {
	type result struct {
		*slice.Slice
		edges []graphs.Edge
	}
	r, err := do(s, "slicing", func(ctx context.Context) (result, error) {
		sl, err := rctl.SliceOf(ctx, q.Computation, q.resolved)
		if err != nil {
			return result{}, err
		}
		return result{sl, sl.Edges()}, nil
	})
	return r.Slice, r.edges, err
}

// describeSlice describes the slice to a person at a terminal, on standard error.
func (s *session) describeSlice(sl *slice.Slice, edges []graphs.Edge) {
	if !s.watch {
		return
	}
	kind := "lean: its cuts are exactly those that satisfy the formula"
	switch {
	case sl.Empty():
		kind = "empty: no cut satisfies the formula"
	case !sl.Lean():
		kind = "not known to be lean: it has all cuts that satisfy the formula, and may have others"
	}
	fmt.Fprintf(s.err, "%s added; the slice is %s\n", graphs.Plural(len(edges), "edge"), kind)
}
