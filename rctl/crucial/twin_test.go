package crucial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/program/programtest"
	"github.com/pota-project/pota/graphs/program/promela"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// A graph is the state graph of a program, whole.
type graph struct {
	program program.Program
	states  [][]byte
	next    [][]int
}

// explore returns the state graph, nil where it has more than so many states.
func explore(p program.Program, most int) *graph {
	g := &graph{program: p}
	number := make(map[string]int)
	add := func(s []byte) int {
		i, ok := number[string(s)]
		if !ok {
			i = len(g.states)
			number[string(s)] = i
			g.states = append(g.states, s)
		}
		return i
	}
	add(p.Initial(nil))
	for i := 0; i < len(g.states); i++ {
		var to []int
		for q := range p.Layout().Processes {
			for _, t := range p.Enabled(g.states[i], q, nil) {
				s, _ := p.Apply(g.states[i], t, nil)
				to = append(to, add(s))
			}
		}
		g.next = append(g.next, to)
		if len(g.states) > most {
			return nil
		}
	}
	return g
}

// some tells for each state whether a successor satisfies, after those in which a process
// holds the program.
func (g *graph) some(f []bool) []bool {
	return g.step(g.until(make([]bool, len(g.states)), f))
}

// step tells for each state whether a successor satisfies.
func (g *graph) step(f []bool) []bool {
	return g.each(func(i int) bool { return slices.ContainsFunc(g.next[i], func(j int) bool { return f[j] }) })
}

// held reports whether formulas do not look at a state.
func (g *graph) held(i int) bool { return g.program.Holder(g.states[i]) >= 0 }

func (g *graph) each(is func(i int) bool) []bool {
	f := make([]bool, len(g.states))
	for i := range f {
		f[i] = is(i)
	}
	return f
}

func (g *graph) not(f []bool) []bool { return g.each(func(i int) bool { return !f[i] }) }

// until is the least fixpoint of E[p U q], release the greatest of E[q R p]: a run that
// ends need not reach q.
func (g *graph) until(p, q []bool) []bool {
	for z := make([]bool, len(g.states)); ; {
		step := g.step(z)
		more := g.each(func(i int) bool { return q[i] && !g.held(i) || (p[i] || g.held(i)) && step[i] })
		if slices.Equal(z, more) {
			return z
		}
		z = more
	}
}

func (g *graph) release(q, p []bool) []bool {
	for z := g.each(func(int) bool { return true }); ; {
		step := g.step(z)
		less := g.each(func(i int) bool {
			return (p[i] || g.held(i)) && (q[i] && !g.held(i) || step[i] || len(g.next[i]) == 0)
		})
		if slices.Equal(z, less) {
			return z
		}
		z = less
	}
}

// A formula is text, and where it holds.
type formula struct {
	text string
	in   func(g *graph) []bool
}

// predicate makes a random condition on one state, often one that some state satisfies.
func predicate(r *rand.Rand, g *graph, depth int) formula {
	if depth > 0 && r.IntN(2) == 0 {
		i := r.IntN(len(g.states))
		f := literal(r, g, i)
		for range r.IntN(3) {
			f = conjunction(f, literal(r, g, i))
		}
		return f
	}
	if depth > 0 && r.IntN(3) > 0 {
		f, h := predicate(r, g, depth-1), predicate(r, g, depth-1)
		switch r.IntN(5) {
		case 0:
			return formula{"!(" + f.text + ")", func(g *graph) []bool { return g.not(f.in(g)) }}
		case 1:
			return disjunction(f, h)
		}
		return conjunction(f, h)
	}
	if r.IntN(10) == 0 {
		is := r.IntN(2) == 0
		return formula{fmt.Sprint(is), func(g *graph) []bool { return g.each(func(int) bool { return is }) }}
	}
	return literal(r, g, -1)
}

// avoiding makes a random condition that most states satisfy.
func avoiding(r *rand.Rand, g *graph) formula {
	f := literal(r, g, -1)
	return formula{"!(" + f.text + ")", func(g *graph) []bool { return g.not(f.in(g)) }}
}

// literal makes a random comparison, one that holds in the i-th state where i is not
// negative.
func literal(r *rand.Rand, g *graph, i int) formula {
	p := g.program
	l := p.Layout()
	q := r.IntN(len(l.Processes))
	at := r.IntN(len(l.Processes[q].Locations))
	if i >= 0 {
		at = p.Location(g.states[i], q)
	}
	if labels := l.Processes[q].Locations[at].Labels; len(labels) > 0 && r.IntN(2) == 0 || len(l.Variables) == 0 {
		if len(labels) == 0 {
			return formula{"true", func(g *graph) []bool { return g.each(func(int) bool { return true }) }}
		}
		return formula{fmt.Sprintf("at@%q == %q", l.Processes[q].Name, labels[r.IntN(len(labels))]), func(g *graph) []bool {
			return g.each(func(i int) bool { return p.Location(g.states[i], q) == at })
		}}
	}
	v := r.IntN(len(l.Variables))
	if w := r.IntN(len(l.Variables)); r.IntN(4) == 0 && w != v && l.Variables[v].Kind == l.Variables[w].Kind {
		return sameValues(p, v, w, i < 0 || p.Value(g.states[i], v) == p.Value(g.states[i], w))
	}
	x := p.Value(g.states[r.IntN(len(g.states))], v)
	if i >= 0 {
		x = p.Value(g.states[i], v)
	}
	return formula{fmt.Sprintf("%s == %s", nameOf(l, v), x), func(g *graph) []bool {
		return g.each(func(i int) bool { return p.Value(g.states[i], v) == x })
	}}
}

