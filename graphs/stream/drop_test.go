package stream

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// add adds lines to a stream, none of which may be refused.
func add(t *testing.T, s *Stream, lines ...Line) {
	t.Helper()
	for _, l := range lines {
		if err := s.Add(&l); err != nil {
			t.Fatal(err)
		}
	}
}

// sets is an event that assigns 1 to variables.
func sets(process string, variables ...string) Line {
	l := Line{Process: []byte(process)}
	for _, name := range variables {
		l.Values = append(l.Values, Assignment{[]byte(name), graphs.Int(1)})
	}
	return l
}

func after(l Line, ids ...string) Line {
	for _, id := range ids {
		l.After = append(l.After, []byte(id))
	}
	return l
}

// G is the meet of the pasts of the last events of the chains: the processes that have a
// variable of the view, and the last assignment of a shared one.
func TestFloor(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := New(Options{})
		view := View{Variables: map[Owned]bool{{0, "x"}: true, {1, "x"}: true}, Names: map[string]bool{"t": r.IntN(2) == 0}}
		s.SetView(view)
		add(t, s, Line{Kind: Sharing, Values: []Assignment{{[]byte("t"), graphs.Int(0)}}})
		for p := range 3 {
			add(t, s, Line{Kind: Declaration, Process: fmt.Append(nil, p)})
		}
		var known [3][3]int64
		var last, base [3]int64 // the past of the last assignment of t; what was dropped
		var seen []place        // events with x on processes 0 and 1, or t
		for range 40 {
			p, q := r.IntN(3), r.IntN(3)
			l := sets(fmt.Sprint(p), []string{"x", "y"}[r.IntN(2)])
			if q != p && known[q][q] > 0 {
				l = after(l, fmt.Sprintf("%d:%d", q, known[q][q]))
				for i := range known[p] {
					known[p][i] = max(known[p][i], known[q][i])
				}
			}
			known[p][p]++
			ordered := true
			for i := range last {
				ordered = ordered && known[p][i] >= last[i]
			}
			assigns := ordered && r.IntN(3) == 0
			if assigns {
				l.Values = append(l.Values, Assignment{[]byte("t"), graphs.Int(1)})
				last = known[p]
			}
			if assigns && view.Names["t"] || p < 2 && string(l.Values[0].Name) == "x" {
				seen = append(seen, place{int32(p), known[p][p]})
			}
			add(t, s, l)
			want := known[0]
			for i := range want {
				want[i] = min(want[i], known[1][i])
				if view.Names["t"] {
					want[i] = min(want[i], last[i])
				}
			}
			if got := s.Floor(); !slices.Equal(got, want[:]) {
				t.Fatalf("seed %d: G is %v, want %v", seed, got, want)
			}
			if r.IntN(4) == 0 {
				s.Drop()
				for i := range base {
					base[i] = max(base[i], want[i])
				}
				seen = slices.DeleteFunc(seen, func(at place) bool { return at.pos <= base[at.process] })
			}
			if s.Len() != len(seen) {
				t.Fatalf("seed %d: %d events are kept, want %d", seed, s.Len(), len(seen))
			}
		}
	}
}

// A view that sees nothing keeps nothing, and holds nothing back.
func TestBlind(t *testing.T) {
	s := New(Options{})
	s.SetView(View{})
	add(t, s, sets("P", "x"), sets("P", "x"), sets("Q", "x"))
	if got := s.Floor(); !slices.Equal(got, []int64{2, 1}) || s.Len() != 0 {
		t.Errorf("G is %v, %d events are kept", got, s.Len())
	}
	s = New(Options{})
	s.SetView(View{Names: map[string]bool{"x": true}})
	add(t, s, sets("P", "x"))
	if got := s.Floor(); got != nil || s.Len() != 1 {
		t.Errorf("G is %v, %d events are kept", got, s.Len())
	}
}

