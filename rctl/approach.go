package rctl

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// approach is the step that shows E[p U q] and EF(p && EG q), for predicates p and q, by a cut
// where p && q holds: with a run for EG p up to the cut, or a run for EG q from it. It tries a few
// cuts: after each of them, cuts without one of its last steps, or with one step more.
//
// It returns ok = false for other formulas. A step that finds no run refutes nothing.
func (k *checker) approach(f *syntax.Formula) (s step, ok bool) {
	goal, along, after := meeting(f)
	if goal == nil {
		return step{}, false
	}
	ef := k.Normal(syntax.New(syntax.OpEF, f.Pos, goal))
	eg := k.Normal(syntax.New(syntax.OpEG, f.Pos, along))
	return k.attempt("try runs to a few cuts at which the goal holds", func() engine.Answer { return k.try(f, ef, eg, after) }, ef, eg), true
}

// meeting returns the formula that has to hold at the cut that f asks for, and the one that has to
// hold along the run to that cut or, if after is set, from it on. The goal is nil if f is of
// another kind.
func meeting(f *syntax.Formula) (goal, along *syntax.Formula, after bool) {
	switch f.Op {
	case syntax.OpEU:
		goal, along = syntax.And(f.Sub...), f.Sub[0]
	case syntax.OpEF:
		parts := slices.Clone(syntax.Conjuncts(f.Sub[0]))
		i := slices.IndexFunc(parts, func(f *syntax.Formula) bool { return f.Op == syntax.OpEG })
		if i < 0 || len(parts) == 1 {
			return nil, nil, false
		}
		parts[i] = parts[i].Sub[0]
		goal, along, after = syntax.And(parts...), parts[i], true
	default:
		return nil, nil, false
	}
	if !syntax.IsPropositional(goal) {
		return nil, nil, false
	}
	return goal, along, after
}

// Bounds on approach: how many cuts it tries, and the steps for each of two searches at a cut.
const (
	maxApproached = 8
	attemptSteps  = 1 << 20
)

// try takes the step that approach describes.
func (k *checker) try(f, ef, eg *syntax.Formula, after bool) engine.Answer {
	used := k.used
	for left, among := maxApproached, []*graphs.Computation{k.Comp}; left > 0 && len(among) > 0 && k.Ctx.Err() == nil; left-- {
		c := among[0]
		among = among[1:]
		a := k.within(c, ef)
		if len(a.Runs) == 0 {
			continue
		}
		cut := a.Runs[0].Cut
		rest := slice.UpTo(k.Comp, cut).Computation()
		if after {
			rest = k.Comp.From(cut)
		}
		b := k.within(rest, eg)
		switch {
		case len(b.Runs) == 0:
		case after:
			return k.anyRun(f, cut, nil)
		default:
			return k.anyRun(f, cut, b.Runs[0].In(rest))
		}
		for p := range cut {
			if after {
				if next, ok := c.Next(cut, p); ok {
					among = append(among, c.From(next))
				}
			} else if cut[p] > c.Initial()[p] {
				if high, ok := c.Below(c.Final(), c.Event(p, int(cut[p]))); ok {
					among = append(among, slice.UpTo(c, high).Computation())
				}
			}
		}
	}
	k.used = used
	return engine.Answer{}
}

// within looks for a run that shows a formula with an E operator at the root, at the initial cut of
// a part of k's computation. The answer has no run if the formula fails or the search takes too
// long.
func (k *checker) within(c *graphs.Computation, f *syntax.Formula) engine.Answer {
	defer k.withEvidenceBudget(attemptSteps)()
	part := newChecker(k.Ctx, c, regular.NewMemo(), k.opts)
	part.cores = nil
	part.Evidence, part.opts.Evidence = true, true
	a := part.decide(part.Normal(f))
	k.used = max(k.used, part.used)
	if err := part.failure(); err != nil {
		k.fail(err)
		return engine.Answer{}
	}
	if a.Verdict == Fails {
		return engine.Answer{}
	}
	return a
}

// anyRun is the answer that f holds, by a run to a cut, perhaps not the shortest.
func (k *checker) anyRun(f *syntax.Formula, cut graphs.Cut, run []graphs.Event) engine.Answer {
	a := k.Shown(f, cut)
	r := a.Runs[0]
	r.MaybeShorter = true
	if run != nil {
		r.Events, r.Within = run, nil
	}
	return a
}
