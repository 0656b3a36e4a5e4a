package syntax

import (
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
	f, err := Resolve(mustParse(t, src), scope)
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
		{"forall P1: cs@P1", "cs@P1 && cs@P2 && cs@P3"},
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
	if _, err := Resolve(f, threeProcesses()); err != nil {
		t.Fatal(err)
	}
	if f.String() != before || f.Sub[0].Sub[0].Sub[1].Expr.Args[0].Owner != Unresolved {
		t.Errorf("Resolve changed its argument to %s", f)
	}
}

func TestResolveShares(t *testing.T) {
	const n = 250
	start := time.Now()
	f := mustResolve(t, "forall i != j: !(cs@i && cs@j)", manyProcesses(n))
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("took %v", d)
	}
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
		if _, err := Resolve(f, scope); err != nil {
			b.Fatal(err)
		}
	}
}
