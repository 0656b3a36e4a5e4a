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

// each calls visit for the members in order.
func (s set) each(visit func(l int)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			visit(64*i + bits.TrailingZeros64(word))
		}
	}
}

// A segment is a longest piece of the history of a chain without a change of a tracked variable.
//
// A segment lasts from begin to the event before the next segment's begin, as cuts see it: it has
// begun in a cut with start or more events of the chain.
type segment struct {
	begin  graphs.Event // ⊥ for the first
	start  int32        // how many events of the chain have happened when it begins
	truth  set          // the literals that are true in it
	kind   int          // equal for segments with equal truth
	values []graphs.Value
}

// A chain is the history of a process, or of a shared variable, cut into segments.
type chain struct {
	process  int // graphs.Shared for a shared variable
	name     string
	segments []segment
	before   [][]int32 // by segment and chain: how many of that chain's events the beginning has

	// By literal: how many intervals it has, and its first and last segment, -1 for none.
	intervals, first, last []int32
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

	same, apart, past, lost []set

	answered     [][]int32 // by p and q: how often q comes with or after p, before p comes again
	stories      []*story  // by key, and at the end of the whole run
	account      *account  // of equations, nil until it is asked for
	fewest, most []int     // by literal: on how many chains it is true at once, along one order
}

// survey finds the facts of one computation. The time complexity of survey is O(n·(|V|+|edges|)) for
// n chains, and O(n·s·log s) for their s segments, times the words of a set of literals.
func survey(ctx context.Context, v *vocabulary, c *graphs.Computation) (*facts, error) {
	n := len(v.literals)
	f := &facts{comp: c, vocabulary: v, chains: v.chainsOf(c)}
	f.same, f.past, f.lost = newSets(n), newSets(n), newSets(n)
	f.answered = make([][]int32, n)
	for l := range n {
		f.answered[l] = make([]int32, n)
	}
	for i := range f.chains {
		f.states(&f.chains[i])
	}
	f.history()
	f.future()
	f.tally()
	return f, f.relate(ctx)
}

// reordered returns the facts of a computation with the same events in another order, as far as luck is
// about them: what the states of single chains are does not depend on it.
func (f *facts) reordered(ctx context.Context, c *graphs.Computation) (*facts, error) {
	g := &facts{comp: c, vocabulary: f.vocabulary, chains: slices.Clone(f.chains), same: f.same}
	return g, g.relate(ctx)
}

