package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// opinion is what one engine says of a formula.
type opinion struct {
	Engine    string  `json:"engine"`
	Verdict   string  `json:"verdict"`
	Reason    string  `json:"reason,omitempty"`
	ElapsedMS float64 `json:"elapsed_ms"`
	States    int64   `json:"states,omitempty"` // stored by SPIN
	Memory    int64   `json:"memory,omitempty"` // bytes that SPIN took
}

// crossCheck asks every engine but SPIN. The error says that two disagree.
func (d *detection) crossCheck(e *format.Execution, f *syntax.Formula, first *rctl.Result) ([]opinion, error) {
	all := d.ask(e, rctl.Engines()[1:], func(ctx context.Context, engine string) (*rctl.Result, error) {
		opts := d.optionsNow()
		opts.Engine, _ = rctl.ParseEngine(engine)
		return rctl.Check(ctx, e.Computation, f, opts)
	})
	known := all.Verdict != rctl.Unknown.String() && first.Verdict != rctl.Unknown
	if !all.Agree || known && all.Verdict != first.Verdict.String() {
		return all.Engines, errors.New("engines disagree, so pota has a bug; --json shows what each says")
	}
	return all.Engines, nil
}

func (d *detection) printOpinions(all []opinion) {
	for _, o := range all {
		why := ""
		if o.Reason != "" {
			why = ": " + o.Reason
		}
		fmt.Fprintf(d.out, "         %-8s %s%s\n", o.Engine, o.Verdict, why)
	}
}
