package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/viewer"
	"github.com/pota-project/pota/graphs/draw"
)

func maxEventsFlag() cli.Flag {
	return &cli.IntFlag{
		Name: "max-events",
		Usage: fmt.Sprintf("draw at most `N` events, those around the cut (default: %d, of a page %d)",
			draw.DefaultMaxEvents, viewer.SavedEvents),
	}
}

// drawing returns what the flags of draw and slice say.
func drawing(c *cli.Context) viewer.Drawing {
	return viewer.Drawing{
		Format:    c.String("format"),
		MaxEvents: c.Int("max-events"),
		Output:    c.String("output"),
		Read:      readOptions(c),
	}
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
	d := drawing(c)
	d.Trace = c.Args().First()
	if c.NArg() == 2 {
		formula := c.Args().Get(1)
		d.Formula = &formula
	}
	return viewer.Draw(s.run, d)
}

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
			&cli.StringFlag{
				Name: "format", Value: "dot",
				Usage: "write `FORMAT`: dot, svg, html, or json: the native trace with the edges of the slice",
			},
			outputFlag(), maxEventsFlag(),
		}, limitFlags(0), inputFlags()),
		Action: s.slice,
	})
}

func (s *session) slice(c *cli.Context) error {
	d := drawing(c)
	formula := c.Args().First()
	d.Formula = &formula
	d.Trace = c.Args().Get(1)
	return viewer.Slice(s.run, d)
}

func (s *session) serveCommand() *cli.Command {
	return s.untimed(0, -1, cli.Command{
		Name:      "serve",
		Usage:     "show traces and verdicts in a browser",
		ArgsUsage: "[TRACE...]",
		Description: "Prints an address on this machine that a browser shows: the diagram of a trace, what\n" +
			"is true at each cut, and the verdict of any formula that is typed there. Ctrl-C ends it.\n" +
			"Without a TRACE it reads standard input.\n\n" +
			"   pota serve run.jsonl\n" +
			"   pota serve --formula 'AG(!(cs@P1 && cs@P2))' run1.jsonl run2.jsonl\n" +
			"   pota serve -f properties.txt run.jsonl\n\n" +
			"Guide: pota help viewer.",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "formula", Usage: "offer `FORMULA`; the first is shown at first (may be repeated)"},
		}, formulaFlags("offer"), []cli.Flag{
			&cli.IntFlag{Name: "port", Usage: "listen on `PORT`, 0 for any that is free"},
			&cli.DurationFlag{Name: "timeout", Value: 10 * time.Second, Usage: "what is not decided after `TIME` is unknown"},
			&cli.IntFlag{Name: "max-events", Value: viewer.SavedEvents, Usage: "send at most `N` events at a time"},
			limitFlags(0)[1],
		}, inputFlags()),
		Action: s.serve,
	})
}

func (s *session) serve(c *cli.Context) error {
	read := readOptions(c)
	return viewer.Serve(s.run, viewer.ServeOptions{
		Traces:    c.Args().Slice(),
		Read:      read,
		Formulas:  formulasOf(c, c.StringSlice("formula")...),
		Port:      c.Int("port"),
		Timeout:   c.Duration("timeout"),
		MaxEvents: c.Int("max-events"),
	})
}
