package graphs_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/multi"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// Processes are found by name, however they were added.
func TestProcesses(t *testing.T) {
	var b graphs.Builder
	b.NewProcess("P")
	b.Process("Q")
	b.NewProcess("R")
	if p, q := b.Process("R"), b.Process("S"); p != 2 || q != 3 {
		t.Errorf("R and S are processes %d and %d", p, q)
	}
	b.NewProcess("T")
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for p, name := range []string{"P", "Q", "R", "S", "T"} {
		if q, ok := c.ProcessNumber(name); !ok || p != q {
			t.Errorf("%s is process %d, not %d", name, q, p)
		}
	}
	if _, ok := c.ProcessNumber("U"); ok {
		t.Error("there is a process U")
	}
}

// Build reports a cycle of happened-before if and only if there is one, and the events that it
// lists form a cycle.
func TestCycleErrors(t *testing.T) {
	cycles := 0
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 12))
		var b graphs.Builder
		n := 1 + r.IntN(4)
		for p := range n {
			b.Process(fmt.Sprintf("P%d", p))
		}
		var handles []graphs.Handle
		last := make(map[int]graphs.Handle)
		g := multi.NewDirectedGraph()
		loop := false
		edge := func(e, f graphs.Handle) {
			if e == f {
				loop = true
				return
			}
			g.SetLine(g.NewLine(multi.Node(e), multi.Node(f)))
		}
		for range 1 + r.IntN(10) {
			p := r.IntN(n)
			h := b.Event(p)
			g.AddNode(multi.Node(h))
			if before, ok := last[p]; ok {
				edge(before, h)
			}
			last[p] = h
			handles = append(handles, h)
		}
		any := func() graphs.Handle { return handles[r.IntN(len(handles))] }
		for range r.IntN(6) {
			e, f := any(), any()
			if e == f && r.IntN(10) > 0 {
				continue
			}
			if edge(e, f); r.IntN(2) == 0 {
				b.Order(e, f)
			} else {
				b.Deliver(b.NewMessage(""), e, f, -1)
			}
		}
		_, unsortable := topo.Sort(g)
		_, err := b.Build()
		if (err != nil) != (unsortable != nil || loop) {
			t.Fatalf("seed %d: %v, gonum says %v", seed, err, unsortable)
		}
		var cycle *graphs.CycleError
		if err == nil {
			continue
		}
		cycles++
		if !errors.As(err, &cycle) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, e := range cycle.Events {
			f := cycle.Events[(i+1)%len(cycle.Events)]
			if e == f && loop && len(cycle.Events) == 1 {
				continue
			}
			if !g.HasEdgeFromTo(int64(e), int64(f)) {
				t.Fatalf("seed %d: %v: there is no edge from %v to %v", seed, err, e, f)
			}
		}
	}
	if cycles < graphtest.Rounds(t, 200) {
		t.Errorf("only %d computations had a cycle", cycles)
	}
}

func TestCycleErrorText(t *testing.T) {
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	e := b.Event(p)
	b.Event(p)
	f := b.Event(q)
	b.SetID(f, []byte("f"))
	b.Order(f, e)
	b.Order(1, f)
	_, err := b.Build()
	if want := "cycle of happened-before: P:1 → P:2 → f → P:1"; err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}

func TestLongCycleErrorText(t *testing.T) {
	var b graphs.Builder
	p := b.Process("P")
	first := b.Event(p)
	last := first
	for range 20 {
		last = b.Event(p)
	}
	b.Order(last, first)
	_, err := b.Build()
	if want := "P:8 → … (13 more) → P:1"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v does not end in %s", err, want)
	}
}

// Ties and general edges may close cycles.
func TestNoCycleErrorForMetaEvents(t *testing.T) {
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	e, f := b.Event(p), b.Event(q)
	b.Order(e, f)
	b.Edge(f, e)
	e, f = b.Event(p), b.Event(q)
	b.Order(f, e)
	b.Sync(e, f)
	c := mustBuild(t, &b)
	if !c.Cyclic() || len(c.Step(c.Event(p, 1))) != 2 || len(c.Step(c.Event(q, 2))) != 2 {
		t.Errorf("steps %v and %v", c.Step(1), c.Step(2))
	}
}

