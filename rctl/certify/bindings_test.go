package certify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// requests returns a random computation whose events are about a few requests, and a formula about them.
func requests(r *rand.Rand) (*graphs.Computation, string) {
	var b graphs.Builder
	processes := 1 + r.IntN(3)
	for p := range processes {
		b.NewProcess(fmt.Sprintf("P%d", p))
	}
	var handles []graphs.Handle
	for range 4 + r.IntN(9) {
		p := r.IntN(processes)
		h := b.Event(p)
		if len(handles) > 0 && r.IntN(3) > 0 {
			b.Order(handles[r.IntN(len(handles))], h)
		}
		b.Set(b.Variable(p, "op"), h, graphs.Str([]string{"a", "b", "c"}[r.IntN(3)]))
		b.Set(b.Variable(p, "req"), h, graphs.Str(fmt.Sprintf("r%d", r.IntN(3))))
		switch r.IntN(12) {
		case 0:
			b.Edge(h, graphs.BottomHandle)
		case 1:
			b.Edge(graphs.TopHandle, h)
		case 2:
			if len(handles) > 0 {
				b.Edge(h, handles[r.IntN(len(handles))]) // perhaps a cycle
			}
		}
		handles = append(handles, h)
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}

	one := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	atom := func() string {
		cond := "(op == " + one(`"a"`, `"b"`, `"c"`) + " && req == r)"
		return one("once"+cond, "!once"+cond, "once"+cond+"@P0", "(once"+cond+" && !once(op == \"b\" && req == r))", "events"+cond+" <= 1", "events(req == r) >= 2", `r == "r1"`,
			"(exists i: once"+cond+"@i)", "(forall i != j: !(once"+cond+"@i && once"+cond+"@j))", "between"+cond[:len(cond)-1]+`, op == "c" && req == r)@P0`)
	}
	var body func(depth int) string
	body = func(depth int) string {
		if depth == 0 {
			return atom()
		}
		return one("AG", "EF", "AF", "EG") + "(" + body(depth-1) + one(" && ", " || ", " -> ") + atom() + ")"
	}
	if r.IntN(2) == 0 { // what order, names and bounds decide
		a, b := `(op == "a" && req == r)`, `(op == "b" && req == r)`
		return c, one("forall", "exists") + " r in values(req): " + one(
			"AG(once"+a+" -> once"+b+")", "EF(once"+a+" && !once"+b+")", "AF(once"+a+"@P0)", "EF once"+a+"@P1", "AF(forall i: once(req == r)@i)",
			"EF(exists i: once"+a+"@i && !once"+b+")", "AG(once"+a+"@P0 -> once"+b+")", "AG !once"+a, "AF once"+b, `AF(once`+a+` || r == "r1")`)
	}
	return c, one("forall", "exists") + ` r in values(req` + one("", ` where op == "a"`) + "): " + body(1+r.IntN(2))
}

