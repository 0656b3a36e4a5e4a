package intervals

import (
	"cmp"
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// Overlap takes on EF of a disjunction of conjunctions such as
//
//	exists i != j: a@i && a@j
//
// expanded: each of two conjuncts, predicates of different processes, such that any two
// of all the predicates occur together in one; and EF of a count of such predicates
// that is to be at least 2.
//
// # Theory
//
// The predicates a(1), …, a(k) are each of one process, no two of the same. Intervals I
// and J of different processes meet in some cut if the least cut with both beginnings
// has neither end. They do not meet if the end of one happened before the beginning of
// the other or is in one step with it.
//
// Let the intervals be numbered by their beginnings, in a possible order of the events.
// If no two of different processes meet, each ends before the next begins. Conversely,
// if each ends before the next begins, then all that follow begin later still, and no
// two meet. So it is enough to look at neighbours, and two neighbours meet if the first
// does not end before the second begins. One pass tells: a cut grows by what has to
// happen for the next interval to begin, and then has the end of the one before it.
//
// For example, let P be in its critical section from p1 to p2, send a message at p2,
// and let Q enter at q2 and leave at q3. If Q received the message at q1, p2 happened
// before q2 and the two exclude each other. If it did not, Q's interval has number 2,
// the cut that it begins at is without the end of number 1, and the least cut with p1
// and q2 has both in their sections.
//
// The task finds the first overlap of the pass and, where a run is wanted, the least
// one, as long as there are not too many intervals to compare.
//
// The time complexity of Overlap is O(|f|). The task takes O(|V|+|edges|+|f|).
func Overlap(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
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
			cut, err := overlap(p.Ctx, p.Comp, family)
			switch {
			case err != nil:
				return engine.Answer{}, err
			case cut == nil:
				return engine.Answer{Verdict: engine.Fails}, nil
			}

			proven := !p.Any
			if p.Evidence && proven {
				least := overlaps{p, family}
				cut, proven, err = least.find(cut)
			}
			a := p.Shown(f, cut)
			a.Runs[0].MaybeShorter = !proven
			return a, err
		},
	}, nil
}

// overlap returns a cut where two of the family hold, nil where there is none.
func overlap(ctx context.Context, c *graphs.Computation, family []*syntax.Formula) (graphs.Cut, error) {
	s := &search{comp: c}
	var by [][]int
	var last *place // the interval that began last
	for p, a := range family {
		if a == nil {
			continue
		}
		truth, err := atoms.Compile(c, a)
		if err != nil {
			return nil, err
		}
		s.chains = append(s.chains, chain{intervals: s.intervals(atoms.Along(truth))})
		by = append(by, []int{p})
		if !s.initial(len(s.chains) - 1) {
			continue
		}
		if last != nil {
			return c.Initial(), nil
		}
		last = &place{int32(len(s.chains) - 1), 0}
	}
	s.group(by)
	s.inOrder()
	s.cut = c.Initial().Clone()
	for i, at := range s.order {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		begin := s.at(at).begin
		s.pieces = c.Extend(s.cut, begin, s.pieces[:0])
		if last != nil && last.chain != at.chain && !c.Has(s.cut, s.at(*last).end) {
			cut, _ := c.Above(c.Initial(), s.at(*last).begin, begin)
			return cut, nil
		}
		last = &s.order[i]
	}
	return nil, ctx.Err()
}

// begun is the least cut where an interval of a process has begun.
type begun struct {
	process int
	cut     graphs.Cut
	size    int
}

// overlaps is the search for the least cut where two of a family hold.
type overlaps struct {
	*engine.Problem
	family []*syntax.Formula // by process
}

// find returns the smallest cut where two of the family hold, and whether that is certain;
// found is one such cut. The least cut for two intervals is the
// union of the least cuts with their beginnings; so only intervals that begin at cuts
// smaller than the best known one are looked at.
//
// The time complexity of find is O(n·events) for the events with fewer than
// |found| events before them, and O(n·m²) for the m intervals among them. It gives up
// where that is too much.
func (o overlaps) find(found graphs.Cut) (cut graphs.Cut, proven bool, err error) {
	p, c := o.Problem, o.Comp
	n := c.NumProcesses()
	if n > maxProcesses {
		return found, false, nil
	}
	best := found
	bound := p.Weigh(found)
	tests := make([]*atoms.Test, len(o.family))
	var begins []begun
	work := 0
	for q, a := range o.family {
		if a == nil {
			continue
		}
		test, err := atoms.NewTest(c, a)
		if err != nil {
			return found, false, err
		}
		tests[q] = test
		cut := c.Initial()
		before := false // whether a held at the last state
		for k := int(cut[q]); ; k++ {
			if k > int(cut[q]) {
				cut, _ = c.Above(cut, c.Event(q, k))
			}
			size := p.Weigh(cut)
			if size >= bound {
				break
			}
			if work += n; work > maxWork {
				return found, false, nil
			}
			k = int(cut[q]) // a step may have several of its events
			if test.States[k] && !before {
				begins = append(begins, begun{q, cut, size})
			}
			before = test.States[k]
			if k == int(c.Final()[q]) {
				break
			}
		}
		if len(begins) > maxBegins {
			return found, false, nil
		}
	}
	slices.SortStableFunc(begins, func(a, b begun) int { return cmp.Compare(a.size, b.size) })
	for i, a := range begins {
		if a.size >= bound {
			break
		}
		for _, b := range begins[:i] {
			if a.process == b.process {
				continue
			}
			both := a.cut.Join(b.cut)
			if size := p.Weigh(both); size < bound && tests[a.process].At(both) && tests[b.process].At(both) {
				best, bound = both, size
			}
		}
	}
	return best, true, nil
}

// Bounds on the search for the smallest cut. No verdict waits for it.
const (
	maxProcesses = 5000
	maxWork      = 1e8     // entries of cuts
	maxBegins    = 1 << 11 // intervals of which any two are compared
)
