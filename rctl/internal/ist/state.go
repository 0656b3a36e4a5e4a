package rctl

import (
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/rctl/syntax"
)

// treeAtom is an atom or its negation.
type treeAtom struct {
	expr    *syntax.Expr
	negated bool
}

// state returns a set that has those cuts that satisfy f, which has no temporal
// operators, and of the tuples that are no cuts any: to restrict it to cuts before
// it is put together would make it as large as the set of all cuts.
func (t *trees) state(f *syntax.Formula) (ist.Set, error) {
	atom := treeAtom{f.Expr, false}
	if f.Op == syntax.OpNot {
		atom = treeAtom{f.Sub[0].Expr, true}
	}
	if atom.expr != nil {
		if a, ok := t.atoms[atom]; ok {
			return a, nil
		}
	}
	a, err := t.makeState(f)
	if err == nil && atom.expr != nil {
		t.atoms[atom] = a
	}
	return a, err
}

func (t *trees) makeState(f *syntax.Formula) (ist.Set, error) {
	owner, _, chain := syntax.ChainOf(f)
	if !chain && (f.Op == syntax.OpAnd || f.Op == syntax.OpOr) {
		return t.states(f.Op, f.Sub)
	}
	if chain && owner >= 0 {
		return t.local(f, owner)
	}
	return t.relation(f)
}

// states joins what several formulas without temporal operators stand for.
func (t *trees) states(op syntax.Op, fs []*syntax.Formula) (ist.Set, error) {
	sets := make([]ist.Set, len(fs))
	for i, f := range fs {
		a, err := t.state(f)
		if err != nil {
			return ist.Empty, err
		}
		sets[i] = a
	}
	if op == syntax.OpAnd {
		return t.store.IntersectionOf(sets), nil
	}
	return t.store.UnionOf(sets), nil
}

// local returns the tuples that satisfy a formula over the variables of process p.
func (t *trees) local(f *syntax.Formula, p int) (ist.Set, error) {
	test, err := newStateTest(t.comp, f)
	if err != nil {
		return ist.Empty, err
	}
	v := t.space.variable[p]
	if v < 0 {
		if test.at(t.comp.Initial()) {
			return t.store.Full(), nil
		}
		return ist.Empty, nil
	}
	var ranges []ist.Range
	for x := int32(0); x <= t.space.tops[v]; x++ {
		switch n := len(ranges); {
		case !test.table[t.comp.Initial()[p]+x]:
		case n > 0 && ranges[n-1].Hi == x-1:
			ranges[n-1].Hi = x
		default:
			ranges = append(ranges, ist.Range{Lo: x, Hi: x})
		}
	}
	return t.store.Where(v, ranges), nil
}

// relation returns a set that has those cuts that satisfy a formula over several
// processes.
func (t *trees) relation(f *syntax.Formula) (ist.Set, error) {
	r, err := newTreeRelation(t.space, f)
	if err != nil {
		return ist.Empty, err
	}
	if len(r.vars) == 0 {
		if r.certainly() {
			return t.store.Full(), nil
		}
		return ist.Empty, nil
	}
	bounds := t.space.bounds
	if r.few {
		bounds = ist.NewBounds(len(t.space.process))
	}
	return t.store.Select(bounds, r.vars, r), t.store.Err()
}
