package online

import (
	"testing"
	"time"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// What closed conditions say of the past are variables: a count is a number, and once and between are truth values. An
// answer comes with the event that shows it.
func TestColumns(t *testing.T) {
	for text, want := range map[string]int64{
		`AG(events(op == "a")@P0 <= 1)`:                               3,
		`AG(events(op == "a")@P1 <= 1)`:                               0,
		`AG(!once(op == "b")@P0)`:                                     2,
		`AG(!between(op == "b", op == "a")@P0)`:                       2,
		`AG(between(op == "b", op == "a")@P0 -> !once(op == "c")@P0)`: 0,
	} {
		m := New([]*syntax.Formula{parsed(t, text)}, Options{})
		all := []stamped{{op: "a", from: -1}, {op: "b", from: -1}, {op: "a", from: -1}, {op: "c", from: -1}, {process: 1, op: "a", from: -1}}
		for i := range all {
			if err := m.Add(stampedLine(all, i)); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Decide(t.Context()); err != nil {
				t.Fatal(err)
			}
			if a := m.Answer(0); a.Final != (want > 0 && int64(i) >= want-1) || a.Final && (a.Verdict != rctl.Fails || a.Events != want) {
				t.Fatalf("%s: %v after %d events", text, a, i+1)
			}
		}
	}
}

// The skew of clocks matters to bounds on time alone: other formulas need no times.
func TestSkewOfOthers(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, `forall e in events(op == "a"): exists f in events(op == "b"): e before f`)}, Options{Skew: time.Second})
	all := []stamped{{op: "a", from: -1}, {op: "b", from: -1}}
	for i := range all {
		l := stampedLine(all, i)
		l.Time = nil
		if err := m.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.End(t.Context()); err != nil || m.Answer(0).Verdict != rctl.Holds {
		t.Error(m.Answer(0), err)
	}
}
