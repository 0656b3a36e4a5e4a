package stream

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// clocked is an event with a vector clock, which counts the events of processes named by numbers.
func clocked(process int, clock []int64) Line {
	l := Line{Process: fmt.Append(nil, process)}
	for p, n := range clock {
		if n > 0 {
			l.Clock = append(l.Clock, Count{fmt.Append(nil, p), n})
		}
	}
	return l
}

// In whatever order the events of different processes arrive, each is admitted once all events that
// its clock counts are, and happens after these.
func TestClocksInAnyOrder(t *testing.T) {
	const processes, length = 4, 6
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		var lines [processes][]Line
		var by []int // the processes of the events
		clocks := make([][]int64, processes)
		for p := range clocks {
			clocks[p] = make([]int64, processes)
		}
		for range processes * length {
			p := r.IntN(processes)
			for q, n := range clocks[r.IntN(processes)] {
				clocks[p][q] = max(clocks[p][q], n)
			}
			clocks[p][p]++
			lines[p] = append(lines[p], clocked(p, clocks[p]))
			by = append(by, p)
		}
		s := New(Options{})
		s.SetView(View{Everything: true})
		var arrived [processes]int64
		for _, i := range r.Perm(processes * length) {
			p := by[i] // of each process as many times as it has events
			add(t, s, lines[p][arrived[p]])
			arrived[p]++
			if got, want := s.Admitted(), admissibleClocks(lines[:], arrived[:]); got != want {
				t.Fatalf("seed %d: %d events are admitted after %v, want %d", seed, got, arrived, want)
			}
		}
		if err := s.End(); err != nil {
			t.Fatal(err)
		}
	}
}

// admissibleClocks counts the events that can be admitted of those that have arrived: each whose clock
// counts only events that are admitted.
func admissibleClocks(lines [][]Line, arrived []int64) (all int64) {
	admitted := make([]int64, len(lines))
	for again := true; again; {
		again = false
		for p := range lines {
			if admitted[p] == arrived[p] {
				continue
			}
			ready := true
			for _, c := range lines[p][admitted[p]].Clock {
				q := int(c.Process[0] - '0')
				ready = ready && (q == p || c.Events <= admitted[q])
			}
			if ready {
				admitted[p]++
				all++
				again = true
			}
		}
	}
	return all
}

// A clock does not go back, and an entry of a process that is not known yet does not either.
func TestClockBackwards(t *testing.T) {
	s := New(Options{})
	add(t, s, clocked(0, []int64{1}), clocked(0, []int64{2}), clocked(1, []int64{2, 1}), clocked(1, []int64{2, 2, 1}))
	if s.Admitted() != 3 || !s.Waiting(1) {
		t.Errorf("%d events are admitted", s.Admitted())
	}
	back := clocked(1, []int64{1, 3})
	if err := s.Add(&back); err == nil || !strings.Contains(err.Error(), "2") {
		t.Error(err)
	}
}

// An event that waits has its id already.
func TestIDOfWaitingEvent(t *testing.T) {
	s := New(Options{})
	l := after(sets("A"), "missing")
	l.ID = []byte("a")
	add(t, s, l)
	again := sets("B")
	again.ID = l.ID
	if err := s.Add(&again); err == nil {
		t.Error("two events have one id")
	}
	if s.Unsettled() != 1 {
		t.Errorf("%d are unsettled", s.Unsettled())
	}
	add(t, s, Line{Process: []byte("B"), Send: [][]byte{[]byte("m")}})
	if s.Unsettled() != 2 {
		t.Errorf("%d are unsettled beside a message in transit", s.Unsettled())
	}
	add(t, s, Line{Process: []byte("C"), Recv: [][]byte{[]byte("m")}})
	if s.Unsettled() != 1 {
		t.Errorf("%d are unsettled when the message has come", s.Unsettled())
	}
}

// A process is released when the last of its events does not wait any more.
func TestReleased(t *testing.T) {
	var released []int
	s := New(Options{Released: func(process int) { released = append(released, process) }})
	add(t, s, sets("A"), after(sets("B"), "a"), after(sets("B"), "a", "C:1"))
	a := sets("A")
	a.ID = []byte("a")
	if add(t, s, a); len(released) > 0 || s.Admitted() != 3 {
		t.Errorf("%v are released after %d events", released, s.Admitted())
	}
	if add(t, s, sets("C")); fmt.Sprint(released) != "[1]" {
		t.Errorf("%v are released", released)
	}
}

