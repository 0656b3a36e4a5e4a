package fix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/sat"
	"github.com/pota-project/pota/rctl/syntax"
)

// A search is for one fix.
type search struct {
	ctx   context.Context
	some  context.Context // ends when the steps for a least fix are spent
	c     *graphs.Computation
	opts  Options
	keep  *syntax.Formula // p
	never *syntax.Formula // its negation

	run   []graphs.Event
	place []int32 // by event: of its step in the run, from 1; 0 before it, outside after it
	about []bool  // by process: p speaks of it
	every bool    // orders of all processes are considered
	part  bool    // some orders were not considered, so fewer may do
	seen  []graphs.Cut
}

// outside is the place of an event that no cut has.
const outside = math.MaxInt32

// newSearch returns a search that has not found anything, and what ends it.
func newSearch(ctx context.Context, c *graphs.Computation, p *syntax.Formula, opts Options) (s *search, end func()) {
	s = &search{
		ctx:   ctx,
		c:     c,
		opts:  opts,
		keep:  p,
		never: syntax.NNF(syntax.Not(p)),
	}
	s.every = c.NumProcesses() <= maxProcesses
	s.some, end = effort.Limited(ctx, cmp.Or(opts.Steps, defaultSteps))
	names := syntax.Names(p)
	s.about = make([]bool, c.NumProcesses())
	for _, v := range c.Variables() {
		if v.Process != graphs.Shared && names[v.Name] {
			s.about[v.Process] = true
		}
	}
	return s, end
}

// cost is how many steps a decision counts for.
func (s *search) cost(c *graphs.Computation) int64 {
	const eventsOfStep = 16
	return int64(1 + (c.NumEvents()+c.NumEdges())/eventsOfStep)
}

