// Package intervals decides EG of a disjunction of predicates of single chains, and
// so AF of a conjunction of them, by chains of intervals; E[p U q] for such a p and a
// regular q, too.
//
// # Definitions
//
// An interval of a chain predicate is a longest piece of the chain's history, as
// far as cuts can see it, in which the predicate holds. A run along which the
// disjunction holds is in one interval after the other, from one that the initial
// cut is in to one that the final cut is in, and enters the next before it leaves
// the last, or in the same step. It can do so where
//
//	I → J: the end of I did not happen before the beginning of J,
//	       unless the two are of one step; or I has no end
//
// and that is all that it takes: EG holds if and only if a chain of intervals
// related by → leads from one without a beginning to one without an end. For
// let the chain be a shortest one, I(1) → … → I(m), and b(t), e(t) the ends of I(t).
// The run executes what happened before b(2), then b(2), what else happened before
// b(3), and so on. It stays in I(t) up to b(t+1): that could only fail if e(t)
// happened before some b(s), s <= t. Then I(t) is over when I(s) begins, and
// whatever can be entered before e(t) can be entered before e(s): I(s) → I(t+1), and the
// chain was not a shortest one. (Garg and Waldecker, Detection of Strong Unstable
// Predicates in Distributed Programs, 1996, where AF of a conjunction is decided by
// intervals that overlap in this sense.)
//
// If I → J, then I → J' for every J' before J on J's chain. So what is reached in so
// and so many steps of → is a first part of each chain's intervals, and of these
// the last one reaches all that the others reach: those that were reached in one
// step more than the others are enough to look at for the next.
package intervals

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// Prepare takes on EG of a disjunction of predicates of single chains. Where it
// holds it finds a whole run along which the disjunction does.
//
// The time complexity of Prepare is O(assignments · |f|), that of the task
// O(k(|V|+|edges|+intervals)), its memory O(k(n+intervals)), k the number of chains.
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if f.Op != syntax.OpEG {
		return nil, nil
	}
	s, err := newSearch(p.Comp, f.Sub[0])
	if err != nil || s == nil {
		return nil, err
	}
	return &engine.Task{
		How: "chains of overlapping intervals", Cost: "polynomial: as many passes as there are predicates",
		Decide: func() (engine.Answer, error) {
			return s.always(p.Ctx, f)
		},
	}, nil
}

// A search looks for a chain of intervals up to a cut.
type search struct {
	comp    *graphs.Computation
	to      graphs.Cut
	chains  []chain
	trivial bool // the disjunction holds at every cut
}

// always decides f, EG of the disjunction, or what follows from that.
func (s *search) always(ctx context.Context, f *syntax.Formula) (engine.Answer, error) {
	chain, err := s.find(ctx, s.comp.Final())
	if err != nil || chain == nil {
		return engine.Answer{Verdict: engine.Fails}, err
	}
	run := &engine.Run{Formula: f, Cut: s.to, Whole: true, Events: s.run(chain)}
	return engine.Answer{Verdict: engine.Holds, Runs: []*engine.Run{run}}, nil
}

// A chain holds the intervals of a chain between the initial and the final cut.
// Those up to reached are reached.
type chain struct {
	intervals []interval
	reached   int

	past graphs.Cut // the least cut with the beginning of the first one not reached
}

// An interval begins at ⊥ where the initial cut is in it, and ends at ⊤ where the
// final cut is.
type interval struct {
	begin, end graphs.Event
	from       place // from which it was reached
}

// A place is one among the intervals of all chains.
type place struct{ chain, index int }

var nowhere = place{-1, -1}

// newSearch returns nil where f is of another kind.
func newSearch(c *graphs.Computation, f *syntax.Formula) (*search, error) {
	type owner struct {
		process int
		shared  string
	}
	s := &search{comp: c}
	byOwner := make(map[owner][]*syntax.Formula)
	var owners []owner
	for _, d := range syntax.Alternatives(f) {
		process, shared, ok := syntax.ChainOf(d)
		if !ok {
			return nil, nil
		}
		o := owner{process, shared}
		if byOwner[o] == nil {
			owners = append(owners, o)
		}
		byOwner[o] = append(byOwner[o], d)
	}
	for _, o := range owners {
		p, err := atoms.Compile(c, syntax.Or(byOwner[o]...))
		if err != nil {
			return nil, err
		}
		if len(p.Slots) == 0 {
			s.trivial = s.trivial || p.Of(nil)
			continue
		}
		s.chains = append(s.chains, chain{intervals: s.intervals(atoms.Along(p))})
	}
	return s, nil
}

