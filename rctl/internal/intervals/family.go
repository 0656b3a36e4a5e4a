package intervals

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/syntax"
)

// familyOf returns the predicates by process. f says that any two of them hold.
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
	k := &locals{
		known:   make(map[*syntax.Formula]*local),
		numbers: make(map[string]int32),
		joined:  make(map[[2]int32]*local),
	}
	of := make([]member, len(family))  // by process
	paired := dense.NewSet(len(f.Sub)) // the pair of members i < j is number j*(j-1)/2+i
	allPairs := func(n int) int { return n * (n - 1) / 2 }
	members := 0
	pairs := 0
	for _, d := range f.Sub {
		a, b, ok := k.two(d)
		if !ok {
			return nil, false
		}
		for _, x := range [2]*local{a, b} {
			if of[x.process].local == nil {
				of[x.process] = member{x, members}
				family[x.process] = x.formula
				members++
			} else if of[x.process].number != x.number {
				return nil, false
			}
		}
		if allPairs(members) > len(f.Sub) {
			return nil, false
		}
		i, j := of[a.process].place, of[b.process].place
		if pair := allPairs(max(i, j)) + min(i, j); !paired.Has(pair) {
			paired.Add(pair)
			pairs++
		}
	}
	return family, pairs == allPairs(members)
}

// A member is the predicate of a process, and how many others came up before it.
type member struct {
	*local
	place int
}

// locals finds the process of each predicate of one process, and equal predicates.
type locals struct {
	known   map[*syntax.Formula]*local // nil for what is not of one process
	numbers map[string]int32
	joined  map[[2]int32]*local // conjunctions, by their parts
}

// A local is a predicate of one process. Those with the same text have the same number.
type local struct {
	process int
	number  int32
	formula *syntax.Formula
}

// of returns the local predicate that f is, nil if it is none.
func (k *locals) of(f *syntax.Formula) *local {
	x, ok := k.known[f]
	if !ok {
		if owner, _, ok := syntax.ChainOf(f); ok && owner >= 0 {
			x = &local{owner, k.number(f), f}
		}
		k.known[f] = x
	}
	return x
}

// number numbers predicates by their texts: comparing numbers is cheaper, as each
// predicate occurs in many pairs.
func (k *locals) number(f *syntax.Formula) int32 {
	text := f.String()
	number, ok := k.numbers[text]
	if !ok {
		number = int32(len(k.numbers))
		k.numbers[text] = number
	}
	return number
}

// both returns the conjunction of two predicates of one process; x may be nil.
func (k *locals) both(x, y *local) *local {
	if x == nil {
		return y
	}
	key := [2]int32{x.number, y.number}
	z := k.joined[key]
	if z == nil {
		f := syntax.And(x.formula, y.formula)
		z = &local{x.process, k.number(f), f}
		k.joined[key] = z
	}
	return z
}

// two takes a conjunction apart into predicates of two processes.
func (k *locals) two(f *syntax.Formula) (a, b *local, ok bool) {
	if f.Op != syntax.OpAnd {
		return nil, nil, false
	}
	var add func(f *syntax.Formula) bool
	add = func(f *syntax.Formula) bool {
		x := k.of(f)
		switch {
		case x == nil && f.Op == syntax.OpAnd:
			for _, sub := range f.Sub {
				if !add(sub) {
					return false
				}
			}
			return true
		case x == nil:
			return false
		case a == nil || a.process == x.process:
			a = k.both(a, x)
		case b == nil || b.process == x.process:
			b = k.both(b, x)
		default:
			return false
		}
		return true
	}
	for _, sub := range f.Sub {
		if !add(sub) {
			return nil, nil, false
		}
	}
	return a, b, b != nil
}

// countsPairs reports whether e says that two or more of some predicates hold, no
// two of one process, and enters these.
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
