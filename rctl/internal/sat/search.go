package sat

import (
	"context"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/effort"
)

// A search looks for a cut that satisfies a node, and for the smallest.
type search struct {
	*encoder
	root   *node
	cut    *wantedCut
	wanted lit // the cut satisfies the root
	size   func(graphs.Cut) int

	best       graphs.Cut
	most       int       // the size of best
	candidates [][]int32 // by process: the numbers of events whose pasts may be smaller than best
	effort     int       // how many events were visited to measure pasts
}

// Bounds on the search for a smallest cut once a first one is known.
const (
	maxModels = 1 << 10 // further models
	maxSteps  = 1 << 20 // about a quarter of a second; twice the steps of the first model are added
	maxEffort = 1 << 23 // events visited to measure pasts: about a fifth of a second

	visitsOfStep = 8 // how many visits to events all over the trace take as long as a step
)

// run finds a cut and, if least is set, smaller ones as long as there are some and
// the limits allow. Each model is lowered to the least cut that satisfies the
// alternatives chosen in it. No cut that contains it can be smaller, nor can one with
// an event that has as many events before it.
func (s *search) run(ctx context.Context, least bool) (cut graphs.Cut, proven bool, err error) {
	before := effort.Spent(ctx)
	// The solver is made to start from the least cuts: it remembers the values that variables had
	// last and tries them first, so that it goes no further away from them than the clauses demand.
	// Nothing is wanted in the first call, so that it cannot fail. It only sets these values.
	start := []lit{-s.wanted}
	for _, cut := range s.cuts {
		for _, n := range s.numbers.first {
			start = append(start, -cut.numbered(n))
		}
	}
	if _, err := s.solver.solve(ctx, start...); err != nil {
		return nil, false, err
	}
	s.solver.add(s.wanted)
	if found, err := s.solver.solve(ctx); err != nil || !found {
		return nil, err == nil, err
	}
	if s.best = s.lowered(); !least {
		return s.best, false, nil
	}
	// The verdict is known. What follows only shortens the run, within limits.
	some, cancel := effort.Limited(ctx, maxSteps+2*(effort.Spent(ctx)-before))
	defer cancel()
	s.candidates = make([][]int32, s.comp.NumProcesses())
	for n := 1; n <= s.numbers.len(); n++ {
		p := s.comp.Process(s.numbers.events[n])
		s.candidates[p] = append(s.candidates[p], int32(n))
	}
	if err := s.nearby(some); err != nil {
		return s.best, false, nil
	}
	s.most = s.size(s.best)
	s.narrow()
	s.exclude(s.best)
	// Each cut found is lowered, and all cuts that contain it are excluded.
	for range maxModels {
		found, err := s.solver.solve(some)
		if err != nil || !found {
			return s.best, err == nil, nil
		}
		lower := s.lowered()
		size := s.size(lower)
		// the next call of solve returns the error
		_ = effort.Spend(some, int64(s.numbers.len()+size/visitsOfStep))
		if size < s.most {
			s.best, s.most = lower, size
			s.narrow()
		}
		s.exclude(lower)
	}
	return s.best, false, nil
}

// nearby looks for a cut that has few events of each process. As long as there is none, it allows
// more of them. The error is the context's own.
func (s *search) nearby(ctx context.Context) error {
	// Each round allows each process twice as many events.
	for few, more := 1, true; more; few *= 2 {
		var fewer []lit
		for _, list := range s.candidates {
			if few <= len(list) {
				fewer = append(fewer, -s.cut.numbered(list[few-1]))
			}
		}
		found, err := s.solver.solve(ctx, fewer...)
		if err != nil {
			return err
		}
		if more = !found && len(fewer) > 0; found {
			s.best = s.lowered()
		}
	}
	return nil
}

// exclude rules out the cuts that contain cut.
func (s *search) exclude(cut graphs.Cut) {
	// A cut with the events that no other numbered event of this cut implies has all its numbered
	// events.
	implied := make([]bool, len(s.numbers.events))
	for _, i := range s.numbers.implied {
		if s.comp.Has(cut, s.numbers.events[i[0]]) {
			implied[i[1]] = true
		}
	}
	var clause []lit
	for n := s.numbers.len(); n > 0; n-- {
		if s.comp.Has(cut, s.numbers.events[n]) && !implied[n] {
			clause = append(clause, -s.cut.numbered(int32(n)))
		}
	}
	s.solver.add(clause...)
}

