package inspect

import (
	"context"
	"fmt"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/lint"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/rctl/vacuity"
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

	like string // equal for findings that differ only in names and numbers; "" if there are none
}

// varying matches names and numbers. Findings about a log that differ only in these are alike.
var varying = lazy.Regexp(`"[^"]*"|[0-9]+`)

// Lint prints suspicious things about a trace, and about formulas on it: a verdict is only as good
// as its trace, and says little if the formula holds no matter what happens. If there are any, the
// status of the run is SomeFails.
func Lint(r *job.Run, opts LintOptions) error {
	// Report mistakes in formulas before reading the trace.
	properties, err := load.Properties(r, opts.Formulas)
	if err != nil {
		return err
	}
	// Read all variables and labels, since variables that no formula names can also be suspicious.
	in, err := load.New(r, opts.Read, load.Want{Names: true})
	if err != nil {
		return err
	}
	var inFile []finding
	// Remarks that reading would print are findings here.
	in.Observe(
		func(e *trace.Error) { inFile = append(inFile, finding{Kind: "truncated", Text: e.Error()}) },
		func(e *trace.Error) {
			like := varying().ReplaceAllString(e.Msg, "…")
			inFile = append(inFile, finding{Kind: "log", Text: e.Error(), like: like})
		})
	executions, err := in.Read(r, opts.Trace)
	if err != nil {
		return err
	}

	// The remaining formulas on all executions share the remaining time.
	left := len(executions) * len(properties)
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
		found = append(found, lintFormulas(r, e, properties, left)...)
		left -= len(properties)
		print(r, e, found, opts.JSON)
	}
	return nil
}

// lintExecution finds suspicious things about an execution, regardless of its format.
func lintExecution(r *job.Run, e *format.Execution, in *load.Reader) ([]finding, error) {
	found, err := job.Do(r, "looking for what is suspicious", func(context.Context) ([]lint.Finding, error) {
		return lint.Find(e.Computation, in.Unit), nil
	})
	var all []finding
	for _, f := range found {
		next := finding{Kind: f.Kind, Text: f.Text, like: f.Like}
		// Users find events by their ids.
		for _, event := range f.Events {
			next.Events = append(next.Events, e.Computation.ID(event))
		}
		all = append(all, next)
	}
	return all, err
}

// lintFormulas decides formulas on an execution, and returns the verdicts that say little or are
// undecided. It reports errors and goes on with other formulas. The remaining formulas share the
// remaining time.
func lintFormulas(r *job.Run, e *format.Execution, properties []syntax.Property, left int) []finding {
	// Formulas share slices through the session.
	session := rctl.NewSession(e.Computation)
	var all []finding
	for i, p := range properties {
		found, err := lintFormula(r, e, session, p, left-i)
		switch {
		case failure.IsLimit(err):
			found = []finding{{Kind: undecided, Text: err.Error()}}
		// A formula that does not fit the trace is an error, not a finding.
		case err != nil:
			r.Fail(err)
		}
		for _, f := range found {
			// For an undecided formula, it is not known whether its verdict says little.
			if f.Kind == undecided {
				r.Worsen(exit.Undecided)
			}
			f.Name = p.Name
			f.Formula = p.Source
			all = append(all, f)
		}
	}
	return all
}

// undecided is the kind of a finding about a formula without a verdict.
const undecided = "undecided"

// lintFormula decides a formula and returns the reasons why its verdict says little. It does not
// search for a run.
func lintFormula(r *job.Run, e *format.Execution, session *rctl.Session, p syntax.Property, left int) ([]finding, error) {
	about, f, err := load.Resolve(r, p, e)
	if err != nil {
		return nil, err
	}
	if about != e {
		e, session = about, rctl.NewSession(about.Computation)
	}
	opts := rctl.Options{MaxMemory: r.Budget.Memory(1)}
	res, err := job.Decide(r, "deciding", left, func(ctx context.Context) (*rctl.Result, error) {
		return session.Decide(ctx, f, opts)
	})
	switch {
	// The text of a limit becomes a finding, which already has the name of the trace.
	case failure.IsLimit(err):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}

	var all []finding
	// Some findings need no verdict, so the search for them goes on.
	if res.Verdict == rctl.Unknown {
		all = append(all, finding{Kind: undecided, Text: res.Reason})
	}
	const looking = "looking for verdicts that say little"
	// The decision has used memory.
	opts.MaxMemory = r.Budget.Memory(1)
	vacuous, _ := job.Do(r, looking, func(ctx context.Context) ([]vacuity.Finding, error) {
		return vacuity.Find(ctx, session, e.Computation, p.Formula, f, res.Verdict, opts), nil
	}) // at a limit there are no findings
	for _, v := range vacuous {
		all = append(all, finding{Kind: v.Kind.String(), Text: v.Text})
	}
	return all, nil
}

// print prints the findings on one execution.
func print(r *job.Run, e *format.Execution, found []finding, json bool) {
	out := r.Console
	defer r.Flush(out)
	serious := 0
	for _, f := range found {
		// Some findings are only informational, and do not make the trace suspicious.
		if !lint.Information(f.Kind) {
			serious++
		}
	}
	if serious > 0 {
		r.Worsen(exit.SomeFails)
	}
	// Each line of JSON is self-contained, so it repeats the trace.
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

// maxAlike bounds how many findings that are alike are listed one by one.
const maxAlike = 3

// list returns a line for each finding, one line for many findings that are alike, and a remedy
// after the findings of a kind.
func list(found []finding) []string {
	// Include the kind, since findings of two kinds may have the same text.
	type likeness struct{ kind, like string }
	alike := make(map[likeness]int)
	for _, f := range found {
		alike[likeness{f.Kind, f.like}]++
	}

	// The names of kinds are short, so that texts begin in one column.
	var lines []string
	add := func(kind, text string) { lines = append(lines, fmt.Sprintf("%-11s  %s", kind, text)) }
	listed := make(map[likeness]int)
	for i, f := range found {
		about := f.Text
		switch {
		// Prefer the name, which is shorter than the formula.
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
		// Print the remedy once per kind.
		last := i == len(found)-1 || found[i+1].Kind != f.Kind
		if remedy := lint.Remedy(f.Kind); remedy != "" && f.like != "" && last {
			add("", "remedy: "+remedy)
		}
	}
	return lines
}
