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
	// for EF: its operand is true for the first time from From until To; Bottom if there is no such
	// event
	From, To graphs.Event
}

// recorded decides on the recorded order alone the formula that evidence shows, and other ways to
// show the verdict on the property. It returns nil if no order is known, or if one order does not
// decide the formula.
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

// whole returns the formula whose alternatives include f, which a piece of evidence shows. It
// returns f itself if there is no other.
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

// A recording is the recorded order, with the truth of formulas evaluated along it. Its places
// are the cuts that the run passes through, numbered from 0.
//
// Example: in a run of four events, the second sets x to 1, and the third sets y to 1. The truth
// of formulas at the places 0 to 4 is found from the leaves to the root, and stored as the places
// where it turns:
//
//	x == 1               - - + + +   2
//	y == 0               + + + - -   3
//	x == 1 && y == 0     - - + - -   2 3
//	EF of that           + + + - -   3
//
// Predicates are evaluated forwards, since events change values, and operators are evaluated
// backwards, since their truth depends on the places that follow.
type recording struct {
	ctx   context.Context // once it is done, no further truth is found
	c     *graphs.Computation
	start graphs.Cut
	ends  []int                       // how many events of the run lead to each place
	place []int32                     // the place after each event; 0 for events outside the run
	known map[*syntax.Formula]history // shared by the formulas that contain a key

	changes []change // scratch space for one predicate
}

// A change is a place from which a slot reads the value at another index of its variable.
type change struct{ place, slot, index int32 }

// A history is the truth of a formula along a recording.
type history struct {
	first bool  // the truth at place 0
	turns []int // the places where the truth changes
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

// truth returns the truth of a formula in negation normal form. It returns ok = false if the truth
// depends on other runs, or if values were not read. The time complexity is O(turns · log operands)
// for each operator, and O(changes · log changes) for each predicate.
func (r *recording) truth(f *syntax.Formula) (h history, ok bool) {
	if h, ok := r.known[f]; ok || r.ctx.Err() != nil {
		return h, ok
	}
	switch {
	case len(f.Sub) == 0 || f.Op == syntax.OpNot:
		h, ok = r.predicate(f)
	case f.Op == syntax.OpEX:
		// EX is true at a place if the operand is true at the next. The last place has no next one.
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

// operator is truth for an operator over some operands. The many operands that && and || may have
// are joined by halves: the more operands a half joins, the less often its truth turns.
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
	last := first // for one operand
	if len(of) > 1 {
		last, ok = side(of[(len(of)+1)/2:])
	}
	return backwards(op, first, last), ok
}

// backwards returns the truth of an operator. The truth is constant between two turns of its
// operands: either the operands decide it, or the truth at the places that follow does.
func backwards(op syntax.Op, x, y history) (h history) {
	first := x.first != (len(x.turns)%2 == 1) // the truth of x at the current place
	last := y.first != (len(y.turns)%2 == 1)
	place := 0 // the place that follows
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

// latest returns the last place where h turns, or 0 if it never does.
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
	r.changes = changes // reuse the memory
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
