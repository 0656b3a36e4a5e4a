package online

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// AF of a conjunction of predicates of single processes, one for each of some processes,
// holds if and only if there is for each of them an interval, a run of states with its
// predicate, such that each is entered before any other is left (Garg and
// Waldecker, Detection of Strong Unstable Predicates in Distributed Programs, IEEE TPDS
// 1996, Theorem 3). The first intervals of the processes are compared. If one is left before
// another is entered, it cannot be one of them, because later intervals of the other process
// are entered even later. It is dropped, and the next one is compared.
//
// An interval that has no end yet will be left by an event that happens after the last one of
// its process so far: AF is final if the intervals overlap whatever else that event knows
// (certain). An interval still to come is entered by an event still to come, so no known event
// happened after it, and it may have no end. An interval is dropped for good if it is dropped
// even when each process that has not closed may have such an interval (possible). If a
// process has none left and has closed, no continuation overlaps.
//
// An interval that was left within G, the meet of what the processes know, need not be kept.
// Suppose it is left by h in G and belongs to a set of intervals that overlap in some
// continuation. They are entered by events before h, so they have begun. Any event that is
// still to come and leaves one of them happens after all of G, and so after h and all these
// entries. Hence they already overlap for certain, and AF is final. So while AF is not final,
// the first interval of a process is left above G or has no end, and the number of intervals
// kept is at most the number of events above G that leave one, plus one for each process.

// overlap decides AF of a conjunction of predicates of single processes.
type overlap struct {
	p []single
	seen
	intervals [][]interval
}

// interval is a run of states, given by the events that entered and left it.
type interval struct {
	entered stream.Past // the zero Past for the beginning
	left    stream.Past
	ended   bool
}

// newOverlap returns the decider of f; nil if f is of another form.
func newOverlap(f *syntax.Formula) decider {
	if f.Op != syntax.OpAF || !syntax.IsPropositional(f.Sub[0]) {
		return nil
	}
	p, ok := singles(syntax.Conjuncts(f.Sub[0]), syntax.And)
	if !ok {
		return nil
	}
	return &overlap{p: p, intervals: make([][]interval, len(p))}
}

// at returns the intervals at a moment.
func (o *overlap) at(m *moment) [][]interval {
	w, _ := m.plain()
	all := make([][]interval, len(o.p))
	for i, p := range o.p {
		predicate := must(atoms.Compile(w.Computation, p.f))
		list := slices.Clone(o.intervals[i])
		was := len(list) > 0 && !list[len(list)-1].ended
		for e, holds := range changes(w, predicate, o.seen, was) {
			switch {
			case e == graphs.Bottom:
				list = append(list, interval{})
			case holds:
				list = append(list, interval{entered: w.Past(e)})
			default:
				x := &list[len(list)-1]
				x.left = w.Past(e)
				x.ended = true
			}
		}
		all[i] = list
	}
	return all
}

// settle implements decider.
func (o *overlap) settle(m *moment) rctl.Verdict {
	all := o.at(m)
	w, _ := m.plain()
	certain := overlapping(all,
		func(i int, entered stream.Past) bool {
			return m.stream.Over(o.p[i].process, m.mark) || w.Last(o.p[i].process).Knows(entered)
		},
		func(int) bool { return false })
	if !slices.ContainsFunc(certain, func(list []interval) bool { return len(list) == 0 }) {
		return rctl.Holds
	}
	for i, list := range o.possible(all, m) {
		if len(list) == 0 && m.stream.Over(o.p[i].process, m.mark) {
			return rctl.Fails
		}
	}
	return rctl.Unknown
}

func (o *overlap) open() []Obligation { return nil }

// remember notes the intervals at a moment that a continuation may need.
func (o *overlap) remember(m *moment) {
	for i, list := range o.possible(o.at(m), m) {
		o.intervals[i] = slices.Clone(list)
	}
	o.seen = seen{true, m.mark.Step}
}

// possible drops the intervals that overlap in no continuation.
func (o *overlap) possible(all [][]interval, m *moment) [][]interval {
	return overlapping(all,
		func(int, stream.Past) bool { return true },
		func(i int) bool { return !m.stream.Over(o.p[i].process, m.mark) })
}

// overlapping drops intervals from the front of the lists of processes, until the first
// intervals overlap. For an interval of process i without an end, last reports whether it
// will be left after a given event; more reports whether a process without any intervals left
// may get another.
//
// The time complexity of overlapping is O(kn), for k dropped intervals and n processes.
func overlapping(all [][]interval, last func(i int, entered stream.Past) bool, more func(i int) bool) [][]interval {
	rest := slices.Clone(all)
	// entersFirst reports whether the first interval of j is entered before that of i is left.
	entersFirst := func(j, i int) bool {
		x := rest[i][0]
		switch {
		case len(rest[j]) == 0:
			return !more(j) || !x.ended
		case x.ended:
			return x.left.Follows(rest[j][0].entered)
		}
		return last(i, rest[j][0].entered)
	}

	// Each process is compared with all others whenever its first interval has changed.
	var changed []int
	for i := range rest {
		changed = append(changed, i)
	}
	for len(changed) > 0 {
		i := changed[len(changed)-1]
		changed = changed[:len(changed)-1]
		for j := range rest {
			for j != i && len(rest[j]) > 0 && !entersFirst(i, j) {
				rest[j] = rest[j][1:]
				changed = append(changed, j)
			}
		}
	}

	return rest
}
