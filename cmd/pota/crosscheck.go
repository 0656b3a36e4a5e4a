package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/pota-project/pota/graphs"
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

// crossCheck asks every engine. The error says which two disagree.
func (d *detection) crossCheck(ctx context.Context, c *graphs.Computation, f *syntax.Formula, first *rctl.Result) ([]opinion, error) {
	var all []opinion
	agreed, by := first.Verdict, "auto"
	for e, name := range rctl.Engines() {
		if rctl.Engine(e) == rctl.Auto {
			continue
		}
		opts := d.optionsNow()
		opts.Engine = rctl.Engine(e)
		begun := time.Now()
		res, err := rctl.Check(ctx, c, f, opts)
		if err != nil {
			return all, fmt.Errorf("engine %s: %w", name, err)
		}
		elapsed := float64(time.Since(begun).Microseconds()) / 1000
		all = append(all, opinion{Engine: name, Verdict: res.Verdict.String(), Reason: res.Reason, ElapsedMS: math.Round(elapsed*1000) / 1000})
		switch {
		case res.Verdict == rctl.Unknown:
		case agreed == rctl.Unknown:
			agreed, by = res.Verdict, name
		case res.Verdict != agreed:
			return all, fmt.Errorf("engines disagree, so pota has a bug: %s by %s, %s by %s", agreed, by, res.Verdict, name)
		}
	}
	return all, nil
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
