package rctl

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// EG of a disjunction of chain predicates, by chains of intervals.
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
// whatever can be entered before e(t) can before e(s): I(s) → I(t+1), and the
// chain was none of the shortest. (Garg and Waldecker, Detection of Strong Unstable
// Predicates in Distributed Programs, 1996, where AF of a conjunction is decided by
// intervals that overlap in this sense.)
//
// If I → J, then I → J' for every J' before J on J's chain. So what is reached in so
// and so many steps of → is a first part of each chain's intervals, and of these
// the last one reaches all that the others reach: those that were reached in one
// step more than the others are enough to look at for the next.

// intervalsEG decides EG f for a disjunction f of predicates of single chains, and
// returns a whole run along which it holds, where there is one. It is not ok for
// other formulas. By duality it decides AF of a conjunction of such predicates.
//
// The time complexity of intervalsEG is O(k(|V|+|edges|+intervals)), its memory
// O(k(n+intervals)), k the number of chains.
func intervalsEG(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (run []graphs.Event, v Verdict, ok bool, err error) {
	w, ok, err := newWeave(c, f)
	if err != nil || !ok {
		return nil, Unknown, false, err
	}
	chain, err := w.search(ctx)
	switch {
	case err != nil:
		return nil, Unknown, false, err
	case chain == nil:
		return nil, Fails, true, nil
	}
	return w.run(chain), Holds, true, nil
}

// A weave is a search for a chain of intervals.
type weave struct {
	comp   *graphs.Computation
	chains []weaveChain
	always bool // the disjunction holds at every cut
}

// weaveChain holds the intervals of a chain between the initial and the final cut.
// Those up to reached are reached.
type weaveChain struct {
	intervals []weaveInterval
	reached   int

	past graphs.Cut // the least cut with the beginning of the first one not reached
}

// weaveInterval begins at ⊥ where the initial cut is in it, and ends at ⊤ where the
// final cut is.
type weaveInterval struct {
	begin, end graphs.Event
	from       intervalAt // from which it was reached
}

// intervalAt is a place among the intervals of all chains.
type intervalAt struct{ chain, index int }

var nowhere = intervalAt{-1, -1}

func newWeave(c *graphs.Computation, f *syntax.Formula) (*weave, bool, error) {
	type owner struct {
		process int
		shared  string
	}
	w := &weave{comp: c}
	byOwner := make(map[owner][]*syntax.Formula)
	var owners []owner
	for _, d := range alternatives(f) {
		process, shared, ok := syntax.ChainOf(d)
		if !ok {
			return nil, false, nil
		}
		o := owner{process, shared}
		if byOwner[o] == nil {
			owners = append(owners, o)
		}
		byOwner[o] = append(byOwner[o], d)
	}
	for _, o := range owners {
		p, err := compile(c, syntax.Or(byOwner[o]...))
		if err != nil {
			return nil, false, err
		}
		if len(p.slots) == 0 {
			w.always = w.always || p.holds(nil)
			continue
		}
		w.chains = append(w.chains, weaveChain{intervals: w.intervals(chainTurns(p))})
	}
	return w, true, nil
}

// intervals returns the intervals that cuts can see.
func (w *weave) intervals(t turns) []weaveInterval {
	c := w.comp
	at := 0 // turns so far
	for at < len(t.events) && c.Has(c.Initial(), t.events[at]) {
		at++
	}
	var all []weaveInterval
	now := weaveInterval{begin: graphs.Bottom, end: c.Top(), from: nowhere}
	holds := t.holds[at]
	for at < len(t.events) && c.Has(c.Final(), t.events[at]) {
		e := t.events[at]
		for at < len(t.events) && c.SameStep(t.events[at], e) {
			at++
		}
		switch {
		case t.holds[at] == holds:
			continue
		case holds:
			now.end = e
			all = append(all, now)
		default:
			now = weaveInterval{begin: e, end: c.Top(), from: nowhere}
		}
		holds = !holds
	}
	if holds {
		all = append(all, now)
	}
	return all
}

// search returns a shortest chain of intervals from the initial cut to the final
// one, nil where there is none.
func (w *weave) search(ctx context.Context) ([]intervalAt, error) {
	if w.always {
		return []intervalAt{}, nil
	}
	var last []intervalAt // the last that were reached in the last round
	for k := range w.chains {
		y := &w.chains[k]
		if len(y.intervals) > 0 && y.intervals[0].begin == graphs.Bottom {
			y.reached = 1
			last = append(last, intervalAt{k, 0})
		}
	}
	for len(last) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, at := range last {
			if w.at(at).end == w.comp.Top() {
				return w.back(at), nil
			}
		}
		front := last
		last = nil
		for k := range w.chains {
			before := w.chains[k].reached
			w.extend(&w.chains[k], front)
			if n := w.chains[k].reached; n > before {
				last = append(last, intervalAt{k, n - 1})
			}
		}
	}
	return nil, nil
}

func (w *weave) at(at intervalAt) *weaveInterval {
	return &w.chains[at.chain].intervals[at.index]
}

// extend reaches what intervals of the front reach on y.
func (w *weave) extend(y *weaveChain, front []intervalAt) {
	for y.reached < len(y.intervals) {
		if y.past == nil {
			y.past = w.comp.Initial().Clone()
		}
		grow(w.comp, y.past, y.intervals[y.reached].begin)
		reach := slices.IndexFunc(front, func(at intervalAt) bool { return w.before(w.at(at).end, y) })
		if reach < 0 {
			return
		}
		y.intervals[y.reached].from = front[reach]
		y.reached++
	}
}

// grow adds e to a cut of c, and all that has to happen before.
func grow(c *graphs.Computation, cut graphs.Cut, e graphs.Event) {
	todo := []graphs.Event{e}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.Has(cut, e) {
			continue
		}
		p := c.Process(e)
		first := c.Event(p, int(cut[p])+1)
		cut[p] = int32(c.Position(e))
		for f := first; f <= e; f++ {
			for _, g := range c.Preds(f) {
				if !c.Has(cut, g) {
					todo = append(todo, g)
				}
			}
		}
	}
}

// before reports whether that interval can be entered before the event end, or in
// one step with it.
func (w *weave) before(end graphs.Event, y *weaveChain) bool {
	return !w.comp.Has(y.past, end) || w.comp.SameStep(end, y.intervals[y.reached].begin)
}

// back returns the chain of intervals that ends with one.
func (w *weave) back(at intervalAt) []intervalAt {
	chain := []intervalAt{}
	for ; at != nowhere; at = w.at(at).from {
		chain = append(chain, at)
	}
	slices.Reverse(chain)
	return chain
}

// run returns the run that enters the intervals of a shortest chain in turn: the
// events in an order in which they can happen, but first those that the second
// interval needs to be entered, then those that the third needs, and so on.
func (w *weave) run(chain []intervalAt) []graphs.Event {
	c := w.comp
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
		grow(c, next, w.at(at).begin)
		take(k)
	}
	next = c.Final()
	take(len(chain))
	for k := range len(chain) + 1 {
		size[k+1] += size[k]
	}
	run := make([]graphs.Event, size[len(chain)+1])
	for _, e := range c.Order() {
		if !c.Has(c.Initial(), e) && c.Has(c.Final(), e) {
			run[size[turn[e]]] = e
			size[turn[e]]++
		}
	}
	return run
}
