package scenario

import (
	"context"
	"errors"
	"slices"

	"github.com/pota-project/pota/graphs/trace/mermaid"
)

// A Verdict says how well a trace follows a diagram.
type Verdict uint8

// The verdicts. Of several verdicts about one trace, the greatest matters most.
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

// Why is the kind of the first divergence.
type Why uint8

// The kinds of divergences.
const (
	Missing Why = iota // the next step of the diagram is not in the remaining trace
	TooMany            // the next occurrence of the trace is not in the remaining diagram
	Order              // both are there, but in another order
	False              // a note does not hold
)

// A Pair is two occurrences that the diagram orders but happened-before does not.
type Pair struct{ Before, After int32 }

// A Match maps an occurrence of the trace to an arrow.
type Match struct{ Occurrence, Arrow int32 }

// Expected is the next step of the diagram: the send or receive of an arrow, or a note.
type Expected struct {
	*mermaid.Statement
	Receive bool // whether the step is the receive of a message, not its send

	of *node
}

// A Result is a verdict with its evidence.
type Result struct {
	Verdict Verdict
	Reason  string  // why the verdict is Unknown
	Matches []Match // the matching, or the longest partial one that was found, in an accepted order
	// the pairs that happened-before does not order, if the verdict is by luck or unfinished
	Pairs   []Pair
	Another []int32 // an order that happened-before allows and that violates the first pair
	// Expected is the next steps of the diagram, if the verdict is unfinished or violated. If there
	// is a Found, Expected is limited to the lifelines of Found.
	Expected []Expected
	// Found is the first occurrence of the trace that cannot be matched if it violates the diagram,
	// or else -1.
	Found int32
	Why   Why
}

// A Decider decides whether traces follow one scenario. It must not be used by several goroutines
// at once.
type Decider struct {
	table *table
	root  *node
}

// Decider returns a decider. Asserted says which notes have an assertion. With vertical, the order
// on the page counts.
func (s *Scenario) Decider(asserted func(note int32) bool, vertical bool) *Decider {
	t := &table{scenario: s, asserted: asserted, known: make(map[head]*node)}
	if vertical {
		t.page = 1 << maxLifelines
	}
	t.empty = t.node(head{op: opEmpty})
	return &Decider{table: t, root: t.statements(s.Diagram.Body, t.empty, t.empty)}
}

// Decide decides a trace. It fails only with the error of ctx.
//
// It searches at most twice. The first search looks for an order that both the scenario and
// happened-before allow: if there is none, the trace is unfinished or violated. If that scenario
// orders a pair that happened-before does not, the second search looks for a matching without such
// pairs.
//
// Example: an alt has x above y in one branch, and x and y in a par in the other. For concurrent x
// and y, the first branch is by luck, and the second conforms.
//
// If the first messages distinguish the branches of each choice, and happened-before orders the
// occurrences of each lifeline, the time complexity is O(n·(k+d)) for n occurrences on k processes
// and a diagram of size d, as long as no lifeline gets ahead of others. Otherwise it may be
// exponential; the search stops after maxSteps, and the verdict is Unknown.
func (d *Decider) Decide(ctx context.Context, p *Poset) (*Result, error) {
	r := &Result{Found: -1}
	err := d.decide(ctx, r, layoutOf(d.table, p))
	if errors.Is(err, errLimit) {
		r.Verdict, r.Reason = Unknown, err.Error()
		return r, nil
	}
	return r, err
}

