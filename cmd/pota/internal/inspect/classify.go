package inspect

import (
	"context"
	"fmt"
	"io"

	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/syntax"
)

// ClassifyOptions choose the formula and, for a plan, the trace.
type ClassifyOptions struct {
	Formula string
	Trace   string // "" for none; there is then no plan
	Read    load.Options
	JSON    bool
	Online  bool // say when pota watch can decide the verdict
}

// classification is the JSON object of Classify.
type classification struct {
	Formula    string           `json:"formula"`
	Fragment   string           `json:"fragment"`
	Negated    bool             `json:"negated"`
	Leaves     []departure      `json:"leaves,omitempty"`
	Conditions []departure      `json:"conditions,omitempty"`
	Bounds     string           `json:"bounds,omitempty"` // how bounds on time are decided
	Online     string           `json:"online,omitempty"`
	Trace      string           `json:"trace,omitempty"`
	Plan       *plan            `json:"plan,omitempty"`
	Bindings   *bindings.Survey `json:"bindings,omitempty"` // for a formula about data
}

// departure is a place in a formula that keeps the formula out of a fragment, or a condition under
// which the formula is in one.
type departure struct {
	Fragment string `json:"fragment,omitempty"`
	Column   int    `json:"column"`
	Reason   string `json:"reason"`
}

// plan is the JSON object for the plan of a formula, or of a part of one.
type plan struct {
	Formula  string  `json:"formula"`
	Fragment string  `json:"fragment"`
	Engine   string  `json:"engine"`
	How      string  `json:"how"`
	Visible  int     `json:"visible_events"`
	Cuts     string  `json:"cuts_at_most"`
	Cost     string  `json:"cost"`
	Parts    []*plan `json:"parts,omitempty"`
}

// exactly explains how bounds on time are decided.
const exactly = "exact; AF[<= d] takes a binary search for each event that makes p true, and EF[>= d] and lasts, " +
	"for each stretch of one of k conjuncts, k differences of times"

// Classify prints the fragment of a formula and, for a trace, how it would be decided.
func Classify(r *job.Run, opts ClassifyOptions) error {
	// Parse the formula as it was written, because positions refer to that text.
	f, err := load.Formula(r, opts.Formula)
	if err != nil {
		return err
	}
	all := &classification{Formula: f.String()}
	if syntax.HasBounds(f) {
		all.Bounds = exactly
	}
	// Without a trace, the class is that of the formula as written. On a trace, expanded quantifiers
	// and constants may give a better class.
	class := syntax.Classify(f)
	switch {
	case opts.Trace != "" && syntax.NewTemplate(f) != nil:
		err = all.survey(r, opts, f)
	case opts.Trace != "":
		class, err = all.plan(r, opts)
	}
	if err != nil {
		return err
	}
	// Both classes have the same keys.
	all.Fragment = class.Fragment.String()
	all.Negated = class.Negated
	for _, l := range class.Leaves {
		// Positions count bytes, but people count characters.
		all.Leaves = append(all.Leaves, departure{l.Fragment.String(), column(opts.Formula, l.Pos), l.Reason})
	}
	for _, l := range class.Conditions {
		all.Conditions = append(all.Conditions, departure{"", column(opts.Formula, l.Pos), l.Reason})
	}
	if opts.Online {
		outlook, err := online.Expect(f, false, 0)
		if err != nil {
			return err
		}
		all.Online = outlook.String()
	}
	if opts.JSON {
		r.JSON(r.Console.Out, all, "")
	} else {
		all.print(r.Console.Out)
	}
	return nil
}

// survey fills in the bindings of a formula about data on a trace. Such a formula has no plan of
// its own. Bindings of one shape share a decision, so the number of shapes indicates the cost.
func (all *classification) survey(r *job.Run, opts ClassifyOptions, f *syntax.Formula) error {
	q, err := load.Ask(r, opts.Read, nil, opts.Trace, load.Want{Variables: syntax.Names(f)}.With(f))
	if err != nil {
		return err
	}
	all.Trace = q.Execution.Name
	all.Bindings, err = job.Do(r, "planning", func(ctx context.Context) (*bindings.Survey, error) {
		return bindings.Look(ctx, q.Execution.Computation, f)
	})
	return q.Wrap(err)
}

// plan fills in the plan for a trace, and returns the class of the formula on it.
func (all *classification) plan(r *job.Run, opts ClassifyOptions) (syntax.Class, error) {
	q, err := load.Ask(r, opts.Read, &opts.Formula, opts.Trace, load.Want{})
	if err == nil {
		err = q.Resolve(r)
	}
	if err != nil {
		return syntax.Class{}, err
	}
	c := q.Execution.Computation
	// Planning computes slices to count the remaining events, so the limits of a decision apply.
	var class syntax.Class
	made, err := job.Do(r, "planning", func(ctx context.Context) (*plan, error) {
		p, err := rctl.MakePlan(ctx, c, q.Resolved, rctl.Options{MaxMemory: r.Budget.Memory(1)})
		if err != nil {
			return nil, err
		}
		class = rctl.Classify(c, q.Resolved)
		return newPlan(p), nil
	})
	if err != nil { // at a limit, the work may still be running
		return syntax.Class{}, q.Wrap(err)
	}
	all.Trace = q.Execution.Name
	all.Plan = made
	return class, nil
}

