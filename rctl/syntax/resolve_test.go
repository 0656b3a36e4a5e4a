package syntax

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"
)

func mustParse(t testing.TB, src string) *Formula {
	t.Helper()
	f, err := Parse(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return f
}

func mustResolve(t testing.TB, src string, scope Scope) *Formula {
	t.Helper()
	f, err := Resolve(context.Background(), mustParse(t, src), scope)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return f
}

func TestResolve(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"only > 1", "only > 1"},
		{"turn == 1 && open", "turn == 1 && open"},
		{"forall i: cs@i", "cs@P1 && cs@P2 && cs@P3"},
		{"exists i != j: cs@i && !cs@j", "cs@P1 && !cs@P2 || cs@P1 && !cs@P3 || cs@P2 && !cs@P1 || cs@P2 && !cs@P3 || cs@P3 && !cs@P1 || cs@P3 && !cs@P2"},
		{"forall i in {P3, P1, P3}: x@i > 0", "x@P1 > 0 && x@P3 > 0"},
		{"forall i in {P3}: x@i > 0", "x@P3 > 0"},
		{"forall i != j in {P3}: cs@i", "true"},
		{"exists i != j in {P3}: cs@i", "false"},
		{"exists i in \"?2\": cs@i", "cs@P2"},
		{"exists i in \"P*\": cs@i", "cs@P1 || cs@P2 || cs@P3"},
		{"forall i in {P1, P2}: exists j in {i, P3}: transit(i, j) == 0", "(transit(P1, P1) == 0 || transit(P1, P3) == 0) && (transit(P2, P2) == 0 || transit(P2, P3) == 0)"},
		{"forall i having x: x@i > 0", "x@P1 > 0 && x@P3 > 0"},
		{"exists i != j in {P2, P3} having cs, x: cs@i", "false"},
		{"forall i having \"odd name\": cs@i", "cs@P1"},
		{"(sum i having x: x@i) > 1", "(sum i having x: x@i) > 1"},
		{"(count having having x: x@having > 0) == 2", "x@P1 > 0 && x@P3 > 0"},
		{"forall P1: cs@P1", "cs@P1 && cs@P2 && cs@P3"},
		{"(exists P1: !cs@P1) && cs@P1", "(!cs@P1 || !cs@P2 || !cs@P3) && cs@P1"},
		{"(forall i in {P1, P2}: cs@i) -> cs@P3", "cs@P1 && cs@P2 -> cs@P3"},
		{"AG(cs@P1 == cs@P2)", "AG(cs@P1 == cs@P2)"},
		{`state@P1 == state@P2 != "a"`, `state@P1 == state@P2 != "a"`},
		{`"odd name"@P1`, `"odd name"@P1`},
		{"true == true", "true == true"},
	} {
		f := mustResolve(t, test.src, threeProcesses())
		if got := f.String(); got != test.want {
			t.Errorf("%s: resolved to %s, want %s", test.src, got, test.want)
		}
	}
}

func TestResolveFillsIn(t *testing.T) {
	f := mustResolve(t, "x@P3 + only - turn <= transit(P2, P1)", threeProcesses())
	owners := map[string]int{}
	WalkExpr(f.Expr, func(e *Expr) {
		switch e.Op {
		case ExprVar:
			owners[e.Text] = e.Owner
			if e.Type != NumberType {
				t.Errorf("%s has type %v", e, e.Type)
			}
		case ExprTransit:
			if e.FromID != 1 || e.ToID != 0 {
				t.Errorf("%s runs from %d to %d", e, e.FromID, e.ToID)
			}
		}
	})
	if owners["x"] != 2 || owners["only"] != 0 || owners["turn"] != Shared || f.Expr.Type != BoolType {
		t.Errorf("owners %v, type %v", owners, f.Expr.Type)
	}
}

func TestResolveLeavesTheSourceAlone(t *testing.T) {
	f := mustParse(t, "forall i: EF(cs@i && only > 1)")
	before := f.String()
	if _, err := Resolve(context.Background(), f, threeProcesses()); err != nil {
		t.Fatal(err)
	}
	if f.String() != before || f.Sub[0].Sub[0].Sub[1].Expr.Args[0].Owner != Unresolved {
		t.Errorf("Resolve changed its argument to %s", f)
	}
}

