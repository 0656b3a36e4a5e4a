package stream

import (
	"fmt"
	"strings"
	"testing"
)

// What calls an event is its id, or its default id if it has none, and in clocks its number alone; in whatever
// order lines come, also where the stream is saved after each.
func TestReferences(t *testing.T) {
	line := func(process, id, after string, clock ...int64) *Line {
		l := &Line{Process: []byte(process), ID: []byte(id)}
		if after != "" {
			l.After = [][]byte{[]byte(after)}
		}
		if len(clock) > 0 {
			l.Clock = []Count{{[]byte(process), 1}, {[]byte("A"), clock[0]}}
		}
		return l
	}
	for _, x := range []struct {
		lines    []*Line
		admitted []int64 // after each
		knows    place   // the event that the last one of C happened after
		end      string  // the error at the end, or of the last line
	}{
		{[]*Line{line("A", "", ""), line("C", "", "A:1")}, []int64{1, 2}, place{0, 1}, ""},
		{[]*Line{line("A", "A:1", ""), line("C", "", "A:1")}, []int64{1, 2}, place{0, 1}, ""},
		{[]*Line{line("C", "", "A:1"), line("A", "", "")}, []int64{0, 2}, place{1, 1}, ""},
		{[]*Line{line("A", "a", ""), line("C", "", "A:1")}, []int64{1, 1}, place{}, `no event has the id "A:1" (event 1 of process "A" has an id of its own)`},
		{[]*Line{line("C", "", "A:1"), line("A", "a", "")}, []int64{0, 1}, place{}, `no event has the id "A:1" (event 1 of process "A" has an id of its own)`},
		{[]*Line{line("C", "", "A:1"), line("A", "a", ""), line("B", "A:1", "")}, []int64{0, 1, 3}, place{2, 1}, ""},
		{[]*Line{line("A", "a", ""), line("B", "A:1", ""), line("C", "", "A:1")}, []int64{1, 2, 3}, place{1, 1}, ""},
		{[]*Line{line("B", "A:1", ""), line("A", "", "")}, []int64{1, 1}, place{}, `the id "A:1" is the default id of another event, event 1 of process "A"`},
		{[]*Line{line("A", "", ""), line("B", "A:1", "")}, []int64{1, 1}, place{}, `the id "A:1" is the default id of another event, event 1 of process "A"`},
		{[]*Line{line("A", "", "z"), line("B", "A:1", "")}, []int64{0, 0}, place{}, `the id "A:1" is the default id of another event, event 1 of process "A"`},
		{[]*Line{line("A", "", "z"), line("A", "", ""), line("C", "", "A:2")}, []int64{0, 0, 0}, place{}, `no event has the id "z"`},
		{[]*Line{line("A", "a", ""), line("C", "", "", 1)}, []int64{1, 2}, place{0, 1}, ""},
		{[]*Line{line("C", "", "", 1), line("B", "A:1", ""), line("A", "a", "")}, []int64{0, 1, 3}, place{2, 1}, ""},
		{[]*Line{line("C", "", "", 2), line("A", "a", "")}, []int64{0, 1}, place{}, `the clock is ahead: process "A" has 1 event, not 2`},
		{[]*Line{line("C", "", "", 1234567890123456789)}, []int64{0}, place{}, `the clock has an entry for an unknown process "A"`},
		{[]*Line{line("C", "", ""), {Process: []byte("A"), After: [][]byte{nil}}}, []int64{1, 1}, place{}, `no event has the id ""`},
	} {
		{
			s := New(Options{})
			s.SetView(View{Everything: true})
			var err error
			name := ""
			for i, l := range x.lines {
				name += fmt.Sprintf("%s %s %s %v; ", l.Process, l.ID, l.After, l.Clock)
				if err = s.Add(l); s.Admitted() != x.admitted[i] {
					t.Errorf("%s: %d are admitted, want %d", name, s.Admitted(), x.admitted[i])
				}
			}
			if err == nil {
				err = s.End()
			}
			if fmt.Sprint(err) != "<nil>" && x.end == "" || !strings.Contains(fmt.Sprint(err), x.end) {
				t.Errorf("%s: %v, want %s", name, err, x.end)
			}
			if c, ok := s.Process("C"); ok && x.knows.pos > 0 && s.processes[c].clock.of(x.knows.process) != x.knows.pos {
				t.Errorf("%s: it knows %v", name, s.processes[c].clock)
			}
		}
	}
}

// Which events have ids of their own is remembered of the last ones; of others, no reference to a default id
// is made to one that may have another.
func TestOwn(t *testing.T) {
	s := New(Options{})
	own := func(pos int64) bool { return pos%5 > 2 }
	for pos := int64(1); pos < 9*maxTurns; pos++ {
		l := Line{Process: []byte("A")}
		if own(pos) {
			l.ID = fmt.Append(nil, pos)
		}
		if err := s.Add(&l); err != nil {
			t.Fatal(err)
		}
		for at := max(1, pos-maxTurns/2); at <= pos; at += 1 + (pos-at)/3 {
			if s.hasOwn(0, at) != own(at) {
				t.Fatalf("of event %d at %d: %v", at, pos, !own(at))
			}
		}
	}
	if n := len(s.processes[0].own.turns); n > 2*maxTurns || !s.hasOwn(0, 1) {
		t.Errorf("%d turns are kept", n)
	}
	if err := s.Add(&Line{Process: []byte("B"), After: [][]byte{[]byte("A:1")}}); err != nil || !s.Waiting(1) {
		t.Error(err)
	}
	if err := s.End(); err != nil || s.GivenUp() == nil {
		t.Error(err, s.GivenUp())
	}
}
