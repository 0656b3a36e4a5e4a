// Package union decides formulas by finite unions of lean slices.
//
// # Definitions
//
// The members for a formula are lean slices whose union are the cuts that satisfy it.
// Unions are closed under || and &&, under EF, EX and E[p U ·], which distribute over ||,
// and under complement, because what is not in a slice is the union, over its added
// edges u→v, of the cuts with v and without u. (Ogale and Garg, Detecting temporal
// logic predicates on distributed computations, DISC 2007.)
//
// The number of members is polynomial in the trace for a given formula, exponential
// in the formula.
package union

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// most bounds the members of a union, mostEvents the events that intersections of
// members go over beside most of them.
const (
	most       = 1 << 8
	mostEvents = 1e8
)

// Prepare takes on formulas that have a union with few members, whatever operator
// is at their root. It makes the union.
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	u := union{p, new(int)}
	members, ok := u.members(f)
	if !ok {
		return nil, p.Err()
	}
	return &engine.Task{
		How: fmt.Sprintf("union of %d lean slices", len(members)), Cost: p.Passes(f) + " for each",
		Decide: func() (engine.Answer, error) {
			shown := f
			a := engine.Answer{Verdict: engine.VerdictOf(u.holds(members))}
			if a.Verdict == engine.Fails {
				shown = p.Negation(f)
			}
			if p.Evidence && (a.Verdict == engine.Holds || syntax.IsExistential(shown)) {
				a.Runs = u.runs(shown)
			}
			return a, p.Err()
		},
	}, nil
}

// A union makes the members for formulas.
type union struct {
	*engine.Problem
	events *int // that intersections went over
}

// steps is what an operation on members takes.
func (u union) steps() int64 { return 1 + int64(u.Comp.NumEvents())/eventsOfStep }

const eventsOfStep = 4

func (u union) holds(members []*slice.Slice) bool {
	return slices.ContainsFunc(members, func(m *slice.Slice) bool { return m.Contains(u.Comp.Initial()) })
}

// runs shows a formula that holds at the initial cut, as far as unions know a run.
func (u union) runs(f *syntax.Formula) []*engine.Run {
	best := engine.Answer{}
	try := func(runs ...*engine.Run) {
		if a := (engine.Answer{Runs: runs}); u.Shorter(a, best) {
			best = a
		}
	}
	switch f.Op {
	case syntax.OpEF:
		members, _ := u.members(f.Sub[0])
		for _, m := range members {
			if !m.Empty() {
				try(u.Shown(f, m.Least()).Runs...)
			}
		}
	case syntax.OpEU, syntax.OpER:
		along, goal := f.Sub[0], f.Sub[1]
		if f.Op == syntax.OpER {
			along, goal = goal, along
		}
		s := u.Of(along)
		if s == nil {
			return nil
		}
		members, _ := u.members(goal)
		for _, m := range members {
			if r := u.UntilRun(f, s, m); r != nil {
				try(r)
			}
		}
		if len(best.Runs) == 0 && f.Op == syntax.OpER {
			return []*engine.Run{u.AlwaysRun(f, along)}
		}
	case syntax.OpOr:
		for _, sub := range f.Sub {
			if members, ok := u.members(sub); ok && u.holds(members) {
				return u.runs(sub)
			}
		}
	case syntax.OpAnd:
		var all []*engine.Run
		for _, sub := range f.Sub {
			all = append(all, u.runs(sub)...)
		}
		return all
	}
	return best.Runs
}

