package stream

import (
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
