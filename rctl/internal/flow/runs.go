package flow

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// Runs accepts EG of a conjunction of formulas that have slices and of formulas that each bound a
// sum, perhaps by disjunctions and negations of bounds.
//
// For each bound in turn the task searches for a passage, and tries the run found for all the other
// bounds. If no step can jump over a gap between two ranges, only the range with the sum at the
// initial cut remains.
//
// The task is partial: the search ends after some thousands of cuts.
func Runs(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if f.Op != syntax.OpEG {
		return nil, nil
	}
	var regular []*syntax.Formula
	all := sums{comp: p.Comp}
	for _, part := range syntax.Conjuncts(f.Sub[0]) {
		if p.Has(part) {
			regular = append(regular, part)
		} else if ok, err := all.add(part); err != nil || !ok {
			return nil, err
		}
	}
	if len(all.tallies) == 0 {
		return nil, nil
	}
	return &engine.Task{
		How: "search for a run that keeps the sum within bounds", Cost: "a few thousand cuts",
		Partial: true,
		Decide: func() (engine.Answer, error) {
			c := p.Comp
			if len(regular) > 0 {
				along := p.Of(syntax.And(regular...))
				if along == nil {
					return engine.Answer{}, p.Err()
				}
				if !slice.EG(along).Contains(c.Initial()) {
					return engine.Answer{Verdict: engine.Fails}, nil
				}
				c = along.Computation() // its steps are steps of p.Comp
			}
			o, err := all.keep(p.Ctx, c)
			a := engine.Answer{Verdict: o.verdict}
			if o.verdict == engine.Holds {
				a.Runs = []*engine.Run{
					{Formula: f, Cut: p.Comp.Final(), Whole: true, Events: o.run},
				}
			}
			return a, err
		},
	}, nil
}

// sums are several sums with the ranges that each must be in.
type sums struct {
	comp    *graphs.Computation
	tallies []*tally
	within  []ranges
}

// add adds the bounds that a formula in negation normal form puts on a sum. It returns ok = false if
// the formula is not about one sum.
func (s *sums) add(f *syntax.Formula) (ok bool, err error) {
	sum, in, err := bounded(s.comp, f)
	if sum == nil {
		return false, err
	}
	for i, t := range s.tallies {
		if t.same(sum) {
			in = in.plus(t.weight[graphs.Bottom] - sum.weight[graphs.Bottom])
			s.within[i] = s.within[i].and(in)
			return true, nil
		}
	}
	s.tallies, s.within = append(s.tallies, sum), append(s.within, in)
	return true, nil
}

// stay reports whether all sums stay within their ranges along a run of c.
func (s *sums) stay(c *graphs.Computation, run []graphs.Event) bool {
	for i, t := range s.tallies {
		if !t.stays(c, run, s.within[i]) {
			return false
		}
	}
	return true
}

// keep looks for a run of c, from its initial to its final cut, that keeps all sums
// within their ranges.
func (s *sums) keep(ctx context.Context, c *graphs.Computation) (outcome, error) {
	for i, t := range s.tallies {
		o, err := t.keep(ctx, c, s.within[i])
		if err != nil || o.verdict == engine.Fails ||
			o.verdict == engine.Holds && s.stay(c, o.run) {
			return o, err
		}
	}
	return outcome{}, nil
}

// keep looks for a run of c, from its initial to its final cut, that keeps the sum
// within ranges.
func (t *tally) keep(ctx context.Context, c *graphs.Computation, in ranges) (outcome, error) {
	in = in.possible(t)
	first, last := t.at(c.Initial()), t.at(c.Final())
	b, whole := in.around(first, t.largestStep(c))
	if !in.has(first) || !in.has(last) || !b.has(last) {
		return none, nil
	}
	within := in
	if whole {
		within = ranges{b}
	}
	if run := c.Topological(c.Initial(), c.Final()); t.stays(c, run, within) {
		return found(run), nil
	}
	for _, l := range t.limits(b) {
		o, err := l.below(ctx, c, c.Final())
		if err != nil || o.verdict == engine.Fails ||
			o.verdict == engine.Holds && t.stays(c, o.run, within) {
			return o, err
		}
	}
	return outcome{}, nil
}

