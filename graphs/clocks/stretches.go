package clocks

import (
	"cmp"
	"errors"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
)

// A History says when a predicate is true. Either it changes at totally ordered events, or it
// becomes true once, at the first of events of several processes.
type History struct {
	Begins bool           // whether it is true before all events
	Flips  []graphs.Event // the events that change it, in order
	First  []graphs.Event // if not nil, it becomes true at the first of these, for good
}

// Never reports whether the predicate is never true.
func (h History) Never() bool { return !h.Begins && len(h.Flips) == 0 && h.First == nil }

// A stretch is a maximal part of the trace in which a predicate keeps its value: from an event, or
// ⊥, until another, or ⊤.
type stretch struct{ begin, end graphs.Event }

// stretches lists the stretches in which the predicate has the value truth.
func (h History) stretches(top graphs.Event, truth bool) []stretch {
	var all []stretch
	begin := graphs.Bottom
	holds := h.Begins
	for _, e := range h.Flips {
		if holds == truth {
			all = append(all, stretch{begin, e})
		}
		begin, holds = e, !holds
	}
	if holds == truth {
		all = append(all, stretch{begin, top})
	}
	return all
}

// stable returns events the first of which makes the predicate true for good; ok is false if the
// predicate may become false again, or is true at first.
func (h History) stable() (first []graphs.Event, ok bool) {
	if h.First != nil {
		return h.First, true
	}
	return h.Flips, !h.Begins && len(h.Flips) <= 1
}

// A Took is a duration from one event to another in nanoseconds, Unbounded if it does not end. ⊥
// and ⊤ are the beginning and the end of the trace.
type Took struct {
	Nanoseconds int64
	From, To    graphs.Event
}

// longer returns the longer of two durations, or the first if they are equal. shorter returns the
// shorter one.
func longer(a, b Took) Took {
	if b.Nanoseconds > a.Nanoseconds {
		return b
	}
	return a
}

func shorter(a, b Took) Took {
	if b.Nanoseconds < a.Nanoseconds {
		return b
	}
	return a
}

// A Ruler measures how long states last, and how long it takes until they begin. See Stretches in
// the package documentation.
type Ruler struct {
	top         graphs.Event
	first, last []graphs.Event // the events that may begin and end the trace
	most        func(e, f graphs.Event) int64
	before      func(e, f graphs.Event) bool
	exact       bool
}

// NewRuler returns a ruler for a computation. most returns the largest difference of f after e, and
// before whether e happened before f, together with it, or equals it. Only events for which timed
// is true are measured. If exact is true, differences are exact, so the first and the last event of
// the trace are known.
//
// The time complexity of NewRuler is O(|V|), and O(n) for n processes if few events have no
// reading.
func NewRuler(c *graphs.Computation, most func(e, f graphs.Event) int64, before func(e, f graphs.Event) bool, timed func(graphs.Event) bool, exact bool) *Ruler {
	r := &Ruler{top: c.Top(), most: most, before: before, exact: exact}
	for p := range c.NumProcesses() {
		first, last := 1, c.Len(p)
		for first <= last && !timed(c.Event(p, first)) {
			first++
		}
		for last > first && !timed(c.Event(p, last)) {
			last--
		}
		if first <= last {
			r.first = append(r.first, c.Event(p, first))
			r.last = append(r.last, c.Event(p, last))
		}
	}
	if exact && len(r.first) > 0 {
		order := func(e, f graphs.Event) int { return cmp.Compare(0, most(e, f)) }
		r.first = []graphs.Event{slices.MinFunc(r.first, order)}
		r.last = []graphs.Event{slices.MaxFunc(r.last, order)}
	}
	return r
}

// Ends returns the events at which the trace may begin and end.
func (r *Ruler) Ends() []graphs.Event { return slices.Concat(r.first, r.last) }

// least returns the least difference of f after e.
func (r *Ruler) least(e, f graphs.Event) int64 { return -r.most(f, e) }

// ErrSeveral reports that a predicate becomes true on one of several processes and is to be
// followed by a state that may end again, or that many such predicates are to be true together.
var ErrSeveral = errors.New("causality does not order the events that make a state true: name the process, as in once(…)@P1")