// Build accepts the assignments of a shared variable if and only if the closure of happened-before
// orders them all, and puts them in that order; those of one meta-event are ordered by the closure
// without general edges, or without syncs.
func TestUnorderedAssignments(t *testing.T) {
	refused, sorted := 0, 0
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 13))
		// The same draws are made again and again: without the variable, to know
		// the closures, and with it.
		draws := r.Uint64()
		var layers [][][]bool // closures: of all, without general edges, without syncs too
		var c *graphs.Computation
		for _, layer := range [][2]bool{{false, false}, {false, true}, {true, true}} {
			b, _, _ := shared(draws, false, layer[0], layer[1])
			c = mustBuild(t, b)
			layers = append([][][]bool{closure(c)}, layers...)
		}
		reach := layers[0]
		with, places, values := shared(draws, true, true, true)
		before := func(i, j int) bool {
			e, f := c.Event(places[i][0], places[i][1]), c.Event(places[j][0], places[j][1])
			for _, reach := range layers {
				if !reach[e][f] || !reach[f][e] {
					return reach[e][f]
				}
			}
			return false
		}
		ordered := true
		for i := range places {
			for j := range i {
				ordered = ordered && (before(i, j) || before(j, i))
			}
		}
		d, err := with.Build()
		if !ordered {
			refused++
			var unordered *graphs.UnorderedError
			if !errors.As(err, &unordered) {
				t.Fatalf("seed %d: %v, and not all assignments are ordered", seed, err)
			}
			e, ok1 := c.Lookup(unordered.IDs[0])
			f, ok2 := c.Lookup(unordered.IDs[1])
			if !ok1 || !ok2 || unordered.Variable != "turn" || e == f || reach[e][f] != reach[f][e] || layers[2][e][f] || layers[2][f][e] {
				t.Fatalf("seed %d: %v, and they are ordered", seed, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v, and all assignments are ordered", seed, err)
		}
		v := d.Variable(graphs.Shared, "turn")
		order := make([]int, len(places))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int {
			if before(i, j) {
				return -1
			}
			return 1
		})
		if !slices.IsSorted(order) {
			sorted++
		}
		for k, i := range order {
			if v.Event(k) != d.Event(places[i][0], places[i][1]) || !v.Value(k).Equal(values[i]) {
				t.Fatalf("seed %d: assignment %d is %v by %v", seed, k, v.Value(k), d.ID(v.Event(k)))
			}
		}
	}
	if n := graphtest.Rounds(t, 20); refused < 5*n || sorted < n {
		t.Errorf("only %d refused and %d sorted", refused, sorted)
	}
}

// shared draws a computation and, if asked, general edges, syncs, and a shared variable that some
// of its events assign, in order of handles. It returns their processes and positions, and the
// values.
func shared(seed uint64, with bool, general, syncs bool) (b *graphs.Builder, places [][2]int, values []graphs.Value) {
	r := rand.New(rand.NewPCG(seed, 14))
	b = new(graphs.Builder)
	n, m := 1+r.IntN(3), 1+r.IntN(9)
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
	}
	proc := make([]int, m)
	for i := range proc {
		proc[i] = r.IntN(n)
	}
	// Events are added process by process now and then, so that the order of
	// handles is not one of happened-before.
	rank := r.Perm(m)
	if r.IntN(2) == 0 {
		slices.Sort(rank)
	}
	time := make([]int, m)   // by handle
	next := make([][]int, n) // times of a process in order
	for e, p := range proc {
		next[p] = append(next[p], e)
	}
	kind := r.IntN(3)
	rate := 1 + r.IntN(3)
	var handles []graphs.Handle
	for _, i := range rank {
		p := proc[i]
		h := b.Event(p)
		time[h] = next[p][0]
		next[p] = next[p][1:]
		handles = append(handles, h)
		assign := r.IntN(rate) == 0
		x := []graphs.Value{graphs.Int(int64(r.IntN(9))), graphs.Boolean(r.IntN(2) == 0), graphs.Str(fmt.Sprint(r.IntN(9)))}[kind]
		if kind == 0 && r.IntN(2) == 0 {
			x = graphs.Float(float64(r.IntN(9)) / 4)
		}
		if assign {
			places = append(places, [2]int{p, b.PositionOf(h)})
			values = append(values, x)
			if with {
				b.Set(b.Variable(graphs.Shared, "turn"), h, x)
			}
		}
	}
	for range r.IntN(3 * m) {
		e, f := handles[r.IntN(m)], handles[r.IntN(m)]
		if time[e] < time[f] {
			b.Order(e, f)
		}
	}
	for range r.IntN(3) - 1 {
		e, f := handles[r.IntN(m)], handles[r.IntN(m)]
		switch {
		case r.IntN(2) == 0:
			if general {
				b.Edge(e, f)
			}
		case syncs && b.ProcessOf(e) != b.ProcessOf(f):
			b.Sync(e, f)
		}
	}
	return b, places, values
}