// narrow rules out the cuts that have an event whose past is at least as large as the best cut.
func (s *search) narrow() {
	for p, list := range s.candidates {
		if s.effort > maxEffort {
			return
		}
		// Pasts grow along a process, so that the first event with a large one is found
		// by bisection.
		large := func(i int) bool {
			past, ok := s.comp.Above(s.comp.Initial(), s.numbers.events[list[i]])
			size := s.size(past) // which visits as many events
			s.effort += past.Size() + len(past) + size
			return !ok || size >= s.most
		}
		from, to := 0, 1 // what the best has fewer of is near the beginning
		for to <= len(list) && !large(to-1) {
			from, to = to, 2*to
		}
		i := from + sort.Search(min(to, len(list))-from, func(i int) bool { return large(from + i) })
		if i < len(list) {
			s.solver.add(-s.cut.numbered(list[i]))
			s.candidates[p] = list[:i]
		}
	}
}

// lowered returns the least cut that satisfies the parts of the root that the solver's
// model satisfies, one alternative of each disjunction.
func (s *search) lowered() graphs.Cut {
	var events []graphs.Event
	for n := 1; n <= s.numbers.len(); n++ {
		if s.solver.value(s.cut.numbered(int32(n))) {
			events = append(events, s.numbers.events[n])
		}
	}
	model, _ := s.comp.Above(s.comp.Initial(), events...)
	l := &lowering{search: s, model: model, low: s.comp.Initial()}
	l.choose(s.root)
	for l.raise() {
	}
	return l.low
}

// A lowering finds a least cut below a model.
type lowering struct {
	*search
	model  graphs.Cut
	low    graphs.Cut     // every cut that will do contains it
	events []graphs.Event // events that the cut has to have
	rules  []*node        // nodes that may ask for more events, depending on the cut
}

// choose collects the events and rules that make n hold. The model satisfies n.
func (l *lowering) choose(n *node) {
	switch n.kind {
	case allOf:
		for _, sub := range n.subs {
			l.choose(sub)
		}
	case anyOf:
		l.choose(l.alternative(n))
	case local:
		l.events = append(l.events, l.begin(n))
	case sliced:
		l.rules = append(l.rules, n)
	case related:
		if n.atom.advances(n.negated) {
			l.rules = append(l.rules, n)
			return
		}
		for _, k := range n.atom.columns {
			l.events = append(l.events, k.begin(l.comp, k.at(l.comp, l.model)))
		}
	}
}

// alternative returns a part of a disjunction that the model satisfies, one that
// needs no events if there is one.
func (l *lowering) alternative(n *node) *node {
	var found *node
	for _, sub := range n.subs {
		if sub.kind == local && len(sub.gaps) == 1 {
			if !sub.set.has(sub.chain.State(l.comp, l.model)) {
				continue
			}
		} else if !l.solver.value(l.cut.nodes[sub]) {
			continue
		}
		if sub.kind == local && l.comp.Has(l.comp.Initial(), l.begin(sub)) {
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

// begin returns the event that led the chain of n into its present block of states, ⊥
// for the first block.
func (l *lowering) begin(n *node) graphs.Event {
	i := reaching(n.gaps, n.chain.State(l.comp, l.model))
	if i == 0 {
		return graphs.Bottom
	}
	return n.chain.Event(l.comp, n.gaps[i-1].hi)
}

// raise adds the events that the rules ask for at the cut so far, and reports whether
// there were any.
func (l *lowering) raise() bool {
	size := l.low.Size()
	l.low, _ = l.comp.Above(l.low, l.events...)
	l.events = l.events[:0]
	for _, n := range l.rules {
		if n.kind == sliced {
			l.low, _ = n.slice.Above(l.low)
			continue
		}
		// A rule of an atom: the second column goes on as far as the first one demands.
		a := n.atom
		first, second := a.columns[0], a.columns[1]
		a.setClass(0, first.class[first.at(l.comp, l.low)])
		from := second.at(l.comp, l.low)
		more := sort.Search(len(second.class)-from, func(i int) bool {
			a.setClass(1, second.class[from+i])
			return a.holds() != n.negated
		})
		if more > 0 {
			l.events = append(l.events, second.begin(l.comp, from+more))
		}
	}
	return len(l.events) > 0 || l.low.Size() > size
}
