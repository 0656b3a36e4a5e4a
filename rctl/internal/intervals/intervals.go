// Package intervals decides formulas by the intervals of chains where predicates hold:
// EG of a disjunction of predicates of single chains, and so AF of a conjunction, by
// chains of intervals that overlap; E[p U q] for such a p and a regular q; and whether
// two of several predicates can hold at once (Overlap).
//
// # Definitions
//
// An interval of a chain predicate is a maximal piece of the chain's history, as far as
// cuts can see it, where the predicate holds. A run that keeps the disjunction true is
// in one interval after the other, from an interval of the initial cut to one of the
// final cut. It enters the next interval before it leaves the last, or in the same
// step. It can do so if
//
//	I → J: the end of I did not happen before the beginning of J,
//	       unless the two are of one step; or I has no end
//
// and this is enough: EG holds if and only if a chain of intervals related by → leads
// from one without a beginning to one without an end. (Garg and Waldecker,
// Detection of Strong Unstable Predicates in Distributed Programs, 1996, where AF of a
// conjunction is decided by intervals that overlap in this sense.)
//
// For example, let a@P hold from the start to the event p, and b@Q from the event q on.
// If p did not happen before q, some run executes q first and then p, and a@P || b@Q
// holds all along it: the interval of a → the interval of b. If P sends at p what Q
// receives before q, every run has a moment between p and q where neither holds: EG(a@P
// || b@Q) fails, and AF(!a@P && !b@Q) holds.
//
// # How a chain is found
//
// A run is made that goes from one beginning to the next: from a cut C to the least cut
// that has C and the beginning of an interval J, too. Let O be the intervals that C is
// in. The disjunction holds on the way there if and only if I → J for some I of O. Then
// J is entered, and each I of O is left if its end has happened.
//
// Whatever can be done from C can be done from the new cut C', if J begins after C and
// no other interval that does so begins before J. For let a run from C be in intervals
// all along, and execute first what C' has, then what else the run executes. Where the
// run was at a cut D, it is at D ∪ C' now. An interval K that D is in
//
//	(1) and that began after C, has no end in C', or K would begin before J;
//	(2) and that is in O, has no end in C', or D is without that end, hence without
//	    all events after it, and D ∪ C' is in J instead of K: it has the
//	    beginning of J, and no more of J's chain than C' has.
//
// So the search never backtracks, and intervals are entered in a possible order of their
// beginnings. If J cannot be entered, because it begins after the ends of all of O, it
// waits until another interval K is entered. K does not begin before J, so that K → J
// then. EG fails if only waiting intervals are left.
//
// Along that run, each interval is entered and left at some step. Once an interval without
// an end is entered, a minimal cover of the steps so far by intervals is a chain: each is
// entered before the one before it is left.
package intervals

import (
	"context"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// Prepare accepts EG of a disjunction of predicates of single chains. If it holds, the
// task finds a whole run for it.
//
// The time complexity of Prepare is O(assignments · |f|). The task takes
// O(|V|+|edges|+intervals) and, for each interval that has to wait, O(events before
// it). Each of the k chains has at most one waiting interval at a time, and that waits
// once for each interval entered later. Its memory is O(|V|+intervals).
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if f.Op != syntax.OpEG {
		return nil, nil
	}
	s, err := newSearch(p.Comp, f.Sub[0])
	if err != nil || s == nil {
		return nil, err
	}
	return &engine.Task{
		How:  "chains of overlapping intervals",
		Cost: "linear: a few passes, seldom as many as there are predicates",
		Decide: func() (engine.Answer, error) {
			return s.always(p, f)
		},
	}, nil
}

// A search looks for a chain of intervals up to a cut.
type search struct {
	comp    *graphs.Computation
	chains  []chain
	of      dense.Rows[int32] // the chains that events of a process can change
	order   []place           // the intervals that begin after the initial cut, in a possible order
	trivial bool              // whether the disjunction holds at every cut

	to      graphs.Cut
	cut     graphs.Cut // the cut reached so far
	entered []place    // the intervals entered so far, in order
	open    int        // how many chains have an interval that cut is in

	pieces []graphs.Piece // the events executed last
	left   []int32        // the chains whose intervals these events left
}

