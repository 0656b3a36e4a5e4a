package stream

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// The edges of a window say what its events know of each other, by way of events that are not in
// it, too.
func TestWindowHasTheOrder(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := New(Options{SyncSize: 2})
		s.SetView(View{Names: map[string]bool{"x": true}, Learning: map[int]bool{graphs.Shared: r.IntN(4) == 0}})
		var transit [][]byte
		for k := range 80 {
			l := Line{Process: fmt.Append(nil, "P", r.IntN(4))}
			name := "x"
			if r.IntN(3) == 0 {
				name = "y"
			}
			l.Values = []Assignment{{[]byte(name), graphs.Int(int64(k))}}
			for range r.IntN(5) / 2 {
				if i := r.IntN(len(transit) + 1); i < len(transit) {
					l.Recv = append(l.Recv, transit[i])
					transit = append(transit[:i], transit[i+1:]...)
				}
			}
			if r.IntN(2) == 0 {
				id := fmt.Append(nil, k)
				if l.Send = append(l.Send, id); r.IntN(4) == 0 { // it will be received twice
					transit = append(transit, id)
				}
				transit = append(transit, id)
			}
			if r.IntN(8) == 0 && s.Admitted() > 0 {
				at := place{process: int32(r.IntN(len(s.names)))}
				if at.pos = s.processes[at.process].admitted; at.pos > 0 {
					l.After = append(l.After, append([]byte(nil), s.defaultID(at)...))
				}
			}
			if r.IntN(6) == 0 {
				l.Sync = [][]byte{fmt.Append(nil, k)}
			}
			if s.Add(&l) != nil {
				continue // a process receives twice what was sent
			}
			if l.Sync != nil { // another process joins, which may know what it does not
				other := Line{Process: fmt.Append(nil, "P", (int(l.Process[1]-'0')+1+r.IntN(3))%4), Sync: l.Sync}
				if r.IntN(2) == 0 {
					other.Values = l.Values
				}
				if at := (place{process: int32(r.IntN(len(s.names)))}); r.IntN(2) == 0 && s.processes[at.process].admitted > 0 {
					at.pos = s.processes[at.process].admitted
					other.After = [][]byte{append([]byte(nil), s.defaultID(at)...)}
				}
				if err := s.Add(&other); err != nil {
					t.Fatal(seed, err)
				}
			}
			if r.IntN(16) == 0 {
				s.Drop()
			}
		}
		now := s.Mark()
		w, err := s.Window(s.Marks()[now], false)
		if err != nil {
			t.Fatal(seed, err)
		}
		c := w.Computation
		for e := graphs.Event(1); e < c.Top(); e++ {
			least, _ := c.Above(c.NoEvents(), e)
			for f := graphs.Event(1); f < c.Top(); f++ {
				if knows := w.Past(e).Knows(w.Past(f)); knows != c.Has(least, f) {
					t.Fatalf("seed %d: that %s knows %s is %v", seed, w.ID(e), w.ID(f), knows)
				}
			}
		}
	}
}

// A reference to an event of which it is forgotten what happened before is known to be one, unless that
// does not matter: what is admitted knows the same as where nothing is forgotten.
func TestForgottenPast(t *testing.T) {
	defer func(most int) { maxHistory = most }(maxHistory)
	lost := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var all [2]*Stream
		for i := range all {
			all[i] = New(Options{})
			all[i].SetView(View{Everything: true})
		}
		counts, unread := make([]int64, 4), [][]byte(nil)
		for k := 0; k < 400 && all[1].GivenUp() == nil; k++ {
			p := r.IntN(3)
			if r.IntN(60) == 0 { // who knows little
				p = 3
			}
			l := Line{Process: fmt.Append(nil, "P", p)}
			if q := r.IntN(4); r.IntN(3) == 0 && q != p && counts[q] > 0 { // most often a late one
				at := max(1, counts[q]-int64(r.IntN(10)*r.IntN(10)*r.IntN(4)))
				l.After = [][]byte{fmt.Appendf(nil, "P%d:%d", q, at)}
			}
			if r.IntN(3) == 0 {
				l.Send = [][]byte{fmt.Append(nil, "m", k)}
				unread = append(unread, l.Send[0])
			} else if len(unread) > 0 && p < 3 && r.IntN(2) == 0 {
				i := r.IntN(len(unread))
				l.Recv, unread = [][]byte{unread[i]}, append(unread[:i:i], unread[i+1:]...)
			}
			counts[p]++
			for i, most := range [...]int{1 << 20, 0} {
				maxHistory = most
				if err := all[i].Add(&l); err != nil {
					t.Fatal(seed, err)
				}
			}
		}
		for i := range all[1].window.kept {
			want, got := all[0].window.kept[i], all[1].window.kept[i]
			for q := range int32(4) {
				if want.place != got.place || want.clock.of(q) != got.clock.of(q) {
					t.Fatalf("seed %d: event %v knows %v, want %v of %v", seed, got.place, got.clock, want.clock, want.place)
				}
			}
		}
		if all[1].GivenUp() != nil {
			lost++
		}
	}
	if lost == 0 || lost == 300 {
		t.Errorf("of 300, %d had a past that was forgotten", lost)
	}
}