func TestResolveShares(t *testing.T) {
	const n = 250
	f := mustResolve(t, "forall i != j: AG !(cs@i && cs@j)", manyProcesses(n))
	if len(f.Sub) != n*(n-1) {
		t.Fatalf("%d instances", len(f.Sub))
	}
	atoms, exprs := map[*Formula]bool{}, map[*Expr]bool{}
	Walk(f, func(f *Formula) bool {
		if f.Op == OpAtom {
			atoms[f], exprs[f.Expr] = true, true
		}
		return true
	})
	if len(atoms) != 2*n || len(exprs) != n { // cs@i and cs@j
		t.Errorf("%d atoms and %d expressions for %d processes", len(atoms), len(exprs), n)
	}
}

func BenchmarkResolvePairs(b *testing.B) {
	f, scope := mustParse(b, "AG forall i != j: !(cs@i && cs@j)"), manyProcesses(250)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Resolve(context.Background(), f, scope); err != nil {
			b.Fatal(err)
		}
	}
}

// expandNaively substitutes processes for names, one instance at a time.
func expandNaively(f *Formula, env map[string]string, processes []string) *Formula {
	name := func(n Name) Name {
		if p, ok := env[n.Text]; ok {
			return Name{Text: p}
		}
		return n
	}
	if f.Op == OpAtom {
		var substitute func(e *Expr) *Expr
		substitute = func(e *Expr) *Expr {
			g := *e
			g.Process = name(e.Process)
			if e.Op == ExprTransit {
				g.Channel = &Channel{From: name(e.From), To: name(e.To)}
			}
			g.Args = nil
			for _, arg := range e.Args {
				g.Args = append(g.Args, substitute(arg))
			}
			return &g
		}
		return &Formula{Op: OpAtom, Expr: substitute(f.Expr)}
	}
	if f.Quant == nil {
		g := &Formula{Op: f.Op}
		for _, sub := range f.Sub {
			g.Sub = append(g.Sub, expandNaively(sub, env, processes))
		}
		return g
	}
	var domain []string
	for _, p := range processes {
		in := f.Quant.Domain == nil && (f.Quant.Glob == "" || f.Quant.Glob == "*" || f.Quant.Glob[0] == p[0])
		for _, n := range f.Quant.Domain {
			in = in || name(n).Text == p
		}
		if in {
			domain = append(domain, p)
		}
	}
	tuples := [][]string{nil}
	for range f.Quant.Names {
		var longer [][]string
		for _, tuple := range tuples {
			for _, p := range domain {
				if !f.Quant.Distinct || !slices.Contains(tuple, p) {
					longer = append(longer, append(slices.Clone(tuple), p))
				}
			}
		}
		tuples = longer
	}
	var all []*Formula
	for _, tuple := range tuples {
		inner := maps.Clone(env)
		for n, p := range tuple {
			inner[f.Quant.Names[n].Text] = p
		}
		all = append(all, expandNaively(f.Sub[0], inner, processes))
	}
	switch {
	case len(all) == 1:
		return all[0]
	case f.Op == OpForall && len(all) == 0:
		return &Formula{Op: OpTrue}
	case f.Op == OpForall:
		return &Formula{Op: OpAnd, Sub: all}
	case len(all) == 0:
		return &Formula{Op: OpFalse}
	}
	return &Formula{Op: OpOr, Sub: all}
}

