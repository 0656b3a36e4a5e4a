package graphs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// At is the value that replaying the assignments in order gives.
func TestAtIsReplay(t *testing.T) {
	everyLattice(t, 500, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		for _, v := range c.Variables() {
			for _, cut := range l.Cuts {
				last := -1
				for i, e := range v.Events() {
					if p := c.Process(e); c.Position(e) <= int(cut[p]) {
						last = i
					}
				}
				if v.Last(c, cut) != last || v.At(c, cut) != v.Value(last) {
					t.Errorf("%s at %v is %v by assignment %d, not %d", v.Name, cut, v.At(c, cut), v.Last(c, cut), last)
				}
			}
		}
	})
}

// Values come back as they were set, of every kind, across the words of bit sets.
func TestValuesAreKept(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 18))
	draw := []func() graphs.Value{
		func() graphs.Value { return graphs.Int(r.Int64()) },
		func() graphs.Value { return graphs.Float(r.NormFloat64()) },
		func() graphs.Value {
			return []graphs.Value{graphs.Int(r.Int64()), graphs.Float(r.Float64())}[r.IntN(2)]
		},
		func() graphs.Value { return graphs.Boolean(r.IntN(2) == 0) },
		func() graphs.Value { return graphs.Str(fmt.Sprint(r.IntN(20))) },
	}
	for k, next := range draw {
		var b graphs.Builder
		p := b.Process("P")
		v := b.Variable(p, "x")
		b.Init(v, next())
		init := v.Init
		var want []graphs.Value
		for range 300 {
			h := b.Event(p)
			if x := next(); r.IntN(3) > 0 {
				want = append(want, x)
				if !b.Set(v, h, x) {
					t.Fatal("a value of the type is refused")
				}
			}
		}
		mustBuild(t, &b)
		if v.Value(-1) != init || v.Len() != len(want) {
			t.Errorf("kind %d: %v and %d values", k, v.Value(-1), v.Len())
		}
		for i, x := range want {
			if v.Value(i) != x {
				t.Errorf("kind %d: value %d is %v, not %v", k, i, v.Value(i), x)
			}
		}
	}
}

func TestTypesOfVariables(t *testing.T) {
	var b graphs.Builder
	p := b.Process("P")
	e := b.Event(p)
	x, y, z := b.Variable(p, "x"), b.Variable(p, "y"), b.Variable(graphs.Shared, "z")
	if b.Variable(p, "x") != x || x == y {
		t.Error("variables are mixed up")
	}
	if !b.Set(x, e, graphs.Str("a")) || b.Set(x, e, graphs.Int(1)) || b.Skip(x, graphs.Number) {
		t.Error("a second type is accepted")
	}
	if x.Kind != graphs.String || x.Init != graphs.Str("") || x.Skipped() {
		t.Errorf("x is %v from %v on", x.Kind, x.Init)
	}
	b.Init(y, graphs.Int(7))
	if !b.Skip(y, graphs.Number) || !y.Skipped() || y.Len() != 0 || y.Init != graphs.Int(7) {
		t.Error("assignments of y were skipped, and it does not know")
	}
	b.Init(z, graphs.Boolean(true))
	if b.Skip(z, graphs.String) || z.Skipped() {
		t.Error("an assignment of z was refused, and it is skipped")
	}
	c := mustBuild(t, &b)
	if c.Variable(p, "x") != x || c.Variable(graphs.Shared, "x") != nil || c.Variable(graphs.Shared, "z") != z {
		t.Error("variables are not found")
	}
}

func TestVariablesAreInOrder(t *testing.T) {
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	for _, v := range []struct {
		process int
		name    string
	}{{q, "x"}, {p, "y"}, {graphs.Shared, "z"}, {p, "x"}, {graphs.Shared, "a"}} {
		b.Init(b.Variable(v.process, v.name), graphs.Int(0))
	}
	c := mustBuild(t, &b)
	name := func(all []*graphs.Variable) []string {
		var names []string
		for _, v := range all {
			names = append(names, fmt.Sprint(v.Name, v.Process))
		}
		return names
	}
	if got, want := name(c.Variables()), []string{"z-1", "a-1", "y0", "x0", "x1"}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if got, want := name(c.VariablesNamed("x")), []string{"x0", "x1"}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// Share joins the assignments of all processes, and Build puts them in order.
func TestShare(t *testing.T) {
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	e, f := b.Event(p), b.Event(q)
	b.Set(b.Variable(p, "x"), e, graphs.Int(2))
	b.Set(b.Variable(q, "x"), f, graphs.Float(0.5))
	b.Set(b.Variable(p, "y"), e, graphs.Str("a"))
	b.Order(f, e)
	x, ok := b.Share("x")
	if again, same := b.Share("x"); !ok || !same || again != x {
		t.Error("x is not shared")
	}
	if z, ok := b.Share("z"); !ok || z.Process != graphs.Shared {
		t.Error("z is not shared")
	}
	c := mustBuild(t, &b)
	if x.Len() != 2 || x.Value(0) != graphs.Float(0.5) || x.Value(1) != graphs.Int(2) || x.Kind != graphs.Number || x.Init != graphs.Int(0) {
		t.Errorf("%d assignments, the last of %v", x.Len(), x.Value(x.Len()-1))
	}
	if len(c.VariablesNamed("x")) != 1 || len(c.Variables()) != 3 {
		t.Errorf("%d variables", len(c.Variables()))
	}
}

func TestShareOfTwoTypes(t *testing.T) {
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	e, f := b.Event(p), b.Event(q)
	b.Set(b.Variable(p, "x"), e, graphs.Int(2))
	b.Set(b.Variable(q, "x"), f, graphs.Str("a"))
	if _, ok := b.Share("x"); ok {
		t.Error("a number and a string are shared")
	}
	if c := mustBuild(t, &b); len(c.VariablesNamed("x")) != 2 || c.Variable(graphs.Shared, "x") != nil {
		t.Error("x was changed")
	}
}
