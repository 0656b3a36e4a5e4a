package rctltest

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/syntax"
)

// Holds decides f at every cut of l: Holds(l, f)[i] reports whether f holds at l.Cuts[i]. f must
// be resolved and free of quantifiers. The value at a cut follows from the values at the next
// cuts, because a run is a cut followed by a run from a next cut, and ends at a cut without a
// next one:
//
//	E[f U g]  g, or f and some next cut has E[f U g]
//	A[f U g]  g, or f, there is a next cut, and all of them have A[f U g]
//	E[f R g]  g, and f, or there is no next cut, or some has E[f R g]
//	A[f R g]  g, and f, or all next cuts have A[f R g]
//	E[f W g]  g, or f, and there is no next cut or some has E[f W g]
//	A[f W g]  g, or f, and all next cuts have A[f W g]
//
// EF, AF, EG and AG are E[true U f], A[true U f], E[f W false] and A[f W false].
// EX f is false and AX f true at a cut without a next one.
func Holds(l *graphtest.Lattice, f *syntax.Formula) []bool {
	return HoldsBy(l, f, nil)
}

// HoldsBy is Holds with another meaning of atoms: atom decides e at l.Cuts[i].
func HoldsBy(l *graphtest.Lattice, f *syntax.Formula, atom func(e *syntax.Expr, i int) bool) []bool {
	return twin{l, atom, make(map[*syntax.Formula][]bool)}.decide(f)
}

// A twin decides formulas on a lattice by their definition.
type twin struct {
	*graphtest.Lattice
	// decides an atom; nil for the value of the resolved expression
	atom func(e *syntax.Expr, i int) bool
	// the formulas decided so far: whether they hold at each cut
	done map[*syntax.Formula][]bool
}

// decide decides f at all cuts, the last one first, so that the answers at the next cuts are known.
func (l twin) decide(f *syntax.Formula) []bool {
	if holds, ok := l.done[f]; ok {
		return holds
	}
	sub := make([][]bool, len(f.Sub))
	for k, g := range f.Sub {
		sub[k] = l.decide(g)
	}
	holds := make([]bool, len(l.Cuts))
	l.done[f] = holds
	for i := len(l.Cuts) - 1; i >= 0; i-- {
		holds[i] = l.holdsAt(f, i, sub, holds)
	}
	return holds
}

// holdsAt decides f at cut i, given the answers for its operands and for itself at later cuts.
func (l twin) holdsAt(f *syntax.Formula, i int, sub [][]bool, holds []bool) bool {
	some := func(b []bool) bool { return slices.ContainsFunc(l.Steps[i], func(j int) bool { return b[j] }) }
	all := func(b []bool) bool { return !slices.ContainsFunc(l.Steps[i], func(j int) bool { return !b[j] }) }
	// A cut without a next one is the last of its run.
	end := len(l.Steps[i]) == 0
	is := func(k int) bool { return sub[k][i] }
	switch f.Op {
	case syntax.OpTrue:
		return true
	case syntax.OpFalse:
		return false
	case syntax.OpAtom:
		if l.atom != nil {
			return l.atom(f.Expr, i)
		}
		return l.value(f.Expr, i).number.Sign() > 0
	case syntax.OpNot:
		return !is(0)
	case syntax.OpAnd:
		for k := range sub {
			if !is(k) {
				return false
			}
		}
		return true
	case syntax.OpOr:
		for k := range sub {
			if is(k) {
				return true
			}
		}
		return false
	case syntax.OpImplies:
		return !is(0) || is(1)
	case syntax.OpIff:
		return is(0) == is(1)
	case syntax.OpEX:
		return some(sub[0])
	case syntax.OpAX:
		return all(sub[0])
	case syntax.OpEF:
		return is(0) || some(holds)
	case syntax.OpAF:
		return is(0) || !end && all(holds)
	case syntax.OpEG:
		return is(0) && (end || some(holds))
	case syntax.OpAG:
		return is(0) && all(holds)
	case syntax.OpEU:
		return is(1) || is(0) && some(holds)
	case syntax.OpAU:
		return is(1) || is(0) && !end && all(holds)
	case syntax.OpER:
		return is(1) && (is(0) || end || some(holds))
	case syntax.OpAR:
		return is(1) && (is(0) || all(holds))
	case syntax.OpEW:
		return is(1) || is(0) && (end || some(holds))
	case syntax.OpAW:
		return is(1) || is(0) && all(holds)
	}
	panic(fmt.Sprintf("a formula to decide has no %v", f.Op))
}

