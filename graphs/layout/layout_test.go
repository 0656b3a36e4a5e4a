package layout

import (
	"math"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// Every arrow leads to a greater column, and where no events happen together a column is the length
// of the longest path.
func TestColumns(t *testing.T) {
	alone := 0
	for i, s := range graphtest.Samples(graphtest.Rounds(t, 500), 5, graphtest.Config{
		Processes: 5, Events: 30, Kinds: graphtest.AllKinds,
	}, false) {
		c, r := s.Computation, s.Rand
		high := c.AllEvents()
		for p := range high {
			high[p] -= int32(r.IntN(int(high[p]+2)) / 2)
		}
		w := Between(c, c.NoEvents(), high)
		l := New(w, c)
		longest := longestPaths(c, w)
		for e := range w.Events {
			for _, f := range causes(c, e, w.Inside) {
				if !c.SameStep(e, f) && l.Column[f] >= l.Column[e] {
					t.Fatalf("case %d: %d is not left of %d", i, f, e)
				}
			}
			if len(l.Blocks) == 0 && l.Column[e] != longest[e] {
				t.Fatalf("case %d: %d has column %d, not %d", i, e, l.Column[e], longest[e])
			}
		}
		if len(l.Blocks) == 0 {
			alone++
		}
	}
	t.Logf("%d computations without meta-events of several", alone)
	if alone < graphtest.Rounds(t, 50) {
		t.Error("too few")
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

// longestPaths returns the length of the longest path to each event: it makes paths longer until none
// is too short.
func longestPaths(c *graphs.Computation, w *Window) map[graphs.Event]int {
	length := make(map[graphs.Event]int)
	for range w.Len() {
		for e := range w.Events {
			for _, f := range causes(c, e, w.Inside) {
				length[e] = max(length[e], length[f]+1)
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
