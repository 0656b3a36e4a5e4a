package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/fatih/color"
	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lint"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/rctl/vacuity"
)

func (s *session) lintCommand() *cli.Command {
	return command(cli.Command{
		Name:      "lint",
		Usage:     "tell what is legal in a trace, or a formula, and yet suspicious",
		ArgsUsage: "TRACE [FORMULA]",
		Description: "Exit status: 0 nothing is suspicious, 1 something is, 2 bad usage or input,\n" +
			"3 a formula is undecided.\n\n" +
			"   pota lint run.jsonl\n" +
			"   pota lint run.jsonl 'AG(req@A -> AF ack@A)'\n" +
			"   pota lint -f properties.txt --json run.jsonl",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "properties", Aliases: []string{"f"}, Usage: "look at the formulas of `FILE`, too"},
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each finding"},
			&cli.DurationFlag{Name: "timeout", Usage: "give up on a formula after `TIME`, such as 30s"},
			&cli.StringFlag{Name: "max-memory", Value: "4GiB", Usage: "let enumerations of cuts take at most `SIZE`"},
		}, inputFlags()...),
		Action: s.lint,
	})
}

// suspicion is the JSON object for one finding.
type suspicion struct {
	Trace   string   `json:"trace"`
	Name    string   `json:"name,omitempty"`
	Formula string   `json:"formula,omitempty"`
	Kind    string   `json:"kind"`
	Text    string   `json:"text"`
	Events  []string `json:"events,omitempty"`
}

func (s *session) lint(c *cli.Context) error {
	if err := arguments(c, 1, 2, "TRACE [FORMULA]"); err != nil {
		return err
	}
	properties, err := lintProperties(c)
	if err != nil {
		return err
	}
	unit, err := timeUnit(c)
	if err != nil {
		return err
	}
	bytes, err := limits(c)
	if err != nil {
		return err
	}
	path := c.Args().First()
	ctx, cancel := s.within(c.Duration("timeout"))
	defer cancel()
	var ofFile []suspicion
	opts := readOptions(c, nil, true)
	opts.AllowTruncated = true
	opts.Truncated = func(e *trace.Error) { ofFile = append(ofFile, suspicion{Kind: "truncated", Text: e.Error()}) }
	executions, err := s.read(ctx, c, path, opts)
	if err != nil {
		return whileReading(path, err)
	}
	if path != "-" {
		written, err := format.Lint(ctx, path, opts)
		if err != nil {
			return whileReading(path, err)
		}
		for _, f := range written {
			ofFile = append(ofFile, suspicion{Kind: "log", Text: (&trace.Error{File: f.File, Line: f.Line, Column: f.Column, Msg: f.Text}).Error()})
		}
	}
	for i, e := range executions {
		found := suspicions(e, lint.Find(e.Computation, lint.Options{TimeUnit: unit}))
		if i == 0 {
			found = append(ofFile, found...)
		}
		vacuous, err := s.lintFormulas(c, e, properties, rctl.Options{MaxMemory: bytes})
		if err != nil {
			return err
		}
		if err := s.printSuspicions(c, e, append(found, vacuous...)); err != nil {
			return err
		}
	}
	return nil
}

// lintProperties returns the formulas to look at.
func lintProperties(c *cli.Context) ([]syntax.Property, error) {
	var all []syntax.Property
	if text := c.Args().Get(1); text != "" {
		if _, err := os.Stat(text); err == nil {
			return nil, usagef("lint: takes one trace, and then a formula, which %s is not", text)
		}
		f, err := parseFormula(text)
		if err != nil {
			return nil, err
		}
		all = append(all, syntax.Property{Formula: f, Source: text})
	}
	file := c.String("properties")
	if file == "" {
		return all, nil
	}
	named, err := readProperties(file)
	return append(all, named...), err
}

func suspicions(e format.Execution, found []lint.Finding) []suspicion {
	all := make([]suspicion, len(found))
	for i, f := range found {
		all[i] = suspicion{Kind: f.Kind, Text: f.Text}
		for _, event := range f.Events {
			all[i].Events = append(all[i].Events, e.Computation.ID(event))
		}
	}
	return all
}

// within returns a context that ends after that time, if it is one.
func (s *session) within(limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(s.ctx)
	}
	return context.WithTimeout(s.ctx, limit)
}

// lintFormulas decides the formulas on an execution and returns why the verdicts say
// little. That a formula is not decided is told as well.
func (s *session) lintFormulas(c *cli.Context, e format.Execution, properties []syntax.Property, opts rctl.Options) ([]suspicion, error) {
	decider := rctl.NewSession(e.Computation)
	var all []suspicion
	for _, p := range properties {
		f, err := resolve(p.Name, p.Formula, e.Computation)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		ctx, cancel := s.within(c.Duration("timeout"))
		res, err := decider.Check(ctx, f, opts)
		if err != nil {
			cancel()
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		found := vacuity.Find(ctx, decider, e.Computation, p.Formula, f, res.Verdict, opts)
		cancel()
		if res.Verdict == rctl.Unknown {
			s.status = worst(s.status, undecided)
			all = append(all, suspicion{Name: p.Name, Formula: p.Source, Kind: "undecided", Text: res.Reason})
		}
		for _, v := range found {
			all = append(all, suspicion{Name: p.Name, Formula: p.Source, Kind: v.Kind.String(), Text: v.Text})
		}
	}
	return all, nil
}

// printSuspicions prints the findings on one execution.
func (s *session) printSuspicions(c *cli.Context, e format.Execution, found []suspicion) error {
	serious := 0
	for _, f := range found {
		if f.Kind != lint.LowerBound {
			serious++
		}
	}
	if serious > 0 {
		s.status = worst(s.status, someFails)
	}
	if c.Bool("json") {
		for _, f := range found {
			f.Trace = e.Name
			s.printJSON(f)
		}
		return s.out.Flush()
	}
	if serious == 0 {
		fmt.Fprintf(s.out, "%s  %s  nothing is suspicious\n", s.paint("clean  ", color.FgGreen, color.Bold), e.Name)
	} else {
		fmt.Fprintf(s.out, "%s  %s  %s\n", s.paint("suspect", color.FgYellow, color.Bold), e.Name, plural(serious, "finding"))
	}
	for _, f := range found {
		about := f.Text
		switch {
		case f.Name != "":
			about = f.Name + ": " + about
		case f.Formula != "":
			about = f.Formula + ": " + about
		}
		fmt.Fprintf(s.out, "         %-11s  %s\n", f.Kind, graphs.Printable(about))
	}
	return s.out.Flush()
}
