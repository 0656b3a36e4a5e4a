package intervals

import (
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// decideDoc decides EG or EF of a formula about P, Q and R, with a variable a each. sent says
// whether Q receives, before its own change, what P sends with its last one.
func decideDoc(t *testing.T, prepare engine.Engine, op syntax.Op, text string, sent bool, values ...[]bool) engine.Verdict {
	t.Helper()
	var b graphs.Builder
	var last graphs.Handle
	for p, name := range []string{"P", "Q"} {
		b.Process(name)
		a := b.Variable(p, "a")
		b.Init(a, graphs.Boolean(values[p][0]))
		if p == 1 {
			if received := b.Event(p); sent {
				b.Deliver(b.NewMessage(""), last, received, -1)
			}
		}
		for _, x := range values[p][1:] {
			last = b.Event(p)
			b.Set(a, last, graphs.Boolean(x))
		}
	}
	b.Init(b.Variable(b.Process("R"), "a"), graphs.Boolean(false)) // two of three are more than a conjunction
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := rctltest.Resolve(c, text)
	if err != nil {
		t.Fatal(err)
	}
	return enginetest.Decide(t, prepare, enginetest.Problem(c, true), op, f).Verdict
}

// The examples of the package's doc and of Overlap.
func TestDocs(t *testing.T) {
	for _, test := range []struct {
		sent               bool
		handover, mutually engine.Verdict
	}{
		{false, engine.Holds, engine.Holds},
		{true, engine.Fails, engine.Fails},
	} {
		v := decideDoc(t, Prepare, syntax.OpEG, "a@P || a@Q", test.sent, []bool{true, false}, []bool{false, true})
		if v != test.handover {
			t.Errorf("EG(a@P || a@Q), sent %t: %v", test.sent, v)
		}
		v = decideDoc(t, Overlap, syntax.OpEF, "(count i: a@i) >= 2", test.sent, []bool{false, true, false}, []bool{false, true, false})
		if v != test.mutually {
			t.Errorf("EF of two at once, sent %t: %v", test.sent, v)
		}
	}
}
