package certificate

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A linear expression is a sum of whole numbers, each of one chain.
type linear struct {
	*Checker
	from       graphs.Cut
	base, size int64                                       // its value at from; the sizes of all numbers together
	put        func(of []*source, e graphs.Event, x int64) // takes by how much a later event changes it
}

// add adds e or, where sign is -1, subtracts it. It is not ok if e is no such expression, or
// numbers could overflow.
func (l *linear) add(e *syntax.Expr, sign int64) (ok bool) {
	var reads []*source
	switch e.Op {
	case syntax.ExprNeg:
		return l.add(e.Args[0], -sign)
	case syntax.ExprSub:
		return l.add(e.Args[0], sign) && l.add(e.Args[1], -sign)
	case syntax.ExprAdd, syntax.ExprSum:
		return !slices.ContainsFunc(e.Args, func(a *syntax.Expr) bool { return !l.add(a, sign) })
	case syntax.ExprCount:
		return !slices.ContainsFunc(e.Sub, func(f *syntax.Formula) bool {
			n := l.form(f)
			return !l.part(truth(n, graphs.Int(0), graphs.Int(1)), n.reads, sign)
		})
	case syntax.ExprTransit:
		sent, received := l.channel(e)
		return l.part(l.read(sent), []*source{sent}, sign) && l.part(l.read(received), []*source{received}, -sign)
	}
	value := l.term(e, &reads)
	return l.part(value, reads, sign)
}

// part adds what a term of one chain says.
func (l *linear) part(value term, reads []*source, sign int64) bool {
	before := int64(0)
	for e, d := range l.along(reads, l.from) {
		x := value(d)
		now := x.Int64()
		change := sign * (now - before)
		if !oneChain(reads) || x.Kind != graphs.Number || x.Float || now>>50 != now>>63 || !l.fits(max(change, -change)) {
			return false
		}
		if before = now; e == graphs.Bottom {
			l.base += change
		} else if change != 0 {
			l.put(reads, e, change)
		}
	}
	return true
}

// fits is false once numbers could overflow.
func (l *linear) fits(size int64) bool {
	l.size += min(size, 1<<61)
	return size >= 0 && l.size <= 1<<60
}

// flow is rule 5.
func (k *Checker) flow(n *Node, low graphs.Cut, p *Proof) {
	e, is := n.Expr, n.ID%2 == 0
	k.require(e != nil && len(e.Args) == 2 && e.Rel[0].Relates(-1) != e.Rel[0].Relates(1), n.Not, p, "it is not a bound")
	weight, sign := make([]int64, k.comp.Top()+1), int64(1) // the sum times sign is bounded from above
	if e.Rel[0].Relates(-1) == is {
		sign = -1
	}
	l := &linear{Checker: k, from: low, put: func(_ []*source, e graphs.Event, x int64) { weight[e] += x }}
	k.require(l.add(e.Args[0], sign) && l.add(e.Args[1], -sign), n.Not, p, "it is not about a sum of whole numbers")
	for _, t := range p.Flow {
		u, v := graphs.Event(t[0]), graphs.Event(t[1])
		k.require(int64(u) == t[0] && int64(v) == t[1] && l.fits(t[2]), n.Not, p, "a flow has two events and an amount")
		k.exists(u, n.Not, p)
		k.exists(v, n.Not, p)
		k.require(k.comp.Process(u) == k.comp.Process(v) && u < v || slices.Contains(k.comp.Preds(v), u), n.Not, p, "a flow is not along an edge")
		if !k.comp.Has(low, u) {
			weight[u], weight[v] = weight[u]+t[2], weight[v]-t[2]
		}
	}
	for _, x := range weight {
		l.base += max(0, x)
	}
	k.require(e.Rel[0].Relates(cmp.Compare(l.base*sign, 0)) != is, n.Not, p, "the sum may be more by %d", l.base)
}
