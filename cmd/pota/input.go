package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/order"
)

// inputFlags are those of every command that reads traces.
func inputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "input", Value: "auto", Usage: "`FORMAT` of the traces (pota formats lists them); auto looks at the content"},
		&cli.StringFlag{Name: "map", Usage: "read logs as `MAPPING` says, a file or one that pota formats lists (pota help mappings)"},
		&cli.BoolFlag{Name: "skip-lines", Usage: "skip the lines of a log that do not fit its mapping, and count them"},
		&cli.StringFlag{Name: "regexp", Usage: "ShiViz: parse the log with `REGEXP`, which has the groups clock, host and event; further groups become variables"},
		&cli.StringFlag{Name: "delimiter", Usage: "ShiViz: split the log into executions where `REGEXP` matches; a group trace names them"},
		&cli.StringSliceFlag{Name: "assign", Usage: "ShiViz: assign the named groups of `REGEXP` where it matches an event's text (may be repeated)"},
		&cli.BoolFlag{Name: "allow-truncated", Usage: "read the log of a killed program up to its last complete line"},
		&cli.StringFlag{Name: "max-line", Value: "64MiB", Usage: "refuse a line of more than `SIZE`, at most 1GiB, or a string in JSON documents"},
		&cli.StringFlag{Name: "execution", Usage: "of a file with several executions, take only `NAME`, or the one of that number"},
		&cli.StringFlag{Name: "order", Usage: "add the causality in `FILE`, a JSON object a line: {\"edge\":[\"e1\",\"f1\"]} orders events, {\"by\":\"revision\"} those that assign a variable, by its value (pota help traces)"},
		&cli.StringFlag{Name: "skew", Usage: "assume that clocks agree within `TIME`, such as 5ms: of events whose times differ by more, the earlier happened first"},
		&cli.StringFlag{Name: "time-unit", Value: "s", Usage: "times that are numbers count `UNIT`: s, ms, us or ns"},
	}
}

// input is what the flags say about reading traces, and about causality that is added to
// that of a trace.
type input struct {
	options   format.Options
	execution string // name or number of the one wanted, "" for all
	announce  bool   // say which format was recognised

	order *order.File // nil for none
	skew  *time.Duration
	unit  time.Duration
}

// units are those of times that are numbers.
var units = map[string]time.Duration{"s": time.Second, "ms": time.Millisecond, "us": time.Microsecond, "ns": time.Nanosecond}

// inputOf reads the flags. Values are kept for the named variables only, all for nil;
// labels, times and names of messages where names is set.
func (s *session) inputOf(c *cli.Context, variables map[string]bool, names bool) (*input, error) {
	in := &input{
		options: format.Options{
			Options:   trace.Options{Variables: variables, Names: names, AllowTruncated: c.Bool("allow-truncated")},
			Input:     c.String("input"),
			Map:       c.String("map"),
			SkipLines: c.Bool("skip-lines"),
			Regexp:    c.String("regexp"),
			Delimiter: c.String("delimiter"),
			Assign:    c.StringSlice("assign"),
		},
		execution: c.String("execution"),
		announce:  !c.Bool("quiet"),
	}
	var err error
	if in.options.MaxLine, err = maxLine(c); err != nil {
		return nil, err
	}
	var ok bool
	if in.unit, ok = units[c.String("time-unit")]; !ok {
		return nil, unknown("unit of time", c.String("time-unit"), "s", "ms", "us", "ns")
	}
	if c.IsSet("skew") {
		d, err := time.ParseDuration(c.String("skew"))
		switch {
		case err != nil:
			return nil, usagef("--skew must be a duration with its unit, such as 5ms or 1.5s, not %q", c.String("skew"))
		case d < 0:
			return nil, usagef("--skew must not be negative, but it is %s: clocks cannot agree within less than nothing", d)
		}
		in.skew = &d
	}
	sweep := c.Bool("skew-sweep")
	if c.IsSet("time-unit") && in.skew == nil && !sweep && c.Command.Name != "lint" {
		return nil, usagef("--time-unit says how --skew reads times, so it needs --skew")
	}
	in.options.Times = in.skew != nil || sweep
	in.options.Places = c.Command.Name == serveName || c.String("format") == pageFormat
	if path := c.String("order"); path != "" {
		if in.order, err = do(s, "reading "+path, func(context.Context) (*order.File, error) { return order.Open(path) }); err != nil {
			return nil, err
		}
		if variables != nil {
			in.options.Variables = maps.Clone(variables)
			for _, name := range in.order.Variables() {
				in.options.Variables[name] = true
			}
		}
	}
	return in, nil
}

