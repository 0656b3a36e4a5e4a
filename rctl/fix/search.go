package fix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/intervals"
	"github.com/pota-project/pota/rctl/internal/project"
	"github.com/pota-project/pota/rctl/internal/sat"
	"github.com/pota-project/pota/rctl/syntax"
)

// A search looks for one fix.
type search struct {
	ctx   context.Context
	some  context.Context // ends when the steps for a least fix are used up
	c     *graphs.Computation
	opts  Options
	keep  *syntax.Formula // p
	never *syntax.Formula // its negation

	about []bool // by process: whether it has events that p can see
	among []int  // the processes between which orders are tried

	// Orders are along bound: the computation with the order of the run, or c itself for any order.
	bound *graphs.Computation
	past  map[graphs.Event]graphs.Cut // by event, in bound: the events for which it can wait
	seen  []graphs.Cut                // the bad cuts found so far
	apart [][]graphs.Edge             // sets of orders that close a cycle
}

// newSearch returns a search and a function that ends it.
func newSearch(ctx context.Context, c *graphs.Computation, p *syntax.Formula, opts Options) (s *search, end func(), err error) {
	s = &search{
		ctx:   ctx,
		c:     c,
		opts:  opts,
		keep:  p,
		never: syntax.NNF(syntax.Not(p)),
		about: make([]bool, c.NumProcesses()),
	}
	visible, err := project.Visible(c, s.never)
	if err != nil {
		return nil, nil, err
	}
	for e := range visible.All() {
		s.about[c.Process(graphs.Event(e))] = true
	}
	// Orders between events that p can see suffice, but orders via other processes may be fewer.
	const maxProcesses = 128
	for p, about := range s.about {
		if about || len(s.about) <= maxProcesses {
			s.among = append(s.among, p)
		}
	}
	s.some, end = effort.Limited(ctx, cmp.Or(opts.Steps, defaultSteps))
	return s, end, nil
}

// cost returns how many steps a decision counts for.
func (s *search) cost(c *graphs.Computation) int64 {
	const eventsOfStep = 16
	return int64(1 + (c.NumEvents()+c.NumEdges())/eventsOfStep)
}

// check decides a formula with additional orders. whole asks for a run that proves it.
func (s *search) check(orders []graphs.Edge, f *syntax.Formula, whole bool) (*rctl.Result, error) {
	if s.opts.Quick && s.some.Err() != nil {
		return nil, errors.Join(s.ctx.Err(), ErrNotQuick)
	}
	d, err := s.c.Ordered(slices.Values(orders))
	if err != nil {
		return nil, err
	}
	_ = effort.Spend(s.some, s.cost(d)) // the next step reports the error
	opts := s.opts.Check
	opts.Evidence = true
	opts.Cuts = !whole
	res, err := rctl.NewSession(d).Decide(s.ctx, f, opts)
	if err == nil {
		err = s.ctx.Err()
	}
	if err == nil && res.Verdict == rctl.Unknown {
		err = &UndecidedError{res.Reason}
	}
	return res, err
}

// violation returns a bad cut that the orders do not exclude, or nil if there is none. The cut is
// one of those seen, or a new one.
func (s *search) violation(orders []graphs.Edge) (graphs.Cut, error) {
	for _, cut := range s.seen {
		if s.allow(orders, cut) {
			return cut, nil
		}
	}
	ok, err := s.decide(orders)
	if ok || err != nil {
		return nil, err
	}
	return s.seen[len(s.seen)-1], nil
}

// decide reports whether p holds with orders. If not, it adds a bad cut to those seen.
func (s *search) decide(orders []graphs.Edge) (ok bool, err error) {
	res, err := s.check(orders, syntax.New(syntax.OpEF, s.never.Pos, s.never), false)
	if err != nil || res.Verdict == rctl.Fails {
		return err == nil, err
	}
	cut := s.c.Initial() // its values decide if there is no evidence
	if res.Evidence != nil {
		cut = res.Evidence.Cut
	}
	s.seen = append(s.seen, cut)
	return false, nil
}

// goodRun returns a run without bad cuts: the recorded one, if it is known and has none. The error
// is an *InfeasibleError if there is no such run.
func (s *search) goodRun() (run []graphs.Event, recorded bool, err error) {
	if run := s.c.Recorded(); len(run) > 0 {
		if cut, err := s.violation(s.c.RunEdges(run)); cut == nil || err != nil {
			return run, true, err
		}
	}
	if s.opts.Quick {
		return nil, false, ErrNotQuick
	}
	res, err := s.check(nil, syntax.New(syntax.OpEG, s.keep.Pos, s.keep), true)
	if err != nil {
		return nil, false, err
	}
	if res.Verdict == rctl.Holds && res.Evidence != nil {
		return res.Evidence.Run, false, nil
	}
	for _, cut := range []graphs.Cut{s.c.Initial(), s.c.Final()} {
		if holds, err := rctl.At(s.c, s.keep, cut); err != nil || !holds {
			return nil, false, cmp.Or[error](err, &InfeasibleError{cut})
		}
	}
	return nil, false, new(InfeasibleError)
}

