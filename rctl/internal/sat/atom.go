package sat

import (
	"cmp"
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// An atom is a Boolean expression, as a function of the classes of its columns.
type atom struct {
	expr      *syntax.Expr
	predicate *atoms.Predicate
	columns   []*column // one for each chain that changes what the atom reads
	slots     [][]int   // by column: its slots of the predicate
	env       []graphs.Value
	known     *node // the atom's node, if one chain decides it or it is constant

	// The atom is monotone if it has two columns of numbers, and orders of their values such that it
	// can only become false as the first column goes on, and only become true as the second does.
	monotone bool
	orders   [2]order
}

// An equality of two numbers is split if it has at least manyCases cases. An atom may have at
// most maxCases, and a formula allCases.
const (
	manyCases = 1 << 10
	maxCases  = 1 << 22
	allCases  = 1 << 26
)

// maxOperators bounds the formula that a comparison of a count becomes.
const maxOperators = 1 << 19

// literal makes the node of an atom or its negation. It returns nil if there are too
// many cases, or there is an error.
func (b *builder) literal(e *syntax.Expr, negated bool) *node {
	return once(b.literals, literal{e, negated}, func() *node { return b.makeLiteral(e, negated) })
}

// makeLiteral tries the cheap ways to write an atom first: as states of one chain, as
// inequalities, as a formula of thresholds. Only then are all cases combined.
func (b *builder) makeLiteral(e *syntax.Expr, negated bool) *node {
	a := b.atom(e)
	if a == nil {
		return nil
	}
	if a.known == nil {
		if len(e.Rel) > 1 {
			return b.compose(syntax.Neighbours(e), negated)
		}
		if halves := a.halves(); halves != nil && b.atom(halves[0]).monotone {
			return b.compose(halves, negated != (e.Rel[0] == syntax.NotEqual))
		}
		if a.cases() > manyCases {
			// A comparison of a count can be written by && and ||.
			count := e
			if negated {
				count, _ = syntax.Invert(e)
			}
			if f := syntax.Threshold(count, maxOperators); f != nil {
				return b.node(syntax.NNF(f))
			}
		}
		if n := a.cases(); !a.monotone {
			if b.cases += n; n > maxCases || b.cases > allCases {
				return nil
			}
		}
		a.known = a.constant(b.Ctx)
		switch {
		case b.stopped():
			return nil
		case a.known == nil:
			return &node{kind: related, atom: a, negated: negated}
		}
	}
	switch {
	case !negated:
		return a.known
	case a.known.kind == always:
		return nowhere
	case a.known.kind == never:
		return everywhere
	}
	return b.states(a.known.chain, a.known.set.complement())
}

// compose makes the node of a conjunction of atoms, or of its negation.
func (b *builder) compose(parts []*syntax.Expr, negated bool) *node {
	subs := make([]*node, len(parts))
	for i, part := range parts {
		if subs[i] = b.literal(part, negated); subs[i] == nil {
			return nil
		}
	}
	if negated {
		return b.any(subs)
	}
	return b.all(subs)
}

// halves returns the two inequalities, >= and <=, that together say that two numbers
// are equal. It does so if the atom compares for equality and the columns have so
// many values that inequalities may be cheaper.
func (a *atom) halves() []*syntax.Expr {
	e := a.expr
	if len(a.columns) != 2 || e.Op != syntax.ExprCompare || a.cases() < manyCases {
		return nil
	}
	if e.Rel[0] != syntax.Equal && e.Rel[0] != syntax.NotEqual || !a.columns[0].numbers() ||
		!a.columns[1].numbers() {
		return nil
	}
	atMost, atLeast := new(*e), new(*e)
	atMost.Rel, atLeast.Rel = []syntax.Relop{syntax.LessEqual}, []syntax.Relop{syntax.GreaterEqual}
	return []*syntax.Expr{atMost, atLeast}
}

// atom reads an atom, once. It is nil if there is an error.
func (b *builder) atom(e *syntax.Expr) *atom {
	return once(b.atoms, e, func() *atom { return b.readAtom(e) })
}

// readAtom compiles an atom and groups its slots into columns, one for each chain.
func (b *builder) readAtom(e *syntax.Expr) *atom {
	p, err := atoms.Compile(b.Comp, syntax.AsAtom(e))
	if err != nil {
		b.err = err
		return nil
	}
	a := &atom{expr: e, predicate: p, env: p.Env()}
	// Slots that stay the same between the initial and the final cut are constants; the
	// others are grouped by chain.
	byChain := make(map[atoms.Chain]int)
	for i := range p.Slots {
		read := func() *column { return newColumn(b.Comp, p.Slots[i:i+1]) }
		var k *column
		if v := p.Slots[i].Variable; v != nil {
			k = once(b.columns, v, read)
		} else {
			k = read()
		}
		if len(k.tuples) == 1 {
			a.env[i] = k.tuples[0][0]
			continue
		}
		g, ok := byChain[k.chain]
		if !ok {
			g = len(a.columns)
			byChain[k.chain] = g
			a.columns, a.slots = append(a.columns, k), append(a.slots, nil)
		}
		a.slots[g] = append(a.slots[g], i)
	}
	// Two variables of one process change together, and so they make one column.
	for g, list := range a.slots {
		if len(list) > 1 {
			several := make([]atoms.Slot, len(list))
			for j, i := range list {
				several[j] = p.Slots[i]
			}
			a.columns[g] = newColumn(b.Comp, several)
		}
	}
	switch len(a.columns) {
	case 0:
		a.known = nowhere
		if a.holds() {
			a.known = everywhere
		}
	case 1:
		k := a.columns[0]
		a.known = b.states(k.chain, k.where(func(class int32) bool {
			a.setClass(0, class)
			return a.holds()
		}))
	}
	a.findOrders(b.Comp)
	return a
}

// setClass sets the values of column i to those of a class.
func (a *atom) setClass(i int, class int32) {
	for j, slot := range a.slots[i] {
		a.env[slot] = a.columns[i].tuples[class][j]
	}
}

// holds evaluates the atom for the classes that were set last.
func (a *atom) holds() bool { return a.predicate.Of(a.env) }

// cases returns in how many ways the classes can be combined.
func (a *atom) cases() float64 {
	n := 1.0
	for _, k := range a.columns {
		n *= float64(len(k.tuples))
	}
	return n
}

// byCases orders the indices of the columns by how many classes they have.
func (a *atom) byCases() []int {
	list := make([]int, len(a.columns))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(len(a.columns[i].tuples), len(a.columns[j].tuples)) })
	return list
}

