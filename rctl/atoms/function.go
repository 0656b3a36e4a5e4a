package atoms

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Function is a formula or an expression, compiled for evaluation at the cuts of a
// computation.
type Function[T any] struct {
	Slots []Slot
	Of    func(env []graphs.Value) T // the value, given the values of the slots
	comp  *graphs.Computation
}

// A Predicate is a formula without temporal operators.
type Predicate = Function[bool]

// A Term is an expression.
type Term = Function[graphs.Value]

// Env returns a new environment, with room for the values of the slots.
func (f *Function[T]) Env() []graphs.Value { return make([]graphs.Value, len(f.Slots)) }

// At evaluates the function at a cut; env is overwritten. The time complexity of At
// is O(|function| + slots log events).
func (f *Function[T]) At(cut graphs.Cut, env []graphs.Value) T {
	for i := range f.Slots {
		env[i] = f.Slots[i].At(f.comp, cut)
	}
	return f.Of(env)
}

// Chain returns the chain of the slots. It returns ok = false if the slots have no
// chain or several.
func (f *Function[T]) Chain() (h Chain, ok bool) {
	for i := range f.Slots {
		if g := f.Slots[i].Chain(); i == 0 {
			h = g
		} else if g != h {
			return Chain{}, false
		}
	}
	return h, len(f.Slots) > 0
}

// A ValuesError names a variable of the formula whose values the reader of the trace skipped at the
// caller's request.
type ValuesError struct {
	Variable string
	Pos      int // byte offset in the formula
}

func (e *ValuesError) Error() string {
	return fmt.Sprintf("the values of %s were not read", e.Variable)
}

// Compile compiles a resolved formula without temporal operators. The error, if any,
// is a *ValuesError. The time complexity of Compile is O(|f|).
func Compile(c *graphs.Computation, f *syntax.Formula) (*Predicate, error) {
	return compile(c, (*compiler).formula, f)
}

// CompileTerm compiles a resolved expression. The error, if any, is a
// *ValuesError. The time complexity of CompileTerm is O(|e|).
func CompileTerm(c *graphs.Computation, e *syntax.Expr) (*Term, error) {
	return compile(c, (*compiler).value, e)
}

// compile compiles a formula or an expression; as is the method of compiler that does so.
func compile[F, T any](c *graphs.Computation, as func(*compiler, F) func(env []graphs.Value) T, f F) (*Function[T], error) {
	k := &compiler{
		comp:      c,
		places:    make(map[*graphs.Variable]int),
		channels:  make(map[Channel]int),
		opposites: make(map[[2]*syntax.Formula]bool),
	}
	of := as(k, f)
	if k.err != nil {
		return nil, k.err
	}
	return &Function[T]{k.slots, of, c}, nil
}

// A compiler compiles one formula. Slots are shared: a variable that the formula mentions
// twice is read once at each cut.
type compiler struct {
	comp   *graphs.Computation
	slots  []Slot
	places map[*graphs.Variable]int // the slot of each variable
	// the first of the two slots of each channel: sent messages, then received ones
	channels map[Channel]int
	err      error

	opposites map[[2]*syntax.Formula]bool // the results of opposite
}

type (
	truth = func(env []graphs.Value) bool
	value = func(env []graphs.Value) graphs.Value
)

// formula compiles a formula to a closure, from its atoms up.
func (k *compiler) formula(f *syntax.Formula) truth {
	if f.Op == syntax.OpAtom {
		return k.atom(f.Expr)
	}
	if p, q, ok := k.equivalence(f); ok {
		// In negation normal form each side occurs twice; here it is evaluated once.
		return syntax.Connect(syntax.OpIff, []truth{k.formula(p), k.formula(q)})
	}
	subs := syntax.Mapped(f.Sub, k.formula)
	of := syntax.Connect(f.Op, subs)
	if of == nil {
		panic("this cannot happen, because only propositional formulas without quantifiers are compiled: " + f.String())
	}
	return of
}

