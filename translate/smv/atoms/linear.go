package atoms

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Linear is a comparison of a sum of functions of single chains, none of which is
// ever below 0, with a number:
//
//	(1) each term is a choice whose nodes are leaves with integers, the least of them 0
//	(2) the terms are of different chains, in the order of the store
//	(3) Max is the sum of their greatest values
type Linear struct {
	Terms    []Term
	Channels []Channel
	Rel      syntax.Relop
	Bound    int64
	Max      int64
}

// A Term is a function of the position of one chain.
type Term struct {
	Chain *Chain
	Node  *Node
}

// A Channel stands for Factor times transit(From, To), Factor not 0.
type Channel struct {
	From, To int
	Factor   int64
}

// largest is how large a number in a Linear may be, so that none overflows.
const largest = 1 << 40

// Linear takes the comparison x rel y apart. ok is false if it is not linear, if a
// value is no integer, or too large. If channels is false, transit(P,Q) becomes two
// terms, what P sent and what Q received; a channel is not counted in Max.
//
// The time complexity of Linear is O((|x| + |y|) · runs of the terms).
func (s *Store) Linear(x, y *syntax.Expr, rel syntax.Relop, channels bool) (l Linear, ok bool) {
	defer func(work int) { s.work = work }(s.work)
	s.work = 1 << 30
	d := decomposer{builder: builder{Store: s}, terms: make(map[*Chain]*Node), channels: make(map[[2]int]int64), keep: channels}
	if !d.add(x, 1) || !d.add(y, -1) || d.err != nil {
		return Linear{}, false
	}
	l = Linear{Rel: rel, Bound: -d.constant}
	for h, n := range d.terms {
		low, high, ok := extremes(n)
		if !ok {
			return Linear{}, false
		}
		l.Bound -= low
		l.Max += high - low
		if n = s.apply(graphs.Value.Sub, n, s.leaf(graphs.Int(low))); !n.Leaf() {
			l.Terms = append(l.Terms, Term{h, n})
		}
	}
	slices.SortFunc(l.Terms, func(a, b Term) int { return a.Chain.rank - b.Chain.rank })
	for ends, factor := range d.channels {
		if factor != 0 {
			l.Channels = append(l.Channels, Channel{ends[0], ends[1], factor})
		}
		if abs(factor) > largest {
			return Linear{}, false
		}
	}
	slices.SortFunc(l.Channels, func(a, b Channel) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.To - b.To
	})
	return l, l.Max <= largest && abs(l.Bound) <= largest
}

// patience is how many runs bound looks at for each that it may make.
const patience = 64

// bound returns the diagram of a linear comparison without channels: what is left of
// the bound after some terms, with the next term, leads to a node, and to a leaf as
// soon as no value of the terms that are left matters.
//
// The time complexity of bound is O(values of the partial sums · runs of the terms).
func (s *Store) bound(l Linear) *Node {
	rest := make([]int64, len(l.Terms)+1) // the greatest sum of the terms from each on
	for i := len(l.Terms) - 1; i >= 0; i-- {
		_, high, _ := extremes(l.Terms[i].Node)
		rest[i] = rest[i+1] + high
	}
	type state struct {
		term int
		left int64
	}
	done := make(map[state]*Node)
	looks := patience * s.work
	var walk func(at state) *Node
	walk = func(at state) *Node {
		if at.left < 0 || at.left > rest[at.term] || at.term == len(l.Terms) {
			return s.leaf(truth(l.Rel.Relates(cmp.Compare(0, at.left))))
		}
		if n := done[at]; n != nil {
			return n
		}
		t := l.Terms[at.term]
		var runs []Run
		for _, run := range t.Node.Runs {
			looks--
			if s.work <= 0 || looks <= 0 {
				s.work = 0
				return t.Node
			}
			n := walk(state{at.term + 1, at.left - run.Node.Value.Int64()})
			if len(runs) == 0 || runs[len(runs)-1].Node != n {
				runs = append(runs, Run{run.From, n})
				s.work--
			}
		}
		n := s.choice(t.Chain, runs)
		done[at] = n
		return n
	}
	return walk(state{0, l.Bound})
}

