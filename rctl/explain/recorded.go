package explain

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Recorded says whether the recorded order of a computation shows a formula by itself, or
// only another order that causality allows.
type Recorded struct {
	Observed bool
	// of EF: its operand is true for the first time from one event to the other; Bottom for one
	// that there is not
	From, To graphs.Event
}

// recorded decides what evidence shows, and other ways to show the verdict on the property, on
// the recorded order alone. It is nil if no order is known, or if one order does not decide it.
func (t *Explainer) recorded(s *scene, e *rctl.Evidence) *Recorded {
	run := t.Of.Recorded()
	if !e.Start.Equal(t.Of.Initial()) || len(run) < t.Of.Final().Size()-e.Start.Size() {
		return nil
	}
	r := newRecording(s.ctx, t.Of, run, &s.same)
	about := s.whole(e.Formula)
	truth, ok := r.truth(about)
	if !ok {
		return nil
	}
	found := &Recorded{Observed: truth.first}
	if about.Op != syntax.OpEF || !found.Observed {
		return found
	}
	goal, _ := r.truth(about.Sub[0])
	turns := goal.turns
	if !goal.first {
		found.From = run[r.ends[turns[0]]-1]
		turns = turns[1:]
	}
	if len(turns) > 0 {
		found.To = run[r.ends[turns[0]]-1]
	}
	return found
}

// whole returns what evidence shows where f, that a piece shows, is one of its alternatives.
func (s *scene) whole(f *syntax.Formula) *syntax.Formula {
	f = s.same.Same(f)
	if s.asked == nil || s.resolve(s.asked) == nil {
		return f
	}
	for _, v := range []rctl.Verdict{rctl.Holds, rctl.Fails} {
		shown := s.shown(s.resolve(s.asked), v)
		if slices.ContainsFunc(syntax.Alternatives(shown), func(g *syntax.Formula) bool { return s.same.Same(g) == f }) {
			return shown
		}
	}
	return f
}

// A recording is the recorded order, with the formulas that were evaluated along it. Its places
// are the cuts that the run passes through, from 0.
//
// Example: in a run of four events, the second sets x to 1, and the third sets y to 1. Truth is
// then found from the leaves to the root, at the places 0 to 4, and kept as the places where it
// turns:
//
//	x == 1               - - + + +   2
//	y == 0               + + + - -   3
//	x == 1 && y == 0     - - + - -   2 3
//	EF of that           + + + - -   3
//
// The propositional part is evaluated forwards, since events change values, and operators are
// evaluated backwards, since their truth depends on the places that follow.
type recording struct {
	ctx     context.Context // when it is done, no truth is known any more
	c       *graphs.Computation
	ends    []int   // how many events of the run lead to each place
	place   []int32 // after each event, 0 for events that are not in the run
	same    *syntax.Interner
	nodes   map[*syntax.Formula]*node
	sources []*source // what the leaves read
	changes []uint64
}

// A history is the truth of a formula along a recording.
type history struct {
	first bool  // at place 0
	turns []int // places where it is not as at the place before
}

// A node is a propositional formula with its truth at the place that is reached. Conjunctions and
// disjunctions count how many of their operands are true, all others are leaves.
type node struct {
	value   bool
	parents []*node
	holding int // operands that are true
	need    int // as many of them make it true: all of a conjunction, one of a disjunction

	predicate *atoms.Predicate // of a leaf
	env       []graphs.Value   // the values that it reads
}

// A source is what a slot of a leaf reads.
type source struct {
	atoms.Slot
	leaf *node
	at   int // in its environment
	next int // the first change that was not passed
}

func newRecording(ctx context.Context, c *graphs.Computation, run []graphs.Event, same *syntax.Interner) *recording {
	r := &recording{ctx: ctx, c: c, ends: []int{0}, place: make([]int32, c.Top()+1), same: same}
	for n := 0; n < len(run); {
		step := len(c.Step(run[n]))
		for _, e := range run[n : n+step] {
			r.place[e] = int32(len(r.ends))
		}
		n += step
		r.ends = append(r.ends, n)
	}
	return r
}

// truth returns the truth of a formula in negation normal form. It is not ok if that depends on
// other runs. The time complexity is O(turns · log turns) for each subformula, and mostly less than
// O(changes · |f|) for the propositional ones: an event evaluates the atoms that read a value that
// changes with it, and the formulas above those.
func (r *recording) truth(f *syntax.Formula) (h history, ok bool) {
	if r.ctx.Err() != nil {
		return h, false
	}
	if syntax.IsPropositional(f) {
		return r.propositional(f)
	}
	if !syntax.IsExistential(f) && f.Op != syntax.OpAnd && f.Op != syntax.OpOr {
		return h, false
	}
	var of []history
	for _, sub := range f.Sub {
		h, ok := r.truth(sub)
		if !ok {
			return h, false
		}
		of = append(of, h)
	}
	if f.Op == syntax.OpEX {
		return of[0].next(len(r.ends)), true
	}
	return backwards(f.Op, of), true
}