// always decides f, EG of the disjunction or a formula that follows from it.
func (s *search) always(p *engine.Problem, f *syntax.Formula) (engine.Answer, error) {
	chain, err := s.find(p.Ctx, s.comp.Final())
	if err != nil || chain == nil {
		return engine.Answer{Verdict: engine.Fails}, err
	}
	run := &engine.Run{Formula: f, Cut: s.to, Whole: true, Within: s.comp, Via: s.begins(chain)}
	return engine.Answer{Verdict: engine.Holds, Runs: []*engine.Run{run}}, nil
}

// A chain holds the intervals of a chain between the initial and the final cut. Those
// below entered have been entered, and open reports whether the cut is in the last of them.
type chain struct {
	intervals []Interval
	entered   int
	open      bool
	waits     bool // whether the next interval waits
}

// An Interval of a predicate lasts from the event Begin, ⊥ if it contains the initial cut, to the
// event End, ⊤ if it contains the final cut.
type Interval struct {
	Begin, End graphs.Event

	// The steps of the search that entered and left it. Intervals entered before it is left, or in
	// the same step, can follow it.
	from, to int32
}

// never is the step that leaves an interval that is never left.
const never = math.MaxInt32

// A place identifies an interval by its chain and its index there.
type place struct{ chain, index int32 }

// newSearch returns a search for EG f. It returns nil if f is of another kind.
func newSearch(c *graphs.Computation, f *syntax.Formula) (*search, error) {
	type owner struct {
		process int
		shared  string
	}
	s := &search{comp: c}
	byOwner := make(map[owner][]*syntax.Formula)
	var owners []owner
	var by [][]int // by chain: the processes that can change it
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
		along := atoms.Along(p)
		s.chains = append(s.chains, chain{intervals: Of(c, along)})
		changing := []int{o.process}
		if o.process == graphs.Shared {
			changing = syntax.Mapped(along.Events, c.Process)
			slices.Sort(changing)
			changing = slices.Compact(changing)
		}
		by = append(by, changing)
	}
	s.group(by)
	return s, nil
}

// group notes the processes that can change each chain.
func (s *search) group(by [][]int) {
	s.of = dense.Group(s.comp.NumProcesses(), func(add func(int, int32)) {
		for k, processes := range by {
			for _, p := range processes {
				add(p, int32(k))
			}
		}
	})
}

// initial reports whether the initial cut is in an interval of chain k.
func (s *search) initial(k int) bool {
	all := s.chains[k].intervals
	return len(all) > 0 && all[0].Begin == graphs.Bottom
}

// inOrder lists the intervals in a possible order of their beginnings.
//
// The time complexity of inOrder is O(|V|+intervals).
func (s *search) inOrder() {
	next := make([]int, len(s.chains))
	for k := range s.chains {
		if s.initial(k) {
			next[k] = 1
		}
	}
	for _, e := range s.comp.Order() {
		for _, k := range s.of.Row(s.comp.Process(e)) {
			if all := s.chains[k].intervals; next[k] < len(all) && all[next[k]].Begin == e {
				s.order = append(s.order, place{k, int32(next[k])})
				next[k]++
			}
		}
	}
}

// Of returns the intervals of a predicate with the given values, as far as cuts of c distinguish
// them.
func Of(c *graphs.Computation, t atoms.Column[bool]) []Interval {
	at := atoms.Count(c, t.Events, c.Initial()) // how many changes are in the initial cut
	var all []Interval
	now := Interval{Begin: graphs.Bottom, End: c.Top()}
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
			now.End = e
			all = append(all, now)
		default:
			now = Interval{Begin: e, End: c.Top()}
		}
		holds = !holds
	}
	if holds {
		all = append(all, now)
	}
	return all
}

