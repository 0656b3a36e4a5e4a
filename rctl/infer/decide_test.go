package infer

import (
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// Where clocks are off by a second at most, five seconds are at most eight, not less than two, and
// nobody knows about exactly five, unless that does not matter.
func TestJudgeOfClocks(t *testing.T) {
	const text = `{"process":"p","time":0,"set":{"op":"ask"}}` + "\n" + `{"process":"q","time":5,"set":{"op":"answer"}}` + "\n"
	r := readRun(t, "run", text)
	readings, err := clocks.Read(t.Context(), r.Computation, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	model, err := readings.Skew(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	r.Times = scope.Times{Model: model}
	for bound, want := range map[string]rctl.Verdict{"8": rctl.Holds, `5 || d.op == "answer"`: rctl.Holds, "5": rctl.Unknown, "2": rctl.Fails} {
		f, err := syntax.Parse(`forall e in events(op == "ask"): exists d in events(op == "answer"): d.time - e.time <= ` + bound)
		if err != nil {
			t.Fatal(err)
		}
		j := newJudge(r, time.Hour)
		for range 2 {
			if got := j.decide(t.Context(), f); got != want {
				t.Errorf("at most %s: %s", bound, got)
			}
		}
	}
}