// next is the truth of EX of h, for a number of places. There is nothing next to the last one.
func (h history) next(places int) history {
	if h.first != (len(h.turns)%2 == 1) {
		h.turns = append(slices.Clip(h.turns), places)
	}
	x := history{first: h.first}
	for _, place := range h.turns {
		if place == 1 {
			x.first = !x.first
		} else {
			x.turns = append(x.turns, place-1)
		}
	}
	return x
}

// backwards returns the truth of an operator. It has one truth between two turns of its operands:
// either these decide, or what follows does.
func backwards(op syntax.Op, of []history) (h history) {
	type turn struct{ place, operand int }
	var turns []turn
	is := make([]bool, len(of)) // the operands that are true where the operator is looked at
	holding := 0                // how many are
	flip := func(operand int) {
		is[operand] = !is[operand]
		if is[operand] {
			holding++
		} else {
			holding--
		}
	}
	for i, operand := range of {
		if operand.first {
			flip(i)
		}
		for _, place := range operand.turns {
			turns = append(turns, turn{place, i})
			flip(i)
		}
	}
	slices.SortFunc(turns, func(x, y turn) int { return x.place - y.place })
	place := 0 // that follows
	for atEnd := true; ; atEnd = false {
		now := false
		switch first, last := is[0], is[len(is)-1]; op {
		case syntax.OpAnd:
			now = holding == len(of)
		case syntax.OpOr:
			now = holding > 0
		case syntax.OpEF:
			now = first || h.first
		case syntax.OpEG:
			now = first && (atEnd || h.first)
		case syntax.OpEU:
			now = last || first && h.first
		case syntax.OpEW:
			now = last || first && (atEnd || h.first)
		case syntax.OpER:
			now = last && (first || atEnd || h.first)
		}
		if !atEnd && now != h.first {
			h.turns = append(h.turns, place)
		}
		h.first = now
		if len(turns) == 0 {
			slices.Reverse(h.turns)
			return h
		}
		for place = turns[len(turns)-1].place; len(turns) > 0 && turns[len(turns)-1].place == place; {
			flip(turns[len(turns)-1].operand)
			turns = turns[:len(turns)-1]
		}
	}
}

// propositional is truth for a formula without temporal operators, not ok if values were not read.
// The nodes are made anew, since they stay at the last place.
func (r *recording) propositional(f *syntax.Formula) (h history, ok bool) {
	r.nodes = make(map[*syntax.Formula]*node)
	r.sources = nil
	root := r.node(f)
	if root == nil {
		return h, false
	}
	// A change is where a source reads another value. Sorted, the numbers of changes go along the run.
	changes := r.changes[:0]
	for i, s := range r.sources {
		for _, e := range s.Changes()[s.next:] {
			if place := r.place[e]; place > 0 {
				changes = append(changes, uint64(place)<<32|uint64(i))
			}
		}
	}
	slices.Sort(changes)
	r.changes = changes // their room is of use again
	h.first = root.value
	for before := root.value; len(changes) > 0; before = root.value {
		place := changes[0] >> 32
		for len(changes) > 0 && changes[0]>>32 == place {
			r.sources[uint32(changes[0])].read()
			changes = changes[1:]
		}
		if root.value != before {
			h.turns = append(h.turns, int(place))
		}
	}
	return h, true
}

// node returns the node of a formula with its truth at the first place, nil if values were not
// read. Equal formulas have one node: instances of quantifiers share most of their atoms.
func (r *recording) node(f *syntax.Formula) *node {
	f = r.same.Same(f)
	if n, ok := r.nodes[f]; ok {
		return n
	}
	n := &node{need: 1}
	r.nodes[f] = n
	if f.Op == syntax.OpAnd || f.Op == syntax.OpOr {
		if f.Op == syntax.OpAnd {
			n.need = len(f.Sub)
		}
		for _, sub := range f.Sub {
			of := r.node(sub)
			if of == nil {
				return nil
			}
			of.parents = append(of.parents, n)
			if of.value {
				n.holding++
			}
		}
		n.value = n.holding >= n.need
		return n
	}

	var err error
	if n.predicate, err = atoms.Compile(r.c, f); err != nil {
		return nil
	}
	n.env = n.predicate.Env()
	n.value = n.predicate.At(r.c.Initial(), n.env)
	for i, slot := range n.predicate.Slots {
		r.sources = append(r.sources, &source{slot, n, i, slot.Last(r.c, r.c.Initial()) + 1})
	}
	return n
}

// read lets a source change its value, and evaluates the leaf that reads it.
func (s *source) read() {
	s.leaf.env[s.at] = s.Value(s.next)
	s.next++
	s.leaf.set(s.leaf.predicate.Of(s.leaf.env))
}

// set changes the truth of a node, and of the nodes above it. It stops at those that keep theirs,
// so most changes of a large formula end near its leaves.
func (n *node) set(value bool) {
	if n.value == value {
		return
	}
	n.value = value
	for _, p := range n.parents {
		if value {
			p.holding++
		} else {
			p.holding--
		}
		p.set(p.holding >= p.need)
	}
}
