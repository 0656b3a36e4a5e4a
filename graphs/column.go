package graphs

import (
	"cmp"
	"slices"
)

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
	byProcess := func(v, w *Variable) int { return cmp.Compare(v.Process, w.Process) }
	d := *c
	d.vars = slices.Concat(c.vars, added)
	slices.SortStableFunc(d.vars, byProcess)
	d.varsOf = make(map[string]*namesakes, len(c.varsOf)+len(added))
	for name, all := range c.varsOf {
		d.varsOf[name] = all
	}
	own := make(map[string]bool)
	for _, v := range added {
		all := d.varsOf[v.Name]
		if !own[v.Name] {
			own[v.Name] = true
			if d.varsOf[v.Name] = new(namesakes); all != nil {
				d.varsOf[v.Name].vars = slices.Clone(all.vars)
			}
			all = d.varsOf[v.Name]
		}
		all.vars = append(all.vars, v)
	}
	for name := range own {
		slices.SortStableFunc(d.varsOf[name].vars, byProcess)
	}
	return &d
}