// intervals returns the intervals that cuts can see.
func (s *search) intervals(t atoms.Column[bool]) []interval {
	c := s.comp
	at := atoms.Count(c, t.Events, c.Initial()) // changes so far
	var all []interval
	now := interval{begin: graphs.Bottom, end: c.Top(), from: nowhere}
	holds := t.Values[at]
	for at < len(t.Events) && c.Has(c.Final(), t.Events[at]) {
		e := t.Events[at]
		for at < len(t.Events) && c.SameStep(t.Events[at], e) {
			at++
		}
		switch {
		case t.Values[at] == holds:
			continue
		case holds:
			now.end = e
			all = append(all, now)
		default:
			now = interval{begin: e, end: c.Top(), from: nowhere}
		}
		holds = !holds
	}
	if holds {
		all = append(all, now)
	}
	return all
}

// find returns a shortest chain of intervals from the initial cut to another, nil
// where there is none.
func (s *search) find(ctx context.Context, to graphs.Cut) ([]place, error) {
	s.to = to
	if s.trivial {
		return []place{}, nil
	}
	var last []place // the last that were reached in the last round
	for k := range s.chains {
		y := &s.chains[k]
		y.reached, y.past = 0, nil
		if len(y.intervals) > 0 && y.intervals[0].begin == graphs.Bottom {
			y.reached, y.intervals[0].from = 1, nowhere
			last = append(last, place{k, 0})
		}
	}
	for len(last) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, at := range last {
			if !s.comp.Has(to, s.at(at).end) {
				return s.back(at), nil
			}
		}
		front := last
		last = nil
		for k := range s.chains {
			before := s.chains[k].reached
			s.extend(&s.chains[k], front)
			if n := s.chains[k].reached; n > before {
				last = append(last, place{k, n - 1})
			}
		}
	}
	return nil, nil
}

func (s *search) at(at place) *interval {
	return &s.chains[at.chain].intervals[at.index]
}

// extend reaches what intervals of the front reach on y.
func (s *search) extend(y *chain, front []place) {
	for y.reached < len(y.intervals) && s.comp.Has(s.to, y.intervals[y.reached].begin) {
		if y.past == nil {
			y.past = s.comp.Initial().Clone()
		}
		s.advance(y.past, y.intervals[y.reached].begin)
		reach := slices.IndexFunc(front, func(at place) bool { return s.before(s.at(at).end, y) })
		if reach < 0 {
			return
		}
		y.intervals[y.reached].from = front[reach]
		y.reached++
	}
}

// advance adds e to a cut, and all that has to happen before.
func (s *search) advance(cut graphs.Cut, e graphs.Event) {
	if e != graphs.Bottom {
		s.comp.Advance(cut, e)
	}
}

// before reports whether that interval can be entered before the event end, or in
// one step with it.
func (s *search) before(end graphs.Event, y *chain) bool {
	return !s.comp.Has(y.past, end) || s.comp.SameStep(end, y.intervals[y.reached].begin)
}

// back returns the chain of intervals that ends with one.
func (s *search) back(at place) []place {
	chain := []place{}
	for ; at != nowhere; at = s.at(at).from {
		chain = append(chain, at)
	}
	slices.Reverse(chain)
	return chain
}

// run returns the run that enters the intervals of a shortest chain in turn: the
// events in an order in which they can happen, but first those that the second
// interval needs to be entered, then those that the third needs, and so on.
func (s *search) run(chain []place) []graphs.Event {
	c := s.comp
	turn := make([]int32, c.Top()+1) // the first interval of the chain that needs an event
	cut, next := c.Initial().Clone(), c.Initial().Clone()
	size := make([]int32, len(chain)+2)
	take := func(k int) {
		for p := range cut {
			for ; cut[p] < next[p]; cut[p]++ {
				turn[c.Event(p, int(cut[p])+1)] = int32(k)
				size[k+1]++
			}
		}
	}
	for k, at := range chain {
		s.advance(next, s.at(at).begin)
		take(k)
	}
	next = s.to
	take(len(chain))
	for k := range len(chain) + 1 {
		size[k+1] += size[k]
	}
	run := make([]graphs.Event, size[len(chain)+1])
	for _, e := range c.Order() {
		if !c.Has(c.Initial(), e) && c.Has(s.to, e) {
			run[size[turn[e]]] = e
			size[turn[e]]++
		}
	}
	return run
}
