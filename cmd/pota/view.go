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

// pictureFlags returns the flags that draw and slice share, and more flags of one of them. The
// default of --max-events depends on the format, so the library does not know it.
func (s *session) pictureFlags(d *viewer.Drawing, more ...cli.Flag) []cli.Flag {
	events := number("max-events", &d.MaxEvents)
	events.Usage = fmt.Sprintf("draw at most `N` events, those around the cut (default: %d, of a page %d)",
		draw.DefaultMaxEvents, viewer.SavedEvents)
	return slices.Concat([]cli.Flag{text("format", &d.Format)}, more, []cli.Flag{
		text("output, o", &d.Output),
		events,
	}, s.limitFlags(0), inputFlags(&d.Read))
}

// drawCommand draws a trace and, with a formula, the run that shows its verdict. The formula comes
// second because it is optional.
func (s *session) drawCommand() *cli.Command {
	d := viewer.Drawing{Format: "svg", By: "causality"}
	var binding []string
	flags := s.pictureFlags(&d, text("by", &d.By), texts("binding", &binding))
	return s.command("draw", 1, 2, flags, func(c *cli.Context) (err error) {
		d.Trace = c.Args().First()
		d.Formula = second(c)
		if d.Binding, err = load.Choices(binding); err != nil {
			return err
		}
		return viewer.Draw(s.run, d)
	})
}

// second returns the formula after the trace, or nil if there is none.
func second(c *cli.Context) *string {
	if c.NArg() < 2 {
		return nil
	}
	formula := c.Args().Get(1)
	return &formula
}

// sliceCommand computes slices. The default format is for Graphviz, as in the example of the help.
// The formula comes first, as for detect.
func (s *session) sliceCommand() *cli.Command {
	d := viewer.Drawing{Format: "dot"}
	return s.command("slice", 2, 2, s.pictureFlags(&d), func(c *cli.Context) error {
		formula := c.Args().First()
		d.Formula = &formula
		d.Trace = c.Args().Get(1)
		return viewer.Slice(s.run, d)
	})
}

// serveCommand shows traces in a browser until it is interrupted.
func (s *session) serveCommand() *cli.Command {
	o := viewer.ServeOptions{Timeout: 10 * time.Second, MaxEvents: viewer.SavedEvents}
	var binding []string
	return s.command("serve", 0, -1, slices.Concat([]cli.Flag{
		texts("formula", &o.Formulas.Texts),
	}, formulaFlags(&o.Formulas), []cli.Flag{
		texts("binding", &binding),
		number("port", &o.Port),
		period("timeout", &o.Timeout),
		number("max-events", &o.MaxEvents),
		// Only the memory limit applies, since each answer has its own time limit.
		s.limitFlags(0)[1],
	}, inputFlags(&o.Read)), func(c *cli.Context) (err error) {
		o.Traces = c.Args().Slice()
		if o.Binding, err = load.Choices(binding); err != nil {
			return err
		}
		return viewer.Serve(s.run, o)
	})
}
