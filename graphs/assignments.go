package graphs

import (
	"cmp"
	"fmt"
	"slices"
)

// In a trace, happened-before is the order of its graph. A slice is a graph with added edges: they
// may make one meta-event of several events that the other edges still order. Therefore the
// assignments of a shared variable are compared in the first of these layers in which they belong
// to different meta-events: the whole graph; the graph without general edges; the graph without
// general edges and syncs.

// An UnorderedError names two concurrent assignments of a shared variable.
type UnorderedError struct {
	Variable     string
	First, Other Handle
	IDs          [2]string
}

func (e *UnorderedError) Error() string {
	return fmt.Sprintf("assignments of the shared variable %q are not ordered: neither of %s and %s happened before the other; a message or \"after\" has to say which, a sync does not", e.Variable, e.IDs[0], e.IDs[1])
}

// order sorts the assignments of a shared variable and checks that happened-before orders them all.
// Otherwise it returns the events of two unordered ones, and ok = false.
//
// The time complexity of order is O(|V|+|edges|).
func (v *Variable) order(layers []*Computation) (e, f Event, ok bool) {
	if len(v.events) < 2 {
		return 0, 0, true
	}
	v.sort(layers)
	for i := 1; i < len(v.events); i++ {
		if obviouslyBefore(layers, v.events[i-1], v.events[i]) {
			continue
		}
		if j := firstUnordered(layers, v); j > 0 {
			return v.events[j-1], v.events[j], false
		}
		break
	}
	return 0, 0, true
}

// telling returns the first layer in which e and f belong to different meta-events.
func telling(layers []*Computation, e, f Event) *Computation {
	for _, c := range layers {
		if !c.SameStep(e, f) {
			return c
		}
	}
	panic("this cannot happen, because the last layer has no cycle")
}

// sort puts the assignments into an order that every layer allows.
func (v *Variable) sort(layers []*Computation) {
	ranks := make([][]int32, len(layers))
	for i, c := range layers {
		ranks[i] = make([]int32, len(c.proc))
		for k, e := range c.Order() {
			ranks[i][e] = int32(k)
		}
	}
	order := make([]int, len(v.events))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		e, f := v.events[i], v.events[j]
		for l, c := range layers {
			if !c.SameStep(e, f) {
				return cmp.Compare(ranks[l][e], ranks[l][f])
			}
		}
		return 0
	})
	if !slices.IsSorted(order) {
		v.permute(order)
	}
}

// obviouslyBefore reports whether process order or a single edge puts e before f. If it returns
// false, e may still be before f.
func obviouslyBefore(layers []*Computation, e, f Event) bool {
	c := telling(layers, e, f)
	if c.proc[e] == c.proc[f] {
		return e < f
	}
	for _, g := range c.Preds(f) {
		if c.proc[g] == c.proc[e] && g >= e {
			return true
		}
	}
	return false
}

// firstUnordered returns the least i > 0 such that the assignments i-1 and i of v are not ordered,
// or 0 if all are. In one pass it computes, for each event, how long a prefix of the assignments
// happened before it or at it.
func firstUnordered(layers []*Computation, v *Variable) int {
	c := layers[0]
	last := make([]int32, len(c.proc))
	own := make(map[Event]int32, len(v.events))
	for i, e := range v.events {
		own[e] = int32(i)
	}
	var here []int32 // the assignments of a step
	for step := range c.Steps() {
		k := c.greatestBefore(step, last)
		here = here[:0]
		for _, m := range step {
			if n, ok := own[m]; ok {
				here = append(here, n)
			}
		}
		slices.Sort(here)
		for _, n := range here {
			if n != k {
				return int(max(n, 1))
			}
			if n > here[0] {
				// Both are in this step, so a layer in which their steps differ has to order them.
				e, f := v.events[n-1], v.events[n]
				d := telling(layers, e, f)
				if int(d.LastBefore(int(d.proc[e]))[f]) < d.Position(e) {
					return int(n)
				}
			}
			k++
		}
		for _, m := range step {
			last[m] = k
		}
	}
	return 0
}
