package rctl

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// runs returns runs that together show why f holds at the initial cut, as far as
// runs can.
func (x *explicit) runs(f *syntax.Formula) []*evidence {
	switch f.Op {
	case syntax.OpAnd:
		var all []*evidence
		for _, sub := range f.Sub {
			all = append(all, x.runs(sub)...)
		}
		return all
	case syntax.OpOr:
		best := answer{}
		for _, sub := range f.Sub {
			if !x.at(sub, 0, 0) {
				continue
			}
			if a := (answer{runs: x.runs(sub)}); x.k.shorter(a, best) {
				best = a
			}
		}
		return best.runs
	}
	if e := x.evidence(f); e != nil {
		return []*evidence{e}
	}
	return nil
}

// evidence returns a run that shows why f holds at the initial cut, nil where no
// one run can.
func (x *explicit) evidence(f *syntax.Formula) *evidence {
	switch f.Op {
	case syntax.OpEX:
		return x.walk(f, func(level, i int) bool { return level == 1 && x.at(f.Sub[0], level, i) }, nil)
	case syntax.OpEF:
		return x.walk(f, func(level, i int) bool { return x.at(f.Sub[0], level, i) }, nil)
	case syntax.OpEG:
		return x.whole(f, f)
	case syntax.OpEU, syntax.OpEW:
		if e := x.walk(f, func(level, i int) bool { return x.at(f.Sub[1], level, i) }, f.Sub[0]); e != nil {
			return e
		}
		return x.whole(f, f)
	case syntax.OpER:
		both := func(level, i int) bool { return x.at(f.Sub[0], level, i) && x.at(f.Sub[1], level, i) }
		if e := x.walk(f, both, f.Sub[1]); e != nil {
			return e
		}
		return x.whole(f, f)
	}
	return nil
}

// walk searches the smallest cut that is a goal, along cuts before it that
// satisfy f; a nil f is true.
func (x *explicit) walk(formula *syntax.Formula, goal func(level, i int) bool, f *syntax.Formula) *evidence {
	reached := make([][]bool, x.levels.NumLevels())
	reached[0] = []bool{true}
	size, base := -1, x.k.weigh(x.comp.Initial())
	var end place
	var cut graphs.Cut
	var minimal []graphs.Cut // goals none of which contains another
	for level := range reached {
		if size >= 0 && base+level >= size {
			break // each level has one event more at least
		}
		if level+1 < len(reached) {
			reached[level+1] = make([]bool, x.levels.Len(level+1))
		}
		x.levels.Successors(level, func(i int, successors []int32) {
			if !reached[level][i] {
				return
			}
			if goal(level, i) && len(minimal) < mostWeighed {
				cut = x.levels.Cut(level, i, cut)
				if slices.ContainsFunc(minimal, func(m graphs.Cut) bool { return m.Within(cut) }) {
					return // nor does a run through this cut lead to a smaller one
				}
				minimal = append(minimal, cut.Clone())
				if n := x.k.weigh(cut); size < 0 || n < size {
					size, end = n, place{level, i}
				}
			}
			if f == nil || x.at(f, level, i) {
				for _, s := range successors {
					reached[level+1][s] = true
				}
			}
		})
	}
	if size < 0 {
		return nil
	}
	cuts := make([]graphs.Cut, end.level+1)
	for at := end; ; {
		cuts[at.level] = x.levels.Cut(at.level, at.i, nil)
		if at.level == 0 {
			break
		}
		before := place{at.level - 1, -1}
		x.levels.Successors(before.level, func(i int, successors []int32) {
			if before.i >= 0 || !reached[before.level][i] || f != nil && !x.at(f, before.level, i) {
				return
			}
			for _, s := range successors {
				if int(s) == at.i {
					before.i = i
					return
				}
			}
		})
		at = before
	}
	return &evidence{formula: formula, cut: cuts[end.level], run: x.events(cuts), nearer: len(minimal) == mostWeighed}
}

// mostWeighed bounds the cuts among which the smallest is looked for.
const mostWeighed = 1000

// place is the i-th cut of a level.
type place struct{ level, i int }

// whole follows cuts at which f, an EG, ER or EW, holds to the final cut.
func (x *explicit) whole(formula, f *syntax.Formula) *evidence {
	cuts := []graphs.Cut{x.levels.Cut(0, 0, nil)}
	at := 0
	for level := 0; level+1 < x.levels.NumLevels(); level++ {
		next := -1
		x.levels.Successors(level, func(i int, successors []int32) {
			if i != at {
				return
			}
			for _, s := range successors {
				if next < 0 && x.at(f, level+1, int(s)) {
					next = int(s)
				}
			}
		})
		at = next
		cuts = append(cuts, x.levels.Cut(level+1, at, nil))
	}
	return &evidence{formula: formula, cut: cuts[len(cuts)-1], run: x.events(cuts), whole: true}
}

// events lists what happens along neighbouring cuts.
func (x *explicit) events(cuts []graphs.Cut) []graphs.Event {
	var run []graphs.Event
	for i := 1; i < len(cuts); i++ {
		run = append(run, x.comp.Topological(cuts[i-1], cuts[i])...)
	}
	return run
}
