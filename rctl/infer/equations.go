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
	messages   bool // in transit, or else
	amount     func(f *facts, s *segment) graphs.Value
}

// Bounds on equations: people say no larger ones.
const (
	maxQuantities = 40
	maxFactor     = 4
	maxTerms      = 4
	maxEnds       = 16 // processes: a sum over channels has the square of them
)

// quantities returns what equations may be about.
func (f *filler) quantities() []quantity {
	var all []quantity
	for k, x := range f.states {
		if !numbers(f, k, k) {
			continue
		}
		text := x.of("i")
		if !x.class.single {
			text = "(" + x.class.quantifier("sum", "i", x) + text + ")"
		}
		amount := func(f *facts, s *segment) graphs.Value { return f.value(s, k) }
		all = append(all, quantity{text: text, says: x.text, amount: amount})
	}
	for l, p := range f.literals {
		// Processes with a literal and with its negation are all processes. So are all
		// values of a variable together.
		if p.rest || p.variable.class.single || p.value.Kind != graphs.Bool {
			continue
		}
		text := "(" + f.quantifier("count", "i", l) + p.of("i") + ")"
		all = append(all, quantity{text: text, says: "processes with " + p.words(), amount: func(_ *facts, s *segment) graphs.Value {
			if s.truth.Has(l) {
				return graphs.Int(1)
			}
			return graphs.Int(0)
		}})
	}
	all = all[:min(len(all), maxQuantities)]
	if !slices.ContainsFunc(f.good, func(g *facts) bool { return g.comp.NumProcesses() > maxEnds }) {
		const text = "(sum i: sum j: transit(i, j))"
		all = append(all, quantity{text: text, says: "messages in transit", messages: true})
	}
	return all
}

// equations: a sum of quantities, each with a factor, is the same at all cuts if and only if each
// event leaves it the same. So the factors are the null space of what events do.
//
// This is exact, not a guess from samples: a cut is the initial one and the effects of its events,
// in any order. Events of one step happen together and have one effect. The time complexity is
// that of package nullspace for as many vectors as there are different effects.
func (f *filler) equations() {
	all := f.quantities()
	space := nullspace.Of(len(all))
	known := make(map[string]bool)
	var first []int64
	for _, g := range f.good {
		a := g.accountOf(all)
		if a.initial == nil {
			return // numbers that are not whole
		}
		if first == nil {
			first = a.initial
		}
		// What runs begin with must be the same, too.
		begin := slices.Clone(a.initial)
		for k := range begin {
			begin[k] -= first[k]
		}
		for _, e := range append(slices.Clone(a.effects), begin) {
			if key := fmt.Sprint(e); !known[key] {
				known[key] = true
				space.Add(e)
			}
		}
	}
	for _, factors := range space.Basis(maxFactor) {
		f.equation(all, factors, first)
	}
}

// equation adds the candidate that a sum of quantities keeps its first value.
func (f *filler) equation(all []quantity, factors, first []int64) {
	var text, says [2][]string // the terms on both sides
	constant, terms := int64(0), 0
	for k, n := range factors {
		if n == 0 {
			continue
		}
		terms++
		constant += n * first[k]
		side, factor := 0, ""
		if n < 0 {
			side, n = 1, -n
		}
		if n > 1 {
			factor = fmt.Sprintf("%d * ", n)
		}
		text[side], says[side] = append(text[side], factor+all[k].text), append(says[side], factor+all[k].says)
	}
	// A quantity that never changes is a constant, and no equation.
	if terms < 2 || terms > maxTerms {
		return
	}
	// The constant goes to the side that keeps it positive: a + b == 3, and a == b + 3 rather than
	// a - b == 3.
	write := func(sides [2][]string) (left, right string) {
		if side := 0; constant != 0 || sides[1] == nil {
			if sides[1] != nil && constant < 0 {
				side = 1
			}
			sides[1-side] = append(slices.Clone(sides[1-side]), fmt.Sprint(max(constant, -constant)))
		}
		return strings.Join(sides[0], " + "), strings.Join(sides[1], " + ")
	}
	left, right := write(text)
	this, that := write(says)
	f.add(&candidate{
		formula: fmt.Sprintf("AG(%s == %s)", left, right),
		says:    fmt.Sprintf("%s is always %s", this, that),
		holds: func(g *facts) bool {
			sum := func(v []int64) (n int64) {
				for k := range v {
					n += v[k] * factors[k]
				}
				return n
			}
			a := g.accountOf(all)
			return a.initial != nil && sum(a.initial) == constant &&
				!slices.ContainsFunc(a.effects, func(e []int64) bool { return sum(e) != 0 })
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
		// What happens together is one effect.
		if f.comp.Cyclic() {
			e = f.comp.Step(e)[0]
		}
		if steps[e] == nil {
			steps[e] = make([]int64, len(all))
		}
		steps[e][k] += by
	}
	for k, q := range all {
		if q.messages {
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
		for i := range f.chains {
			was := int64(0)
			for s := range f.chains[i].segments {
				at := &f.chains[i].segments[s]
				value := q.amount(f, at)
				if value.Float {
					return f.account
				}
				is := int64(0)
				if value.Kind == graphs.Number {
					is = value.Int64()
				}
				if s == 0 {
					initial[k] += is
				} else if is != was {
					change(at.begin, k, is-was)
				}
				was = is
			}
		}
	}
	known := make(map[string]bool)
	var effects [][]int64
	var key []byte
	for _, effect := range steps {
		// Of []int64, this cannot fail.
		if key, _ = binary.Append(key[:0], binary.LittleEndian, effect); !known[string(key)] {
			known[string(key)] = true
			effects = append(effects, effect)
		}
	}
	if len(effects) <= maxEffects {
		*f.account = account{initial, effects}
	}
	return f.account
}
