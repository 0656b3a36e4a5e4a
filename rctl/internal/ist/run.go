package rctl

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/rctl/syntax"
)

// runs returns runs that together show why f holds at the initial cut, as far as
// runs can.
func (t *trees) runs(f *syntax.Formula) []*evidence {
	if syntax.IsPropositional(f) {
		return nil
	}
	switch f.Op {
	case syntax.OpAnd:
		var all []*evidence
		for _, sub := range f.Sub {
			all = append(all, t.runs(sub)...)
		}
		return all
	case syntax.OpOr:
		var best []*evidence
		for _, sub := range f.Sub {
			if !t.holds(sub) {
				continue
			}
			if runs := t.runs(sub); len(best) == 0 || len(runs) > 0 && t.total(runs) < t.total(best) {
				best = runs
			}
		}
		return best
	}
	if e := t.evidence(f); e != nil {
		return []*evidence{e}
	}
	return nil
}

// total adds up the events to the cuts of runs.
func (t *trees) total(runs []*evidence) int {
	n := 0
	for _, e := range runs {
		n += t.size(e.cut)
	}
	return n
}

func (t *trees) size(cut graphs.Cut) int {
	if t.weigh != nil {
		return t.weigh(cut)
	}
	return cut.Size()
}

// evidence returns a run that shows why f holds at the initial cut, nil where no
// one run can.
func (t *trees) evidence(f *syntax.Formula) *evidence {
	switch f.Op {
	case syntax.OpEX:
		goal := t.sets[f.Sub[0]]
		if cut := t.step(t.comp.Initial(), func(cut graphs.Cut) bool { return t.has(goal, cut) }); cut != nil {
			return &evidence{formula: f, cut: cut, within: t.comp}
		}
	case syntax.OpEF:
		goal := t.within(t.sets[f.Sub[0]])
		if t.store.Err() != nil {
			return nil
		}
		cut, nearer := t.smallest(goal)
		return &evidence{formula: f, cut: cut, within: t.comp, nearer: nearer}
	case syntax.OpEG:
		return t.follow(f, t.sets[f], nil)
	case syntax.OpEU, syntax.OpEW:
		return t.until(f, t.sets[f.Sub[0]], t.sets[f.Sub[1]])
	case syntax.OpER:
		return t.until(f, t.sets[f.Sub[1]], t.sets[f.Sub[0]], t.sets[f.Sub[1]])
	}
	return nil
}

// until returns a run to the smallest cut that is in all of goals and reached
// through along before it; to the final cut where there is none.
func (t *trees) until(f *syntax.Formula, along ist.Set, goals ...ist.Set) *evidence {
	var passed, reached ist.Set
	found := t.store.Try(t.store.Size()+t.spare, func() {
		start := t.store.Tuple(make([]int32, len(t.space.tops)))
		passed = t.store.Forward(t.within(along), start) // where start is not in along it is a goal
		reached = t.store.Union(start, t.store.Intersect(t.all, t.store.After(passed)))
		for _, goal := range goals {
			reached = t.store.Intersect(reached, goal)
		}
	})
	switch {
	case !found:
		return t.follow(f, t.sets[f], goals)
	case reached == ist.Empty:
		return t.follow(f, t.sets[f], nil)
	}
	cut, nearer := t.smallest(reached)
	return &evidence{formula: f, cut: cut, run: t.back(passed, cut), nearer: nearer}
}

// smallest returns a cut of a set that is not empty which has the fewest events,
// and whether another may have fewer.
func (t *trees) smallest(set ist.Set) (cut graphs.Cut, nearer bool) {
	cut = t.space.cut(t.store.Smallest(set))
	if t.weigh == nil {
		return cut, false
	}
	minimal := ist.Empty
	found := t.store.Try(t.store.Size()+t.spare, func() { minimal = t.store.Minimal(set) })
	if !found {
		return cut, true
	}
	least, weighed := t.weigh(cut), 0
	for tuple := range t.store.All(minimal) {
		if weighed++; weighed > mostWeighed {
			return cut, true
		}
		c := t.space.cut(tuple)
		if n := t.weigh(c); n < least {
			cut, least = c, n
		}
	}
	return cut, false
}

// follow goes from the initial cut through cuts of set, in which each cut that is
// not in all of goals has a next one, to one that is, or to the final cut. With
// goals, a nearer one may exist.
func (t *trees) follow(f *syntax.Formula, set ist.Set, goals []ist.Set) *evidence {
	var run []graphs.Event
	cut := t.comp.Initial()
	for steps := 0; ; steps++ {
		if steps%checkSteps == checkSteps-1 && t.ctx.Err() != nil {
			return nil
		}
		met := goals != nil
		for _, goal := range goals {
			met = met && t.has(goal, cut)
		}
		if met {
			return &evidence{formula: f, cut: cut, run: run, nearer: true}
		}
		next := t.step(cut, func(cut graphs.Cut) bool { return t.has(set, cut) })
		if next == nil {
			return &evidence{formula: f, cut: cut, run: run, whole: true}
		}
		run = append(run, t.comp.Topological(cut, next)...)
		cut = next
	}
}

// checkSteps is how many steps of a run are made between two looks at the context.
const checkSteps = 256

// step returns a cut that follows cut and is wanted, nil where there is none.
func (t *trees) step(cut graphs.Cut, wanted func(graphs.Cut) bool) graphs.Cut {
	for _, p := range t.space.process {
		if cut[p] == t.comp.Final()[p] {
			continue
		}
		e := t.comp.Event(p, int(cut[p])+1)
		if t.comp.Step(e)[0] != e || !t.comp.Enabled(cut, e) {
			continue
		}
		if next := t.comp.Execute(cut, e); wanted(next) {
			return next
		}
	}
	return nil
}

// back returns the run to a cut that goes through cuts of passed. Each of them but
// the initial cut has another one before it.
func (t *trees) back(passed ist.Set, cut graphs.Cut) []graphs.Event {
	var run []graphs.Event
	for !cut.Equal(t.comp.Initial()) {
		step, before := t.undo(passed, cut)
		for i := len(step) - 1; i >= 0; i-- {
			run = append(run, step[i])
		}
		cut = before
	}
	slices.Reverse(run)
	return run
}

// undo returns a meta-event that leads from a cut of passed to cut, and that cut.
func (t *trees) undo(passed ist.Set, cut graphs.Cut) ([]graphs.Event, graphs.Cut) {
	for _, p := range t.space.process {
		if cut[p] == t.comp.Initial()[p] {
			continue
		}
		step := t.comp.Step(t.comp.Event(p, int(cut[p])))
		before := cut.Clone()
		for _, m := range step {
			q := t.comp.Process(m)
			before[q] = min(before[q], int32(t.comp.Position(m))-1)
		}
		if t.has(passed, before) && t.comp.Enabled(before, step[0]) && t.comp.Execute(before, step[0]).Equal(cut) {
			return step, before
		}
	}
	panic("this cannot happen, because every cut of passed is the initial cut or follows another")
}
