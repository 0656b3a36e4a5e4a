package fix

import (
	"cmp"
	"context"
	"errors"
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
	place []int32 // of each event in the run by steps, from 1; 0 before it, never after it
	seen  []violated
	seers []bool // processes that p speaks of
}

// never is the place of what no cut has.
const never = math.MaxInt32

// A violated cut is one where p is false, with the places of the events next to it.
type violated struct {
	graphs.Cut
	next []int32 // by process: of its first event that is not in the cut
	last []int32 // by process: of its last event in the cut
}

// A candidate is what may exclude cuts: an event of a process before one of another.
type candidate struct {
	Order
	hits []int32 // numbers of cuts
	far  int64   // how much it is to be avoided, among those that hit the same cuts
}

// newSearch returns a search, and what ends it.
func newSearch(ctx context.Context, c *graphs.Computation, p *syntax.Formula, opts Options) (*search, func()) {
	some, end := effort.Limited(ctx, cmp.Or(opts.Steps, DefaultSteps))
	return &search{
		ctx:   ctx,
		some:  some,
		c:     c,
		opts:  opts,
		keep:  p,
		never: syntax.NNF(syntax.Not(p)),
	}, end
}

// cost is how many steps a decision counts for.
func (s *search) cost(c *graphs.Computation) int64 {
	const eventsOfStep = 16
	return int64(1 + (c.NumEvents()+c.NumEdges())/eventsOfStep)
}

// check decides a formula on c with more orders. It spends steps for it.
func (s *search) check(added []graphs.Edge, f *syntax.Formula, whole bool) (*rctl.Result, error) {
	if s.opts.Quick && s.some.Err() != nil {
		return nil, errors.Join(ErrNotQuick, s.ctx.Err())
	}
	d, err := s.c.Ordered(added)
	if err != nil {
		return nil, err
	}
	_ = effort.Spend(s.some, s.cost(d)) // the next step tells
	opts := s.opts.Check
	opts.Evidence = true
	opts.Cuts = !whole
	res, err := rctl.NewSession(d).Decide(s.ctx, f, opts)
	if err == nil && s.ctx.Err() != nil {
		err = s.ctx.Err()
	}
	if err == nil && res.Verdict == rctl.Unknown {
		err = &UndecidedError{res.Reason}
	}
	return res, err
}

// violation returns a cut where p is false in spite of some orders, nil if there is none.
func (s *search) violation(orders []Order) (graphs.Cut, error) {
	return s.violates(edges(orders))
}

func (s *search) violates(added []graphs.Edge) (graphs.Cut, error) {
	res, err := s.check(added, syntax.New(syntax.OpEF, s.never.Pos, s.never), false)
	if err != nil || res.Verdict == rctl.Fails {
		return nil, err
	}
	if res.Evidence == nil { // p is false at the initial cut
		return s.c.Initial(), nil
	}
	return res.Evidence.Cut, nil
}

// recorded returns the recorded run, nil where it is not known or p is false along it. The run is
// the only one of a computation where each step is ordered before the next.
func (s *search) recorded() ([]graphs.Event, error) {
	run := s.c.Recorded()
	if len(run) == 0 {
		return nil, nil
	}
	var chain []graphs.Edge
	for i, e := range run[1:] {
		if before := run[i]; !s.c.SameStep(before, e) {
			chain = append(chain, graphs.Edge{From: before, To: e})
		}
	}
	cut, err := s.violates(chain)
	if err != nil || cut != nil {
		return nil, err
	}
	return run, nil
}

// another returns a run that satisfies p. The error is an *InfeasibleError where there is none.
func (s *search) another() ([]graphs.Event, error) {
	res, err := s.check(nil, syntax.New(syntax.OpEG, s.keep.Pos, s.keep), true)
	if err != nil {
		return nil, err
	}
	if res.Verdict == rctl.Holds && res.Evidence != nil {
		return res.Evidence.Run, nil
	}
	none := new(InfeasibleError)
	for _, cut := range []graphs.Cut{s.c.Initial(), s.c.Final()} {
		if holds, err := rctl.At(s.c, s.keep, cut); err != nil {
			return nil, err
		} else if !holds {
			none.At = cut
			break
		}
	}
	return nil, none
}

