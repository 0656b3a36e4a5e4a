package certificate

import (
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Node is a formula as the rules see it: ! is nowhere but in atoms, EF q is E[true U q],
// EG p is E[false R p], E[p W q] is E[q R p || q], and likewise for A.
type Node struct {
	ID  int       // even, and the next number is the negation's
	Op  syntax.Op // OpAtom, OpAnd, OpOr, OpEX, OpAX, OpEU, OpAU, OpER or OpAR
	Sub []*Node
	Not *Node

	// Of [p U q], p || q and q; of [q R p], p and q && p: what holds along a run that
	// shows the formula, and what at its end, unless for R the run is a whole one.
	Along, Goal *Node

	Truth func(graphs.Cut) bool // nil if there is a temporal operator

	expr  *syntax.Expr // of OpAtom: it or its negation
	reads []*source    // what can change the truth
	one   bool         // no more than one chain can change it

	// Where steady, the events of some chains that an atom reads never make it false where
	// it was true, they help, and those of the others never make it true.
	steady bool
	helps  []chain
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
	case syntax.OpTrue, syntax.OpFalse:
		n = k.constant(f.Op == syntax.OpTrue)
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
		n = k.node(f.Op-syntax.OpEF+syntax.OpEU, k.constant(true), sub[0])
	case syntax.OpEG, syntax.OpAG:
		n = k.node(f.Op-syntax.OpEG+syntax.OpER, k.constant(false), sub[0])
	case syntax.OpEW, syntax.OpAW:
		n = k.node(f.Op-syntax.OpEW+syntax.OpER, sub[1], k.node(syntax.OpOr, sub[0], sub[1]))
	default:
		n = k.node(f.Op, sub...)
	}
	k.done[f] = n
	return n
}

var opposite = map[syntax.Op]syntax.Op{
	syntax.OpAtom: syntax.OpAtom, syntax.OpAnd: syntax.OpOr, syntax.OpOr: syntax.OpAnd, syntax.OpEX: syntax.OpAX, syntax.OpAX: syntax.OpEX,
	syntax.OpEU: syntax.OpAR, syntax.OpAR: syntax.OpEU, syntax.OpAU: syntax.OpER, syntax.OpER: syntax.OpAU,
}

// node makes a node and its negation.
func (k *Checker) node(op syntax.Op, sub ...*Node) *Node {
	n := &Node{ID: k.nodes, Op: op, Sub: sub}
	m := &Node{ID: k.nodes + 1, Op: opposite[op], Not: n}
	n.Not, k.nodes = m, k.nodes+2
	for _, s := range sub {
		m.Sub = append(m.Sub, s.Not)
	}
	for _, n := range []*Node{n, m} {
		switch n.Op {
		case syntax.OpAnd, syntax.OpOr:
			k.join(n)
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
func (k *Checker) join(n *Node) {
	all := n.Op == syntax.OpAnd
	n.one = true
	for _, s := range n.Sub {
		if s.Truth == nil {
			n.one, n.reads = false, nil
			return
		}
		n.reads = append(n.reads, s.reads...)
		n.one = n.one && s.one && (len(s.reads) == 0 || n.reads[0].chain == s.reads[0].chain)
	}
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
	one := true
	for _, s := range reads {
		one = one && s.chain == reads[0].chain
	}
	for _, n := range []*Node{n, n.Not} {
		n.expr, n.reads, n.one = e, reads, one
	}
	return n
}

func (k *Checker) constant(is bool) *Node {
	if k.falsehood == nil {
		k.falsehood = k.leaf(&syntax.Expr{Op: syntax.ExprBool}, nil, func(graphs.Cut) bool { return false })
	}
	if is {
		return k.falsehood.Not
	}
	return k.falsehood
}

// Literal returns the atom that n is, and whether n is it or its negation.
func (n *Node) Literal() (e *syntax.Expr, is bool) { return n.expr, n.ID%2 == 0 }

// String returns the formula, without what makes it long.
func (n *Node) String() string { return n.text(5) }

func (n *Node) text(depth int) string {
	switch e, is := n.Literal(); {
	case n.Op == syntax.OpAtom && is:
		return e.String()
	case n.Op == syntax.OpAtom:
		return "!(" + e.String() + ")"
	case depth == 0 || len(n.Sub) > 8:
		return "…"
	}
	name, parts := n.Op.String(), make([]string, len(n.Sub))
	for i, s := range n.Sub {
		parts[i] = s.text(depth - 1)
	}
	switch {
	case n.Op.IsTemporal() && n.Along == n.Sub[0]: // of [true U q]
		return name[:1] + "F " + parts[1]
	case n.Op.IsTemporal() && n.Goal == n.Sub[0]: // of [false R p]
		return name[:1] + "G " + parts[1]
	case n.Op.IsTemporal() && len(parts) == 2:
		return name[:2] + strings.Join(parts, name[2:5]) + "]"
	}
	return "(" + strings.Join(parts, " "+name+" ") + ")"
}

// process returns the process that alone decides n. It is not ok if there is none.
func (n *Node) process() (p int, ok bool) {
	if n.Truth == nil || !n.one || len(n.reads) == 0 || n.reads[0].chain.variable != nil {
		return 0, false
	}
	return n.reads[0].chain.process, true
}
