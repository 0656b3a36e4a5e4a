package online

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	known "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A past is what a binding has seen: its visible events in the order of their arrival, each with
// how many of each process it knows. Bindings with equal histories share them, in a trie, and each
// is decided once. Processes are numbered by their first event, so their names do not matter.
//
// Example: of r1 the event api:1 came first and db:1 after it, of r2 web:4 and then db:9. The two
// histories are the same: an event of process 0, and one of process 1 that knows it.
type past struct {
	from    *past // without the last event; nil for the beginning
	next    map[string]*past
	length  int
	process int     // of the last event
	nth     int     // among its events
	holes   uint64  // that it fills, a bit each
	knows   []int32 // how many events of each process happened before or at it
	named   []int   // of each process, its index among the names in the body; -1 for another

	decided bool
	final   rctl.Verdict
	end     *rctl.Result // beside others; nil where it is not known
	others  int
}

// histories are the histories of the bindings of a template.
type histories struct {
	template *syntax.Template
	body     *syntax.Formula
	root     *past
	size     int // histories in the trie
	key      []byte
}

// maxHistories bounds the trie. Beyond it histories are shared anew.
const maxHistories = 1 << 16

// follow returns h with one more event. Where that is the first of its process, named tells which name
// of the body the process has.
func (x *histories) follow(h *past, named int, event past) *past {
	key := binary.AppendUvarint(x.key[:0], uint64(event.process))
	key = binary.AppendUvarint(key, event.holes)
	key = binary.AppendVarint(key, int64(named))
	for _, k := range event.knows {
		key = binary.AppendUvarint(key, uint64(k))
	}
	x.key = key
	if g, ok := h.next[string(key)]; ok {
		return g
	}

	g := &event
	g.from = h
	g.length = h.length + 1
	g.knows = slices.Clone(event.knows)
	g.named = h.named
	if event.process == len(h.named) {
		g.named = append(slices.Clip(h.named), named)
	}
	// Bindings that are open keep their own histories alive.
	if x.size++; x.size > maxHistories {
		x.root.next, x.size = nil, 0
	}
	if h.next == nil {
		h.next = make(map[string]*past)
	}
	h.next[string(key)] = g
	return g
}

// settle returns the verdict that is final after a history, Unknown where none is.
func (x *histories) settle(ctx context.Context, h *past) (rctl.Verdict, error) {
	if h.decided {
		return h.final, nil
	}
	c, err := x.computation(h, true, 0)
	if err != nil {
		return rctl.Unknown, err
	}
	// One hole more than the template has marks the events still to come.
	still := syntax.AsAtom(&syntax.Expr{Op: syntax.ExprField, Text: syntax.HoleName(x.template.Holes())})
	for _, v := range []rctl.Verdict{rctl.Fails, rctl.Holds} {
		f := x.body
		if v == rctl.Fails {
			f = syntax.Not(f)
		}
		r, err := check(ctx, c, sure(syntax.NNF(f), still, x.touched(h)), rctl.Options{})
		if err != nil {
			return rctl.Unknown, err
		}
		if r.Verdict == rctl.Holds {
			h.final = v
			break
		}
	}
	h.decided = true
	return h.final, nil
}

// last returns the verdict after a history at the end, beside so many other processes.
func (x *histories) last(ctx context.Context, h *past, others int) (*rctl.Result, error) {
	if h.end != nil && h.others == others {
		return h.end, nil
	}
	c, err := x.computation(h, false, others)
	if err != nil {
		return nil, err
	}
	h.others = others
	h.end, err = check(ctx, c, x.body, rctl.Options{})
	return h.end, err
}

// run returns the events of a run that shows the verdict after a history, by their indices in it;
// nil where no run does.
func (x *histories) run(ctx context.Context, h *past, others int) ([]int, error) {
	c, err := x.computation(h, false, others)
	if err != nil {
		return nil, err
	}
	r, err := check(ctx, c, x.body, rctl.Options{Evidence: true})
	if err != nil || r.Evidence == nil {
		return nil, err
	}
	// Others than these are of processes that the binding does not touch.
	of := make(map[graphs.Event]int)
	for i, g := range h.path() {
		of[c.Event(g.process, g.nth)] = i
	}
	var steps []int
	for _, e := range r.Evidence.Run {
		if i, ok := of[e]; ok {
			steps = append(steps, i)
		}
	}
	return steps, nil
}

// check decides a formula about holes.
func check(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts rctl.Options) (*rctl.Result, error) {
	s := known.OfHoles(c)
	g, err := syntax.Resolve(ctx, f, s)
	if err != nil {
		return nil, err
	}
	return rctl.Check(ctx, s.Computation(), g, opts)
}

// path lists the histories from the one with one event to h.
func (h *past) path() []*past {
	all := make([]*past, h.length)
	for ; h.from != nil; h = h.from {
		all[h.length-1] = h
	}
	return all
}

// before returns the history with only the first events of h.
func (h *past) before(length int) *past {
	for h.length > length {
		h = h.from
	}
	return h
}

// touched names the processes of a history: as the body does, or by a number where it does not.
func (x *histories) touched(h *past) []string {
	names := make([]string, len(h.named))
	for i, named := range h.named {
		names[i] = fmt.Sprintf("\xff process %d", i)
		if named >= 0 {
			names[i] = x.template.Named[named]
		}
	}
	return names
}

// computation makes the computation of a history. An open one has an event still to come of each process,
// and of one that joins.
func (x *histories) computation(h *past, open bool, others int) (*graphs.Computation, error) {
	var b graphs.Builder
	for _, name := range x.touched(h) {
		b.NewProcess(name)
	}
	for _, name := range x.template.Named {
		b.Process(name)
	}
	for i := range others {
		b.NewProcess(fmt.Sprintf("\xff other %d", i))
	}

	path := h.path()
	events := make([][]graphs.Handle, len(h.named))
	for _, g := range path {
		e := b.Event(g.process)
		events[g.process] = append(events[g.process], e)
		for n := range x.template.Holes() {
			if g.holes&(1<<n) != 0 {
				b.Set(b.Variable(g.process, syntax.HoleName(n)), e, graphs.Boolean(true))
			}
		}
	}
	// The edges come second, as the events of a sync know each other.
	for _, g := range path {
		for p, k := range g.knows {
			if k > 0 && (p != g.process || int(k) > g.nth) {
				b.Edge(events[p][k-1], events[g.process][g.nth-1])
			}
		}
	}
	if open {
		b.NewProcess("\xff joins")
		for p := range b.Processes() {
			still := syntax.HoleName(x.template.Holes())
			b.Set(b.Variable(p, still), b.Event(p), graphs.Boolean(true))
		}
	}
	return b.Build()
}
