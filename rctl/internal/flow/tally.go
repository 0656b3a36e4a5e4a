package flow

import (
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A tally is a sum over the chains of a computation. Its numbers are whole
// multiples of 2^-shift, kept as their numerators.
type tally struct {
	comp *graphs.Computation
	// by event: the change that it makes to the sum; for ⊥: the sum before all events
	weight []int64

	shift int
	limit float64 // the bound on total
	total float64 // the sum of the absolute values of all numbers that were added
}

const (
	// largestTotal keeps sums of weights within an int64.
	largestTotal = 1 << 60
	// Floats are converted to multiples of 2^-floatShift, as long as float64
	// adds them exactly.
	floatShift        = 20
	largestFloatTotal = 1 << 52
)

// tallyOf makes a tally of a comparison of a sum with numbers, or of the left side of
// a comparison minus the right one, and the ranges that the sum must be in. If floats
// occur it starts again with fractions. The tally is nil if the comparison is of another
// kind, or its numbers are too large.
func tallyOf(c *graphs.Computation, e *syntax.Expr) (*tally, ranges, error) {
	sum, minus := 0, e.Args[1]
	numbers := []graphs.Value{{}, graphs.Int(0)}
	if len(e.Args) > 2 {
		// One of the sides is a sum, and all others are numbers.
		sum, minus = -1, nil
		numbers = make([]graphs.Value, len(e.Args))
		for i, side := range e.Args {
			number, ok := atoms.Constant(c, side)
			switch {
			case ok:
				numbers[i] = number
			case sum >= 0:
				return nil, nil, nil
			default:
				sum = i
			}
		}
		if sum < 0 {
			return nil, nil, nil
		}
	}
	l, err := atoms.Decompose(c, e.Args[sum], minus)
	if err != nil || l == nil {
		return nil, nil, err
	}
	for _, t := range []*tally{{comp: c, limit: largestTotal}, {comp: c, limit: largestFloatTotal, shift: floatShift}} {
		if in, ok := t.within(e.Rel, sum, numbers); ok && t.add(l) {
			return t, in, nil
		}
	}
	return nil, nil, nil
}

// within returns the ranges that a comparison allows the side sum. The other sides are
// numbers.
func (t *tally) within(rels []syntax.Relop, sum int, numbers []graphs.Value) (in ranges, ok bool) {
	in = everything
	for i, rel := range rels {
		number := numbers[i]
		switch {
		case rel == syntax.NotEqual && len(rels) > 1:
			return nil, false
		case sum == i:
			number = numbers[i+1]
		case sum == i+1:
			rel = rel.Mirrored()
		default: // two numbers
			if !scope.Related(rel, number, numbers[i+1]) {
				in = nil
			}
			continue
		}
		k, ok := t.number(number)
		if !ok {
			return nil, false
		}
		in = in.and(related(rel, k))
	}
	return in, true
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

// count adds a number to total, and reports whether that is within the limit.
func (t *tally) count(x int64) bool {
	t.total += math.Abs(float64(x))
	return t.total <= t.limit
}

// add adds a sum. It returns false if a number does not fit.
func (t *tally) add(l *atoms.Linear) bool {
	t.weight = make([]int64, t.comp.Top()+1)
	for _, part := range l.Terms {
		// The weight of an event is the change that it makes to the value of the term.
		before := int64(0)
		for e, value := range part.Term.Steps() {
			x, ok := t.number(value)
			if !ok || math.Abs(float64(x))*math.Abs(float64(part.Factor)) > t.limit {
				return false
			}
			x *= part.Factor
			if !t.count(x - before) {
				return false
			}
			t.weight[e] += x - before
			before = x
		}
	}
	return len(l.Channels) == 0 || t.deliver(l.Channels)
}

// deliver adds the messages in transit.
func (t *tally) deliver(channels []atoms.Channel) bool {
	factors := make(map[[2]int]int64, len(channels))
	for _, h := range channels {
		factors[[2]int{h.From, h.To}] = h.Factor
	}
	for _, m := range t.comp.Messages() {
		factor := factors[[2]int{t.comp.Process(m.Send), int(m.To)}]
		if factor == 0 {
			continue
		}
		if math.Abs(float64(factor)) > t.limit/float64(int64(2)<<t.shift) ||
			!t.count(factor<<t.shift) {
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
	x := t.weight[graphs.Bottom]
	for p, k := range cut {
		for i := 1; i <= int(k); i++ {
			x += t.weight[t.comp.Event(p, i)]
		}
	}
	return x
}

// same reports whether two sums are the same up to a constant.
func (t *tally) same(u *tally) bool {
	return t.shift == u.shift && slices.Equal(t.weight[1:], u.weight[1:])
}

// divisor returns the greatest common divisor of all weights, or 0 if all are 0.
// The sum always differs by a multiple of it from the sum before all events.
func (t *tally) divisor() int64 {
	d := int64(0)
	for _, x := range t.weight[1:] {
		for x != 0 {
			d, x = x, d%x
		}
	}
	return max(d, -d)
}
