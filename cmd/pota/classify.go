package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/syntax"
)

func (s *session) classifyCommand() *cli.Command {
	return s.command(1, 2, cli.Command{
		Name:      "classify",
		Usage:     "say which fragment of CTL a formula is in and how it will be decided",
		ArgsUsage: "FORMULA [TRACE]",
		Description: "   pota classify 'AG(EF(reset@P1 && reset@P2))'\n" +
			"   pota classify 'AG(x@A + y@B <= 3)' run.jsonl",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object"},
		}, limitFlags(0), inputFlags()),
		Action: s.classify,
	})
}

// classification is the JSON object of classify.
type classification struct {
	Formula    string      `json:"formula"`
	Fragment   string      `json:"fragment"`
	Negated    bool        `json:"negated"`
	Leaves     []departure `json:"leaves,omitempty"`
	Conditions []departure `json:"conditions,omitempty"`
	Trace      string      `json:"trace,omitempty"`
	Plan       *plan       `json:"plan,omitempty"`
}

// departure is a place in a formula that keeps it out of a fragment, or a condition that
// its place in one depends on.
type departure struct {
	Fragment string `json:"fragment,omitempty"`
	Column   int    `json:"column"`
	Reason   string `json:"reason"`
}

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

func (s *session) classify(c *cli.Context) error {
	text := c.Args().First()
	f, err := s.parseFormula(text)
	if err != nil {
		return err
	}
	r := &classification{Formula: f.String()}
	class := syntax.Classify(f)
	if c.NArg() == 2 {
		q, err := s.question(c, f, c.Args().Get(1), false)
		if err != nil {
			return err
		}
		type result struct {
			*plan
			syntax.Class
		}
		p, err := do(s, "planning", func(ctx context.Context) (result, error) {
			p, err := rctl.MakePlan(ctx, q.Computation, q.resolved, rctl.Options{MaxMemory: s.budget.Memory(1)})
			if err != nil {
				return result{}, err
			}
			return result{newPlan(p), rctl.Classify(q.Computation, q.resolved)}, nil
		})
		if err != nil {
			return q.wrap(err)
		}
		r.Trace, r.Plan, class = q.Name, p.plan, p.Class
	}
	r.Fragment, r.Negated = class.Fragment.String(), class.Negated
	for _, l := range class.Leaves {
		r.Leaves = append(r.Leaves, departure{l.Fragment.String(), column(text, l.Pos), l.Reason})
	}
	for _, l := range class.Conditions {
		r.Conditions = append(r.Conditions, departure{"", column(text, l.Pos), l.Reason})
	}
	if c.Bool("json") {
		s.printJSON(r, "")
	} else {
		s.printClassification(r)
	}
	return nil
}

func newPlan(p *rctl.Plan) *plan {
	q := &plan{
		Formula: explain.Abbreviate(p.Formula), Fragment: p.Fragment.String(), Engine: p.Engine.String(),
		How: p.How, Visible: p.Visible, Cuts: p.Cuts.String(), Cost: p.Cost,
	}
	for _, part := range p.Parts {
		q.Parts = append(q.Parts, newPlan(part))
	}
	return q
}

// column returns the column, counted in characters from 1, of a byte of text.
func column(text string, pos int) int {
	return len([]rune(text[:min(pos, len(text))])) + 1
}

func (s *session) printClassification(r *classification) {
	of := ""
	if r.Negated {
		of = " (its negation is; the two are decided together)"
	}
	fmt.Fprintf(s.out, "%s  %s%s\n", r.Fragment, graphs.Printable(r.Formula), of)
	for _, l := range r.Leaves {
		fmt.Fprintf(s.out, "  not %s: column %d: %s\n", l.Fragment, l.Column, graphs.Printable(l.Reason))
	}
	for _, l := range r.Conditions {
		fmt.Fprintf(s.out, "  provided that: column %d: %s\n", l.Column, graphs.Printable(l.Reason))
	}
	if r.Plan == nil {
		engine := "slice where rewriting the formula makes that possible, explicit otherwise"
		if r.Fragment == syntax.RCTL.String() || r.Fragment == syntax.RCTLCETL.String() {
			engine = "slice, linear in the trace"
		}
		fmt.Fprintf(s.out, "  engine: %s; name a trace to see the plan\n", engine)
		return
	}
	fmt.Fprintf(s.out, "plan for %s\n", graphs.Printable(r.Trace))
	s.printPlan(r.Plan, "  ")
}

// mostParts bounds the parts of a plan that are printed.
const mostParts = 20

func (s *session) printPlan(p *plan, indent string) {
	fmt.Fprintf(s.out, "%s%s\n", indent, graphs.Printable(p.Formula))
	fmt.Fprintf(s.out, "%s  engine %s, fragment %s: %s\n", indent, p.Engine, p.Fragment, graphs.Printable(p.How))
	if len(p.Parts) == 0 {
		fmt.Fprintf(s.out, "%s  sees %d events, at most %s cuts; %s\n", indent, p.Visible, approximately(p.Cuts), graphs.Printable(p.Cost))
	}
	for i, part := range p.Parts {
		if i == mostParts {
			fmt.Fprintf(s.out, "%s  … %d parts more\n", indent, len(p.Parts)-i)
			return
		}
		s.printPlan(part, indent+"  ")
	}
}

// approximately shortens a number that is too long to read.
func approximately(digits string) string {
	if len(digits) <= 15 {
		return digits
	}
	return fmt.Sprintf("%s.%se%d", digits[:1], digits[1:3], len(digits)-1)
}