// sameValues says of two variables, which processes may change, whether they are equal.
func sameValues(p program.Program, v, w int, same bool) formula {
	sign := "=="
	if !same {
		sign = "!="
	}
	return formula{fmt.Sprintf("%s %s %s", nameOf(p.Layout(), v), sign, nameOf(p.Layout(), w)), func(g *graph) []bool {
		return g.each(func(i int) bool { return (p.Value(g.states[i], v) == p.Value(g.states[i], w)) == same })
	}}
}

func nameOf(l *program.Layout, v int) string {
	name := l.Variables[v].Name
	if q := l.Variables[v].Process; q >= 0 {
		name += fmt.Sprintf("@%q", l.Processes[q].Name)
	}
	return name
}

func conjunction(f, h formula) formula {
	return formula{"(" + f.text + " && " + h.text + ")", func(g *graph) []bool {
		x, y := f.in(g), h.in(g)
		return g.each(func(i int) bool { return x[i] && y[i] })
	}}
}

func disjunction(f, h formula) formula {
	return formula{"(" + f.text + " || " + h.text + ")", func(g *graph) []bool {
		x, y := f.in(g), h.in(g)
		return g.each(func(i int) bool { return x[i] || y[i] })
	}}
}

// random makes a random formula. Of CETL, it has neither || nor ! above atoms, and the
// untils that the logic has.
func random(r *rand.Rand, g *graph, depth int, cetl bool) formula {
	if depth == 0 {
		return predicate(r, g, 1)
	}
	f, h := random(r, g, depth-1, cetl), random(r, g, r.IntN(depth), cetl)
	switch r.IntN(4) {
	case 0:
		h = predicate(r, g, 2)
	case 1:
		h = avoiding(r, g)
	case 2:
		h = conjunction(avoiding(r, g), avoiding(r, g))
	}
	if cetl {
		switch r.IntN(5) {
		case 0:
			return conjunction(f, h)
		case 1:
			return formula{"EF " + f.text, func(g *graph) []bool { return g.until(g.each(func(int) bool { return true }), f.in(g)) }}
		case 2:
			return formula{"EG " + f.text, func(g *graph) []bool { return g.release(make([]bool, len(g.states)), f.in(g)) }}
		case 3:
			both := conjunction(h, f)
			return formula{"E[" + h.text + " U " + both.text + "]", func(g *graph) []bool { return g.until(h.in(g), both.in(g)) }}
		}
		return formula{"E[" + f.text + " R " + h.text + "]", func(g *graph) []bool { return g.release(f.in(g), h.in(g)) }}
	}
	all := func(g *graph) []bool { return g.each(func(int) bool { return true }) }
	none := func(g *graph) []bool { return make([]bool, len(g.states)) }
	either := func(g *graph, x, y []bool) []bool { return g.each(func(i int) bool { return x[i] || y[i] }) }
	switch r.IntN(14) {
	case 0:
		return formula{"!(" + f.text + ")", func(g *graph) []bool { return g.not(f.in(g)) }}
	case 1:
		return conjunction(f, h)
	case 2:
		return disjunction(f, h)
	case 3:
		return formula{"EX " + f.text, func(g *graph) []bool { return g.some(f.in(g)) }}
	case 4:
		return formula{"AX " + f.text, func(g *graph) []bool { return g.not(g.some(g.not(f.in(g)))) }}
	case 5:
		return formula{"EF " + f.text, func(g *graph) []bool { return g.until(all(g), f.in(g)) }}
	case 6:
		return formula{"AG " + f.text, func(g *graph) []bool { return g.not(g.until(all(g), g.not(f.in(g)))) }}
	case 7:
		return formula{"EG " + f.text, func(g *graph) []bool { return g.release(none(g), f.in(g)) }}
	case 8:
		return formula{"AF " + f.text, func(g *graph) []bool { return g.not(g.release(none(g), g.not(f.in(g)))) }}
	case 9:
		return formula{"E[" + h.text + " U " + f.text + "]", func(g *graph) []bool { return g.until(h.in(g), f.in(g)) }}
	case 10:
		return formula{"E[" + f.text + " R " + h.text + "]", func(g *graph) []bool { return g.release(f.in(g), h.in(g)) }}
	case 11:
		return formula{"A[" + h.text + " U " + f.text + "]", func(g *graph) []bool {
			return g.not(g.release(g.not(h.in(g)), g.not(f.in(g))))
		}}
	case 12:
		return formula{"A[" + f.text + " R " + h.text + "]", func(g *graph) []bool {
			return g.not(g.until(g.not(f.in(g)), g.not(h.in(g))))
		}}
	}
	return formula{"E[" + h.text + " W " + f.text + "]", func(g *graph) []bool {
		x, y := h.in(g), f.in(g)
		return either(g, g.until(x, y), g.release(none(g), x))
	}}
}

