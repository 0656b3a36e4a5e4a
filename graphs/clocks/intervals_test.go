package clocks

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"

	"github.com/pota-project/pota/graphs"
)

var background = context.Background()

// within returns what clocks order that agree within a bound.
func within(ctx context.Context, r *Readings, bound time.Duration) (*graphs.Computation, error) {
	m, err := r.Skew(bound)
	if err != nil {
		return nil, err
	}
	return m.Ordered(ctx)
}

// noisy returns a random computation whose clocks are off, set back and missing,
// in nanoseconds.
func noisy(t testing.TB, r *rand.Rand) *graphs.Computation {
	var b graphs.Builder
	n := 1 + r.IntN(4)
	offset := make([]int, n)
	noise := r.IntN(8) // how far clocks are off
	for p := range n {
		b.Process("P" + strconv.Itoa(p))
		offset[p] = r.IntN(noise + 1)
	}
	m := r.IntN(16)
	untimed, sends, backs, ties := r.IntN(3) == 0, r.IntN(3), r.IntN(3) == 0, r.IntN(4) == 0
	for i := range m {
		p := r.IntN(n)
		h := b.Event(p)
		if i > 0 && r.IntN(4) < sends {
			if e := graphs.Handle(r.IntN(i)); b.ProcessOf(e) != p {
				b.Order(e, h)
			}
		}
		if backs && r.IntN(6) == 0 {
			offset[p] -= r.IntN(6)
		}
		if !untimed || r.IntN(3) > 0 {
			b.SetTime(h, strconv.Itoa(i*(1+noise%3)+offset[p]+r.IntN(noise+1)))
		}
	}
	if ties && m > 1 {
		if e, f := graphs.Handle(r.IntN(m)), graphs.Handle(r.IntN(m)); b.ProcessOf(e) != b.ProcessOf(f) {
			b.Sync(e, f)
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pairs calls visit for all events with times.
func pairs(t *testing.T, c *graphs.Computation, visit func(e, f graphs.Event, te, tf int64)) {
	t.Helper()
	at := func(e graphs.Event) (int64, bool) {
		n, ok, err := c.Instant(e, 1)
		if err != nil {
			t.Fatal(err)
		}
		return n, ok
	}
	for e := graphs.Event(1); e < c.Top(); e++ {
		for f := graphs.Event(1); f < c.Top(); f++ {
			te, ok := at(e)
			tf, okToo := at(f)
			if ok && okToo && e != f {
				visit(e, f, te, tf)
			}
		}
	}
}

// Within is the closure of the trace and all pairs; it refuses exactly the bounds
// with which that has a cycle.
func TestClocksTwin(t *testing.T) {
	var none, contradictions, consistent, added int
	n := graphtest.Rounds(t, 2000)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 5))
		c := noisy(t, r)
		k, err := Read(background, c, 1)
		if errors.Is(err, ErrNoTimes) {
			none++
			pairs(t, c, func(e, _ graphs.Event, _, _ int64) { t.Fatalf("seed %d: %s has a time", seed, c.ID(e)) })
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		before := graphtest.HappenedBefore(c)
		least, span := int64(0), int64(0)
		pairs(t, c, func(e, f graphs.Event, te, tf int64) {
			span = max(span, te-tf)
			if before[e][f] {
				least = max(least, te-tf)
			}
		})
		if int64(k.Least()) != least || int64(k.Span()) != span {
			t.Fatalf("seed %d: least %d, span %d, want %d, %d", seed, k.Least(), k.Span(), least, span)
		}
		for _, bound := range []int64{least, least + r.Int64N(5), r.Int64N(20)} {
			want := graphtest.HappenedBefore(c)
			reversed := false // events of a tie among them
			pairs(t, c, func(e, f graphs.Event, te, tf int64) {
				if tf-te > bound {
					want[e][f] = true
					reversed = reversed || before[f][e]
				}
			})
			want.Close()
			d, err := within(background, k, time.Duration(bound))
			var wrong *ContradictionError
			if errors.As(err, &wrong) {
				contradictions++
				checkContradiction(t, c, before, wrong, least)
				if !reversed {
					t.Fatalf("seed %d: bound %d is refused, but reverses nothing", seed, bound)
				}
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			consistent++
			if got := graphtest.HappenedBefore(d); !got.Equal(want) {
				t.Fatalf("seed %d, bound %d: got %v, want %v", seed, bound, got, want)
			}
			if want.CycleOutside(before) {
				t.Fatalf("seed %d, bound %d: a cycle", seed, bound)
			}
			added += d.NumEdges() - c.NumEdges()
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if none < n/200 || contradictions < n/20 || consistent < n/3 || added < n/3 {
		t.Errorf("%d without times, %d contradictions, %d consistent, %d edges", none, contradictions, consistent, added)
	}
}

func checkContradiction(t *testing.T, c *graphs.Computation, before graphtest.Relation, e *ContradictionError, least int64) {
	t.Helper()
	te, _, _ := c.Instant(e.Early, 1)
	tf, _, _ := c.Instant(e.Late, 1)
	if !before[e.Early][e.Late] || te-tf != least || int64(e.Least) != least {
		t.Errorf("%v: %d and %d, least %d", e, te, tf, least)
	}
}

// Where clocks only go forwards and no process hears of another, no edge can be
// left out.
func TestClocksFewest(t *testing.T) {
	edges := 0
	n := graphtest.Rounds(t, 300)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 6))
		var b graphs.Builder
		n := 2 + r.IntN(4)
		now := make([]int, n)
		for p := range n {
			b.Process("P" + strconv.Itoa(p))
		}
		for range r.IntN(16) {
			p := r.IntN(n)
			now[p] += r.IntN(5)
			b.SetTime(b.Event(p), strconv.Itoa(now[p]))
		}
		c, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		k, err := Read(background, c, 1)
		if err != nil {
			continue
		}
		d, err := within(background, k, time.Duration(r.IntN(6)))
		if err != nil {
			t.Fatal(err)
		}
		all := graphtest.HappenedBefore(d)
		for e := graphs.Event(1); e < d.Top(); e++ {
			for _, f := range d.Succs(e) {
				edges++
				for g := range all {
					if all[e][g] && all[g][f] && graphs.Event(g) != e && graphs.Event(g) != f {
						t.Fatalf("seed %d: %s→%s follows from %s", seed, d.ID(e), d.ID(f), d.ID(graphs.Event(g)))
					}
				}
			}
		}
	}
	if edges < 2*n { // few rounds may have fewer than the average
		t.Errorf("%d edges", edges)
	}
}

// build makes a computation of two processes with these times, the last event of P
// before the first of Q.
func build(t *testing.T, p, q []string) *graphs.Computation {
	t.Helper()
	var b graphs.Builder
	for i, times := range [][]string{p, q} {
		number := b.Process([]string{"P", "Q"}[i])
		for k, text := range times {
			h := b.Event(number)
			if text != "" {
				b.SetTime(h, text)
			}
			if i == 1 && k == 0 && h > 0 {
				b.Order(h-1, h)
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClocksRefused(t *testing.T) {
	for _, test := range []struct {
		p, q  []string
		bound time.Duration
		want  string
	}{
		{[]string{"", ""}, []string{""}, 0, "no event has a time, so clocks say nothing about its order"},
		{nil, nil, 0, "no event has a time, so clocks say nothing about its order"},
		{[]string{`"noon"`}, nil, 0, `the time of P:1, "noon", is neither a number nor a time as in RFC 3339`},
		{[]string{"1e300"}, nil, 0, `the time of P:1, 1e300, is not between the years 1678 and 2261`},
		{[]string{"-9e9", "9e9"}, nil, 0, "the times of P:1 and P:2, -9e9 and 9e9, are more than 292 years apart"},
		{[]string{"1.0073"}, []string{"1"}, 0, "the clocks contradict the trace: P:1 (time 1.0073) happened before Q:1 (time 1), but is 7.3ms later by the clock; --skew must be at least 7.3ms"},
		{[]string{"1.0073"}, []string{"1"}, 7300*time.Microsecond - 1, "the clocks contradict the trace: P:1 (time 1.0073) happened before Q:1 (time 1), but is 7.3ms later by the clock; --skew must be at least 7.3ms"},
		{[]string{"3", "5", "1"}, nil, time.Second, "the clocks contradict the trace: P:2 (time 5) happened before P:3 (time 1), but is 4s later by the clock; --skew must be at least 4s"},
		{[]string{`"2024-01-01T01:00:00+01:00"`}, []string{"", "1704067199"}, 0, `the clocks contradict the trace: P:1 (time "2024-01-01T01:00:00+01:00") happened before Q:2 (time 1704067199), but is 1s later by the clock; --skew must be at least 1s`},
		{[]string{"1.0073"}, []string{"1"}, 7300 * time.Microsecond, "<nil>"},
		{[]string{"-4e9"}, []string{"5e9"}, 0, "<nil>"},
	} {
		k, err := Read(background, build(t, test.p, test.q), time.Second)
		if err == nil {
			_, err = within(background, k, test.bound)
		}
		if fmt.Sprint(err) != test.want {
			t.Errorf("%q %q: %v, want %s", test.p, test.q, err, test.want)
		}
	}
	done, cancel := context.WithCancel(background)
	cancel()
	c := build(t, []string{"1"}, []string{"2"})
	if _, err := Read(done, c, time.Second); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	k, err := Read(background, c, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := within(done, k, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A context may be done at any check: Ordered iterates over the edges several times.
func TestOrderedIsCancelled(t *testing.T) {
	k, err := Read(background, build(t, []string{"1", "2"}, []string{"3", "4"}), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for looks := 0; ; looks++ {
		d, err := within(&graphtest.Patience{Context: background, Most: looks}, k, 0)
		if err == nil {
			if looks < 2 || d.NumEdges() == 0 {
				t.Errorf("%d looks, %d edges", looks, d.NumEdges())
			}
			return
		}
		if d != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %d looks: %v", looks, err)
		}
	}
}

// The mark of a lower bound stays, and so do general edges.
func TestClocksKeep(t *testing.T) {
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	e, f := b.Event(p), b.Event(q)
	b.SetTime(e, "1")
	b.SetTime(f, "3")
	b.Edge(f, e)
	b.SetLowerBound("made up")
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	k, err := Read(background, c, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	d, err := within(background, k, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if d.LowerBound() != "made up" || len(d.Edges()) != 1 || !d.SameStep(1, 2) || k.Least() != 0 {
		t.Errorf("%q, %v, %v, least %s", d.LowerBound(), d.Edges(), d.SameStep(1, 2), k.Least())
	}
}

// A million events of a hundred processes, a microsecond apart on the average.
func BenchmarkWithin(b *testing.B) {
	const events, processes = 1_000_000, 100
	var builder graphs.Builder
	r := rand.New(rand.NewPCG(1, 1))
	for p := range processes {
		builder.Process("P" + strconv.Itoa(p))
	}
	for i := range events {
		h := builder.Event(r.IntN(processes))
		builder.SetTime(h, strconv.Itoa(1000*i+r.IntN(1000)))
	}
	c, err := builder.Build()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Read", func(b *testing.B) {
		for b.Loop() {
			if _, err := Read(background, c, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	k, err := Read(background, c, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, bound := range []time.Duration{0, time.Microsecond, 10 * time.Microsecond, 50 * time.Microsecond, 100 * time.Microsecond, time.Millisecond, 100 * time.Millisecond, time.Second} {
		b.Run(bound.String(), func(b *testing.B) {
			b.ReportAllocs()
			edges := 0
			for b.Loop() {
				d, err := within(background, k, bound)
				if err != nil {
					b.Fatal(err)
				}
				edges = d.NumEdges()
			}
			b.ReportMetric(float64(edges), "edges")
		})
	}
}

// What has no reading after it may happen at any later time, whatever the bound.
func TestNoLatest(t *testing.T) {
	r, err := Read(background, build(t, []string{"1", ""}, nil), 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Skew(1)
	if err != nil {
		t.Fatal(err)
	}
	if latest, most := m.Latest(2), m.MaxDifference(1, 2); latest != Unbounded || most != Unbounded {
		t.Errorf("at the latest %d, %d later", latest, most)
	}
}
