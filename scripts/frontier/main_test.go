package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
)

// On small computations the verdicts on the formulas of every family are those of
// brute force.
func TestAgainstBruteForce(t *testing.T) {
	h := harness{limit: time.Minute}
	tally := make(map[string]int)
	n := graphtest.Rounds(t, 400)
	for i := range n {
		r := rand.New(rand.NewPCG(41, uint64(i)))
		family := families[i%len(families)]
		c := computation(r, 3, 4, 0.3)
		text := family.draw(writer{r, 3, c})
		res, _, err := h.decide(c, text)
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		f, err := graphtest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		l := graphtest.NewLattice(c)
		want := rctl.Fails
		if l.Holds(f)[l.Initial] {
			want = rctl.Holds
		}
		if res.Verdict != want {
			t.Fatalf("case %d: %s: %s, brute force says %s", i, text, res.Verdict, want)
		}
		tally[want.String()]++
	}
	if tally["holds"] < n/5 || tally["fails"] < n/5 {
		t.Error(tally)
	}
}

// Where there are too many cuts for brute force, but not for enumeration, the verdicts
// are those of the latter.
func TestAgainstEnumeration(t *testing.T) {
	h := harness{limit: time.Minute}
	tally := make(map[string]int)
	n := graphtest.Rounds(t, 200)
	for i := range n {
		r := rand.New(rand.NewPCG(47, uint64(i)))
		family := families[i%len(families)]
		c := computation(r, 5, 7, 0.3)
		text := family.draw(writer{r, 5, c})
		res, _, err := h.decide(c, text)
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		f, err := graphtest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		want, err := rctl.Check(t.Context(), c, f, rctl.Options{Engine: rctl.Explicit})
		if err != nil {
			t.Fatal(err)
		}
		if res.Verdict != want.Verdict {
			t.Fatalf("case %d: %s: %s by %s, enumeration says %s", i, text, res.Verdict, res.Engine, want.Verdict)
		}
		tally[res.Engine.String()]++
		tally[want.Verdict.String()]++
	}
	t.Log(tally)
	for _, want := range []string{"holds", "fails", "local", "ends"} {
		if tally[want] < n/50 {
			t.Errorf("%s: only %d of %d", want, tally[want], n)
		}
	}
}
