package certify_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
)

// What is decided again is decided as by brute force, by another engine than the one that is
// left out, and by the same each time.
func TestAgain(t *testing.T) {
	ctx := context.Background()
	n := graphtest.RoundsUpTo(t, 1000, 50_000)
	for i := range n / 4 {
		r := rand.New(rand.NewPCG(73, uint64(i)))
		pair(r, 4, func(c *graphs.Computation, l *graphtest.Lattice, text string) {
			f, err := rctltest.Resolve(c, text)
			if err != nil {
				t.Fatal(err)
			}
			but := rctl.Engines()[1+r.IntN(len(rctl.Engines())-1)]
			for _, steps := range []int64{0, certify.StepsAgain(c.NumEvents()), 1 + r.Int64N(1<<12)} {
				res, err := certify.Again(ctx, c, f, but, steps, 1<<20, 1<<24)
				if err != nil || res == nil && steps == 0 {
					t.Fatalf("pair %d: %s in %d steps by none but %s (%v)", i, text, steps, but, err)
				}
				if res == nil {
					continue
				}
				if v := verdict(t, c, l, text); res.Verdict != v || res.Engine.String() == but {
					t.Fatalf("pair %d: %s is %s, by engine %s and not %s it is %s", i, text, v, res.Engine, but, res.Verdict)
				}
				if again, err := certify.Again(ctx, c, f, but, steps, 1<<20, 1<<24); err != nil || again == nil || again.Engine != res.Engine {
					t.Fatalf("pair %d: %s in %d steps by engine %s, and then %v (%v)", i, text, steps, res.Engine, again, err)
				}
			}
		})
	}
}

// What takes more steps than there are is not decided.
func TestAgainInFewSteps(t *testing.T) {
	c := enginetest.Exclusive(4, 400, false)
	f, err := rctltest.Resolve(c, "AG((count i: cs@i) != 3)")
	if err != nil {
		t.Fatal(err)
	}
	for _, steps := range []int64{0, 10} {
		res, err := certify.Again(context.Background(), c, f, "flow", steps, 1<<28, 1<<28)
		if err != nil || (res == nil) != (steps > 0) {
			t.Errorf("%d steps: %v (%v)", steps, res, err)
		}
	}
}
