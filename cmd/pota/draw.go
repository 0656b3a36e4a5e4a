package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dot"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/view"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// pictures has the writer of each format of pictures.
var pictures = map[string]func(io.Writer, draw.Picture) error{"dot": dot.Write, "svg": draw.SVG}

// pageFormat is the format that is a page to walk through.
const pageFormat = "html"

func maxEventsFlag() cli.Flag {
	return &cli.IntFlag{Name: "max-events", Usage: fmt.Sprintf("draw at most `N` events, those around the cut (default: %d, of a page %d)", draw.DefaultMaxEvents, savedEvents)}
}

func (s *session) drawCommand() *cli.Command {
	return s.command(1, 2, cli.Command{
		Name:      "draw",
		Usage:     "draw the space-time diagram of a trace",
		ArgsUsage: "TRACE [FORMULA]",
		Description: "With a formula, the cut and the run that show its verdict are marked; where no run\n" +
			"shows it, the slice of the formula. A page (html) walks from cut to cut, and tells what\n" +
			"is true there (pota help viewer).\n\n" +
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
	format := c.String("format")
	write, ok := pictures[format]
	if !ok && format != pageFormat {
		return unknown("format", format, "dot", "svg", "html")
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
	if format == pageFormat {
		return q.wrap(s.savePage(c, q, c.Args().Get(1), -1))
	}
	p := draw.Picture{Of: q.Computation, Title: q.Name, MaxEvents: c.Int("max-events")}
	if f != nil {
		if err := s.mark(&p, q); err != nil {
			return q.wrap(err)
		}
	}
	crop(&p)
	return s.output(c, "drawing", func(_ context.Context, w io.Writer) error { return write(w, p) })
}

// crop bounds a picture that would have too many events to those around its cut.
func crop(p *draw.Picture) {
	most := p.MaxEvents
	if most == 0 {
		most = draw.DefaultMaxEvents
	}
	if most < 0 || p.Of.NumEvents() <= most || p.Of.Empty() {
		return
	}
	cut := p.Cut
	if cut == nil {
		cut = p.Of.Initial()
	}
	w := view.Around(p.Of, cut, most)
	p.From, p.To = w.Low, w.High
}

// savePage writes the page about a question, which shows the slice for a part of the
// formula at first, none for -1.
func (s *session) savePage(c *cli.Context, q *question, source string, sliced int) error {
	property := syntax.Property{Formula: q.formula, Source: source}
	d, err := do(s, "deciding", func(ctx context.Context) (*shown, error) {
		v, err := newViewing(ctx, q.Execution, units[c.String("time-unit")], property, q.resolved, rctl.Options{MaxMemory: s.budget.Memory(1)})
		if err != nil {
			return nil, err
		}
		return v.save(ctx, c.Int("max-events"), sliced)
	})
	if err != nil {
		return err
	}
	return s.output(c, "writing the page", func(_ context.Context, w io.Writer) error { return view.NewPage(false).Write(w, d) })
}

// mark adds to a picture what shows the verdict of a formula: the cut and the runs, those of
// nested operators after the others, or where there are none, the slice.
func (s *session) mark(p *draw.Picture, q *question) error {
	res, err := do(s, "deciding", func(ctx context.Context) (*rctl.Result, error) {
		return rctl.Check(ctx, q.Computation, q.resolved, rctl.Options{Evidence: true, MaxMemory: s.budget.Memory(1)})
	})
	if err != nil {
		return err
	}
	p.Title = fmt.Sprintf("%s: %s %s", p.Title, q.formula, res.Verdict)
	if ev := res.Evidence; ev != nil {
		runs := runsOf(ev)
		p.Cut = ev.Cut
		if len(runs) == 0 {
			p.Title += " at the initial cut"
			return nil
		}
		p.Run, p.Further = runs[0], runs[1:]
		return nil
	}
	_, p.Added, err = s.sliceOf(q)
	if is[*rctl.NoSliceError](err) {
		p.Title += "; no run shows it, and it has no slice"
		return nil
	}
	return err
}

// runsOf returns the runs of evidence and of what is nested in it.
func runsOf(ev *rctl.Evidence) [][]graphs.Event {
	var runs [][]graphs.Event
	if len(ev.Run) > 0 {
		runs = append(runs, ev.Run)
	}
	for _, child := range ev.Children {
		runs = append(runs, runsOf(child)...)
	}
	return runs
}