// maxLine returns how many bytes a line may have.
func maxLine(c *cli.Context) (int, error) {
	n, err := budget.ParseSize("--max-line", c.String("max-line"))
	if err == nil && (n < 1 || n > trace.LineLimit) {
		err = usagef("--max-line must be from 1B to 1GiB, not %s", c.String("max-line"))
	}
	return int(n), err
}

// read returns the executions of a trace that the flags choose.
func (s *session) read(in *input, path string) ([]format.Execution, error) {
	options := in.options
	if options.Note == nil && in.announce {
		options.Note = func(e *trace.Error) { fmt.Fprintln(s.err, "pota: "+errorText(e)) }
	}
	executions, err := do(s, "reading "+path, func(ctx context.Context) ([]format.Execution, error) {
		executions, err := format.Read(ctx, path, options)
		if err != nil && !isDone(err) {
			err = in.ofRuns(ctx, path, err)
		}
		return executions, err
	})
	if err != nil {
		return nil, err
	}
	if f := executions[0].Format; in.options.Input == format.Auto && in.options.Map == "" && f != format.Native && in.announce {
		fmt.Fprintf(s.err, "pota: %s is read as %s\n", graphs.Printable(path), f)
	}
	want := in.execution
	if want == "" {
		return s.enrich(in, executions)
	}
	for i, e := range executions {
		if strconv.Itoa(i+1) == want || e.Name == want || strings.HasSuffix(e.Name, "#"+want) {
			return s.enrich(in, executions[i:i+1])
		}
	}
	return nil, fmt.Errorf("%s has no execution %q: it has %s", path, want, executionNames(executions))
}

// ofRuns returns the error of reading a directory, which says what to write where what
// is in it looks like a run each: a directory, or a file that can be read alone.
func (in *input) ofRuns(ctx context.Context, path string, err error) error {
	entries, bad := os.ReadDir(path)
	if bad != nil || len(entries) < 2 {
		return err
	}
	for _, e := range entries[:2] {
		if _, bad := format.Read(ctx, filepath.Join(path, e.Name()), in.options); bad != nil {
			return err
		}
	}
	return fmt.Errorf("%w; a directory is one execution with a log for each process: if each of its entries is a run, write %s", err, filepath.Join(path, "*"))
}

// each reads traces and calls do for each of their executions. Errors are reported and do
// not keep other traces from being read.
func (s *session) each(in *input, paths []string, do func(*format.Execution)) {
	for _, path := range paths {
		executions, err := s.read(in, path)
		if err != nil {
			s.fail(err)
		}
		for i := range executions {
			do(&executions[i])
		}
	}
}

// readOne is like read, for commands that take one execution.
func (s *session) readOne(in *input, path string) (*format.Execution, error) {
	executions, err := s.read(in, path)
	if err != nil {
		return nil, err
	}
	if len(executions) != 1 {
		return nil, fmt.Errorf("%s has %d executions; choose one with --execution: %s", path, len(executions), executionNames(executions))
	}
	return &executions[0], nil
}

func executionNames(executions []format.Execution) string {
	const most = 10
	var names []string
	for _, e := range executions[:min(len(executions), most)] {
		names = append(names, strconv.Quote(e.Name))
	}
	if n := len(executions) - most; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// enrich adds the causality that the flags state to executions.
func (s *session) enrich(in *input, executions []format.Execution) ([]format.Execution, error) {
	if in.order == nil && in.skew == nil {
		return executions, nil
	}
	return do(s, "adding causality", func(ctx context.Context) ([]format.Execution, error) { return in.enrich(ctx, executions) })
}

func (in *input) enrich(ctx context.Context, executions []format.Execution) ([]format.Execution, error) {
	executions = slices.Clone(executions)
	for i := range executions {
		e := &executions[i]
		if in.order != nil {
			c, err := in.order.Apply(ctx, e.Computation)
			if err != nil && len(executions) > 1 {
				err = fmt.Errorf("%s: %w", e.Name, err)
			}
			if err != nil {
				return nil, err
			}
			e.Computation = c
		}
		if in.skew != nil {
			clocks, err := order.NewClocks(ctx, e.Computation, in.unit)
			if err == nil {
				e.Computation, err = clocks.Within(ctx, *in.skew)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Name, err)
			}
		}
	}
	return executions, nil
}
