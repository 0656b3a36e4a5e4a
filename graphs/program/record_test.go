package program_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/programtest"
)

// Every run of the computation of a random walk is a run of the program, through states
// that have the values which the computation gives the cuts.
func TestRecordedWalksAreRuns(t *testing.T) {
	events, others := 0, 0
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 20))
		p := programtest.Random(r)
		steps := walk(r, p, 12)
		lengths := r.IntN(2) == 0
		recorded, err := program.Record(p, steps, func(string) bool { return lengths })
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		c := recorded.Computation
		cut := c.Initial()
		for _, events := range recorded.Steps {
			if !c.Enabled(cut, events[0]) {
				t.Fatalf("seed %d: the steps are not a run", seed)
			}
			cut = c.Execute(cut, events[0])
			for _, e := range events {
				if !c.Has(cut, e) {
					t.Fatalf("seed %d: the events of a step do not happen together", seed)
				}
			}
		}
		for range 4 {
			others += follow(t, r, p, c, steps)
		}
		events += c.NumEvents()
	}
	t.Logf("%d events, %d steps out of the order in which they were taken", events, others)
}

func walk(r *rand.Rand, p program.Program, n int) (steps []program.Transition) {
	s := p.Initial(nil)
	for len(steps) < n {
		var list []program.Transition
		for q := range p.Layout().Processes {
			list = p.Enabled(s, q, list)
		}
		if len(list) == 0 {
			break
		}
		step := list[r.IntN(len(list))]
		steps = append(steps, step)
		s, _ = p.Apply(s, step, nil)
	}
	return steps
}

// follow executes the events of c in a random order, and the steps they are of, and
// returns how many come before an earlier one.
func follow(t *testing.T, r *rand.Rand, p program.Program, c *graphs.Computation, steps []program.Transition) (others int) {
	t.Helper()
	l := p.Layout()
	of := make([][]int, len(l.Processes)) // by process: its steps
	for i, step := range steps {
		of[l.Actions[step.Action].Process] = append(of[l.Actions[step.Action].Process], i)
		if step.Partner != program.NoPartner {
			q := l.Actions[step.Partner].Process
			of[q] = append(of[q], i)
		}
	}
	cut, s, latest := c.Initial(), p.Initial(nil), -1
	for range steps {
		var enabled []int
		for q := range l.Processes {
			if int(cut[q]) < c.Len(q) && c.Enabled(cut, c.Event(q, int(cut[q])+1)) {
				enabled = append(enabled, q)
			}
		}
		q := enabled[r.IntN(len(enabled))]
		i := of[q][cut[q]]
		if i < latest {
			others++
		}
		latest = max(latest, i)
		found := false
		for _, step := range p.Enabled(s, l.Actions[steps[i].Action].Process, nil) {
			found = found || step == steps[i]
		}
		if !found {
			t.Fatalf("step %d is not enabled", i)
		}
		s, _ = p.Apply(s, steps[i], nil)
		cut = c.Execute(cut, c.Event(q, int(cut[q])+1))
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
			if got, want := c.Variable(k, program.At).At(c, cut).Text(), l.LabelAt(k, p.Location(s, k)); got != want {
				t.Fatalf("process %d is at %s and not %s", k, got, want)
			}
		}
	}
	return others
}
