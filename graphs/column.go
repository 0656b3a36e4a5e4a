package graphs

import "slices"

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
