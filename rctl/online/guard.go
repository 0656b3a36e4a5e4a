package online

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// guarded returns Holds if f holds on the open prefix with open atoms false, and Fails if its negation does.
func guarded(f *syntax.Formula, at *moment) rctl.Verdict {
	w, sess := at.get(&at.open, true)
	for _, v := range [...]rctl.Verdict{rctl.Holds, rctl.Fails} {
		positive := f
		if v == rctl.Fails {
			positive = syntax.NNF(syntax.Not(f))
		}
		g := guard{w: w, done: make(map[*syntax.Formula]*syntax.Formula)}
		if must(sess.Decide(at.ctx, g.of(positive), rctl.Options{})).Verdict == rctl.Holds {
			return v
		}
	}
	return rctl.Unknown
}

// A guard makes the literals of a formula false at cuts where they are open.
type guard struct {
	w    *stream.Window
	done map[*syntax.Formula]*syntax.Formula
}

// of returns the formula with guarded literals. It shares the results for equal pointers.
func (g *guard) of(f *syntax.Formula) *syntax.Formula {
	if h, ok := g.done[f]; ok {
		return h
	}
	var h *syntax.Formula
	switch f.Op {
	case syntax.OpTrue, syntax.OpFalse:
		return f
	case syntax.OpAtom, syntax.OpNot:
		h = g.literal(f)
	default:
		h = &syntax.Formula{Op: f.Op, Pos: f.Pos}
		for _, sub := range f.Sub {
			h.Sub = append(h.Sub, g.of(sub))
		}
	}

	g.done[f] = h
	return h
}

// literal adds to a literal the condition that none of its values is open: no process that
// owns one of its variables, or is an end of one of its channels, has executed an event
// still to come; for a shared variable, no process has after the last assignment.
func (g *guard) literal(f *syntax.Formula) *syntax.Formula {
	parts := []*syntax.Formula{f}
	noted := make(map[stream.Owned]bool)
	note := func(process int, shared string) {
		if key := (stream.Owned{Process: process, Name: shared}); !noted[key] {
			noted[key] = true
			parts = append(parts, g.settled(process, shared))
		}
	}

	syntax.WalkExprs(f, func(e *syntax.Expr) {
		switch {
		case e.Op == syntax.ExprTransit:
			note(e.FromID, "")
			note(e.ToID, "")
		case e.Op == syntax.ExprVar && e.Owner == syntax.Shared:
			note(graphs.Shared, e.Text)
		case e.Op == syntax.ExprVar:
			note(e.Owner, "")
		}
	})
	return syntax.And(parts...)
}

// settled says that a process has executed no event still to come, or that no event still to
// come has assigned a shared variable.
func (g *guard) settled(process int, shared string) *syntax.Formula {
	c := g.w.Computation
	var none []*syntax.Formula
	for p := range c.NumProcesses() {
		if (process == p || process == graphs.Shared) && c.Variable(p, stream.Future) != nil {
			none = append(none, g.not(p, stream.Future))
		}
	}

	all := syntax.And(none...)
	if process != graphs.Shared {
		return all
	}
	name, p, ok := g.w.Settled(shared)
	if !ok {
		return all
	}
	return syntax.Or(g.not(p, name), all)
}

// not says that a Boolean variable of a process is false.
func (g *guard) not(process int, name string) *syntax.Formula {
	owner := syntax.Name{Text: g.w.Computation.Processes()[process]}
	return syntax.Not(syntax.AsAtom(&syntax.Expr{Op: syntax.ExprVar, Text: name, Process: owner, Owner: process, Type: syntax.BoolType}))
}