// find returns a chain of intervals from the initial cut to the cut to, or nil if there
// is none.
func (s *search) find(ctx context.Context, to graphs.Cut) ([]place, error) {
	if s.to = to; s.trivial {
		return []place{}, nil
	}
	s.cut = s.comp.Initial().Clone()
	s.entered, s.open = s.entered[:0], 0
	for k := range s.chains {
		y := &s.chains[k]
		y.entered = 0
		y.open, y.waits = false, false
		if s.initial(k) && s.enter(place{int32(k), 0}) {
			return s.cover(), nil
		}
	}
	if s.open == 0 {
		return nil, nil
	}
	if s.order == nil {
		s.inOrder()
	}
	var waiting []place
	for i, at := range s.order {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		y := &s.chains[at.chain]
		switch {
		case !s.comp.Has(to, s.at(at).Begin):
			continue
		case y.waits || !s.reach(at):
			y.waits = true
			waiting = append(waiting, at)
			continue
		case s.enter(at):
			return s.cover(), nil
		}
		for _, at := range waiting {
			s.chains[at.chain].waits = false
			s.reach(at)
			if s.enter(at) {
				return s.cover(), nil
			}
		}
		waiting = waiting[:0]
	}
	return nil, ctx.Err()
}

func (s *search) at(at place) *Interval { return &s.chains[at.chain].intervals[at.index] }

// reach executes all events that an interval needs to begin, and reports whether the
// disjunction holds on the way. If it does not, reach undoes them.
func (s *search) reach(at place) bool {
	c, begin := s.comp, s.at(at).Begin
	s.pieces = c.Extend(s.cut, begin, s.pieces[:0])
	s.left = s.left[:0]
	kept := s.open
	for _, piece := range s.pieces {
		for _, k := range s.of.Row(c.Process(piece.First)) {
			y := &s.chains[k]
			if !y.open {
				continue
			}
			if end := y.intervals[y.entered-1].End; c.Has(s.cut, end) {
				y.open = false
				s.left = append(s.left, k)
				if !c.SameStep(end, begin) {
					kept--
				}
			}
		}
	}
	if kept == 0 {
		for _, piece := range slices.Backward(s.pieces) {
			s.cut[c.Process(piece.First)] -= int32(piece.Last-piece.First) + 1
		}
		for _, k := range s.left {
			s.chains[k].open = true
		}
		return false
	}
	s.open -= len(s.left)
	for _, k := range s.left {
		y := &s.chains[k]
		i := &y.intervals[y.entered-1]
		if i.to = int32(len(s.entered)); !c.SameStep(i.End, begin) {
			i.to--
		}
	}
	return true
}

// enter enters an interval that has begun at the cut, and reports whether it lasts.
func (s *search) enter(at place) bool {
	y := &s.chains[at.chain]
	i := s.at(at)
	i.from, i.to = int32(len(s.entered)), never
	if i.Begin == graphs.Bottom {
		i.from = 0
	}
	y.entered, y.open = int(at.index)+1, true
	s.open++
	s.entered = append(s.entered, at)
	return !s.comp.Has(s.to, i.End)
}

// cover returns a short chain of intervals up to the one entered last: it always chooses
// the one left last among the possible successors.
func (s *search) cover() []place {
	goal := s.entered[len(s.entered)-1]
	chain := []place{}
	best, next := place{}, 0
	for reached := int32(0); reached < s.at(goal).from; reached = s.at(best).to {
		best = s.entered[next]
		for ; s.at(s.entered[next]).from <= reached; next++ {
			if at := s.entered[next]; s.at(at).to > s.at(best).to {
				best = at
			}
		}
		chain = append(chain, best)
	}
	return append(chain, goal)
}

// begins lists the beginnings of a chain's intervals, without the interval of the
// initial cut.
func (s *search) begins(chain []place) []graphs.Event {
	all := []graphs.Event{}
	for _, at := range chain {
		if begin := s.at(at).Begin; begin != graphs.Bottom {
			all = append(all, begin)
		}
	}
	return all
}
