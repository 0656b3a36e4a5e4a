package clocks

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// leases returns a small random trace of clients that hold leases, which timers end, and of messages
// between them.
func leases(t testing.TB, r *rand.Rand) *graphs.Computation {
	var b strings.Builder
	n := 2
	now := make([]int, n)
	sent := 0
	for p := range n {
		fmt.Fprintf(&b, `{"process":"P%d","init":{"holds":false}}`+"\n", p)
	}
	for i := range 2 + r.IntN(3) {
		p := r.IntN(n)
		now[p] = min(4, max(now[p]+r.IntN(3), i-2))
		fmt.Fprintf(&b, `{"process":"P%d","time":%d`, p, now[p])
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, `,"set":{"holds":true},"timer":{"lease":{"in":%d,"set":{"holds":false}}}`, r.IntN(4))
		}
		if sent > 0 && r.IntN(3) == 0 {
			fmt.Fprintf(&b, `,"after":"e%d"`, r.IntN(sent))
		}
		fmt.Fprintf(&b, `,"id":"e%d"}`+"\n", sent)
		sent++
	}
	c, err := native.Read(background, trace.From("-", strings.NewReader(b.String())), trace.Options{Names: true, TimeUnit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// realized returns the cuts that some assignment passes through: nothing in the cut happens later than
// what is not in it.
func realized(c *graphs.Computation, horizon int, allowed func(x []int) bool) map[string]bool {
	cuts := graphtest.Cuts(c)
	found := make(map[string]bool)
	graphtest.TrueTimes(c, horizon, allowed, func(at []int) {
		for _, cut := range cuts {
			latest, next := 0, horizon
			for e := graphs.Event(1); e < c.Top(); e++ {
				if c.Has(cut, e) {
					latest = max(latest, at[e])
				} else {
					next = min(next, at[e])
				}
			}
			if latest <= next {
				found[fmt.Sprint(cut)] = true
			}
		}
	})
	return found
}

// The cuts of a computation with timers are those that times allow, in all three models: so EF and AG are
// exact, among them AG(!(holds@P0 && holds@P1)). A smaller bound never makes it fail.
func TestTimersTwin(t *testing.T) {
	var failed, held, timers int
	for seed := range uint64(graphtest.RoundsUpTo(t, 1000, 5000)) {
		r := rand.New(rand.NewPCG(seed, 9))
		c := leases(t, r)
		timers += c.NumTimers()
		readings, err := Read(background, c, 1)
		if err != nil {
			t.Fatal(err)
		}
		overlapped := false // with a smaller bound
		for bound := range 3 {
			within := func(x []int) bool {
				for e := 1; e < len(x); e++ {
					if from, to, _ := reading(c, e); x[e] < from || x[e] > to+bound {
						return false
					}
				}
				return true
			}
			m, err := readings.Skew(time.Duration(bound))
			overlaps := exact(t, seed, c, m, err, within)
			if overlapped && !overlaps {
				t.Fatalf("seed %d: leases overlap if clocks agree within less than %d, but not then", seed, bound)
			}
			overlapped = overlaps
		}
		bound := r.IntN(3)
		offsets := func(x []int) bool {
			offset := make([]int, c.NumProcesses())
			for p := range offset {
				offset[p] = -1
			}
			for e := 1; e < len(x); e++ {
				p, o := c.Process(graphs.Event(e)), 0
				from, _, _ := reading(c, e)
				if o = x[e] - from; o < 0 || o > bound || offset[p] >= 0 && offset[p] != o {
					return false
				}
				offset[p] = o
			}
			return true
		}
		m, err := readings.Offsets(time.Duration(bound))
		if exact(t, seed, c, m, err, offsets) {
			failed++
		} else {
			held++
		}
	}
	if failed == 0 || held == 0 || timers == 0 {
		t.Errorf("%d fail, %d hold, %d timers", failed, held, timers)
	}
}

// exact compares the cuts that a model leaves with those of allowed assignments, and reports whether two
// leases overlap in one of them.
func exact(t *testing.T, seed uint64, c *graphs.Computation, m Model, err error, allowed func(x []int) bool) bool {
	t.Helper()
	want := realized(c, horizon, allowed)
	if (err == nil) != (len(want) > 0) {
		t.Fatalf("seed %d: %v, but %d cuts", seed, err, len(want))
	}
	if err != nil {
		return false
	}
	d, err := m.Ordered(background)
	if err != nil {
		t.Fatal(err)
	}
	got := graphtest.Cuts(d)
	overlap := false
	for _, cut := range got {
		if !want[fmt.Sprint(cut)] {
			t.Fatalf("seed %d, %s: no times for the cut %v", seed, m, cut)
		}
		overlap = overlap || holds(d, cut, 0) && holds(d, cut, 1)
	}
	if len(got) != len(want) {
		t.Fatalf("seed %d, %s: %d cuts, want %d", seed, m, len(got), len(want))
	}
	return overlap
}

// holds reports whether a process holds the lease at a cut.
func holds(c *graphs.Computation, cut graphs.Cut, p int) bool {
	v := c.Variable(p, "holds")
	now := v.Init
	for i, e := range v.Events() {
		if c.Has(cut, e) {
			now = v.Value(i)
		}
	}
	return now.Bool()
}
