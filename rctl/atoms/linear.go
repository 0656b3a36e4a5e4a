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
//	(1) the slots of a term are of one chain, or it has none
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

const largestFactor = 1 << 60

// largestCancelled bounds the factors of messages that partly cancel: a float added in between must
// not be rounded.
const largestCancelled = 16

// Ends returns what the channel counts at its ends; the difference is in transit.
func (h Channel) Ends(c *graphs.Computation) (sent, received Slot) {
	sends, recvs := c.Channel(h.From, h.To)
	sent = Slot{From: h.From, To: h.To, Events: sends}
	received = Slot{From: h.From, To: h.To, Received: true, Events: recvs}
	return sent, received
}

// Decompose takes the difference x - y of resolved expressions apart, or x where y is nil. It is
// made by +, -, sum, and multiplication with whole numbers of what one chain decides, of channels,
// and of count over what one chain decides. The result is nil for any other expression, or where a
// factor is too large, or more than a few messages of a channel cancel. The error is a *ValuesError.
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
		// A channel occurs once in the sum. Factors that cancel must be small, as float64 arithmetic would see them
		// one after the other.
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

// term adds factor times an expression of one chain, or of none.
func (d *decomposer) term(e *syntax.Expr, factor int64) bool {
	t, err := CompileTerm(d.comp, e)
	if err != nil {
		d.err = err
		return false
	}
	d.Terms = append(d.Terms, Weighted{t, factor})
	return true
}

// Constant returns the value of an expression without variables and channels; it is
// not ok for others.
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

// KeepsOrder reports whether a resolved expression of numbers, or each side of a comparison, is
// certain never to decrease as one of its variables grows that is added, or multiplied by a
// positive number. Rounding keeps the order, too; but whole numbers are added exactly, and a float
// to one beyond 2^53 with rounding: 1 + 2^60 is greater than 1.5 + 2^60. So all values have to be
// small, or whole and far from the limits of 64 bits.
//
// The time complexity of KeepsOrder is O(|e| + assignments of its variables).
func KeepsOrder(c *graphs.Computation, e *syntax.Expr) bool {
	whole := true
	most := largest(c, e, &whole)
	return most <= 1<<53 || whole && most <= 1<<62
}

// largest bounds the absolute values of an expression and of its parts, and tells whether there are
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
		return math.Inf(1) // also where it is no number
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