// Ids, labels, times and names of messages come back from the events they were
// given to, in whatever order these were added.
func TestNames(t *testing.T) {
	var b graphs.Builder
	q, p := b.Process("Q"), b.Process("P")
	if b.Process("Q") != q || b.NumEvents() != 0 {
		t.Error("a process twice")
	}
	b.Grow(3)
	p1 := b.Event(p)
	q1 := b.Event(q)
	p2 := b.Event(p)
	b.SetID(q1, []byte("é"))
	b.SetID(p2, []byte("last"))
	b.SetLabel(p1, "first of P")
	b.SetTime(q1, `"2024-01-01T00:00:00Z"`)
	b.Deliver(b.NewMessage("hello"), p1, q1, -1)
	b.Deliver(b.NewMessage("lost"), p1, graphs.NoHandle, q)
	if b.NumEvents() != 3 || b.Count(p) != 2 || b.ProcessOf(p2) != p || b.PositionOf(p2) != 2 {
		t.Error("events are counted wrongly")
	}
	c := mustBuild(t, &b)
	var ids []string
	for e := graphs.Bottom; e <= c.Top(); e++ {
		ids = append(ids, c.ID(e))
		if got, ok := c.Lookup(c.ID(e)); !ok || got != e {
			t.Errorf("%s is event %d, found as %d (%v)", c.ID(e), e, got, ok)
		}
	}
	if want := []string{"⊥", "é", "P:1", "last", "⊤"}; !slices.Equal(ids, want) {
		t.Errorf("%q, not %q", ids, want)
	}
	e := c.Event(p, 1)
	if c.HasID(e) || !c.HasID(e+1) || c.Label(e) != "first of P" || c.Label(e+1) != "" || c.Time(1) == "" || c.Time(e) != "" {
		t.Error("names stand at the wrong events")
	}
	if _, ok := c.Lookup("Q:1"); ok {
		t.Error("an event with an id is found by position")
	}
	if c.NumMessages() != 2 || c.MessageName(0) != "hello" || c.MessageName(1) != "lost" {
		t.Error("messages", c.Messages())
	}
	if n, ok := c.ProcessNumber("P"); !ok || n != p || !slices.Equal(c.Processes(), []string{"Q", "P"}) {
		t.Error("processes", c.Processes())
	}
	if _, ok := c.ProcessNumber("R"); ok {
		t.Error("there is no R")
	}
}

func TestMessagesWithoutNames(t *testing.T) {
	var b graphs.Builder
	e := b.Event(b.Process("P"))
	b.Deliver(b.NewMessage(""), e, graphs.NoHandle, -1)
	c := mustBuild(t, &b)
	if c.MessageName(0) != "m1" || c.Messages()[0] != (graphs.Message{Send: 1, To: -1}) {
		t.Errorf("%s is %v", c.MessageName(0), c.Messages()[0])
	}
}

// Deliveries are in order of their messages, however they were added.
func TestMessagesAreInOrder(t *testing.T) {
	var b graphs.Builder
	p := b.Process("P")
	e, f, g := b.Event(p), b.Event(b.Process("Q")), b.Event(b.Process("R"))
	first, second := b.NewMessage("a"), b.NewMessage("b")
	b.Deliver(second, e, f, -1)
	b.Deliver(first, e, g, -1)
	b.Deliver(first, e, f, -1)
	c := mustBuild(t, &b)
	want := []graphs.Message{{Send: 1, Recv: 3, To: 2, Index: 0}, {Send: 1, Recv: 2, To: 1, Index: 0}, {Send: 1, Recv: 2, To: 1, Index: 1}}
	if !slices.Equal(c.Messages(), want) {
		t.Errorf("%v, not %v", c.Messages(), want)
	}
	if c.NumEdges() != 2 {
		t.Errorf("%d edges, not 2", c.NumEdges())
	}
}

// perEvent is how many bytes of memory an event may take without names and values:
// the events of the benchmark send or receive a message each.
const perEvent = 40

func TestMemoryPerEvent(t *testing.T) {
	if bytes := measure(t, 200_000); bytes > perEvent {
		t.Errorf("%.1f bytes an event", bytes)
	}
}

// BenchmarkBuild builds a million events with half a million messages.
func BenchmarkBuild(b *testing.B) {
	bytes := 0.0
	for b.Loop() {
		bytes = measure(b, 1_000_000)
	}
	b.ReportMetric(bytes, "B/event")
}

// measure builds a computation of n events of 100 processes, each a send or a
// receive, and returns the bytes it keeps for each.
func measure(t testing.TB, n int) float64 {
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := used()
	c := mustBuild(t, exchange(n))
	after := used()
	runtime.KeepAlive(c)
	return float64(int64(after-before)) / float64(n)
}

func exchange(n int) *graphs.Builder {
	b := new(graphs.Builder)
	const processes = 100
	for p := range processes {
		b.Process(fmt.Sprintf("P%d", p))
	}
	b.Grow(n)
	r := rand.New(rand.NewPCG(15, 15))
	for range n / 2 {
		p := r.IntN(processes)
		e := b.Event(p)
		f := b.Event((p + 1 + r.IntN(processes-1)) % processes)
		b.Deliver(b.NewMessage(""), e, f, -1)
	}
	return b
}

func TestUnorderedErrorText(t *testing.T) {
	var b graphs.Builder
	e, f := b.Event(b.Process("P")), b.Event(b.Process("Q"))
	v := b.Variable(graphs.Shared, "turn")
	b.Set(v, e, graphs.Int(1))
	b.Set(v, f, graphs.Int(2))
	_, err := b.Build()
	want := `assignments of the shared variable "turn" are not ordered: neither of P:1 and Q:1 happened before the other; a message or "after" has to say which, a sync does not`
	if err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}
