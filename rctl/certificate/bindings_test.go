package certificate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// aboutData returns a formula with an outer quantifier over the values of x, y or role, or over
// events.
func aboutData(r *rand.Rand, c *graphs.Computation) string {
	pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	at := func() string { return "@" + strconv.Quote(c.Processes()[r.IntN(c.NumProcesses())]) }
	field := pick("cs", "up", "role", "x")
	about, domain := field+" == r", "r in values("+field+")"
	if r.IntN(4) == 0 {
		about, domain = pick("x == e.x", "x < e.x"), "e in events(has(x))"
	}
	once := func() string { return "once(" + pick("up && ", "x > 0 && ", "y < 1 && ", "") + about + ")" }
	atom := func() string {
		switch r.IntN(8) {
		case 0:
			return "events(" + about + ")" + pick(" <= 1", " >= 2")
		case 1:
			return pick("(exists i: "+once()+"@i)", "(forall i != j: !("+once()+"@i && "+once()+"@j))")
		case 2, 3:
			return once() + at()
		}
		return pick("", "!") + once()
	}
	// Most formulas are about the order of the events of a binding.
	body := pick("AG", "EF", "AF", "EG") + "(" + atom() + pick(" && ", " || ", " -> ") + atom() + ")"
	if r.IntN(2) == 0 {
		first := pick(once(), once()+at(), "events("+about+")"+at()+pick(" == 2", " >= 2"))
		body = pick("AG(", "EF !(") + first + " -> " + once() + pick("", at()) + ")"
	}
	return pick("forall ", "exists ") + domain + ": " + body
}

// TestShapes decides formulas about data by brute force, on the whole trace and on each shape: the
// verdicts agree, and shapes are alike whatever the names of their processes.
func TestShapes(t *testing.T) {
	ctx := context.Background()
	tally := make(graphtest.Tally)
	config := graphtest.Config{Processes: 3, Events: 10, Kinds: graphtest.AllKinds}
	for i, s := range graphtest.Samples(graphtest.RoundsUpTo(t, 8000, 40_000), 81, config, false) {
		text := aboutData(s.Rand, s.Computation)
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		wide, whole, err := rctl.Resolve(ctx, s.Computation, f)
		if err != nil {
			tally["about nothing"]++
			continue
		}
		want := rctltest.Holds(graphtest.NewLattice(wide), whole)[0]
		all, one := true, false
		shapes := 0
		err = certificate.EachShape(ctx, s.Computation, f, scope.Times{}, func(shape *certificate.Shape) error {
			if shape.Number != shapes {
				t.Errorf("%d: %s: shape %d has number %d", i, text, shapes, shape.Number)
			}
			shapes++
			small, body, err := rctl.Resolve(ctx, shape.Computation, shape.Formula)
			if err != nil {
				return err
			}
			holds := rctltest.Holds(graphtest.NewLattice(small), body)[0]
			all, one = all && holds, one || holds
			return nil
		})
		if refused := certificate.Rejection(""); errors.As(err, &refused) {
			tally["refused"]++
			continue
		} else if err != nil {
			t.Fatalf("%d: %s: %v", i, text, err)
		}
		got := all
		if strings.HasPrefix(text, "exists") {
			got = one
		}
		if got != want {
			t.Fatalf("%d: %s is %t by shapes, and %t", i, text, got, want)
		}
		tally[fmt.Sprint(want)]++
		if shapes > 1 {
			tally["several shapes"]++
		}
	}
	tally.Check(t, 200, "true", "false", "several shapes")
}

// TestOrderOfShapes has requests that differ only in the order of their events.
func TestOrderOfShapes(t *testing.T) {
	var b graphs.Builder
	b.NewProcess("P")
	b.NewProcess("Q")
	event := func(p int, req string) graphs.Handle {
		h := b.Event(p)
		b.Set(b.Variable(p, "req"), h, graphs.Str(req))
		return h
	}
	b.Order(event(0, "first"), event(1, "first"))
	event(0, "none")
	event(1, "none")
	event(0, "later")
	b.Order(event(1, "later"), event(0, "later"))
	b.Order(event(0, "again"), event(1, "again"))
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(`forall r in values(req): EF(events(req == r) >= 3)`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = certificate.EachShape(t.Context(), c, f, scope.Times{}, func(s *certificate.Shape) error {
		before := graphs.NewPrecedence(s.Computation).Before
		shape := strings.Trim(s.First[0].Text, `"`)
		for q := range graphs.Event(s.Computation.Top()) {
			for p := range q {
				if s.Computation.Process(p) >= 0 && s.Computation.Process(p) != s.Computation.Process(q) {
					shape += fmt.Sprintf(" %t,%t", before(p, q), before(q, p))
				}
			}
		}
		got = append(got, shape)
		return nil
	})
	// "again" is like "first". Of "later", Q comes first, since it has fewer events.
	want := []string{"first true,false", "none false,false", "later false,false true,false"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestBindingsRejections has proofs about the wrong number of shapes, or about none.
func TestBindingsRejections(t *testing.T) {
	var b graphs.Builder
	b.NewProcess("P")
	b.NewProcess("Q")
	for p, ops := range [][]string{{"a", "b"}, {"a"}} {
		for _, op := range ops {
			h := b.Event(p)
			b.Set(b.Variable(p, "op"), h, graphs.Str(op))
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	const (
		never = `forall r in values(op): AG(events(op == r) <= 2)` // two shapes: one event on each process, or P alone
		some  = `exists r in values(op): AG(events(op == r) <= 1)` // the second alone
		both  = `{"rule":"operands","of":[{"rule":"flow"}]}`
	)
	for _, test := range []struct{ formula, verdict, proof, want string }{
		{never, "holds", `{"rule":"bindings","of":[` + both + `]}`, ""},
		{never, "holds", `{"rule":"bindings","of":[` + both + `,null]}`, ""},
		{never, "holds", `{"rule":"bindings","of":[null,` + both + `]}`, "its negation may hold"},
		{never, "holds", `{"rule":"bindings","of":[` + both + `,null,null]}`, "there are 2 shapes, and the proof is about 3"},
		{never, "holds", `{"rule":"forced"}`, "another"},
		{never, "fails", `{"rule":"bindings"}`, "its negation may hold"},
		{never, "fails", `{"rule":"bindings","which":2}`, "none of number 2"},
		{some, "holds", `{"rule":"bindings","which":1}`, ""},
		{some, "holds", `{"rule":"bindings","which":0}`, "its negation may hold"},
		{some, "fails", `{"rule":"bindings"}`, "its negation may hold"},
		{"AG op@P == \"a\"", "fails", `{"rule":"bindings"}`, "one by one"},
		{"forall r in values(op): exists i: EF(op@i == r)", "holds", `{"rule":"bindings"}`, "one by one"},
	} {
		f, err := syntax.Parse(test.formula)
		if err != nil {
			t.Fatal(err)
		}
		p := new(certificate.Proof)
		if err := json.Unmarshal([]byte(test.proof), p); err != nil {
			t.Fatal(err)
		}
		err = certificate.CheckBindings(t.Context(), c, f, scope.Times{}, certificate.Version, test.verdict, p, nil)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s by %s: %v, want %q", test.formula, test.verdict, test.proof, err, test.want)
		}
	}
}