// quantified makes a random formula that can be resolved over the processes
// a1, a2 and b1, which have p and x each.
func (g *generator) quantified(size int) *Formula {
	process := func() Name {
		if len(g.bound) > 0 && g.IntN(5) > 0 {
			return Name{Text: pick(g, g.bound...)}
		}
		return Name{Text: pick(g, "a1", "a2", "b1")}
	}
	variable := func(name string) *Expr {
		return &Expr{Op: ExprVar, Text: name, Process: process(), Owner: Unresolved}
	}
	if size <= 0 {
		e := variable("p")
		if g.IntN(2) == 0 {
			e = &Expr{Op: ExprCompare, Rel: []Relop{Less}, Args: []*Expr{
				pick(g, variable("x"), &Expr{Op: ExprTransit, Channel: &Channel{From: process(), To: process()}}),
				pick(g, variable("x"), &Expr{Op: ExprNumber, Int: 3}),
			}}
		}
		return &Formula{Op: OpAtom, Expr: e}
	}
	f := &Formula{Op: pick(g, OpNot, OpAnd, OpOr, OpEF, OpEU, OpForall, OpExists, OpForall, OpExists)}
	switch f.Op {
	case OpAnd, OpOr, OpEU:
		f.Sub = append(f.Sub, g.quantified((size-1)/2))
	case OpForall, OpExists:
		f.Quant = &Quantifier{Distinct: g.IntN(2) == 0}
		switch g.IntN(4) {
		case 0:
			f.Quant.Glob = pick(g, "*", "a*", "b?")
		case 1:
			f.Quant.Domain = []Name{process(), process()}
		}
		outer := len(g.bound)
		defer func() { g.bound = g.bound[:outer] }()
		for range 1 + g.IntN(2) {
			g.bound = append(g.bound, string(rune('i'+len(g.bound))))
			f.Quant.Names = append(f.Quant.Names, Name{Text: g.bound[len(g.bound)-1]})
		}
	}
	f.Sub = append(f.Sub, g.quantified((size-1)/len(append(f.Sub, f))))
	return f
}

// TestResolveNaively compares Resolve with substitution.
func TestResolveNaively(t *testing.T) {
	s := testScope{processes: []string{"a1", "b1", "a2"}, variables: map[int]map[string]Type{}}
	for p := range s.processes {
		s.variables[p] = map[string]Type{"p": BoolType, "x": NumberType}
	}
	for seed := range rounds(1000) {
		g := newGenerator(uint64(seed))
		f := g.quantified(g.IntN(7))
		plain := newResolver(context.Background(), f, s, nil)
		plain.plain = true
		var r *Formula
		if err := plain.try(func() { r = plain.formula(f) }); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, f, err)
		}
		if want := expandNaively(f, map[string]string{}, s.processes); !r.Equal(want) {
			t.Fatalf("seed %d: %s is resolved to\n%s, want\n%s", seed, f, r, want)
		}
		exprs := map[string]*Expr{}
		Walk(r, func(f *Formula) bool {
			if f.Op == OpAtom {
				if first := exprs[f.String()]; first != nil && first != f.Expr {
					t.Fatalf("seed %d: %s is there twice", seed, f)
				}
				exprs[f.String()] = f.Expr
				WalkExpr(f.Expr, func(e *Expr) {
					if e.Op == ExprVar && s.processes[e.Owner] != e.Process.Text || e.Type == UnknownType ||
						e.Op == ExprTransit && (s.processes[e.FromID] != e.From.Text || s.processes[e.ToID] != e.To.Text) {
						t.Fatalf("seed %d: %s is resolved wrongly: %+v", seed, f, e)
					}
				})
			}
			return true
		})
	}
}

func TestGlobPattern(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "", true}, {"*", "a/b", true}, {"?", "ü", true}, {"?", "", false}, {"a*", "abc", true}, {"a*", "ba", false},
		{"*b", "abab", true}, {"*b", "aba", false}, {"a*b*c", "axbxbxc", true}, {"a*b*c", "acb", false}, {"a?c", "abc", true},
		{"a?c", "ac", false}, {"**a**", "bab", true}, {"node-*", "node-", true}, {"node-*", "node", false}, {"[a]", "a", false}, {"ü*", "übel", true},
		{"a", "ab", false}, {"ab", "a", false},
	} {
		if got := globPattern(test.pattern).MatchString(test.name); got != test.want {
			t.Errorf("%s and %s: %v", test.pattern, test.name, got)
		}
	}
}

// Instances may be more than fit into memory: it is the context that ends it.
func TestResolveStopsWithItsContext(t *testing.T) {
	for _, src := range []string{
		"forall i, j, k, l, m, n, o, p: transit(i, j) + transit(k, l) + transit(m, n) <= transit(o, p)",
		"0 < sum i: sum j: sum k: sum l: sum m: sum n: sum o: sum p: transit(i, j) * transit(k, l) * transit(m, n) * transit(o, p)",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, err := Resolve(ctx, mustParse(t, src), manyProcesses(100)) // without the context it takes for ever
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", src, err)
		}
	}
}
