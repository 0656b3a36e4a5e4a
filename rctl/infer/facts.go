package infer

import (
	"context"
	"math/bits"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A set is a set of literals.
//
// A machine word holds 64 literals, so "which of all literals does this one meet" costs k/64
// steps.
type set []uint64

// newSet returns an empty set for n literals.
func newSet(n int) set { return make(set, n/64+1) }

func (s set) has(l int) bool { return s[l/64]>>(l%64)&1 != 0 }
func (s set) add(l int)      { s[l/64] |= 1 << (l % 64) }
func (s set) union(t set) {
	for i := range s {
		s[i] |= t[i]
	}
}

// intersect leaves what t has, too.
func (s set) intersect(t set) {
	for i := range s {
		s[i] &= t[i]
	}
}

// fill adds everything.
func fill(s set) {
	for i := range s {
		s[i] = ^uint64(0)
	}
}

// each calls visit for the members in order.
func (s set) each(visit func(l int)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			visit(64*i + bits.TrailingZeros64(word))
		}
	}
}

// differ calls visit for what only one of two sets has, in order.
func (s set) differ(t set, visit func(l int)) {
	for i := range s {
		for word := s[i] ^ t[i]; word != 0; word &= word - 1 {
			visit(64*i + bits.TrailingZeros64(word))
		}
	}
}

// A segment is a longest piece of the history of a chain without a change of a tracked variable.
//
// A segment lasts from begin to the event before the next segment's begin, as cuts see it: it has
// begun in a cut with start or more events of the chain.
type segment struct {
	begin graphs.Event // ⊥ for the first
	start int32        // how many events of the chain have happened when it begins
	truth set          // the literals that are true in it
	codes []int32      // of the values of the tracked variables
}

// An interval is the segments from, …, to of a chain: a longest piece with some literal.
type interval struct{ from, to int }

// A chain is the history of a process, or of a shared variable, cut into segments.
type chain struct {
	process   int // graphs.Shared for a shared variable
	column    int // of rows
	name      string
	segments  []segment
	intervals [][]interval // by literal, in order
}

// first and last return the first and the last segment with a literal, -1 for none.
func (h *chain) first(l int) int {
	if len(h.intervals[l]) == 0 {
		return -1
	}
	return h.intervals[l][0].from
}

func (h *chain) last(l int) int {
	if len(h.intervals[l]) == 0 {
		return -1
	}
	return h.intervals[l][len(h.intervals[l])-1].to
}

// Facts are what the literals of a vocabulary do in one run: in all orders that causality allows,
// or in the recorded one, where the computation has no other.
//
//	(1) same has (p, q) if some chain has a state with both
//	(2) apart has (p, q) if some cut has p on one chain and q on another
//	(3) past[q] has p if on each chain with q, p was true somewhere before or when q first became true
//	(4) lost[q] has p if p can be true on some chain when q can no longer be true on any
//
// A literal that never is true has all of past.
//
// For example, let p1 enter (p), leave, and send to p2, and p2 then enter (q), with q never true
// first:
//
//	same  {(p, p), (q, q)}     no chain has both
//	apart {}                   the message keeps them apart
//	past[q] has p              p was true before q is
//	lost[p] has q              once p is over everywhere, q can still come
//
// Facts may be too weak for a formula. They serve to choose candidates, and cost far less than a
// decision.
type facts struct {
	*vocabulary
	comp   *graphs.Computation
	judge  *judge // decides what facts know nothing of
	chains []chain
	coded  []*column // by tracked variable

	same, apart, past, lost []set

	rows    [][]int32 // by event, see order
	rank    []int32   // by event: its place in the recorded order, or another that causality allows
	stories []*story  // by key
	account *account  // of equations, nil until it is asked for
}

// survey finds the facts of one computation. The time complexity of survey is O(|V|+|edges|)
// beside O(n) for each receipt, with n chains, and O(n·s) for their s segments, times the
// words of a set of literals.
func survey(ctx context.Context, v *vocabulary, c *graphs.Computation) (*facts, error) {
	n := len(v.literals)
	f := &facts{comp: c, vocabulary: v, same: newSets(n), past: newSets(n), lost: newSets(n)}
	f.chains, f.coded = v.chainsOf(c)
	for i := range f.chains {
		f.states(&f.chains[i])
	}
	symmetric(f.same)
	f.order()
	f.history()
	f.future()
	return f, f.relate(ctx)
}

