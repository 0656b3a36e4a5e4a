package rctl

import (
	"context"
	"sort"
	"time"

	"github.com/pota-project/pota/graphs"
)

// A satSearch looks for a cut that satisfies a node, and for the smallest.
type satSearch struct {
	*satEncoder
	root *satNode
	cut  *satCut

	wanted satLit // the cut satisfies the root
	size   func(graphs.Cut) int

	best   graphs.Cut
	tracks [][]int32 // by process: numbers of events whose pasts may be smaller than best
	effort int       // events visited to measure pasts
}

// What may be done for a smallest cut once a first one is known: so many further
// models, for so long and twice as long as the first took, and so many events
// visited.
const (
	mostModels = 1 << 10
	longest    = 500 * time.Millisecond
	mostEffort = 1 << 25
)

// run finds a cut and, where least is set, smaller ones as long as there are some
// and the limits allow. Each model is lowered to the least cut that satisfies the
// alternatives chosen in it. No cut that contains that one can be smaller, nor one
// with an event whose past is as large.
func (s *satSearch) run(ctx context.Context, least bool) (cut graphs.Cut, proven bool, err error) {
	start := time.Now()
	holds, err := s.first(ctx)
	if err != nil || !holds {
		return nil, err == nil, err
	}
	s.best = s.lowered()
	if !least {
		return s.best, false, nil
	}
	some, cancel := context.WithTimeout(ctx, longest+2*time.Since(start))
	defer cancel()
	s.makeTracks()
	s.exclude(s.best)
	for range mostModels {
		holds, err := s.solver.solve(some)
		if err != nil {
			return s.best, false, nil
		}
		if !holds {
			return s.best, true, nil
		}
		lower := s.lowered()
		if s.size(lower) < s.size(s.best) {
			s.best = lower
		}
		s.exclude(lower)
	}
	return s.best, false, nil
}

// first looks for a model. The solver is made to start from the least cuts, so
// that it gets no further away from them than the clauses drive it: it remembers
// the values that variables had last, and tries them first.
func (s *satSearch) first(ctx context.Context) (bool, error) {
	least := []satLit{-s.wanted}
	for _, cut := range s.cuts {
		for _, n := range s.orders.first {
			least = append(least, -cut.numbered(n))
		}
	}
	if _, err := s.solver.solve(ctx, least...); err != nil {
		return false, err
	}
	s.solver.add(s.wanted)
	return s.solver.solve(ctx)
}

// exclude rules out the cuts that contain cut, and those that have too large a
// past in them to be smaller than the best.
func (s *satSearch) exclude(cut graphs.Cut) {
	var clause []satLit
	for _, n := range s.orders.generators(cut) {
		clause = append(clause, -s.cut.numbered(n))
	}
	s.solver.add(clause...)
	limit := s.size(s.best)
	for p, track := range s.tracks {
		if s.effort > mostEffort {
			return
		}
		i := sort.Search(len(track), func(i int) bool {
			past, ok := s.comp.Above(s.comp.Initial(), s.orders.events[track[i]])
			s.effort += past.Size() - s.comp.Initial().Size() + len(past)
			return !ok || s.size(past) >= limit
		})
		if i < len(track) {
			s.solver.add(-s.cut.numbered(track[i]))
			s.tracks[p] = track[:i]
		}
	}
}

func (s *satSearch) makeTracks() {
	s.tracks = make([][]int32, s.comp.NumProcesses())
	for n := 1; n < len(s.orders.events); n++ {
		p := s.comp.Process(s.orders.events[n])
		s.tracks[p] = append(s.tracks[p], int32(n))
	}
}

// lowered returns the least cut that satisfies what the solver's model satisfies
// of the root, one alternative of each.
func (s *satSearch) lowered() graphs.Cut {
	model := s.orders.cut(func(n int32) bool { return s.solver.value(s.cut.numbered(n)) })
	l := &lowering{satSearch: s, model: model, low: s.comp.Initial()}
	l.choose(s.root)
	for l.raise() {
	}
	return l.low
}

// A lowering finds a least cut below a model.
type lowering struct {
	*satSearch
	model graphs.Cut
	low   graphs.Cut // contained in every cut that will do

	events []graphs.Event // that the cut has to have
	rules  []*satNode     // that may ask for more events, depending on the cut
}

// choose collects what makes n, which the model satisfies, hold.
func (l *lowering) choose(n *satNode) {
	switch n.kind {
	case satAll:
		for _, sub := range n.subs {
			l.choose(sub)
		}
	case satAny:
		l.choose(l.alternative(n))
	case satStates:
		l.events = append(l.events, l.begin(n))
	case satSlice:
		l.rules = append(l.rules, n)
	case satAtomic:
		if l.advances(n) {
			l.rules = append(l.rules, n)
			return
		}
		for _, k := range n.atom.columns {
			run := k.run(k.chain.state(l.comp, l.model))
			l.events = append(l.events, k.chain.event(l.comp, k.starts[run]))
		}
	}
}

// alternative returns a part of a disjunction that the model satisfies, one that
// needs no events if there is one.
func (l *lowering) alternative(n *satNode) *satNode {
	var found *satNode
	for _, sub := range n.subs {
		if sub.kind == satStates && len(sub.spans) == 1 {
			if !sub.set.has(sub.chain.state(l.comp, l.model)) {
				continue
			}
		} else if !l.solver.value(l.cut.nodes[sub]) {
			continue
		}
		if sub.kind == satStates && l.comp.Has(l.comp.Initial(), l.begin(sub)) {
			return sub
		}
		if found == nil {
			found = sub
		}
	}
	if found == nil {
		panic("this cannot happen, because the model satisfies one of the alternatives")
	}
	return found
}

// begin returns the event that led the chain of n into the block of states that
// it is in.
func (l *lowering) begin(n *satNode) graphs.Event {
	i := reaching(n.spans, n.chain.state(l.comp, l.model))
	if i == 0 {
		return graphs.Bottom
	}
	return n.chain.event(l.comp, n.spans[i-1].hi)
}

// advances reports whether an atom asks for events of its second column where
// there are some of the first, and nothing else.
func (l *lowering) advances(n *satNode) bool {
	if !n.atom.monotone {
		return false
	}
	for _, o := range n.atom.scales {
		if n.negated {
			o = o.reversed()
		}
		if k := o.column; !o.down && !k.rising || o.down && !k.sinks {
			return false
		}
	}
	return true
}

// raise adds what is asked for at the cut so far, and reports whether it was
// anything.
func (l *lowering) raise() bool {
	size := l.low.Size()
	l.low, _ = l.comp.Above(l.low, l.events...)
	l.events = l.events[:0]
	for _, n := range l.rules {
		if n.kind == satSlice {
			l.low, _ = n.slice.Above(l.low)
			continue
		}
		a := n.atom
		first, second := a.columns[0], a.columns[1]
		a.setClass(0, first.class[first.run(first.chain.state(l.comp, l.low))])
		from := int(second.run(second.chain.state(l.comp, l.low)))
		run := from + sort.Search(len(second.class)-from, func(i int) bool {
			a.setClass(1, second.class[from+i])
			return a.holds() != n.negated
		})
		if run > from {
			l.events = append(l.events, second.chain.event(l.comp, second.starts[run]))
		}
	}
	return len(l.events) > 0 || l.low.Size() > size
}
