package graphs

import (
	"slices"

	"github.com/pota-project/pota/graphs/dense"
)

// Assignments are kept in the order of adding until the columns of the variables are made: with
// many processes, each would have its next assignment somewhere else in memory, and columns that
// grow are copied.
type assignment struct {
	variable int32 // number
	handle   Handle
	bits     uint64 // of a number or Boolean; of a string, its number among those of the variable
}

// columns appends the assignments so far to the columns of their variables, and forgets
// them. event tells what stands there for a handle.
//
// The time complexity of columns is O(variables+assignments).
func (b *Builder) columns(event func(Handle) Event) {
	if b.sets.Len() == 0 {
		return
	}
	group := func(want func(Kind) bool) dense.Rows[uint64] {
		kinds := make([]bool, len(b.vars))
		for i, v := range b.vars {
			kinds[i] = want(v.Kind)
		}
		return dense.Group(len(b.vars), func(add func(int, uint64)) {
			for _, s := range b.sets.All() {
				if kinds[s.variable] {
					add(int(s.variable), s.bits)
				}
			}
		})
	}
	events := dense.Group(len(b.vars), func(add func(int, Event)) {
		for _, s := range b.sets.All() {
			add(int(s.variable), event(s.handle))
		}
	})
	numbers := group(func(k Kind) bool { return k == Number })
	others := group(func(k Kind) bool { return k != Number })
	if b.floats != nil {
		seen := make([]int, len(b.vars))
		for i, s := range b.sets.All() {
			if v := b.vars[s.variable]; b.floats.Has(i) {
				v.oddly().floats.Grow(len(v.events) + seen[s.variable])
			}
			seen[s.variable]++
		}
	}
	for i, v := range b.vars {
		for k, x := range others.Row(i) {
			switch {
			case v.Kind == String:
				v.odd.strs = append(v.odd.strs, int32(x))
			case x != 0:
				(*dense.Set)(&v.bits).Grow(len(v.events) + k)
			}
		}
		if v.Kind == Number {
			v.bits = extended(v.bits, numbers.Row(i))
		}
		v.events = extended(v.events, events.Row(i))
	}
	b.sets, b.floats = dense.List[assignment]{}, nil
}

// extended returns list with more behind it. It may share memory with both.
func extended[T any](list, more []T) []T {
	if len(list) == 0 {
		return slices.Clip(more)
	}
	return append(list, more...)
}

// NewVariable returns a variable of a process: init before all events, and values[i] from events[i]
// on. The events are in their order, and all values have the kind of init.
func NewVariable(process int, name string, init Value, events []Event, values []Value) *Variable {
	v := &Variable{Name: name, Process: process, Init: init, Kind: init.Kind}
	intern := make(map[string]int32)
	for i, e := range events {
		v.append(e, values[i], intern)
	}
	return v
}

// WithVariables returns c with more variables. Their names must be new on their processes. All else
// is shared with c.
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
