package online

import (
	"fmt"
	"maps"
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

// A formula with a name that comes to be that of several variables is not decided from then on,
// whenever the prefix before is decided.
func TestAmbiguous(t *testing.T) {
	f, err := syntax.Parse("EF(x == 1)")
	if err != nil {
		t.Fatal(err)
	}
	for first, want := range map[int64]rctl.Verdict{0: rctl.Unknown, 1: rctl.Holds} {
		for _, at := range []string{"once", "the end"} {
			var answers []Answer
			m := New([]*syntax.Formula{f}, Options{})
			if err := m.Add(assigns("P", "x", first)); err != nil {
				t.Fatal(err)
			}
			if at == "once" {
				if answers, err = m.Decide(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			err := m.Add(assigns("Q", "x", 1))
			last, wrong := m.End(t.Context())
			if answers = append(answers, last...); err != nil || wrong != nil || len(answers) != 1 || answers[0].Verdict != want {
				t.Fatalf("x is %d at first, decided at %s: %v, %v, %v", first, at, answers, err, wrong)
			}
			if why := answers[0].Misfit; (want == rctl.Unknown) != (why != nil && strings.Contains(why.Error(), "x is a variable of P and Q")) {
				t.Errorf("x is %d at first, decided at %s: %v", first, at, why)
			}
		}
	}
}

// A formula that does not fit is told as soon as that is known, also by a monitor that was saved in
// between, and others are decided.
func TestMisfit(t *testing.T) {
	var formulas []*syntax.Formula
	for _, text := range []string{"EF(x@C == 1)", "EF(x@P == 1)", "forall i: EF(z@i == 1)"} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		formulas = append(formulas, f)
	}
	for _, declared := range []bool{false, true} {
		{
			opts := Options{Options: stream.Options{Declared: declared}}
			m := New(formulas, opts)
			for _, l := range []*stream.Line{{Kind: stream.Declaration, Process: []byte("P"), Values: assigns("P", "x", 0).Values}, assigns("P", "x", 1)} {
				if err := m.Add(l); err != nil {
					t.Fatal(err)
				}
			}
			got := make(map[int]string)
			note := func(answers []Answer, err error) {
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range answers {
					got[a.Property] = a.Verdict.String()
					if a.Misfit != nil {
						got[a.Property] = a.Misfit.Error()
					}
				}
			}
			note(m.Decide(t.Context()))
			if early := len(got); (early == 3) != declared {
				t.Errorf("declared %v: %d answers before the end", declared, early)
			}
			note(m.End(t.Context()))
			want := map[int]string{
				0: `1:6: there is no process C (a name for any process is bound by forall C: … or exists C: …; the only process is P)`,
				1: "holds", 2: "1:14: there is no variable z (the only variable of P is x)",
			}
			if !maps.Equal(got, want) {
				t.Errorf("declared %v: %v", declared, got)
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

// What cannot be resolved where all of its names are known is not tried again with each process that joins.
func TestTriedOnce(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "AG(x == true)")}, Options{})
	for p := range 3 {
		add(t, m, assigns(fmt.Sprint("P", p), "x", 1))
	}
	if want := "x is a number and true is a Boolean: they cannot be compared"; m.Answer(0).Reason != want {
		t.Errorf("%q, want %q", m.Answer(0).Reason, want)
	}
}
