package syntax

import (
	"context"
	"slices"
	"testing"
)

// A valuation gives p and x to each process, and a length to each channel.
type valuation struct {
	processes []string
	p         map[string]bool
	x         map[string]int64
	transit   map[[2]string]int64
}

func (g *generator) valuation(processes []string) valuation {
	v := valuation{processes, map[string]bool{}, map[string]int64{}, map[[2]string]int64{}}
	for _, a := range processes {
		v.p[a], v.x[a] = g.IntN(2) == 0, int64(g.IntN(4)-1)
		for _, b := range processes {
			v.transit[[2]string{a, b}] = int64(g.IntN(3))
		}
	}
	return v
}

// An environment says what names stand for.
type environment map[string]string

func (env environment) process(n Name) string {
	if p, ok := env[n.Text]; ok {
		return p
	}
	return n.Text
}

// bindings lists the environments in which q's names are bound.
func (v valuation) bindings(q *Quantifier, env environment) []environment {
	domain := slices.DeleteFunc(slices.Clone(v.processes), func(p string) bool {
		if q.Domain == nil {
			return q.Glob != "" && !globPattern(q.Glob).MatchString(p)
		}
		return !slices.ContainsFunc(q.Domain, func(n Name) bool { return env.process(n) == p })
	})
	all := []environment{env}
	for n, name := range q.Names {
		var longer []environment
		for _, outer := range all {
		next:
			for _, p := range domain {
				inner := environment{name.Text: p}
				for k, q := range outer {
					inner[k] = q
				}
				for _, before := range q.Names[:n] {
					if q.Distinct && inner[before.Text] == p {
						continue next
					}
				}
				longer = append(longer, inner)
			}
		}
		all = longer
	}
	return all
}

// holds and value evaluate by the definitions, before and after Resolve.
func (v valuation) holds(f *Formula, env environment) bool {
	switch f.Op {
	case OpTrue, OpFalse:
		return f.Op == OpTrue
	case OpNot:
		return !v.holds(f.Sub[0], env)
	case OpAnd, OpOr:
		for _, sub := range f.Sub {
			if v.holds(sub, env) == (f.Op == OpOr) {
				return f.Op == OpOr
			}
		}
		return f.Op == OpAnd
	case OpForall, OpExists:
		for _, inner := range v.bindings(f.Quant, env) {
			if v.holds(f.Sub[0], inner) == (f.Op == OpExists) {
				return f.Op == OpExists
			}
		}
		return f.Op == OpForall
	}
	e := f.Expr
	if e.Op == ExprVar {
		return v.p[env.process(e.Process)]
	}
	for i, rel := range e.Rel {
		a, b := v.value(e.Args[i], env), v.value(e.Args[i+1], env)
		if ![]bool{Less: a < b, LessEqual: a <= b, Equal: a == b, NotEqual: a != b, GreaterEqual: a >= b, Greater: a > b}[rel] {
			return false
		}
	}
	return true
}

func (v valuation) value(e *Expr, env environment) int64 {
	var values []int64
	switch {
	case e.Op == ExprNumber:
		return e.Int
	case e.Op == ExprVar:
		return v.x[env.process(e.Process)]
	case e.Op == ExprTransit:
		return v.transit[[2]string{env.process(e.From), env.process(e.To)}]
	case !e.Op.IsAggregate() || e.Args != nil:
		for _, arg := range e.Args {
			values = append(values, v.value(arg, env))
		}
	case e.Sub != nil:
		for _, sub := range e.Sub {
			values = append(values, v.one(sub, env))
		}
	default:
		for _, inner := range v.bindings(e.Quant, env) {
			if e.Op == ExprCount {
				values = append(values, v.one(e.Form, inner))
			} else {
				values = append(values, v.value(e.Term, inner))
			}
		}
	}
	switch e.Op {
	case ExprNeg:
		return -values[0]
	case ExprSub:
		return values[0] - values[1]
	case ExprMul:
		return values[0] * values[1]
	case ExprMin:
		return slices.Min(values)
	case ExprMax:
		return slices.Max(values)
	}
	sum := int64(0)
	for _, x := range values {
		sum += x
	}
	return sum
}

func (v valuation) one(f *Formula, env environment) int64 {
	if v.holds(f, env) {
		return 1
	}
	return 0
}

