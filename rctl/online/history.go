package online

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	known "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A history is the sequence of events visible to a binding, in the order of their arrival, each with the number of
// events of each process that it knows. Bindings with equal histories share decisions. Processes are numbered by their
// first event, so their names do not matter.
//
// Example: r1 has the event api:1 and then db:1; r2 has web:4 and then db:9. The two histories are
// the same: an event of process 0, and one of process 1 that knows it.

// histories decides the bindings of a template by their histories.
type histories struct {
	template *syntax.Template
	body     *syntax.Formula
	decided  map[string]*decision
	key      []byte
}

// A decision caches the verdicts on a history.
type decision struct {
	settled bool
	final   rctl.Verdict
	// the result at the end of an execution with others more processes; nil if it is not known
	end    *rctl.Result
	others int
}

// maxHistories bounds the decisions that are kept. When it is reached, all are dropped.
const maxHistories = 1 << 16

// of returns the decision on a history.
func (x *histories) of(seen []visible) *decision {
	key := x.key[:0]
	for i := range seen {
		s := &seen[i]
		key = binary.AppendUvarint(key, uint64(s.local))
		key = binary.AppendVarint(key, int64(s.named))
		key = binary.AppendUvarint(key, s.holes)
		key = binary.AppendUvarint(key, uint64(len(s.knows)))
		for _, k := range s.knows {
			key = binary.AppendUvarint(key, uint64(k))
		}
	}
	x.key = key
	d := x.decided[string(key)]
	if d == nil {
		if len(x.decided) >= maxHistories {
			clear(x.decided)
		}
		d = new(decision)
		x.decided[string(key)] = d
	}
	return d
}

// settle returns the verdict that is final after a history, or Unknown. Like the methods below, it ends the
// decision by must if there is an error.
func (x *histories) settle(seen []visible) rctl.Verdict {
	d := x.of(seen)
	if d.settled {
		return d.final
	}
	c := x.computation(seen, true, 0)
	// A hole in addition to those of the template marks the events still to come.
	hole := syntax.HoleName(x.template.Holes())
	still := syntax.AsAtom(&syntax.Expr{Op: syntax.ExprField, Text: hole})
	for _, v := range []rctl.Verdict{rctl.Fails, rctl.Holds} {
		f := x.body
		if v == rctl.Fails {
			f = syntax.Not(f)
		}
		f = sure(syntax.NNF(f), still, x.touched(seen))
		if check(context.Background(), c, f, rctl.Options{}).Verdict == rctl.Holds {
			d.final = v
			break
		}
	}
	d.settled = true
	return d.final
}

// last returns the verdict after a history at the end of an execution that has some other processes.
func (x *histories) last(ctx context.Context, seen []visible, others int) *rctl.Result {
	d := x.of(seen)
	if d.end == nil || d.others != others {
		d.end = check(ctx, x.computation(seen, false, others), x.body, rctl.Options{})
		d.others = others
	}
	return d.end
}

// run returns the events of a run that shows the verdict after a history, as indices in seen; nil if there is none.
func (x *histories) run(seen []visible, others int) (steps []int) {
	c := x.computation(seen, false, others)
	r := check(context.Background(), c, x.body, rctl.Options{Evidence: true})
	if r.Evidence == nil {
		return nil
	}
	// The run also has events of processes that the binding does not touch.
	of := make(map[graphs.Event]int)
	for i, s := range seen {
		of[c.Event(int(s.local), int(s.nth))] = i
	}
	for _, e := range r.Evidence.Run {
		if i, ok := of[e]; ok {
			steps = append(steps, i)
		}
	}
	return steps
}

// check decides a formula about holes.
func check(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts rctl.Options) *rctl.Result {
	s := known.OfHoles(c)
	// Resolving f adds the variables that it mentions to the computation.
	g := must(syntax.Resolve(ctx, f, s))
	return must(rctl.Check(ctx, s.Computation(), g, opts))
}

// touched names the processes of a history: by the name in the body, or by a number if the body does not name them.
func (x *histories) touched(seen []visible) (names []string) {
	for i := range seen {
		switch s := &seen[i]; {
		case s.nth > 1:
		case s.named >= 0:
			names = append(names, x.template.Named[s.named])
		default:
			names = append(names, fmt.Sprintf("\xff process %d", s.local))
		}
	}
	return names
}

// computation makes the computation of a history. If it is open, it also has an event still to come of each process,
// and of one that joins.
func (x *histories) computation(seen []visible, open bool, others int) *graphs.Computation {
	var b graphs.Builder
	for _, name := range x.touched(seen) {
		b.NewProcess(name)
	}
	for _, name := range x.template.Named {
		b.Process(name)
	}
	for i := range others {
		b.NewProcess(fmt.Sprintf("\xff other %d", i))
	}

	events := make([][]graphs.Handle, len(b.Processes()))
	for _, s := range seen {
		e, p := b.Event(int(s.local)), s.local
		events[p] = append(events[p], e)
		for n := range x.template.Holes() {
			if s.holes&(1<<n) != 0 {
				b.Set(b.Variable(int(p), syntax.HoleName(n)), e, graphs.Boolean(true))
			}
		}
	}
	// The edges are added after all events, because the events of a sync know each other.
	for _, s := range seen {
		for p, k := range s.knows {
			if k > 0 && (p != int(s.local) || k > s.nth) {
				b.Edge(events[p][k-1], events[s.local][s.nth-1])
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
	return must(b.Build())
}