// constant returns the node of an atom that has the same truth in all cases, or nil. In a formula with
// an instance for each pair of processes, such atoms would otherwise be most of the clauses. The result
// means nothing once ctx is done.
func (a *atom) constant(ctx context.Context) *node {
	var seen [2]bool // whether the atom is false in some case, and whether it is true in some
	look := func() {
		if a.holds() {
			seen[1] = true
		} else {
			seen[0] = true
		}
	}
	var combine func(columns []int)
	combine = func(columns []int) {
		if len(columns) == 0 {
			look()
			return
		}
		for class := range int32(len(a.columns[columns[0]].tuples)) {
			if seen[0] && seen[1] || len(columns) > 1 && ctx.Err() != nil {
				return
			}
			a.setClass(columns[0], class)
			combine(columns[1:])
		}
	}
	if a.monotone {
		// A monotone atom is false in some case only if it is in the first of these, and true in some
		// only if it is in the second.
		for _, ends := range [][2]int{{a.orders[0].len() - 1, 0}, {0, a.orders[1].len() - 1}} {
			a.setClass(0, a.orders[0].class(ends[0]))
			a.setClass(1, a.orders[1].class(ends[1]))
			look()
		}
	} else {
		combine(a.byCases())
	}
	switch {
	case seen[0] == seen[1]:
		return nil
	case seen[1]:
		return everywhere
	}
	return nowhere
}
