package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// inputFlags are those of every command that reads traces.
func inputFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "input", Value: "auto", Usage: "`FORMAT` of the traces (pota formats lists them); auto looks at the content"},
		&cli.StringFlag{Name: "map", Usage: "read JSON-lines logs as `MAPPING` says, a file or one that pota formats lists"},
		&cli.StringFlag{Name: "regexp", Usage: "ShiViz: parse the log with `REGEXP`, which has the groups clock, host and event; further groups become variables"},
		&cli.StringFlag{Name: "delimiter", Usage: "ShiViz: split the log into executions where `REGEXP` matches; a group trace names them"},
		&cli.StringSliceFlag{Name: "assign", Usage: "ShiViz: assign the named groups of `REGEXP` where it matches an event's text (may be repeated)"},
		&cli.BoolFlag{Name: "allow-truncated", Usage: "read the log of a killed program up to its last complete line"},
		&cli.StringFlag{Name: "execution", Usage: "of a file with several executions, take only `NAME`, or the one of that number"},
	}, orderFlags()...)
}

// readOptions says what to read. Values are kept for the named variables only,
// all for nil; labels, times and names of messages where names is set.
func readOptions(c *cli.Context, variables map[string]bool, names bool) format.Options {
	return format.Options{
		Options:   trace.Options{Variables: variables, Names: names, AllowTruncated: c.Bool("allow-truncated")},
		Input:     c.String("input"),
		Map:       c.String("map"),
		Regexp:    c.String("regexp"),
		Delimiter: c.String("delimiter"),
		Assign:    c.StringSlice("assign"),
	}
}

// read returns the executions of a trace that the flags choose.
func (s *session) read(ctx context.Context, c *cli.Context, path string, opts format.Options) ([]format.Execution, error) {
	known, err := knowledgeOf(c)
	if err != nil {
		return nil, err
	}
	done := s.busy("reading %s", path)
	executions, err := format.Read(ctx, path, known.options(opts))
	done()
	if err != nil {
		return nil, err
	}
	if f := executions[0].Format; opts.Input == format.Auto && opts.Map == "" && f != format.Native && !c.Bool("quiet") {
		fmt.Fprintf(s.err, "pota: %s is read as %s\n", path, f)
	}
	want := c.String("execution")
	if want == "" {
		return known.add(ctx, executions)
	}
	for i, e := range executions {
		if strconv.Itoa(i+1) == want || e.Name == want || strings.HasSuffix(e.Name, "#"+want) {
			return known.add(ctx, executions[i:i+1])
		}
	}
	return nil, fmt.Errorf("%s has no execution %q: it has %s", path, want, executionNames(executions))
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

// readOne is read for commands that take one execution.
func (s *session) readOne(c *cli.Context, path string, opts format.Options) (*format.Execution, error) {
	executions, err := s.read(s.ctx, c, path, opts)
	if err != nil {
		return nil, err
	}
	if len(executions) != 1 {
		return nil, fmt.Errorf("%s has %d executions; choose one with --execution: %s", path, len(executions), executionNames(executions))
	}
	return &executions[0], nil
}

// A formulaError shows the place in the formula.
type formulaError struct {
	name string // of the property, or of the file
	err  error
}

func (e *formulaError) Error() string {
	prefix := "formula"
	if e.name != "" {
		prefix = e.name
	}
	msg := prefix + ":" + e.err.Error()
	var at *syntax.Error
	if errors.As(e.err, &at) {
		if snippet := strings.TrimRight(at.Snippet(), "\n"); snippet != "" {
			msg += "\n" + snippet
		}
	}
	return msg
}

func (e *formulaError) Unwrap() error { return e.err }

func parseFormula(text string) (*syntax.Formula, error) {
	f, err := syntax.Parse(text)
	if err != nil {
		return nil, &formulaError{err: err}
	}
	return f, nil
}

// resolve looks up what f speaks of in a computation.
func resolve(name string, f *syntax.Formula, c *graphs.Computation) (*syntax.Formula, error) {
	g, err := syntax.Resolve(f, rctl.Scope(c))
	if err != nil {
		return nil, &formulaError{name, err}
	}
	return g, nil
}

// arguments checks how many there are.
func arguments(c *cli.Context, least, most int, what string) error {
	switch n := c.NArg(); {
	case n < least:
		return usagef("%s: missing argument: pota %s [flags] %s", c.Command.Name, c.Command.Name, what)
	case most >= 0 && n > most:
		return usagef("%s: unexpected argument %q: pota %s [flags] %s", c.Command.Name, c.Args().Get(most), c.Command.Name, what)
	}
	return nil
}

// parseSize reads an amount of memory such as 512MB, 4GiB or 1000000.
func parseSize(text string) (int64, error) {
	units := []struct {
		suffix string
		bytes  float64
	}{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
		{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}, {"", 1},
	}
	for _, u := range units {
		if number, ok := cutSuffixFold(strings.TrimSpace(text), u.suffix); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || !(n >= 0) || n*u.bytes > 1<<62 {
				break
			}
			return int64(n * u.bytes), nil
		}
	}
	return 0, usagef("%q is no amount of memory; write it as 512MiB or 4GiB", text)
}

func cutSuffixFold(s, suffix string) (string, bool) {
	n := len(s) - len(suffix)
	if n < 0 || !strings.EqualFold(s[n:], suffix) {
		return "", false
	}
	return s[:n], true
}

// output is where a command writes what -o names, standard output without it.
func (s *session) output(c *cli.Context, write func(io.Writer) error) (err error) {
	path := c.String("output")
	if path == "" || path == "-" {
		return write(s.out)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	return write(f)
}

func outputFlag() cli.Flag {
	return &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output"}
}
