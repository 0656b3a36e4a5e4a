package ist

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// run returns a run that shows why f holds at the initial cut, or nil if no single run
// can, or the store has an error.
func (x *evaluation) run(f *syntax.Formula) *engine.Run {
	if x.store.Err() != nil {
		return nil
	}
	switch f.Op {
	case syntax.OpEX:
		if cut := x.step(x.Comp.Initial(), x.sets[f.Sub[0]]); cut != nil {
			return &engine.Run{Formula: f, Cut: cut, Within: x.Comp}
		}
	case syntax.OpEF:
		cut, maybeShorter := x.smallest(x.cutsOf(x.sets[f.Sub[0]])) // was restricted to decide f
		return &engine.Run{Formula: f, Cut: cut, Within: x.Comp, MaybeShorter: maybeShorter}
	case syntax.OpEG:
		return x.follow(f, nil)
	case syntax.OpEU, syntax.OpEW:
		return x.until(f, x.sets[f.Sub[0]], x.sets[f.Sub[1]])
	case syntax.OpER:
		return x.until(f, x.sets[f.Sub[1]], x.sets[f.Sub[0]], x.sets[f.Sub[1]])
	}
	return nil
}

// until returns a run to the smallest cut that is in all of goals and reached
// through along before it, or to the final cut if there are no goals.
func (x *evaluation) until(f *syntax.Formula, along ist.Set, goals ...ist.Set) *engine.Run {
	var passed, reached ist.Set
	found := x.try(func() {
		// Forwards from the initial cut, as far as along leads, and a step beyond.
		start := x.store.Tuple(make([]int32, len(x.space.tops)))
		passed = x.store.Forward(x.cutsOf(along), start) // where start is not in along it is a goal
		reached = x.store.Union(start, x.store.Intersect(x.all, x.store.After(passed)))
		for _, goal := range goals {
			reached = x.store.Intersect(reached, goal)
		}
	})
	switch {
	case !found:
		return x.follow(f, goals)
	case reached == ist.Empty:
		return x.follow(f, nil)
	}
	cut, maybeShorter := x.smallest(reached)
	return &engine.Run{Formula: f, Cut: cut, Events: x.back(passed, cut), MaybeShorter: maybeShorter}
}

// try calls search and reports whether the nodes to spare were enough for it.
func (x *evaluation) try(search func()) bool { return x.store.Try(x.store.Size()+x.spare, search) }

// smallest returns a cut of the least weight of a set that is not empty, and
// whether another may weigh less.
func (x *evaluation) smallest(set ist.Set) (cut graphs.Cut, maybeShorter bool) {
	cut = x.space.cut(x.store.Smallest(set))
	// Without a measure of its own, the smallest tuple is the smallest cut.
	if x.Size == nil {
		return cut, false
	}
	minimal := ist.Empty
	if !x.try(func() { minimal = x.store.Minimal(set) }) {
		return cut, true
	}
	least, weighed := x.Size(cut), 0
	for tuple := range x.store.All(minimal) {
		if weighed++; weighed > engine.MaxWeighed {
			return cut, true
		}
		c := x.space.cut(tuple)
		if n := x.Size(c); n < least {
			cut, least = c, n
		}
	}
	return cut, false
}

// follow goes from the initial cut through cuts of f to a cut that is in all of goals, or to the final
// cut. Each cut of f that is not in all of goals has a next one in f. With goals, a shorter run may
// exist.
func (x *evaluation) follow(f *syntax.Formula, goals []ist.Set) *engine.Run {
	r := &engine.Run{Formula: f, Cut: x.Comp.Initial()}
	misses := func(goal ist.Set) bool { return !x.has(goal, r.Cut) }
	for steps := 1; ; steps++ {
		if steps%checkEvery == 0 && x.Ctx.Err() != nil {
			return nil
		}
		if goals != nil && !slices.ContainsFunc(goals, misses) {
			r.MaybeShorter = true
			return r
		}
		next := x.step(r.Cut, x.sets[f])
		if next == nil {
			r.Whole = true
			return r
		}
		r.Events = append(r.Events, x.Comp.Topological(r.Cut, next)...)
		r.Cut = next
	}
}

// checkEvery is how many steps of a run are made between two checks of the context.
const checkEvery = 256

// step returns a cut of a set that follows cut, or nil if there is none.
func (x *evaluation) step(cut graphs.Cut, set ist.Set) graphs.Cut {
	for _, p := range x.space.process {
		if next, ok := x.Comp.Next(cut, p); ok && x.has(set, next) {
			return next
		}
	}
	return nil
}

// back returns a run to a cut through cuts of passed. Each of these except the initial cut follows
// another one.
func (x *evaluation) back(passed ist.Set, cut graphs.Cut) []graphs.Event {
	var steps [][]graphs.Event
	for !cut.Equal(x.Comp.Initial()) {
		step, before := x.undo(passed, cut)
		steps = append(steps, step)
		cut = before
	}
	slices.Reverse(steps)
	return slices.Concat(steps...)
}

// undo returns a meta-event that leads from a cut of passed to cut, and that cut.
func (x *evaluation) undo(passed ist.Set, cut graphs.Cut) ([]graphs.Event, graphs.Cut) {
	for _, p := range x.space.process {
		if cut[p] == x.Comp.Initial()[p] {
			continue
		}
		step := x.Comp.Step(x.Comp.Event(p, int(cut[p])))
		before := cut.Clone()
		for _, m := range step {
			q := x.Comp.Process(m)
			before[q] = min(before[q], int32(x.Comp.Position(m))-1)
		}
		if x.has(passed, before) && x.Comp.Enabled(before, step[0]) &&
			x.Comp.Execute(before, step[0]).Equal(cut) {
			return step, before
		}
	}
	panic("this cannot happen, because every cut of passed is the initial cut or follows another")
}