// extremes returns the least and the greatest value of a function of one chain.
func extremes(n *Node) (low, high int64, ok bool) {
	if n.Leaf() {
		v := n.Value
		if v.Kind != graphs.Number || v.Float || abs(v.Int64()) > largest {
			return 0, 0, false
		}
		return v.Int64(), v.Int64(), true
	}
	for i, run := range n.Runs {
		a, b, ok := extremes(run.Node)
		if !ok {
			return 0, 0, false
		}
		if i == 0 {
			low, high = a, b
		}
		low, high = min(low, a), max(high, b)
	}
	return low, high, true
}

func abs(x int64) int64 { return max(x, -x) }

// A decomposer adds up what an expression is made of.
type decomposer struct {
	builder
	terms    map[*Chain]*Node
	channels map[[2]int]int64
	constant int64
	keep     bool // channels
}

// add adds factor times e.
func (d *decomposer) add(e *syntax.Expr, factor int64) bool {
	if abs(factor) > largest {
		return false
	}
	if h, ok := d.chain(e); ok {
		return d.addNode(h, d.value(e), factor)
	}
	switch e.Op {
	case syntax.ExprNeg:
		return d.add(e.Args[0], -factor)
	case syntax.ExprSub:
		return d.add(e.Args[0], factor) && d.add(e.Args[1], -factor)
	case syntax.ExprAdd, syntax.ExprSum:
		for _, arg := range e.Args {
			if !d.add(arg, factor) {
				return false
			}
		}
		return true
	case syntax.ExprMul:
		for i, arg := range e.Args {
			if h, ok := d.chain(arg); ok && h == nil {
				low, _, ok := extremes(d.value(arg))
				return ok && abs(low) <= largest/max(1, abs(factor)) && d.add(e.Args[1-i], factor*low)
			}
		}
	case syntax.ExprCount:
		for _, f := range e.Sub {
			h, ok := d.chainOfFormula(f)
			if !ok || !d.addNode(h, d.indicator(f), factor) {
				return false
			}
		}
		return true
	case syntax.ExprTransit:
		if d.keep {
			d.channels[[2]int{e.FromID, e.ToID}] += factor
			return true
		}
		return d.addNode(d.Process(e.FromID), d.sent(e.FromID, e.ToID), factor) &&
			d.addNode(d.Process(e.ToID), d.received(e.FromID, e.ToID), -factor)
	}
	return false
}

// addNode adds factor times a function of a chain.
func (d *decomposer) addNode(h *Chain, n *Node, factor int64) bool {
	if low, high, ok := extremes(n); !ok || max(abs(low), abs(high)) > largest/max(1, abs(factor)) {
		return false
	}
	n = d.apply(graphs.Value.Mul, n, d.leaf(graphs.Int(factor)))
	if n.Leaf() {
		d.constant += n.Value.Int64()
		return abs(d.constant) <= largest
	}
	if before := d.terms[h]; before != nil {
		n = d.apply(graphs.Value.Add, before, n)
	}
	d.terms[h] = n
	return true
}

// chain returns the chain that decides e, nil for a constant. It is ok if there is
// one at most.
func (d *decomposer) chain(e *syntax.Expr) (h *Chain, ok bool) {
	ok = true
	syntax.WalkExpr(e, func(e *syntax.Expr) {
		switch e.Op {
		case syntax.ExprTransit:
			ok = false
		case syntax.ExprVar:
			mine := d.chainOf(d.comp.Variable(e.Owner, e.Text))
			ok = ok && (h == nil || h == mine)
			h = mine
		}
	})
	return h, ok
}

func (d *decomposer) chainOfFormula(f *syntax.Formula) (h *Chain, ok bool) {
	ok = true
	syntax.Walk(f, func(f *syntax.Formula) bool {
		if f.Op == syntax.OpAtom {
			mine, one := d.chain(f.Expr)
			ok = ok && one && (h == nil || mine == nil || h == mine)
			if mine != nil {
				h = mine
			}
		}
		return ok
	})
	return h, ok
}