// excludes reports whether an order excludes a cut.
func (s *search) excludes(o graphs.Edge, cut graphs.Cut) bool {
	return s.c.Has(cut, o.To) && !s.c.Has(cut, o.From)
}

// allow reports whether no order excludes a cut.
func (s *search) allow(orders []graphs.Edge, cut graphs.Cut) bool {
	return !slices.ContainsFunc(orders, func(o graphs.Edge) bool { return s.excludes(o, cut) })
}

// together returns the computation with the orders, or nil if they close a cycle.
func (s *search) together(orders []graphs.Edge) *graphs.Computation {
	d, err := s.c.Ordered(slices.Values(orders))
	if err != nil || slices.ContainsFunc(orders, func(o graphs.Edge) bool { return d.SameStep(o.From, o.To) }) {
		return nil
	}
	return d
}

// without returns all orders but the i-th.
func without(orders []graphs.Edge, i int) []graphs.Edge {
	return slices.Concat(orders[:i], orders[i+1:])
}

// cycle returns a minimal set of orders that close a cycle, or nil if there are none. The past of
// each To must be known.
func (s *search) cycle(orders []graphs.Edge) []graphs.Edge {
	_, components := graphs.Components(len(orders), func(v int32, next []int32) []int32 {
		for i, o := range orders {
			if !s.c.Has(s.past[orders[v].To], o.From) {
				next = append(next, int32(i))
			}
		}
		return next
	})
	if components == len(orders) {
		return nil
	}
	for i := range orders {
		if less := s.cycle(without(orders, i)); less != nil {
			return less
		}
	}
	return orders
}

// fewest finds a least fix along a run or in any order, or an irredundant one if the steps are used
// up.
//
// It begins with a fix along the run. Each round then hits all cuts found so far with the fewest
// orders, and adds orders until p holds, which finds more cuts. If it had to add none, no fewer
// will suffice. Orders against the run come last: they are used only for a smaller fix.
func (s *search) fewest(run []graphs.Event, anyOrder bool) (fix []graphs.Edge, least bool, err error) {
	s.past = make(map[graphs.Event]graphs.Cut)
	// If p is mutual exclusion, the handovers are complete.
	handovers, known, err := intervals.Handovers(s.c, s.never, run)
	if err == nil && !known {
		s.bound, err = s.c.Ordered(slices.Values(s.c.RunEdges(run)))
	}
	if err != nil {
		return nil, false, err
	}
	if fix, err = s.complete(handovers, nil); err != nil {
		return nil, false, err
	}
	if least = known && !anyOrder; known {
		s.bound = s.c
	}
	for !least {
		lower, ok := s.hit()
		if !ok {
			break
		}
		if cycle := s.cycle(lower); cycle != nil {
			s.apart = append(s.apart, cycle)
			continue
		}
		whole, err := s.complete(lower, fix)
		if err != nil {
			return nil, false, err
		}
		if whole != nil && len(whole) < len(fix) {
			fix, known = whole, false
		}
		if len(lower) < len(fix) {
			continue
		}
		if !anyOrder || s.bound == s.c {
			least = len(s.among) == len(s.about)
			break
		}
		s.bound = s.c // there is no smaller fix along the run
		clear(s.past)
	}
	switch {
	case s.ctx.Err() != nil:
		return nil, false, s.ctx.Err()
	case !least && s.opts.Quick:
		return nil, false, ErrNotQuick
	case known: // handovers are already as weak as possible
		return fix, least, nil
	}
	fix, err = s.weakened(fix)
	return fix, least, err
}

// complete adds orders along the run until p holds: for each bad cut, one that excludes it. If a
// fix is known, it returns nil when the steps are used up. It also returns nil at the first bad cut
// if orders may be against the run, because added orders might close a cycle.
func (s *search) complete(orders, known []graphs.Edge) ([]graphs.Edge, error) {
	for i := 0; ; i++ {
		if i == len(s.seen) {
			if ok, err := s.decide(orders); ok || err != nil {
				return orders, err
			}
		}
		cut := s.seen[i]
		if !s.allow(orders, cut) {
			continue
		}
		if known != nil && (s.some.Err() != nil || s.bound == s.c) {
			return nil, nil
		}
		for o := range s.candidates([]graphs.Cut{cut}) {
			if s.excludes(o, cut) {
				orders = append(orders, o)
				break
			}
		}
	}
}

// candidates yields orders to choose from, such that each of the cuts can be excluded. Those
// between processes with events that p can see come first.
func (s *search) candidates(cuts []graphs.Cut) iter.Seq[graphs.Edge] {
	return func(yield func(graphs.Edge) bool) {
		for _, seen := range []bool{true, false} {
			for _, q := range s.among {
				for _, p := range s.among {
					if p == q || seen != (s.about[p] && s.about[q]) {
						continue
					}
					for _, o := range s.between(p, q, cuts) {
						if !yield(o) {
							return
						}
					}
				}
			}
		}
	}
}

