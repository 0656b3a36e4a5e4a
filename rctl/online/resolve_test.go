package online

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// assigns is an event of a process that assigns a variable.
func assigns(process, variable string, value int64) *stream.Line {
	return &stream.Line{Kind: stream.Event, Process: []byte(process), Values: []stream.Assignment{{Name: []byte(variable), Value: graphs.Int(value)}}}
}

// A name that comes to be that of several variables is refused, or decides nothing from then
// on, whenever the prefix before is decided.
func TestAmbiguous(t *testing.T) {
	f, err := syntax.Parse("EF(x == 1)")
	if err != nil {
		t.Fatal(err)
	}
	for first, want := range map[int64]rctl.Verdict{0: rctl.Unknown, 1: rctl.Holds} {
		for _, at := range []string{"once", "the end"} {
			for _, misfit := range []bool{false, true} {
				var answers []Answer
				m := New([]*syntax.Formula{f}, Options{Misfit: misfit})
				if err := m.Add(assigns("P", "x", first)); err != nil {
					t.Fatal(err)
				}
				if at == "once" {
					if answers, err = m.Decide(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				err := m.Add(assigns("Q", "x", 1))
				if !misfit {
					if err == nil || !strings.Contains(err.Error(), "x is a variable of P and Q") {
						t.Error(err)
					}
					continue
				}
				last, wrong := m.End(t.Context())
				if answers = append(answers, last...); err != nil || wrong != nil || len(answers) != 1 || answers[0].Verdict != want {
					t.Errorf("x is %d at first, decided at %s: %v, %v, %v", first, at, answers, err, wrong)
				}
			}
		}
	}
}

// Formulas are not looked at again for what they do not speak of.
func TestScopeOfFormulas(t *testing.T) {
	f, err := syntax.Parse("EF(x@last == 1 || y@P0 == 2)")
	if err != nil {
		t.Fatal(err)
	}
	m := New([]*syntax.Formula{f}, Options{})
	for i := range 1000 {
		for _, name := range []string{"x", fmt.Sprint("x", i)} {
			if err := m.Add(assigns(fmt.Sprint("P", i), name, 1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := m.stream.Scope(); n != 1 { // P0
		t.Errorf("formulas are looked at %d times", n)
	}
	for _, l := range []*stream.Line{assigns("P0", "y", 0), assigns("last", "x", 1)} {
		if err := m.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if answers, err := m.Decide(t.Context()); err != nil || len(answers) != 1 || answers[0].Verdict != rctl.Holds {
		t.Error(answers, err)
	}
}