// TestBindings mutates proofs of formulas about data, swaps them between traces, formulas and verdicts: what
// is accepted is true. Those that are not changed are accepted.
func TestBindings(t *testing.T) {
	ctx := context.Background()
	tally := make(map[string]int)
	var earlier []any
	const each = 5
	n := graphtest.RoundsUpTo(t, 25_000, 200_000)
	for i := range max(n, 5000) / each {
		r := rand.New(rand.NewPCG(74, uint64(i)))
		c, text := requests(r)
		f := parsed(t, text)
		wide, g, err := rctl.Resolve(ctx, c, f)
		if err != nil || c.Empty() {
			continue
		}
		res, err := rctl.Check(ctx, wide, g, rctl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if by, err := bindings.Check(ctx, c, f, bindings.Options{}); err != nil || by.Verdict != res.Verdict {
			t.Fatalf("%d: %s is %v by binding, and %s (%v)", i, text, by, res.Verdict, err)
		}
		opposite := rctl.Holds + rctl.Fails - res.Verdict
		if p, err := certify.BindingsProof(ctx, c, f, opposite, scope.Times{}); p != nil || err != nil {
			t.Fatalf("%d: that %s %s has a proof, but it %s (%v)", i, text, opposite, res.Verdict, err)
		}
		p, err := certify.BindingsProof(ctx, c, f, res.Verdict, scope.Times{})
		if err != nil {
			t.Fatalf("%d, %s: %v", i, text, err)
		}
		if p == nil {
			tally["without a proof"]++
			continue
		}
		check := func(verdict rctl.Verdict, p *certificate.Proof) error {
			return certificate.CheckBindings(ctx, c, f, scope.Times{}, certificate.Version, verdict.String(), p, nil)
		}
		if err := check(res.Verdict, p); err != nil {
			t.Fatalf("%d: %s %s: %v", i, text, res.Verdict, err)
		}
		tally["proved"]++
		earlier = append(earlier, asValue(p))
		for range each {
			x := earlier[max(0, len(earlier)-1-r.IntN(40))]
			for range r.IntN(4) {
				x = mutated(r, x, earlier[r.IntN(len(earlier))])
			}
			p, ok := asProof(x)
			if !ok || p == nil {
				tally["not one"]++
				continue
			}
			p.Rule = certificate.Bindings
			verdict := res.Verdict
			if r.IntN(4) > 0 {
				verdict = opposite
			}
			switch err := check(verdict, p); {
			case err != nil:
				tally["rejected"]++
			case verdict == opposite:
				was, _ := json.Marshal(p)
				t.Fatalf("%d: a proof that %s %s is accepted, but it %s: %s", i, text, verdict, res.Verdict, was)
			default:
				tally["accepted"]++
			}
		}
	}
	t.Log(tally)
	if tally["accepted"] < 100 || tally["rejected"] < 2000 || tally["without a proof"] > tally["proved"]/20 {
		t.Error("too few")
	}
}

// TestShapesOfBindings has requests that look alike, whatever their names and processes, and one that does
// not: as many shapes as looks, and a proof of one does not do for the other.
func TestShapesOfBindings(t *testing.T) {
	var b graphs.Builder
	event := func(p int, op, req string, after ...graphs.Handle) graphs.Handle {
		h := b.Event(p)
		b.Set(b.Variable(p, "op"), h, graphs.Str(op))
		b.Set(b.Variable(p, "req"), h, graphs.Str(req))
		for _, e := range after {
			b.Order(e, h)
		}
		return h
	}
	for p := range 4 {
		b.NewProcess(fmt.Sprintf("P%d", p))
	}
	for i := range 1000 {
		p, q := i%4, (i+1+i%3)%4
		event(q, "done", fmt.Sprint(i), event(p, "recv", fmt.Sprint(i)))
	}
	event(0, "recv", "last")
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(`forall r in values(req): AG(once(op == "done" && req == r) -> once(op == "recv" && req == r))`)
	if err != nil {
		t.Fatal(err)
	}
	shapes := 0
	err = certificate.EachShape(t.Context(), c, f, scope.Times{}, func(*certificate.Shape) error {
		shapes++
		return nil
	})
	if err != nil || shapes != 2 {
		t.Errorf("%d shapes, %v", shapes, err)
	}
	p, err := certify.BindingsProof(t.Context(), c, f, rctl.Holds, scope.Times{})
	text, _ := json.Marshal(p)
	if err != nil || p == nil || len(text) > 200 {
		t.Errorf("%s, %v", text, err)
	}
}

// TestOrderOfShapes compares the computation of each shape with the trace: its events have the same order.
func TestOrderOfShapes(t *testing.T) {
	f := parsed(t, `forall r in values(req): EF(events(req == r) >= 2)`)
	for i := range 500 {
		c, _ := requests(rand.New(rand.NewPCG(75, uint64(i))))
		before := graphs.NewPrecedence(c).Before
		err := certificate.EachShape(t.Context(), c, f, scope.Times{}, func(s *certificate.Shape) error {
			small := graphs.NewPrecedence(s.Computation).Before
			of := make(map[graphs.Event]graphs.Event) // events of the shape, by those of the trace
			for p, name := range s.Computation.Processes() {
				number, _ := c.ProcessNumber(name)
				v := c.Variable(number, "req")
				n := 0
				for k := 0; v != nil && k < v.Len(); k++ {
					if v.Value(k).String() == s.First[0].Text {
						n++
						of[v.Event(k)] = s.Computation.Event(p, n)
					}
				}
			}
			for e, own := range of {
				for g, other := range of {
					if before(e, g) != small(own, other) {
						return fmt.Errorf("%s before %s is %t in the shape", c.ID(e), c.ID(g), small(own, other))
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
}
