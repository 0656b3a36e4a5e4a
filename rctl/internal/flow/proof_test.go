package flow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/internal/flow"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// No sum is more than the greatest at any cut, or less than the least, which flows show, in one
// case or in many.
func TestCasesAgainstBruteForce(t *testing.T) {
	many, cases := 0, graphtest.Rounds(t, 400)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 23))
		defer flow.SetWindows(1+r.IntN(2), 2)()
		c := graphtest.Random(r, graphtest.Config{Processes: 2 + r.IntN(2), Events: 10 + r.IntN(12), Kinds: graphtest.DefaultConfig.Kinds})
		l := graphtest.NewLattice(c)
		if r.IntN(3) == 0 {
			c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
		}
		var of []string
		for _, v := range c.Variables() {
			whole := v.Kind == graphs.Number
			for k := -1; whole && k < len(v.Events()); k++ {
				whole = !v.Value(k).Float
			}
			if whole && v.Process != graphs.Shared {
				of = append(of, fmt.Sprintf("%d * %s@%q", r.IntN(7)-3, v.Name, c.Processes()[v.Process]))
			}
		}
		of = append(of, "(sum i: sum j: transit(i, j))")
		sum, rel, step := strings.Join(of, " + "), "<=", -1
		if r.IntN(2) == 0 {
			rel, step = ">=", 1
		}
		holds := func(bound int) bool {
			f, err := rctltest.Resolve(c, fmt.Sprintf("AG(%s %s %d)", sum, rel, bound))
			if err != nil {
				t.Fatal(err)
			}
			return rctltest.Holds(l, f)[l.Index(c.Initial())]
		}
		bound := -step * (200 - sort.Search(400, func(k int) bool { return !holds(step * (k - 200)) }) + 1)
		f, err := syntax.Parse(fmt.Sprintf("AG(%s %s %d)", sum, rel, bound))
		if err != nil {
			t.Fatal(err)
		}
		p, err := certify.Proof(context.Background(), rctl.NewSession(c), c, f, &rctl.Result{Verdict: rctl.Holds})
		if err != nil || p == nil {
			t.Fatalf("case %d: %s: no proof (%v)", i, f, err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		switch split := strings.Contains(string(text), `"split"`); {
		case split && !strings.Contains(string(text), `"flow"`) || strings.Contains(string(text), `"look"`):
			t.Fatalf("case %d: %s by %s", i, f, text)
		case split:
			many++
		}
	}
	if many < cases/10 {
		t.Errorf("only %d of %d in several cases", many, cases)
	}
}
