package atoms

import (
	"cmp"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Linear is a sum of functions of single chains and of channels, each with a whole
// factor.
//
//	(1) the slots of a term are of one chain, or the term has none
//	(2) no two channels have the same ends; they are in the order of their ends
//	(3) no channel has the factor 0, and no factor is beyond ±largestFactor
type Linear struct {
	Terms    []Weighted
	Channels []Channel
}

// A Weighted is Factor times the value of Term.
type Weighted struct {
	Term   *Term
	Factor int64
}

// A Channel is Factor times the number of messages in transit.
type Channel struct {
	From, To int
	Factor   int64
}

const largestFactor = 1 << 60 // the largest absolute value of a factor

// largestCancelled bounds the factors of messages that partly cancel: a float added in between must
// not be rounded.
const largestCancelled = 16

// Ends returns the slots of the sent and the received messages; their difference is in transit.
func (h Channel) Ends(c *graphs.Computation) (sent, received Slot) {
	sends, recvs := c.Channel(h.From, h.To)
	sent = Slot{From: h.From, To: h.To, Events: sends}
	received = Slot{From: h.From, To: h.To, Received: true, Events: recvs}
	return sent, received
}

// Decompose decomposes the difference x - y of resolved expressions, or x if y is nil. It accepts
// sums, differences and multiples by whole numbers of expressions of one chain, of channels, and of
// counts over formulas of one chain each. The result is nil for any other expression, and if a
// factor is too large, or large factors of a channel cancel. The error, if any, is a *ValuesError.
//
// The time complexity of Decompose is O(|x|+|y|) for each level of nesting.
func Decompose(c *graphs.Computation, x, y *syntax.Expr) (*Linear, error) {
	d := decomposer{comp: c}
	if !d.add(x, 1) || y != nil && !d.add(y, -1) {
		return nil, d.err
	}
	d.Channels = slices.DeleteFunc(d.Channels, func(h Channel) bool { return h.Factor == 0 })
	return &d.Linear, nil
}

// A decomposer collects the terms of a sum.
type decomposer struct {
	Linear
	comp *graphs.Computation
	err  error
}

// add adds factor times e.
func (d *decomposer) add(e *syntax.Expr, factor int64) bool {
	if syntax.OfOneChain(syntax.AsAtom(e)) {
		return d.term(e, factor)
	}
	switch e.Op {
	case syntax.ExprNeg:
		return d.add(e.Args[0], -factor)
	case syntax.ExprSub:
		return d.add(e.Args[0], factor) && d.add(e.Args[1], -factor)
	case syntax.ExprAdd, syntax.ExprSum:
		return !slices.ContainsFunc(e.Args, func(arg *syntax.Expr) bool { return !d.add(arg, factor) })
	case syntax.ExprMul:
		for i, arg := range e.Args {
			if k, ok := Constant(d.comp, arg); ok {
				product := graphs.Int(factor).Mul(k)
				n := product.Int64()
				fits := !k.Float && !product.Float && -largestFactor <= n && n <= largestFactor
				return fits && d.add(e.Args[1-i], n)
			}
		}
	case syntax.ExprCount:
		return !slices.ContainsFunc(e.Sub, func(f *syntax.Formula) bool {
			one := &syntax.Expr{Op: syntax.ExprCount, Aggregate: &syntax.Aggregate{Sub: []*syntax.Formula{f}}, Type: syntax.NumberType}
			return !syntax.OfOneChain(f) || !d.term(one, factor)
		})
	case syntax.ExprTransit:
		// All occurrences of a channel are merged. Factors that cancel must be small, because float64
		// arithmetic would add them one by one, and round.
		h := Channel{From: e.FromID, To: e.ToID}
		at, found := slices.BinarySearchFunc(d.Channels, h, func(a, b Channel) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
		if !found {
			d.Channels = slices.Insert(d.Channels, at, h)
		}
		sum := &d.Channels[at].Factor
		if min(*sum, factor) < 0 && max(*sum, factor) > 0 && max(*sum, -*sum, factor, -factor) > largestCancelled {
			return false
		}
		*sum += factor
		return -largestFactor <= *sum && *sum <= largestFactor
	}
	return false
}

// term adds factor times an expression of at most one chain.
func (d *decomposer) term(e *syntax.Expr, factor int64) bool {
	t, err := CompileTerm(d.comp, e)
	if err != nil {
		d.err = err
		return false
	}
	d.Terms = append(d.Terms, Weighted{t, factor})
	return true
}

// Constant returns the value of an expression without variables and channels, and
// ok = false for any other.
func Constant(c *graphs.Computation, e *syntax.Expr) (x graphs.Value, ok bool) {
	if owner, _, one := syntax.ChainOf(syntax.AsAtom(e)); !one || owner != syntax.NoChain {
		return x, false
	}
	t, err := CompileTerm(c, e)
	if err != nil {
		panic("this cannot happen, because the expression reads no variable: " + err.Error())
	}
	return t.Of(nil), true
}

// KeepsOrder reports whether arithmetic preserves order in a numeric resolved expression, or in both
// sides of a comparison: whether it certainly does not decrease as one of its variables grows that is
// added, or multiplied by a positive number. Rounding is monotonic, but mixed arithmetic is not: whole
// numbers are added exactly, and a float is added to one beyond 2^53 with rounding, so 1 + 2^60 is
// greater than 1.5 + 2^60. Hence all values have to be small, or whole and far from the limits of
// 64 bits.
//
// The time complexity of KeepsOrder is O(|e| + assignments of its variables).
func KeepsOrder(c *graphs.Computation, e *syntax.Expr) bool {
	whole := true
	most := largest(c, e, &whole)
	return most <= 1<<53 || whole && most <= 1<<62
}

// largest bounds the absolute values of an expression and of its parts. It clears whole if there are
// floats among the values.
func largest(c *graphs.Computation, e *syntax.Expr, whole *bool) float64 {
	size := func(x graphs.Value) float64 {
		if x.Float {
			*whole = false
		}
		if x.Kind == graphs.String {
			return 0
		}
		if f := math.Abs(x.Float64()); f <= math.MaxFloat64 {
			return f
		}
		return math.Inf(1) // also for NaN
	}
	switch e.Op {
	case syntax.ExprNumber:
		x, _ := scope.Literal(e)
		return size(x)
	case syntax.ExprVar:
		v := c.Variable(e.Owner, e.Text)
		if v == nil {
			return math.Inf(1)
		}
		most := 0.
		for i := -1; i < v.Len(); i++ {
			most = max(most, size(v.Value(i)))
		}
		return most
	case syntax.ExprTransit:
		return float64(len(c.Messages()))
	case syntax.ExprCount:
		return float64(len(e.Counted()))
	}
	sum, product := 0., 1.
	for _, arg := range e.Args {
		x := largest(c, arg, whole)
		sum, product = sum+x, product*max(x, 1)
	}
	if e.Op == syntax.ExprMul {
		return product
	}
	return sum
}
