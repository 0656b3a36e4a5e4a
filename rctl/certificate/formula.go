package certificate

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Node is a formula as the rules see it: ! is nowhere but in atoms, EF q is E[true U q],
// EG p is E[false R p], E[p W q] is E[q R p || q], and likewise for A.
type Node struct {
	ID      int       // even, and the next number is the negation's
	Op      syntax.Op // OpAtom, OpAnd, OpOr, OpEX, OpAX, OpEU, OpAU, OpER or OpAR
	Sub     []*Node
	Not     *Node
	Formula *syntax.Formula // what it says
	Expr    *syntax.Expr    // of OpAtom: it, or its negation if the ID is odd

	// Of [p U q], p || q and q; of [q R p], p and q && p: what holds along a run that
	// shows the formula, and what at its end, unless for R the run is a whole one.
	Along, Goal *Node

	Truth func(graphs.Cut) bool // nil if there is a temporal operator

	reads []*source // what can change the truth
	helps []*source // of an atom, what can make it true
	one   bool      // no more than one chain can change it
	sum   []part    // of a comparison, the left side minus the right one
}

// form makes the node of a resolved formula. IDs depend on the formula and the trace alone.
func (k *Checker) form(f *syntax.Formula) *Node {
	n := k.done[f]
	if n != nil {
		return n
	}
	sub := make([]*Node, len(f.Sub))
	for i := range sub {
		sub[i] = k.form(f.Sub[i])
	}
	switch f.Op {
	case syntax.OpTrue:
		n = k.falsehood.Not
	case syntax.OpFalse:
		n = k.falsehood
	case syntax.OpAtom:
		n = k.atom(f.Expr)
	case syntax.OpNot:
		n = sub[0].Not
	case syntax.OpImplies:
		n = k.node(syntax.OpOr, sub[0].Not, sub[1])
	case syntax.OpIff:
		n = k.node(syntax.OpOr, k.node(syntax.OpAnd, sub[0], sub[1]), k.node(syntax.OpAnd, sub[0].Not, sub[1].Not))
		if n.Truth != nil { // each side once: <-> may be nested
			n.Truth = func(c graphs.Cut) bool { return sub[0].Truth(c) == sub[1].Truth(c) }
			n.Not.Truth = func(c graphs.Cut) bool { return sub[0].Truth(c) != sub[1].Truth(c) }
		}
	case syntax.OpEF, syntax.OpAF:
		n = k.node(f.Op-syntax.OpEF+syntax.OpEU, k.falsehood.Not, sub[0])
	case syntax.OpEG, syntax.OpAG:
		n = k.node(f.Op-syntax.OpEG+syntax.OpER, k.falsehood, sub[0])
	case syntax.OpEW, syntax.OpAW:
		n = k.node(f.Op-syntax.OpEW+syntax.OpER, sub[1], k.node(syntax.OpOr, sub[0], sub[1]))
	default:
		n = k.node(f.Op, sub...)
	}
	if k.done[f] = n; f.Op.IsTemporal() { // as it was written
		n.Formula, n.Not.Formula = f, syntax.Not(f)
	}
	return n
}

var opposite = map[syntax.Op]syntax.Op{
	syntax.OpAtom: syntax.OpAtom, syntax.OpAnd: syntax.OpOr, syntax.OpOr: syntax.OpAnd, syntax.OpEX: syntax.OpAX, syntax.OpAX: syntax.OpEX,
	syntax.OpEU: syntax.OpAR, syntax.OpAR: syntax.OpEU, syntax.OpAU: syntax.OpER, syntax.OpER: syntax.OpAU,
}

// node makes a node and its negation.
func (k *Checker) node(op syntax.Op, sub ...*Node) *Node {
	n := &Node{ID: k.nodes, Op: op, Sub: sub}
	n.Not = &Node{ID: k.nodes + 1, Op: opposite[op], Not: n}
	k.nodes += 2
	for _, s := range sub {
		n.Not.Sub = append(n.Not.Sub, s.Not)
	}
	for _, n := range []*Node{n, n.Not} {
		n.Formula = &syntax.Formula{Op: n.Op}
		for _, s := range n.Sub {
			n.Formula.Sub = append(n.Formula.Sub, s.Formula)
		}
		switch n.Op {
		case syntax.OpAnd, syntax.OpOr:
			n.join()
		case syntax.OpEU, syntax.OpAU:
			if n.Along, n.Goal = n.Sub[0], n.Sub[1]; n.Along != k.falsehood.Not {
				n.Along = k.node(syntax.OpOr, n.Along, n.Goal)
			}
		case syntax.OpER, syntax.OpAR:
			if n.Goal, n.Along = n.Sub[0], n.Sub[1]; n.Goal != k.falsehood {
				n.Goal = k.node(syntax.OpAnd, n.Goal, n.Along)
			}
		}
	}
	return n
}

// join finds the truth of a conjunction or disjunction.
func (n *Node) join() {
	for _, s := range n.Sub {
		if s.Truth == nil {
			n.reads = nil
			return
		}
		n.reads = append(n.reads, s.reads...)
	}
	n.one, n.helps = oneChain(n.reads), n.reads
	all := n.Op == syntax.OpAnd
	n.Truth = func(c graphs.Cut) bool {
		for _, s := range n.Sub {
			if s.Truth(c) != all {
				return !all
			}
		}
		return all
	}
}

// leaf makes the node of an atom and that of its negation.
func (k *Checker) leaf(e *syntax.Expr, reads []*source, truth func(graphs.Cut) bool) *Node {
	n := k.node(syntax.OpAtom)
	n.Truth, n.Not.Truth = truth, func(c graphs.Cut) bool { return !truth(c) }
	n.Formula = syntax.AsAtom(e)
	n.Not.Formula = syntax.Not(n.Formula)
	for _, n := range []*Node{n, n.Not} {
		n.Expr, n.reads, n.helps, n.one = e, reads, reads, oneChain(reads)
	}
	return n
}

// String returns the formula.
func (n *Node) String() string { return n.Formula.Brief(200) }
