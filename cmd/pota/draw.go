package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

func (s *session) drawCommand() *cli.Command {
	return command(cli.Command{
		Name:      "draw",
		Usage:     "draw the space-time diagram of a trace",
		ArgsUsage: "TRACE [FORMULA]",
		Description: "With a formula, the cut and the run that show its verdict are marked; where no run\n" +
			"shows it, the slice of the formula.\n\n" +
			"   pota draw run.jsonl -o run.svg\n" +
			"   pota draw --format html run.jsonl 'AG(!(cs@P1 && cs@P2))' -o run.html",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Value: "svg", Usage: "write `FORMAT`: svg, html or dot"},
			outputFlag(), maxEventsFlag(),
		}, inputFlags()...),
		Action: s.draw,
	})
}

func (s *session) draw(c *cli.Context) error {
	if err := arguments(c, 1, 2, "TRACE [FORMULA]"); err != nil {
		return err
	}
	write, err := pictureWriter(c.String("format"), "")
	if err != nil {
		return err
	}
	var f *syntax.Formula
	if c.NArg() == 2 {
		if f, err = parseFormula(c.Args().Get(1)); err != nil {
			return err
		}
	}
	e, err := s.readOne(c, c.Args().Get(0), readOptions(c, nil, true))
	if err != nil {
		return err
	}
	p := draw.Picture{Of: e.Computation, Title: e.Name, MaxEvents: c.Int("max-events")}
	if f != nil {
		if err := s.mark(&p, f, e.Computation); err != nil {
			return s.unlessNoSlice(fmt.Errorf("%s: %w", e.Name, err))
		}
	}
	return s.output(c, func(w io.Writer) error { return write(w, p) })
}

// mark adds to a picture what shows the verdict of f.
func (s *session) mark(p *draw.Picture, f *syntax.Formula, c *graphs.Computation) error {
	resolved, err := resolve("", f, c)
	if err != nil {
		return err
	}
	res, err := rctl.Check(s.ctx, c, resolved, rctl.Options{Evidence: true, MaxMemory: 1 << 30})
	if err != nil {
		return err
	}
	p.Title = fmt.Sprintf("%s: %s %s", p.Title, f, res.Verdict)
	if ev := res.Evidence; ev != nil && len(ev.Run) > 0 {
		p.Cut, p.Run = ev.Cut, ev.Run
		return nil
	}
	sl, err := rctl.SliceOf(s.ctx, c, resolved)
	if err != nil {
		return err
	}
	p.Added = sl.Edges()
	return nil
}