// equivalence returns p and q if f is p && q || !p && !q in negation normal form, which
// syntax.NNF produces from p <-> q.
func (k *compiler) equivalence(f *syntax.Formula) (p, q *syntax.Formula, ok bool) {
	if f.Op != syntax.OpOr || len(f.Sub) != 2 {
		return nil, nil, false
	}
	both, neither := f.Sub[0], f.Sub[1]
	if both.Op != syntax.OpAnd || neither.Op != syntax.OpAnd || len(both.Sub) != 2 ||
		!slices.EqualFunc(both.Sub, neither.Sub, k.opposite) {
		return nil, nil, false
	}
	return both.Sub[0], both.Sub[1], true
}

// opposite reports whether f and g are obviously negations of each other: by De Morgan's
// laws, or because both are equivalences of the same formulas, one of them with a side
// negated.
func (k *compiler) opposite(f, g *syntax.Formula) bool {
	key := [2]*syntax.Formula{f, g}
	is, ok := k.opposites[key]
	if ok {
		return is
	}
	if g.Op == syntax.OpNot {
		f, g = g, f
	}
	switch {
	case f.Op == syntax.OpNot:
		// Equal atoms have the same expression.
		atom := f.Sub[0]
		is = atom == g || atom.Op == syntax.OpAtom && g.Op == syntax.OpAtom && atom.Expr == g.Expr
	case f.Op == syntax.OpAnd && g.Op == syntax.OpOr, f.Op == syntax.OpOr && g.Op == syntax.OpAnd:
		is = slices.EqualFunc(f.Sub, g.Sub, k.opposite)
	default:
		p, q, first := k.equivalence(f)
		r, s, second := k.equivalence(g)
		is = first && second && (p == r && k.opposite(q, s) || q == s && k.opposite(p, r))
	}
	k.opposites[key] = is
	return is
}

// atom compiles a Boolean expression.
func (k *compiler) atom(e *syntax.Expr) truth {
	switch e.Op {
	case syntax.ExprBool:
		b := e.Bool
		return func([]graphs.Value) bool { return b }
	case syntax.ExprVar:
		i := k.variable(e)
		return func(env []graphs.Value) bool { return env[i].Bool() }
	case syntax.ExprCompare:
		return k.comparison(e)
	}
	panic("this cannot happen, because Resolve accepts only Boolean atoms: " + e.String())
}

// comparison compiles a chain of comparisons, such as a <= b < c.
func (k *compiler) comparison(e *syntax.Expr) truth {
	if len(e.Args) == 2 {
		x, y, rel := k.value(e.Args[0]), k.value(e.Args[1]), e.Rel[0]
		return func(env []graphs.Value) bool { return scope.Related(rel, x(env), y(env)) }
	}
	args := syntax.Mapped(e.Args, k.value)
	return func(env []graphs.Value) bool {
		x := args[0](env)
		for i, rel := range e.Rel {
			y := args[i+1](env)
			if !scope.Related(rel, x, y) {
				return false
			}
			x = y
		}
		return true
	}
}

// value compiles an expression.
func (k *compiler) value(e *syntax.Expr) value {
	if x, ok := scope.Literal(e); ok {
		return constant(x)
	}
	switch e.Op {
	case syntax.ExprVar:
		i := k.variable(e)
		return func(env []graphs.Value) graphs.Value { return env[i] }
	case syntax.ExprTransit:
		sent, received := k.channel(e)
		return func(env []graphs.Value) graphs.Value {
			return graphs.Int(env[sent].Int64() - env[received].Int64())
		}
	case syntax.ExprCompare:
		holds := k.comparison(e)
		return func(env []graphs.Value) graphs.Value { return graphs.Boolean(holds(env)) }
	case syntax.ExprNeg:
		x := k.value(e.Args[0])
		return func(env []graphs.Value) graphs.Value { return graphs.Int(0).Sub(x(env)) }
	}
	if e.Op.IsAggregate() {
		return k.aggregate(e)
	}
	x, y := k.value(e.Args[0]), k.value(e.Args[1])
	op := scope.Operation(e.Op)
	return func(env []graphs.Value) graphs.Value { return op(x(env), y(env)) }
}

