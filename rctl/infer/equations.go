package infer

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/infer/nullspace"
)

// A quantity is a number of each cut that events change by amounts of their own, whatever happens beside
// them: the sum of a variable over a class, how many processes are in a state, or how many messages are
// in transit.
//
// For example, let a token move by messages. A send makes count(has) 1 less and messages in
// transit 1 more; a receive does the opposite. With the quantities in this order the effects are
// (-1, 1) and (1, -1). Their null space is spanned by (1, 1): the sum of both never changes, and
// the run begins with 1.
//
//	AG((count i: has@i) + (sum i: sum j: transit(i, j)) == 1)
type quantity struct {
	text, says string
	tracked    int // the number of the variable, -1 for none
	literal    int // that is counted, -1 for none
	messages   bool
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
	for k, x := range f.tracked {
		if x.kind != graphs.Number {
			continue
		}
		text := x.of("i")
		if !x.class.single {
			text = "(" + x.class.quantifier("sum", "i", x) + text + ")"
		}
		all = append(all, quantity{text: text, says: x.text, tracked: k, literal: -1})
	}
	for l, p := range f.literals {
		// Processes with a literal and with its negation are all processes. So are all values of a variable
		// together.
		if !p.rest && !p.variable.class.single && p.value.Kind == graphs.Bool {
			all = append(all, quantity{
				text:    "(" + f.quantifier("count", "i", l) + p.of("i") + ")",
				says:    "processes with " + p.words(),
				tracked: -1,
				literal: l,
			})
		}
	}
	all = all[:min(len(all), maxQuantities)]
	if !slices.ContainsFunc(f.good, func(g *facts) bool { return g.comp.NumProcesses() > maxEnds }) {
		const text = "(sum i: sum j: transit(i, j))"
		all = append(all, quantity{text: text, says: "messages in transit", tracked: -1, literal: -1, messages: true})
	}
	return all
}

// equations: a sum of quantities, each with a factor, is the same at all cuts if and only if each event
// leaves it the same. So the factors are the null space of what events do.
//
// This is exact, not a guess from samples: a cut is the initial one and the effects of its events,
// in any order. Events of one step happen together and have one effect. The time complexity is
// that of package nullspace for as many vectors as there are different effects.
func (f *filler) equations() {
	all := f.quantities()
	space := nullspace.Of(len(all))
	known := make(map[string]bool)
	first := make([]int64, len(all))
	for i, g := range f.good {
		initial, effects := g.effects(all)
		if initial == nil {
			return // numbers that are not whole
		}
		if i == 0 {
			first = initial
		}
		// What runs begin with must be the same, too.
		begin := slices.Clone(initial)
		for k := range begin {
			begin[k] -= first[k]
		}
		for _, e := range append(slices.Clone(effects), begin) {
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
			initial, effects := g.effects(all)
			sum := func(v []int64) (n int64) {
				for k := range v {
					n += v[k] * factors[k]
				}
				return n
			}
			return initial != nil && sum(initial) == constant && !slices.ContainsFunc(effects, func(e []int64) bool { return sum(e) != 0 })
		},
		asked: func(g *facts) int {
			_, effects := g.effects(all)
			return len(slices.DeleteFunc(slices.Clone(effects), func(e []int64) bool {
				return !slices.ContainsFunc(indicesOf(factors), func(k int) bool { return e[k] != 0 })
			}))
		},
	})
}

// indicesOf returns the places of factors other than 0.
func indicesOf(factors []int64) []int {
	var all []int
	for k, n := range factors {
		if n != 0 {
			all = append(all, k)
		}
	}
	return all
}

// maxEffects bounds the different effects of events: where there are more, numbers take any value.
const maxEffects = 10_000

// An account is what quantities are in the beginning of a run, and how its events change them.
type account struct {
	initial []int64
	effects [][]int64 // each once
}

// effects returns the account of a run, once and for all. It is empty where a number is not whole, or
// events do too many different things.
func (f *facts) effects(all []quantity) (initial []int64, effects [][]int64) {
	if f.account == nil {
		f.account = f.accountOf(all)
	}
	return f.account.initial, f.account.effects
}

// accountOf finds the account: it lists all changes, sorts them by step, and keeps each effect
// once. Runs have few different effects, so the null space sees few vectors. The time complexity
// is O(s·q + c·log c) for s segments, q quantities and c changes.
func (f *facts) accountOf(all []quantity) *account {
	a := &account{initial: make([]int64, len(all))}
	var changes []change
	for i := range f.chains {
		h := &f.chains[i]
		for s := range h.segments {
			at := &h.segments[s]
			for k, q := range all {
				x, ok := f.amount(at, q)
				if !ok {
					return new(account)
				}
				if s == 0 {
					a.initial[k] += x
				} else if was, _ := f.amount(&h.segments[s-1], q); x != was {
					changes = append(changes, change{f.stepOf(at.begin), k, x - was})
				}
			}
		}
	}
	if last := len(all) - 1; last >= 0 && all[last].messages {
		for _, m := range f.comp.Messages() {
			// A message to nobody known is in no channel.
			if m.To >= 0 || m.Recv != graphs.Bottom {
				changes = append(changes, change{f.stepOf(m.Send), last, 1})
			}
			if m.Recv != graphs.Bottom {
				changes = append(changes, change{f.stepOf(m.Recv), last, -1})
			}
		}
	}
	slices.SortFunc(changes, func(x, y change) int { return cmp.Or(cmp.Compare(x.step, y.step), x.quantity-y.quantity) })

	known := make(map[string]bool)
	for len(changes) > 0 {
		n := slices.IndexFunc(changes, func(x change) bool { return x.step != changes[0].step })
		if n < 0 {
			n = len(changes)
		}
		var key []byte
		for _, x := range changes[:n] {
			key = binary.AppendVarint(binary.AppendVarint(key, int64(x.quantity)), x.by)
		}
		if text := string(key); !known[text] {
			known[text] = true
			effect := make([]int64, len(all))
			for _, x := range changes[:n] {
				effect[x.quantity] += x.by
			}
			a.effects = append(a.effects, effect)
		}
		if len(known) > maxEffects {
			return new(account)
		}
		changes = changes[n:]
	}
	return a
}

// A change is what a step does to a quantity.
type change struct {
	step     graphs.Event
	quantity int
	by       int64
}

// stepOf returns the first event of the step of an event: what happens together is one effect.
func (f *facts) stepOf(e graphs.Event) graphs.Event {
	if !f.comp.Cyclic() {
		return e
	}
	return f.comp.Step(e)[0]
}

// amount returns what a segment adds to a quantity. It is not ok for numbers that are not whole.
func (f *facts) amount(s *segment, q quantity) (n int64, ok bool) {
	switch {
	case q.literal >= 0 && s.truth.has(q.literal):
		return 1, true
	case q.tracked >= 0:
		x := f.value(s, q.tracked)
		if x.Kind != graphs.Number {
			return 0, true
		}
		return x.Int64(), !x.Float
	}
	return 0, true
}
