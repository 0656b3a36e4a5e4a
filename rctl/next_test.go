package rctl

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/rctltest"
)

// nextText writes EX and AX of each other and of formulas without them.
func nextText(r *rand.Rand, c *graphs.Computation, depth int) string {
	if depth == 0 {
		for {
			if text := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Depth: 2}); !strings.Contains(text, "X") {
				return "(" + text + ")"
			}
		}
	}
	next := []string{"EX", "AX"}[r.IntN(2)] + "(" + nextText(r, c, depth-1)
	if r.IntN(2) == 0 {
		next += []string{" && ", " || ", " -> ", " <-> "}[r.IntN(4)] + nextText(r, c, r.IntN(depth))
	}
	return next + ")"
}

// What is remembered of cuts that follow each other is what brute force says of them.
func TestNearby(t *testing.T) {
	tally := make(graphtest.Tally)
	n := graphtest.Rounds(t, 1500)
	for _, s := range graphtest.Samples(n, 91, graphtest.DefaultConfig, true) {
		text := nextText(s.Rand, s.Computation, 1+s.Rand.IntN(3))
		f, err := rctltest.Resolve(s.Computation, text)
		if err != nil {
			t.Fatal(err)
		}
		want := engine.VerdictOf(rctltest.Holds(s.Lattice, f)[s.Lattice.Index(s.Initial())])
		res, err := Check(context.Background(), s.Computation, f, Options{Evidence: s.Rand.IntN(2) == 0})
		if err != nil || res.Verdict != want {
			t.Fatalf("%s: %v (%v), brute force says %v", text, res, err, want)
		}
		tally[want.String()]++
	}
	tally.Check(t, n/4, "holds", "fails")
}

// A formula that sees little is decided at one cut for many of those after two steps.
func TestNearbyIsShared(t *testing.T) {
	c := enginetest.Exclusive(40, 4000, false)
	first := 0
	for p := range c.NumProcesses() {
		if _, ok := c.Next(c.Initial(), p); ok {
			first++
		}
	}
	for _, text := range []string{"AX(AX(EG(!cs@P1 || !cs@P2)))", "EX(EX(EF(cs@P1 && cs@P2)))", "AX(AX(EG(forall i: x@i >= 0)))"} {
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		k := newChecker(context.Background(), c, regular.NewMemo(), Options{Cores: 1})
		k.nexts = newNextMemo(k)
		if a := k.decide(k.Normal(f)); a.Verdict == Unknown || len(k.nexts.known) > first+4 {
			t.Errorf("%s: %v, decided at %d cuts, of which %d are those after one step", text, a.Verdict, len(k.nexts.known), first)
		}
	}
}

// Of thousands of cuts that come next, which take memory in proportion to the processes each, few
// are looked at.
func TestManyNext(t *testing.T) {
	c := enginetest.Exclusive(10_000, 20_000, false)
	f, err := rctltest.Resolve(c, "EX(cs@P1 || EF(cs@P2 && cs@P3))")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := Check(context.Background(), c, f, Options{Cores: 1})
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err != nil || res.Verdict != Fails || took > 64<<20 {
		t.Errorf("%v (%v), after %d MiB", res, err, took>>20)
	}
}

func BenchmarkNearby(b *testing.B) {
	c := enginetest.Exclusive(100, 1_000_000, false)
	for _, text := range []string{"AX(EG(!cs@P1 || !cs@P2))", "AX(AX(EG(!cs@P1 || !cs@P2)))", "AX(AX(EG(forall i: x@i >= 0)))"} {
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				if res, err := Check(context.Background(), c, f, Options{}); err != nil || res.Verdict != Holds {
					b.Fatal(res, err)
				}
			}
		})
	}
}