// check decides a formula with more orders. whole asks for a run that shows it.
func (s *search) check(orders []graphs.Edge, f *syntax.Formula, whole bool) (*rctl.Result, error) {
	if s.opts.Quick && s.some.Err() != nil {
		return nil, errors.Join(s.ctx.Err(), ErrNotQuick)
	}
	d, err := s.c.Ordered(slices.Values(orders))
	if err != nil {
		return nil, err
	}
	_ = effort.Spend(s.some, s.cost(d)) // the next step tells
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

// violation returns a bad cut that some orders do not exclude, nil if there is none.
func (s *search) violation(orders []graphs.Edge) (graphs.Cut, error) {
	res, err := s.check(orders, syntax.New(syntax.OpEF, s.never.Pos, s.never), false)
	switch {
	case err != nil || res.Verdict == rctl.Fails:
		return nil, err
	case res.Evidence == nil: // the values at the initial cut decide
		return s.c.Initial(), nil
	}
	return res.Evidence.Cut, nil
}

// recorded returns the recorded run, nil if it is not known or has a bad cut.
func (s *search) recorded() ([]graphs.Event, error) {
	run := s.c.Recorded()
	if len(run) == 0 {
		return nil, nil
	}
	if cut, err := s.violation(s.c.RunEdges(run)); cut != nil || err != nil {
		return nil, err
	}
	return run, nil
}

// another returns a run without bad cuts. The error is an *InfeasibleError where there is none.
func (s *search) another() ([]graphs.Event, error) {
	if s.opts.Quick {
		return nil, ErrNotQuick
	}
	res, err := s.check(nil, syntax.New(syntax.OpEG, s.keep.Pos, s.keep), true)
	if err != nil {
		return nil, err
	}
	if res.Verdict == rctl.Holds && res.Evidence != nil {
		return res.Evidence.Run, nil
	}
	for _, cut := range []graphs.Cut{s.c.Initial(), s.c.Final()} {
		if holds, err := rctl.At(s.c, s.keep, cut); err != nil || !holds {
			return nil, cmp.Or[error](err, &InfeasibleError{cut})
		}
	}
	return nil, new(InfeasibleError)
}

// follow makes run the one that orders go along.
func (s *search) follow(run []graphs.Event) {
	s.run = run
	s.place = make([]int32, s.c.Top()+1)
	for e := range s.c.Top() {
		if !s.c.Has(s.c.Final(), e) {
			s.place[e] = outside
		}
	}
	step := int32(0)
	for i, e := range run {
		if i == 0 || !s.c.SameStep(run[i-1], e) {
			step++
		}
		s.place[e] = step
	}
}

// excludes reports whether an order excludes a cut.
func (s *search) excludes(o graphs.Edge, cut graphs.Cut) bool {
	return s.c.Has(cut, o.To) && !s.c.Has(cut, o.From)
}

// allow reports whether no order excludes a cut.
func (s *search) allow(orders []graphs.Edge, cut graphs.Cut) bool {
	return !slices.ContainsFunc(orders, func(o graphs.Edge) bool { return s.excludes(o, cut) })
}

// without returns the orders but one.
func without(orders []graphs.Edge, i int) []graphs.Edge {
	return slices.Concat(orders[:i], orders[i+1:])
}

// hitting finds a least fix along the run, or an irredundant one when the steps are spent. Each
// round hits all cuts found so far with fewest orders. Then it finds more cuts, with one order more
// for each, until p holds.
func (s *search) hitting() (fix []graphs.Edge, least bool, err error) {
	for !least {
		lower, ok := s.hit(s.pointsOf, nil)
		if !ok {
			break
		}
		whole, err := s.complete(lower)
		if err != nil {
			return nil, false, err
		}
		if fix == nil || len(whole) < len(fix) {
			fix = whole
		}
		least = len(fix) == len(lower)
	}
	least = least && !s.part
	switch {
	case s.ctx.Err() != nil:
		return nil, false, s.ctx.Err()
	case !least && s.opts.Quick:
		return nil, false, ErrNotQuick
	case !least:
		if fix == nil {
			fix, err = s.complete(nil)
		}
		if err == nil {
			fix, err = s.irredundant(fix)
		}
	}
	if err == nil {
		fix, err = s.weakened(fix)
	}
	return fix, least, err
}

// complete adds orders along the run until p holds: for each bad cut the best that excludes it.
func (s *search) complete(orders []graphs.Edge) ([]graphs.Edge, error) {
	for {
		cut, err := s.violation(orders)
		if err != nil || cut == nil {
			return orders, err
		}
		s.seen = append(s.seen, cut)
		best := slices.MinFunc(s.pointsOf(cut), candidate.compare)
		orders = append(orders[:len(orders):len(orders)], best.Edge)
	}
}

// Bounds on the candidates for one cut.
const (
	maxProcesses  = 128 // of more, orders are between those that p speaks of
	maxCandidates = 1 << 14
)

// between reports whether orders from a process to another are considered, as far as there are not
// too many for one cut.
func (s *search) between(p, q, candidates int) bool {
	ok := s.every || s.about[p] && s.about[q]
	ok = ok && candidates < maxCandidates
	s.part = s.part || !ok
	return ok && p != q
}

// A candidate is an order that excludes cuts. Those between processes that p speaks of are better
// than others, and then those between events that are near each other.
type candidate struct {
	graphs.Edge
	far int64
}

func (k candidate) compare(other candidate) int { return cmp.Compare(k.far, other.far) }

// candidate returns an order as a candidate.
func (s *search) candidate(o graphs.Edge, near int32) candidate {
	k := candidate{o, int64(near)}
	for _, e := range []graphs.Event{o.From, o.To} {
		if !s.about[s.c.Process(e)] {
			k.far += outside
		}
	}
	return k
}

// hit returns fewest of the candidates that exclude all cuts found so far, and do not close one of
// the cycles. of returns the candidates for a cut. It is not ok when the steps are spent.
func (s *search) hit(of func(graphs.Cut) []candidate, cycles [][]graphs.Edge) (orders []graphs.Edge, ok bool) {
	var all []candidate
	number := make(map[graphs.Edge]int32)
	for _, cut := range s.seen {
		for _, k := range of(cut) {
			if _, known := number[k.Edge]; !known {
				number[k.Edge] = 0
				all = append(all, k)
			}
		}
		if effort.Spend(s.some, int64(len(all)*len(s.seen)/16)) != nil {
			return nil, false
		}
	}
	// Of several that hit the same cuts the best one is kept, and the solver tries it first.
	slices.SortStableFunc(all, candidate.compare)
	h := sat.Hitting{Sets: make([][]int32, len(s.seen))}
	same := make(map[string]bool)
	for i, k := range all {
		number[k.Edge] = int32(i)
		var hits []int
		for j, cut := range s.seen {
			if s.excludes(k.Edge, cut) {
				hits = append(hits, j)
			}
		}
		if key := fmt.Sprint(hits); cycles == nil {
			if same[key] {
				continue
			}
			same[key] = true
		}
		for _, j := range hits {
			h.Sets[j] = append(h.Sets[j], int32(i))
		}
	}
	for _, cycle := range cycles {
		var set []int32
		for _, o := range cycle {
			set = append(set, number[o])
		}
		h.Never = append(h.Never, set)
	}
	chosen, ok, err := h.Least(s.some)
	for _, i := range chosen {
		orders = append(orders, all[i].Edge)
	}
	return orders, ok && err == nil
}

// pointsOf returns the orders along the run that exclude a cut. An order of two processes is a point
// of the run: e is the last event of the one before it, f the first of the other after it. It
// excludes C where the point is between the first event of e's process that is not in C and the last
// one of f's process in C. Of all points those will do that come last for some cut, as for intervals
// that are to be stabbed.
func (s *search) pointsOf(cut graphs.Cut) (all []candidate) {
	c := s.c
	for q := range cut {
		if cut[q] == c.Initial()[q] {
			continue
		}
		to := c.Event(q, int(cut[q]))
		last := s.place[to]
		for p := range cut {
			if cut[p] == c.Final()[p] || !s.between(p, q, len(all)) {
				continue
			}
			first := s.place[c.Event(p, int(cut[p])+1)]
			if first < last {
				k := sort.Search(c.Len(p), func(i int) bool { return s.place[c.Event(p, i+1)] >= last })
				all = append(all, s.candidate(graphs.Edge{From: c.Event(p, k), To: to}, last-first))
			}
		}
	}
	_ = effort.Spend(s.some, int64(len(cut)*len(cut)/16)) // the next step tells
	if all == nil && !s.every {
		// What p says of shared variables and channels is not about single processes.
		s.every = true
		return s.pointsOf(cut)
	}
	return all
}

// irredundant leaves out orders as long as p holds.
func (s *search) irredundant(fix []graphs.Edge) ([]graphs.Edge, error) {
	for i := 0; i < len(fix); {
		rest := without(fix, i)
		// A cut that was found may say that the order is needed.
		if !slices.ContainsFunc(s.seen, func(cut graphs.Cut) bool { return s.allow(rest, cut) }) {
			cut, err := s.violation(rest)
			if err != nil {
				return nil, err
			}
			if cut == nil {
				fix = rest
				continue
			}
			s.seen = append(s.seen, cut)
		}
		i++
	}
	return fix, nil
}

// weakened makes the orders of an irredundant fix as weak as can be: each excludes the cuts that no
// other one does. A bad cut that is possible then asks for stronger orders. When the steps are
// spent, the fix is returned unchanged.
func (s *search) weakened(fix []graphs.Edge) ([]graphs.Edge, error) {
	for {
		weak := slices.Clone(fix)
		for i, o := range weak {
			rest := without(weak, i)
			p, q := s.c.Process(o.From), s.c.Process(o.To)
			from, to := 0, s.c.Len(q)
			for _, cut := range s.seen {
				if s.excludes(o, cut) && s.allow(rest, cut) {
					from, to = max(from, int(cut[p])+1), min(to, int(cut[q]))
				}
			}
			weak[i] = graphs.Edge{From: s.c.Event(p, from), To: s.c.Event(q, to)}
		}
		cut, err := s.violation(weak)
		switch {
		case err != nil || cut == nil:
			return weak, err
		case s.some.Err() != nil:
			return fix, s.ctx.Err()
		}
		s.seen = append(s.seen, cut)
	}
}

// nameAfter puts the last event of another process that led to it, with a label of its own, in the
// place of a To without a label. The order is stronger so, and still along the run. A least fix
// stays one.
func (s *search) nameAfter(fix *Fix) {
	const maxNamed = 20 // a look at the past of each of many would take long
	if !fix.Least || len(fix.Orders) > maxNamed {
		return
	}
	c := s.c
	times := make(map[string]int) // that a label occurs
	for _, e := range fix.Run {
		times[c.Label(e)]++
	}
	for i, o := range fix.Orders {
		if c.Label(o.To) != "" {
			continue
		}
		led, _ := c.Above(c.Initial(), o.To)
		past, _ := c.Above(c.Initial(), o.From)
		for _, e := range fix.Run[slices.Index(fix.Run, o.From):] {
			own := c.Label(e) != "" && times[c.Label(e)] == 1
			if own && c.Has(led, e) && !c.Has(past, e) && c.Process(e) != c.Process(o.To) {
				fix.Orders[i].To = e
			}
		}
	}
}
