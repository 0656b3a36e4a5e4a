package flow

import (
	"context"
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/engine"
)

// A passage is a run of a computation from one cut to another that never lets the sum
// exceed most. Finding one amounts to scheduling jobs that acquire and release a scarce
// resource. That is NP-hard in general. This search finds a passage in most traces, and
// in some it proves that there is none.
//
// For example, let P acquire 2 and later release them (x goes from 0 to 2 to 0), let Q
// acquire 1 for good, and let the limit be 2. A run that lets Q go first reaches x = 1
// and has no room for P. A run that lets P acquire and release first ends at x = 1: P's
// two events are executed at once, because they release all that they acquire.
//
// # Steps without alternatives
//
// Sums are modular: x(C∪D) + x(C∩D) = x(C) + x(D). Let C ⊆ D be cuts such that D has
// the least sum of all cuts between them, and let there be a passage from C to D.
//
//	(1) If there is a passage from C to a cut T that contains D, there is one through
//	    D: join every cut R of it with D. For x(R∪D) = x(R) + x(D) - x(R∩D), and
//	    R∩D is between C and D, so that x(R∪D) <= x(R).
//	(2) If no passage leads from D to T, none leads from C to T, for the same reason.
//
// So the search continues from D and forgets C. A process executes its next events at
// once, up to the point at which they have released as much as they acquired, if they
// need no other process and do not exceed the limit. A cut where no process can do so is
// settled.
//
// The same holds for passages to any cut between a goal and T: a cut that contains the
// goal still does when it is joined with D. And if the search from D has visited all
// reachable cuts, their union contains all cuts that passages from C lead to.
//
// For the same reason, a passage between the first and the last cut exists if and only
// if there is one through a cut with the least sum of all. To get there the search goes
// forwards from the first cut and backwards from the last cut, and so to lower sums in
// both directions.
//
// A first attempt also accepts steps that leave half of the room: this succeeds in most
// traces. If it fails, some event may need more room than there is (see narrow).
type passage struct {
	comp     *graphs.Computation
	weight   []int64
	most     int64
	from, to graphs.Cut
	goal     graphs.Cut // within to: a passage that contains it has arrived
	reached  graphs.Cut // contains all cuts that passages lead to, if none has arrived
	// by process and state: the next state whose sum is not greater; -1 if there is none
	valley [][]int32
	peak   [][]int64 // by process and state: by how much the sum rises at most before that state
	enough int64     // a sum low enough for the search to continue from, whatever the sum before
	states int       // how many states the search for a lower sum may visit
	turn   int       // the process that is tried first
}

// maxStates bounds the settled cuts visited on the way from one to a lower one. Tests lower it.
var maxStates = 1 << 14

// A state is a settled cut and the path to it from an earlier one.
type state struct {
	cut    graphs.Cut
	sum    int64
	parent *state
	path   []graphs.Event // the events from the parent's cut to this one
	number int            // the place in the order in which states are found
}

// newPassage prepares the search: for each process and state it finds the next valley
// and the peak on the way there, from the end backwards.
func newPassage(c *graphs.Computation, weight []int64, most int64, from, to graphs.Cut) *passage {
	s := &passage{comp: c, weight: weight, most: most, from: from, to: to, goal: to}
	s.valley, s.peak = make([][]int32, len(from)), make([][]int64, len(from))
	for p := range from {
		n := int(to[p]) + 1
		valley, peak := make([]int32, n), make([]int64, n)
		at := make([]int64, n)
		for i := int(from[p]) + 1; i < n; i++ {
			at[i] = at[i-1] + weight[c.Event(p, i)]
		}
		for i := n - 1; i >= int(from[p]); i-- {
			j := int32(i + 1)
			for int(j) < n && at[j] > at[i] {
				peak[i] = max(peak[i], at[j]-at[i]+peak[j])
				if j = valley[j]; j < 0 {
					j = int32(n)
				}
			}
			if valley[i] = j; int(j) == n {
				valley[i] = -1
			}
		}
		s.valley[p], s.peak[p] = valley, peak
	}
	return s
}

// An outcome is the result of a search for a run: whether there is one, and the run.
type outcome struct {
	run     []graphs.Event
	verdict engine.Verdict
}

// found is the outcome of a search that has found a run.
func found(run []graphs.Event) outcome { return outcome{run, engine.Holds} }

// none is the outcome of a search that shows that there is no run.
var none = outcome{verdict: engine.Fails}

