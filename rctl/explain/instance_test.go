package explain

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// counters has up to four processes that each count x up and down, with messages
// between them.
func counters(r *rand.Rand) *graphs.Computation {
	b := new(graphs.Builder)
	n := 2 + r.IntN(3)
	var before graphs.Handle
	for p := range n {
		v := b.Variable(b.Process("P"+string(rune('1'+p))), "x")
		b.Init(v, graphs.Int(0))
		for range 1 + r.IntN(3) {
			h := b.Event(p)
			b.Set(v, h, graphs.Int(int64(r.IntN(3))))
			if p > 0 && r.IntN(3) == 0 {
				b.Order(before, h)
			}
			if r.IntN(2) == 0 {
				before = h
			}
		}
		if b.NumEvents() > 0 && p == 0 {
			before = graphs.Handle(0)
		}
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

var quantifiedFormulas = []string{
	"EF(exists i != j: x@i == 1 && x@j == 2)",
	"AG(forall i != j: !(x@i == 1 && x@j == 1))",
	"AG(forall i: x@i == 1 -> AF(x@i == 2))",
	"EF(exists i: x@i == 1 && (forall j: x@j <= x@i))",
	"EF((exists i: x@i == 2) && (exists j: x@j == 1))",
	"EF((exists i: x@i == 2) && x@P1 == 1 || (exists i: exists j: x@i > x@j + 1))",
	"E[(forall i: x@i < 2) U (exists i != j: x@i == 1 && x@j == 1)]",
	"AG(exists i: x@i == 0)",
	"EX(exists i: x@i > 0)",
	"AG(forall i: x@i == 2 -> AG(exists j: x@j > 0))",
	"EF(exists i: x@i == 1 && EF(exists j: x@j == 2 && x@i == 0))",
	"EF((count i: x@i == 2) >= 2 && (exists i: x@i == 1))",
	"forall i: AG(x@i == 1 -> EF(x@i == 2))",
	"EF(exists i: x@i == 1 && !EF(x@i == 2))",
	"AF(forall i: x@i == 2) || EG(exists i: x@i == 0)",
}

// The verdict on the part of the property that each level is said to show is right. An
// instance that is named is true at the cut where the run ends, by brute force;
// and one is named whenever there is one without temporal operators.
func TestInstancesAreTrue(t *testing.T) {
	named, claims := make(map[string]int), 0
	for i := range graphtest.Rounds(t, 800) {
		r := rand.New(rand.NewPCG(37, uint64(i)))
		c := counters(r)
		text := quantifiedFormulas[i%len(quantifiedFormulas)]
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		g, err := syntax.Resolve(context.Background(), f, rctl.Scope(c))
		if err != nil {
			t.Fatal(err)
		}
		res, err := rctl.Check(context.Background(), c, g, rctl.Options{Evidence: true})
		if err != nil || res.Evidence == nil {
			continue
		}
		explainer := &Explainer{Of: c, Property: f}
		lattice := graphtest.NewLattice(c)
		var check func(v *Level)
		check = func(v *Level) {
			s := newScene(context.Background(), c, f, nil)
			for _, b := range v.Bindings {
				named[text]++
				p, _ := c.ProcessNumber(b.Process)
				s.bound = append(s.bound, syntax.Binding{Name: b.Name, Process: p})
			}
			if said, err := syntax.ResolveWithin(context.Background(), v.Formula, s.bound, rctl.Scope(c)); err == nil {
				claims++
				if holds := rctltest.Holds(lattice, said)[lattice.Index(v.Evidence.Start)]; holds != (v.Verdict == rctl.Holds) {
					t.Fatalf("%s: it is said that %s %s with %v at %v", text, v.Formula, v.Verdict, v.Bindings, v.Evidence.Start)
				}
			}
			if found := s.find(v.Evidence.Formula); found != nil && len(s.bound) > 0 && !v.Evidence.Whole {
				target := found.shows()
				target = target.Sub[len(target.Sub)-1]
				for target.Op == syntax.OpExists {
					target = target.Sub[0]
				}
				instance, err := syntax.ResolveWithin(context.Background(), target, s.bound, rctl.Scope(c))
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if !rctltest.Holds(lattice, instance)[lattice.Index(v.Evidence.Cut)] {
					t.Fatalf("%s: %s is shown with %v, which is false at %v", text, v.Formula, v.Bindings, v.Evidence.Cut)
				}
			}
			for _, child := range v.Children {
				check(child)
			}
		}
		check(explainer.Explain(res.Evidence))
	}
	if claims < graphtest.Rounds(t, 800)/2 {
		t.Errorf("%d claims", claims)
	}
	for _, text := range quantifiedFormulas {
		want, none := graphtest.Rounds(t, 800)/200, text == "AG(exists i: x@i == 0)" // shows a cut that contradicts every instance
		if named[text] < want && !none || none && named[text] > 0 {
			t.Errorf("%s: %d instances named", text, named[text])
		}
	}
}
