package infer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// A segment is a maximal part of the history of a chain without a change of a variable. It ends with
// the event before the next segment begins.
type segment struct {
	begin graphs.Event // the first event; ⊥ for the first segment
	truth dense.Set    // the literals that are true in it
	at    []int32      // the last assignment of each state variable; -1 for the value at the start
}

// An interval is a maximal sequence of segments of a chain, from, …, to, in which a literal is true.
type interval struct{ from, to int }

// A chain is the history of a process, or of a shared variable, cut into segments.
type chain struct {
	variables []*graphs.Variable // the variable for each state variable; nil if the chain lacks it
	segments  []segment
	intervals [][]interval // the intervals of each literal, in order
	ever      dense.Set    // the literals with an interval
	odd       bool         // whether a variable with two values in good runs has a third one
}

// first and last return the first and the last segment with a literal; -1 if there is none.
func (h *chain) first(l int) int {
	if !h.ever.Has(l) {
		return -1
	}
	return h.intervals[l][0].from
}

func (h *chain) last(l int) int {
	if !h.ever.Has(l) {
		return -1
	}
	return h.intervals[l][len(h.intervals[l])-1].to
}

// Facts describe the literals of a vocabulary in one run: in all orders that causality allows, or
// only in the recorded one.
//
//	(1) same has (p, q) if some chain has a state with both
//	(2) apart has (p, q) if some cut has p on one chain and q on another
//
// For example, let p1 enter (p), leave, and send to p2, and let p2 then enter (q); q was not true
// before. Then same has (p, p) and (q, q), since no chain has both, and apart has nothing, because
// of the message.
//
// Facts may be too weak for a formula. They serve to choose candidates, and cost far less than a
// decision.
type facts struct {
	*vocabulary
	Run
	recorded *facts // the facts of the recorded order; nil if it is not known
	judge    *judge // decides formulas if facts do not suffice
	chains   []chain

	same, apart []dense.Set

	last [][]int32 // indexed by process and event; see graphs.LastBefore
	rank []int32   // the place of each event in the recorded order; nil for facts about all orders

	episodes  [][]episode  // the episodes of each key
	relations []*relations // the relations of sorts for each key
}

// survey finds the facts of one run. The time complexity of survey is O(n·(|V|+|edges|)) for n
// processes, and O(n·s·k) for s segments and k literals.
func survey(ctx context.Context, v *vocabulary, r Run, timeout time.Duration) (*facts, error) {
	f := &facts{vocabulary: v, Run: r, judge: newJudge(r, timeout), same: newSets(len(v.literals))}
	f.chains = v.chainsOf(r.Computation)
	for i := range f.chains {
		f.divide(&f.chains[i])
	}
	symmetric(f.same)
	for p := range r.Computation.NumProcesses() {
		f.last = append(f.last, r.Computation.LastBefore(p))
	}
	for _, key := range v.keys {
		f.episodes = append(f.episodes, v.episodesOf(r.Computation, key))
	}
	f.relateAll()
	return f, f.meet(ctx)
}

// inOrder returns the facts of a single order of all events, the recorded one. The states of single
// chains are the same in all orders.
func (f *facts) inOrder(ctx context.Context, events []graphs.Event) (*facts, error) {
	ordered, err := f.Computation.Ordered(slices.Values(f.Computation.RunEdges(events)))
	if err != nil {
		panic(fmt.Sprintf("this cannot happen, because what was recorded is a run: %v", err))
	}
	g := *f
	g.judge = newJudge(Run{f.Name, ordered, f.Times}, f.judge.timeout)
	g.rank = make([]int32, len(events)+2)
	for i, e := range events {
		g.rank[e] = int32(i)
		if i > 0 && f.Computation.SameStep(events[i-1], e) {
			g.rank[e] = g.rank[events[i-1]]
		}
	}
	g.relateAll()
	return &g, g.meet(ctx)
}

// relateAll finds the relations of sorts.
func (f *facts) relateAll() {
	f.relations = nil
	for k := range f.keys {
		f.relations = append(f.relations, f.relate(k, f))
	}
}

