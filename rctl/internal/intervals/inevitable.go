package intervals

import (
	"iter"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// Inevitable accepts EF(r && AF q), and so AG(r -> EG !q), where q is a conjunction of
// predicates of single chains and r has a lean slice.
//
// Let C ⊆ D be cuts in one interval of a chain where q fails. If q fails along a run
// from D, it fails along a run from C through D: up to D the run stays in the interval.
// So if AF q holds at C, it holds at D: of the cuts in the interval that satisfy r it is
// enough to try the greatest. Cuts in no such interval satisfy q itself. If q contradicts
// a conjunct of r, the intervals of that one chain are enough.
//
// The task takes the time of EG !q for each interval.
func Inevitable(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if f.Op != syntax.OpEF {
		return nil, nil
	}
	var goal *syntax.Formula
	var where []*syntax.Formula
	for _, part := range syntax.Conjuncts(f.Sub[0]) {
		if part.Op == syntax.OpAF && goal == nil {
			goal = part.Sub[0]
		} else {
			where = append(where, part)
		}
	}
	if goal == nil || !p.Has(syntax.And(where...)) || !p.Has(goal) {
		return nil, nil
	}
	d := &inevitable{Problem: p, f: f, where: where, avoid: p.Normal(syntax.Not(goal))}
	s, err := newSearch(p.Comp, d.avoid)
	if err != nil || s == nil {
		return nil, err
	}
	return &engine.Task{
		How:    "chains of overlapping intervals from the greatest cut in each",
		Cost:   "polynomial: as many passes as there are intervals",
		Decide: func() (engine.Answer, error) { return d.decide(s, goal) },
	}, nil
}

// An inevitable is EF(r && AF q).
type inevitable struct {
	*engine.Problem
	f     *syntax.Formula
	where []*syntax.Formula // the conjuncts of r
	avoid *syntax.Formula   // !q
}

// decide tries a cut that satisfies r and q, and then the greatest cut of each interval
// where q fails.
func (d *inevitable) decide(s *search, goal *syntax.Formula) (engine.Answer, error) {
	within := d.Of(syntax.And(d.where...))
	both := d.Of(syntax.And(append(d.where[:len(d.where):len(d.where)], goal)...))
	switch {
	case within == nil || both == nil:
		return engine.Answer{}, d.Err()
	case !both.Empty():
		return d.answer(both.Least()), nil
	case within.Empty() || s.trivial:
		return engine.Answer{Verdict: engine.Fails}, nil
	}
	chains := s.chains
	not := syntax.Alternatives(d.avoid)
	for _, f := range d.where {
		if one, err := newSearch(d.Comp, f); err != nil {
			return engine.Answer{}, err
			// q fails at every cut where f holds
		} else if one != nil && slices.ContainsFunc(not, f.Equal) {
			chains = one.chains
			break
		}
	}
	for cut := range greatest(within, chains) {
		from, err := newSearch(d.Comp.From(cut), d.avoid)
		if err != nil {
			return engine.Answer{}, err
		}
		chain, err := from.find(d.Ctx, d.Comp.Final())
		if err != nil {
			return engine.Answer{}, err
		}
		if chain == nil {
			return d.answer(cut.Clone()), nil
		}
	}
	return engine.Answer{Verdict: engine.Fails}, nil
}

// answer is that f holds, by a run to a cut, perhaps not the shortest.
func (d *inevitable) answer(cut graphs.Cut) engine.Answer {
	a := d.Shown(d.f, cut)
	a.Runs[0].MaybeShorter = true
	return a
}

// greatest yields, for each interval with a cut of the slice, the greatest such cut.
func greatest(within *slice.Slice, chains []chain) iter.Seq[graphs.Cut] {
	return func(yield func(graphs.Cut) bool) {
		among := within.Computation()
		for _, y := range chains {
			for _, i := range y.intervals {
				cut, ok := within.Greatest(), true
				if among.Has(cut, i.End) {
					cut, ok = among.Below(cut, i.End)
				}
				if ok && (i.Begin == graphs.Bottom || among.Has(cut, i.Begin)) && !yield(cut) {
					return
				}
			}
		}
	}
}
