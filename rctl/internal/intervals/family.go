package intervals

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/syntax"
)

// familyOf returns the predicates by process if f says that some two of them hold.
func familyOf(c *graphs.Computation, f *syntax.Formula) (family []*syntax.Formula, ok bool) {
	family = make([]*syntax.Formula, c.NumProcesses())
	if f.Op == syntax.OpNot {
		if e, ok := syntax.Invert(f.Sub[0].Expr); ok {
			f = syntax.AsAtom(e)
		}
	}
	if f.Op == syntax.OpAtom {
		return family, countsPairs(f.Expr, family)
	}
	if f.Op != syntax.OpOr || len(f.Sub) < 2 {
		return nil, false
	}
	k := locals{}
	places := make([]int, len(family)) // by process: how many members were found before it
	paired := dense.NewSet(len(f.Sub)) // the pair of places i < j is number j*(j-1)/2+i
	allPairs := func(n int) int { return n * (n - 1) / 2 }
	members := 0
	pairs := 0
	for _, d := range f.Sub {
		both, ok := k.two(d)
		if !ok {
			return nil, false
		}
		for _, x := range both {
			switch known := family[x.process]; {
			case known == nil:
				family[x.process] = x.formula
				places[x.process] = members
				members++
			case !known.Equal(x.formula):
				return nil, false
			}
		}
		if allPairs(members) > len(f.Sub) {
			return nil, false
		}
		i, j := places[both[0].process], places[both[1].process]
		if pair := allPairs(max(i, j)) + min(i, j); !paired.Has(pair) {
			paired.Add(pair)
			pairs++
		}
	}
	return family, pairs == allPairs(members)
}

// locals has the process that decides each predicate, negative if no single process does. It is a
// cache, because each predicate occurs in many pairs.
type locals map[*syntax.Formula]int

// A local is a predicate of one process.
type local struct {
	process int
	formula *syntax.Formula
}

// two splits a conjunction into predicates of two processes.
func (k locals) two(f *syntax.Formula) (both [2]local, ok bool) {
	some := both[:0]
	for _, part := range syntax.Conjuncts(f) {
		p, known := k[part]
		if !known {
			owner, _, one := syntax.ChainOf(part)
			if p = owner; !one {
				p = syntax.NoChain
			}
			k[part] = p
		}
		i := slices.IndexFunc(some, func(x local) bool { return x.process == p })
		switch {
		case p < 0 || i < 0 && len(some) == len(both):
			return both, false
		case i < 0:
			some = append(some, local{p, part})
		default:
			some[i].formula = syntax.And(some[i].formula, part)
		}
	}
	return both, len(some) == len(both)
}

// countsPairs reports whether e says that two or more of some predicates hold, no
// two of them of one process, and enters the predicates in family.
func countsPairs(e *syntax.Expr, family []*syntax.Formula) bool {
	if e.Op != syntax.ExprCompare || len(e.Rel) != 1 {
		return false
	}
	count, k := e.Args[0], e.Args[1]
	rel := e.Rel[0]
	if count.Op != syntax.ExprCount {
		count, k = k, count
		rel = rel.Mirrored()
	}
	if count.Op != syntax.ExprCount || k.Op != syntax.ExprNumber || k.IsFloat ||
		!(rel == syntax.GreaterEqual && k.Int == 2 || rel == syntax.Greater && k.Int == 1) {
		return false
	}
	for _, f := range count.Sub {
		owner, _, ok := syntax.ChainOf(f)
		if !ok || owner < 0 || family[owner] != nil {
			return false
		}
		family[owner] = f
	}
	return true
}
