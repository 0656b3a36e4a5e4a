package online

import (
	"testing"

	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
)

// closing says that a process executes no more.
func closing(process string) *stream.Line {
	return &stream.Line{Kind: stream.Closing, Process: []byte(process)}
}

// A verdict is final as soon as no process can change it, before the execution ends. A cut shows it
// where that is enough.
func TestFinalOnceClosed(t *testing.T) {
	both := []*stream.Line{event("A", 1, "", ""), event("B", 1, "", "")}
	for _, x := range []struct {
		formula string
		lines   []*stream.Line
		want    rctl.Verdict
		shown   bool
	}{
		{"AG(x@A == 1 && x@B == 1 -> EF(x@A == 2 && x@B == 2))", append(both, event("A", 2, "", ""), event("B", 2, "", "")), rctl.Holds, false},
		{"AG(x@A == 1 && x@B == 1 -> EF(x@A == 2 && x@B == 2))", both, rctl.Fails, false},
		{"AF(x@A == 1 && x@B == 1)", []*stream.Line{event("A", 1, "", ""), event("A", 0, "", "")}, rctl.Fails, false},
		{"EG(x@A != 1 || x@B != 1)", []*stream.Line{event("A", 1, "", ""), event("A", 0, "", "")}, rctl.Holds, false},
		{"EF x@A == 1 && AG x@B != 1", both, rctl.Fails, true},
		{"EF x@A == 1 && EF x@B == 1", both, rctl.Holds, false},
		{"EF x@A == 1 || AG x@B != 1", both, rctl.Holds, true},
		{"AG x@A != 1 || AG x@B != 1", both, rctl.Fails, false},
	} {
		m := declared(t, x.formula, Options{})
		add(t, m, x.lines...)
		add(t, m, closing("A"), closing("B"))
		answers, err := m.Decide(t.Context())
		if err != nil || len(answers) != 1 || answers[0].Verdict != x.want || (answers[0].Cut != nil) != x.shown {
			t.Errorf("%s: %v, %v, want %s", x.formula, answers, err, x.want)
		}
	}
}

// An obligation is met by an answer that ends after it has heard of it, also where that is the first
// event of a window: A asks and stops asking while B answers, and B stops once it has heard.
func TestAnswerEndsInTheNextWindow(t *testing.T) {
	m := declared(t, "AG(x@A == 1 -> AF x@B == 1)", Options{})
	add(t, m, event("B", 1, "", ""))
	decide(t, m)
	add(t, m, event("A", 1, "", ""), event("A", 0, "m", ""))
	decide(t, m)
	add(t, m, event("B", 0, "", "m"))
	decide(t, m)
	if open := m.Obligations(0); len(open) > 0 {
		t.Errorf("open are %v", open)
	}
	if answers, err := m.End(t.Context()); err != nil || len(answers) != 1 || answers[0].Verdict != rctl.Holds {
		t.Error(answers, err)
	}
}

// A run that has begun shows a formula in which EF and AG are mixed, while all processes may go on.
func TestFinalWhileOpen(t *testing.T) {
	for formula, want := range map[string]rctl.Verdict{
		"EF(x@A == 1 && (EF x@B == 1 || AG x@A == 1))": rctl.Holds,
		"AG(x@A == 1 -> AG x@B != 1 && EF x@A != 1)":   rctl.Fails,
	} {
		m := declared(t, formula, Options{})
		add(t, m, event("A", 1, "", ""))
		decide(t, m)
		add(t, m, event("B", 1, "", ""))
		if answers, err := m.Decide(t.Context()); err != nil || len(answers) != 1 || answers[0].Verdict != want || answers[0].Events != 2 {
			t.Errorf("%s: %v, %v, want %s", formula, answers, err, want)
		}
	}
}