// follow makes run the one that orders go along.
func (s *search) follow(run []graphs.Event) {
	s.run = run
	s.place = make([]int32, s.c.Top()+1)
	for e := range s.place {
		if e := graphs.Event(e); !s.c.Has(s.c.Final(), e) {
			s.place[e] = never
		}
	}
	step := int32(0)
	for i, e := range run {
		if i == 0 || !s.c.SameStep(run[i-1], e) {
			step++
		}
		s.place[e] = step
	}
	s.seers = make([]bool, s.c.NumProcesses())
	names := syntax.Names(s.never)
	for _, v := range s.c.Variables() {
		if v.Process != graphs.Shared && names[v.Name] {
			s.seers[v.Process] = true
		}
	}
}

// add notes a violated cut.
func (s *search) add(cut graphs.Cut) {
	v := violated{cut.Clone(), make([]int32, len(cut)), make([]int32, len(cut))}
	for p, k := range cut {
		v.next[p] = never
		if int(k) < s.c.Len(p) {
			v.next[p] = s.place[s.c.Event(p, int(k)+1)]
		}
		if k > 0 {
			v.last[p] = s.place[s.c.Event(p, int(k))]
		}
	}
	s.seen = append(s.seen, v)
}

// excludes reports whether an order excludes a cut.
func (s *search) excludes(o Order, cut graphs.Cut) bool {
	return s.c.Has(cut, o.After) && !s.c.Has(cut, o.Before)
}

// hitting finds a least fix, or an irredundant one when the steps are spent, along the run. Each
// round hits all cuts found so far with fewest orders, and then finds more cuts, with one order more
// for each, until p holds.
func (s *search) hitting() (fix []Order, least bool, err error) {
	for {
		lower, err := s.hit(s.pointsOf, nil)
		if err != nil {
			break
		}
		whole, err := s.complete(lower)
		if err != nil {
			return nil, false, err
		}
		if fix == nil || len(whole) < len(fix) {
			fix = whole
		}
		if len(fix) == len(lower) {
			fix, err = s.weakened(fix)
			return fix, true, err
		}
	}
	if s.ctx.Err() != nil {
		return nil, false, s.ctx.Err()
	}
	if s.opts.Quick {
		return nil, false, ErrNotQuick
	}
	if fix == nil {
		if fix, err = s.complete(nil); err != nil {
			return nil, false, err
		}
	}
	if fix, err = s.irredundant(fix); err != nil {
		return nil, false, err
	}
	fix, err = s.weakened(fix)
	return fix, false, err
}