// find returns a passage from the first cut, whose sum is given, to the last cut, which
// must have the least sum of all cuts. The outcome is Unknown if the search took too long.
func (s *passage) find(ctx context.Context, sum int64) (outcome, error) {
	last := sum + weightBetween(s.comp, s.weight, s.from, s.to)
	s.enough = last + (s.most-last)/2
	s.states = maxStates / 4
	if o, err := s.attempt(ctx, sum); err != nil || o.verdict != engine.Unknown {
		return o, err
	}
	if narrow, err := s.narrow(ctx, sum); err != nil || narrow {
		return none, err
	}

	s.enough = last - 1
	s.states = maxStates
	return s.attempt(ctx, sum)
}

// attempt looks for a passage once, with the limits set.
func (s *passage) attempt(ctx context.Context, sum int64) (outcome, error) {
	cut := s.from.Clone()
	var run []graphs.Event
	for {
		run, sum = s.settle(cut, s.to, sum, run)
		if s.goal.Within(cut) {
			return found(run), nil
		}
		start := &state{cut: cut, sum: sum}
		lower, all, err := s.lower(ctx, start)
		switch {
		case err != nil:
			return outcome{}, err
		case lower != nil:
			run = append(run, lower.events()...)
			cut = lower.cut.Clone()
			sum = lower.sum
			continue
		case !all:
			return outcome{}, nil
		}

		// No passage leads from here to a lower sum. If this cut has the least sum so far,
		// there is no passage at all.
		least, err := lightest(ctx, s.comp, s.weight, s.from, cut)
		if err != nil {
			return outcome{}, err
		}
		x := sum - weightBetween(s.comp, s.weight, least, cut)
		if x == sum {
			return none, nil
		}
		if x <= s.enough { // the search might return to this cut for ever
			return outcome{}, nil
		}

		kept := run[:0]
		for _, e := range run {
			if s.comp.Has(least, e) {
				kept = append(kept, e)
			}
		}
		run = kept
		cut, sum = least, x
	}
}

// weightBetween returns the total weight of the events of to that are not in from.
func weightBetween(c *graphs.Computation, weight []int64, from, to graphs.Cut) (sum int64) {
	for p, k := range from {
		for ; k < to[p]; k++ {
			sum += weight[c.Event(p, int(k)+1)]
		}
	}
	return sum
}

// lightest returns a cut between two others whose events have the least total weight.
func lightest(ctx context.Context, c *graphs.Computation, weight []int64, from, to graphs.Cut) (graphs.Cut, error) {
	return heavy(ctx, c, from, to, weight, -1, 2*largestTotal, math.MinInt64)
}

// settle executes, within the cut to, the events by which a process alone releases all
// that it acquires. It changes cut. It returns the run with these events appended, and
// the sum.
func (s *passage) settle(cut, to graphs.Cut, sum int64, run []graphs.Event) ([]graphs.Event, int64) {
	for again := true; again; {
		again = false
		for p := range cut {
			for {
				i := cut[p]
				j := s.valley[p][i]
				if j < 0 || j > to[p] || sum+s.peak[p][i] > s.most || !s.alone(cut, p, j) {
					break
				}
				for ; cut[p] < j; cut[p]++ {
					e := s.comp.Event(p, int(cut[p])+1)
					run = append(run, e)
					sum += s.weight[e]
				}
				again = true
			}
		}
	}
	return run, sum
}

// alone reports whether process p can advance to state j without other processes: an
// event that happens together with one of another process, or with a later one, cannot.
func (s *passage) alone(cut graphs.Cut, p int, j int32) bool {
	for i := cut[p] + 1; i <= j; i++ {
		e := s.comp.Event(p, int(i))
		for _, f := range s.comp.Preds(e) {
			if !s.comp.Has(cut, f) {
				return false
			}
		}
	}
	return true
}

