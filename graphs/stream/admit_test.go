package stream

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// An entry of 0 in a clock is no reference, so a process without events keeps nothing waiting.
func TestClockEntryOfZero(t *testing.T) {
	s := New(Options{})
	clock := []Count{{[]byte("P"), 1}, {[]byte("Q"), 0}}
	add(t, s, Line{Process: []byte("P"), Clock: clock})
	if s.Admitted() != 1 {
		t.Error("the event waits")
	}
}

// Where a formula counts messages, a message goes where its sender says, whichever end comes first, and also
// while it waits.
func TestElsewhere(t *testing.T) {
	send := after(Line{Process: []byte("A"), Send: [][]byte{[]byte("m")}, To: []byte("B")}, "missing")
	anywhere := send
	anywhere.To = nil
	receive := func(process string) Line { return Line{Process: []byte(process), Recv: [][]byte{[]byte("m")}} }
	for _, x := range []struct {
		view   View
		lines  []Line
		refuse bool
	}{
		{View{AnyChannel: true}, []Line{send, receive("B")}, false},
		{View{AnyChannel: true}, []Line{send, receive("C")}, true},
		{View{AnyChannel: true}, []Line{receive("B"), send}, false},
		{View{AnyChannel: true}, []Line{receive("C"), send}, true},
		{View{AnyChannel: true}, []Line{receive("C"), anywhere}, false},
		{View{AnyChannel: true}, []Line{receive("B"), receive("C")}, false},
		{View{}, []Line{send, receive("C")}, false},
		{View{}, []Line{receive("C"), send}, false},
	} {
		for _, first := range []string{"A", "B"} {
			s := New(Options{})
			s.SetView(x.view)
			add(t, s, sets(first), x.lines[0])
			err := s.Add(&x.lines[1])
			const want = `message "m" was sent to "B" and is received by "C": where`
			if (err != nil) != x.refuse || err != nil && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s first: %+v: %v", first, x, err)
			}
		}
	}
}

// The variables of an event are known once it is admitted.
func TestNamed(t *testing.T) {
	s := New(Options{})
	add(t, s, after(sets("A", "x"), "b"))
	if s.Named("x") {
		t.Error("the event waits")
	}
	b := sets("B")
	b.ID = []byte("b")
	if add(t, s, b); !s.Named("x") || s.Named("y") {
		t.Errorf("x is known: %v, y: %v", s.Named("x"), s.Named("y"))
	}
}

// Every value of an event is checked, and a refused event leaves nothing behind.
func TestAllValuesAreChecked(t *testing.T) {
	s := New(Options{})
	add(t, s, sets("P", "x", "y"))
	wrong := sets("P", "x", "y")
	wrong.Values[1].Value = graphs.Boolean(true)
	const want = `variable "y" has two types: it was a number and is set to a boolean`
	if err := s.Add(&wrong); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	add(t, s, sets("P", "x", "y"))
	if s.Admitted() != 2 {
		t.Errorf("%d events are admitted", s.Admitted())
	}
}

// The assignment of an event that joins a sync is checked with its step: what the other members
// know counts.
func TestSharedKnownByTheStep(t *testing.T) {
	s := New(Options{SyncSize: 2})
	s.SetView(View{Names: map[string]bool{"t": true}})
	add(t, s, Line{Kind: Sharing, Values: []Assignment{{[]byte("t"), graphs.Int(0)}}}, sets("P", "t"))
	first, second := sets("Q", "t"), after(sets("R"), "P:1")
	first.Sync = [][]byte{[]byte("s")}
	second.Sync = first.Sync
	add(t, s, first, second)
	if s.Admitted() != 3 || s.GivenUp() != nil {
		t.Errorf("%d events are admitted, %v", s.Admitted(), s.GivenUp())
	}
}

// The assignments of a shared variable are ordered, also where no formula speaks of it.
func TestUnseenShared(t *testing.T) {
	s := New(Options{})
	shared := sets("", "t")
	shared.Kind = Sharing
	add(t, s, shared, sets("P", "t"))
	l := sets("Q", "t")
	if err := s.Add(&l); err == nil || s.Admitted() != 1 {
		t.Errorf("%d events are admitted, %v", s.Admitted(), err)
	}
}

// Where all processes are declared, a message goes to one of them.
func TestUnknownReceiver(t *testing.T) {
	s := New(Options{Declared: true})
	add(t, s, Line{Kind: Declaration, Process: []byte("A")}, sets("A"))
	l := Line{Process: []byte("A"), Send: [][]byte{[]byte("m")}, To: []byte("X")}
	if err := s.Add(&l); err == nil || err.Error() != `no process has the name "X"` {
		t.Error(err)
	}
	l.To = []byte("A")
	add(t, s, l)
}

// A default id of an unknown process, or of an event that has not come, names no event, whatever
// other processes have.
func TestUnknownDefaultID(t *testing.T) {
	for _, id := range []string{"X:1", "A:9"} {
		s := New(Options{})
		add(t, s, sets("A"), after(sets("C"), id))
		want := `event 1 of process "C": after an unknown event: no event has the id "` + id + `"`
		if err := s.End(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A step is complete when the last event arrives that one of its sync refers to, though that event
// waits for the sync itself: c happens after a and before b, and a and b happen together.
func TestWithinSync(t *testing.T) {
	named := func(l Line, id string) Line { l.ID = []byte(id); return l }
	joined := func(l Line) Line { l.Sync = [][]byte{[]byte("s")}; return l }
	s := New(Options{SyncSize: 2})
	add(t, s, joined(named(sets("A"), "a")), joined(after(sets("B"), "c")), after(named(sets("C"), "c"), "a"))
	if s.Admitted() != 3 {
		t.Errorf("%d events are admitted", s.Admitted())
	}
}

// Nobody joins a sync that is admitted.
func TestJoinedTooLate(t *testing.T) {
	s := New(Options{SyncSize: 2})
	join := func(p string) Line { return Line{Process: []byte(p), Sync: [][]byte{[]byte("s")}} }
	add(t, s, join("A"), join("B"))
	if l := join("C"); s.Add(&l) == nil || s.Admitted() != 2 {
		t.Errorf("a third process joins, %d events are admitted", s.Admitted())
	}
	if len(s.groups) > 0 || s.complete > 0 {
		t.Errorf("%+v is kept of it", s.groups)
	}
}

// A process joins a sync once, whether the sync has few members or many.
func TestJoinedTwice(t *testing.T) {
	for _, members := range []int{1, 32} {
		s := New(Options{})
		join := func(p int) error {
			return s.Add(&Line{Process: fmt.Append(nil, p), Sync: [][]byte{[]byte("s")}})
		}
		for p := range members {
			if err := join(p); err != nil {
				t.Fatal(err)
			}
		}
		for p := range members {
			if join(p) == nil {
				t.Errorf("process %d of %d joins twice", p, members)
			}
		}
	}
}
