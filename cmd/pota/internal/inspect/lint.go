package inspect

import (
	"context"
	"fmt"
	"regexp"

	"github.com/pota-project/pota/cmd/pota/internal/decide"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lint"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// LintOptions choose the trace and the formulas.
type LintOptions struct {
	Trace    string
	Read     load.Options
	Formulas load.Formulas
	JSON     bool
}

// finding is the JSON object for one finding: in the log, in the execution or in a formula on it.
type finding struct {
	Trace   string   `json:"trace"`
	Name    string   `json:"name,omitempty"`
	Formula string   `json:"formula,omitempty"`
	Kind    string   `json:"kind"`
	Text    string   `json:"text"`
	Events  []string `json:"events,omitempty"`

	like string // the same for findings that differ in names and numbers only, "" if there are none
}

// varying matches names and numbers: findings about a log that differ only in them are alike.
var varying = regexp.MustCompile(`"[^"]*"|[0-9]+`)

// inLog is a finding about the text of a log.
func inLog(f *trace.Error) finding {
	return finding{Kind: "log", Text: f.Error(), like: varying.ReplaceAllString(f.Msg, "…")}
}

// Lint prints suspicious things about a trace, and about formulas on it. If there are any, the
// status of the run is SomeFails.
func Lint(r *job.Run, opts LintOptions) error {
	// A mistake in a formula should be found before the trace is read.
	properties, err := load.Properties(r, opts.Formulas)
	if err != nil {
		return err
	}
	in, err := load.New(r, opts.Read, load.Want{Names: true})
	if err != nil {
		return err
	}
	var inFile []finding
	// What reading would print is a finding here.
	in.Observe(
		func(e *trace.Error) { inFile = append(inFile, finding{Kind: "truncated", Text: e.Error()}) },
		func(e *trace.Error) { inFile = append(inFile, inLog(e)) })
	executions, err := in.Read(r, opts.Trace)
	if err != nil {
		return err
	}
	// This look needs the text of the log, and reading keeps none of it.
	again, err := lintLog(r, opts.Trace, in)
	if err != nil {
		return err
	}
	inFile = append(inFile, again...)

	// No evidence and no proof: only the verdict and what makes it vacuous.
	d := decide.New(r, in, decide.Options{Vacuity: true}, len(executions)*len(properties))
	for i := range executions {
		e := &executions[i]
		found, err := lintExecution(r, e, in)
		if err != nil {
			return err
		}
		// The file may have several executions.
		if i == 0 { // findings about the file come once
			found = append(inFile, found...)
		}
		found = append(found, lintFormulas(r, d, e, properties)...)
		print(r, e, found, opts.JSON)
	}
	return nil
}

// lintLog looks at a log again, as its mapping describes it. Standard input is gone by then.
func lintLog(r *job.Run, path string, in *load.Reader) ([]finding, error) {
	if path == "-" {
		return nil, nil
	}
	found, err := job.Do(r, "reading "+path+" again", func(ctx context.Context) ([]mapped.Finding, error) {
		return format.Lint(ctx, path, in.Format())
	})
	var all []finding
	for _, f := range found {
		all = append(all, inLog(&trace.Error{File: f.File, Line: f.Line, Column: f.Column, Msg: f.Text}))
	}
	return all, err
}

// lintExecution finds what is suspicious about an execution, whatever its format was.
func lintExecution(r *job.Run, e *format.Execution, in *load.Reader) ([]finding, error) {
	found, err := job.Do(r, "looking for what is suspicious", func(context.Context) ([]lint.Finding, error) {
		return lint.Find(e.Computation, lint.Options{TimeUnit: in.Unit}), nil
	})
	var all []finding
	for _, f := range found {
		next := finding{Kind: f.Kind, Text: f.Text, like: f.Like}
		// Ids are how users find events again.
		for _, event := range f.Events {
			next.Events = append(next.Events, e.Computation.ID(event))
		}
		all = append(all, next)
	}
	return all, err
}

// lintFormulas decides formulas on an execution, and returns the verdicts that say little or are
// undecided. Errors are reported and do not keep other formulas from being decided.
func lintFormulas(r *job.Run, d *decide.Decider, e *format.Execution, properties []syntax.Property) []finding {
	// Formulas share slices through the session.
	session := rctl.NewSession(e.Computation)
	var all []finding
	for i, p := range properties {
		o := d.Decide(decide.Case{Execution: e}, session, i, p)
		// A formula that does not fit the trace is an error, not a finding.
		if err := o.Record.Err; err != nil {
			r.Fail(err)
			continue
		}
		// An undecided formula was not found to say little, so silence would mislead.
		if line := o.Record.Line; line.Outcome() == rctl.Unknown {
			r.Worsen(exit.Undecided)
			all = append(all, finding{Name: p.Name, Formula: p.Source, Kind: "undecided", Text: line.Reason})
		}
		for _, v := range o.Vacuous {
			all = append(all, finding{Name: p.Name, Formula: p.Source, Kind: v.Kind.String(), Text: v.Text})
		}
	}
	return all
}

// print prints the findings on one execution.
func print(r *job.Run, e *format.Execution, found []finding, json bool) {
	out := r.Console
	defer r.Flush(out)
	serious := 0
	for _, f := range found {
		// Some findings only inform, and leave the trace clean.
		if !lint.Information(f.Kind) {
			serious++
		}
	}
	if serious > 0 {
		r.Worsen(exit.SomeFails)
	}
	// Each line of JSON stands alone, so it repeats the trace.
	if json {
		for _, f := range found {
			f.Trace = e.Name
			r.JSON(out.Out, f, "")
		}
		return
	}
	if serious == 0 {
		present.Heading(out, "clean", graphs.Printable(e.Name), "nothing is suspicious")
	} else {
		present.Heading(out, "suspect", graphs.Printable(e.Name), graphs.Plural(serious, "finding"))
	}
	for _, line := range list(found) {
		present.Detail(out, line)
	}
}

// maxAlike bounds the findings that are alike and are listed one by one.
const maxAlike = 3

// list returns a line for each finding, one for many that are alike, and after those of a kind
// what to do about them.
func list(found []finding) []string {
	// Kind and likeness together: findings of two kinds may read alike.
	type likeness struct{ kind, like string }
	alike := make(map[likeness]int)
	for _, f := range found {
		alike[likeness{f.Kind, f.like}]++
	}

	var lines []string
	add := func(kind, text string) { lines = append(lines, fmt.Sprintf("%-11s  %s", kind, text)) }
	listed := make(map[likeness]int)
	for i, f := range found {
		about := f.Text
		switch {
		// A name is shorter than its formula.
		case f.Name != "":
			about = f.Name + ": " + about
		case f.Formula != "":
			about = f.Formula + ": " + about
		}
		key := likeness{f.Kind, f.like}
		listed[key]++
		switch n := alike[key]; {
		case f.like == "" || n <= maxAlike:
			add(f.Kind, about)
		case listed[key] == 1:
			add(f.Kind, about)
			add("", fmt.Sprintf("and %d more like it; --json lists all", n-1))
		}
		// One remedy for a kind is enough.
		last := i == len(found)-1 || found[i+1].Kind != f.Kind
		if remedy := lint.Remedy(f.Kind); remedy != "" && f.like != "" && last {
			add("", "remedy: "+remedy)
		}
	}
	return lines
}
