package scenario

import (
	"context"
	"errors"
)

// A Verdict says how well a trace follows a diagram.
type Verdict uint8

// The verdicts. Of several about one trace, the greatest matters most.
const (
	Conforms Verdict = iota
	Unfinished
	Unknown
	ByLuck
	Violated
)

func (v Verdict) String() string {
	return [...]string{"conforms", "unfinished", "unknown", "by luck", "violated"}[v]
}

// Why names the kind of the first divergence.
type Why uint8

// The kinds of divergences.
const (
	Missing Why = iota // what the diagram has next is not in the rest of the trace
	TooMany            // what the trace has next is not in the rest of the diagram
	Order              // both are there, but not in this order
	False              // a note does not hold
)

// A Pair are two occurrences that the diagram orders, and happened-before does not.
type Pair struct{ Before, After int32 }

// A Match maps an occurrence of the trace to an arrow.
type Match struct{ Occurrence, Arrow int32 }

// Expected is what the diagram has next: the send or receive of an arrow, or a note.
type Expected struct {
	Arrow int32 // -1 for a note
	Note  int32 // -1 for an arrow
	Phase Phase

	message int32  // that is to be received, -1 for another step
	lanes   uint64 // of the arrow or the note
}

// A Result is a verdict, with what shows it.
type Result struct {
	Verdict Verdict
	Reason  string  // of Unknown
	Matches []Match // of the matching, or of the longest part of one, in an accepted order
	Pairs   []Pair  // of by luck, and of unfinished
	Another []int32 // of by luck: an order that happened-before allows, against the first pair
	// Of unfinished and violated: what the diagram has next, on the lifelines of Found where there is any.
	Expected []Expected
	// Of violated: the first occurrence of the trace that cannot be matched, -1 for none.
	Found int32
	Why   Why
}

// maxSteps bounds a search, beside a step for each occurrence.
const maxSteps = 1_000_000

// A Decider decides traces about one scenario. It must not be used by several goroutines at once.
type Decider struct {
	table *table
	root  *node
}

// Decider returns a decider. Asserted marks the notes with an assertion, by number. With vertical, the
// order of the page is meant.
func (s *Scenario) Decider(asserted []bool, vertical bool) *Decider {
	t := newTable(s, vertical)
	b := &builder{Scenario: s, table: t, asserted: asserted}
	return &Decider{table: t, root: b.statements(s.Diagram.Body, t.empty, t.empty)}
}

// Decide decides a trace. It fails only with the error of ctx.
//
// It searches twice at most. The first search looks for an order that both the scenario and
// happened-before allow: without one, the trace is unfinished or violated. If the scenario orders a
// pair there that happened-before does not, the second search looks for a matching without such pairs.
//
// Where choices are told apart by their first message, and happened-before orders the occurrences of
// each lifeline, the time complexity is O(n·(k+d)) for n occurrences on k processes and a diagram of
// size d, as far as no lifeline gets ahead of others. Otherwise it may be exponential, up to maxSteps,
// and then the verdict is Unknown.
func (d *Decider) Decide(ctx context.Context, p *Poset) (*Result, error) {
	l := layoutOf(d.table.scenario, p)
	r := &Result{Found: -1}
	weak, err := d.search(ctx, l, false, false)
	switch {
	case err != nil:
		return r.fail(err)
	case weak.found:
		return d.compare(ctx, l, r, weak, ByLuck, weak.log)
	// Where only notes are left, nothing more can happen: they do not hold.
	case len(weak.best) == len(p.Occurrences) && weak.bestAt.busy:
		r.Expected = d.table.firsts(weak.bestAt, 0)
		return d.compare(ctx, l, r, weak, Unfinished, weak.best)
	}
	r.Verdict = Violated
	d.diverge(weak, r)
	return r, nil
}

// fail makes the result of a search that was not completed.
func (r *Result) fail(err error) (*Result, error) {
	if !errors.Is(err, errLimit) {
		return nil, err
	}
	r.Verdict, r.Reason = Unknown, err.Error()
	return r, nil
}

// search looks for a matching.
func (d *Decider) search(ctx context.Context, l *layout, strong, prefix bool) (*search, error) {
	s := &search{
		table:  d.table,
		layout: l,
		ctx:    ctx,
		left:   len(l.Occurrences) + maxSteps,
		strong: strong,
		prefix: prefix,
	}
	return s, s.run(d.root)
}

