package stream

import (
	"errors"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/timer"
)

// timed is an event with a time in seconds, that starts a timer of one second which sets x to false where it is named.
func timed(process, at, name string) Line {
	l := Line{Process: []byte(process), Time: []byte(at)}
	if name != "" {
		l.Timers = []timer.Timer{{Name: name, In: "1s", Set: []timer.Assignment{{Name: "x", Value: graphs.Boolean(false)}}}}
	}
	return l
}

// The end of a timer is an event before the next one of its process, which keeps the id of its line; or at the end.
func TestTimers(t *testing.T) {
	var ids []string
	s := New(Options{Admitted: func(step []Admitted) {
		for _, e := range step {
			ids = append(ids, string(e.Line.ID))
		}
	}})
	add(t, s, timed("A", "1", "lease"), timed("B", "1", ""), timed("A", "5", "lease"), timed("A", "5.5", ""))
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	want := []string{"", "", "A:1.lease", "A:2", "A:3", "A:2.lease"}
	if len(ids) != len(want) || s.EndedTimers() != 2 {
		t.Fatalf("%q, want %q; %d timers have ended", ids, want, s.EndedTimers())
	}
	for i := range want {
		if ids[i] != want[i] {
			t.Errorf("%q, want %q", ids, want)
		}
	}
}

// Timers and vector clocks exclude each other, whichever comes first.
func TestTimersAndClocks(t *testing.T) {
	clocked := func(process string) Line {
		return Line{Process: []byte(process), Time: []byte("1"), Clock: []Count{{[]byte(process), 1}}}
	}
	for name, lines := range map[string][]Line{
		"timers first": {timed("A", "1", "lease"), clocked("B")},
		"clocks first": {clocked("B"), timed("A", "1", "lease")},
	} {
		s := New(Options{})
		add(t, s, lines[0])
		if err := s.Add(&lines[1]); !errors.Is(err, admission.TimerAndClock.Broken()) && (err == nil || err.Error() != admission.TimerAndClock.Broken().Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := New(Options{})
	add(t, s, clocked("A"), clocked("B"))
}

// A timer sets variables of the type that they have.
func TestTypeOfTimer(t *testing.T) {
	s := New(Options{})
	add(t, s, sets("A", "x"))
	l := timed("A", "1", "lease")
	if err := s.Add(&l); err == nil || !strings.HasPrefix(err.Error(), `variable "x" has two types`) {
		t.Error(err)
	}
}

// A process that another named, or that was declared, may be declared with other variables until it has an event.
func TestDeclaredAgain(t *testing.T) {
	declared := func(variable string) Line {
		l := sets("A", variable)
		l.Kind = Declaration
		return l
	}
	s := New(Options{})
	add(t, s, declared("x"), declared("y"), sets("A", "x"))
	l := declared("z")
	if err := s.Add(&l); err == nil {
		t.Error("a process with an event is declared")
	}
}

// An execution is complete once all of its processes have closed, if these are all.
func TestComplete(t *testing.T) {
	for declared, want := range map[bool]bool{true: true, false: false} {
		s := New(Options{Declared: declared})
		l := sets("A", "x")
		l.Kind = Declaration
		add(t, s, l)
		if s.Complete() {
			t.Error("nothing has come yet")
		}
		add(t, s, Line{Kind: Closing, Process: []byte("A")})
		if got := s.Complete(); got != want {
			t.Errorf("declared %v: it is complete: %v", declared, got)
		}
	}
}
