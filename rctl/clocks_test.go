package rctl_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// clocked returns a random computation of a few events that assign k and have times in seconds.
func clocked(t testing.TB, r *rand.Rand) *graphs.Computation {
	var b graphs.Builder
	n := 1 + r.IntN(3)
	for p := range n {
		b.Process("P" + strconv.Itoa(p))
	}
	for i := range 2 + r.IntN(3) {
		p := r.IntN(n)
		h := b.Event(p)
		if i > 0 && r.IntN(3) == 0 {
			if e := graphs.Handle(r.IntN(i)); b.ProcessOf(e) != p {
				b.Order(e, h)
			}
		}
		b.Set(b.Variable(p, "k"), h, graphs.Int(int64(r.IntN(2))))
		b.SetTime(h, strconv.Itoa(max(0, min(4, i-1+r.IntN(3)))))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// timedFormula returns a formula about times of the events e and d.
func timedFormula(r *rand.Rand, depth int) string {
	if depth > 0 && r.IntN(3) > 0 {
		p, q := timedFormula(r, depth-1), timedFormula(r, depth-1)
		return []string{"!(" + p + ")", "(" + p + ") && (" + q + ")", "(" + p + ") || (" + q + ")", "(" + p + ") -> (" + q + ")"}[r.IntN(4)]
	}
	rel := []string{"<", "<=", ">", ">=", "==", "!="}[r.IntN(6)]
	n := r.IntN(5)
	c := strconv.Itoa(n) + "s"
	return []string{
		"d.time - e.time " + rel + " " + c,
		"d.time - e.time " + rel + " " + c,
		c + " " + rel + " e.time - d.time",
		"2 * d.time " + rel + " 2 * (e.time + " + c + ")",
		"-" + c + " <= d.time - e.time " + rel + " " + c,
		strconv.Itoa(n+r.IntN(2)) + "s <= d.time - e.time < " + c, // which no number meets
		"e.time " + rel + " " + c,
		"e before d",
		"EF(e && !d)",
		"AG(d -> e)",
	}[r.IntN(10)]
}

// A verdict where clocks are not believed is one for all times that the model allows. One comparison
// alone under forall, or under exists, is decided exactly, unless != is one of its two bounds.
func TestClocksTwin(t *testing.T) {
	t.Parallel()
	var holds, fails, open int
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 35))
		c := clocked(t, r)
		bound := r.IntN(3)
		readings, err := clocks.Read(t.Context(), c, time.Second)
		if errors.Is(err, clocks.ErrNoTimes) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		model, err := readings.Skew(time.Duration(bound) * time.Second)
		if err != nil {
			continue // which TestIntervalsTwin checks
		}
		ordered, err := model.Ordered(t.Context())
		if err != nil {
			t.Fatal(err)
		}

		quantifiers := [2]string{[]string{"forall", "exists"}[r.IntN(2)], []string{"forall", "exists"}[r.IntN(2)]}
		depth := r.IntN(3)
		text := fmt.Sprintf("%s e in events(k == %d): %s d in events(k == %d || k == %d): %s",
			quantifiers[0], r.IntN(2), quantifiers[1], r.IntN(2), r.IntN(2), timedFormula(r, depth))
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var verdicts [2]bool // with all against the formula, and in its favour
		depends := false
		for i := range verdicts {
			times := scope.Times{Model: model, InFavour: i == 1}
			res, err := rctl.ResolveWith(t.Context(), ordered, f, times)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			l := graphtest.NewLattice(res.Computation)
			verdicts[i] = rctltest.Holds(l, res.Formula)[l.Initial]
			depends = depends || res.DependsOnClocks
			found, err := bindings.Check(t.Context(), ordered, f, bindings.Options{Times: times})
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			if found.Verdict == rctl.Holds != verdicts[i] || found.DependsOnClocks != res.DependsOnClocks {
				t.Fatalf("seed %d: %s: %s by binding (depends: %t), %t (%t) as a whole", seed, text, found.Verdict, found.DependsOnClocks, verdicts[i], res.DependsOnClocks)
			}
		}

		x := &expander{Lattice: graphtest.NewLattice(ordered), envs: map[*syntax.Expr]map[string]thing{}}
		g := x.expand(f, nil)
		always, never := true, true
		reading := func(e int) int {
			at, _, _ := c.Instant(graphs.Event(e), 1)
			return int(at)
		}
		graphtest.TrueTimes(c, 8, func(at []int) bool {
			for e := 1; e < len(at); e++ {
				if at[e] < reading(e) || at[e] > reading(e)+bound {
					return false
				}
			}
			return true
		}, func(at []int) {
			x.time = func(e graphs.Event) *big.Rat { return big.NewRat(int64(at[e]), 1) }
			v := rctltest.HoldsBy(x.Lattice, g, x.at)[x.Initial]
			always = always && v
			never = never && !v
		})
		exact := depth == 0 && !strings.Contains(text, "<= d.time - e.time !=")
		switch {
		case verdicts[0] && !always, !verdicts[1] && !never, verdicts[0] && !verdicts[1], !depends && verdicts[0] != verdicts[1]:
			t.Fatalf("seed %d, bound %d: %s: against %t, in favour %t, depends %t, but always %t, never %t", seed, bound, text, verdicts[0], verdicts[1], depends, always, never)
		case exact && quantifiers == [2]string{"forall", "forall"} && verdicts[0] != always,
			exact && quantifiers == [2]string{"exists", "exists"} && !verdicts[1] != never:
			t.Fatalf("seed %d, bound %d: %s: against %t, in favour %t, but always %t, never %t", seed, bound, text, verdicts[0], verdicts[1], always, never)
		case verdicts[0]:
			holds++
		case !verdicts[1]:
			fails++
		default:
			open++
		}
	}
	if holds == 0 || fails == 0 || open == 0 {
		t.Errorf("%d hold, %d fail, %d are open", holds, fails, open)
	}
}