// compare compares the order of a matching with happened-before. If the matching orders too much,
// another one may do, so compare searches again for a matching without such pairs.
//
// Example: an alt has x above y in one branch, and x beside y, in a par, in the other. Of concurrent x
// and y, the first branch is by luck, and the second conforms.
func (d *Decider) compare(ctx context.Context, l *layout, r *Result, weak *search, or Verdict, moves []move) (*Result, error) {
	r.Verdict = or
	r.follow(moves)
	// Without a choice there is one matching only.
	if len(r.Pairs) > 0 && weak.branched {
		strong, err := d.search(ctx, l, true, or == Unfinished)
		if err != nil {
			return r.fail(err)
		}
		if strong.found {
			r.follow(strong.log)
		}
	}
	switch {
	case len(r.Pairs) > 0:
		r.Another = l.against(r.Pairs[0])
	case or == ByLuck:
		r.Verdict = Conforms
	}
	return r, nil
}

// follow tells of moves: the matches, and the pairs that the scenario orders and happened-before does not.
func (r *Result) follow(moves []move) {
	r.Matches, r.Pairs = nil, nil
	for _, m := range moves {
		r.Matches = append(r.Matches, Match{m.occurrence, m.arrow})
		for _, before := range m.late {
			r.Pairs = append(r.Pairs, Pair{before, m.occurrence})
		}
	}
}

// against returns an order of the trace that contradicts a pair: first the past of p.After, then
// p.After, then all others, among them p.Before. A past is closed under causes, so happened-before
// allows this order. It takes time O(n).
func (l *layout) against(p Pair) []int32 {
	var first, last []int32
	for i := range l.Occurrences {
		if int32(i) == p.After || strictly(&l.Occurrences[i], &l.Occurrences[p.After]) {
			first = append(first, int32(i))
		} else {
			last = append(last, int32(i))
		}
	}
	return append(first, last...)
}

// diverge describes the end of the longest way: the first occurrence that does not fit, and the next
// steps of the diagram on its lifelines.
//
// Example: the diagram goes on with x, and the trace with y. If x comes later, they are out of order;
// if the rest of the diagram has no y, there are too many; else x is missing.
func (d *Decider) diverge(s *search, r *Result) {
	s.cut = make([]int32, len(s.tracks))
	s.next, s.log = 0, nil
	for _, m := range s.best {
		s.cut[s.at[m.occurrence].track]++
	}
	s.log, s.node = s.best, s.bestAt
	s.extend()

	r.follow(s.log)
	r.Pairs = nil
	firsts := d.table.firsts(s.node, 0)
	fronts := s.fronts()
	// The whole trace is matched, so only a note can be wrong.
	if len(fronts) == 0 {
		r.Why, r.Expected = False, firsts
		return
	}

	r.Found = fronts[0]
	there, notes := false, false
	for _, f := range firsts {
		// A receive waits for what has not been sent to its lifeline, too.
		if s.lanes[r.Found]&f.lanes == 0 {
			continue
		}
		r.Expected = append(r.Expected, f)
		there = there || s.comes(f)
		notes = notes || f.Note >= 0
	}
	switch {
	case !d.foreseen(s.node, r.Found, s.layout) || len(r.Expected) == 0:
		r.Why = TooMany
	case there:
		r.Why = Order
	case notes:
		r.Why = False
	}
}

// extend goes on with everything that can be matched, so that only the mistake is left.
func (s *search) extend() {
	for again := true; again; {
		again = false
		for _, i := range s.fronts() {
			if moves := s.alternatives(i, false); len(moves) > 0 {
				s.take(moves[0])
				again = true
				break
			}
		}
	}
}

// comes reports whether a step of the diagram is in the rest of the trace.
func (s *search) comes(e Expected) bool {
	for i, o := range s.Occurrences {
		receives := e.Phase == Receive && o.Phase == Receive && o.Message == e.message
		sends := e.Phase != Receive && o.Phase != Receive && s.stands(int32(i), e.Arrow)
		if s.isLeft(int32(i)) && (receives || sends) {
			return true
		}
	}
	return false
}

// foreseen reports whether an occurrence may still come, somewhere in a term.
func (d *Decider) foreseen(n *node, i int32, l *layout) bool {
	o := l.Occurrences[i]
	switch n.op {
	case opArrow:
		return o.Phase != Receive && l.stands(i, n.n)
	case opReceive:
		return o.Phase == Receive && o.Message == n.m
	}
	return n.l != nil && d.foreseen(n.l, i, l) || n.r != nil && d.foreseen(n.r, i, l)
}
