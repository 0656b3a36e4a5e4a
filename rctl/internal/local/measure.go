package local

import (
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A measure estimates how far a formula is from holding at a cut: usually 0 if it holds. Only
// the order of a search depends on it. A nil measure is 0 everywhere.
type measure func(cut graphs.Cut) float64

// never is the measure of a predicate that will not become true any more.
const never = 1 << 16

// maxMeasured bounds the parts of a formula that are measured.
const maxMeasured = 100

// measure returns the measure of a formula in negation normal form. For a predicate of
// one process it is the number of events to the next one that makes it true, for a
// comparison the difference missing, for && the sum and for || the least of the
// operands. A temporal operator has the measure of its goal. The measure is nil if there
// are many parts.
func (x *evaluation) measure(f *syntax.Formula) measure {
	parts := 0
	syntax.Walk(f, func(f *syntax.Formula) bool {
		parts++
		return !syntax.OfOneChain(f)
	})
	if parts > maxMeasured {
		return nil
	}
	return x.distance(f)
}

// distance makes the measure of a formula, once for each.
func (x *evaluation) distance(f *syntax.Formula) measure {
	if syntax.OfOneChain(f) {
		return x.chain(f)
	}
	subs := syntax.Mapped(f.Sub, x.distance)
	switch f.Op {
	case syntax.OpAtom:
		return x.comparison(f.Expr)
	case syntax.OpNot:
		if e, ok := syntax.Invert(f.Sub[0].Expr); ok {
			return x.comparison(e)
		}
		return nil
	case syntax.OpAnd:
		return func(cut graphs.Cut) float64 {
			sum := 0.0
			for _, sub := range subs {
				sum += sub.at(cut)
			}
			return sum
		}
	case syntax.OpOr:
		return func(cut graphs.Cut) float64 {
			least := math.Inf(1)
			for _, sub := range subs {
				least = min(least, sub.at(cut))
			}
			return least
		}
	}
	return subs[len(subs)-1] // the goal of the operator
}

// at returns the measure at a cut; the nil measure is 0 everywhere.
func (m measure) at(cut graphs.Cut) float64 {
	if m == nil {
		return 0
	}
	return m(cut)
}

// chain measures a predicate of one process.
func (x *evaluation) chain(f *syntax.Formula) measure {
	t, err := atoms.NewTest(x.Comp, f)
	if err != nil || t.States == nil {
		return nil
	}
	p, _, _ := syntax.ChainOf(f)
	steps := make([]int32, len(t.States))
	next := int32(never)
	for s := len(steps) - 1; s >= 0; s-- {
		next = min(next+1, never)
		if t.States[s] {
			next = 0
		}
		steps[s] = next
	}
	return func(cut graphs.Cut) float64 { return float64(steps[cut[p]]) }
}

// comparison measures a comparison of numbers, or several in a row.
func (x *evaluation) comparison(e *syntax.Expr) measure {
	if e.Op != syntax.ExprCompare || e.Args[0].Type != syntax.NumberType {
		return nil
	}
	terms := make([]*atoms.Term, len(e.Args))
	envs := make([][]graphs.Value, len(e.Args))
	for i, arg := range e.Args {
		t, err := atoms.CompileTerm(x.Comp, arg)
		if err != nil {
			return nil
		}
		terms[i], envs[i] = t, t.Env()
	}
	return func(cut graphs.Cut) float64 {
		missing := 0.0
		last := terms[0].At(cut, envs[0]).Float64()
		for i, rel := range e.Rel {
			next := terms[i+1].At(cut, envs[i+1]).Float64()
			missing += lacking(rel, next-last)
			last = next
		}
		return missing
	}
}

// lacking returns how much is missing for x rel y, more being y - x.
func lacking(rel syntax.Relop, more float64) float64 {
	switch rel {
	case syntax.Less:
		return max(0, 1-more)
	case syntax.LessEqual:
		return max(0, -more)
	case syntax.Greater:
		return max(0, 1+more)
	case syntax.GreaterEqual:
		return max(0, more)
	case syntax.Equal:
		return math.Abs(more)
	}
	if more == 0 {
		return 1
	}
	return 0
}
