package certificate

import (
	"encoding/binary"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// Bounds of what the checker looks at by itself.
const (
	mostBytes = 1 << 28 // to remember formulas at cuts
	deepest   = 1 << 16 // cuts on the way to one
)

// A looker evaluates formulas at cuts. It goes by visible events: all where EX or AX occurs,
// else those that can change an atom.
type looker struct {
	*Checker
	p            *Proof
	after        []graphs.Event  // of an event, the next visible one of its process or itself, ⊤ for none
	known        map[string]bool // of formulas at cuts
	bytes, depth int
}

// look is rule 6.
func (k *Checker) look(n *Node, c graphs.Cut, p *Proof) {
	l := &looker{Checker: k, p: p, after: make([]graphs.Event, k.comp.Top()), known: make(map[string]bool)}
	every, visible, nodes := false, make([]bool, k.comp.Top()), make(map[*Node]bool)
	for todo := []*Node{n}; len(todo) > 0; {
		n := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; nodes[n] {
			continue
		}
		nodes[n] = true
		todo = append(todo, n.Sub...)
		every = every || n.Op == syntax.OpEX || n.Op == syntax.OpAX
		for _, s := range n.reads {
			for _, e := range s.events {
				visible[e] = true
			}
		}
	}
	for q := range c {
		next := k.comp.Top()
		for i := k.final[q]; i > c[q]; i-- {
			e := k.comp.Event(q, int(i))
			if every || visible[e] {
				next = e
			}
			l.after[e] = next
		}
	}
	k.require(l.holds(n, c), n, p, "it fails at %v", c)
	k.say("%s holds at %v: evaluated there, and at later cuts where it matters.", n, c)
}

// holds evaluates n at a cut.
func (l *looker) holds(n *Node, c graphs.Cut) bool {
	if n.Truth != nil {
		return n.Truth(c)
	}
	key := binary.AppendUvarint(nil, uint64(n.ID))
	for _, i := range c {
		key = binary.AppendUvarint(key, uint64(i))
	}
	is, ok := l.known[string(key)]
	if ok {
		return is
	}
	l.bytes += len(key) + 64
	l.require(l.bytes < mostBytes && l.depth < deepest, n, l.p, "there is more to look at than the checker does")
	l.work()
	l.depth++
	is = l.evaluate(n, c)
	l.depth--
	l.known[string(key)] = is
	return is
}

func (l *looker) evaluate(n *Node, c graphs.Cut) bool {
	sub := func(i int) bool { return l.holds(n.Sub[i], c) }
	last := true
	next := func(want bool, n *Node) bool { // at some next cut n is as wanted
		for p := range c {
			if d := l.step(c, p); d != nil {
				if last = false; l.holds(n, d) == want {
					return true
				}
			}
		}
		return false
	}
	switch n.Op {
	case syntax.OpAnd, syntax.OpOr:
		for i := range n.Sub {
			if sub(i) == (n.Op == syntax.OpOr) {
				return n.Op == syntax.OpOr
			}
		}
		return n.Op == syntax.OpAnd
	case syntax.OpEX:
		return next(true, n.Sub[0])
	case syntax.OpAX:
		return !next(false, n.Sub[0])
	case syntax.OpEU:
		return sub(1) || sub(0) && next(true, n)
	case syntax.OpAU:
		return sub(1) || sub(0) && !next(false, n) && !last
	case syntax.OpER:
		return sub(1) && (sub(0) || next(true, n) || last)
	}
	return sub(1) && (sub(0) || !next(false, n)) // of A[p R q]
}

// next returns the first visible event of a process after a cut, ⊤ if there is none.
func (l *looker) next(c graphs.Cut, p int) graphs.Event {
	if c[p] == l.final[p] {
		return l.comp.Top()
	}
	return l.after[l.comp.Event(p, int(c[p])+1)]
}

// step returns the cut with the next visible event of a process and all that it needs, nil
// if there is none or other visible events have to happen before.
func (l *looker) step(c graphs.Cut, p int) graphs.Cut {
	e, d := l.next(c, p), c.Clone()
	if e == l.comp.Top() {
		return nil
	}
	l.advance(d, e, l.final)
	c = c.Clone()
	for q := range c {
		for f := l.next(c, q); f != l.comp.Top() && l.has(d, f); f = l.next(c, q) {
			if !l.comp.SameStep(e, f) {
				return nil
			}
			c[q] = int32(l.comp.Position(f))
		}
	}
	return d
}
