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
	visible []graphs.Event // by number, from 1, of the event in Comp: the event of whole
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
	for e := range s.seen.All() {
		s.events = append(s.events, graphs.Event(e))
	}
	if len(s.events)*10 > c.NumEvents()*9 {
		return nil, nil
	}
	b := s.frame()
	s.assign(b)
	// Messages of the channels that formulas count have both ends visible.
	if len(s.channels) > 0 {
		for _, m := range c.Messages() {
			if m.To >= 0 && s.channels[[2]int{c.Process(m.Send), int(m.To)}] {
				b.Deliver(b.NewMessage(""), s.handle(m.Send), s.handle(m.Recv), int(m.To))
			}
		}
	}
	comp, err := b.Build()
	if err != nil {
		return nil, err
	}
	return &Projection{Comp: comp, whole: c, visible: s.events}, nil
}

// A view records the events and variables that formulas can see.
type view struct {
	comp      *graphs.Computation
	seen      dense.Set // events
	variables []*graphs.Variable
	noted     map[*graphs.Variable]bool // whether the variable is in variables
	// by sender and receiver: whether a formula counts the messages
	channels map[[2]int]bool
	looked   map[*syntax.Formula]bool

	// The events of the new computation in order, and where those of each process begin.
	events []graphs.Event
	first  []int

	// Only used by Onto: for each of the events, the index of the last event of each process before
	// it, -1 for none, and the edges that wait for all of this.
	before [][]int32
	edges  [][2]graphs.Handle
}

func (s *view) see(e graphs.Event) { s.seen.Add(int(e)) }

// newView looks through formulas for the events and variables they see.
func newView(c *graphs.Computation, fs []*syntax.Formula) (*view, error) {
	s := &view{
		comp:     c,
		seen:     dense.NewSet(int(c.Top())),
		noted:    make(map[*graphs.Variable]bool),
		channels: make(map[[2]int]bool),
		looked:   make(map[*syntax.Formula]bool),
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
		slot := &p.Slots[i]
		switch v := slot.Variable; {
		case v == nil:
			s.channels[[2]int{slot.From, slot.To}] = true
		case !s.noted[v]:
			s.noted[v] = true
			s.variables = append(s.variables, v)
		}
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
			// 1e16, a float, is added otherwise than the whole number
			if sl.Value(i) != sl.Value(i-1) {
				s.see(e)
			}
		}
	}
	return nil
}

// handle returns the handle of a visible event, graphs.NoHandle for other events and ⊥.
func (s *view) handle(e graphs.Event) graphs.Handle {
	i, ok := slices.BinarySearch(s.events, e)
	if !ok {
		return graphs.NoHandle
	}
	return graphs.Handle(i)
}

// frame begins the new computation with its processes, its events and their order.
func (s *view) frame() *graphs.Builder {
	c := s.comp
	b := new(graphs.Builder)
	b.Grow(len(s.events))
	for _, name := range c.Processes() {
		b.Process(name)
	}
	s.first = make([]int, c.NumProcesses()+1)
	for _, e := range s.events {
		b.Event(c.Process(e)) // its handle is its index
		s.first[c.Process(e)+1]++
	}
	for p := range c.NumProcesses() {
		s.first[p+1] += s.first[p]
	}
	// The initial and the final cut stay what they are: visible events of the former are forced, and
	// those that are not in the latter are kept out.
	for p := range c.NumProcesses() {
		mine := s.of(p)
		started := sort.Search(len(mine), func(i int) bool { return !c.Has(c.Initial(), mine[i]) })
		ended := sort.Search(len(mine), func(i int) bool { return !c.Has(c.Final(), mine[i]) })
		if started > 0 {
			b.Edge(graphs.Handle(s.first[p]+started-1), graphs.BottomHandle)
		}
		if ended < len(mine) {
			b.Edge(graphs.TopHandle, graphs.Handle(s.first[p]+ended))
		}
	}
	for q := range c.NumProcesses() {
		if len(s.of(q)) > 0 {
			s.order(b, q)
		}
	}
	return b
}

// of returns the visible events of a process.
func (s *view) of(p int) []graphs.Event { return s.events[s.first[p]:s.first[p+1]] }

// order adds the edges from the visible events of q: to each visible event from the last one of q
// before it, unless the previous event of its process has that edge.
func (s *view) order(b *graphs.Builder, q int) {
	c := s.comp
	last := c.LastBefore(q)
	count := make([]int32, c.Len(q)+1) // visible events among the first k of q
	for _, e := range s.of(q) {
		count[c.Position(e)]++
	}
	for k := 1; k < len(count); k++ {
		count[k] += count[k-1]
	}
	for p := range c.NumProcesses() {
		known := int32(0)
		for i, e := range s.of(p) {
			n := count[last[e]]
			if s.before != nil && n > 0 {
				s.before[s.first[p]+i][q] = int32(s.first[q]) + n - 1
			}
			if p == q {
				known = max(known, count[c.Position(e)])
			}
			if n <= known {
				continue
			}
			known = n
			from, to := graphs.Handle(s.first[q]+int(n)-1), graphs.Handle(s.first[p]+i)
			if s.before != nil {
				s.edges = append(s.edges, [2]graphs.Handle{from, to})
				continue
			}
			if c.SameStep(s.events[from], e) || c.Cyclic() {
				b.Edge(from, to)
			} else {
				b.Order(from, to)
			}
		}
	}
}

// assign gives the visible events the values that the variables have there. The general
// edges of a cyclic computation do not order the events within a step. So assignments
// of a shared variable are put in their order.
func (s *view) assign(b *graphs.Builder) {
	for _, v := range s.variables {
		w := b.Variable(v.Process, v.Name)
		b.Init(w, v.Init)
		if v.Process == graphs.Shared {
			s.own(b, v, w)
			continue
		}
		at, before := 0, -1 // assignments so far, and the last that was kept
		for i, e := range s.of(v.Process) {
			for at < v.Len() && v.Event(at) <= e {
				at++
			}
			if at-1 > before {
				before = at - 1
				b.Set(w, graphs.Handle(s.first[v.Process]+i), v.Value(before))
			}
		}
	}
}

// own gives w the values that the visible events themselves assign to v.
func (s *view) own(b *graphs.Builder, v, w *graphs.Variable) {
	c := s.comp
	last := graphs.NoHandle
	for i := range v.Len() {
		this := s.handle(v.Event(i))
		if this == graphs.NoHandle {
			continue
		}
		b.Set(w, this, v.Value(i))
		if v.Process == graphs.Shared && c.Cyclic() && last != graphs.NoHandle &&
			c.Process(s.events[last]) != c.Process(s.events[this]) {
			b.Order(last, this)
		}
		last = this
	}
}

// Cut returns the least cut of the whole that has the visible events of a cut of
// the projection, and no other visible event.
func (p *Projection) Cut(cut graphs.Cut) graphs.Cut {
	var frontier []graphs.Event
	for q, k := range cut {
		if k > 0 {
			frontier = append(frontier, p.visible[p.Comp.Event(q, int(k))-1])
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
		r.Via = append(r.Via, p.visible[v-1])
	}
	if r.Cut = p.whole.Final(); !e.Whole {
		r.Cut, _ = p.whole.Above(p.whole.Initial(), r.Via...)
	}
	return r
}