func (d *Decider) decide(ctx context.Context, r *Result, l *layout) error {
	weak := &search{table: d.table, layout: l}
	if err := weak.run(ctx, d.root); err != nil {
		return err
	}
	r.follow(weak.log)
	if !weak.found {
		weak.resume()
		r.follow(weak.log)
		r.Expected = weak.expected()
		// If only notes are left, nothing more can happen: they do not hold.
		if len(weak.log) < len(l.Occurrences) || !weak.node.busy {
			r.Verdict, r.Pairs = Violated, nil
			weak.diverge(r)
			return nil
		}
		r.Verdict = Unfinished
	}
	// Without a choice, there is only one matching.
	if len(r.Pairs) > 0 && weak.branched {
		strong := &search{table: d.table, layout: l, strong: true, prefix: !weak.found}
		if err := strong.run(ctx, d.root); err != nil {
			return err
		}
		if strong.found {
			r.follow(strong.log)
		}
	}
	if len(r.Pairs) > 0 {
		// First the past of p.After, then p.After, then all others, p.Before among them. A past is
		// closed under causes, so happened-before allows this order.
		p := r.Pairs[0]
		var last []int32
		for i := range l.Occurrences {
			if int32(i) == p.After || strictly(&l.Occurrences[i], &l.Occurrences[p.After]) {
				r.Another = append(r.Another, int32(i))
			} else {
				last = append(last, int32(i))
			}
		}
		r.Another = append(r.Another, last...)
		if weak.found {
			r.Verdict = ByLuck
		}
	}
	return nil
}

// follow records moves: the matches, and the pairs that the scenario orders but happened-before
// does not.
func (r *Result) follow(moves []move) {
	r.Matches, r.Pairs = nil, nil
	for _, m := range moves {
		r.Matches = append(r.Matches, Match{m.occurrence, m.arrow})
		for _, before := range m.late {
			r.Pairs = append(r.Pairs, Pair{before, m.occurrence})
		}
	}
}

// resume returns to the longest path and matches everything else that can be matched, so that only
// the divergence remains.
func (s *search) resume() {
	s.log, s.node = nil, s.bestAt
	clear(s.cut)
	for _, m := range s.best {
		s.take(m)
	}
	for fronts := s.fronts(); len(fronts) > 0; {
		moves := s.alternatives(fronts[0])
		if fronts = fronts[1:]; len(moves) > 0 {
			s.take(moves[0])
			fronts = s.fronts()
		}
	}
}

// expected lists the possible next steps, in the order of the diagram, without notes that hold.
//
// Example: for A->>B: x, then A->>C: y, then D->>C: z, the steps are the sends of x and z.
func (s *search) expected() (all []Expected) {
	next := make(map[*node]bool)
	for _, lane := range lifelines(s.node.lanes &^ s.page) {
		q := query{search: s, lanes: s.lanes(lane), match: func(n *node) *node { return n }}
		for _, r := range q.steps(s.node) {
			next[r.of] = true
		}
	}
	for _, n := range s.node.parts(make(map[*node]bool)) {
		switch {
		case !next[n] || s.passed(n) != nil:
		case n.op == opNote:
			all = append(all, Expected{s.scenario.Notes[n.n].Statement, false, n})
		default:
			all = append(all, Expected{s.scenario.Arrows[n.n].Statement, n.op == opReceive, n})
		}
	}
	return all
}

// diverge describes the end of the longest path: the first occurrence that does not fit, and the
// next steps of the diagram on its lifelines.
//
// Example: the diagram continues with x, and the trace with y. If x comes later, they are out of
// order; if the remaining diagram has no y, there are too many; else x is missing.
func (s *search) diverge(r *Result) {
	fronts := s.fronts()
	// The whole trace is matched, so only a note can fail.
	if len(fronts) == 0 {
		r.Why = False
		return
	}
	r.Found = fronts[0]
	firsts := r.Expected
	r.Expected = nil
	there, notes := false, false
	for _, f := range firsts {
		// A receive also waits for a message that has not been sent to its lifeline.
		if s.on[r.Found]&f.of.lanes&^s.page == 0 {
			continue
		}
		r.Expected = append(r.Expected, f)
		for i, at := range s.at {
			left := s.cut[at.track] <= at.index
			there = there || left && s.fits(int32(i), f.of)
		}
		notes = notes || f.of.op == opNote
	}
	foreseen := slices.ContainsFunc(s.node.parts(make(map[*node]bool)), func(n *node) bool { return s.fits(r.Found, n) })
	switch {
	case !foreseen || len(r.Expected) == 0:
		r.Why = TooMany
	case there:
		r.Why = Order
	case notes:
		r.Why = False
	}
}