// between returns the candidates from process p to q. To is the last event of q in one of the cuts:
// an order to an earlier one excludes no other cuts. Along the run, From is the last event of p
// before To. In any order, that may close a cycle with others, so each first event missing from a
// cut is tried, weaker orders before stronger ones.
func (s *search) between(p, q int, cuts []graphs.Cut) (all []graphs.Edge) {
	c := s.c
	for _, j := range slices.Backward(counts(cuts, q)) {
		if j == c.Initial()[q] {
			continue
		}
		to := c.Event(q, int(j))
		if s.past[to] == nil {
			s.past[to], _ = s.bound.Below(s.bound.Final(), to)
		}
		most := s.past[to][p]
		from := []int32{most - 1}
		if s.bound == c {
			from = counts(cuts, p)
		}
		for _, k := range from {
			if k >= c.Initial()[p] && k < most {
				all = append(all, graphs.Edge{From: c.Event(p, int(k)+1), To: to})
			}
		}
	}
	return all
}

// counts returns how many events of a process the cuts contain, in increasing order.
func counts(cuts []graphs.Cut, process int) (all []int32) {
	for _, cut := range cuts {
		all = append(all, cut[process])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// hit returns as few candidates as possible that exclude all cuts found so far and close no known
// cycle. ok is false if the steps are used up.
func (s *search) hit() (orders []graphs.Edge, ok bool) {
	all := make([]graphs.Edge, 1) // index 0 stands for orders that are no longer candidates
	h := sat.Hitting{Sets: make([][]int32, len(s.seen))}
	number := make(map[graphs.Edge]int32)
	same := make(map[string]bool)
	for o := range s.candidates(s.seen) {
		// For each size of a hitting set, up to the number of cuts, the solver counts orders up to
		// that size.
		const ofStep = 16
		if len(all)%ofStep == 1 && effort.Spend(s.some, int64(len(s.seen)*len(s.seen))) != nil {
			return nil, false
		}
		var hits []int
		for j, cut := range s.seen {
			if s.excludes(o, cut) {
				hits = append(hits, j)
			}
		}
		// Of several orders that hit the same cuts, one suffices: in any order, the weakest between
		// two processes.
		key := fmt.Sprint(hits)
		if s.bound == s.c {
			key += fmt.Sprint(s.c.Process(o.From), s.c.Process(o.To))
		}
		if same[key] {
			continue
		}
		same[key] = true
		number[o] = int32(len(all))
		all = append(all, o)
		for _, j := range hits {
			h.Sets[j] = append(h.Sets[j], number[o])
		}
	}
	for _, cycle := range s.apart {
		var set []int32
		for _, o := range cycle {
			set = append(set, number[o])
		}
		h.Never = append(h.Never, set)
	}
	chosen, ok, err := h.Least(s.some)
	for _, i := range chosen {
		orders = append(orders, all[i])
	}
	return orders, ok && err == nil
}

// weakened makes a fix irredundant, and its orders as weak as possible: each order excludes the
// cuts that no other one does, and an order without such cuts is omitted. A bad cut that is
// possible afterwards starts another round. When the steps are used up, weakened only omits orders.
func (s *search) weakened(fix []graphs.Edge) ([]graphs.Edge, error) {
	for {
		var weak []graphs.Edge
		for i, o := range fix {
			rest := slices.Concat(weak, fix[i+1:])
			p, q := s.c.Process(o.From), s.c.Process(o.To)
			from, to := 0, s.c.Len(q)
			for _, cut := range s.seen {
				if s.excludes(o, cut) && s.allow(rest, cut) {
					from, to = max(from, int(cut[p])+1), min(to, int(cut[q]))
				}
			}
			if from > 0 && s.some.Err() == nil {
				o = graphs.Edge{From: s.c.Event(p, from), To: s.c.Event(q, to)}
			}
			if from > 0 {
				weak = append(weak, o)
			}
		}
		if cut, err := s.violation(weak); cut == nil || err != nil {
			return weak, err
		}
	}
}

// nameAfter replaces a To without a label by the last event of another process that led to it and
// has a unique label. The order becomes stronger, but stays along the run. A least fix stays least.
func (s *search) nameAfter(fix *Fix) {
	const maxNamed = 20 // inspecting the past of many events would take long
	if !fix.Least || len(fix.Orders) > maxNamed {
		return
	}
	c := s.c
	times := make(map[string]int) // how often a label occurs
	for _, e := range fix.Run {
		times[c.Label(e)]++
	}
	for i, o := range fix.Orders {
		if c.Label(o.To) != "" {
			continue
		}
		led, _ := c.Above(c.Initial(), o.To)
		for _, e := range fix.Run[slices.Index(fix.Run, o.From)+1:] {
			own := c.Label(e) != "" && times[c.Label(e)] == 1
			if own && c.Has(led, e) && c.Process(e) != c.Process(o.To) {
				fix.Orders[i].To = e
			}
		}
	}
}
