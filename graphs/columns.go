package graphs

import (
	"slices"

	"github.com/pota-project/pota/graphs/dense"
)

// An assignment is kept in the order of addition until Build makes the columns of the variables:
// with many processes, appending to a column each time would access scattered memory, and copy
// columns as they grow.
type assignment struct {
	variable int32 // the number of the variable
	handle   Handle
	bits     uint64 // a number or Boolean, or the number of a string among those of the variable
}

// columns makes the columns of the variables, and releases the assignments.
//
// The time complexity of columns is O(variables+assignments).
func (b *Builder) columns(c *Computation) {
	if b.joined {
		for _, s := range b.sets.All() {
			w := b.vars[s.variable]
			v := b.vars[w.number]
			if v != w && v.Kind == String {
				s.bits = uint64(v.textNumber(w.odd.text[s.bits], b.texts(v)))
			}
			s.variable = v.number
		}
	}
	events := dense.Group(len(b.vars), func(add func(int, Event)) {
		for _, s := range b.sets.All() {
			add(int(s.variable), b.event(c, s.handle))
		}
	})
	group := func(want func(Kind) bool) dense.Rows[uint64] {
		wanted := make([]bool, len(b.vars))
		for i, v := range b.vars {
			wanted[i] = want(v.Kind)
		}
		return dense.Group(len(b.vars), func(add func(int, uint64)) {
			for _, s := range b.sets.All() {
				if wanted[s.variable] {
					add(int(s.variable), s.bits)
				}
			}
		})
	}
	numbers := group(func(k Kind) bool { return k == Number })
	others := group(func(k Kind) bool { return k != Number })
	if b.floats != nil {
		seen := make([]int, len(b.vars))
		for i, s := range b.sets.All() {
			if b.floats.Has(i) {
				b.vars[s.variable].oddly().floats.Grow(seen[s.variable])
			}
			seen[s.variable]++
		}
	}
	for i, v := range b.vars {
		if v.number != int32(i) {
			continue // v became part of a shared variable
		}
		v.events = slices.Clip(events.Row(i))
		if v.Kind == Number {
			v.bits = slices.Clip(numbers.Row(i))
		}
		for k, x := range others.Row(i) {
			switch {
			case v.Kind == String:
				v.odd.strs = append(v.odd.strs, int32(x))
			case x != 0:
				(*dense.Set)(&v.bits).Grow(k)
			}
		}
	}
	b.sets, b.floats = dense.List[assignment]{}, nil
}

// NewVariable returns a variable of a process with the value init before all events, and values[i]
// from events[i] on. The events must be in process order, and all values must have the kind of
// init.
func NewVariable(process int, name string, init Value, events []Event, values []Value) *Variable {
	v := &Variable{Name: name, Process: process, Init: init, Kind: init.Kind}
	intern := make(map[string]int32)
	for i, e := range events {
		v.append(e, values[i], intern)
	}
	return v
}

// WithVariables returns c with more variables. Their names must be new on their processes. The
// result shares everything else with c.
//
// The time complexity of WithVariables is O(variables · log variables).
func (c *Computation) WithVariables(added []*Variable) *Computation {
	if len(added) == 0 {
		return c
	}
	d := *c
	d.setVariables(slices.Concat(c.vars, added))
	return &d
}
