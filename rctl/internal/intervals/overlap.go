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

// Overlap accepts EF of a disjunction of conjunctions such as
//
//	exists i != j: a@i && a@j
//
// expanded: each has two conjuncts, predicates of different processes, and any two of
// all the predicates occur together in one of them. It also accepts EF of a count of
// such predicates that must be at least 2.
//
// # Theory
//
// The predicates a(1), …, a(k) are each of one process, no two of the same one. Intervals I
// and J of different processes meet in some cut if the least cut with both beginnings
// has neither end. They do not meet if the end of one happened before the beginning of
// the other or is in one step with it.
//
// Let the intervals be numbered by their beginnings, in a possible order of the events.
// If no two of different processes meet, each ends before the next begins. Conversely,
// if each ends before the next begins, then all that follow begin later still, and no
// two meet. So it is enough to compare neighbours, and two neighbours meet if the first
// does not end before the second begins. One pass decides it: a cut grows by the events
// that the next interval needs to begin, and then must have the end of the one before.
//
// For example, let P be in its critical section from p1 to p2, send a message at p2,
// and let Q enter at q2 and leave at q3. If Q received the message at q1, p2 happened
// before q2 and the two exclude each other. If it did not, Q's interval has number 2,
// the cut that it begins at is without the end of number 1, and the least cut with p1
// and q2 has both in their sections.
//
// The task finds the first overlap of the pass and, if a run is wanted, the least one, as
// long as there are not too many intervals to compare.
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
			s, err := newOverlap(p.Comp, family)
			if err != nil {
				return engine.Answer{}, err
			}
			cut := s.overlap(p.Ctx)
			if cut == nil {
				return engine.Answer{Verdict: engine.Fails}, p.Ctx.Err()
			}

			proven := !p.Any
			if p.Evidence && proven {
				cut, proven = s.leastOverlap(p, cut)
			}
			a := p.Shown(f, cut)
			a.Runs[0].MaybeShorter = !proven
			return a, nil
		},
	}, nil
}

// newOverlap returns a search with the intervals of a family.
func newOverlap(c *graphs.Computation, family []*syntax.Formula) (*search, error) {
	s := &search{comp: c}
	var by [][]int
	for p, a := range family {
		if a == nil {
			continue
		}
		truth, err := atoms.Compile(c, a)
		if err != nil {
			return nil, err
		}
		s.chains = append(s.chains, chain{intervals: Of(c, atoms.Along(truth))})
		by = append(by, []int{p})
	}
	s.group(by)
	return s, nil
}

// overlap returns a cut in intervals of two chains, or nil if there is none or ctx is done.
func (s *search) overlap(ctx context.Context) graphs.Cut {
	c := s.comp
	var last *place // the interval that began last
	for k := range s.chains {
		if !s.initial(k) {
			continue
		}
		if last != nil {
			return c.Initial()
		}
		last = &place{int32(k), 0}
	}
	s.inOrder()
	s.cut = c.Initial().Clone()
	for i, at := range s.order {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil
		}
		begin := s.at(at).Begin
		s.pieces = c.Extend(s.cut, begin, s.pieces[:0])
		if last != nil && last.chain != at.chain && !c.Has(s.cut, s.at(*last).End) {
			cut, _ := c.Above(c.Initial(), s.at(*last).Begin, begin)
			return cut
		}
		last = &s.order[i]
	}
	return nil
}

// begun is the least cut where an interval has begun.
type begun struct {
	place
	cut  graphs.Cut
	size int
}

// leastOverlap returns the smallest cut known to be in intervals of two chains, and whether it is
// proven smallest; found is one such cut. The least cut for two intervals is the union of the least
// cuts with their beginnings, so it compares only intervals that begin at cuts smaller than the best
// one so far.
//
// The time complexity of leastOverlap is O(n·events) for the events with fewer than
// |found| events before them, and O(n·m²) for the m intervals among them. It gives up
// if that is too much.
func (s *search) leastOverlap(p *engine.Problem, found graphs.Cut) (cut graphs.Cut, proven bool) {
	c := s.comp
	n := c.NumProcesses()
	if n > maxProcesses {
		return found, false
	}
	bound := p.Weigh(found)
	var begins []begun
	work := 0
	for k, y := range s.chains {
		cut := c.Initial()
		for i := range y.intervals {
			cut, _ = c.Above(cut, y.intervals[i].Begin)
			size := p.Weigh(cut)
			if work += n; size >= bound {
				break
			}
			if begins = append(begins, begun{place{int32(k), int32(i)}, cut, size}); len(begins) > maxBegins {
				return found, false
			}
		}
		if work += p.Weigh(cut); work > maxWork {
			return found, false
		}
	}
	slices.SortStableFunc(begins, func(a, b begun) int { return cmp.Compare(a.size, b.size) })
	best := found
	for i, a := range begins {
		if a.size >= bound {
			break
		}
		for _, b := range begins[:i] {
			if a.chain == b.chain {
				continue
			}
			both := a.cut.Join(b.cut)
			if c.Has(both, s.at(a.place).End) || c.Has(both, s.at(b.place).End) {
				continue
			}
			if size := p.Weigh(both); size < bound {
				best, bound = both, size
			}
		}
	}
	return best, true
}

// Bounds on the search for the smallest cut. No verdict waits for it.
const (
	maxProcesses = 5000
	maxWork      = 1e8     // entries of cuts, and events in them
	maxBegins    = 1 << 11 // intervals, all compared in pairs
)
