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
