package certificate

import (
	"encoding/binary"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// Bounds of what the checker looks at by itself.
const (
	mostLooks = 1 << 20 // formulas at cuts
	deepest   = 1 << 16 // cuts on the way to one
)

// A looker evaluates formulas at cuts, from cut to cut by visible events: all where EX or AX
// occurs, else those that can change an atom.
type looker struct {
	*Checker
	p       *Proof
	visible [][]int32       // by process
	known   map[string]bool // of formulas at cuts
	depth   int
}

// look is rule 6.
func (k *Checker) look(n *Node, c graphs.Cut, p *Proof) {
	l := &looker{Checker: k, p: p, visible: make([][]int32, len(c)), known: make(map[string]bool)}
	every, seen, nodes := false, make([]bool, k.comp.Top()), make(map[*Node]bool)
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
				seen[e] = true
			}
		}
	}
	for q := range c {
		for i := c[q] + 1; i <= k.final[q]; i++ {
			if every || seen[k.comp.Event(q, int(i))] {
				l.visible[q] = append(l.visible[q], i)
			}
		}
	}
	k.require(l.holds(n, c), n, p, "it fails at %v", c)
	k.say("%s holds at %v: evaluated there, and at later cuts where it matters.", n, c)
}

// holds evaluates n at a cut.
func (l *looker) holds(n *Node, c graphs.Cut) bool {
	if n.truth != nil {
		return n.truth(c)
	}
	key := binary.AppendUvarint(nil, uint64(n.ID))
	for p, v := range l.visible {
		if len(v) > 0 {
			key = binary.AppendUvarint(key, uint64(passed(v, c[p])))
		}
	}
	is, ok := l.known[string(key)]
	if ok {
		return is
	}
	l.require(len(l.known) < mostLooks && l.depth < deepest, n, l.p, "there is more to look at than the checker does")
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
		for p := range l.visible {
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

// passed returns how many of some positions are not beyond k.
func passed(positions []int32, k int32) int {
	return sort.Search(len(positions), func(i int) bool { return positions[i] > k })
}

// step returns the cut with the next visible event of a process and all that it needs, nil
// if there is none or other visible events have to happen before.
func (l *looker) step(c graphs.Cut, p int) graphs.Cut {
	i, d := passed(l.visible[p], c[p]), c.Clone()
	if i == len(l.visible[p]) {
		return nil
	}
	e := l.comp.Event(p, int(l.visible[p][i]))
	l.advance(d, e, l.final)
	for q, v := range l.visible {
		for _, k := range v[passed(v, c[q]):passed(v, d[q])] {
			if !l.comp.SameStep(e, l.comp.Event(q, int(k))) {
				return nil
			}
		}
	}
	return d
}