// reordered returns the facts of a computation with the same events in another order, as far as
// luck is about them: what the states of single chains are does not depend on it.
func (f *facts) reordered(ctx context.Context, c *graphs.Computation) (*facts, error) {
	g := &facts{comp: c, vocabulary: f.vocabulary, chains: f.chains, coded: f.coded, same: f.same}
	g.order()
	return g, g.relate(ctx)
}

// relate finds what depends on the order of the events of different chains.
func (f *facts) relate(ctx context.Context) error {
	f.apart = newSets(len(f.literals))
	if err := ctx.Err(); err != nil {
		return err
	}
	f.meetings()
	if len(f.sorts) > 0 {
		for _, key := range f.keys {
			f.stories = append(f.stories, f.storyOf(key))
		}
	}
	return ctx.Err()
}

// newSets returns a set for each literal.
func newSets(n int) []set {
	all := make([]set, n)
	for l := range all {
		all[l] = newSet(n)
	}
	return all
}

// symmetric adds (q, p) for each (p, q).
func symmetric(all []set) {
	for p := range all {
		all[p].each(func(q int) { all[q].add(p) })
	}
}

// order finds for each event how many events of each process are in its past, and how many
// assignments of each shared variable: its row. Events with the same past beside their own
// process share a row, so rows are made at receipts alone, and the number of the event's own
// process may be too small.
func (f *facts) order() {
	c := f.comp
	shared := make(map[graphs.Event][][2]int32) // columns, and the assignments of the variable so far
	columns := c.NumProcesses()
	for k := range f.chains {
		h := &f.chains[k]
		if h.column = h.process; h.process == graphs.Shared {
			for s, at := range h.segments[1:] {
				shared[at.begin] = append(shared[at.begin], [2]int32{int32(columns), int32(s + 1)})
			}
			h.column = columns
			columns++
		}
	}
	f.rows = make([][]int32, c.NumEvents()+2)
	f.rows[graphs.Bottom] = make([]int32, columns)
	f.rank = make([]int32, c.NumEvents()+2)
	events := c.Recorded()
	if events == nil {
		events = c.Order()
	}
	for i, e := range events {
		f.rank[e] = int32(i)
	}
	for step := range c.Steps() {
		e := step[0]
		row := f.rows[graphs.Bottom]
		if c.Position(e) > 1 {
			row = f.rows[e-1]
		}
		if len(step) > 1 || len(c.Preds(e)) > 0 || shared[e] != nil {
			row = slices.Clone(row)
			for _, e := range step {
				if c.Position(e) > 1 {
					join(row, f.rows[e-1])
				}
				for _, d := range c.Preds(e) {
					// Those of the same step have no row yet, and are looked at themselves.
					join(row, f.rows[d])
					row[c.Process(d)] = max(row[c.Process(d)], int32(c.Position(d)))
				}
				for _, at := range shared[e] {
					row[at[0]] = max(row[at[0]], at[1])
				}
			}
			for _, e := range step {
				row[c.Process(e)] = max(row[c.Process(e)], int32(c.Position(e)))
			}
		}
		for _, e := range step {
			f.rows[e] = row
		}
	}
}

// join makes each number the greater one of two.
func join(row, other []int32) {
	for i, n := range other {
		row[i] = max(row[i], n)
	}
}

// states finds the intervals of a chain, and which literals it has at once. It looks at what
// changes only: of two literals that are true at once, one becomes true last.
func (f *facts) states(h *chain) {
	h.intervals = make([][]interval, len(f.literals))
	was := newSet(len(f.literals))
	for s := range h.segments {
		is := h.segments[s].truth
		was.differ(is, func(l int) {
			if is.has(l) {
				h.intervals[l] = append(h.intervals[l], interval{s, len(h.segments) - 1})
				f.same[l].union(is)
			} else {
				h.intervals[l][len(h.intervals[l])-1].to = s - 1
			}
		})
		was = is
	}
}

