package conform_test

import (
	"fmt"
	"testing"

	"github.com/pota-project/pota/graphs/scenario"
	"github.com/pota-project/pota/rctl/conform"
)

// A diagram with a loop and a trace of many rounds take linear time: an occurrence is forgotten
// when nothing will be compared with it, and no lifeline gets far ahead of those that only receive.
// Without that, this test took minutes.
func TestManyRounds(t *testing.T) {
	s := spec(t, "participant C", "loop", "A->>B: x", "alt yes", "B->>A: y", "else no", "B->>C: no", "C->>A: sorry", "end", "A->>C: log", "end")
	lines := []string{`{"process":"C","init":{}}`, `{"process":"A","init":{}}`, `{"process":"B","init":{}}`}
	number := 0
	message := func(from, to, label string) {
		number++
		lines = append(lines,
			fmt.Sprintf(`{"process":%q,"send":"m%d","to":%q,"label":%q}`, from, number, to, label),
			fmt.Sprintf(`{"process":%q,"recv":"m%d"}`, to, number))
	}
	for i := range 2000 {
		message("A", "B", "x")
		if i%3 == 0 {
			message("B", "C", "no")
			message("C", "A", "sorry")
		} else {
			message("B", "A", "y")
		}
		message("A", "C", "log")
	}
	r, err := s.Check(t.Context(), read(t, lines...), conform.Options{})
	if err != nil || r.Verdict != scenario.Conforms {
		t.Errorf("%+v, %v", r, err)
	}
}

// There are 2^60 paths through these rounds, but few states.
func TestManyBreaks(t *testing.T) {
	s := spec(t, "loop 60 times", "alt", "A->>A: x", "break", "A->>A: y", "end", "else", "A->>A: z", "end", "end")
	r, err := s.Check(t.Context(), read(t, `{"process":"A","label":"x"}`, `{"process":"A","label":"z"}`), conform.Options{})
	if err != nil || r.Verdict != scenario.Unfinished {
		t.Errorf("%+v, %v", r, err)
	}
}

// A note covers everything that its process does, on any lifeline: it holds before x here, and not
// after it.
func TestTwoLifelines(t *testing.T) {
	trace := read(t, `{"process":"A"}`, `{"process":"w1","init":{"n":0}}`, `{"process":"w1","label":"begins","set":{"n":1}}`,
		`{"process":"A","send":"x"}`, `{"process":"w1","recv":"x","set":{"n":2}}`, `{"process":"w1","label":"ends"}`)
	for _, test := range []struct {
		diagram  []string
		vertical bool
		want     scenario.Verdict
	}{
		{[]string{"M->>M: begins", "Note over M: n == 1", "A->>W: x", "M->>M: ends"}, false, scenario.Conforms},
		{[]string{"W->>W: begins", "A->>W: x", "Note over M: n == 1", "W->>W: ends"}, false, scenario.Conforms},
		{[]string{"W->>W: begins", "A->>W: x", "Note over M: n == 1", "W->>W: ends"}, true, scenario.Violated},
		{[]string{"A->>W: x", "M->>M: begins", "Note over M: n == 1", "M->>M: ends"}, false, scenario.Conforms},
	} {
		lines := append([]string{"participant A", "participant W as w*", "participant M as w1"}, test.diagram...)
		r, err := spec(t, lines...).Check(t.Context(), trace, conform.Options{Vertical: test.vertical})
		if err != nil || r.Verdict != test.want {
			t.Errorf("%q, vertical %v: %v, %q", test.diagram, test.vertical, err, r.Details())
		}
	}
}

// Messages of two values look alike, but only one of the processes has the variable of the note.
func TestShapeOfNotes(t *testing.T) {
	s := spec(t, "participant A", "participant W as w*", "A->>W: x", "Note over W: n == 1", "A->>W: y")
	trace := read(t, `{"process":"A"}`, `{"process":"w1","init":{"n":1}}`, `{"process":"w2"}`,
		`{"process":"A","send":"1","label":"x","set":{"req":1}}`, `{"process":"A","send":"2","label":"y","set":{"req":1}}`,
		`{"process":"A","send":"3","label":"x","set":{"req":2}}`, `{"process":"A","send":"4","label":"y","set":{"req":2}}`,
		`{"process":"w2","recv":"1"}`, `{"process":"w1","recv":"2","set":{"n":0}}`,
		`{"process":"w1","recv":"3"}`, `{"process":"w2","recv":"4"}`)
	r, err := s.Check(t.Context(), trace, conform.Options{Each: "req", First: 2})
	if err != nil || r.Counts["by luck"] != 1 || r.Counts["violated"] != 1 {
		t.Errorf("%v, %q", err, r.Details())
	}
}

// An occurrence on a lifeline is compared with those after it there, whatever happens elsewhere.
func TestOtherLifelines(t *testing.T) {
	s := spec(t, "participant A as a*", "participant C as c*", "A->>A: x", "C->>C: w", "A->>A: y", "C->>C: v")
	trace := read(t, `{"process":"a1","label":"x"}`, `{"process":"c1","label":"w"}`, `{"process":"a2","label":"y"}`, `{"process":"c2","label":"v"}`)
	r, err := s.Check(t.Context(), trace, conform.Options{})
	if err != nil || r.Verdict != scenario.ByLuck || len(r.Findings[0].Pairs) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}
