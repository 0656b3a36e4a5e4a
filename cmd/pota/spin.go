package main

import (
	"context"
	"errors"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/promela"
	"github.com/pota-project/pota/translate/spin"
)

// spinEngine is the name of the engine that is another program.
const spinEngine = "spin"

// engineNames lists the engines that --engine takes.
func engineNames() []string { return append(append([]string(nil), rctl.Engines()...), spinEngine) }

// engineOf names the engine that decided.
func (d *detection) engineOf(res *rctl.Result) string {
	if d.spin {
		return spinEngine
	}
	return res.Engine.String()
}

// bySpin decides f by SPIN.
func (d *detection) bySpin(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*rctl.Result, error) {
	res, err := spin.Check(ctx, c, f, spin.Options{MaxMemory: d.opts.MaxMemory, Slice: d.cli.Bool("spin-slice")})
	d.checked = res
	var inexpressible *promela.InexpressibleError
	var limit *promela.LimitError
	switch {
	case errors.As(err, &inexpressible), errors.As(err, &limit):
		return &rctl.Result{Reason: err.Error(), Class: rctl.Classify(c, f)}, nil
	case err != nil:
		return nil, err
	}
	if res.Evidence != nil && !res.Evidence.Whole {
		res.Evidence.Nearer = true // SPIN stops at the first error it finds
	}
	return &rctl.Result{
		Verdict: res.Verdict, Reason: res.Reason, Class: rctl.Classify(c, f), Evidence: res.Evidence,
	}, nil
}