// members returns the members for f. It is not ok where there would be too many or f
// has an operator under which unions are not closed.
func (u union) members(f *syntax.Formula) (members []*slice.Slice, ok bool) {
	if u.Ctx.Err() != nil || u.Err() != nil {
		return nil, false
	}
	if s := u.Of(f); s != nil {
		return []*slice.Slice{s}, true
	}
	switch f.Op {
	case syntax.OpOr:
		for _, sub := range f.Sub {
			ms, ok := u.members(sub)
			if !ok {
				return nil, false
			}
			if members = prune(append(members, ms...)); len(members) > most {
				return nil, false
			}
		}
		return members, true
	case syntax.OpAnd:
		for i, sub := range f.Sub {
			ms, ok := u.members(sub)
			if ok && i > 0 {
				ms, ok = u.intersect(members, ms)
			}
			if !ok {
				return nil, false
			}
			members = ms
		}
		return members, true
	case syntax.OpEF:
		return u.each(f.Sub[0], slice.EF)
	case syntax.OpEU:
		if s := u.Of(f.Sub[0]); s != nil && regular.Includes(f.Sub[1], f.Sub[0]) {
			return u.each(f.Sub[1], func(q *slice.Slice) *slice.Slice { return slice.EU(s, q) })
		}
		return nil, false
	case syntax.OpER:
		if s := u.Of(f.Sub[1]); s != nil {
			ms, ok := u.each(f.Sub[0], func(q *slice.Slice) *slice.Slice { return slice.ER(q, s) })
			return prune(append(ms, slice.EG(s))), ok // EG p where q has no member
		}
		return nil, false
	case syntax.OpAF:
		if regular.SomeChain(f.Sub[0]) {
			return u.each(f.Sub[0], slice.EF)
		}
	case syntax.OpAtom:
		return u.counted(f.Expr)
	case syntax.OpNot:
		if e, ok := syntax.Invert(f.Sub[0].Expr); ok {
			return u.counted(e)
		}
		return nil, false
	case syntax.OpEX:
		ms, ok := u.members(f.Sub[0])
		for i := 0; ok && i < len(ms); i++ {
			members = prune(append(members, slice.EX(ms[i])...))
			ok = len(members) <= most && u.Ctx.Err() == nil
		}
		return members, ok
	case syntax.OpEG, syntax.OpEW:
		return nil, false
	}
	ms, ok := u.members(u.Negation(f))
	if !ok {
		return nil, false
	}
	return u.complement(ms)
}

// counted returns the members for a comparison of a count of few formulas.
func (u union) counted(e *syntax.Expr) ([]*slice.Slice, bool) {
	if f := syntax.Threshold(e, most); f != nil {
		return u.members(u.Normal(f))
	}
	return nil, false
}

// each applies an operator that distributes over || to the members for f.
func (u union) each(f *syntax.Formula, op func(*slice.Slice) *slice.Slice) ([]*slice.Slice, bool) {
	ms, ok := u.members(f)
	if !ok {
		return nil, false
	}
	members := make([]*slice.Slice, len(ms))
	for i, m := range ms {
		if effort.Spend(u.Ctx, u.steps()) != nil {
			return nil, false
		}
		members[i] = op(m)
	}
	return prune(members), true
}

func (u union) intersect(as, bs []*slice.Slice) ([]*slice.Slice, bool) {
	var members []*slice.Slice
	for _, a := range as {
		for _, b := range bs {
			members = append(members, slice.And(a, b))
		}
		*u.events += len(bs) * u.Comp.NumEvents()
		if members = prune(members); len(members) > most || *u.events > mostEvents+most*u.Comp.NumEvents() ||
			effort.Spend(u.Ctx, int64(len(bs))*u.steps()) != nil {
			return nil, false
		}
	}
	return members, true
}

func (u union) complement(ms []*slice.Slice) ([]*slice.Slice, bool) {
	rest := []*slice.Slice{slice.All(u.Comp)}
	for _, m := range ms {
		pieces, ok := m.Complement(most)
		if !ok {
			return nil, false
		}
		if rest, ok = u.intersect(rest, pieces); !ok {
			return nil, false
		}
	}
	return rest, true
}

// prune leaves out empty members and those that are obviously within others.
func prune(ms []*slice.Slice) []*slice.Slice {
	var kept []*slice.Slice
next:
	for _, m := range ms {
		if m.Empty() {
			continue
		}
		for _, other := range kept {
			if m.Within(other) {
				continue next
			}
		}
		left := kept[:0]
		for _, other := range kept {
			if !other.Within(m) {
				left = append(left, other)
			}
		}
		kept = append(left, m)
	}
	return kept
}
