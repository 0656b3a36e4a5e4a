package ist

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
)

// A leaf is a part of a formula that one chain decides. A cut that has an event of the
// chain has all events before it: so the last change of the value in the cut counts.
// Changes are numbered from 1; change 0 is what the initial cut has.
type leaf struct {
	vars   []int     // of the processes with changes, in increasing order
	last   [][]int32 // by index in vars and value x of the variable: the last change up to x
	values []int32   // by change: the number of the value
}

// newLeaf returns the leaf of a column, and notes where its variables change it.
func (b *builder) newLeaf(k atoms.Column[graphs.Value], values []int32) *leaf {
	s := b.space
	l := &leaf{values: values}
	for _, e := range k.Events {
		v := s.variable[s.comp.Process(e)]
		l.vars = append(l.vars, v)
		b.breaks[v] = append(b.breaks[v], s.value(e))
	}
	slices.Sort(l.vars)
	l.vars = slices.Compact(l.vars)
	l.last = make([][]int32, len(l.vars))
	for i, v := range l.vars {
		l.last[i] = make([]int32, s.tops[v]+1)
	}
	for n, e := range k.Events {
		i, _ := slices.BinarySearch(l.vars, s.variable[s.comp.Process(e)])
		l.last[i][s.value(e)] = int32(n) + 1
	}
	// Between two changes the last one counts.
	for _, last := range l.last {
		for x := 1; x < len(last); x++ {
			last[x] = max(last[x], last[x-1])
		}
	}
	return l
}

// read returns the last change known to be in the cut once variable v has value x,
// given the one known before. All later variables are between lo and hi. It also
// reports whether any later change is certain not to be in the cut.
func (l *leaf) read(before int32, v int, x int32, lo, hi []int32) (after int32, certain bool) {
	if len(l.vars) == 1 { // bounds of a single variable are not worth a state each
		if v != l.vars[0] {
			return before, false
		}
		return l.last[0][x], true
	}
	after, most := before, before
	for i, w := range l.vars {
		switch {
		case w == v:
			after = max(after, l.last[i][x])
		case w > v:
			after = max(after, l.last[i][lo[w]])
			most = max(most, l.last[i][hi[w]])
		}
	}
	return after, most <= after
}