// complete adds orders along the run until p holds: one for each violated cut, between processes
// that p speaks of where that can be, and as strong as can be.
func (s *search) complete(orders []Order) ([]Order, error) {
	orders = slices.Clone(orders)
	for {
		cut, err := s.violation(orders)
		if err != nil || cut == nil {
			return orders, err
		}
		s.add(cut)
		all := s.pointsOf(len(s.seen) - 1)
		best := slices.MinFunc(all, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
		orders = append(orders, best.Order)
	}
}

// hit returns fewest of the candidates that exclude all cuts found so far, and no set of never.
// of returns the candidates for one cut. The error says that the steps are spent.
func (s *search) hit(of func(cut int) []candidate, never func([]Order) [][]int32) ([]Order, error) {
	h := sat.Hitting{Sets: make([][]int32, len(s.seen))}
	var all []Order
	number := make(map[graphs.Edge]bool)
	var candidates []candidate
	for i := range s.seen {
		for _, k := range of(i) {
			if at := (graphs.Edge{From: k.Before, To: k.After}); !number[at] {
				number[at] = true
				candidates = append(candidates, k)
			}
		}
		if err := effort.Spend(s.some, int64(len(candidates))); err != nil {
			return nil, err
		}
	}
	// Near ones come first: the solver keeps the first of those that hit the same.
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	same := make(map[string]bool)
	for _, k := range candidates {
		hits := string(bytesOf(k.hits))
		if never == nil && same[hits] {
			continue
		}
		same[hits] = true
		for _, cut := range k.hits {
			h.Sets[cut] = append(h.Sets[cut], int32(len(all)))
		}
		all = append(all, k.Order)
	}
	h.N = len(all)
	if never != nil {
		h.Never = never(all)
	}
	chosen, ok, err := h.Least(s.some)
	if err != nil || !ok {
		return nil, errors.Join(err, s.some.Err(), errNone)
	}
	orders := make([]Order, len(chosen))
	for i, k := range chosen {
		orders[i] = all[k]
	}
	return orders, nil
}

var errNone = errors.New("no orders hit all cuts")

// bytesOf makes a key of numbers.
func bytesOf(numbers []int32) (key []byte) {
	for _, n := range numbers {
		key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return key
}

// pointsOf returns the orders along the run that exclude a cut. An order of two processes is a point
// of the run: e is the last event of the one before it, f the first of the other after it. It
// excludes C where e→f is a stretch around it, from the first event of e's process that is not in C
// to the last one of f's process in C. Of all points those will do that are last in the stretch of
// some cut, as for intervals that are to be stabbed.
func (s *search) pointsOf(cut int) (all []candidate) {
	v := &s.seen[cut]
	for q, last := range v.last {
		if last == 0 {
			continue
		}
		for p, next := range v.next {
			if p == q || next >= last {
				continue
			}
			k := candidate{far: int64(last - next)}
			for i := range s.seen {
				if w := &s.seen[i]; w.next[p] < last && last <= w.last[q] {
					k.hits = append(k.hits, int32(i))
				}
			}
			_ = effort.Spend(s.some, int64(1+len(s.seen)/16))
			before := sort.Search(s.c.Len(p), func(i int) bool { return s.place[s.c.Event(p, i+1)] >= last })
			k.Before = s.c.Event(p, before)
			k.After = s.c.Event(q, int(v.Cut[q]))
			k.far += s.distance(p, q)
			all = append(all, k)
		}
	}
	return all
}

// distance puts orders between processes that p speaks of before all others.
func (s *search) distance(p, q int) (far int64) {
	for _, p := range []int{p, q} {
		if !s.seers[p] {
			far += never
		}
	}
	return far
}

// irredundant leaves out orders as long as p holds.
func (s *search) irredundant(fix []Order) ([]Order, error) {
	for i := 0; i < len(fix); {
		rest := slices.Delete(slices.Clone(fix), i, i+1)
		// A cut that was found may say that the order is needed.
		needed := slices.ContainsFunc(s.seen, func(v violated) bool { return s.allows(rest, v.Cut) })
		if !needed {
			cut, err := s.violation(rest)
			if err != nil {
				return nil, err
			}
			if needed = cut != nil; needed {
				s.add(cut)
			}
		}
		if needed {
			i++
		} else {
			fix = rest
		}
	}
	return fix, nil
}

// allows reports whether no order excludes a cut.
func (s *search) allows(orders []Order, cut graphs.Cut) bool {
	return !slices.ContainsFunc(orders, func(o Order) bool { return s.excludes(o, cut) })
}

// weakened makes the orders of an irredundant fix as weak as can be: each excludes the cuts that no
// other one does. Where p is false then, the cut found says which order has to be stronger. When the
// steps are spent, the fix stays as it is.
func (s *search) weakened(fix []Order) ([]Order, error) {
	for {
		weak := slices.Clone(fix)
		for i := range weak {
			rest := slices.Delete(slices.Clone(weak), i, i+1)
			o := weak[i]
			p, q := s.c.Process(o.Before), s.c.Process(o.After)
			before, after := int32(0), int32(math.MaxInt32)
			for _, v := range s.seen {
				if s.excludes(o, v.Cut) && s.allows(rest, v.Cut) {
					before, after = max(before, v.Cut[p]+1), min(after, v.Cut[q])
				}
			}
			weak[i].Before, weak[i].After = s.c.Event(p, int(before)), s.c.Event(q, int(after))
		}
		cut, err := s.violation(weak)
		switch {
		case err != nil:
			return nil, err
		case cut == nil:
			return s.explained(weak), nil
		}
		s.add(cut)
		if s.some.Err() != nil {
			return s.explained(fix), s.ctx.Err()
		}
	}
}

// explained notes for each order of an irredundant fix a cut that no other one excludes.
func (s *search) explained(fix []Order) []Order {
	for i, o := range fix {
		rest := slices.Delete(slices.Clone(fix), i, i+1)
		for _, v := range s.seen {
			if s.excludes(o, v.Cut) && s.allows(rest, v.Cut) {
				fix[i].prevented = v.Cut
				break
			}
		}
	}
	return fix
}
