package intervals

import (
	"iter"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// Until accepts E[p U q], E[p W q] and E[q R p] where p is a disjunction of predicates
// of single chains and q has a lean slice.
//
// A run for E[p U q] ends at a cut C that satisfies q, and p holds along it up to C, or
// up to the cut before the last step. Up to there it is a run for EG p, and ends within
// an interval that ends with an event e.
//
//	(1) If p holds at C, e is not in C. The cuts that satisfy q and do not have e are
//	    closed under union. So C may be the greatest of these: a run can stay in its
//	    last interval on the way there.
//	(2) Otherwise the last step is e's own, and C has e but none of the events
//	    directly after that step. Again C may be the greatest such cut, and the cut
//	    before it is C without the step.
//
// So the search is for chains of intervals to two cuts for each interval, if neither the
// least nor the greatest cut that satisfies q will do.
//
// The task takes the time of EG p for each interval entered.
func Until(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	along, goal := 0, 1
	switch f.Op {
	case syntax.OpEU, syntax.OpEW:
	case syntax.OpER:
		along, goal = 1, 0
	default:
		return nil, nil
	}
	if !p.Has(f.Sub[goal]) {
		return nil, nil
	}
	s, err := newSearch(p.Comp, f.Sub[along])
	if err != nil || s == nil {
		return nil, err
	}
	return &engine.Task{
		How:  "chains of overlapping intervals to cuts of a lean slice",
		Cost: "polynomial: as many passes as there are intervals at most",
		Decide: func() (engine.Answer, error) {
			if f.Op != syntax.OpEU {
				if a, err := s.always(p, f); err != nil || a.Verdict == engine.Holds {
					return a, err
				}
			}
			goals := p.Of(f.Sub[goal])
			if goals == nil {
				return engine.Answer{}, p.Err()
			}
			return s.until(p, f, goals)
		},
	}, nil
}

// until decides f: E[p U q], or E[p W q] or E[q R p] when no run keeps p for ever. goals is
// the slice of q.
func (s *search) until(p *engine.Problem, f *syntax.Formula, goals *slice.Slice) (engine.Answer, error) {
	switch {
	case goals.Empty():
		return engine.Answer{Verdict: engine.Fails}, nil
	case f.Op != syntax.OpER && goals.Contains(s.comp.Initial()):
		return p.Shown(f, s.comp.Initial()), nil
	}
	for to, step := range s.ends(goals, f.Op != syntax.OpER) {
		chain, err := s.find(p.Ctx, to)
		if err != nil {
			return engine.Answer{}, err
		}
		if chain == nil {
			continue
		}
		if len(step) == 0 { // a smaller cut will do
			past, _ := s.comp.Above(s.comp.Initial(), s.begins(chain)...)
			s.to, _ = goals.Above(past)
		}
		run := &engine.Run{Formula: f, Cut: s.to.Clone(), MaybeShorter: true}
		if p.Evidence {
			run.Events = append(engine.Through(s.comp, s.begins(chain), s.to), step...)
		}
		for _, e := range step {
			run.Cut[s.comp.Process(e)]++
		}
		return engine.Answer{Verdict: engine.Holds, Runs: []*engine.Run{run}}, nil
	}
	return engine.Answer{Verdict: engine.Fails}, p.Ctx.Err()
}

// ends yields the last cuts where p has to hold, each with the step from there to a cut that
// satisfies q, or with no step if the cut satisfies q itself. From the third cut on, the cuts depend
// on the intervals that the search for the second has entered.
func (s *search) ends(goals *slice.Slice, steps bool) iter.Seq2[graphs.Cut, []graphs.Event] {
	return func(yield func(graphs.Cut, []graphs.Event) bool) {
		if !yield(goals.Least(), nil) || !yield(goals.Greatest(), nil) {
			return
		}
		// the ends of the intervals that the search for the second has entered
		var last []graphs.Event
		for _, y := range s.chains {
			for _, i := range y.intervals[:y.entered] {
				last = append(last, i.End)
			}
		}
		c, among := s.comp, goals.Computation()
		for _, e := range last {
			if cut, ok := among.Below(goals.Greatest(), e); ok && !yield(cut, nil) {
				return
			}
			if !steps {
				continue
			}
			step, after := c.Step(e), []graphs.Event(nil)
			for _, m := range step {
				next := c.Succs(m)
				if process := c.Process(m); c.Position(m) < c.Len(process) {
					next = append(slices.Clip(next), m+1)
				}
				for _, f := range next {
					if !c.SameStep(e, f) {
						after = append(after, f)
					}
				}
			}
			cut, ok := among.Below(goals.Greatest(), after...)
			if !ok || !c.Has(cut, e) {
				continue
			}
			cut = cut.Clone()
			for _, m := range step {
				cut[c.Process(m)]--
			}
			if !yield(cut, step) {
				return
			}
		}
	}
}
