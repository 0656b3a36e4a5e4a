package syntax

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

var full = flag.Bool("full", false, "ten times as many random cases in each test, as before a release")

// rounds is graphtest.Rounds for this package, which graphtest imports.
func rounds(n int) int {
	switch {
	case *full || os.Getenv("POTA_FULL") != "":
		return 10 * n
	case testing.Short():
		return n / 5
	}
	return n
}

// A generator makes random formulas of every shape the grammar allows.
type generator struct {
	*rand.Rand
	bound []string // names that the quantifiers around bind
	plain bool     // only propositional variables as atoms, and no quantifiers

	state bool // no temporal operators
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
}

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// formula makes a formula with about size operators.
func (g *generator) formula(size int) *Formula {
	if size <= 0 {
		return g.leaf()
	}
	ops := []Op{OpNot, OpAnd, OpOr, OpAnd, OpOr, OpImplies, OpIff, OpEX, OpAX, OpEF, OpAF, OpEG, OpAG, OpEU, OpAU, OpER, OpAR, OpEW, OpAW, OpForall, OpExists}
	if g.plain {
		ops = ops[:len(ops)-2]
	}
	f := &Formula{Op: pick(g, ops...)}
	for g.state && f.Op.IsTemporal() {
		f.Op = pick(g, ops...)
	}
	operands := 1
	switch f.Op {
	case OpAnd, OpOr:
		operands = 2 + g.IntN(3)
	case OpImplies, OpIff, OpEU, OpAU, OpER, OpAR, OpEW, OpAW:
		operands = 2
	case OpForall, OpExists:
		outer := len(g.bound)
		f.Quant = g.quantifier()
		defer func() { g.bound = g.bound[:outer] }()
	}
	for range operands {
		f.Sub = append(f.Sub, g.formula((size-1)/operands-g.IntN(2)))
	}
	return f
}

func (g *generator) leaf() *Formula {
	switch {
	case g.IntN(12) == 0:
		return &Formula{Op: pick(g, OpTrue, OpFalse)}
	case g.plain:
		return &Formula{Op: OpAtom, Expr: &Expr{Op: ExprVar, Owner: Unresolved, Text: pick(g, "p", "q", "r")}}
	case g.IntN(2) == 0:
		return &Formula{Op: OpAtom, Expr: g.variable()}
	}
	e := &Expr{Op: ExprCompare, Args: []*Expr{g.sum(2)}}
	for range 1 + g.IntN(2)*g.IntN(3) {
		e.Rel = append(e.Rel, Relop(g.IntN(6)))
		e.Args = append(e.Args, g.sum(2))
	}
	return &Formula{Op: OpAtom, Expr: e}
}

func (g *generator) sum(size int) *Expr {
	if size > 0 && g.IntN(2) == 0 {
		op := pick(g, ExprAdd, ExprSub, ExprMul, ExprNeg)
		if op == ExprNeg {
			return &Expr{Op: op, Args: []*Expr{g.sum(size - 1)}}
		}
		return &Expr{Op: op, Args: []*Expr{g.sum(size - 1), g.sum(size - 1)}}
	}
	switch g.IntN(9) {
	case 8:
		return g.aggregate(size)
	case 0:
		return &Expr{Op: ExprNumber, Int: pick(g, 0, 1, 7, math.MaxInt64, math.MinInt64, g.Int64())}
	case 1:
		return &Expr{Op: ExprNumber, IsFloat: true, Float: pick(g, 0, 1, 0.5, 1e300, 1e-7, math.MaxFloat64, math.Abs(g.NormFloat64()))}
	case 2:
		return &Expr{Op: ExprString, Text: g.name()}
	case 3:
		return &Expr{Op: ExprBool, Bool: g.IntN(2) == 0}
	case 4:
		return &Expr{Op: ExprTransit, Channel: &Channel{From: g.process(), To: g.process()}}
	}
	return g.variable()
}

func (g *generator) aggregate(size int) *Expr {
	e := &Expr{Op: pick(g, ExprSum, ExprCount, ExprMin, ExprMax), Aggregate: new(Aggregate)}
	outer := len(g.bound)
	defer func() { g.bound = g.bound[:outer] }()
	e.Quant = g.quantifier()
	e.Quant.Names, e.Quant.Distinct = e.Quant.Names[:1], false
	g.bound = g.bound[:outer+1]
	if e.Op == ExprCount {
		outer := g.state
		g.state = true
		e.Form = g.formula(size)
		g.state = outer
	} else {
		e.Term = g.sum(size)
	}
	return e
}

func (g *generator) variable() *Expr {
	if g.IntN(2) == 0 {
		return &Expr{Op: ExprVar, Owner: Unresolved, Text: pick(g, "x", "y", "U", "R", "W", "E", "A", "in", "sum", "count", "transit", "EFx", "a.b", "_1", "größe")}
	}
	return &Expr{Op: ExprVar, Owner: Unresolved, Text: g.name(), Process: g.process()}
}

func (g *generator) process() Name {
	if len(g.bound) > 0 && g.IntN(2) == 0 {
		return Name{Text: pick(g, g.bound...)}
	}
	return Name{Text: g.name()}
}

// name makes a name that may need quotes.
func (g *generator) name() string {
	return pick(g, "P1", "P2", "x", "node-1", "a b", "not", "EF", "true", "in", "having", "U", "forall", "1", "x.", "x.y", "..", `"`, `\`, "#", "\n\t\x00\x7f", "日本", "e\u0301", "\u2028", "é", "]", "@")
}

func (g *generator) quantifier() *Quantifier {
	q := &Quantifier{}
	for range 1 + g.IntN(3) {
		name := pick(g, "i", "j", "k", "U", "in", "E", "P1") + pick(g, "", "", "1", "2", "_")
		taken := false
		for _, b := range g.bound {
			taken = taken || b == name
		}
		if !taken {
			q.Names = append(q.Names, Name{Text: name})
			g.bound = append(g.bound, name)
		}
	}
	if len(q.Names) == 0 {
		name := "fresh" + string(rune('a'+len(g.bound)%26)) + string(rune('a'+len(g.bound)/26))
		q.Names = []Name{{Text: name}}
		g.bound = append(g.bound, name)
	}
	q.Distinct = len(q.Names) > 1 && g.IntN(2) == 0
	switch g.IntN(3) {
	case 0:
		q.Glob = pick(g, "*", "node*", `a"b`)
	case 1:
		for range 1 + g.IntN(3) {
			q.Domain = append(q.Domain, Name{Text: g.name()})
		}
	}
	for range g.IntN(3) * g.IntN(2) {
		q.Having = append(q.Having, Name{Text: pick(g, "cs", "having", "in", g.name())})
	}
	return q
}
