package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Recorded says whether the recorded order of a computation shows a formula by itself, or
// only another order that causality allows.
type Recorded struct {
	Observed bool
	// of EF: its operand is true for the first time from one event to the other; Bottom for one
	// that there is not
	From, To graphs.Event
}

// recorded decides what evidence shows, and other ways to show the verdict on the property, on
// the recorded order alone. It is nil if no order is known, or if one order does not decide it.
func (t *Explainer) recorded(s *scene, e *rctl.Evidence) *Recorded {
	run := t.Of.Recorded()
	if !e.Start.Equal(t.Of.Initial()) || len(run) < t.Of.Final().Size()-e.Start.Size() {
		return nil
	}
	r := newRecording(s.ctx, t.Of, e.Start, run)
	about := s.whole(e.Formula)
	truth, ok := r.truth(about)
	if !ok {
		return nil
	}
	found := &Recorded{Observed: truth.first}
	if about.Op != syntax.OpEF || !found.Observed {
		return found
	}
	goal, _ := r.truth(about.Sub[0])
	turns := goal.turns
	if !goal.first {
		found.From = run[r.ends[turns[0]]-1]
		turns = turns[1:]
	}
	if len(turns) > 0 {
		found.To = run[r.ends[turns[0]]-1]
	}
	return found
}

// whole returns what evidence shows where f, that a piece shows, is one of its alternatives.
func (s *scene) whole(f *syntax.Formula) *syntax.Formula {
	f = s.same.Same(f)
	if s.asked == nil || s.resolve(s.asked) == nil {
		return f
	}
	for _, v := range []rctl.Verdict{rctl.Holds, rctl.Fails} {
		shown := s.shown(s.resolve(s.asked), v)
		if slices.ContainsFunc(syntax.Alternatives(shown), func(g *syntax.Formula) bool { return s.same.Same(g) == f }) {
			return shown
		}
	}
	return f
}

// A recording is the recorded order, with the formulas that were evaluated along it. Its places
// are the cuts that the run passes through, from 0.
//
// Example: in a run of four events, the second sets x to 1, and the third sets y to 1. Truth is
// then found from the leaves to the root, at the places 0 to 4, and kept as the places where it
// turns:
//
//	x == 1               - - + + +   2
//	y == 0               + + + - -   3
//	x == 1 && y == 0     - - + - -   2 3
//	EF of that           + + + - -   3
//
// Predicates are evaluated forwards, since events change values, and operators are evaluated
// backwards, since their truth depends on the places that follow.
type recording struct {
	ctx   context.Context // when it is done, no truth is known any more
	c     *graphs.Computation
	start graphs.Cut
	ends  []int                       // how many events of the run lead to each place
	place []int32                     // after each event, 0 for events that are not in the run
	known map[*syntax.Formula]history // which formulas may share

	changes []change // of one predicate
}

// A change is where a slot reads another value of its own.
type change struct{ place, slot, index int32 }

// A history is the truth of a formula along a recording.
type history struct {
	first bool  // at place 0
	turns []int // places at which it changes
}

// newRecording returns the recording of a run from a cut.
func newRecording(ctx context.Context, c *graphs.Computation, start graphs.Cut, run []graphs.Event) *recording {
	r := &recording{
		ctx:   ctx,
		c:     c,
		start: start,
		ends:  []int{0},
		place: make([]int32, c.Top()+1),
		known: make(map[*syntax.Formula]history),
	}
	for n := 0; n < len(run); {
		step := len(c.Step(run[n]))
		for _, e := range run[n : n+step] {
			r.place[e] = int32(len(r.ends))
		}
		n += step
		r.ends = append(r.ends, n)
	}
	return r
}

