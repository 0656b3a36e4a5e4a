// Package project leaves out what a formula cannot see.
//
// # Definitions
//
// An event is visible to a formula if it can change the truth of an atom, or a value
// that an atom compares. The projection of a computation is the computation of its
// visible events, with the happened-before of the whole among them. A cut of the whole
// has a cut of the projection in it: its visible events.
//
// A formula without EX and AX has the same truth at a cut of the whole and at what the
// projection keeps of it, because it cannot tell how often nothing changes (stuttering
// equivalence).
package project

import (
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Projection is the projection of a computation for some formulas.
type Projection struct {
	Comp    *graphs.Computation
	whole   *graphs.Computation
	visible []graphs.Event // of whole, by number of the event in Comp; entry 0 is ⊥
}

// New makes the projection for formulas. They must be resolved in the scope of c, in
// negation normal form and without EX and AX. The formulas are resolved in the scope of
// the projection too. Where little would be gained it returns nil. The error is a
// *atoms.ValuesError.
//
// The time complexity of New is O(|V|+|edges|) for each process with a visible event,
// and O(k) for each visible event, k the number of those processes.
func New(c *graphs.Computation, fs ...*syntax.Formula) (*Projection, error) {
	s, err := newView(c, fs)
	if err != nil {
		return nil, err
	}
	var events []graphs.Event
	for e := range s.seen.All() {
		events = append(events, graphs.Event(e))
	}
	if len(events)*10 > c.NumEvents()*9 {
		return nil, nil
	}
	comp, err := s.build(events)
	if err != nil {
		return nil, err
	}
	return &Projection{whole: c, Comp: comp, visible: append([]graphs.Event{graphs.Bottom}, events...)}, nil
}

// A view notes what formulas can see.
type view struct {
	comp      *graphs.Computation
	seen      dense.Set // events
	variables []*graphs.Variable
	noted     map[*graphs.Variable]bool
	channels  map[[2]int]bool
	looked    map[*syntax.Formula]bool
}

func (s *view) see(e graphs.Event) { s.seen.Add(int(e)) }

// newView looks through formulas for the events and variables they see.
func newView(c *graphs.Computation, fs []*syntax.Formula) (*view, error) {
	s := &view{
		comp: c, seen: dense.NewSet(int(c.Top())),
		noted: make(map[*graphs.Variable]bool), channels: make(map[[2]int]bool), looked: make(map[*syntax.Formula]bool),
	}
	for _, f := range fs {
		if err := s.look(f); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Visible returns the events that are visible to formulas as New asks for them. The
// error is a *atoms.ValuesError. The time complexity of Visible is O(assignments and
// messages that they read).
func Visible(c *graphs.Computation, fs ...*syntax.Formula) (dense.Set, error) {
	s, err := newView(c, fs)
	if err != nil {
		return nil, err
	}
	return s.seen, nil
}

// look notes the events that can change f's atoms. For a predicate of one chain these
// are the changes of its truth. For others they are all changes of a variable's value
// and both ends of a channel's messages.
func (s *view) look(f *syntax.Formula) error {
	if s.looked[f] {
		return nil
	}
	s.looked[f] = true
	chain := syntax.OfOneChain(f)
	if !chain && f.Op != syntax.OpAtom {
		for _, sub := range f.Sub {
			if err := s.look(sub); err != nil {
				return err
			}
		}
		return nil
	}
	p, err := atoms.Compile(s.comp, f)
	if err != nil {
		return err
	}
	for i := range p.Slots {
		s.note(&p.Slots[i])
	}
	if chain {
		for _, e := range atoms.Along(p).Events {
			s.see(e)
		}
		return nil
	}
	for i := range p.Slots {
		sl := &p.Slots[i]
		for i, e := range sl.Changes() {
			if sl.Value(i) != sl.Value(i-1) { // 1e16, a float, is added otherwise than the whole number
				s.see(e)
			}
		}
	}
	return nil
}

// note remembers the variables and channels that the projection must have.
func (s *view) note(sl *atoms.Slot) {
	switch v := sl.Variable; {
	case v == nil:
		s.channels[[2]int{sl.From, sl.To}] = true
	case !s.noted[v]:
		s.noted[v] = true
		s.variables = append(s.variables, v)
	}
}

// build makes the computation of the visible events.
func (s *view) build(events []graphs.Event) (*graphs.Computation, error) {
	c := s.comp
	var b graphs.Builder
	b.Grow(len(events))
	for _, name := range c.Processes() {
		b.Process(name)
	}
	first := make([]int, c.NumProcesses()+1) // index in events of each process's first
	for p := range c.NumProcesses() {
		first[p+1] = first[p] + sort.Search(len(events[first[p]:]), func(i int) bool { return c.Process(events[first[p]+i]) > p })
	}
	for _, e := range events {
		b.Event(c.Process(e)) // its handle is its index
	}
	handle := func(e graphs.Event) graphs.Handle {
		i, _ := slices.BinarySearch(events, e)
		return graphs.Handle(i)
	}
	s.bound(&b, events, first)
	for q := range c.NumProcesses() {
		if first[q] < first[q+1] {
			s.order(&b, events, first, q)
		}
	}
	s.assign(&b, events)
	s.deliver(&b, handle)
	return b.Build()
}

// bound keeps the initial and the final cut what they are: visible events of the
// first are forced, of those beyond the second kept out.
func (s *view) bound(b *graphs.Builder, events []graphs.Event, first []int) {
	c := s.comp
	for p := range c.NumProcesses() {
		mine := events[first[p]:first[p+1]]
		started := sort.Search(len(mine), func(i int) bool { return !c.Has(c.Initial(), mine[i]) })
		ended := sort.Search(len(mine), func(i int) bool { return !c.Has(c.Final(), mine[i]) })
		if started > 0 {
			b.Edge(graphs.Handle(first[p]+started-1), graphs.BottomHandle)
		}
		if ended < len(mine) {
			b.Edge(graphs.TopHandle, graphs.Handle(first[p]+ended))
		}
	}
}

// order adds the edges from the visible events of q: the last one of q before each
// visible event, if the event before that on its process does not have it already.
func (s *view) order(b *graphs.Builder, events []graphs.Event, first []int, q int) {
	c := s.comp
	last := c.LastBefore(q)
	mine := events[first[q]:first[q+1]]
	count := make([]int32, c.Len(q)+1) // visible events among the first k of q
	for _, e := range mine {
		count[c.Position(e)]++
	}
	for k := 1; k < len(count); k++ {
		count[k] += count[k-1]
	}
	for p := range c.NumProcesses() {
		known := int32(0)
		for i := first[p]; i < first[p+1]; i++ {
			e := events[i]
			n := count[last[e]]
			if p == q {
				known = max(known, count[c.Position(e)])
			}
			if n <= known {
				continue
			}
			known = n
			from := graphs.Handle(first[q] + int(n) - 1)
			if c.SameStep(events[from], e) || c.Cyclic() {
				b.Edge(from, graphs.Handle(i))
			} else {
				b.Order(from, graphs.Handle(i))
			}
		}
	}
}

// assign gives the visible events the values that the variables have there. The general
// edges of a cyclic computation do not order the events within a step. So assignments
// of a shared variable are put in their order.
func (s *view) assign(b *graphs.Builder, events []graphs.Event) {
	c := s.comp
	for _, v := range s.variables {
		w := b.Variable(v.Process, v.Name)
		b.Init(w, v.Init)
		if v.Process == graphs.Shared {
			last := graphs.NoHandle
			for i := range v.Len() {
				j, ok := slices.BinarySearch(events, v.Event(i))
				if !ok {
					continue
				}
				this := graphs.Handle(j)
				b.Set(w, this, v.Value(i))
				if c.Cyclic() && last != graphs.NoHandle &&
					c.Process(events[last]) != c.Process(events[this]) {
					b.Order(last, this)
				}
				last = this
			}
			continue
		}
		at, before := 0, -1 // assignments so far, and the last that was kept
		lo := sort.Search(len(events), func(i int) bool { return c.Process(events[i]) >= v.Process })
		for i := lo; i < len(events) && c.Process(events[i]) == v.Process; i++ {
			for at < v.Len() && v.Event(at) <= events[i] {
				at++
			}
			if at-1 > before {
				before = at - 1
				b.Set(w, graphs.Handle(i), v.Value(before))
			}
		}
	}
}

// deliver adds the messages of the channels that formulas count. All their ends are
// visible.
func (s *view) deliver(b *graphs.Builder, handle func(graphs.Event) graphs.Handle) {
	c := s.comp
	if len(s.channels) == 0 {
		return
	}
	for _, m := range c.Messages() {
		if m.To < 0 || !s.channels[[2]int{c.Process(m.Send), int(m.To)}] {
			continue
		}
		recv := graphs.NoHandle
		if m.Recv != graphs.Bottom {
			recv = handle(m.Recv)
		}
		b.Deliver(b.NewMessage(""), handle(m.Send), recv, int(m.To))
	}
}

// Cut returns the least cut of the whole that has the visible events of a cut of
// the projection, and no other visible event.
func (p *Projection) Cut(cut graphs.Cut) graphs.Cut {
	var frontier []graphs.Event
	for q, k := range cut {
		if k > 0 {
			frontier = append(frontier, p.visible[p.Comp.Event(q, int(k))])
		}
	}
	whole, _ := p.whole.Above(p.whole.Initial(), frontier...)
	return whole
}

// Lift turns a run found in the projection into a run of the whole: before
// each visible event what had to happen before it.
func (p *Projection) Lift(e *engine.Run) *engine.Run {
	r := &engine.Run{Formula: e.Formula, Within: p.whole, Via: []graphs.Event{}, Whole: e.Whole, MaybeShorter: e.MaybeShorter}
	for _, v := range e.In(p.Comp) {
		r.Via = append(r.Via, p.visible[v])
	}
	if r.Cut = p.whole.Final(); !e.Whole {
		r.Cut, _ = p.whole.Above(p.whole.Initial(), r.Via...)
	}
	return r
}