// aggregate compiles count, sum, min and max over their operands.
func (k *compiler) aggregate(e *syntax.Expr) value {
	args := syntax.Mapped(e.Args, k.value)
	subs := syntax.Mapped(e.Sub, k.formula)
	switch e.Op {
	case syntax.ExprCount:
		return func(env []graphs.Value) graphs.Value {
			n := int64(0)
			for _, sub := range subs {
				if sub(env) {
					n++
				}
			}
			return graphs.Int(n)
		}
	case syntax.ExprSum:
		args = slices.Insert(args, 0, constant(graphs.Int(0)))
	}
	op := scope.Operation(e.Op)
	return func(env []graphs.Value) graphs.Value {
		x := args[0](env)
		for _, arg := range args[1:] {
			x = op(x, arg(env))
		}
		return x
	}
}

func constant(x graphs.Value) value { return func([]graphs.Value) graphs.Value { return x } }

// channel returns the slots of the sent and the received messages of a channel.
func (k *compiler) channel(e *syntax.Expr) (sent, received int) {
	h := Channel{From: e.FromID, To: e.ToID}
	i, ok := k.channels[h]
	if !ok {
		i = len(k.slots)
		k.channels[h] = i
		s, r := h.Ends(k.comp)
		k.slots = append(k.slots, s, r)
	}
	return i, i + 1
}

// variable returns the slot of a variable.
func (k *compiler) variable(e *syntax.Expr) int {
	v := k.comp.Variable(e.Owner, e.Text)
	if v == nil {
		panic("this cannot happen, because Resolve looked the variable up: " + e.String())
	}
	if v.Skipped() {
		k.err = &ValuesError{e.String(), e.Pos}
	}
	i, ok := k.places[v]
	if !ok {
		i = len(k.slots)
		k.places[v] = i
		k.slots = append(k.slots, Slot{Variable: v})
	}
	return i
}

// A Test is a predicate for evaluation at many cuts, with a table if it is about one process. It is
// not safe for concurrent use.
type Test struct {
	States []bool // the truth in each state of the process; nil if there is no such process

	predicate *Predicate
	process   int
	chains    []int          // the process of each slot, or graphs.Shared
	env       []graphs.Value // the values of the slots at the cut last
	last      graphs.Cut     // the cut of the previous call; nil before the first
}

// NewTest makes a test of a resolved formula without temporal operators. The error, if
// any, is a *ValuesError. The time complexity of NewTest is O(|f|) and, if f is about one
// process, O(events of the process + changes · |f|) in addition.
func NewTest(c *graphs.Computation, f *syntax.Formula) (*Test, error) {
	p, err := Compile(c, f)
	if err != nil {
		return nil, err
	}
	t := &Test{predicate: p, env: p.Env()}
	for i := range p.Slots {
		t.chains = append(t.chains, p.Slots[i].Chain().Process)
	}
	if h, ok := p.Chain(); ok && h.Shared == nil {
		t.process, t.States = h.Process, Along(p).States(c, h.Process)
	}
	return t, nil
}

// At reports whether the predicate holds at a cut. The time complexity of At is O(1) if the
// predicate is about one process. Otherwise At reads only the slots of shared variables and of
// processes whose state differs from the previous call.
func (t *Test) At(cut graphs.Cut) bool {
	if t.States != nil {
		return t.States[cut[t.process]]
	}
	for i, p := range t.chains {
		if t.last == nil || p == graphs.Shared || t.last[p] != cut[p] {
			t.env[i] = t.predicate.Slots[i].At(t.predicate.comp, cut)
		}
	}
	t.last = append(t.last[:0], cut...)
	return t.predicate.Of(t.env)
}
