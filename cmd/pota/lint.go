package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lint"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

func (s *session) lintCommand() *cli.Command {
	return s.command(1, 2, cli.Command{
		Name:      "lint",
		Usage:     "point out what is legal in a trace, or a formula, and yet suspicious",
		ArgsUsage: "TRACE [FORMULA]",
		Description: "Exit status: 0 nothing is suspicious, 1 something is, 2 bad usage or input,\n" +
			"3 a formula is undecided.\n\n" +
			"   pota lint run.jsonl\n" +
			"   pota lint run.jsonl 'AG(req@A -> AF ack@A)'\n" +
			"   pota lint -f properties.txt --json run.jsonl",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "properties", Aliases: []string{"f"}, Usage: "look at the formulas of `FILE`, too"},
			&cli.StringSliceFlag{Name: "property", Aliases: []string{"p"}, Usage: "look at a `PATTERN` such as mutex:cs, too"},
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each finding"},
		}, limitFlags(0), inputFlags()),
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

	like string // the same for those that differ in names and numbers only
}

// varying is what differs in findings about a log that are alike.
var varying = regexp.MustCompile(`"[^"]*"|[0-9]+`)

// written is a finding about the text of a log.
func written(f *trace.Error) suspicion {
	return suspicion{Kind: "log", Text: f.Error(), like: varying.ReplaceAllString(f.Msg, "…")}
}

func (s *session) lint(c *cli.Context) error {
	if text := c.Args().Get(1); text != "" {
		if _, err := os.Stat(text); err == nil {
			return usagef("takes one trace, and then a formula, which %s is not", text)
		}
	}
	properties, err := s.properties(c, c.Args().Tail()...)
	if err != nil {
		return err
	}
	in, err := s.inputOf(c, nil, true)
	if err != nil {
		return err
	}
	path := c.Args().First()
	var ofFile []suspicion
	in.options.AllowTruncated = true
	in.options.Truncated = func(e *trace.Error) { ofFile = append(ofFile, suspicion{Kind: "truncated", Text: e.Error()}) }
	in.options.Note = func(e *trace.Error) { ofFile = append(ofFile, written(e)) }
	executions, err := s.read(in, path)
	if err != nil {
		return err
	}
	if path != "-" {
		findings, err := do(s, "reading "+path+" again", func(ctx context.Context) ([]mapped.Finding, error) {
			return format.Lint(ctx, path, in.options)
		})
		if err != nil {
			return err
		}
		for _, f := range findings {
			ofFile = append(ofFile, written(&trace.Error{File: f.File, Line: f.Line, Column: f.Column, Msg: f.Text}))
		}
	}
	d := &detection{session: s, cli: c, jobs: 1, left: new(atomic.Int64)}
	d.left.Store(int64(len(executions) * len(properties)))
	for i, e := range executions {
		findings, err := do(s, "looking for what is suspicious", func(context.Context) ([]lint.Finding, error) {
			return lint.Find(e.Computation, lint.Options{TimeUnit: in.unit}), nil
		})
		if err != nil {
			return err
		}
		found := suspicions(e, findings)
		if i == 0 {
			found = append(ofFile, found...)
		}
		s.printSuspicions(c, e, append(found, d.lintFormulas(&e, properties)...))
	}
	return nil
}

func suspicions(e format.Execution, found []lint.Finding) []suspicion {
	all := make([]suspicion, len(found))
	for i, f := range found {
		all[i] = suspicion{Kind: f.Kind, Text: f.Text, like: f.Like}
		for _, event := range f.Events {
			all[i].Events = append(all[i].Events, e.Computation.ID(event))
		}
	}
	return all
}

// lintFormulas decides formulas on an execution and returns why their verdicts say little,
// and which of them are undecided. Errors are reported and do not keep other formulas from being decided.
func (d *detection) lintFormulas(e *format.Execution, properties []syntax.Property) []suspicion {
	decider := rctl.NewSession(e.Computation)
	var all []suspicion
	for _, p := range properties {
		v := &decision{detection: d, execution: e, property: p}
		v.decide(decider)
		d.left.Add(-1)
		if v.err != nil {
			d.fail(v.err)
			continue
		}
		if v.result.Verdict == rctl.Unknown {
			d.status = worst(d.status, undecided)
			all = append(all, suspicion{Name: p.Name, Formula: p.Source, Kind: "undecided", Text: v.result.Reason})
		}
		for _, found := range v.vacuous {
			all = append(all, suspicion{Name: p.Name, Formula: p.Source, Kind: found.Kind.String(), Text: found.Text})
		}
	}
	return all
}

// printSuspicions prints the findings on one execution.
func (s *session) printSuspicions(c *cli.Context, e format.Execution, found []suspicion) {
	defer s.flush()
	serious := 0
	for _, f := range found {
		if !lint.Information(f.Kind) {
			serious++
		}
	}
	if serious > 0 {
		s.status = worst(s.status, someFails)
	}
	if c.Bool("json") {
		for _, f := range found {
			f.Trace = e.Name
			s.printJSON(f, "")
		}
		return
	}
	if serious == 0 {
		s.heading("clean", graphs.Printable(e.Name), "nothing is suspicious")
	} else {
		s.heading("suspect", graphs.Printable(e.Name), graphs.Plural(serious, "finding"))
	}
	s.listSuspicions(found)
}

// mostAlike bounds the findings that are alike and are listed one by one.
const mostAlike = 3

// listSuspicions prints findings, many that are alike as one, and after those of a kind
// what to do about them.
func (s *session) listSuspicions(found []suspicion) {
	type likeness struct{ kind, like string }
	alike := make(map[likeness]int)
	for _, f := range found {
		alike[likeness{f.Kind, f.like}]++
	}
	listed := make(map[likeness]int)
	for i, f := range found {
		about := f.Text
		switch {
		case f.Name != "":
			about = f.Name + ": " + about
		case f.Formula != "":
			about = f.Formula + ": " + about
		}
		key := likeness{f.Kind, f.like}
		listed[key]++
		switch n := alike[key]; {
		case f.like == "" || n <= mostAlike:
			s.detail(fmt.Sprintf("%-11s  %s", f.Kind, about))
		case listed[key] == 1:
			s.detail(fmt.Sprintf("%-11s  %s", f.Kind, about))
			s.detail(fmt.Sprintf("%-11s  and %d more like it; --json lists all", "", n-1))
		}
		if remedy := lint.Remedy(f.Kind); remedy != "" && f.like != "" && (i == len(found)-1 || found[i+1].Kind != f.Kind) {
			s.detail(fmt.Sprintf("%-11s  remedy: %s", "", remedy))
		}
	}
}
