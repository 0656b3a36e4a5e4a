package certificate

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// unreachable is rule 7.
func (k *Checker) unreachable(n *Node, c graphs.Cut, p *Proof) error {
	if n.Not.Op != syntax.OpEU && n.Not.Op != syntax.OpAU {
		return reject(n, p, "its negation asks for nothing in the end")
	}
	k.ties = nil
	k.say("%s holds at %v: no cut from there on satisfies %s.", n, c, n.Not.Goal)
	return k.never(n.Not.Goal, c, k.final, p.of(0), 0)
}

// never checks that no cut between two satisfies n.
func (k *Checker) never(n *Node, low, high graphs.Cut, p *Proof, depth int) error {
	if p == nil {
		p = &Proof{Rule: "region"}
	}
	low = low.Clone()
	_, ok := k.up(n, low, high)
	switch {
	case k.err != nil:
		return reject(n, p, "%v", k.err)
	case !ok:
		return nil
	case p.Rule == "each" && n.Op == syntax.OpOr: // N1
		for i, s := range n.Sub {
			if err := k.never(s, low, high, p.of(i), depth); err != nil {
				return err
			}
		}
		return nil
	case p.Rule == "split" && len(p.At) == 1 && depth < 1000: // N2
		e, with, without := k.event(p.At[0]), low.Clone(), high.Clone()
		if k.err != nil {
			return reject(n, p, "%v", k.err)
		}
		without[k.comp.Process(e)] = min(without[k.comp.Process(e)], int32(k.comp.Position(e))-1)
		if k.advance(with, e, high) {
			if err := k.never(n, with, high, p.of(0), depth+1); err != nil {
				return err
			}
		}
		if !low.Within(without) {
			return k.err
		}
		return k.never(n, low, without, p.of(1), depth+1)
	case p.Rule == "order":
		return k.order(n, low, p)
	case p.Rule == "flow":
		return k.flow(n, low, p)
	}
	return reject(n, p, "it may hold at a cut from %v on", low)
}

// An interval is a piece of a process's history from cut c on in which a formula of the
// process holds: from event begin on, ⊥ if it holds at c, and until event end, ⊤ if it
// holds to the last.
type interval struct{ begin, end graphs.Event }

// intervals returns those of a formula of one process.
func (k *Checker) intervals(n *Node, c graphs.Cut) (all []interval) {
	c, p := c.Clone(), n.reads[0].chain.process
	holds := false
	for e := graphs.Bottom; ; {
		if is := n.truth(c); is && !holds {
			all = append(all, interval{e, k.comp.Top()})
		} else if holds && !is {
			all[len(all)-1].end = e
		}
		holds = n.truth(c)
		if e = k.next(n.reads, c); e == graphs.Bottom || !k.has(k.final, e) {
			return all
		}
		c[p] = int32(k.comp.Position(e))
	}
}

// family returns formulas of one process each, no two of the same, of which two hold
// wherever n does; nil where n does not say so by a count.
func (k *Checker) family(n *Node) map[int]*Node {
	e, is := n.Literal()
	if n.Op != syntax.OpAtom || len(e.Args) != 2 {
		return nil
	}
	count, rel, number := e.Args[0], e.Rel[0], e.Args[1]
	if count.Op != syntax.ExprCount {
		count, rel, number = number, rel.Mirrored(), count
	}
	for fewer := int64(0); fewer < 2; fewer++ {
		if count.Op != syntax.ExprCount || number.Op != syntax.ExprNumber || number.IsFloat || rel.Relates(cmp.Compare(fewer, number.Int)) == is {
			return nil
		}
	}
	all := make(map[int]*Node)
	for _, f := range count.Sub {
		n := k.form(f)
		p, ok := n.process()
		if !ok || all[p] != nil {
			return nil
		}
		all[p] = n
	}
	return all
}

// order is rule N3.
func (k *Checker) order(n *Node, c graphs.Cut, p *Proof) error {
	left := make(map[int][]interval)
	for q, s := range k.family(n) {
		left[q] = k.intervals(s, c)
	}
	if len(left) == 0 {
		return reject(n, p, "it does not say that two of some formulas hold")
	}
	seen, end := c.Clone(), graphs.Bottom // all that the intervals so far need, and the end of the last
	for i, at := range p.At {
		if len(at) != 1 || len(left[int(at[0])]) == 0 {
			return reject(n, p, "there is no such interval")
		}
		next := left[int(at[0])][0]
		left[int(at[0])] = left[int(at[0])][1:]
		if i > 0 && (end == k.comp.Top() || next.begin == graphs.Bottom || k.has(seen, end)) {
			return reject(n, p, "interval %d does not end before the next begins", i)
		}
		if next.begin != graphs.Bottom && !k.advance(seen, next.begin, k.final) {
			return k.err
		}
		if i > 0 && !k.has(seen, end) {
			return reject(n, p, "interval %d need not end before the next begins", i)
		}
		end = next.end
	}
	for _, rest := range left {
		if len(rest) > 0 {
			return reject(n, p, "an interval is left out")
		}
	}
	k.say("%s holds from %v on: each of the %d intervals in which one of them holds ends before the next begins.", n.Not, c, len(p.At))
	return nil
}

