package syntax

import "slices"

// dual maps each operator to its dual: the negation of a formula has the dual operator
// and negated operands. The weak untils have no dual of this kind.
var dual = [...]Op{
	OpTrue: OpFalse, OpFalse: OpTrue,
	OpAnd: OpOr, OpOr: OpAnd,
	OpEX: OpAX, OpAX: OpEX,
	OpEF: OpAG, OpAG: OpEF,
	OpAF: OpEG, OpEG: OpAF,
	OpEU: OpAR, OpAR: OpEU,
	OpAU: OpER, OpER: OpAU,
	OpForall: OpExists, OpExists: OpForall,
}

// NNF returns the negation normal form of f: no -> and no <->, and ! only directly above
// atoms. Atoms are unchanged. It uses the dualities
//
//	!EX f = AX !f        !E[f U g] = A[!f R !g]
//	!EF f = AG !f        !A[f U g] = E[!f R !g]
//	!EG f = AF !f        !E[f W g] = A[!g U (!f && !g)]
//	                     !A[f W g] = E[!g U (!f && !g)]
//
// which also hold at the final cut. The result shares subformulas, because <-> uses
// both operands twice; it has O(|f|) nodes. The time complexity of NNF is O(|f|).
func NNF(f *Formula) *Formula {
	g := NewNormalizer().NNF(f, false)
	if g.src == nil && f.src != nil {
		root := *g
		root.src = f.src
		return &root
	}
	return g
}

// A Normalizer computes the normal forms of several formulas. It normalizes shared
// subformulas once.
type Normalizer struct {
	done map[polar]*Formula
	// the source formula of each formula in normal form
	origin map[*Formula]*Formula
	tidied map[*Formula]*Formula
}

// A polar is a formula or its negation.
type polar struct {
	f       *Formula
	negated bool
}

// NewNormalizer returns a normalizer that has seen no formula.
func NewNormalizer() *Normalizer {
	return &Normalizer{
		done:   make(map[polar]*Formula),
		origin: make(map[*Formula]*Formula),
		tidied: make(map[*Formula]*Formula),
	}
}

// NNF returns the negation normal form of f, or of its negation. The time complexity of
// NNF is O(new), the number of subformulas that the normalizer has not seen yet.
func (n *Normalizer) NNF(f *Formula, negated bool) *Formula {
	if f.Op == OpAtom {
		return n.make(f, negated)
	}
	key := polar{f, negated}
	g, ok := n.done[key]
	if !ok {
		g = n.make(f, negated)
		n.done[key] = g
		if n.origin[g] == nil {
			n.origin[g] = f
		}
	}

	return g
}

// make applies one step of the dualities. It returns formulas in normal form unchanged, so
// that the result shares as much as possible with f.
func (n *Normalizer) make(f *Formula, negated bool) *Formula {
	node := func(op Op, sub ...*Formula) *Formula { return New(op, f.Pos, sub...) }
	switch f.Op {
	case OpAtom:
		if negated {
			return node(OpNot, f)
		}
		return f
	case OpNot:
		return n.NNF(f.Sub[0], !negated)
	case OpImplies:
		op := OpOr
		if negated {
			op = OpAnd
		}
		return node(op, n.NNF(f.Sub[0], !negated), n.NNF(f.Sub[1], negated))
	case OpIff:
		p, q := n.NNF(f.Sub[0], false), n.NNF(f.Sub[1], negated)
		notP, notQ := n.NNF(f.Sub[0], true), n.NNF(f.Sub[1], !negated)
		both, neither := node(OpAnd, p, q), node(OpAnd, notP, notQ)
		n.origin[both], n.origin[neither] = f, f
		return node(OpOr, both, neither)
	case OpEW, OpAW:
		if negated {
			op := OpAU
			if f.Op == OpAW {
				op = OpEU
			}
			notP, notQ := n.NNF(f.Sub[0], true), n.NNF(f.Sub[1], true)
			neither := node(OpAnd, notP, notQ)
			n.origin[neither] = f
			return node(op, notQ, neither)
		}
	}

	op := f.Op
	if negated {
		op = dual[f.Op]
	}
	return replaced(f, op, func(sub *Formula) *Formula { return n.NNF(sub, negated) })
}

// replaced returns f with the operator op and the operands that become returns. It returns f
// itself if nothing changes.
func replaced(f *Formula, op Op, become func(*Formula) *Formula) *Formula {
	sub := Mapped(f.Sub, become)
	if op == f.Op && slices.Equal(sub, f.Sub) {
		return f
	}
	g := New(op, f.Pos, sub...)
	g.Quant = f.Quant
	return g
}

// Not returns the negation of f, and removes a double negation.
func Not(f *Formula) *Formula {
	switch f.Op {
	case OpTrue, OpFalse:
		return &Formula{Op: dual[f.Op], Pos: f.Pos}
	case OpNot:
		return f.Sub[0]
	}
	return New(OpNot, f.Pos, f)
}

// And returns the conjunction of formulas. It omits operands that are true, is false if one
// of them is, and flattens conjunctions.
func And(fs ...*Formula) *Formula { return join(OpAnd, OpTrue, OpFalse, fs) }

// Or returns the disjunction of formulas. It omits operands that are false, is true if one
// of them is, and flattens disjunctions.
func Or(fs ...*Formula) *Formula { return join(OpOr, OpFalse, OpTrue, fs) }

// join implements And and Or: it drops operands that are unit, and returns the first that is zero.
func join(op, unit, zero Op, fs []*Formula) *Formula {
	var sub []*Formula
	for _, f := range fs {
		if f.Op == op { // operands of a formula built by hand may include constants
			f = join(op, unit, zero, f.Sub)
		}
		switch f.Op {
		case unit:
		case zero:
			return f
		case op:
			sub = append(sub, f.Sub...)
		default:
			sub = append(sub, f)
		}
	}

	switch len(sub) {
	case 0:
		return &Formula{Op: unit}
	case 1:
		return sub[0]
	}
	return New(op, sub[0].Pos, sub...)
}

// Tidy replaces negated comparisons in f by comparisons with the opposite operator, for people.
func Tidy(f *Formula) *Formula { return NewNormalizer().Tidy(f) }

// Tidy is the function Tidy, in O(new). It returns a formula without negated comparisons
// unchanged.
func (n *Normalizer) Tidy(f *Formula) *Formula {
	if len(f.Sub) == 0 {
		return f
	}
	if g, ok := n.tidied[f]; ok {
		return g
	}

	g := replaced(f, f.Op, n.Tidy)
	if g != f {
		g.src = f.src
	}
	if f.Op == OpNot && f.Sub[0].Op == OpAtom {
		if e, ok := Invert(f.Sub[0].Expr); ok {
			g = &Formula{Op: OpAtom, Expr: e, Pos: f.Pos}
		}
	}
	n.tidied[f] = g
	return g
}