// counted makes a random formula over the processes a1, b1 and a2, full of
// aggregates. Some names that it binds are those of processes.
func (g *generator) counted(size int) *Formula {
	switch g.IntN(6) {
	case 0:
		if size > 0 {
			return &Formula{Op: pick(g, OpAnd, OpOr), Sub: []*Formula{g.counted(size / 2), g.counted(size / 2)}}
		}
	case 1:
		if size > 0 {
			f := &Formula{Op: pick(g, OpForall, OpExists)}
			f.Quant = g.binding()
			f.Sub = []*Formula{g.counted(size - 1)}
			g.bound = g.bound[:len(g.bound)-1]
			return f
		}
	case 2:
		return &Formula{Op: OpNot, Sub: []*Formula{g.counted(size - 1)}}
	case 3:
		return &Formula{Op: OpAtom, Expr: g.of("p")}
	}
	e := &Expr{Op: ExprCompare, Args: []*Expr{g.number(size)}}
	for range 1 + g.IntN(2)*g.IntN(2) {
		e.Rel = append(e.Rel, Relop(g.IntN(6)))
		e.Args = append(e.Args, g.number(size/2))
	}
	return &Formula{Op: OpAtom, Expr: e}
}

// binding makes a quantifier of one name, which it leaves bound.
func (g *generator) binding() *Quantifier {
	q := &Quantifier{}
	switch g.IntN(4) {
	case 0:
		q.Glob = pick(g, "*", "a*", "b?")
	case 1:
		q.Domain = []Name{g.of("p").Process, g.of("p").Process}
	}
	name := pick(g, "i", "j", "k", "l", "m", "n", "a1", "b1", "b1_")
	for slices.Contains(g.bound, name) {
		name += "_"
	}
	g.bound = append(g.bound, name)
	q.Names = []Name{{Text: name}}
	return q
}

func (g *generator) of(name string) *Expr {
	process := Name{Text: pick(g, "a1", "b1", "a2")}
	if len(g.bound) > 0 && g.IntN(5) > 0 {
		process.Text = pick(g, g.bound...)
	}
	return &Expr{Op: ExprVar, Text: name, Process: process, Owner: Unresolved}
}

func (g *generator) number(size int) *Expr {
	switch g.IntN(5) {
	case 0:
		return &Expr{Op: ExprTransit, Channel: &Channel{From: g.of("p").Process, To: g.of("p").Process}}
	case 1:
		if size > 0 {
			return &Expr{Op: pick(g, ExprAdd, ExprSub, ExprMul), Args: []*Expr{g.number(size / 2), g.number(size / 2)}}
		}
	case 2, 3:
		if size > 0 {
			e := &Expr{Op: pick(g, ExprSum, ExprCount, ExprMin, ExprMax), Aggregate: &Aggregate{Quant: g.binding()}}
			if e.Op == ExprCount {
				e.Form = g.counted(size - 1)
			} else {
				e.Term = g.number(size - 1)
			}
			g.bound = g.bound[:len(g.bound)-1]
			return e
		}
	}
	if g.IntN(2) == 0 {
		return &Expr{Op: ExprNumber, Int: int64(g.IntN(5) - 1)}
	}
	return g.of("x")
}

// TestResolveAggregates: what Resolve makes of a formula has its truth, and what
// it prints resolves to the same.
func TestResolveAggregates(t *testing.T) {
	s := testScope{processes: []string{"a1", "b1", "a2"}, variables: map[int]map[string]Type{}}
	for p := range s.processes {
		s.variables[p] = map[string]Type{"p": BoolType, "x": NumberType}
	}
	spread, kept := 0, 0
	for seed := range rounds(1000) {
		g := newGenerator(uint64(seed))
		f := g.counted(g.IntN(7))
		r, err := Resolve(context.Background(), f, s)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, f, err)
		}
		again, err := Resolve(context.Background(), mustParse(t, r.String()), s)
		if err != nil {
			t.Fatalf("seed %d: %s is resolved to %s: %v", seed, f, r, err)
		}
		texts := map[*Expr]string{}
		Walk(r, func(f *Formula) bool {
			if f.Op == OpAtom {
				WalkExpr(f.Expr, func(e *Expr) {
					if e.Op.IsAggregate() {
						kept++
						texts[e] = e.String()
					}
				})
			}
			return true
		})
		if r.String() != f.String() {
			spread++
		}
		for range 10 {
			v := g.valuation(s.processes)
			want := v.holds(f, environment{})
			if v.holds(r, environment{}) != want || v.holds(again, environment{}) != want || v.holds(NNF(Not(r)), environment{}) == want {
				t.Fatalf("seed %d: %s is %v, and not so %s, or the same read again,\n%s, in %v", seed, f, want, r, again, v)
			}
			for e, text := range texts {
				g, err := Resolve(context.Background(), mustParse(t, "("+text+") == 0"), s)
				if err != nil {
					t.Fatalf("seed %d: %s: %v", seed, text, err)
				}
				if v.holds(g, environment{}) != (v.value(e, environment{}) == 0) {
					t.Fatalf("seed %d: %s is read as something else in %v", seed, text, v)
				}
			}
		}
	}
	if n := rounds(100); spread < n || kept < n {
		t.Errorf("%d formulas changed, %d aggregates left", spread, kept)
	}
}