// overlap is rule 8.
func (k *Checker) overlap(n *Node, c graphs.Cut, p *Proof) error {
	if n.Op != syntax.OpAU || n.Sub[0] != k.falsehood.Not || n.Goal.Op != syntax.OpAnd && !n.Goal.one {
		return reject(n, p, "it is not AF of a conjunction")
	}
	parts := n.Goal.Sub
	if n.Goal.one {
		parts = []*Node{n.Goal}
	}
	need := c.Clone() // all that is needed for all to have begun
	var begins, ends []graphs.Event
	for i, s := range parts {
		if _, ok := s.process(); !ok || len(p.At) != len(parts) || len(p.At[i]) != 1 {
			return reject(n, p, "it is not of one process each")
		}
		all := k.intervals(s, c)
		j := int(p.At[i][0])
		if j < 0 || j >= len(all) {
			return reject(n, p, "there is no such interval")
		}
		if begins, ends = append(begins, all[j].begin), append(ends, all[j].end); all[j].begin != graphs.Bottom {
			k.advance(need, all[j].begin, k.final)
		}
	}
	for _, end := range ends {
		if end == k.comp.Top() {
			continue
		}
		d := c.Clone()
		if k.advance(d, end, k.final); !need.Within(d) || slices.ContainsFunc(begins, func(e graphs.Event) bool { return e != graphs.Bottom && k.comp.SameStep(e, end) }) {
			return reject(n, p, "%s can come before all have begun", k.comp.ID(end))
		}
	}
	k.say("%s holds at %v: of an interval of each, none ends before all have begun, so every run comes to all at once.", n, c)
	return k.err
}

// flow is rule N4.
func (k *Checker) flow(n *Node, c graphs.Cut, p *Proof) error {
	if n.Op == syntax.OpAnd && p.Which >= 0 && p.Which < len(n.Sub) {
		n = n.Sub[p.Which]
	}
	e, is := n.Literal()
	if n.Op != syntax.OpAtom || len(e.Args) != 2 {
		return reject(n, p, "it is not a bound on a sum")
	}
	w := &weights{Checker: k, cut: c, of: make([]int64, k.comp.Top()+1)}
	sign := int64(1) // the sum times sign is bounded from above
	if e.Rel[0].Relates(-1) == is {
		sign = -1
	}
	if e.Rel[0].Relates(-1) == e.Rel[0].Relates(1) || !w.add(e.Args[0], sign) || !w.add(e.Args[1], -sign) {
		return reject(n, p, "it is not a bound on a sum of whole numbers")
	}
	for _, t := range p.Flow {
		if len(t) != 5 || t[4] < 0 || !w.fits(t[4]) {
			return reject(n, p, "a flow has two events and an amount")
		}
		u, v := k.event([]int32{int32(t[0]), int32(t[1])}), k.event([]int32{int32(t[2]), int32(t[3])})
		if k.err == nil && k.has(c, u) {
			continue
		}
		if k.err != nil || !slices.Contains(k.comp.Preds(v), u) && (k.comp.Process(u) != k.comp.Process(v) || u > v) {
			return reject(n, p, "a flow is not along an edge")
		}
		w.of[u], w.of[v] = w.of[u]+t[4], w.of[v]-t[4]
	}
	for _, x := range w.of {
		w.base += max(0, x)
	}
	if order := cmp.Compare(w.base*sign, 0); e.Rel[0].Relates(order) == is {
		return reject(n, p, "the sum may be more by %d", w.base)
	}
	k.say("%s holds from %v on: events that raise the sum need others that lower it.", n.Not, c)
	return nil
}

// weights say by how much each event after a cut changes a sum, and what it is at the cut.
type weights struct {
	*Checker
	cut         graphs.Cut
	base, total int64 // total is of the sizes of all numbers
	of          []int64
}

// fits is false once numbers could overflow.
func (w *weights) fits(x int64) bool {
	w.total += min(max(x, -x), 1<<60)
	return x >= -1<<60 && x <= 1<<60 && w.total <= 1<<60
}

// add adds factor times e. It is not ok if e is no sum of whole numbers.
func (w *weights) add(e *syntax.Expr, factor int64) bool {
	put := func(e graphs.Event, x int64) bool {
		if x < -1<<40 || x > 1<<40 || factor < -1<<20 || factor > 1<<20 || !w.fits(x*factor) {
			return false
		}
		if e == graphs.Bottom || w.has(w.cut, e) {
			w.base += x * factor
		} else if w.has(w.final, e) {
			w.of[e] += x * factor
		}
		return true
	}
	switch e.Op {
	case syntax.ExprNumber:
		return !e.IsFloat && put(graphs.Bottom, e.Int)
	case syntax.ExprVar:
		s := w.variable(e)
		ok, at, before := true, graphs.Bottom, graphs.Int(0)
		for i := 0; i <= len(s.events) && ok; i++ {
			x := s.after(i)
			if i > 0 {
				at = s.events[i-1]
			}
			ok = x.Kind == graphs.Number && !x.Float && x.Int64() >= -1<<39 && x.Int64() <= 1<<39 && put(at, x.Int64()-before.Int64())
			before = x
		}
		return ok
	case syntax.ExprTransit:
		sends, recvs := w.comp.Channel(e.FromID, e.ToID)
		return !slices.ContainsFunc(sends, func(e graphs.Event) bool { return !put(e, 1) }) &&
			!slices.ContainsFunc(recvs, func(e graphs.Event) bool { return !put(e, -1) })
	case syntax.ExprNeg:
		return w.add(e.Args[0], -factor)
	case syntax.ExprSub:
		return w.add(e.Args[0], factor) && w.add(e.Args[1], -factor)
	case syntax.ExprAdd, syntax.ExprSum:
		return !slices.ContainsFunc(e.Args, func(a *syntax.Expr) bool { return !w.add(a, factor) })
	case syntax.ExprCount:
		for _, f := range e.Sub {
			n := w.form(f)
			if _, ok := n.process(); !ok {
				return false
			}
			for _, i := range w.intervals(n, w.cut) {
				if !put(i.begin, 1) || i.end != w.comp.Top() && !put(i.end, -1) {
					return false
				}
			}
		}
		return true
	}
	return false
}