// newSets returns a set for each literal, or each sort.
func newSets(n int) []dense.Set {
	all := make([]dense.Set, n)
	for l := range all {
		all[l] = dense.NewSet(n)
	}
	return all
}

// symmetric adds (q, p) for each (p, q).
func symmetric(all []dense.Set) {
	for p := range all {
		for q := range all[p].All() {
			all[q].Add(p)
		}
	}
}

// before reports whether d happened before e, or with e, or equals e. Its time complexity is
// O(1).
func (f *facts) before(d, e graphs.Event) bool {
	switch {
	case d == graphs.Bottom || e == graphs.Bottom:
		return d == graphs.Bottom
	case f.rank != nil:
		return f.rank[d] <= f.rank[e]
	}
	return f.last[f.Computation.Process(d)][e] >= int32(f.Computation.Position(d))
}

// divide finds the intervals of a chain, and the pairs of literals that are true at once. It considers
// only literals that become true: of two that are true at once, one became true last.
func (f *facts) divide(h *chain) {
	h.intervals, h.ever = make([][]interval, len(f.literals)), dense.NewSet(len(f.literals))
	was := dense.NewSet(len(f.literals))
	for s := range h.segments {
		is := h.segments[s].truth
		for l := range is.All() {
			if !was.Has(l) {
				h.intervals[l] = append(h.intervals[l], interval{from: s})
				f.same[l].AddAll(is)
			}
			h.intervals[l][len(h.intervals[l])-1].to = s
		}
		h.ever.AddAll(is)
		was = is
	}
}

// meet finds the literals that can be true at once on two chains.
//
// For chains i and j, it visits the segments of i in order. seen[q] is the last segment of j with q in
// the windows so far. Thus a window has the literals whose seen is not before its first segment, and
// its width does not affect the cost.
func (f *facts) meet(ctx context.Context) error {
	n := len(f.literals)
	f.apart = newSets(n)
	seen, window := make([]int, n), dense.NewSet(n)
	for i := range f.chains {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := range i {
			met := dense.NewSet(n)
			for q := range seen {
				if seen[q] = -1; f.chains[j].ever.LenWithout(f.apart[q]) == 0 {
					met.Add(q)
				}
			}
			next := 0
			f.windows(i, j, func(a, from, to int) bool {
				truth := f.chains[i].segments[a].truth
				if truth.LenWithout(met) == 0 {
					return true
				}
				for ; next <= to; next++ {
					for q := range f.chains[j].segments[next].truth.All() {
						seen[q] = next
					}
				}
				clear(window)
				for q, s := range seen {
					if s >= from {
						window.Add(q)
					}
				}
				for l := range truth.All() {
					f.apart[l].AddAll(window)
				}
				return true
			})
		}
	}
	symmetric(f.apart)
	return nil
}

// windows calls visit with the segments from, …, to of chain j that can be at the same cut as
// segment a of chain i, for each a, until that returns false. Intervals of two chains meet if
// neither ends before or where the other begins (see package intervals).
//
// For example, let chain i have the segments a0, a1, and chain j the segments b0, b1, b2, where a1
// begins with the receipt of a message that b1 began with. Then a0 can be at one cut with b0, b1, b2,
// and a1 with b1, b2, but not with b0, which is over when a1 begins.
//
// The invariant: from and to never decrease as a grows, because a later segment has a larger past
// and ends later. Hence all windows of two chains take O(segments of both) in addition to the visits.
func (f *facts) windows(i, j int, visit func(a, from, to int) bool) {
	x, y := f.chains[i].segments, f.chains[j].segments
	from, to := 0, 0
	for a := range x {
		for from+1 < len(y) && f.before(y[from+1].begin, x[a].begin) {
			from++
		}
		for to+1 < len(y) && (a+1 == len(x) || !f.before(x[a+1].begin, y[to+1].begin)) {
			to++
		}
		if from <= to && !visit(a, from, to) {
			return
		}
	}
}
