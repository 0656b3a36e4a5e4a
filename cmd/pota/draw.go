package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs/dot"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// pictures has the writer of each format.
var pictures = map[string]func(io.Writer, draw.Picture) error{"dot": dot.Write, "svg": draw.SVG, "html": draw.HTML}

func maxEventsFlag() cli.Flag {
	return &cli.IntFlag{Name: "max-events", Value: draw.DefaultMaxEvents, Usage: "draw at most `N` events"}
}

func (s *session) drawCommand() *cli.Command {
	return s.command(1, 2, cli.Command{
		Name:      "draw",
		Usage:     "draw the space-time diagram of a trace",
		ArgsUsage: "TRACE [FORMULA]",
		Description: "With a formula, the cut and the run that show its verdict are marked; where no run\n" +
			"shows it, the slice of the formula.\n\n" +
			"   pota draw run.jsonl -o run.svg\n" +
			"   pota draw --format html run.jsonl 'AG(!(cs@P1 && cs@P2))' -o run.html",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "format", Value: "svg", Usage: "write `FORMAT`: svg, html or dot"},
			outputFlag(), maxEventsFlag(),
		}, limitFlags(0), inputFlags()),
		Action: s.draw,
	})
}

func (s *session) draw(c *cli.Context) error {
	write, ok := pictures[c.String("format")]
	if !ok {
		return unknown("format", c.String("format"), "dot", "svg", "html")
	}
	var f *syntax.Formula
	var err error
	if c.NArg() == 2 {
		if f, err = s.parseFormula(c.Args().Get(1)); err != nil {
			return err
		}
	}
	q, err := s.question(c, f, c.Args().Get(0), true)
	if err != nil {
		return err
	}
	p := draw.Picture{Of: q.Computation, Title: q.Name, MaxEvents: c.Int("max-events")}
	if f != nil {
		if err := s.mark(&p, q); err != nil {
			return q.wrap(err)
		}
	}
	return s.output(c, "drawing", func(_ context.Context, w io.Writer) error { return write(w, p) })
}

// mark adds to a picture what shows the verdict of a formula.
func (s *session) mark(p *draw.Picture, q *question) error {
	res, err := do(s, "deciding", func(ctx context.Context) (*rctl.Result, error) {
		return rctl.Check(ctx, q.Computation, q.resolved, rctl.Options{Evidence: true, MaxMemory: s.budget.memory(1)})
	})
	if err != nil {
		return err
	}
	p.Title = fmt.Sprintf("%s: %s %s", p.Title, q.formula, res.Verdict)
	if ev := res.Evidence; ev != nil && len(ev.Run) > 0 {
		p.Cut, p.Run = ev.Cut, ev.Run
		return nil
	}
	_, p.Added, err = s.sliceOf(q)
	return err
}
