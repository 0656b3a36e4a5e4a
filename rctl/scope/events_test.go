package scope

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// TestCandidates compares the events that a condition narrows down with a test of all events, and counts
// them: a request that services call by different names costs no look at all events for each binding.
func TestCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 0))
	var b graphs.Builder
	const events = 200
	for p, name := range []string{"P", "Q"} {
		b.Process(name)
		for range events {
			e := b.Event(p)
			for _, field := range []string{"req", "request", "id"} {
				if r.IntN(3) == 0 {
					b.Set(b.Variable(p, field), e, graphs.Int(int64(r.IntN(10))))
				}
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		cond   string
		narrow bool
	}{
		{`req == 3`, true},
		{`req == 3 || request == 3`, true},
		{`(req == 3 || request == 3 || id == 3) && !(id == 4)`, true},
		{`req == 3 && id == 3 || request == 3 && has(id)`, true},
		{`req == 3 && @process == "P" || false`, true},
		{`req == 3 || @process == "P"`, false},
		{`req == 3 || !(request == 3)`, false},
	} {
		f, err := syntax.Parse("EF once(" + test.cond + ")")
		if err != nil {
			t.Fatal(err)
		}
		cond := f.Sub[0].Expr.Conds[0]
		s := Of(c)
		found := s.candidates(cond)
		if narrow := len(found) <= 120; narrow != test.narrow || !slices.IsSorted(found) {
			t.Errorf("%s: %d candidates: %v", test.cond, len(found), found)
		}
		var want []graphs.Event
		holds := s.source().Test(cond)
		for e := graphs.Event(1); e < c.Top(); e++ {
			if holds(e) {
				want = append(want, e)
			}
		}
		if got := s.Where(cond); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: %v, want %v", test.cond, got, want)
		}
	}
}