// relate finds what depends on the order of the events of different chains.
func (f *facts) relate(ctx context.Context) error {
	f.apart = newSets(len(f.literals))
	if err := f.order(ctx); err != nil {
		return err
	}
	f.meetings()
	if len(f.sorts) > 0 {
		for _, key := range append(slices.Clone(f.keys), nil) {
			f.stories = append(f.stories, storyOf(f.vocabulary, f.comp, key))
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

// order finds for each beginning of a segment how much of the other chains it has in its past.
//
// Only the beginnings of segments are kept, n numbers each, rather than those of all events. last
// is used again for each chain.
func (f *facts) order(ctx context.Context) error {
	c := f.comp
	last := make([]int32, c.NumEvents()+2)
	for k := range f.chains {
		h := &f.chains[k]
		h.before = make([][]int32, len(h.segments))
		for s := range h.before {
			h.before[s] = make([]int32, len(f.chains))
		}
	}
	for k := range f.chains {
		if err := ctx.Err(); err != nil {
			return err
		}
		last = f.chains[k].lastBefore(c, last)
		for j := range f.chains {
			h := &f.chains[j]
			for s := range h.segments {
				h.before[s][k] = last[h.segments[s].begin]
			}
		}
	}
	return nil
}

// lastBefore returns for each event how many events of the chain happened before it or are it.
func (h *chain) lastBefore(c *graphs.Computation, last []int32) []int32 {
	if h.process != graphs.Shared {
		return c.LastBeforeInto(h.process, last)
	}
	clear(last)
	for i, s := range h.segments[1:] {
		last[s.begin] = int32(i + 1)
	}
	for step := range c.Steps() {
		most := int32(0)
		for _, e := range step {
			most = max(most, last[e])
			if c.Position(e) > 1 {
				most = max(most, last[e-1])
			}
			for _, d := range c.Preds(e) {
				most = max(most, last[d])
			}
		}
		for _, e := range step {
			last[e] = most
		}
	}
	return last
}

// states looks at the states of single chains.
//
// open[l] collects the literals since the last interval of l began. When the next one begins, or
// the chain ends, it has answered all in this set.
func (f *facts) states(h *chain) {
	n := len(f.literals)
	h.intervals = make([]int32, n)
	h.first, h.last = make([]int32, n), make([]int32, n)
	for l := range n {
		h.first[l], h.last[l] = -1, -1
	}
	open := make([]set, n)
	for s := range h.segments {
		at := &h.segments[s]
		at.truth.each(func(l int) {
			if s == 0 || h.last[l] != int32(s-1) {
				h.intervals[l]++
				f.answer(l, open[l])
				open[l] = newSet(n)
			}
			if h.first[l] < 0 {
				h.first[l] = int32(s)
			}
			h.last[l] = int32(s)
			f.same[l].union(at.truth)
		})
		for _, since := range open {
			if since != nil {
				since.union(at.truth)
			}
		}
	}
	for l, since := range open {
		f.answer(l, since)
	}
}

// answer counts the literals that were true between the beginning of an interval of p and the next.
func (f *facts) answer(p int, since set) {
	if since != nil {
		since.each(func(q int) { f.answered[p][q]++ })
	}
}

// meetings finds the literals that can be true at once on two chains.
//
// For each kind of segment, met collects the literals that some segment of another chain has at
// the same cut. Most windows are narrow. For wide ones a sparse table joins any number of
// neighbours in two steps. Last, all literals of a kind have met what the kind has.
func (f *facts) meetings() {
	n := len(f.literals)
	var met, truths []set // by kind
	for j := range f.chains {
		y := f.chains[j].segments
		truth := func(s int) set { return y[s].truth }
		var wide *table[set]
		for i := range f.chains {
			if i == j {
				continue
			}
			f.windows(i, j, func(a, from, to int) {
				at := &f.chains[i].segments[a]
				for len(met) <= at.kind {
					met, truths = append(met, nil), append(truths, nil)
				}
				if met[at.kind] == nil {
					met[at.kind], truths[at.kind] = newSet(n), at.truth
				}
				if to-from > maxNarrow {
					if wide == nil {
						t := tableOf(len(y), truth, joined)
						wide = &t
					}
					left, right := wide.cover(from, to)
					met[at.kind].union(left)
					met[at.kind].union(right)
					return
				}
				for s := from; s <= to; s++ {
					met[at.kind].union(y[s].truth)
				}
			})
		}
	}
	for kind, others := range met {
		if others != nil {
			truths[kind].each(func(l int) { f.apart[l].union(others) })
		}
	}
}

// maxNarrow is how many segments are looked at one by one: for more, a table is worth making.
const maxNarrow = 64

// windows calls visit with the segments from, …, to of chain j that can be at the same cut as segment
// a of chain i, for each a. Intervals of two chains meet if neither ends before or where the other
// begins (see package intervals).
//
// For example, let chain i have the segments a0, a1, and chain j the segments b0, b1, b2, where a1
// begins with the receipt of a message that b1 began with. Then a0 can be beside b0, b1, b2 and a1
// beside b1, b2: not b0, because that is over when a1 begins.
//
// The invariant: from and to never go back as a grows, because a later segment has a larger past
// and ends later. So all windows of two chains take O(segments of both), beside the visits.
func (f *facts) windows(i, j int, visit func(a, from, to int)) {
	x, y := &f.chains[i], &f.chains[j]
	from, to := 0, 0
	for a := range x.segments {
		for from+1 < len(y.segments) && y.segments[from+1].start <= x.before[a][j] {
			from++
		}
		for to+1 < len(y.segments) && (a+1 == len(x.segments) || y.before[to+1][i] < x.segments[a+1].start) {
			to++
		}
		if from <= to {
			visit(a, from, to)
		}
	}
}

// history fills past: one pass with the set of literals that were true before each event.
//
// For example, on p → q the set at the first event of q has p. past[q] is the intersection of the sets at
// all places where q first becomes true, one per chain: later ones have larger pasts, and add
// nothing.
func (f *facts) history() {
	c := f.comp
	n := len(f.literals)
	begins := make(map[graphs.Event]set)
	initial := newSet(n)
	for k := range f.chains {
		for s := range f.chains[k].segments {
			at := &f.chains[k].segments[s]
			if s == 0 {
				initial.union(at.truth)
				continue
			}
			if begins[at.begin] == nil {
				begins[at.begin] = newSet(n)
			}
			begins[at.begin].union(at.truth)
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
			join(begins[e])
		}
		for _, e := range step {
			sets[e] = was
		}
	}
	for q := range n {
		all := f.past[q]
		for i := range all {
			all[i] = ^uint64(0)
		}
		for k := range f.chains {
			h := &f.chains[k]
			if h.first[q] < 0 {
				continue
			}
			before := initial
			if e := h.segments[h.first[q]].begin; e != graphs.Bottom {
				before = sets[e]
			}
			for i := range all {
				all[i] &= before[i]
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
// The least cut after the last interval of q on each chain is the first that q is over at. What is
// still to come, or true, there can be true without q; the larger cuts have less to come. It takes
// one call of Above and O(n·k) comparisons for each of k literals, with n chains.
func (f *facts) future() {
	c := f.comp
	for q := range f.literals {
		var ends []graphs.Event
		over := true
		for k := range f.chains {
			h := &f.chains[k]
			last := int(h.last[q])
			if last < 0 {
				continue
			}
			if last+1 == len(h.segments) {
				over = false // q is true at the end, so all runs come to it
				break
			}
			ends = append(ends, h.segments[last+1].begin)
		}
		if !over {
			continue
		}
		cut, ok := c.Above(c.Initial(), ends...)
		if !ok {
			continue
		}
		for k := range f.chains {
			h := &f.chains[k]
			passed := f.passed(h, cut)
			for p, last := range h.last {
				// p is true in a segment that is not over at the cut.
				if last >= 0 && (int(last)+1 == len(h.segments) || h.segments[last+1].start > passed) {
					f.lost[q].add(p)
				}
			}
		}
	}
}

// passed returns how many events of a chain a cut has.
func (f *facts) passed(h *chain, cut graphs.Cut) int32 {
	if h.process != graphs.Shared {
		return cut[h.process]
	}
	n := slices.IndexFunc(h.segments[1:], func(s segment) bool { return !f.comp.Has(cut, s.begin) })
	if n < 0 {
		n = len(h.segments) - 1
	}
	return int32(n)
}

// tally counts on how many chains each literal is true at once, along one order: the recorded one,
// where it is known.
//
// It is a guess from one order: another may have more at once. So bounded tries the next bound if
// the decision does not confirm one.
func (f *facts) tally() {
	n := len(f.literals)
	f.fewest, f.most = make([]int, n), make([]int, n)
	now := make([]int, n)
	of := make(map[int]*chain) // by process
	var shared []*chain
	at := make(map[*chain]int)
	for k := range f.chains {
		h := &f.chains[k]
		h.segments[0].truth.each(func(l int) { now[l]++ })
		if of[h.process] = h; h.process == graphs.Shared {
			shared = append(shared, h)
		}
	}
	copy(f.fewest, now)
	copy(f.most, now)
	events := f.comp.Recorded()
	if events == nil {
		events = f.comp.Order()
	}
	step := func(h *chain, e graphs.Event) {
		if h == nil || at[h]+1 == len(h.segments) || h.segments[at[h]+1].begin != e {
			return
		}
		was, is := h.segments[at[h]].truth, h.segments[at[h]+1].truth
		at[h]++
		for i := range was {
			for changed := was[i] ^ is[i]; changed != 0; changed &= changed - 1 {
				l := 64*i + bits.TrailingZeros64(changed)
				if is.has(l) {
					now[l]++
				} else {
					now[l]--
				}
				f.fewest[l], f.most[l] = min(f.fewest[l], now[l]), max(f.most[l], now[l])
			}
		}
	}
	for _, e := range events {
		step(of[f.comp.Process(e)], e)
		for _, h := range shared {
			step(h, e)
		}
	}
}

// A table answers what the join of neighbouring values is.
//
// It is a sparse table. For the joins of 4 values a b c d it keeps
//
//	levels[0]  a  b  c  d
//	levels[1]  ab bc cd
//	levels[2]  abcd
//
// so that the join of b, c, d is bc with cd: two pieces that overlap, harmless as joins are
// idempotent. Making it takes O(n·log n) joins, and each question O(1).
type table[T any] struct {
	levels [][]T // levels[k][i] joins the 2^k values from i on
}

// tableOf returns the table of n values. The join must be associative, and idempotent.
func tableOf[T any](n int, value func(int) T, join func(a, b T) T) table[T] {
	level := make([]T, n)
	for i := range level {
		level[i] = value(i)
	}
	t := table[T]{levels: [][]T{level}}
	for width := 1; 2*width <= n; width *= 2 {
		next := make([]T, n-2*width+1)
		for i := range next {
			next[i] = join(level[i], level[i+width])
		}
		t.levels = append(t.levels, next)
		level = next
	}
	return t
}

// cover returns two joins that together are that of the values from, …, to.
func (t table[T]) cover(from, to int) (left, right T) {
	k := bits.Len(uint(to-from+1)) - 1
	return t.levels[k][from], t.levels[k][to-1<<k+1]
}

// joined returns the union of two sets.
func joined(a, b set) set {
	if within(b, a) {
		return a
	}
	if within(a, b) {
		return b
	}
	all := slices.Clone(a)
	all.union(b)
	return all
}