// A window has the variables that the view sees and that are known.
func TestVariablesOfWindow(t *testing.T) {
	s := New(Options{})
	s.SetView(View{Names: map[string]bool{"x": true}})
	add(t, s, sets("A", "x", "y"), after(sets("B", "x"), "missing"))
	w, err := s.Window(s.Marks()[s.Mark()], false)
	if err != nil {
		t.Fatal(err)
	}
	c := w.Computation
	if c.Variable(0, "x") == nil || c.Variable(0, "y") != nil || c.Variable(1, "x") != nil {
		t.Error("x of A is not there, or y, or x of B, whose event waits, is")
	}
}

// A window shows what lines say of its events, and says which of them assigned a shared variable last.
func TestWindowShows(t *testing.T) {
	s := New(Options{})
	s.SetView(View{Everything: true, Whole: true})
	shared := sets("", "t", "u")
	shared.Kind = Sharing
	first := sets("A", "t")
	first.ID, first.Label, first.Time = []byte("first"), []byte("begins"), []byte("7")
	add(t, s, shared, first, after(sets("B", "x"), "first"))
	w, err := s.Window(s.Marks()[s.Mark()], true)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for p := range 2 {
		c, e := w.Computation, w.Computation.Event(p, 1)
		if v := c.Variable(p, Future); v.At(c, c.Initial()) == graphs.Boolean(true) || v.At(c, c.Final()) != graphs.Boolean(true) {
			t.Errorf("process %d has no event that is still to come", p)
		}
		got += fmt.Sprint(w.ID(e), " ", c.ID(e), " ", c.HasID(e), " ", c.Label(e), " ", c.Time(e), "; ")
	}
	if want := "first first true begins 7; B:1 B:1 false  ; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if name, p, ok := w.Settled("t"); name != settled+"t" || p != 0 || !ok {
		t.Errorf("%q, %d, %v", name, p, ok)
	}
	if name, _, ok := w.Settled("u"); ok {
		t.Errorf("u is not assigned, but %q says so", name)
	}
}

// An event follows those that happened before it, and none that happened together with it.
func TestPast(t *testing.T) {
	join := func(p string) Line { return Line{Process: []byte(p), Sync: [][]byte{[]byte("s")}} }
	s := New(Options{SyncSize: 2})
	s.SetView(View{Everything: true})
	add(t, s, sets("A"), join("A"), join("B"), sets("B"))
	w, err := s.Window(s.Marks()[len(s.Marks())-1], false)
	if err != nil {
		t.Fatal(err)
	}
	past := func(p, k int) Past { return w.Past(w.Computation.Event(p, k)) }
	first, a, b, last := past(0, 1), past(0, 2), past(1, 1), past(1, 2)
	for _, x := range []struct {
		p, q           Past
		knows, follows bool
	}{
		{a, first, true, true}, {b, first, true, true}, {a, b, true, false}, {b, a, true, false},
		{last, a, true, true}, {first, a, false, false}, {a, a, true, false}, {a, last, false, false},
		{first, Past{place: place{1, 0}}, true, true},
	} {
		if x.p.Knows(x.q) != x.knows || x.p.Follows(x.q) != x.follows {
			t.Errorf("%v of %v: knows %t, follows %t", x.p, x.q, x.p.Knows(x.q), x.p.Follows(x.q))
		}
	}
}
