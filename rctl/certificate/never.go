package certificate

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// unreachable is rule 7.
func (k *Checker) unreachable(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Not.Op == syntax.OpEU || n.Not.Op == syntax.OpAU, n, p, "its negation asks for nothing in the end")
	k.ties = nil
	k.say("%s holds at %v: no cut from there on satisfies %s.", n, c, n.Not.Goal)
	k.never(n.Not.Goal, c, k.final, p.of(0), 0)
}

// never checks that no cut between two satisfies n.
func (k *Checker) never(n *Node, low, high graphs.Cut, p *Proof, depth int) {
	low = low.Clone()
	if _, ok := k.up(n, low, high); !ok {
		return
	}
	k.require(p != nil, n, &Proof{Rule: "never"}, "it may hold at a cut from %v on", low)
	k.require(depth < 1000, n, p, "there are too many cases in one another")
	switch p.Rule {
	case "each": // N1
		k.require(n.Op == syntax.OpOr, n, p, "it is not a disjunction")
		for i, s := range n.Sub {
			k.never(s, low, high, p.of(i), depth)
		}
	case "split": // N2
		k.require(len(p.At) == 1, n, p, "it is about one event")
		e, with, without := k.event(p.At[0], n, p), low.Clone(), high.Clone()
		without[k.comp.Process(e)] = min(without[k.comp.Process(e)], int32(k.comp.Position(e))-1)
		if k.advance(with, e, high) {
			k.never(n, with, high, p.of(0), depth+1)
		}
		if low.Within(without) {
			k.never(n, low, without, p.of(1), depth+1)
		}
	case "order":
		k.order(n, low, p)
	case "flow":
		k.flow(n, low, p)
	default:
		k.require(false, n, p, "there is no such rule")
	}
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
		if is := n.Truth(c); is && !holds {
			all = append(all, interval{e, k.comp.Top()})
		} else if holds && !is {
			all[len(all)-1].end = e
		}
		holds = n.Truth(c)
		if e = k.next(n.reads, c); e == graphs.Bottom || !k.has(k.final, e) {
			return all
		}
		c[p] = int32(k.comp.Position(e))
	}
}

// family returns formulas of one process each, no two of the same, of which two hold
// wherever n does: n must say so by a count.
func (k *Checker) family(n *Node, p *Proof) map[int]*Node {
	e, is := n.Literal()
	k.require(n.Op == syntax.OpAtom && len(e.Args) == 2, n, p, "it is not a comparison")
	count, rel, number := e.Args[0], e.Rel[0], e.Args[1]
	if count.Op != syntax.ExprCount {
		count, rel, number = number, rel.Mirrored(), count
	}
	k.require(count.Op == syntax.ExprCount && number.Op == syntax.ExprNumber && !number.IsFloat, n, p, "it does not count")
	for fewer := int64(0); fewer < 2; fewer++ {
		k.require(rel.Relates(cmp.Compare(fewer, number.Int)) != is, n, p, "%d are enough", fewer)
	}
	all := make(map[int]*Node)
	for _, f := range count.Sub {
		process, ok := k.form(f).process()
		k.require(ok && all[process] == nil, n, p, "it counts something else than formulas of one process each")
		all[process] = k.form(f)
	}
	return all
}

// order is rule N3.
func (k *Checker) order(n *Node, c graphs.Cut, p *Proof) {
	left, count := make(map[int][]interval), 0
	for process, s := range k.family(n, p) {
		left[process] = k.intervals(s, c)
		count += len(left[process])
	}
	k.require(len(p.At) == count, n, p, "there are %d intervals", count)
	seen, end := c.Clone(), k.comp.Top() // all that the intervals so far need, and the end of the last
	for i, at := range p.At {
		k.require(len(at) == 1 && len(left[int(at[0])]) > 0, n, p, "interval %d is not one", i)
		next := left[int(at[0])][0]
		left[int(at[0])] = left[int(at[0])][1:]
		ok := i == 0 || end != k.comp.Top() && next.begin != graphs.Bottom && !k.has(seen, end)
		ok = ok && (next.begin == graphs.Bottom || k.advance(seen, next.begin, k.final)) && (i == 0 || k.has(seen, end))
		k.require(ok, n, p, "interval %d does not end before the next begins", i-1)
		end = next.end
	}
	k.say("%s holds from %v on: each of the %d intervals in which one of them holds ends before the next begins.", n.Not, c, count)
}

// overlap is rule 8.
func (k *Checker) overlap(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Op == syntax.OpAU && n.Sub[0] == k.falsehood.Not && n.Goal.Op == syntax.OpAnd && len(p.At) == len(n.Goal.Sub), n, p, "it is not AF of a conjunction of so many")
	need := c.Clone() // for all to have begun
	all := make([]interval, len(p.At))
	for i, s := range n.Goal.Sub {
		_, ok := s.process()
		k.require(ok && len(p.At[i]) == 1, n, p, "%s is not of one process", s)
		of, j := k.intervals(s, c), int(p.At[i][0])
		k.require(j >= 0 && j < len(of), n, p, "%s has %d intervals", s, len(of))
		if all[i] = of[j]; all[i].begin != graphs.Bottom {
			k.advance(need, all[i].begin, k.final)
		}
	}
	for _, i := range all {
		d := c.Clone()
		if i.end == k.comp.Top() {
			continue
		}
		k.advance(d, i.end, k.final)
		ok := !slices.ContainsFunc(all, func(j interval) bool { return j.begin != graphs.Bottom && k.comp.SameStep(j.begin, i.end) })
		k.require(ok && need.Within(d), n, p, "%s can come before all have begun", k.comp.ID(i.end))
	}
	k.say("%s holds at %v: of an interval of each, none ends before all have begun, so every run comes to all at once.", n, c)
}

// flow is rule N4.
func (k *Checker) flow(n *Node, c graphs.Cut, p *Proof) {
	if n.Op == syntax.OpAnd && p.Which >= 0 && p.Which < len(n.Sub) {
		n = n.Sub[p.Which]
	}
	e, is := n.Literal()
	k.require(n.Op == syntax.OpAtom && len(e.Args) == 2 && e.Rel[0].Relates(-1) != e.Rel[0].Relates(1), n, p, "it is not a bound")
	w := &weights{Checker: k, cut: c, of: make([]int64, k.comp.Top()+1)}
	sign := int64(1) // the sum times sign is bounded from above
	if e.Rel[0].Relates(-1) == is {
		sign = -1
	}
	k.require(w.add(e.Args[0], sign) && w.add(e.Args[1], -sign), n, p, "it is not about a sum of whole numbers")
	for _, t := range p.Flow {
		k.require(len(t) == 5 && t[4] >= 0 && w.fits(t[4]), n, p, "a flow has two events and an amount")
		u, v := k.event([]int32{int32(t[0]), int32(t[1])}, n, p), k.event([]int32{int32(t[2]), int32(t[3])}, n, p)
		k.require(slices.Contains(k.comp.Preds(v), u) || k.comp.Process(u) == k.comp.Process(v) && u < v, n, p, "a flow is not along an edge")
		if !k.has(c, u) {
			w.of[u], w.of[v] = w.of[u]+t[4], w.of[v]-t[4]
		}
	}
	for _, x := range w.of {
		w.base += max(0, x)
	}
	k.require(e.Rel[0].Relates(cmp.Compare(w.base*sign, 0)) != is, n, p, "the sum may be more by %d", w.base)
	k.say("%s holds from %v on: events that raise the sum need others that lower it.", n.Not, c)
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
