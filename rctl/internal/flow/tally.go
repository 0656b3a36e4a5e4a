package flow

import (
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A tally is a sum over the chains of a computation. Its numbers are whole
// multiples of 2^-shift, kept as their numerators.
type tally struct {
	comp   *graphs.Computation
	base   int64   // before all events
	weight []int64 // of each event: by how much it changes the sum

	shift    int
	limit    float64 // of total
	total    float64 // of the sizes of all numbers
	channels map[[2]int]int64
	err      error
}

const (
	// largestTotal keeps sums of weights within an int64.
	largestTotal = 1 << 60
	// Floats are taken as multiples of 2^-floatShift, as long as float64 adds
	// them up exactly.
	floatShift        = 20
	largestFloatTotal = 1 << 52
)

// tallyOf makes a tally of a comparison of a sum with numbers, and the bounds that
// the sum must be in. Where floats occur all is done again in fractions.
func tallyOf(c *graphs.Computation, e *syntax.Expr) (t *tally, b bounds, ok bool, err error) {
	for _, shift := range []int{0, floatShift} {
		t = &tally{comp: c, shift: shift, limit: largestTotal, weight: make([]int64, c.Top()+1), channels: make(map[[2]int]int64)}
		if shift > 0 {
			t.limit = largestFloatTotal
		}
		if b, ok = t.comparison(e); ok || t.err != nil {
			break
		}
	}
	return t, b, ok, t.err
}

// comparison adds up the side of e that is no number, or the left side minus the
// right one.
func (t *tally) comparison(e *syntax.Expr) (b bounds, ok bool) {
	b = bounds{low: -noLimit, high: noLimit}
	sum := -1 // the argument that is no number
	for i, arg := range e.Args {
		if isConstant(arg) {
			continue
		}
		if sum >= 0 && len(e.Args) > 2 {
			return b, false
		}
		sum = i
	}
	if len(e.Args) == 2 {
		if !t.add(e.Args[0], 1) || !t.add(e.Args[1], -1) {
			return b, false
		}
		if e.Rel[0] == syntax.NotEqual {
			return bounds{0, 0, true}, t.deliver()
		}
		b.meet(e.Rel[0], 0)
		return b, t.deliver()
	}
	if sum < 0 || !t.add(e.Args[sum], 1) {
		return b, false
	}
	for i, rel := range e.Rel {
		left, right := e.Args[i], e.Args[i+1]
		if rel == syntax.NotEqual {
			return b, false
		}
		switch sum {
		case i:
			k, ok := t.constant(right)
			if !ok {
				return b, false
			}
			b.meet(rel, k)
		case i + 1:
			k, ok := t.constant(left)
			if !ok {
				return b, false
			}
			b.meet(rel.Mirrored(), k)
		default: // two numbers
			p, err := atoms.Compile(t.comp, syntax.AsAtom(&syntax.Expr{
				Op: syntax.ExprCompare, Args: []*syntax.Expr{left, right}, Rel: []syntax.Relop{rel}, Type: syntax.BoolType}))
			if err != nil {
				t.err = err
				return b, false
			}
			if !p.Of(nil) {
				b.low, b.high = 1, 0
			}
		}
	}
	return b, t.deliver()
}

func isConstant(e *syntax.Expr) bool {
	owner, _, ok := syntax.ChainOf(syntax.AsAtom(e))
	return ok && owner == syntax.NoChain
}

func (t *tally) constant(e *syntax.Expr) (int64, bool) {
	k, err := atoms.CompileTerm(t.comp, e)
	if err != nil {
		t.err = err
		return 0, false
	}
	return t.number(k.Of(nil))
}

// number returns the numerator of a number.
func (t *tally) number(x graphs.Value) (int64, bool) {
	if x.Kind != graphs.Number || x.Float && t.shift == 0 {
		return 0, false
	}
	if !x.Float {
		k := x.Int64()
		if k > largestTotal>>t.shift || k < -largestTotal>>t.shift {
			return 0, false
		}
		return k << t.shift, true
	}
	scaled := math.Ldexp(x.Float64(), t.shift)
	if math.Abs(scaled) > t.limit || scaled != math.Trunc(scaled) {
		return 0, false
	}
	return int64(scaled), true
}

// count notes the size of a number that was added.
func (t *tally) count(x int64) bool {
	t.total += math.Abs(float64(x))
	return t.total <= t.limit
}

// add adds e as often as factor says.
func (t *tally) add(e *syntax.Expr, factor int64) bool {
	if _, _, ok := syntax.ChainOf(syntax.AsAtom(e)); ok {
		return t.chain(e, factor)
	}
	switch e.Op {
	case syntax.ExprTransit:
		t.channels[[2]int{e.FromID, e.ToID}] += factor
		return true
	case syntax.ExprNeg:
		return t.add(e.Args[0], -factor)
	case syntax.ExprAdd:
		return t.add(e.Args[0], factor) && t.add(e.Args[1], factor)
	case syntax.ExprSub:
		return t.add(e.Args[0], factor) && t.add(e.Args[1], -factor)
	case syntax.ExprMul:
		return t.times(e.Args[0], e.Args[1], factor) || t.times(e.Args[1], e.Args[0], factor)
	case syntax.ExprSum:
		for _, arg := range e.Args {
			if !t.add(arg, factor) {
				return false
			}
		}
		return true
	case syntax.ExprCount:
		for _, f := range e.Sub {
			if _, _, ok := syntax.ChainOf(f); !ok || !t.truth(f, factor) {
				return false
			}
		}
		return true
	}
	return false
}

// times adds k*e, where k is a whole number.
func (t *tally) times(k, e *syntax.Expr, factor int64) bool {
	const most = 1 << 30
	if !isConstant(k) {
		return false
	}
	term, err := atoms.CompileTerm(t.comp, k)
	if err != nil {
		t.err = err
		return false
	}
	x := term.Of(nil)
	if x.Kind != graphs.Number || x.Float || x.Int64() > most || x.Int64() < -most || factor > most || factor < -most {
		return false
	}
	return t.add(e, factor*x.Int64())
}

// chain adds an expression of one chain.
func (t *tally) chain(e *syntax.Expr, factor int64) bool {
	term, err := atoms.CompileTerm(t.comp, e)
	if err != nil {
		t.err = err
		return false
	}
	column := atoms.Along(term)
	return t.column(column.Events, factor, func(i int) (int64, bool) { return t.number(column.Values[i]) })
}

// truth adds 1 where a formula of one chain holds.
func (t *tally) truth(f *syntax.Formula, factor int64) bool {
	p, err := atoms.Compile(t.comp, f)
	if err != nil {
		t.err = err
		return false
	}
	column := atoms.Along(p)
	one := int64(1) << t.shift
	return t.column(column.Events, factor, func(i int) (int64, bool) {
		if column.Values[i] {
			return one, true
		}
		return 0, true
	})
}

// column gives each event of a column the weight by which it changes the value: the
// i-th event leads to value i+1.
func (t *tally) column(events []graphs.Event, factor int64, value func(i int) (int64, bool)) bool {
	before := int64(0)
	for i := range len(events) + 1 {
		x, ok := value(i)
		if !ok || math.Abs(float64(x))*math.Abs(float64(factor)) > t.limit {
			return false
		}
		x *= factor
		if !t.count(x - before) {
			return false
		}
		if i == 0 {
			t.base += x
		} else {
			t.weight[events[i-1]] += x - before
		}
		before = x
	}
	return true
}

// deliver adds the messages in transit.
func (t *tally) deliver() bool {
	if len(t.channels) == 0 {
		return true
	}
	for _, m := range t.comp.Messages() {
		factor := t.channels[[2]int{t.comp.Process(m.Send), int(m.To)}]
		if factor == 0 {
			continue
		}
		if math.Abs(float64(factor)) > t.limit/float64(int64(2)<<t.shift) || !t.count(factor<<t.shift) {
			return false
		}
		t.weight[m.Send] += factor << t.shift
		if m.Recv != graphs.Bottom {
			t.weight[m.Recv] -= factor << t.shift
		}
	}
	return true
}

// at returns the sum at a cut.
func (t *tally) at(cut graphs.Cut) int64 {
	x := t.base
	for p, k := range cut {
		for i := 1; i <= int(k); i++ {
			x += t.weight[t.comp.Event(p, i)]
		}
	}
	return x
}