// A limit is an upper bound on a sum.
type limit struct {
	*tally
	most int64
}

// limits returns the limits that keep a sum within bounds: on the sum and on the negated sum.
func (t *tally) limits(b bounds) (all []limit) {
	if b.high != noLimit {
		all = append(all, limit{t, b.high})
	}
	if b.low != -noLimit {
		negated := new(*t)
		negated.weight = make([]int64, len(t.weight))
		for e, x := range t.weight {
			negated.weight[e] = -x
		}
		all = append(all, limit{negated, -b.low})
	}
	return all
}

// below looks for a run of c to a cut that keeps the limit. The limit must hold at both ends.
func (l limit) below(ctx context.Context, c *graphs.Computation, to graphs.Cut) (outcome, error) {
	from := c.Initial()
	least, err := lightest(ctx, c, l.weight, from, to)
	if err != nil {
		return outcome{}, err
	}
	down, err := newPassage(c, l.weight, l.most, from, least).find(ctx, l.at(from))
	if err != nil || down.verdict != engine.Holds {
		return down, err
	}

	back, of := reversed(c, least, to)
	weightBack := make([]int64, back.Top()+1)
	forth := make([]graphs.Event, back.Top()+1)
	for e, r := range of {
		if r != 0 {
			weightBack[r] = -l.weight[e]
			forth[r] = graphs.Event(e)
		}
	}
	up, err := newPassage(back, weightBack, l.most, back.Initial(), back.Final()).find(ctx, l.at(to))
	if err != nil || up.verdict != engine.Holds {
		return up, err
	}
	for _, r := range slices.Backward(up.run) {
		down.run = append(down.run, forth[r])
	}
	return down, nil
}

// stays reports whether the sum stays within ranges along a run of c.
func (t *tally) stays(c *graphs.Computation, run []graphs.Event, in ranges) bool {
	x := t.at(c.Initial())
	for i, e := range run {
		if (i == 0 || !c.SameStep(run[i-1], e)) && !in.has(x) {
			return false
		}
		x += t.weight[e]
	}
	return in.has(x)
}

// largestStep returns the greatest amount by which a step of c changes the sum.
func (t *tally) largestStep(c *graphs.Computation) int64 {
	most := int64(0)
	for p, k := range c.Final() {
		for i := int(c.Initial()[p]) + 1; i <= int(k); i++ {
			e := c.Event(p, i)
			if step := c.Step(e); step[0] == e {
				x := weightOf(step, t.weight)
				most = max(most, x, -x)
			}
		}
	}
	return most
}

// bounded returns the sum that a formula in negation normal form bounds, and the ranges that the sum
// must be in. The sum is nil for formulas of another kind, or about several sums.
func bounded(c *graphs.Computation, f *syntax.Formula) (sum *tally, in ranges, err error) {
	atoms := 0
	// read returns ok = false if the formula is of another kind, or there is an error.
	var read func(f *syntax.Formula) (r ranges, ok bool)
	read = func(f *syntax.Formula) (r ranges, ok bool) {
		switch f.Op {
		case syntax.OpTrue:
			return everything, true
		case syntax.OpFalse:
			return nil, true
		case syntax.OpNot:
			r, ok = read(f.Sub[0])
			return r.not(), ok
		case syntax.OpAnd, syntax.OpOr:
			r = everything
			for _, sub := range f.Sub {
				s, ok := read(sub)
				if !ok {
					return nil, false
				}
				if f.Op == syntax.OpOr {
					s = s.not()
				}
				r = r.and(s)
			}
			if f.Op == syntax.OpOr {
				r = r.not()
			}
			return r, true
		case syntax.OpAtom:
			if atoms++; f.Expr.Op != syntax.ExprCompare || atoms > maxDisjuncts {
				return nil, false
			}
			var t *tally
			if t, r, err = tallyOf(c, f.Expr); t == nil {
				return nil, false
			}
			if sum == nil {
				sum = t
			}
			// The ranges are relative to the first sum in the formula.
			return r.plus(sum.weight[graphs.Bottom] - t.weight[graphs.Bottom]), t.same(sum)
		}
		return nil, false
	}
	in, ok := read(f)
	if !ok {
		return nil, nil, err
	}
	return sum, in, nil
}
