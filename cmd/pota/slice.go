package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dot"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

func (s *session) sliceCommand() *cli.Command {
	return command(cli.Command{
		Name:      "slice",
		Usage:     "compute the slice of a trace for a formula",
		ArgsUsage: "FORMULA TRACE",
		Description: "A slice is the computation with edges added, so that the cuts that are left are\n" +
			"those that satisfy the formula (a lean slice), or the least lattice around them.\n\n" +
			"   pota slice 'x@P1 >= 2 && y@P2 != 2' run.jsonl | dot -Tsvg > slice.svg\n" +
			"   pota slice --format svg -o slice.svg 'EF(cs@P1 && cs@P2)' run.jsonl\n" +
			"   pota slice --format json 'EG(!cs@P1)' run.jsonl | pota stats -",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Value: "dot", Usage: "write `FORMAT`: dot, svg, html, or json: the native trace with the edges of the slice"},
			outputFlag(), maxEventsFlag(),
		}, inputFlags()...),
		Action: s.slice,
	})
}

func maxEventsFlag() cli.Flag {
	return &cli.IntFlag{Name: "max-events", Value: draw.DefaultMaxEvents, Usage: "draw at most `N` events"}
}

func (s *session) slice(c *cli.Context) error {
	if err := arguments(c, 2, 2, "FORMULA TRACE"); err != nil {
		return err
	}
	write, err := pictureWriter(c.String("format"), "json")
	if err != nil {
		return err
	}
	f, err := parseFormula(c.Args().Get(0))
	if err != nil {
		return err
	}
	e, err := s.readOne(c, c.Args().Get(1), readOptions(c, nil, true))
	if err != nil {
		return err
	}
	sl, err := s.sliceOf(f, e.Computation)
	if err != nil {
		return s.unlessNoSlice(fmt.Errorf("%s: %w", e.Name, err))
	}
	edges := sl.Edges()
	s.describeSlice(sl, edges)
	return s.output(c, func(w io.Writer) error {
		if write == nil {
			return native.Write(w, e.Computation, edges)
		}
		return write(w, draw.Picture{Of: e.Computation, Title: "slice for " + f.String(), Added: edges, MaxEvents: c.Int("max-events")})
	})
}

func (s *session) sliceOf(f *syntax.Formula, c *graphs.Computation) (*slice.Slice, error) {
	resolved, err := resolve("", f, c)
	if err != nil {
		return nil, err
	}
	defer s.busy("slicing")()
	return rctl.SliceOf(s.ctx, c, resolved)
}

// unlessNoSlice turns an error into status 3 where the formula has no slice: it
// is not wrong, only beyond this command.
func (s *session) unlessNoSlice(err error) error {
	var none *rctl.NoSliceError
	if !errors.As(err, &none) {
		return err
	}
	fmt.Fprintln(s.err, "pota: "+err.Error())
	s.status = worst(s.status, undecided)
	return nil
}

// describeSlice tells a person at a terminal what came out, beside it.
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
	fmt.Fprintf(s.err, "%s added; the slice is %s\n", plural(len(edges), "edge"), kind)
}

// pictureWriter returns what writes pictures in a format, nil for the one that
// is no picture.
func pictureWriter(format, noPicture string) (func(io.Writer, draw.Picture) error, error) {
	switch format {
	case "dot":
		return dot.Write, nil
	case "svg":
		return draw.SVG, nil
	case "html":
		return draw.HTML, nil
	case noPicture:
		if noPicture != "" {
			return nil, nil
		}
	}
	if noPicture != "" {
		noPicture = " or " + noPicture
	}
	return nil, usagef("there is no format %q; there are dot, svg, html%s", format, noPicture)
}