// A value is the value of an expression: an exact number or a string. 1 stands for true, 0 for
// false.
type value struct {
	number *big.Rat // nil for a string
	text   string
}

func truth(is bool) value {
	if is {
		return value{number: big.NewRat(1, 1)}
	}
	return value{number: new(big.Rat)}
}

// value returns the value of a resolved expression at cut i. Tests that compare it with machine
// arithmetic have to keep integers within 64 bits and floats to small multiples of powers of two.
//
// It evaluates from the leaves up, without any sharing: it is slow and simple.
func (l twin) value(e *syntax.Expr, i int) value {
	arg := func(k int) *big.Rat { return l.value(e.Args[k], i).number }
	x := new(big.Rat)
	switch e.Op {
	case syntax.ExprNumber:
		x.SetInt64(e.Int)
		if e.IsFloat {
			x.SetFloat64(e.Float)
		}
	case syntax.ExprString:
		return value{text: e.Text}
	case syntax.ExprBool:
		return truth(e.Bool)
	case syntax.ExprVar:
		return l.variable(e, i)
	case syntax.ExprNeg:
		x.Neg(arg(0))
	case syntax.ExprAdd:
		x.Add(arg(0), arg(1))
	case syntax.ExprSub:
		x.Sub(arg(0), arg(1))
	case syntax.ExprMul:
		x.Mul(arg(0), arg(1))
	case syntax.ExprTransit:
		x.SetInt64(l.transit(e.FromID, e.ToID, i))
	case syntax.ExprSum:
		for k := range e.Args {
			x.Add(x, arg(k))
		}
	case syntax.ExprMin, syntax.ExprMax:
		x = arg(0)
		for k := range e.Args {
			if y := arg(k); e.Op == syntax.ExprMin && y.Cmp(x) < 0 || e.Op == syntax.ExprMax && y.Cmp(x) > 0 {
				x = y
			}
		}
	case syntax.ExprCount:
		for _, f := range e.Sub {
			x.Add(x, truth(l.decide(f)[i]).number)
		}
	case syntax.ExprCompare:
		for k, rel := range e.Rel {
			// Both are numbers or both are texts; false comes before true.
			a, b := l.value(e.Args[k], i), l.value(e.Args[k+1], i)
			order := strings.Compare(a.text, b.text)
			if a.number != nil {
				order = a.number.Cmp(b.number)
			}
			if !rel.Relates(order) {
				return truth(false)
			}
		}
		return truth(true)
	default:
		panic(fmt.Sprintf("an expression to evaluate has no operator %d", e.Op))
	}
	return value{number: x}
}

// variable replays the assignments of a variable up to cut i.
func (l twin) variable(e *syntax.Expr, i int) value {
	c := l.Computation
	v := c.Variable(e.Owner, e.Text)
	now := v.Init
	// Assignments are in an order that agrees with causality, so the last one within the cut
	// counts.
	for k := range v.Len() {
		if l.Has(i, v.Event(k)) {
			now = v.Value(k)
		}
	}
	switch {
	case now.Kind == graphs.Bool:
		return truth(now.Bool())
	case now.Kind == graphs.String:
		return value{text: now.Text()}
	case now.Float:
		return value{number: new(big.Rat).SetFloat64(now.Float64())}
	}
	return value{number: new(big.Rat).SetInt64(now.Int64())}
}

// transit counts the messages from p to q that have been sent and not received at cut i. A
// multicast counts once for each receiver.
func (l twin) transit(p, q, i int) int64 {
	c := l.Computation
	n := int64(0)
	for _, m := range c.Messages() {
		to := int(m.To)
		// A message that is never received may still name its receiver.
		if m.Recv != graphs.Bottom {
			to = c.Process(m.Recv)
		}
		if c.Process(m.Send) != p || to != q || !l.Has(i, m.Send) {
			continue
		}
		if m.Recv == graphs.Bottom || !l.Has(i, m.Recv) {
			n++
		}
	}
	return n
}