// Response returns the longest time from an event that makes p true until q is true: its least and
// its greatest value that the clocks allow. If p is true at first, the time counts from the first
// event.
//
// The time complexity of Response is O(m·(log n + w)) for m events that make p true and n that
// change q, if clocks leave each of the m unordered with w of the n.
func (r *Ruler) Response(p, q History) (least, most Took, err error) {
	none := Took{}
	worst := func(from []graphs.Event, q History) {
		if len(from) == 0 {
			least = Took{Unbounded, graphs.Bottom, r.top}
			most = least
			return
		}
		l, m := r.wait(from, q)
		if l.Nanoseconds > least.Nanoseconds || least == none {
			least = l
		}
		if m.Nanoseconds > most.Nanoseconds || most == none {
			most = m
		}
	}
	if _, ok := q.stable(); p.First != nil && !ok {
		return least, most, ErrSeveral
	}
	if p.First != nil {
		worst(p.First, q)
		p = History{}
	}
	for _, s := range p.stretches(r.top, true) {
		switch {
		case s.begin != graphs.Bottom:
			worst([]graphs.Event{s.begin}, q)
		case q.Begins: // at once
		case q.First != nil:
			worst(r.first, q)
		default:
			worst(r.first, History{Flips: q.Flips[:min(len(q.Flips), 1)]})
		}
	}
	if r.exact {
		least = most // even if clocks contradict the trace
	}
	return least, most, nil
}

// wait returns the least and the greatest time from the first of some events until q is true. If
// there are several events, q must be stable.
func (r *Ruler) wait(from []graphs.Event, q History) (least, most Took) {
	to, ok := q.stable()
	if !ok {
		return r.soonest(from[0], q), r.latest(from[0], q)
	}
	never := Took{Unbounded, from[0], r.top}
	least, most = never, Took{-1, from[0], r.top}
	for _, a := range from {
		// All events of to may happen as late as possible after a.
		late := never
		late.From = a
		for _, c := range to {
			late = shorter(late, Took{r.after(a, c), a, c})
		}
		most = longer(most, late)
	}
	for _, c := range to {
		// All events of from may happen as late as possible before c.
		soon := Took{-1, from[0], c}
		for _, a := range from {
			soon = longer(soon, Took{max(0, r.least(a, c)), a, c})
		}
		least = shorter(least, soon)
	}
	return least, most
}

// after returns the largest difference of c after a, or 0 if c happened before a.
func (r *Ruler) after(a, c graphs.Event) int64 {
	d := r.most(a, c)
	if d <= 0 || r.before(c, a) {
		return 0
	}
	return d
}

// latest returns how long q may stay false from a on, in a false stretch that may contain a.
func (r *Ruler) latest(a graphs.Event, q History) Took {
	all := q.stretches(r.top, false)
	// Those that may have begun when a happened come first.
	n := sort.Search(len(all), func(i int) bool {
		begin := all[i].begin
		return begin != graphs.Bottom && !r.before(begin, a) && (r.most(begin, a) < 0 || r.before(a, begin))
	})
	most := Took{0, a, a}
	for _, s := range slices.Backward(all[:n]) {
		d := int64(Unbounded)
		if s.end != r.top {
			d = r.after(a, s.end)
		}
		if d <= most.Nanoseconds {
			break // earlier ones end earlier
		}
		if s.begin != graphs.Bottom && s.end != r.top {
			d = min(d, r.most(s.begin, s.end))
		}
		most = longer(most, Took{d, a, s.end})
	}
	return most
}

// soonest returns how soon q may be true from a on, for every order of simultaneous events: in the
// first true stretch that may end after a.
func (r *Ruler) soonest(a graphs.Event, q History) Took {
	all := q.stretches(r.top, true)
	n := sort.Search(len(all), func(i int) bool { return all[i].end == r.top || r.precedes(a, all[i].end) })
	switch {
	case n == len(all):
		return Took{Unbounded, a, r.top}
	case all[n].begin == graphs.Bottom:
		return Took{0, a, a}
	}
	s := all[n]
	d := max(0, r.least(a, s.begin))
	if s.end != r.top && !r.before(a, s.end) {
		// At least a nanosecond lies between a and the end, but perhaps less in the stretch.
		d = max(d, 1-r.most(s.begin, s.end))
	}
	return Took{d, a, s.begin}
}

// precedes reports whether some assignment has a before c in every order: there may be time between
// them, or a happened before c.
func (r *Ruler) precedes(a, c graphs.Event) bool {
	if r.before(c, a) {
		return false
	}
	d := r.most(a, c)
	return d > 0 || d == 0 && r.before(a, c)
}

// Shortest returns the least and the greatest value of the shortest stretch in which p is true. It
// ignores stretches that do not begin or end in the trace, and returns Unbounded if there are no
// others.
//
// The time complexity of Shortest is O(n) for n events that change p.
func (r *Ruler) Shortest(p History) (least, most Took) {
	least = Took{Nanoseconds: Unbounded}
	most = least
	for _, s := range p.stretches(r.top, true) {
		if s.begin == graphs.Bottom || s.end == r.top {
			continue
		}
		if d := r.least(s.begin, s.end); d < least.Nanoseconds {
			least = Took{max(0, d), s.begin, s.end}
		}
		most = shorter(most, Took{r.most(s.begin, s.end), s.begin, s.end})
	}
	return least, most
}

