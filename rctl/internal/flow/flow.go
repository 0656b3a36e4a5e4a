// Package flow decides EF of bounds on sums by minimum cuts. For EG it looks for runs
// that keep sums within bounds.
//
// # Definitions
//
// A sum of values that single chains determine is, at a cut, its value before all events
// plus the weights of the events of the cut. The weight of an event is by how much it
// changes the sum.
// The messages in transit from P to Q are such a sum: a send weighs 1, a receive -1. So
// the cut of a slice with the greatest sum is a closed set of greatest weight in the
// slice's graph, the far side of a minimum cut. (Picard, Maximal Closure of a Graph and
// Applications to Combinatorial Problems, 1976; for predicates on distributed
// computations Chase and Garg, Detection of Global Predicates, 1998.) The greatest and
// the least value decide <, <=, >=, > and !=. Other bounds hold if some cut between the
// two extreme ones meets them, as one must if no step of the slice changes the sum by
// more than 1. No cut does if the bounds have no number that differs from the sum before
// all events by a multiple of the common divisor of all weights: twice a sum is even.
//
// For example, let an event p of P add 3 to a sum, and need an event q of Q that
// subtracts 1. The closed sets of events are the empty set, q alone, and both, of
// weights 0, -1 and 2. As a flow, p supplies 3 and q demands 1: one unit flows from p to
// q, and 2 are left. That is the weight of the set reached from the remaining supply,
// both events, and so EF(sum >= 2) holds and EF(sum >= 3) fails.
//
// A run that keeps a sum from rising above a bound is a passage (see type passage).
// Until looks for passages to a goal.
package flow

import (
	"context"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// maxDisjuncts bounds the disjuncts that are decided one by one.
const maxDisjuncts = 64

// Prepare accepts EF of a disjunction of at most 64 formulas, after || is lifted out of
// &&. Each of them has a lean slice, or is the conjunction of such formulas with one
// comparison of a sum with numbers, perhaps negated. A sum is made by +, - and
// multiplication with integers from expressions of one chain, channels, and sum and
// count over them.
//
// The task is partial if a sum is bounded on both sides, as by ==: it leaves the formula
// undecided if neither the extremes nor the runs between them decide. The run found is
// not always a shortest one.
//
// The task takes the time of two maximum flows for each disjunct, on the events that
// change the sum or have edges to other processes.
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if f.Op != syntax.OpEF {
		return nil, nil
	}
	parts, err := disjuncts(p, f.Sub[0])
	if parts == nil {
		return nil, err
	}
	sums, partial := 0, false
	for _, d := range parts {
		if d.sum != nil {
			sums++
			// The extreme values of a sum may leave open whether some cut has a sum between bounds
			// on both sides.
			n := len(d.within)
			partial = partial || n > 0 && d.within[0].low != -noLimit && d.within[n-1].high != noLimit
		}
	}
	t := &engine.Task{
		How:     "extreme values of the sum over a slice",
		Cost:    fmt.Sprintf("polynomial: %d minimum cuts at most", 2*sums),
		Partial: partial,
		Decide:  func() (engine.Answer, error) { return decide(p, f, parts) },
	}
	if partial {
		t.How += " where they decide"
	}
	return t, nil
}

// A disjunct is a conjunction of formulas that have slices and a bound on a sum.
type disjunct struct {
	regular []*syntax.Formula
	sum     *tally // nil if no sum is bounded
	within  ranges // the allowed values of the sum
}

// disjuncts splits a disjunction as Prepare describes it. It returns nil for other formulas.
func disjuncts(p *engine.Problem, f *syntax.Formula) ([]*disjunct, error) {
	ds, ok := regular.Disjuncts(f, maxDisjuncts)
	if !ok {
		return nil, nil
	}
	parts := make([]*disjunct, len(ds))
	for i, d := range ds {
		var err error
		if parts[i], err = split(p, d); parts[i] == nil {
			return nil, err
		}
	}
	return parts, nil
}

// split splits a disjunct into its parts. It returns nil for formulas of another kind.
func split(p *engine.Problem, f *syntax.Formula) (*disjunct, error) {
	d := &disjunct{}
	for _, part := range syntax.Conjuncts(f) {
		if p.Has(part) {
			d.regular = append(d.regular, part)
			continue
		}
		if d.sum != nil {
			return nil, nil
		}
		var err error
		if d.sum, d.within, err = bounded(p.Comp, part); d.sum == nil {
			return nil, err
		}
	}
	return d, nil
}