// answered counts the intervals of p with a q before the next one begins.
func (f *facts) answered(p, q int) int {
	return f.count(func(h *chain) int {
		n, next := 0, 0
		asked, answers := h.intervals[p], h.intervals[q]
		for i, at := range asked {
			for next < len(answers) && answers[next].to < at.from {
				next++
			}
			if next < len(answers) && (i+1 == len(asked) || answers[next].from < asked[i+1].from) {
				n++
			}
		}
		return n
	})
}

// meetings finds the literals that can be true at once on two chains.
//
// For chains i and j, segments of i are looked at in order. seen[q] is the latest segment of j with
// q that some of them may be beside; so all literals of the window are those with seen from its
// beginning on, however wide it is. met has the literals of i that have met all that j ever has,
// and mostly all soon have: then nothing is left to find.
func (f *facts) meetings() {
	n := len(f.literals)
	ever := make([]set, len(f.chains))
	for i := range f.chains {
		ever[i] = newSet(n)
		for l := range n {
			if f.chains[i].first(l) >= 0 {
				ever[i].add(l)
			}
		}
	}
	seen, window := make([]int, n), newSet(n)
	for i := range f.chains {
		for j := range i {
			y := f.chains[j].segments
			met := newSet(n)
			for l := range n {
				if within(ever[j], f.apart[l]) {
					met.add(l)
				}
			}
			for q := range seen {
				seen[q] = -1
			}
			next := 0
			f.windows(i, j, func(a, from, to int) bool {
				truth := f.chains[i].segments[a].truth
				if within(truth, met) {
					return !within(ever[i], met)
				}
				for ; next <= to; next++ {
					y[next].truth.each(func(q int) { seen[q] = next })
				}
				clear(window)
				for q, s := range seen {
					if s >= from {
						window.add(q)
					}
				}
				truth.each(func(l int) {
					f.apart[l].union(window)
					if within(ever[j], f.apart[l]) {
						met.add(l)
					}
				})
				return true
			})
		}
	}
	symmetric(f.apart)
}

// windows calls visit with the segments from, …, to of chain j that can be at the same cut as
// segment a of chain i, for each a, until that returns false. Intervals of two chains meet if
// neither ends before or where the other begins (see package intervals).
//
// For example, let chain i have the segments a0, a1, and chain j the segments b0, b1, b2, where a1
// begins with the receipt of a message that b1 began with. Then a0 can be beside b0, b1, b2 and a1
// beside b1, b2: not b0, because that is over when a1 begins.
//
// The invariant: from and to never go back as a grows, because a later segment has a larger past
// and ends later. So all windows of two chains take O(segments of both), beside the visits.
func (f *facts) windows(i, j int, visit func(a, from, to int) bool) {
	x, y := &f.chains[i], &f.chains[j]
	from, to := 0, 0
	for a := range x.segments {
		for from+1 < len(y.segments) && y.segments[from+1].start <= f.before(x.segments[a].begin, y) {
			from++
		}
		for to+1 < len(y.segments) && (a+1 == len(x.segments) || f.before(y.segments[to+1].begin, x) < x.segments[a+1].start) {
			to++
		}
		if from <= to && !visit(a, from, to) {
			return
		}
	}
}

// before returns how many events of a chain are in the past of an event, itself among them.
func (f *facts) before(e graphs.Event, h *chain) int32 {
	if e != graphs.Bottom && f.comp.Process(e) == h.process {
		return int32(f.comp.Position(e))
	}
	return f.rows[e][h.column]
}

// beside reports whether two chains come to a cut where the states of both,
// a segment each, are such.
//
// It looks at each pair of segments that can be at one cut, O(n·s + pairs), and stops at the first
// one.
func (f *facts) beside(such func(x *chain, a *segment, y *chain, b *segment) bool) bool {
	for i := range f.chains {
		for j := range i {
			x, y := &f.chains[i], &f.chains[j]
			found := false
			f.windows(i, j, func(a, from, to int) bool {
				for b := from; b <= to && !found; b++ {
					found = such(x, &x.segments[a], y, &y.segments[b])
				}
				return !found
			})
			if found {
				return true
			}
		}
	}
	return false
}

