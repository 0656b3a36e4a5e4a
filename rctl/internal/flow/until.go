package flow

import (
	"context"
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// Until accepts E[p U q] for a conjunction p of predicates of single chains and of bounds
// on sums, and a q such that Prepare accepts EF q. Conjuncts that p and q share may be
// any that p may have.
//
//	(1) Runs along p stay below a horizon: a chain predicate fails with some event for
//	    the first time, and the passages that keep a sum below a bound lead only up to
//	    some cut. If q holds nowhere within the horizon or a step beyond it, the
//	    formula fails. It also fails if both bound the same sum, and no step leads from
//	    the range of p to that of q.
//	(2) Otherwise let C be a cut there where a disjunct of q holds, and S a last step
//	    of C. A passage to a cut that contains C without S, but not S, can go on with
//	    S. The search is for such a passage, and then for q at its end.
//	(3) If q is a predicate of one chain, S is the step that makes q hold for the
//	    first time. So there is no run for E[p U q] without a passage as in (2).
//
// The task is partial: it leaves the formula undecided if none of (1), (2) and (3)
// decides. It takes the time of a search for a passage for each sum and each disjunct.
func Until(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if f.Op != syntax.OpEU {
		return nil, nil
	}
	u := &until{Problem: p, f: f, sums: sums{comp: p.Comp}}
	along := make(map[string]bool)
	for _, part := range syntax.Conjuncts(f.Sub[0]) {
		along[part.String()] = true
		if syntax.OfOneChain(part) {
			u.chains = append(u.chains, part)
			continue
		}
		if ok, err := u.add(part); err != nil || !ok {
			return nil, err
		}
	}
	var goal []*syntax.Formula
	for _, part := range syntax.Conjuncts(f.Sub[1]) {
		if !along[part.String()] {
			goal = append(goal, part)
		}
		delete(along, part.String())
	}
	u.also = len(along) == 0
	if !u.also {
		goal = []*syntax.Formula{f.Sub[1]}
	}
	var err error
	if u.goals, err = disjuncts(p, p.Normal(syntax.And(goal...))); u.goals == nil {
		return nil, err
	}
	return &engine.Task{
		How:     "search for a run that keeps sums within bounds to the goal",
		Cost:    "a few thousand cuts for each sum and each alternative",
		Partial: true,
		Decide:  u.decide,
	}, nil
}

// An until is E[p U q], or E[p U p && q] if p must hold at the goal, too.
type until struct {
	*engine.Problem
	f      *syntax.Formula
	chains []*syntax.Formula // the chain predicates of p
	sums                     // the bounds of p
	also   bool              // whether p must hold at the goal, too
	goals  []*disjunct       // the disjuncts of q

	limits []limit
	steps  []int64    // by sum: the greatest amount by which a step changes it
	high   graphs.Cut // the horizon
}

// decide finds the horizon and tries each disjunct of the goal. The formula fails only
// if every disjunct does.
func (u *until) decide() (engine.Answer, error) {
	possible, err := u.bound()
	if err != nil || !possible {
		// Unknown: the values at the first cut decide, by another engine
		return engine.Answer{}, err
	}
	most := u.high
	if !u.also {
		most = beyond(u.Comp, most)
	}
	left := engine.Fails
	for _, d := range u.goals {
		if u.apart(d) {
			continue
		}
		cut, v, err := d.decide(u.Problem, most)
		if err != nil {
			return engine.Answer{}, err
		}
		if v == engine.Holds {
			var r *engine.Run
			if r, v, err = u.reach(d, cut); err != nil || v == engine.Holds {
				return engine.Answer{Verdict: v, Runs: []*engine.Run{r}}, err
			}
		}
		if v == engine.Unknown {
			left = v
		}
	}
	return engine.Answer{Verdict: left}, nil
}

// bound finds the horizon. It returns false if p does not hold at the initial cut.
func (u *until) bound() (bool, error) {
	c := u.Comp
	first := c.Initial()
	u.high = c.Final()
	for _, f := range u.chains {
		fails := u.Of(u.Negation(f))
		switch {
		case fails == nil:
			return false, u.Err()
		case fails.Empty():
			continue
		case fails.Contains(first):
			return false, nil
		}
		for _, step := range lastSteps(c, fails.Least()) {
			u.high, _ = c.Below(u.high, step...)
		}
	}
	for i, t := range u.tallies {
		in := u.within[i].possible(t)
		u.steps = append(u.steps, t.largestStep(c))
		b, whole := in.around(t.at(first), u.steps[i])
		if !in.has(t.at(first)) {
			return false, nil
		}
		if whole {
			in = ranges{b}
		}
		u.within[i] = in
		u.limits = append(u.limits, t.limits(b)...)
	}
	for _, l := range u.limits {
		// If no passage arrives at the horizon so far, none leaves what the search has reached.
		s := l.passage(u.high)
		o, err := s.attempt(u.Ctx, l.at(first))
		if err != nil {
			return false, err
		}
		if o.verdict == engine.Fails {
			u.high = s.reached
		}
	}
	return true, nil
}

// apart reports whether a disjunct of the goal bounds a sum of p, and no step leads from
// a sum that p allows to one that the disjunct allows.
func (u *until) apart(d *disjunct) bool {
	for i, t := range u.tallies {
		if d.sum == nil || !d.sum.same(t) {
			continue
		}
		goal := d.within.plus(t.weight[graphs.Bottom] - d.sum.weight[graphs.Bottom])
		if u.within[i].gap(goal) > u.steps[i] {
			return true
		}
	}
	return false
}

// beyond returns the greatest cut that has at most one step more of each process than
// another.
func beyond(c *graphs.Computation, cut graphs.Cut) graphs.Cut {
	var after []graphs.Event
	for p, k := range cut {
		if k == c.Final()[p] {
			continue
		}
		k++
		for step := c.Event(p, int(k)); k < c.Final()[p]; k++ {
			if e := c.Event(p, int(k)+1); !c.SameStep(e, step) {
				after = append(after, e)
				break
			}
		}
	}
	cut, _ = c.Below(c.Final(), after...)
	return cut
}

// lastSteps returns the steps that can each be removed from a cut so that a cut remains.
func lastSteps(c *graphs.Computation, cut graphs.Cut) (steps [][]graphs.Event) {
	cut = cut.Clone()
	for p := range cut {
		if step := before(c, cut, p); step != nil && c.Process(step[0]) == p {
			steps = append(steps, step)
		}
	}
	return steps
}

// move executes a step if by is 1, or undoes it if by is -1. It changes the cut.
func move(c *graphs.Computation, cut graphs.Cut, step []graphs.Event, by int32) {
	for _, e := range step {
		cut[c.Process(e)] += by
	}
}

// before returns the last step of process p, or nil if the cut has an event after it.
func before(c *graphs.Computation, cut graphs.Cut, p int) []graphs.Event {
	if cut[p] == c.Initial()[p] {
		return nil
	}
	step := c.Step(c.Event(p, int(cut[p])))
	move(c, cut, step, -1)
	defer move(c, cut, step, 1)
	for _, e := range step {
		if c.Has(cut, e) {
			return nil
		}
		for _, f := range c.Succs(e) {
			if c.Has(cut, f) {
				return nil
			}
		}
	}
	return step
}

// reach looks for a run to a cut where a disjunct of the goal holds, as it does at cut.
// It fails if there is none.
func (u *until) reach(d *disjunct, cut graphs.Cut) (*engine.Run, engine.Verdict, error) {
	if cut.Equal(u.Comp.Initial()) {
		return u.Shown(u.f, cut).Runs[0], engine.Holds, nil
	}
	left := engine.Unknown // the verdict if no step leads to a run
	if d.sum == nil && len(d.regular) == 1 && syntax.OfOneChain(d.regular[0]) {
		left = engine.Fails
	}
	steps := [][]graphs.Event{nil}
	if !u.also {
		steps = lastSteps(u.Comp, cut)
	}
	for _, step := range steps {
		low, high := cut.Clone(), u.high
		if len(step) > 0 {
			move(u.Comp, low, step, -1)
			high, _ = u.Comp.Below(high, step...)
		}
		if !low.Within(high) {
			continue
		}
		o, err := u.lead(low, high)
		if err != nil {
			return nil, engine.Unknown, err
		}
		if o.verdict == engine.Holds {
			if r := u.arrives(d, low, o.run, step); r != nil {
				return r, engine.Holds, nil
			}
		}
		if o.verdict != engine.Fails {
			left = engine.Unknown
		}
	}
	return nil, left, nil
}

// arrives returns the part of a run up to the first cut that contains low, followed by a
// step, or nil if the disjunct does not hold after that.
func (u *until) arrives(d *disjunct, low graphs.Cut, run, step []graphs.Event) *engine.Run {
	c := u.Comp
	cut := c.Initial().Clone()
	missing, n := low.Size()-cut.Size(), 0
	for missing > 0 {
		for _, e := range c.Step(run[n]) {
			cut[c.Process(e)]++
			n++
			if c.Has(low, e) {
				missing--
			}
		}
	}
	run = append(run[:n:n], step...)
	move(c, cut, step, 1)
	for _, f := range d.regular {
		if !u.Of(f).Contains(cut) {
			return nil
		}
	}
	if d.sum != nil && !d.within.has(d.sum.at(cut)) {
		return nil
	}
	return &engine.Run{Formula: u.f, Cut: cut, Events: run, MaybeShorter: true}
}

// lead looks for a run along p from the initial cut to one between low and high. It
// fails if there is none.
func (u *until) lead(low, high graphs.Cut) (outcome, error) {
	if run := u.Comp.Topological(u.Comp.Initial(), low); u.stay(u.Comp, run) {
		return found(run), nil
	}
	for _, l := range u.limits {
		o, err := l.lead(u.Ctx, low, high)
		if err != nil || o.verdict == engine.Fails ||
			o.verdict == engine.Holds && u.stay(u.Comp, o.run) {
			return o, err
		}
	}
	return outcome{}, nil
}

// lead looks for a run to a cut between low and high.
func (l limit) lead(ctx context.Context, low, high graphs.Cut) (outcome, error) {
	s := l.passage(high)
	s.goal = low
	o, err := s.attempt(ctx, l.at(l.comp.Initial()))
	if err != nil || o.verdict != engine.Unknown {
		return o, err
	}

	// The search goes through the cut with the least sum, from both sides. If low has the least
	// sum, each passage to a cut that contains low implies one to low.
	least, err := lightest(ctx, l.comp, s.weight, low, high)
	switch {
	case err != nil:
		return outcome{}, err
	case l.at(least) > l.most:
		return none, nil
	}
	o, err = l.below(ctx, l.comp, least)
	if o.verdict == engine.Fails && !least.Equal(low) {
		return outcome{}, err
	}
	return o, err
}

// passage prepares the search for a passage from the initial cut to another.
func (l limit) passage(to graphs.Cut) *passage {
	s := newPassage(l.comp, l.weight, l.most, l.comp.Initial(), to)
	s.enough, s.states = math.MinInt64, maxStates/4
	return s
}
