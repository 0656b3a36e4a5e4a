package clocks

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// A lease is a computation with the readings of its events, from and to, as the twin computes them:
// the timer of a lease ends exactly its duration after the reading of its start.
type lease struct {
	c        *graphs.Computation
	from, to []int
}

// leases returns a small random trace of clients that hold leases, which timers end, and of messages
// between them. Clocks that know their error read intervals.
func leases(t testing.TB, r *rand.Rand, intervals bool) lease {
	var b strings.Builder
	n := 2
	now := make([]int, n)
	read := make(map[string][2]int) // by id
	for p := range n {
		fmt.Fprintf(&b, `{"process":"P%d","init":{"holds":false}}`+"\n", p)
	}
	for i := range 2 + r.IntN(3) {
		p := r.IntN(n)
		now[p] = min(4, max(now[p]+r.IntN(3), i-2))
		id, from, to := fmt.Sprintf("e%d", i), now[p], now[p]
		text, longest := strconv.Itoa(from), 4
		if intervals {
			to += r.IntN(3)
			text, longest = fmt.Sprintf("[%d,%d]", from, to), 3
		}
		read[id] = [2]int{from, to}
		fmt.Fprintf(&b, `{"process":"P%d","id":"%s","time":%s`, p, id, text)
		if r.IntN(2) == 0 {
			in := r.IntN(longest)
			read[id+".lease"] = [2]int{from + in, to + in}
			fmt.Fprintf(&b, `,"set":{"holds":true},"timer":{"lease":{"in":%d,"set":{"holds":false}}}`, in)
		}
		if i > 0 && r.IntN(3) == 0 {
			fmt.Fprintf(&b, `,"after":"e%d"`, r.IntN(i))
		}
		fmt.Fprintln(&b, "}")
	}
	c, err := native.Read(background, trace.From("-", strings.NewReader(b.String())), trace.Options{Names: true, TimeUnit: 1})
	if err != nil {
		t.Fatal(err)
	}
	l := lease{c: c, from: make([]int, c.Top()), to: make([]int, c.Top())}
	for e := graphs.Event(1); e < c.Top(); e++ {
		l.from[e], l.to[e] = read[c.ID(e)][0], read[c.ID(e)][1]
	}
	return l
}

// within reports whether each time is within the reading of its event, widened by a bound.
func (l lease) within(x []int, bound int) bool {
	for e := 1; e < len(x); e++ {
		if x[e] < l.from[e] || x[e] > l.to[e]+bound {
			return false
		}
	}
	return true
}

// offset reports whether each time is off the reading of its event by a constant of its process.
func (l lease) offset(x []int, bound int) bool {
	offset := make([]int, l.c.NumProcesses())
	for p := range offset {
		offset[p] = -1
	}
	for e := 1; e < len(x); e++ {
		p, o := l.c.Process(graphs.Event(e)), x[e]-l.from[e]
		if o < 0 || o > bound || offset[p] >= 0 && offset[p] != o {
			return false
		}
		offset[p] = o
	}
	return true
}

// realized returns the cuts that some assignment passes through: no event of the cut happens later
// than an event outside it.
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
	leasesTwin(t, false)
}

func TestIntervalTimersTwin(t *testing.T) {
	leasesTwin(t, true)
}

func leasesTwin(t *testing.T, intervals bool) {
	var failed, held, timers int
	for seed := range uint64(graphtest.RoundsUpTo(t, 1000, 5000)) {
		r := rand.New(rand.NewPCG(seed, 9))
		l := leases(t, r, intervals)
		timers += l.c.NumTimers()
		readings, err := Read(background, l.c, 1)
		if err != nil {
			t.Fatal(err)
		}
		overlapped, bounds := false, 3 // with a smaller bound
		if intervals {
			bounds = 2
		}
		for bound := range bounds {
			m, err := readings.Skew(time.Duration(bound))
			overlaps := exact(t, seed, l.c, m, err, func(x []int) bool { return l.within(x, bound) })
			if overlapped && !overlaps {
				t.Fatalf("seed %d: leases overlap if clocks agree within less than %d, but not then", seed, bound)
			}
			overlapped = overlaps
		}
		if !intervals {
			bound := r.IntN(3)
			m, err := readings.Offsets(time.Duration(bound))
			overlapped = exact(t, seed, l.c, m, err, func(x []int) bool { return l.offset(x, bound) })
		}
		if overlapped {
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