// A narrower view drops events above G that it does not see, and keeps the others; one of
// everything keeps all. Q, who knows P:1 alone, holds G back there.
func TestNarrowerView(t *testing.T) {
	x := map[Owned]bool{{0, "x"}: true, {1, "x"}: true}
	for name, test := range map[string]struct {
		before, now View
		want        []place
	}{
		"variable": {
			View{Variables: map[Owned]bool{{0, "x"}: true, {0, "y"}: true, {1, "x"}: true}},
			View{Variables: x},
			[]place{{0, 3}},
		},
		"everything": {View{Everything: true, Variables: x}, View{Everything: true, Variables: x}, []place{{0, 2}, {1, 1}, {0, 3}}},
		"learning":   {View{Learning: map[int]bool{1: true}, Variables: x}, View{Learning: map[int]bool{1: true}, Variables: x}, []place{{1, 1}, {0, 3}}},
	} {
		s := New(Options{})
		add(t, s, Line{Kind: Declaration, Process: []byte("P")}, Line{Kind: Declaration, Process: []byte("Q")})
		s.SetView(test.before)
		add(t, s, sets("P", "x"), sets("P", "y"), after(sets("Q"), "P:1"), sets("P", "x"))
		s.SetView(test.now)
		s.Drop()
		var got []place
		for _, k := range s.window.kept {
			got = append(got, k.place)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v are kept, want %v", name, got, test.want)
		}
	}
}