// newPlan returns the JSON form of a plan, with the formula in readable form.
func newPlan(p *rctl.Plan) *plan {
	q := &plan{
		Formula:  explain.Abbreviate(p.Formula),
		Fragment: p.Fragment.String(),
		Engine:   p.Engine.String(),
		How:      p.How,
		Visible:  p.Visible,
		Cuts:     p.Cuts.String(),
		Cost:     p.Cost,
	}
	// Each part may have a different engine.
	for _, part := range p.Parts {
		q.Parts = append(q.Parts, newPlan(part))
	}
	return q
}

// column returns the column of a byte in text, counted in characters from 1.
func column(text string, pos int) int {
	return len([]rune(text[:min(pos, len(text))])) + 1
}

// print prints a classification for people.
func (all *classification) print(w io.Writer) {
	negation := ""
	if all.Negated {
		negation = " (its negation is; the two are decided together)"
	}
	fmt.Fprintf(w, "%s  %s%s\n", all.Fragment, graphs.Printable(all.Formula), negation)
	// Rewriting these places allows a faster engine.
	for _, l := range all.Leaves {
		fmt.Fprintf(w, "  not %s: column %d: %s\n", l.Fragment, l.Column, graphs.Printable(l.Reason))
	}
	for _, l := range all.Conditions {
		fmt.Fprintf(w, "  provided that: column %d: %s\n", l.Column, graphs.Printable(l.Reason))
	}
	if all.Bounds != "" {
		fmt.Fprintf(w, "  bounds on time: %s\n", all.Bounds)
	}
	if all.Online != "" {
		fmt.Fprintf(w, "  on-line: %s (pota help watching)\n", all.Online)
	}
	// A formula that is not decided by shapes needs a decision for each binding.
	if b := all.Bindings; b != nil {
		fmt.Fprintf(w, "plan for %s\n", graphs.Printable(all.Trace))
		if b.Whole != "" {
			fmt.Fprintf(w, "  %d %s, each decided on the whole computation: %s\n", b.Total, b.Of, b.Whole)
		} else if b.Visible == 0 && all.Bounds != "" {
			fmt.Fprintf(w, "  %d %s, each decided by times alone\n", b.Total, b.Of)
		} else {
			fmt.Fprintf(w, "  %d %s, which see %s in %s; each shape is decided once\n", b.Total, b.Of, graphs.Plural(b.Visible, "event"), graphs.Plural(b.Shapes, "shape"))
		}
		return
	}
	// Without a trace, only the fragment determines the engine.
	if all.Plan == nil {
		engine := "slice where rewriting the formula makes that possible, explicit otherwise"
		// Formulas of these two fragments need no rewriting.
		if all.Fragment == syntax.RCTL.String() || all.Fragment == syntax.RCTLCETL.String() {
			engine = "slice, linear in the trace"
		}
		fmt.Fprintf(w, "  engine: %s; name a trace to see the plan\n", engine)
		return
	}
	fmt.Fprintf(w, "plan for %s\n", graphs.Printable(all.Trace))
	all.Plan.print(w, "  ")
}

// maxParts bounds how many parts of a plan are printed.
const maxParts = 20

// print prints a plan and, with deeper indentation, its parts.
func (p *plan) print(w io.Writer, indent string) {
	fmt.Fprintf(w, "%s%s\n", indent, graphs.Printable(p.Formula))
	fmt.Fprintf(w, "%s  engine %s, fragment %s: %s\n", indent, p.Engine, p.Fragment, graphs.Printable(p.How))
	// The costs of a plan with parts are those of its parts.
	if len(p.Parts) == 0 {
		cuts := p.Cuts
		if n := len(cuts); n > 15 {
			// Truncate rather than round, since the exponent is what matters.
			cuts = fmt.Sprintf("%s.%se%d", cuts[:1], cuts[1:3], n-1)
		}
		fmt.Fprintf(w, "%s  sees %d events, at most %s cuts; %s\n", indent, p.Visible, cuts, graphs.Printable(p.Cost))
	}
	for i, part := range p.Parts {
		// Quantifiers over many processes give hundreds of parts that differ only in a name.
		if i == maxParts {
			fmt.Fprintf(w, "%s  … %d parts more\n", indent, len(p.Parts)-i)
			return
		}
		part.print(w, indent+"  ")
	}
}