// truth returns the truth of a formula in negation normal form. It is not ok if that depends on
// other runs, or if values were not read. The time complexity is O(turns · log operands) for each
// operator, and O(changes · log changes) for each predicate.
func (r *recording) truth(f *syntax.Formula) (h history, ok bool) {
	if h, ok := r.known[f]; ok || r.ctx.Err() != nil {
		return h, ok
	}
	switch {
	case len(f.Sub) == 0 || f.Op == syntax.OpNot:
		h, ok = r.predicate(f)
	case f.Op == syntax.OpEX:
		// It is true where the operand is true one place later. Nothing is next to the last place.
		of, known := r.truth(f.Sub[0])
		if of.first != (len(of.turns)%2 == 1) {
			of.turns = append(slices.Clip(of.turns), len(r.ends))
		}
		h, ok = history{first: of.first}, known
		for _, place := range of.turns {
			if place == 1 {
				h.first = !h.first
			} else {
				h.turns = append(h.turns, place-1)
			}
		}
	case syntax.IsExistential(f) || f.Op == syntax.OpAnd || f.Op == syntax.OpOr:
		h, ok = r.operator(f.Op, f.Sub)
	}
	if ok {
		r.known[f] = h
	}
	return h, ok
}

// operator is truth for an operator over some operands. Those of && and || may be many. They are
// joined by halves, which turn less often the more they join.
func (r *recording) operator(op syntax.Op, of []*syntax.Formula) (h history, ok bool) {
	side := func(of []*syntax.Formula) (history, bool) {
		if len(of) == 1 {
			return r.truth(of[0])
		}
		return r.operator(op, of)
	}
	first, ok := side(of[:(len(of)+1)/2])
	if !ok {
		return h, false
	}
	last := first // of one operand
	if len(of) > 1 {
		last, ok = side(of[(len(of)+1)/2:])
	}
	return backwards(op, first, last), ok
}

// backwards returns the truth of an operator. It has one truth between two turns of its operands:
// either these decide, or what follows does.
func backwards(op syntax.Op, x, y history) (h history) {
	first := x.first != (len(x.turns)%2 == 1) // the truth of x where the operator is looked at
	last := y.first != (len(y.turns)%2 == 1)
	place := 0 // that follows
	for atEnd := true; ; atEnd = false {
		now := false
		switch op {
		case syntax.OpAnd:
			now = first && last
		case syntax.OpOr:
			now = first || last
		case syntax.OpEF:
			now = first || h.first
		case syntax.OpEG:
			now = first && (atEnd || h.first)
		case syntax.OpEU:
			now = last || first && h.first
		case syntax.OpEW:
			now = last || first && (atEnd || h.first)
		case syntax.OpER:
			now = last && (first || atEnd || h.first)
		}
		if !atEnd && now != h.first {
			h.turns = append(h.turns, place)
		}
		h.first = now
		if len(x.turns)+len(y.turns) == 0 {
			slices.Reverse(h.turns)
			return h
		}
		place = max(x.latest(), y.latest())
		if x.latest() == place {
			first = !first
			x.turns = x.turns[:len(x.turns)-1]
		}
		if y.latest() == place {
			last = !last
			y.turns = y.turns[:len(y.turns)-1]
		}
	}
}

// latest returns the last place where h turns, 0 if it never does.
func (h history) latest() int {
	if len(h.turns) == 0 {
		return 0
	}
	return h.turns[len(h.turns)-1]
}

// predicate is truth for a formula that reads values.
func (r *recording) predicate(f *syntax.Formula) (h history, ok bool) {
	p, err := atoms.Compile(r.c, f)
	if err != nil {
		return h, false
	}
	env := p.Env()
	h.first = p.At(r.start, env)
	changes := r.changes[:0]
	for i, s := range p.Slots {
		for k, e := range s.Changes() {
			if place := r.place[e]; place > 0 {
				changes = append(changes, change{place, int32(i), int32(k)})
			}
		}
	}
	slices.SortFunc(changes, func(x, y change) int { return cmp.Or(int(x.place-y.place), int(x.index-y.index)) })
	r.changes = changes // their room is of use again
	before := h.first
	for i, change := range changes {
		env[change.slot] = p.Slots[change.slot].Value(int(change.index))
		if i+1 < len(changes) && changes[i+1].place == change.place {
			continue // the events of a step are one change
		}
		if now := p.Of(env); now != before {
			before = now
			h.turns = append(h.turns, int(change.place))
		}
	}
	return h, true
}
