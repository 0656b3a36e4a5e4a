package explain_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// requests has events of up to three processes that assign op and req, with messages between them.
func requests(r *rand.Rand) *graphs.Computation {
	b := new(graphs.Builder)
	for p := range 2 + r.IntN(2) {
		name := fmt.Sprintf("P%d", p+1)
		op, req := b.Variable(b.Process(name), "op"), b.Variable(b.Process(name), "req")
		b.Init(op, graphs.Str(""))
		b.Init(req, graphs.Str(""))
		for range 1 + r.IntN(3) {
			h := b.Event(p)
			b.Set(op, h, graphs.Str([]string{"recv", "done"}[r.IntN(2)]))
			b.Set(req, h, graphs.Str([]string{"r1", "r2"}[r.IntN(2)]))
			if p > 0 && r.IntN(2) == 0 {
				b.Order(graphs.Handle(r.IntN(int(h))), h)
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// RECV and DONE stand for once(op == "recv" && req == r) and the like.
var dataFormulas = []string{
	"forall r in values(req): AG(RECV -> AF DONE)",
	"forall r in values(req): AG(DONE -> RECV)",
	"exists r in values(req): EF(RECV && !DONE && EF(DONE@P1))",
	"exists r in values(req): EF(RECV@P1 && EG !DONE) || AG !DONE",
	`forall r in values(req): AG(RECV -> EF(DONE && EF(once(op == "none") || op@P1 == "done")))`,
	"forall r in values(req): AG(RECV -> AF DONE) && (AG(DONE -> RECV) && AG !(RECV && DONE))",
	"forall r in values(req): forall i: AG(RECV@i -> AF DONE)",
	`forall e in events(op == "done"): exists d in events(op == "recv" && req == e.req): AG(events(op == "done" && req == e.req) <= 1)`,
	"forall r, s in values(req): r != s -> AG(RECV -> AF(DONE || once(op == \"done\" && req == s)))",
	"AG((count r in values(req): RECV && !DONE) <= 1)",
	"EF(exists r in values(req): RECV && EG !DONE)",
	"AG(forall r in values(req): RECV -> RECV@P2) || EF(op@P1 == \"done\")",
}

// Levels tell the parts of a formula about data as they were written, unless it has several instances. Their
// verdicts are those of the parts under the binding, by brute force.
func TestDataIsTrue(t *testing.T) {
	told := make(map[string]int)
	for i := range graphtest.Rounds(t, 1500) {
		r := rand.New(rand.NewPCG(33, uint64(i)))
		c := requests(r)
		short := dataFormulas[i%len(dataFormulas)]
		text := strings.NewReplacer("RECV", `once(op == "recv" && req == r)`, "DONE", `once(op == "done" && req == r)`).Replace(short)
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		// explained checks the levels about a formula, and returns how many are about a part of it.
		explained := func(c *graphs.Computation, f, resolved *syntax.Formula, e *rctl.Evidence) (parts int) {
			lattice := graphtest.NewLattice(c)
			var check func(l *explain.Level)
			check = func(l *explain.Level) {
				if l.Formula != l.Evidence.Formula {
					parts++
					whole, err := syntax.Parse(around(f, l.Formula).String())
					if err != nil {
						t.Fatal(err)
					}
					about, part, err := rctl.Resolve(t.Context(), c, whole)
					if err != nil {
						t.Fatal(err)
					}
					if holds := rctltest.Holds(graphtest.NewLattice(about), part)[lattice.Index(l.Evidence.Start)]; holds != (l.Verdict == rctl.Holds) {
						t.Fatalf("round %d: it is said of %s that %s %s at %v", i, f, l.Text, l.Verdict, l.Evidence.Start)
					}
				}
				for _, child := range l.Children {
					check(child)
				}
			}
			check((&explain.Explainer{Of: c, Property: f, Resolved: resolved}).Explain(e))
			told[short] += parts
			return parts
		}

		found, err := bindings.Check(t.Context(), c, f, bindings.Options{First: 2, Options: rctl.Options{Evidence: true}})
		if err != nil {
			t.Fatal(err)
		}
		if found != nil {
			for _, b := range found.First {
				if b.Result.Evidence != nil {
					explained(b.Computation, b.Formula, b.Resolved, b.Result.Evidence)
				}
			}
		}
		// As a whole, it has several instances or one.
		about, resolved, err := rctl.Resolve(t.Context(), c, f)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := rctl.Check(t.Context(), about, resolved, rctl.Options{Evidence: true})
		if err != nil {
			t.Fatal(err)
		}
		if whole.Evidence != nil {
			if n := explained(about, f, resolved, whole.Evidence); f.Quant != nil && found.Total > 1 && n > 0 {
				t.Fatalf("round %d: a part of %s is told, and not of which instance", i, text)
			}
		}
	}
	for _, text := range dataFormulas {
		// The instances of quantifiers over processes are not known.
		if known := !strings.Contains(text, "forall i"); known != (told[text] > 0) {
			t.Errorf("%s: %d levels are about parts", text, told[text])
		}
	}
}

// around returns a part of a formula within the quantifiers at its front.
func around(f, part *syntax.Formula) *syntax.Formula {
	if f.Quant == nil {
		return part
	}
	g := *f
	g.Sub = []*syntax.Formula{around(f.Sub[0], part)}
	return &g
}
