package programtest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/program"
)

// Records checks that every run of the computation of a random walk of n steps is a run of the
// program, through states with the values that the cuts of the computation have. lengths marks the
// recorded ones among variables with several objects. It returns how many events there are, and how
// many come before an earlier one in the runs it looks at.
func Records(t testing.TB, r *rand.Rand, p program.Program, n int, lengths bool) (events,
	others int) {
	t.Helper()
	// A walk that meets something undefined is a run up to there.
	steps, _ := program.Walk(t.Context(), p, r.Uint64(), n)
	recorded, err := program.Record(p, steps, func(string) bool { return lengths })
	if err != nil {
		t.Fatal(err)
	}
	c := recorded.Computation
	cut := c.Initial()
	of := make(map[graphs.Event]int)
	for i, events := range recorded.Steps {
		if !c.Enabled(cut, events[0]) {
			t.Fatal("the steps are not a run")
		}
		cut = c.Execute(cut, events[0])
		for _, e := range events {
			if of[e] = i; !c.Has(cut, e) {
				t.Fatal("the events of a step do not happen together")
			}
		}
	}
	for range 4 {
		others += follow(t, r, p, c, steps, of)
	}
	return c.NumEvents(), others
}

// follow executes the events of c, each of a step, in a random order, and returns how many
// come before an earlier one.
func follow(t testing.TB, r *rand.Rand, p program.Program, c *graphs.Computation,
	steps []program.Transition, of map[graphs.Event]int) (others int) {
	t.Helper()
	l := p.Layout()
	cut, s, latest := c.Initial(), p.Initial(nil), -1
	for range steps {
		var enabled []graphs.Event
		for q := range l.Processes {
			if k := int(cut[q]); k < c.Len(q) && c.Enabled(cut, c.Event(q, k+1)) {
				enabled = append(enabled, c.Event(q, k+1))
			}
		}
		e := enabled[r.IntN(len(enabled))]
		i := of[e]
		if i < latest {
			others++
		}
		latest = max(latest, i)
		if !slices.Contains(p.Enabled(s, l.Actions[steps[i].Action].Process, nil), steps[i]) {
			t.Fatalf("step %d is not enabled", i)
		}
		s, _ = p.Apply(s, steps[i], nil)
		cut = c.Execute(cut, e)
		for k, v := range l.Variables {
			x := c.Variable(v.Process, v.Name)
			if x == nil && len(v.Objects) > 1 {
				continue
			}
			if got, want := x.At(c, cut), p.Value(s, k); !got.Equal(want) {
				t.Fatalf("%s is %v and not %v", v.Name, got, want)
			}
		}
		for k := range l.Processes {
			if !l.HasLabels(k) {
				continue
			}
			if got, want := c.Variable(k, program.At).At(c, cut).Text(),
				l.LabelAt(k, p.Location(s, k)); got != want {
				t.Fatalf("process %d is at %s and not %s", k, got, want)
			}
		}
	}
	return others
}
