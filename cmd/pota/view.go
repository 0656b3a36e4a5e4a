package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/viewer"
	"github.com/pota-project/pota/graphs/draw"
)

// maxEventsFlag bounds a picture. Its default depends on the format, so the library does not know
// it.
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
		By:        c.String("by"),
		MaxEvents: c.Int("max-events"),
		Output:    c.String("output"),
		Read:      readOptions(c),
	}
}

// drawCommand draws a trace and, with a formula, the run that shows its verdict.
func (s *session) drawCommand() *cli.Command {
	return s.command("draw", 1, 2, slices.Concat([]cli.Flag{
		textOr("format", "svg"), textOr("by", "causality"),
		bindingFlag(), outputFlag(), maxEventsFlag(),
	}, limitFlags(0), inputFlags()), s.draw)
}

// second returns the formula that comes after a trace, nil for none.
func second(c *cli.Context) *string {
	if c.NArg() < 2 {
		return nil
	}
	formula := c.Args().Get(1)
	return &formula
}

// draw draws. The formula comes second because it may be left out.
func (s *session) draw(c *cli.Context) (err error) {
	d := drawing(c)
	d.Trace, d.Formula = c.Args().First(), second(c)
	d.One = true
	if d.Binding, err = load.Choices(c.StringSlice("binding")); err != nil {
		return err
	}
	return viewer.Draw(s.run, d)
}

// sliceCommand computes slices. The default format goes on to Graphviz, as in the example of the
// help.
func (s *session) sliceCommand() *cli.Command {
	return s.command("slice", 2, 2, slices.Concat([]cli.Flag{
		textOr("format", "dot"),
		outputFlag(), maxEventsFlag(),
	}, limitFlags(0), inputFlags()), s.slice)
}

// slice slices. The formula comes first, as for detect.
func (s *session) slice(c *cli.Context) error {
	d := drawing(c)
	formula := c.Args().First()
	d.Formula = &formula
	d.Trace = c.Args().Get(1)
	return viewer.Slice(s.run, d)
}

// serveCommand shows traces in a browser until it is interrupted.
func (s *session) serveCommand() *cli.Command {
	return s.untimed("serve", 0, -1, slices.Concat([]cli.Flag{
		texts("formula"),
	}, formulaFlags(), []cli.Flag{
		bindingFlag(),
		number("port"),
		periodOr("timeout", 10*time.Second),
		numberOr("max-events", viewer.SavedEvents),
		// Only the limit of memory: each answer has its own limit of time.
		limitFlags(0)[1],
	}, inputFlags()), s.serve)
}

// serve hands the flags to package viewer.
func (s *session) serve(c *cli.Context) error {
	only, err := load.Choices(c.StringSlice("binding"))
	if err != nil {
		return err
	}
	return viewer.Serve(s.run, viewer.ServeOptions{
		Traces:    c.Args().Slice(),
		Read:      readOptions(c),
		Formulas:  formulasOf(c, c.StringSlice("formula")...),
		Port:      c.Int("port"),
		Timeout:   c.Duration("timeout"),
		MaxEvents: c.Int("max-events"),
		Binding:   only,
	})
}
