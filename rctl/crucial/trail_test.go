package crucial

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/programtest"
	"github.com/pota-project/pota/rctl/internal/engine"
)

// Trails are runs of the program that show the formula, and those of untils are the
// shortest there are.
func TestTrails(t *testing.T) {
	trails, cycles, dead := 0, 0, 0
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 19))
		p := compile(t, programtest.Random(r))
		g := explore(p, 2000)
		if g == nil {
			continue
		}
		kept, goal := predicate(r, g, 1), predicate(r, g, 2)
		switch r.IntN(3) {
		case 0:
			kept.text, kept.in = "true", func(g *graph) []bool { return g.each(func(int) bool { return true }) }
		case 1:
			goal = conjunction(kept, goal)
		}
		is, does := kept.in(g), goal.in(g)
		for i := range g.states {
			is[i], does[i] = is[i] || g.held(i), does[i] && !g.held(i)
		}
		f := formula{"E[" + kept.text + " U " + goal.text + "]", nil}
		wait := r.IntN(2) == 0
		if !wait {
			f.text = "E[" + goal.text + " R " + kept.text + "]"
		}
		parsed, err := resolve(t.Context(), p, f.text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Check(t.Context(), p, parsed, Options{Trail: true})
		if err != nil {
			t.Fatal(err)
		}
		sideBySide = 1
		again, err := Check(t.Context(), p, parsed, Options{Trail: true})
		sideBySide = 1 << 12
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("seed %d: %s: side by side %+v, %v, and not %+v", seed, f.text, again, err, got)
		}
		if got.Verdict != engine.Holds {
			if got.Trails != nil {
				t.Fatalf("seed %d: %s fails, and has a trail", seed, f.text)
			}
			continue
		}
		if len(got.Trails) == 0 { // a constant was made of it
			continue
		}
		trails++
		trail := got.Trails[0]
		at := replay(t, g, trail.Steps)
		last := at[len(at)-1]
		for _, i := range at[:len(at)-1] {
			if !is[i] {
				t.Fatalf("seed %d: %s is not kept", seed, kept.text)
			}
		}
		switch {
		case wait:
			if d := g.distance(is, does); !does[last] || d != len(trail.Steps) {
				t.Fatalf("seed %d: %s: a trail of %d steps and not %d to %t", seed, f.text, len(trail.Steps), d, does[last])
			}
		case !is[last]:
			t.Fatalf("seed %d: %s is not kept to the end", seed, kept.text)
		case trail.Cycle >= 0:
			cycles++
			if at[trail.Cycle] != last {
				t.Fatalf("seed %d: the cycle is not one", seed)
			}
		case trail.Deadlock:
			dead++
			if len(g.next[last]) > 0 {
				t.Fatalf("seed %d: the deadlock is not one", seed)
			}
		case !does[last]:
			t.Fatalf("seed %d: %s: the goal is not reached", seed, f.text)
		}
	}
	t.Logf("%d trails, %d with a cycle, %d to a deadlock", trails, cycles, dead)
}

// replay executes steps, and returns the numbers of the states.
func replay(t *testing.T, g *graph, steps []program.Transition) []int {
	t.Helper()
	at := []int{0}
	for _, step := range steps {
		s := g.states[at[len(at)-1]]
		if !slices.Contains(g.program.Enabled(s, int(g.program.Layout().Actions[step.Action].Process), nil), step) {
			t.Fatalf("%v is not enabled", step)
		}
		s, _ = g.program.Apply(s, step, nil)
		at = append(at, slices.IndexFunc(g.states, func(o []byte) bool { return slices.Equal(o, s) }))
	}
	return at
}

// distance returns how many steps the nearest state of q is away, through states of p.
func (g *graph) distance(p, q []bool) int {
	seen := make([]bool, len(g.states))
	for level, d := []int{0}, 0; len(level) > 0; d++ {
		var next []int
		for _, i := range level {
			switch {
			case q[i]:
				return d
			case p[i]:
				for _, j := range g.next[i] {
					if !seen[j] {
						seen[j] = true
						next = append(next, j)
					}
				}
			}
		}
		level = next
	}
	return -1
}
