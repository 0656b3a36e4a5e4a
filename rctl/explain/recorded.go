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
	truth := r.truth(about)
	if truth == nil {
		return nil
	}
	found := &Recorded{Observed: truth[0]}
	if about.Op != syntax.OpEF || !found.Observed {
		return found
	}
	goal := r.truth(about.Sub[0])
	first := slices.Index(goal, true)
	found.From = r.eventBefore(first)
	if n := slices.Index(goal[first:], false); n > 0 {
		found.To = r.eventBefore(first + n)
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
// then found from the leaves to the root, at the places 0 to 4:
//
//	x == 1               - - + + +
//	y == 0               + + + - -
//	x == 1 && y == 0     - - + - -
//	EF of that           + + + - -
//
// The propositional part is evaluated forwards, since events change values, and operators are
// evaluated backwards, since their truth depends on the places that follow.
type recording struct {
	ctx   context.Context // when it is done, no truth is known any more
	c     *graphs.Computation
	run   []graphs.Event
	ends  []int // how many events of run lead to each place
	same  *syntax.Interner
	nodes map[*syntax.Formula]*node
	// what changes the leaves, by the process that does, Shared for shared variables
	sources map[int][]*source
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
	leaf  *node
	place int // in its environment
	next  int // the first change that was not passed
}

func newRecording(ctx context.Context, c *graphs.Computation, run []graphs.Event, same *syntax.Interner) *recording {
	r := &recording{ctx: ctx, c: c, run: run, ends: []int{0}, same: same}
	for n := 0; n < len(run); {
		n += len(c.Step(run[n]))
		r.ends = append(r.ends, n)
	}
	return r
}

// eventBefore returns the event that leads to a place, Bottom for the first.
func (r *recording) eventBefore(place int) graphs.Event {
	if place == 0 {
		return graphs.Bottom
	}
	return r.run[r.ends[place]-1]
}

// truth returns the truth of a formula in negation normal form at each place, nil if it depends on
// other runs. The time complexity is O(|f| · (|run| + changes)), and mostly much less: an event
// evaluates the atoms that read a value that changes with it, and the formulas above those.
func (r *recording) truth(f *syntax.Formula) []bool {
	if r.ctx.Err() != nil {
		return nil
	}
	if syntax.IsPropositional(f) {
		return r.propositional(f)
	}
	var of [][]bool
	for _, sub := range f.Sub {
		truth := r.truth(sub)
		if truth == nil {
			return nil
		}
		of = append(of, truth)
	}
	if !syntax.IsExistential(f) && f.Op != syntax.OpAnd && f.Op != syntax.OpOr {
		return nil
	}

	truth := make([]bool, len(r.ends))
	first, last := of[0], of[len(of)-1]
	for i := len(truth) - 1; i >= 0; i-- {
		atEnd := i == len(truth)-1
		next := !atEnd && truth[i+1]
		switch f.Op {
		case syntax.OpAnd:
			truth[i] = !slices.ContainsFunc(of, func(sub []bool) bool { return !sub[i] })
		case syntax.OpOr:
			truth[i] = slices.ContainsFunc(of, func(sub []bool) bool { return sub[i] })
		case syntax.OpEX:
			truth[i] = !atEnd && first[i+1]
		case syntax.OpEF:
			truth[i] = first[i] || next
		case syntax.OpEG:
			truth[i] = first[i] && (atEnd || next)
		case syntax.OpEU:
			truth[i] = last[i] || first[i] && next
		case syntax.OpEW:
			truth[i] = last[i] || first[i] && (atEnd || next)
		case syntax.OpER:
			truth[i] = last[i] && (first[i] || atEnd || next)
		}
	}
	return truth
}

// propositional is truth for a formula without temporal operators, nil if values were not read.
// The nodes are made anew, since they stay at the last place.
func (r *recording) propositional(f *syntax.Formula) []bool {
	r.nodes = make(map[*syntax.Formula]*node)
	r.sources = make(map[int][]*source)
	root := r.node(f)
	if root == nil {
		return nil
	}
	truth := []bool{root.value}
	for i := range len(r.ends) - 1 {
		for _, e := range r.run[r.ends[i]:r.ends[i+1]] {
			r.pass(r.sources[r.c.Process(e)], e)
			r.pass(r.sources[graphs.Shared], e)
		}
		truth = append(truth, root.value)
	}
	return truth
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
		p := slot.Chain().Process
		r.sources[p] = append(r.sources[p], &source{slot, n, i, slot.Last(r.c, r.c.Initial()) + 1})
	}
	return n
}

// pass lets an event change the values of sources, and evaluates the leaves that read these. An
// event with several messages changes a count several times.
func (r *recording) pass(sources []*source, e graphs.Event) {
	for _, s := range sources {
		before := s.next
		for changes := s.Changes(); s.next < len(changes) && changes[s.next] == e; {
			s.next++
		}
		if s.next > before {
			s.leaf.env[s.place] = s.Value(s.next - 1)
			s.leaf.set(s.leaf.predicate.Of(s.leaf.env))
		}
	}
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
