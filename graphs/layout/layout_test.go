package layout

import (
	"math"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// nodeOf returns the anchor of the node that has an event, by looking at all of them.
func nodeOf(nodes []Node, e graphs.Event) Node {
	for _, n := range nodes {
		if n.First <= e && e < n.First+graphs.Event(n.Count) {
			return n
		}
	}
	return Node{}
}

// Nodes hold each event once, folds hold what they may, every arrow leads to a greater column,
// and where no events happen together a column is the length of the longest path.
func TestFolds(t *testing.T) {
	folded, alone := 0, 0
	for i, s := range graphtest.Samples(graphtest.Rounds(t, 500), 5, graphtest.Config{
		Processes: 5, Events: 30, Kinds: graphtest.AllKinds,
	}, false) {
		c, r := s.Computation, s.Rand
		high := c.AllEvents()
		for p := range high {
			high[p] -= int32(r.IntN(int(high[p]+2)) / 2)
		}
		visible := make([]bool, c.Top()+1)
		for e := range visible {
			visible[e] = r.IntN(4) == 0
		}
		w := Between(c, c.NoEvents(), high)
		folds := Fold(w, func(e graphs.Event) bool { return visible[e] })
		l := New(w, c, folds)

		left := high.Size()
		for _, n := range folds.Nodes {
			left -= n.Count
			if n.Count > 1 {
				folded++
				checkFold(t, w, n, visible)
			}
		}
		if left != 0 {
			t.Fatalf("case %d: %d events are in no node, or in two", i, left)
		}

		longest := longestPaths(c, folds.Nodes, w.Inside)
		for e := graphs.Event(1); e < c.Top(); e++ {
			if !w.Inside(e) {
				continue
			}
			n := nodeOf(folds.Nodes, e)
			for _, f := range causes(c, e, w.Inside) {
				m := nodeOf(folds.Nodes, f)
				if m != n && !c.SameStep(e, f) && l.Column[m.Anchor] >= l.Column[n.Anchor] {
					t.Fatalf("case %d: %d is not left of %d", i, f, e)
				}
			}
			if len(l.Blocks) == 0 && l.Column[n.Anchor] != longest[n.Anchor] {
				t.Fatalf("case %d: %d has column %d, not %d", i, e, l.Column[n.Anchor], longest[n.Anchor])
			}
		}
		if len(l.Blocks) == 0 {
			alone++
		}
	}
	t.Logf("%d folds; %d computations without meta-events of several", folded, alone)
	if folded < graphtest.Rounds(t, 300) || alone < graphtest.Rounds(t, 50) {
		t.Error("too few")
	}
}

func checkFold(t *testing.T, w *Window, n Node, visible []bool) {
	t.Helper()
	c, shows := w.Of, w.Inside
	sent := false
	for e := n.First; e < n.First+graphs.Event(n.Count); e++ {
		receives := false
		for _, f := range c.Preds(e) {
			receives = receives || shows(f)
		}
		switch {
		case visible[e], !shows(e), len(c.Step(e)) > 1, c.Process(e) != c.Process(n.First):
			t.Fatalf("event %d is in fold %+v", e, n)
		case sent && receives:
			t.Fatalf("event %d receives after another of fold %+v has sent", e, n)
		}
		for _, f := range c.Succs(e) {
			sent = sent || shows(f)
		}
	}
}

// causes returns the events that are shown and lead to e.
func causes(c *graphs.Computation, e graphs.Event, shows func(graphs.Event) bool) []graphs.Event {
	var list []graphs.Event
	for _, f := range c.Preds(e) {
		if shows(f) {
			list = append(list, f)
		}
	}
	if c.Position(e) > 1 {
		list = append(list, e-1)
	}
	return list
}

// longestPaths returns the length of the longest path to each node by its anchor: it makes paths
// longer until none is too short.
func longestPaths(c *graphs.Computation, nodes []Node, shows func(graphs.Event) bool) map[graphs.Event]int {
	length := make(map[graphs.Event]int)
	for range nodes {
		for _, n := range nodes {
			for e := n.First; e < n.First+graphs.Event(n.Count); e++ {
				for _, f := range causes(c, e, shows) {
					if m := nodeOf(nodes, f); m != n {
						length[n.Anchor] = max(length[n.Anchor], length[m.Anchor]+1)
					}
				}
			}
		}
	}
	return length
}

// The nearest events are taken, as many as there may be: none that is left is nearer than one of
// them.
func TestNearest(t *testing.T) {
	for i, s := range graphtest.Samples(graphtest.Rounds(t, 500), 11, graphtest.Config{Processes: 4, Events: 20}, false) {
		c, r := s.Computation, s.Rand
		cut := Nearest(c, c.Initial(), r.IntN(c.NumEvents()+1), true)
		most, add := r.IntN(c.NumEvents()+1), r.IntN(2) == 0
		got := Nearest(c, cut, most, add)
		free := func(e graphs.Event) bool { return c.Has(cut, e) != add }
		far := make([]int, c.Top()) // from the cut, by paths that become longer until none is too short
		for range c.NumEvents() {
			for e := graphs.Event(1); e < c.Top(); e++ {
				for _, f := range causes(c, e, free) {
					switch {
					case !free(e) || !free(f):
					case add:
						far[e] = max(far[e], far[f]+1)
					default:
						far[f] = max(far[f], far[e]+1)
					}
				}
			}
		}
		taken, left := 0, 0
		farthest, nearest := 0, c.NumEvents()
		for e := graphs.Event(1); e < c.Top(); e++ {
			switch {
			case !free(e):
			case c.Has(got, e) == add:
				taken++
				farthest = max(farthest, far[e])
			default:
				left++
				nearest = min(nearest, far[e])
			}
		}
		if taken != min(most, taken+left) || farthest > nearest || !c.Consistent(got) {
			t.Fatalf("case %d: %d of %d events, the farthest at %d, and at %d one is left", i, taken, most, farthest, nearest)
		}
	}
}

// An event stands at the latest of the earliest times on its process so far, found by looking at
// all of them.
func TestByTime(t *testing.T) {
	for i, s := range graphtest.Samples(graphtest.Rounds(t, 500), 7, graphtest.Config{Processes: 4, Events: 12}, false) {
		c, r := s.Computation, s.Rand
		at := make(map[graphs.Event]int64)
		var events []graphs.Event
		for e := graphs.Event(1); e < c.Top(); e++ {
			if r.IntN(3) > 0 {
				events = append(events, e)
			}
			if r.IntN(3) > 0 {
				at[e] = r.Int64() - r.Int64()
			}
		}
		first, places := ByTime(c, events, func(e graphs.Event) (from, to int64, ok bool) {
			from, ok = at[e]
			return from, from, ok
		})
		timed := false
		for k, e := range events {
			want := int64(math.MinInt64)
			for f := e; f > 0 && c.Process(f) == c.Process(e) && slices.Contains(events, f); f-- {
				if x, ok := at[f]; ok {
					want = max(want, x)
				}
			}
			_, ok := at[e]
			timed = timed || ok
			if want = max(want, first); places != nil && places[k] != float64(uint64(want)-uint64(first)) {
				t.Fatalf("case %d: event %d stands at %g, not %d after %d", i, e, places[k], want, first)
			}
		}
		if timed != (len(places) == len(events) && len(places) > 0) {
			t.Fatalf("case %d: %d places of %d events", i, len(places), len(events))
		}
	}
}