// history fills past: one pass with the set of literals that were true before each event.
//
// For example, on p → q the set at the first event of q has p. past[q] is the intersection
// of the sets at all places where q first becomes true, one per chain: later ones have
// larger pasts, and add nothing.
func (f *facts) history() {
	c := f.comp
	n := len(f.literals)
	first := make(map[graphs.Event]set) // what becomes true for the first time on its chain
	initial := newSet(n)
	for k := range f.chains {
		h := &f.chains[k]
		initial.union(h.segments[0].truth)
		for l := range n {
			if s := h.first(l); s > 0 {
				e := h.segments[s].begin
				if first[e] == nil {
					first[e] = newSet(n)
				}
				first[e].add(l)
			}
		}
	}
	// Sets are shared between events until something new happens.
	sets := make([]set, c.NumEvents()+2)
	for step := range c.Steps() {
		was := initial
		own := false
		join := func(t set) {
			if t == nil || &t[0] == &was[0] || within(t, was) {
				return
			}
			if !own {
				was, own = slices.Clone(was), true
			}
			was.union(t)
		}
		for _, e := range step {
			if c.Position(e) > 1 {
				join(sets[e-1])
			}
			for _, d := range c.Preds(e) {
				join(sets[d])
			}
			join(first[e])
		}
		for _, e := range step {
			sets[e] = was
		}
	}
	sets[graphs.Bottom] = initial
	for q := range n {
		fill(f.past[q])
		for k := range f.chains {
			if h := &f.chains[k]; h.first(q) >= 0 {
				f.past[q].intersect(sets[h.segments[h.first(q)].begin])
			}
		}
	}
}

// within reports whether s is a subset of t.
func within(s, t set) bool {
	for i := range s {
		if s[i]&^t[i] != 0 {
			return false
		}
	}
	return true
}

// future fills lost: for each q, by the least cut with the ends of its last intervals.
//
// The least cut after the last interval of q on each chain is the first that q is over at. What
// is still to come, or true, there can be true without q; the larger cuts have less to come. That
// cut has the pasts of the ends, and is not looked for: O(n²) comparisons with n chains, and
// O(n·k) for each of k literals.
func (f *facts) future() {
	for q := range f.literals {
		var ends []graphs.Event
		over := true
		for k := range f.chains {
			h := &f.chains[k]
			last := h.last(q)
			if last+1 == len(h.segments) {
				over = false // q is true at the end, so all runs come to it
				break
			}
			if last >= 0 {
				ends = append(ends, h.segments[last+1].begin)
			}
		}
		if !over {
			continue
		}
		for k := range f.chains {
			h := &f.chains[k]
			passed := int32(0)
			for _, e := range ends {
				passed = max(passed, f.before(e, h))
			}
			for p := range f.literals {
				// p is true in a segment that is not over at the cut.
				last := h.last(p)
				if last >= 0 && (last+1 == len(h.segments) || h.segments[last+1].start > passed) {
					f.lost[q].add(p)
				}
			}
		}
	}
}

// tally returns on how few and on how many chains a literal is true at once, along one order: the
// recorded one, where it is known. Its time complexity is O(i·log i) for i intervals.
//
// It is a guess from one order: another may have more at once. So bounded tries the next bound if
// the decision does not confirm one.
func (f *facts) tally(l int) (fewest, most int) {
	type change struct {
		rank int32
		by   int
	}
	now := 0
	var changes []change
	for k := range f.chains {
		segments := f.chains[k].segments
		for _, at := range f.chains[k].intervals[l] {
			if at.from == 0 {
				now++
			} else {
				changes = append(changes, change{f.rank[segments[at.from].begin], 1})
			}
			if at.to+1 < len(segments) {
				changes = append(changes, change{f.rank[segments[at.to+1].begin], -1})
			}
		}
	}
	slices.SortFunc(changes, func(x, y change) int { return int(x.rank) - int(y.rank) })
	fewest, most = now, now
	for i, x := range changes {
		now += x.by
		if i+1 == len(changes) || changes[i+1].rank != x.rank {
			fewest, most = min(fewest, now), max(most, now)
		}
	}
	return fewest, most
}
