package infer

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/infer/nullspace"
)

// A quantity is a number of each cut that events change by amounts of their own, whatever
// happens beside them: the sum of a variable over a class, how many processes are in a state, or
// how many messages are in transit.
//
// For example, let a token move by messages. A send makes count(has) 1 less and messages in
// transit 1 more; a receive does the opposite. With the quantities in this order the effects are
// (-1, 1) and (1, -1). Their null space is spanned by (1, 1): the sum of both never changes, and
// the run begins with 1.
//
//	AG((count i: has@i) + (sum i: sum j: transit(i, j)) == 1)
type quantity struct {
	text, says string
	amount     func(h *chain, s int) graphs.Value // nil for messages in transit
}

// Bounds on equations: people say no larger ones.
const (
	maxQuantities = 40
	maxFactor     = 4
	maxTerms      = 4
)

// quantities returns what equations may be about.
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
		all = append(all, quantity{text, x.text, func(h *chain, s int) graphs.Value { return h.value(s, k) }})
	}
	for l, p := range f.literals {
		// Processes with a literal and with its negation are all processes. So are all
		// values of a variable together.
		if p.rest || p.variable.class.single || p.value.Kind != graphs.Bool {
			continue
		}
		text := "(" + p.variable.class.quantifier("count", "i", p.variable) + p.of("i") + ")"
		all = append(all, quantity{text, "processes with " + p.words(), func(h *chain, s int) graphs.Value {
			if h.segments[s].truth.Has(l) {
				return graphs.Int(1)
			}
			return graphs.Int(0)
		}})
	}
	all = all[:min(len(all), maxQuantities)]
	if f.channels() {
		all = append(all, quantity{"(sum i: sum j: transit(i, j))", "messages in transit", nil})
	}
	return all
}

// equations: a sum of quantities, each with a factor, is the same at all cuts if and only if each
// event leaves it the same. So the factors are the null space of what events do.
//
// This is exact, not a guess from samples: a cut is the initial one and the effects of its events,
// in any order. Events of one step happen together and have one effect. What runs begin with must be
// the same, too. The time complexity is that of package nullspace for as many vectors as there are
// different effects.
func (f *filler) equations() {
	all := f.quantities()
	space := nullspace.Of(len(all))
	for _, g := range f.good {
		a := g.accountOf(all)
		if a.initial == nil {
			return // numbers that are not whole
		}
		begin := slices.Clone(a.initial)
		for k, n := range f.good[0].account.initial {
			begin[k] -= n
		}
		space.Add(begin)
		for _, e := range a.effects {
			space.Add(e)
		}
	}
	for _, factors := range space.Basis(maxFactor) {
		f.equation(all, factors)
	}
}

// equation adds the candidate that a sum of quantities keeps its first value.
func (f *filler) equation(all []quantity, factors []int64) {
	constant := dot(factors, f.good[0].account.initial)
	// Constants are positive, where they can be: b == a + 3 rather than a == b + -3.
	if constant < 0 && slices.Min(factors) < 0 {
		for k := range factors {
			factors[k] = -factors[k]
		}
		constant = -constant
	}
	var left, right, this, that []string // of the formula, and in words
	for k, n := range factors {
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
	// A quantity that never changes is a constant, and no equation.
	if terms := len(left) + len(right); terms < 2 || terms > maxTerms {
		return
	}
	if constant != 0 || right == nil {
		right, that = append(right, fmt.Sprint(constant)), append(that, fmt.Sprint(constant))
	}
	f.add(&candidate{
		formula: fmt.Sprintf("AG(%s == %s)", strings.Join(left, " + "), strings.Join(right, " + ")),
		says:    fmt.Sprintf("%s is always %s", strings.Join(this, " + "), strings.Join(that, " + ")),
		holds: func(g *facts) bool {
			a := g.accountOf(all)
			changes := func(e []int64) bool { return dot(factors, e) != 0 }
			return a.initial != nil && dot(factors, a.initial) == constant && !slices.ContainsFunc(a.effects, changes)
		},
		asked: func(g *facts) int {
			n := 0
			for _, e := range g.accountOf(all).effects {
				for k := range e {
					if e[k] != 0 && factors[k] != 0 {
						n++
						break
					}
				}
			}
			return n
		},
	})
}

func dot(x, y []int64) (sum int64) {
	for k := range x {
		sum += x[k] * y[k]
	}
	return sum
}

// maxEffects bounds the different effects of events: where there are more, numbers take any value.
const maxEffects = 10_000

// An account is what quantities are in the beginning of a run, and how its events change them. It
// is empty where a number is not whole, or events do too many different things.
type account struct {
	initial []int64
	effects [][]int64 // each once
}

// accountOf returns the account of a run. It adds up what each step changes, and keeps each effect
// once: runs have few different ones, so the null space sees few vectors. The time complexity is
// O(s·q) for s segments and q quantities, the first time.
func (f *facts) accountOf(all []quantity) *account {
	if f.account != nil {
		return f.account
	}
	f.account = new(account)
	initial := make([]int64, len(all))
	steps := make(map[graphs.Event][]int64)
	change := func(e graphs.Event, k int, by int64) {
		e = f.comp.Step(e)[0] // what happens together is one effect
		if steps[e] == nil {
			steps[e] = make([]int64, len(all))
		}
		steps[e][k] += by
	}
	for k, q := range all {
		if q.amount == nil {
			for _, m := range f.comp.Messages() {
				// A message to nobody known is in no channel.
				if m.To >= 0 || m.Recv != graphs.Bottom {
					change(m.Send, k, 1)
				}
				if m.Recv != graphs.Bottom {
					change(m.Recv, k, -1)
				}
			}
			continue
		}
		for _, h := range f.chains {
			was := int64(0)
			for s := range h.segments {
				is := q.amount(&h, s)
				if is.Float {
					return f.account
				}
				if s == 0 {
					initial[k] += is.Int64()
				} else if is.Int64() != was {
					change(h.segments[s].begin, k, is.Int64()-was)
				}
				was = is.Int64()
			}
		}
	}
	var effects [][]int64
	known := make(map[string]bool)
	for _, effect := range steps {
		// Of []int64, this cannot fail.
		if key, _ := binary.Append(nil, binary.LittleEndian, effect); !known[string(key)] {
			known[string(key)] = true
			effects = append(effects, effect)
		}
	}
	if len(effects) <= maxEffects {
		*f.account = account{initial, effects}
	}
	return f.account
}