// Small programs and formulas of all kinds are decided as by fixpoints over their
// whole state graphs.
func TestAsByFixpoints(t *testing.T) {
	rounds := graphtest.RoundsUpTo(t, 1250, 25_000)
	verdicts, reduced, holding, states := 0, 0, 0, 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 18))
		p := compile(t, programtest.Random(r))
		if err := p.Layout().Valid(); err != nil {
			t.Fatal(err)
		}
		g := explore(p, 1500)
		if g == nil {
			continue
		}
		states += len(g.states)
		for range 4 {
			f := random(r, g, 1+r.IntN(3), r.IntN(2) == 0)
			want, fewer := asByFixpoints(t, g, f)
			verdicts++
			if fewer {
				reduced++
			}
			if want == engine.Holds {
				holding++
			}
		}
	}
	t.Logf("%d verdicts on %d states, %d of them that hold, %d by fewer states than there are", verdicts, states, holding, reduced)
}

// asByFixpoints compares verdicts, and reports whether fewer states were visited than there are.
func asByFixpoints(t *testing.T, g *graph, f formula) (want Verdict, fewer bool) {
	t.Helper()
	parsed, err := resolve(t.Context(), g.program, f.text)
	if err != nil {
		t.Fatalf("%s: %v", f.text, err)
	}
	want = engine.VerdictOf(f.in(g)[0])
	for _, whole := range []bool{false, true} {
		got, err := Check(t.Context(), g.program, parsed, Options{Whole: whole})
		if err != nil || got.Verdict != want {
			t.Fatalf("whole %t: %s: got %v, %v; want %v", whole, f.text, got, err, want)
		}
		fewer = fewer || !whole && got.States < len(g.states)
	}
	return want, fewer
}

// So are models in Promela.
func TestModelsAsByFixpoints(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../testdata/models/*.pml", "../../graphs/program/promela/testdata/*.pml"} {
		some, err := filepath.Glob(pattern)
		if err != nil || len(some) == 0 {
			t.Fatalf("%s: no models, %v", pattern, err)
		}
		files = append(files, some...)
	}
	verdicts, reduced := 0, 0
	for seed, file := range files {
		m, err := promela.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := promela.Compile(m)
		if err != nil {
			t.Fatal(err)
		}
		g := explore(p, 1500)
		if g == nil {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(seed), 19))
		for range graphtest.Rounds(t, 100) {
			if _, fewer := asByFixpoints(t, g, random(r, g, 1+r.IntN(2), r.IntN(2) == 0)); fewer {
				reduced++
			}
			verdicts++
		}
	}
	t.Logf("%d verdicts on models, %d of them by fewer states than there are", verdicts, reduced)
}

// Rules that random formulas seldom need: without one of them, a verdict here is another.
func TestRules(t *testing.T) {
	const either = `byte x = 1, y; active proctype A() { x = 0 } active proctype B() { y = 1 }`
	for _, c := range []struct{ rule, model, formula string }{
		{"A changes what is kept, and B before it (C3)", either, `E[(x == 1 || y == 1) U (x == 1 || y == 1) && x == 0]`},
		{"what A changes does not hold at the end (C3)", either, `E[x == 1 U x == 0 && y == 1]`},
		{"where A goes on it holds the program", `byte x, y, z; active proctype A() { atomic { x = 1; y = 1 } } active proctype B() { do :: z = 1 - z od }`, `EG(y == 0)`},
	} {
		p := compile(t, c.model)
		f, err := resolve(t.Context(), p, c.formula)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Check(t.Context(), p, f, Options{}); err != nil || got.Verdict != engine.Holds {
			t.Errorf("%s: %s is %v, %v", c.rule, c.formula, got.Verdict, err)
		}
	}
}

func compile(t *testing.T, model string) *promela.Program {
	t.Helper()
	m, err := promela.Parse("model.pml", model, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := promela.Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func resolve(ctx context.Context, p program.Program, text string) (*syntax.Formula, error) {
	f, err := syntax.Parse(text)
	if err != nil {
		return nil, err
	}
	sc, err := Scope(p)
	if err != nil {
		return nil, err
	}
	return syntax.Resolve(ctx, f, sc)
}