// A process has executed all when it has closed and none of its events waits.
func TestOver(t *testing.T) {
	s := New(Options{})
	add(t, s, after(sets("A"), "b"), Line{Kind: Closing, Process: []byte("A")})
	if s.Closed(0) {
		t.Error("its event waits")
	}
	b := sets("B")
	b.ID = []byte("b")
	if add(t, s, b); !s.Closed(0) || s.Closed(1) {
		t.Errorf("A is closed: %v, B: %v", s.Closed(0), s.Closed(1))
	}
}

// Of a history those turns are left that later events need, and as many as are asked for.
func TestForgetTurns(t *testing.T) {
	for _, x := range []struct {
		pos   int64
		last  int
		first int64
	}{{0, 3, 1}, {2, 3, 1}, {3, 3, 3}, {4, 9, 3}, {5, 3, 5}, {9, 3, 5}, {0, 2, 3}, {3, 1, 5}} {
		h := history{turns: []turn{{pos: 1}, {pos: 3}, {pos: 5}}}
		if h.forget(x.pos, x.last); h.turns[0].pos != x.first || h.forgotten != (x.first > 1) {
			t.Errorf("%+v: %+v", x, h)
		}
	}
}

// What an event of G knew is not asked for, so it may be forgotten; of a later one it may not.
func TestPastOfG(t *testing.T) {
	s := New(Options{})
	add(t, s, sets("A"))
	s.processes[0].history = history{forgotten: true}
	s.window.base = clock{3}
	for pos := range int64(5) {
		if _, ok := s.past(place{0, pos}, nil); ok != (pos <= 3) {
			t.Errorf("event %d: %v", pos, ok)
		}
	}
}

// Of two processes with queues of one length the first is named.
func TestLongestQueue(t *testing.T) {
	s := New(Options{})
	add(t, s, after(sets("A"), "a"), after(sets("B"), "b"), after(sets("C"), "c"), sets("C"))
	if h, ok := s.Holds(); !ok || h.Process != "C" || !strings.Contains(h.Why, `"c"`) {
		t.Errorf("%+v", h)
	}
	add(t, s, sets("A"))
	if h, ok := s.Holds(); !ok || h.Process != "A" {
		t.Errorf("%+v", h)
	}
}

// A process declares a variable once.
func TestDeclaredTwice(t *testing.T) {
	s := New(Options{})
	l := sets("A", "x")
	l.Kind = Declaration
	add(t, s, l)
	if err := s.Add(&l); err == nil {
		t.Error("x has two initial values")
	}
	other := sets("B", "x")
	other.Kind = Declaration
	add(t, s, other)
}

// The first process may name its clock when it is declared, and keeps it.
func TestDeclaredClock(t *testing.T) {
	s := New(Options{})
	l := Line{Kind: Declaration, Process: []byte("A"), ClockID: []byte("h1")}
	add(t, s, l)
	l.ClockID = []byte("h2")
	const want = `process "A" has two clocks, "h1" and "h2": all its times must come from one clock`
	if err := s.Add(&l); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A map forgets only once a third generation begins, and says so.
func TestRecent(t *testing.T) {
	var r Recent[int]
	for i := range 2*most + 1 {
		if _, ok := r.Find([]byte("0")); i > 0 && !ok || r.forgot {
			t.Fatalf("after %d entries: %v, %v", i, ok, r.forgot)
		}
		r.Add(fmt.Sprint(i), i)
	}
	if _, ok := r.Find([]byte("0")); ok || !r.forgot {
		t.Errorf("the first is there: %v, forgot: %v", ok, r.forgot)
	}
}

// A process is known by the number that Scope has from then on.
func TestProcessesBy(t *testing.T) {
	s := New(Options{})
	for i, name := range []string{"A", "B", "C"} {
		before := s.Scope()
		add(t, s, sets(name))
		if old, all := s.ProcessesBy(before), s.ProcessesBy(s.Scope()); len(old) != i || len(all) != i+1 {
			t.Errorf("%q were known before %s, and %q after it", old, name, all)
		}
	}
}