func TestResolveAggregatesTo(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"(sum i in {P1, P3}: x@i) > 3", "(sum i in {P1, P3}: x@i) > 3"},
		{"(sum i in {P3}: x@i + turn) > 3", "x@P3 + turn > 3"},
		{"(count i: cs@i) >= 2", "(count i: cs@i) >= 2"},
		{"(count i: cs@i) >= 1", "cs@P1 || cs@P2 || cs@P3"},
		{"0 == count i: cs@i", "!cs@P1 && !cs@P2 && !cs@P3"},
		{"(count i: !cs@i) < 3", "cs@P1 || cs@P2 || cs@P3"},
		{"(count i: cs@i) > 2", "cs@P1 && cs@P2 && cs@P3"},
		{"1 <= (count i: cs@i) <= 4", "(cs@P1 || cs@P2 || cs@P3) && true"},
		{"(count i: cs@i) == 7", "false"},
		{"(count i in {P2}: cs@i) == 1", "cs@P2"},
		{"(min i in {P1, P3}: x@i) >= only", "x@P1 >= only && x@P3 >= only"},
		{"2 < (max i in {P1, P3}: x@i)", "x@P1 > 2 || x@P3 > 2"},
		{"(max i in {P1, P3}: x@i) == 2", "(x@P1 <= 2 && x@P3 <= 2) && (x@P1 >= 2 || x@P3 >= 2)"},
		{"(max i in {P1, P3}: x@i) - (min i in {P1, P3}: x@i) > 1", "(max i in {P1, P3}: x@i) - (min i in {P1, P3}: x@i) > 1"},
		{"exists k in {P1, P3}: (sum i: transit(i, k)) > 2 * x@k", "(sum i: transit(i, P1)) > 2 * x@P1 || (sum i: transit(i, P3)) > 2 * x@P3"},
		{"exists k in {P1, P3}: (sum i in {P2, k}: transit(i, k)) > 1", "(sum i in {P2, P1}: transit(i, P1)) > 1 || (sum i in {P2, P3}: transit(i, P3)) > 1"},
		{"exists k: (sum P1: transit(P1, k)) > 2", "(sum P1_: transit(P1_, P1)) > 2 || (sum P1: transit(P1, P2)) > 2 || (sum P1: transit(P1, P3)) > 2"},
		{"(count i: exists j: cs@i && cs@j) == 2", "(count i: exists j: cs@i && cs@j) == 2"},
	} {
		f := mustResolve(t, test.src, threeProcesses())
		if got := f.String(); got != test.want {
			t.Errorf("%s: resolved to %s, want %s", test.src, got, test.want)
		}
	}
}

// TestResolveShareAggregates: instances that do not depend on what is bound
// further out are there once.
func TestResolveShareAggregates(t *testing.T) {
	const n = 100
	f := mustResolve(t, "forall k: (sum i: sum j: transit(i, j)) + x@k < 3", manyProcesses(n))
	sums := map[*Expr]bool{}
	for _, sub := range f.Sub {
		sums[sub.Expr.Args[0].Args[0]] = true
	}
	if len(f.Sub) != n || len(sums) != 1 {
		t.Errorf("%d sums in %d instances", len(sums), len(f.Sub))
	}
}
