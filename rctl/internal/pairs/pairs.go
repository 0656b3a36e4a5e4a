// Package pairs decides whether two or more of several predicates can hold at once,
// by ordering intervals.
//
// # Definitions
//
// The predicates a(1), …, a(k) are each of one process, no two of the same. An
// interval of a(p) is a longest piece of p's history, as far as cuts can see it, in
// which a(p) holds. Intervals I and J of different processes meet in some cut
// unless the end of one happened before the beginning of the other or is in one
// step with it: the least cut with both beginnings has neither end.
//
// Let the intervals be numbered by their beginnings, in an order in which the
// events can have happened. If no two of different processes meet, each ends before
// the next begins. Conversely, if each ends before the next begins, then all
// that follow begin later still, and no two meet. So it is enough to look at
// neighbours, and two neighbours of which the first does not end before the second
// begins are two that meet. One pass over the computation tells: each event learns
// the greatest number of an interval that ended before it.
package pairs

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// Prepare takes on EF of a disjunction of conjunctions such as
//
//	exists i != j: a@i && a@j
//
// expanded: each of two conjuncts, predicates of different processes, such that any
// two of all the predicates occur together in one; and EF of a count of such
// predicates that is to be at least 2. Of these it finds the least cut at which the
// two that it meets first hold, and where a run is wanted the least for any two, as
// long as there are not too many to compare.
//
// The time complexity of Prepare is O(|f|), that of the task O(|V|+|edges|+|f|).
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if f.Op != syntax.OpEF {
		return nil, nil
	}
	family, ok := familyOf(p.Comp, f.Sub[0])
	if !ok {
		return nil, nil
	}
	return &engine.Task{
		How: "order the intervals of all processes", Cost: "linear: one pass for all pairs",
		Decide: func() (engine.Answer, error) {
			cut, err := find(p.Ctx, p.Comp, family)
			switch {
			case err != nil:
				return engine.Answer{}, err
			case cut == nil:
				return engine.Answer{Verdict: engine.Fails}, nil
			}
			proven := !p.Any
			if p.Evidence && proven {
				cut, proven, err = least(p, family, cut)
			}
			a := p.Shown(f, cut)
			a.Runs[0].Nearer = !proven
			return a, err
		},
	}, nil
}

// find returns a least cut at which two of the family hold, nil where there is none.
func find(ctx context.Context, c *graphs.Computation, family []*syntax.Formula) (graphs.Cut, error) {
	s := newSearch(c)
	for p, a := range family {
		if a == nil {
			continue
		}
		truth, err := atoms.Compile(c, a)
		if err != nil {
			return nil, err
		}
		s.add(p, atoms.Along(truth))
	}
	first, second, found := s.find(ctx)
	if err := ctx.Err(); err != nil || !found {
		return nil, err
	}
	cut, _ := c.Above(c.Initial(), first, second)
	return cut, nil
}