// decide decides f, EF of a disjunction, and shows the disjunct that holds soonest.
func decide(p *engine.Problem, f *syntax.Formula, ds []*disjunct) (engine.Answer, error) {
	best, summed := engine.Answer{Verdict: engine.Fails}, false
	for _, d := range ds {
		cut, v, err := d.decide(p, nil)
		if err != nil {
			return engine.Answer{}, err
		}
		if v == engine.Fails {
			continue
		}
		summed = summed || d.sum != nil
		if v == engine.Unknown {
			if best.Verdict == engine.Fails {
				best = engine.Answer{}
			}
			continue
		}
		if a := p.Shown(f, cut); best.Verdict != engine.Holds || p.Shorter(a, best) {
			best = a
		}
		if !p.Evidence {
			break
		}
	}
	if best.Verdict == engine.Holds {
		best.Runs[0].MaybeShorter = summed
	}
	return best, nil
}

// decide returns a cut where the disjunct holds. If most is not nil the cut is within
// most. The verdict is Unknown if the extreme values of the sum do not decide whether
// such a cut exists.
func (d *disjunct) decide(p *engine.Problem, most graphs.Cut) (graphs.Cut, engine.Verdict, error) {
	var slices []*slice.Slice
	for _, f := range d.regular {
		s := p.Of(f)
		if s == nil {
			return nil, engine.Unknown, p.Err()
		}
		slices = append(slices, s)
	}
	if most != nil {
		slices = append(slices, slice.UpTo(p.Comp, most))
	}
	within := slice.All(p.Comp)
	if len(slices) > 0 {
		within = slice.And(slices...)
	}
	switch {
	case within.Empty():
		return nil, engine.Fails, nil
	case d.sum == nil:
		return within.Least(), engine.Holds, nil
	}
	return d.sum.search(p.Ctx, within, d.within)
}

// search looks for a cut of s with a sum within ranges.
func (t *tally) search(ctx context.Context, s *slice.Slice, in ranges) (graphs.Cut, engine.Verdict, error) {
	least := s.Least()
	if in.has(t.at(least)) {
		return least, engine.Holds, nil
	}
	if in = in.possible(t); len(in) == 0 {
		return nil, engine.Fails, nil
	}
	c := s.Computation()
	if cut := t.along(c, least, s.Greatest(), in); cut != nil {
		return cut, engine.Holds, nil
	}
	found := make([]graphs.Cut, 0, 2)
	for _, sign := range []int64{1, -1} {
		enough, ok := in.enough(sign)
		if !ok {
			continue // the other extreme decides
		}
		enough -= sign * t.weight[graphs.Bottom]
		cut, err := heavy(ctx, c, c.Initial(), c.Final(), t.weight, sign, enough, enough-1)
		if err != nil {
			return nil, engine.Unknown, err
		}
		x := t.at(cut)
		switch {
		case in.has(x):
			return cut, engine.Holds, nil
		case sign > 0 && x < in[len(in)-1].low: // so are all sums
			in = in[:len(in)-1]
		case sign < 0 && x > in[0].high:
			in = in[1:]
		}
		if len(in) == 0 {
			return nil, engine.Fails, nil
		}
		found = append(found, cut)
	}
	// One range is left, with one cut above it and one below, and runs between them.
	high, low := found[0], found[1]
	join, meet := high.Join(low), high.Meet(low)
	for _, way := range [][2]graphs.Cut{{low, join}, {high, join}, {meet, low}, {meet, high}} {
		if cut := t.along(c, way[0], way[1], in); cut != nil {
			return cut, engine.Holds, nil
		}
	}
	return nil, engine.Unknown, nil
}

// along returns the first cut with a sum within ranges along a run of c from one cut to another, or
// nil if there is none.
func (t *tally) along(c *graphs.Computation, from, to graphs.Cut, in ranges) graphs.Cut {
	x := t.at(from)
	order := c.Order() // computed once for each computation
	if from.Size() > 0 || to.Size() < len(order) {
		order = c.Topological(from, to)
	}
	if in.has(x) {
		return from.Clone()
	}
	for i, e := range order {
		x += t.weight[e]
		if i+1 < len(order) && c.SameStep(e, order[i+1]) || !in.has(x) {
			continue
		}
		cut := from.Clone()
		for _, e := range order[:i+1] {
			cut[c.Process(e)]++
		}
		return cut
	}
	return nil
}
