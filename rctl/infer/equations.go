package infer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/infer/nullspace"
)

// A quantity is a number at each cut that every event changes by a fixed amount, independently of
// other events: the sum of a variable over a class, the number of processes in a state, or the
// number of messages in transit.
//
// For example, let a token move by messages. A send makes count(has) 1 less and messages in
// transit 1 more; a receive does the opposite. With the quantities in this order the effects are
// (-1, 1) and (1, -1). Their null space is spanned by (1, 1): the sum of both never changes, and
// the run begins with 1.
//
//	AG((count i: has@i) + (sum i: sum j: transit(i, j)) == 1)
type quantity struct {
	text, says string
	// the share of a chain in a segment; nil for messages in transit
	amount func(h *chain, s int) int64
}

// Bounds on equations: larger ones are not of interest to people.
const (
	maxQuantities = 40 // quantities of states
	maxFactor     = 4  // the absolute value of a factor
	maxTerms      = 4  // terms with a factor other than 0
)

// quantities returns the quantities for equations.
func (f *filler) quantities() []quantity {
	var all []quantity
	for k, x := range f.states {
		if !x.number() {
			continue
		}
		text := x.of("i")
		if !x.class.single {
			text = "(" + x.class.quantifier("sum", "i", x) + text + ")"
		}
		all = append(all, quantity{text, x.text, func(h *chain, s int) int64 { return h.value(s, k).Int64() }})
	}
	for l, p := range f.literals {
		// Counts of other literals would give trivial equations: the counts of a literal and of
		// its negation, or of all values of a variable, add up to the number of processes.
		if p.rest || p.variable.class.single || p.value.Kind != graphs.Bool {
			continue
		}
		text := "(" + p.variable.class.quantifier("count", "i", p.variable) + p.of("i") + ")"
		all = append(all, quantity{text, "processes with " + p.words(), func(h *chain, s int) int64 {
			if h.segments[s].truth.Has(l) {
				return 1
			}
			return 0
		}})
	}
	all = all[:min(len(all), maxQuantities)]
	if f.channels() {
		all = append(all, quantity{"(sum i: sum j: transit(i, j))", "messages in transit", nil})
	}
	return all
}

// equations adds the sums of quantities that are constant. A sum of quantities with factors is the
// same at all cuts if and only if no event changes it. Hence the factors are the null space of the
// effects of events.
//
// This is exact, not a guess from samples: the quantities at a cut are their initial values plus the
// effects of the cut's events, in any order. Events of one step happen together and have one effect.
// The initial value of the sum must be the same in all runs, too. The time complexity is that of
// package nullspace for as many vectors as there are different effects.
func (f *filler) equations() {
	all := f.quantities()
	space := nullspace.Of(len(all))
	var first []int64
	effects := make(map[*facts][][]int64)
	for i, g := range f.good {
		begin, changes := g.effects(all)
		effects[g] = changes
		if i == 0 {
			first = slices.Clone(begin)
		}
		for k := range begin {
			begin[k] -= first[k]
		}
		space.Add(begin)
		for _, e := range changes {
			space.Add(e)
		}
	}
	for _, factors := range space.Basis(maxFactor) {
		if c := equation(all, factors, dot(factors, first)); c != nil {
			c.asked = func(g *facts) int { return touching(effects[g], factors) }
			f.add(c)
		}
	}
}

// touching counts the effects that change some quantity with a factor other than 0.
func touching(effects [][]int64, factors []int64) (n int) {
	for _, e := range effects {
		for k := range e {
			if e[k] != 0 && factors[k] != 0 {
				n++
				break
			}
		}
	}
	return n
}

// equation returns the candidate that a sum of quantities is always a constant; nil if it has one
// term, or too many.
func equation(all []quantity, factors []int64, constant int64) *candidate {
	// The constant is positive if possible: b == a + 3 rather than a == b + -3.
	sign := int64(1)
	if constant < 0 && slices.Min(factors) < 0 {
		sign = -1
	}
	var left, right, this, that []string // the sides of the formula, and the same in words
	for k, n := range factors {
		n *= sign
		factor := ""
		if n > 1 || n < -1 {
			factor = fmt.Sprintf("%d * ", max(n, -n))
		}
		if n > 0 {
			left, this = append(left, factor+all[k].text), append(this, factor+all[k].says)
		} else if n < 0 {
			right, that = append(right, factor+all[k].text), append(that, factor+all[k].says)
		}
	}
	// An equation with a single term says only that a quantity never changes.
	if terms := len(left) + len(right); terms < 2 || terms > maxTerms {
		return nil
	}
	if constant != 0 || right == nil {
		rest := fmt.Sprint(sign * constant)
		right, that = append(right, rest), append(that, rest)
	}
	return &candidate{
		formula: fmt.Sprintf("AG(%s == %s)", strings.Join(left, " + "), strings.Join(right, " + ")),
		says:    fmt.Sprintf("%s is always %s", strings.Join(this, " + "), strings.Join(that, " + ")),
	}
}

func dot(x, y []int64) (sum int64) {
	for k := range x {
		sum += x[k] * y[k]
	}
	return sum
}

// effects returns the initial values of quantities in a run, and the effects of its steps on them. It
// returns each effect once: runs have few different ones, so that the null space gets few vectors. The
// time complexity of effects is O(s·q·log s) for s segments and q quantities.
func (f *facts) effects(all []quantity) (begin []int64, effects [][]int64) {
	begin = make([]int64, len(all))
	steps := make(map[graphs.Event][]int64)
	change := func(e graphs.Event, k int, by int64) {
		e = f.Computation.Step(e)[0] // events that happen together have one effect
		if steps[e] == nil {
			steps[e] = make([]int64, len(all))
		}
		steps[e][k] += by
	}
	for k, q := range all {
		if q.amount == nil {
			for _, m := range f.Computation.Messages() {
				// A message without a known receiver is in no channel.
				if m.To >= 0 || m.Recv != graphs.Bottom {
					change(m.Send, k, 1)
				}
				if m.Recv != graphs.Bottom {
					change(m.Recv, k, -1)
				}
			}
			continue
		}
		for i := range f.chains {
			h := &f.chains[i]
			begin[k] += q.amount(h, 0)
			for s := 1; s < len(h.segments); s++ {
				if by := q.amount(h, s) - q.amount(h, s-1); by != 0 {
					change(h.segments[s].begin, k, by)
				}
			}
		}
	}
	effects = slices.SortedFunc(maps.Values(steps), slices.Compare[[]int64])
	return begin, slices.CompactFunc(effects, slices.Equal[[]int64])
}
