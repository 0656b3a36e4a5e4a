package diagram

import (
	"cmp"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Linear compares a sum of nonnegative functions of single chains with a number:
//
//	(1) each term is a choice between leaves with integers, the least of them 0
//	(2) the terms have different chains, in the order of the store
//	(3) Max is the sum of their greatest values
type Linear struct {
	Terms []*Node
	Rel   syntax.Relop
	Bound int64
	Max   int64
}

// largest bounds the numbers in a Linear, so that arithmetic does not overflow.
const largest = 1 << 40

// Linear decomposes the comparison x rel y. ok is false if it is not linear, or if a value is not
// an integer or is too large. A transit(P,Q) becomes two terms: the number of messages that P sent
// to Q, and the number that Q received.
//
// The time complexity of Linear is O((|x| + |y|) · runs of the terms).
func (s *Store) Linear(x, y *syntax.Expr, rel syntax.Relop) (l Linear, ok bool) {
	sum, err := atoms.Decompose(s.comp, x, y)
	if err != nil || sum == nil {
		return Linear{}, false
	}
	defer func(work int) { s.work = work }(s.work)
	s.work = 1 << 30
	byChain, constant := make(map[*Chain]*Node), int64(0)
	add := func(n *Node, factor int64) bool {
		low, high, ok := extremes(n)
		if !ok || max(abs(low), abs(high)) > largest/max(1, abs(factor)) {
			return false
		}
		n = s.apply(graphs.Value.Mul, n, s.leaf(graphs.Int(factor)))
		if n.Leaf() {
			constant += n.Value.Int64()
			return abs(constant) <= largest
		}
		if before := byChain[n.Chain]; before != nil {
			byChain[n.Chain] = s.apply(graphs.Value.Add, before, n)
		} else {
			byChain[n.Chain] = n
		}
		return true
	}
	for _, part := range sum.Terms {
		if !add(s.term(part.Term), part.Factor) {
			return Linear{}, false
		}
	}
	for _, h := range sum.Channels {
		sent, received := s.ends(h)
		if abs(h.Factor) > largest || !add(sent, h.Factor) || !add(received, -h.Factor) {
			return Linear{}, false
		}
	}
	l.Rel, l.Bound = rel, -constant
	for _, n := range byChain {
		low, high, ok := extremes(n)
		if !ok {
			return Linear{}, false
		}
		l.Bound -= low
		l.Max += high - low
		if n = s.apply(graphs.Value.Sub, n, s.leaf(graphs.Int(low))); !n.Leaf() {
			l.Terms = append(l.Terms, n)
		}
	}
	slices.SortFunc(l.Terms, func(a, b *Node) int { return a.Chain.rank - b.Chain.rank })
	return l, l.Max <= largest && abs(l.Bound) <= largest
}

// patience is how many runs bound may inspect for each run that it may make.
const patience = 64

// bound returns the diagram of a linear comparison. It has a node for each term and each remaining
// bound after the terms before, and a leaf as soon as no later term matters.
//
// The time complexity of bound is O(values of the partial sums · runs of the terms).
func (s *Store) bound(l Linear) *Node {
	rest := make([]int64, len(l.Terms)+1) // rest[i] is the greatest sum of the terms from i on
	for i := len(l.Terms) - 1; i >= 0; i-- {
		_, high, _ := extremes(l.Terms[i])
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
			return s.leaf(graphs.Boolean(l.Rel.Relates(cmp.Compare(0, at.left))))
		}
		if n := done[at]; n != nil {
			return n
		}
		term := l.Terms[at.term]
		var runs []Run
		for _, run := range term.Runs {
			if looks--; s.work <= 0 || looks <= 0 {
				s.work = 0
				return term
			}
			n := walk(state{at.term + 1, at.left - run.Node.Value.Int64()})
			if len(runs) == 0 || runs[len(runs)-1].Node != n {
				runs = append(runs, Run{run.From, n})
				s.goesOn()
			}
		}
		n := s.choice(term.Chain, runs)
		done[at] = n
		return n
	}
	return walk(state{0, l.Bound})
}

// extremes returns the least and the greatest value of a function of one chain. ok is false if a
// value is not an integer or is too large.
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

// abs returns the absolute value of a number. For the least int64, it returns the greatest.
func abs(x int64) int64 { return max(x, -max(x, -math.MaxInt64)) }
