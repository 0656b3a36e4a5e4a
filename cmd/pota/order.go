package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/order"
)

// orderFlags add causality to what is read.
func orderFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "order", Usage: "add happened-before from `FILE`, a JSON object a line: {\"edge\":[\"e1\",\"f1\"]} orders events, {\"by\":\"revision\"} those that assign a variable, by its value"},
		&cli.StringFlag{Name: "skew", Usage: "assume that clocks agree within `TIME`, such as 5ms: of events whose times differ by more, the earlier happened first"},
		&cli.StringFlag{Name: "time-unit", Value: "s", Usage: "times that are numbers count `UNIT`: s, ms, us or ns"},
	}
}

// knowledge is the causality that flags add to that of a trace.
type knowledge struct {
	order *order.File // nil for none
	skew  *time.Duration
	unit  time.Duration
	sweep bool // some bound of clock skew will be tried later
}

func knowledgeOf(c *cli.Context) (*knowledge, error) {
	k := &knowledge{sweep: c.Bool("skew-sweep")}
	var err error
	if k.unit, err = timeUnit(c); err != nil {
		return nil, err
	}
	if c.IsSet("skew") {
		d, err := time.ParseDuration(c.String("skew"))
		switch {
		case err != nil:
			return nil, usagef("%s: %q is no bound of clock skew; write it with its unit, such as 5ms or 1.5s", c.Command.Name, c.String("skew"))
		case d < 0:
			return nil, usagef("%s: a skew of %s: clocks cannot agree within less than nothing", c.Command.Name, d)
		}
		k.skew = &d
	}
	if c.IsSet("time-unit") && k.skew == nil && !k.sweep && c.Command.Name != "lint" {
		return nil, usagef("%s: --time-unit says how --skew reads times; there is no --skew", c.Command.Name)
	}
	if path := c.String("order"); path != "" {
		if k.order, err = order.Open(path); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// timeUnit returns what times that are numbers count.
func timeUnit(c *cli.Context) (time.Duration, error) {
	units := map[string]time.Duration{"s": time.Second, "ms": time.Millisecond, "us": time.Microsecond, "ns": time.Nanosecond}
	unit, ok := units[c.String("time-unit")]
	if !ok {
		return 0, usagef("%s: there is no unit of time %q; there are s, ms, us and ns", c.Command.Name, c.String("time-unit"))
	}
	return unit, nil
}

// assumptions are what a verdict rests on beside the trace.
func assumptions(c *cli.Context) []note {
	var all []note
	if path := c.String("order"); path != "" {
		all = append(all, note{noteAssumed, "the order in " + path})
	}
	if skew := c.String("skew"); skew != "" {
		all = append(all, note{noteAssumed, "clocks agree within " + skew})
	}
	return all
}

// options are opts, and whatever else has to be kept of a trace.
func (k *knowledge) options(opts format.Options) format.Options {
	opts.Times = opts.Times || k.skew != nil || k.sweep
	if k.order != nil && opts.Variables != nil {
		opts.Variables = maps.Clone(opts.Variables)
		for _, name := range k.order.Variables() {
			opts.Variables[name] = true
		}
	}
	return opts
}

// add adds what is known to executions.
func (k *knowledge) add(ctx context.Context, executions []format.Execution) ([]format.Execution, error) {
	if k.order == nil && k.skew == nil {
		return executions, nil
	}
	executions = slices.Clone(executions)
	for i := range executions {
		e := &executions[i]
		if k.order != nil {
			c, err := k.order.Apply(ctx, e.Computation)
			if err != nil && len(executions) > 1 {
				err = fmt.Errorf("%s: %w", e.Name, err)
			}
			if err != nil {
				return nil, err
			}
			e.Computation = c
		}
		if k.skew != nil {
			clocks, err := order.NewClocks(ctx, e.Computation, k.unit)
			if err == nil {
				e.Computation, err = clocks.Within(ctx, *k.skew)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Name, err)
			}
		}
	}
	return executions, nil
}

// shortDuration writes a duration without the zeros at its end: 2m for 2m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