// maxChoices bounds how many combinations of first events Longest tries.
const maxChoices = 1000

// Longest returns the least and the greatest value of the longest stretch in which all predicates
// are true, or 0 if there is none. A state lasts until the next event, and at the end of the trace
// until the last event.
//
// The time complexity of Longest is O(k·n + k²·i) for k predicates with n stretches, if a longest
// stretch so far is found i times. It takes this for each combination of first events in
// History.First and, if a stretch has no beginning or no end and the ruler is not exact, for each
// event that may be the first or last of the trace.
func (r *Ruler) Longest(all []History) (least, most Took, err error) {
	chains := make([][]stretch, len(all))
	choices := 1
	for i, h := range all {
		chains[i] = h.stretches(r.top, true)
		choices *= max(1, len(h.First))
		if choices > maxChoices {
			return least, most, ErrSeveral
		}
	}
	for n := range choices {
		for i, h := range all {
			if h.First != nil {
				chains[i] = []stretch{{h.First[n%len(h.First)], r.top}}
				n /= len(h.First)
			}
		}
		s := search{r: r, chains: chains, lag: r.least, longest: least}
		least = s.run(r.first, r.last)
		s.lag, s.longest = r.most, most
		for _, first := range s.ends(graphs.Bottom, r.first) {
			for _, last := range s.ends(r.top, r.last) {
				s.longest = most
				most = s.run([]graphs.Event{first}, []graphs.Event{last})
			}
		}
	}
	return least, most, nil
}

// A search finds stretches that overlap in time.
type search struct {
	r           *Ruler
	chains      [][]stretch
	lag         func(e, f graphs.Event) int64
	longest     Took // the longest overlap so far
	first, last []graphs.Event
	heads       []int
}

// ends returns the events that may take the place of ⊥ or ⊤, or at most one if no stretch begins or
// ends there.
func (s *search) ends(fictitious graphs.Event, all []graphs.Event) []graphs.Event {
	has := func(x stretch) bool { return x.begin == fictitious || x.end == fictitious }
	if slices.ContainsFunc(s.chains, func(chain []stretch) bool { return slices.ContainsFunc(chain, has) }) {
		return all
	}
	return all[:min(1, len(all))]
}

// run returns the longest overlap of stretches of all chains, or the longest so far if that is not
// shorter. The trace begins with the earliest event of first, and ends with the latest of last.
//
// The time from the beginning of a stretch of one chain to the end of a stretch of another shrinks
// with each later stretch of the first chain. So if it is too short for the heads of two chains,
// the head of the second can be dropped.
func (s *search) run(first, last []graphs.Event) Took {
	s.first, s.last = first, last
	s.heads = make([]int, len(s.chains))
	fresh := make([]int, len(s.chains))
	for i := range fresh {
		fresh[i] = i
	}
	for {
		for len(fresh) > 0 {
			i := fresh[len(fresh)-1]
			fresh = fresh[:len(fresh)-1]
			if s.heads[i] == len(s.chains[i]) {
				return s.longest
			}
			for j := range s.chains {
				if s.heads[j] == len(s.chains[j]) {
					return s.longest
				}
				if s.between(j, i).Nanoseconds <= s.longest.Nanoseconds {
					s.heads[i]++
					fresh = append(fresh, i)
					break
				}
				if i != j && s.between(i, j).Nanoseconds <= s.longest.Nanoseconds {
					s.heads[j]++
					fresh = append(fresh, j, i)
					break
				}
			}
		}
		// All heads overlap longer: for the shortest time from the beginning of one to the end of
		// another.
		s.longest = s.between(0, 0)
		for i := range s.chains {
			for j := range s.chains {
				s.longest = shorter(s.longest, s.between(i, j))
			}
		}
		if s.longest.Nanoseconds == Unbounded {
			return s.longest
		}
		for i := range s.chains {
			fresh = append(fresh, i)
		}
	}
}

// between returns the time from the beginning of the head of chain i to the end of the head of
// chain j.
func (s *search) between(i, j int) Took {
	from, to := s.chains[i][s.heads[i]].begin, s.chains[j][s.heads[j]].end
	begins, ends := []graphs.Event{from}, []graphs.Event{to}
	if from == graphs.Bottom {
		begins = s.first
	}
	if to == s.r.top {
		ends = s.last
	}
	most := Took{-1, from, to}
	for _, e := range begins {
		for _, f := range ends {
			most.Nanoseconds = max(most.Nanoseconds, s.lag(e, f))
		}
	}
	return most
}
