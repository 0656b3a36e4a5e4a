package regular

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// At later cuts nothing is sliced that was sliced before: for each operand of
// EF(x == 0 && EF(x == 1 && …)) there is a slice although there is no time to make one.
func TestLaterSlicesAreThose(t *testing.T) {
	const levels = 50
	var b graphs.Builder
	x := b.Variable(b.Process("P"), "x")
	b.Init(x, graphs.Int(0))
	var text strings.Builder
	for i := range levels {
		b.Set(x, b.Event(0), graphs.Int(int64(i+1)))
		fmt.Fprintf(&text, "EF(x@P == %d && ", i)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := rctltest.Resolve(c, text.String()+"x@P >= 0"+strings.Repeat(")", levels))
	if err != nil {
		t.Fatal(err)
	}
	memo := NewMemo()
	f = memo.Normal(f)
	if s := New(t.Context(), c, memo).Of(f); s == nil || s.Empty() {
		t.Fatal("the formula does not hold")
	}

	late, cancel := context.WithCancel(t.Context())
	cancel()
	cut := c.Initial().Clone()
	for f.Op == syntax.OpEF {
		from := c.From(cut)
		memo = memo.From()
		s := New(late, from, memo).Of(memo.Normal(f))
		if s == nil || !s.Contains(cut) || s.Of() != from {
			t.Fatalf("after %v, the slice of %s is made anew", cut, f)
		}
		f = syntax.Conjuncts(f.Sub[0])[1]
		cut[0]++
	}
	if int(cut[0]) != levels {
		t.Errorf("%d levels of %d", cut[0], levels)
	}
}