// A moment is marked when something is kept or a process ends, and not otherwise.
func TestMarks(t *testing.T) {
	s := New(Options{})
	s.SetView(View{Names: map[string]bool{"x": true}})
	add(t, s, sets("P", "x"), sets("P", "y"), sets("Q", "y"), sets("P", "x"), Line{Kind: Closing, Process: []byte("Q")})
	want := []Mark{{}, {1, 1, 0, 1, 2}, {2, 4, 0, 4, 5}, {2, 4, 1, 4, 5}}
	if got := s.Marks(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !s.Over(1, want[3]) || s.Over(1, want[2]) || s.Over(0, want[3]) {
		t.Error("a process is over at another moment")
	}
}

// The first message of a channel that names no receiver is reported.
func TestUnaddressed(t *testing.T) {
	send := func(id, to string) Line {
		return Line{Process: []byte("P"), Send: [][]byte{[]byte(id)}, To: []byte(to)}
	}
	s := New(Options{})
	s.SetView(View{AnyChannel: true})
	add(t, s, send("a", "Q"))
	if id, _ := s.Unaddressed(); id != "" {
		t.Error(id)
	}
	back := Line{Process: []byte("Q"), Send: [][]byte{[]byte("d")}, To: []byte("P")}
	add(t, s, back, send("b", ""), send("c", ""))
	if id, before := s.Unaddressed(); id != "b" || before != 2 {
		t.Error(id, before)
	}
}

// Of what an event learns, its direct causes are kept: not what its process knew, nor what is
// before another cause.
func TestDirectCauses(t *testing.T) {
	s := New(Options{})
	s.SetView(View{Names: map[string]bool{"x": true}})
	causes := func() []place { return s.window.kept[len(s.window.kept)-1].after }
	add(t, s, sets("A", "x"), after(sets("B", "x"), "A:1"), after(sets("Q", "x"), "A:1", "B:1"))
	if got := causes(); !slices.Equal(got, []place{{1, 1}}) {
		t.Errorf("causes are %v", got)
	}
	add(t, s, sets("A", "y"), after(sets("Q", "x"), "A:2"))
	if got := causes(); len(got) > 0 {
		t.Errorf("causes are %v, but they were known", got)
	}
}

// Assignments of a shared variable in one step must be ordered; the last one counts.
func TestSharedInStep(t *testing.T) {
	joined := func(l Line) Line { l.Sync = [][]byte{[]byte("s")}; return l }
	begin := func() *Stream {
		s := New(Options{SyncSize: 2})
		s.SetView(View{Names: map[string]bool{"t": true}})
		add(t, s, Line{Kind: Sharing, Values: []Assignment{{[]byte("t"), graphs.Int(0)}}})
		return s
	}
	s := begin()
	add(t, s, joined(sets("P", "t")))
	last := joined(sets("Q", "t"))
	late, ok := errors.AsType[*LateError](s.Add(&last))
	unordered, is := errors.AsType[*graphs.UnorderedError](late)
	if !ok || !is || unordered.IDs != [2]string{"P:1", "Q:1"} || s.GivenUp() == nil || s.Admitted() != 0 {
		t.Errorf("%v, %v", late, s.GivenUp())
	}

	s = begin()
	add(t, s, joined(sets("P", "t")), joined(after(sets("Q", "t"), "P:1")))
	if kept := s.window.kept; s.Admitted() != 2 || len(kept) != 1 || kept[0].process != 1 {
		t.Errorf("%d events are admitted, %v kept", s.Admitted(), kept)
	}
}

// The error of unordered assignments names both events, by their ids or by default.
func TestUnorderedIDs(t *testing.T) {
	s := New(Options{})
	s.SetView(View{Names: map[string]bool{"t": true}})
	first := sets("P", "t")
	first.ID = []byte("a")
	add(t, s, Line{Kind: Sharing, Values: []Assignment{{[]byte("t"), graphs.Int(0)}}}, first)
	second := sets("Q", "t")
	// Neither its own entry in a clock nor one of no events knows the first.
	for _, clock := range [][]Count{nil, {{[]byte("Q"), 1}}, {{[]byte("Q"), 1}, {[]byte("P"), 0}}} {
		second.Clock = clock
		unordered, ok := errors.AsType[*graphs.UnorderedError](s.Add(&second))
		if !ok || unordered.IDs != [2]string{"a", "Q:1"} || s.Admitted() != 1 {
			t.Errorf("with clock %v: %v, %d events are admitted", clock, unordered, s.Admitted())
		}
	}
	second.Clock = []Count{{[]byte("Q"), 1}, {[]byte("P"), 1}}
	add(t, s, second)
}

// The process that has been silent for longest holds events back, whichever it is.
func TestHolds(t *testing.T) {
	for _, silent := range []string{"A", "B"} {
		s := New(Options{})
		s.SetView(View{Variables: map[Owned]bool{{0, "x"}: true, {1, "x"}: true}})
		add(t, s, sets("A", "x"), sets("B", "x"))
		busy := "A"
		if silent == busy {
			busy = "B"
		}
		for range 5 {
			add(t, s, sets(busy, "x"))
		}
		if h, ok := s.Holds(); !ok || h.Process != silent || !h.Silent {
			t.Errorf("%+v holds back, want %s", h, silent)
		}
	}
}

// Messages in transit at G are forgotten once no formula counts them, whoever they go to.
func TestUncounted(t *testing.T) {
	for _, to := range []string{"A", "C"} {
		s := New(Options{})
		for _, name := range []string{"A", "B", "C"} {
			add(t, s, Line{Kind: Declaration, Process: []byte(name)})
		}
		s.SetView(View{Channels: map[[2]int]bool{{1, 0}: true, {1, 2}: true}})
		add(t, s, Line{Process: []byte("B"), Send: [][]byte{[]byte("m")}, To: []byte(to)})
		add(t, s, after(sets("A"), "B:1"), after(sets("C"), "B:1"))
		s.Drop()
		if n := len(s.window.flying); n != 1 {
			t.Fatalf("%d messages are in transit", n)
		}
		if h, ok := s.Holds(); !ok || h.Why != "so many messages are in transit that a formula counts" {
			t.Errorf("%+v", h)
		}
		other := map[string]int{"A": 2, "C": 0}[to]
		s.SetView(View{Channels: map[[2]int]bool{{1, other}: true}})
		add(t, s, sets("A"), sets("B"), sets("C"))
		s.Drop()
		if n := len(s.window.flying); n != 0 {
			t.Errorf("%d messages to %s are in transit", n, to)
		}
	}
}

// A view that learns of others sees something.
func TestLearning(t *testing.T) {
	for _, learns := range []bool{false, true} {
		s := New(Options{})
		if s.SetView(View{Learning: map[int]bool{0: learns}}); s.blind == learns {
			t.Errorf("it learns: %v, it is blind: %v", learns, s.blind)
		}
	}
}
