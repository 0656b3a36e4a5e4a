package explicit

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// run returns a run that shows why f holds at the initial cut, or nil if no single run can.
func (x *evaluation) run(f *syntax.Formula) *engine.Run {
	var along *syntax.Formula // holds before the goal; nil for true
	var goals []*syntax.Formula
	switch f.Op {
	case syntax.OpEX, syntax.OpEF:
		goals = f.Sub
	case syntax.OpEG:
		return x.whole(f)
	case syntax.OpEU, syntax.OpEW:
		along, goals = f.Sub[0], f.Sub[1:]
	case syntax.OpER:
		along, goals = f.Sub[1], f.Sub
	default:
		return nil
	}
	if r := x.walk(f, along, goals); r != nil {
		return r
	}
	return x.whole(f)
}

// place is the i-th cut of a level.
type place struct{ level, i int }

// walk returns a run to the smallest cut that satisfies all goals, at level 1 for EX. The cuts before
// it satisfy along. It is nil if there is no such run.
func (x *evaluation) walk(f, along *syntax.Formula, goals []*syntax.Formula) *engine.Run {
	isGoal := func(level, i int) bool {
		fails := func(goal *syntax.Formula) bool { return !x.at(goal, level, i) }
		return (f.Op != syntax.OpEX || level == 1) && !slices.ContainsFunc(goals, fails)
	}

	// By level and cut: the number, from 1, of the cut from which it was reached; 0 if it was not.
	from := make([][]int32, x.levels.NumLevels())
	from[0] = []int32{1}
	size, base := -1, x.Weigh(x.Comp.Initial())
	var end place
	var cut graphs.Cut
	var minimal []graphs.Cut // the goals that contain no other
	for level := range from {
		if size >= 0 && base+level >= size {
			break // each level has one event more at least
		}
		if level+1 < len(from) {
			from[level+1] = make([]int32, x.levels.Len(level+1))
		}
		x.levels.Successors(level, func(i int, successors []int32) {
			if from[level][i] == 0 {
				return
			}
			if isGoal(level, i) && len(minimal) < engine.MaxWeighed {
				cut = x.levels.Cut(level, i, cut)
				if slices.ContainsFunc(minimal, func(m graphs.Cut) bool { return m.Within(cut) }) {
					return // nor does a run through this cut lead to a smaller one
				}
				minimal = append(minimal, cut.Clone())
				if n := x.Weigh(cut); size < 0 || n < size {
					size, end = n, place{level, i}
				}
			}
			if along == nil || x.at(along, level, i) {
				for _, s := range successors {
					if from[level+1][s] == 0 {
						from[level+1][s] = int32(i) + 1
					}
				}
			}
		})
	}
	if size < 0 {
		return nil
	}
	path := make([]int, end.level+1)
	path[end.level] = end.i
	for level := end.level; level > 0; level-- {
		path[level-1] = int(from[level][path[level]]) - 1
	}
	r := x.along(f, path)
	r.MaybeShorter = len(minimal) == engine.MaxWeighed
	return r
}

// whole returns a run to the final cut through cuts where f, an EG, ER or EW, holds.
func (x *evaluation) whole(f *syntax.Formula) *engine.Run {
	path := make([]int, x.levels.NumLevels())
	for level := range path[1:] {
		x.levels.Successors(level, func(i int, successors []int32) {
			if i != path[level] {
				return
			}
			at := slices.IndexFunc(successors,
				func(s int32) bool { return x.at(f, level+1, int(s)) })
			path[level+1] = int(successors[at])
		})
	}
	r := x.along(f, path)
	r.Whole = true
	return r
}

// along returns the run through one cut of each level; path has their numbers by level.
func (x *evaluation) along(f *syntax.Formula, path []int) *engine.Run {
	r := &engine.Run{Formula: f, Cut: x.Comp.Initial()}
	for level, i := range path[1:] {
		next := x.levels.Cut(level+1, i, nil)
		r.Events = append(r.Events, x.Comp.Topological(r.Cut, next)...)
		r.Cut = next
	}
	return r
}