// lower looks for a passage from start, a settled cut, to a settled cut with no greater
// sum, or with a sum of at most enough. It returns nil if it finds none; all reports
// whether it has tried all passages. First it tries to lead a process, with all the
// events needed from others, to a state where it has released all that it acquires. Then
// it tries single steps, so that the search is complete.
func (s *passage) lower(ctx context.Context, start *state) (lower *state, all bool, err error) {
	c := s.comp
	known := dense.NewTable[int32](len(s.to))
	known.Add(start.cut)
	// the states whose far steps, or single steps, are still to be tried
	var far, near dense.Heap[*state]
	far.Push(start)
	near.Push(start)
	sufficient := max(start.sum, s.enough)
	add := func(from *state, cut graphs.Cut, sum int64, path []graphs.Event) (lower *state) {
		path, sum = s.settle(cut, s.to, sum, path)
		if at, found := known.Find(cut); !found {
			known.Add(cut)
			next := &state{cut: cut, sum: sum, parent: from, path: path, number: int(at)}
			if sum <= sufficient || s.goal.Within(cut) {
				return next
			}
			far.Push(next)
			near.Push(next)
		}
		return nil
	}
	states := 0
	for far.Len()+near.Len() > 0 {
		if err := effort.Spend(ctx, 8*int64(len(s.to))); err != nil {
			return nil, false, err
		}
		if states++; states > s.states {
			return nil, false, nil
		}
		s.turn++
		now, single := (*state)(nil), far.Len() == 0
		if single {
			now = near.Pop()
		} else {
			now = far.Pop()
		}
		for k := range now.cut {
			p := (s.turn + k) % len(now.cut)
			if now.cut[p] == s.to[p] {
				continue
			}
			cut, path, sum := now.cut.Clone(), []graphs.Event(nil), now.sum
			if single {
				e := c.Event(p, int(cut[p])+1)
				step := c.Step(e)
				if step[0] != e || !c.Enabled(cut, e) {
					continue
				}
				path, sum = s.execute(cut, step, path, sum)
			} else {
				j := s.valley[p][cut[p]]
				if j < 0 {
					j = s.to[p]
				}
				goal := cut.Clone()
				c.Advance(goal, c.Event(p, int(j)))
				path, sum = s.advance(cut, goal, sum)
			}
			if sum > s.most {
				continue
			}
			if lower := add(now, cut, sum, path); lower != nil {
				return lower, false, nil
			}
		}
	}
	s.reached = start.cut.Clone()
	for i := range known.Len() {
		for p, k := range known.Key(i) {
			s.reached[p] = max(s.reached[p], k)
		}
	}
	return nil, true, nil
}

// advance moves cut towards goal, a later cut, by the cheapest step each time, until it
// arrives or the sum is too great. It changes cut and returns the path and the sum.
func (s *passage) advance(cut, goal graphs.Cut, sum int64) ([]graphs.Event, int64) {
	c := s.comp
	var path []graphs.Event
	var behind []int // the processes that have not arrived
	for p := range cut {
		if cut[p] < goal[p] {
			behind = append(behind, p)
		}
	}
	for sum <= s.most {
		var best []graphs.Event
		var cost int64
		for _, p := range behind {
			if cut[p] == goal[p] {
				continue
			}
			e := c.Event(p, int(cut[p])+1)
			if step := c.Step(e); c.Enabled(cut, e) {
				if x := weightOf(step, s.weight); best == nil || x < cost {
					best, cost = step, x
				}
			}
		}
		if best == nil {
			break
		}
		path, sum = s.execute(cut, best, path, sum)
	}
	return path, sum
}

// execute executes a step. It changes cut and returns the path and the sum after the step.
func (s *passage) execute(cut graphs.Cut, step, path []graphs.Event, sum int64) ([]graphs.Event, int64) {
	for _, e := range step {
		cut[s.comp.Process(e)]++
	}
	return append(path, step...), sum + weightOf(step, s.weight)
}

// weightOf returns the total weight of the events of a step.
func weightOf(step []graphs.Event, weight []int64) (sum int64) {
	for _, e := range step {
		sum += weight[e]
	}
	return sum
}

// events returns the path to a state from where its search started.
func (s *state) events() []graphs.Event {
	if s.parent == nil {
		return nil
	}
	return append(s.parent.events(), s.path...)
}

// Before orders states by their sums, and states with equal sums by when they were found.
func (s *state) Before(t *state) bool {
	return s.sum < t.sum || s.sum == t.sum && s.number < t.number
}

// reversed returns the part of c between two cuts, run backwards, and by event of c the event there.
func reversed(c *graphs.Computation, from, to graphs.Cut) (back *graphs.Computation, of []graphs.Event) {
	var b graphs.Builder
	first := make([]int, len(to))
	n := 0
	for p, name := range c.Processes() {
		b.Process(name)
		first[p] = n
		n += int(to[p] - from[p])
		for range to[p] - from[p] {
			b.Event(p)
		}
	}
	of = make([]graphs.Event, c.Top()+1) // by event of c: its event in back
	for p := range to {
		for i := from[p] + 1; i <= to[p]; i++ {
			of[c.Event(p, int(i))] = graphs.Event(first[p] + int(to[p]-i) + 1)
		}
	}
	handle := func(e graphs.Event) graphs.Handle { return graphs.Handle(of[e]) - 1 }
	for e, r := range of {
		if r == 0 {
			continue
		}
		for _, f := range c.Preds(graphs.Event(e)) {
			switch {
			case of[f] == 0:
			case c.Cyclic():
				b.Edge(handle(graphs.Event(e)), handle(f))
			default:
				b.Order(handle(graphs.Event(e)), handle(f))
			}
		}
	}
	back, err := b.Build()
	if err != nil {
		panic("this cannot happen, because a computation run backwards is one: " + err.Error())
	}
	return back, of
}
