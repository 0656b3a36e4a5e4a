package syntax

import "slices"

// This file replaces a quantifier over several names by counts, without writing out its
// instances.
//
// A formula over the bound names i, j, … is transformed into cases, a disjunction of
// conjunctions of predicates of one name each:
//
//	exists i, j:    P(i) && Q(j)    (exists i: P(i)) && (exists j: Q(j))
//	exists i != j:  P(i) && P(j)    (count i: P(i)) >= 2
//	exists i != j:  P(i) && Q(j)    (exists i: P(i)) && (exists j: Q(j)) && (count i: P(i) || Q(i)) >= 2
//
// The last two are instances of Hall's theorem (On representatives of subsets, 1935):
// different processes can be chosen if and only if, for each set of n names, at least n
// processes satisfy one of their predicates. Names with the same predicate may be treated
// as a group.
//
// A comparison of x@i with a term of j becomes one case for each value of x, if there are
// few:
//
//	x@i < y@j       for each value v of x    x@i == v && y@j > v
//
// A forall is the negation of the exists of the negation.

const (
	maxCases  = 256 // the most cases of one formula
	maxValues = 64  // the most values of a variable that is compared with a term of another name
	maxNames  = 4   // the most names of a quantifier
)

// A Valuer is a Scope that knows the values of variables.
type Valuer interface {
	Scope
	// Values returns the values that the variables of a name have in some processes, as
	// constants in increasing order. It returns ok = false if there are more than limit, or if
	// the values are not known.
	Values(processes []int, name string, limit int) (values []*Expr, ok bool)
}

// shorter resolves f, a quantified formula or an atom, by counting or comparing instead of
// writing out the instances. It returns nil if that is not much shorter, or if f has an error:
// writing out the instances then finds and reports it.
func (r *resolver) shorter(f *Formula) (short *Formula) {
	g, ok := r.others[f]
	if !ok && !r.plain && DataFree(f) {
		r.try(func() {
			switch {
			case f.Op == OpAtom:
				g = r.within(f)
			case len(f.Quant.Names) == 1:
				g = r.extreme(f)
			default:
				g = r.counted(f)
			}
		})
	}
	if !ok {
		r.others[f] = g
	}
	if g == nil {
		return nil
	}
	r.try(func() {
		// a comparison with min or max keeps its form
		if g.Op == OpAtom && len(f.Quant.Names) == 1 {
			short = r.known(r.expr(g.Expr), f.Pos)
		} else {
			short = r.formula(g)
		}
	})
	return short
}

// counted returns a formula with counts that is equivalent to f, which is quantified over
// several names; nil if there is none, or none much shorter.
func (r *resolver) counted(f *Formula) *Formula {
	q := f.Quant
	if len(q.Names) < 2 || len(q.Names) > maxNames || r.listsNames(q) ||
		Find(f.Sub[0], func(g *Formula) bool { return g.Op <= OpFalse || g.Op.IsTemporal() }) != nil {
		return nil
	}

	domain := r.domain(q)
	c := &counter{resolver: r, f: f, domain: domain}
	cases, ok := c.cases(f.Sub[0], f.Op == OpForall)
	if !ok {
		return nil
	}
	some := Mapped(cases, c.choice)
	instances := 1.0
	for range q.Names {
		instances *= float64(len(domain))
	}
	if c.conditions > 1 && 4*float64(c.conditions)*float64(len(domain)) > instances {
		return nil
	}
	g := Or(some...)
	if f.Op == OpForall {
		g = Tidy(NNF(Not(g)))
	}
	return g
}

// listsNames reports whether the domain of q lists names that quantifiers bind.
func (r *resolver) listsNames(q *Quantifier) bool {
	return slices.ContainsFunc(q.Domain,
		func(name Name) bool { _, ok := r.slots[name.Text]; return ok })
}

// A counter finds the counts for one quantified formula.
type counter struct {
	*resolver
	f          *Formula
	domain     []int
	conditions int // how many quantifiers and counts the result has so far
}

// A choice is a conjunction of predicates. Its i-th element has the predicates of the
// i-th name, and the last element has those that mention no name.
type choice [][]*Formula

// empty returns a choice that restricts no name.
func (c *counter) empty() choice { return make(choice, len(c.f.Quant.Names)+1) }

// only returns the case of a single literal, which mentions the name with the given number.
func (c *counter) only(name int, literal *Formula) []choice {
	k := c.empty()
	k[name] = []*Formula{literal}
	return []choice{k}
}

// mentioned returns the numbers of those names of the quantifier that f mentions.
func (c *counter) mentioned(f *Formula) []int {
	var numbers []int
	free := c.node(f).free
	for i, name := range c.f.Quant.Names {
		if slices.Contains(free, c.slots[name.Text]) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// cases transforms f or its negation into cases. It returns false if there are too many, or
// if a part relates names in another way.
func (c *counter) cases(f *Formula, negated bool) ([]choice, bool) {
	names := c.mentioned(f)
	if len(names) < 2 {
		name := len(c.f.Quant.Names)
		if len(names) == 1 {
			name = names[0]
		}
		if negated {
			f = Not(f)
		}
		return c.only(name, Tidy(NNF(f))), true
	}

	switch f.Op {
	case OpNot:
		return c.cases(f.Sub[0], !negated)
	case OpAnd, OpOr:
		if (f.Op == OpAnd) != negated {
			return c.both(f.Sub, negated)
		}
		return c.either(f.Sub, negated)
	case OpImplies:
		return c.cases(New(OpOr, f.Pos, Not(f.Sub[0]), f.Sub[1]), negated)
	case OpIff:
		p, q := f.Sub[0], f.Sub[1]
		if negated {
			q = Not(q)
		}
		return c.either([]*Formula{And(p, q), And(Not(p), Not(q))}, false)
	case OpAtom:
		return c.comparison(f, negated)
	}
	return nil, false
}

// either returns the cases of the disjunction of fs, each negated if negated is set.
func (c *counter) either(fs []*Formula, negated bool) ([]choice, bool) {
	var all []choice
	for _, f := range fs {
		some, ok := c.cases(f, negated)
		if all = append(all, some...); !ok || len(all) > maxCases {
			return nil, false
		}
	}
	return all, true
}

// both returns the cases of the conjunction of fs, each negated if negated is set.
func (c *counter) both(fs []*Formula, negated bool) ([]choice, bool) {
	all := []choice{c.empty()}
	for _, f := range fs {
		some, ok := c.cases(f, negated)
		if !ok || len(all)*len(some) > maxCases {
			return nil, false
		}
		var next []choice
		for _, a := range all {
			for _, b := range some {
				k := c.empty()
				for i := range k {
					k[i] = append(slices.Clip(a[i]), b[i]...)
				}
				next = append(next, k)
			}
		}
		all = next
	}

	return all, true
}

// comparison returns the cases of a comparison that mentions several names.
func (c *counter) comparison(f *Formula, negated bool) ([]choice, bool) {
	e := f.Expr
	if e.Op != ExprCompare {
		return nil, false
	}
	if len(e.Rel) > 1 {
		part := func(e *Expr) *Formula { return &Formula{Op: OpAtom, Expr: e, Pos: f.Pos} }
		return c.cases(New(OpAnd, f.Pos, Mapped(Neighbours(e), part)...), negated)
	}

	if negated {
		e, _ = Invert(e)
	}
	for i, x := range e.Args {
		rel := e.Rel[0]
		y := e.Args[1-i]
		if i == 1 {
			rel = rel.Mirrored()
		}
		of, with := c.mentioned(AsAtom(x)), c.mentioned(AsAtom(y))
		if x.Op != ExprVar || len(of) != 1 || len(with) != 1 || of[0] == with[0] {
			continue
		}
		if values, ok := c.values(c.domain, x); ok {
			var all []choice
			for _, v := range values {
				k := c.only(of[0], c.compare(e, x, Equal, v))[0]
				k[with[0]] = []*Formula{c.compare(e, y, rel.Mirrored(), v)}
				all = append(all, k)
			}
			return all, true
		}
	}

	return nil, false
}

// compare returns the atom x rel v, with the position of e.
func (c *counter) compare(e, x *Expr, rel Relop, v *Expr) *Formula {
	return &Formula{Op: OpAtom, Expr: e.comparing(x, rel, v), Pos: c.f.Pos}
}

// values returns the values of the variable x in some processes, and false if they are too many or
// not known.
func (r *resolver) values(processes []int, x *Expr) ([]*Expr, bool) {
	scope, ok := r.scope.(Valuer)
	if !ok {
		return nil, false
	}
	return scope.Values(processes, x.Text, maxValues)
}

// choice returns a formula that says that processes for the names exist that satisfy a case.
func (c *counter) choice(k choice) *Formula {
	q := c.f.Quant
	var groups []*Formula // the distinct predicates, all about the first name
	var sizes []int       // how many names have each predicate
	for i, literals := range k[:len(q.Names)] {
		p := And(literals...)
		if i > 0 {
			p = c.rewriteFormula(p, renaming{q.Names[i].Text: q.Names[0].Text})
		}
		g := slices.IndexFunc(groups, p.Equal)
		if g < 0 {
			g = len(groups)
			groups, sizes = append(groups, p), append(sizes, 0)
		}
		sizes[g]++
	}

	all := slices.Clip(k[len(q.Names)])
	if !q.Distinct {
		for _, p := range groups {
			all = append(all, c.atLeast(1, p))
		}
		return And(all...)
	}

	for set := 1; set < 1<<len(groups); set++ {
		var some []*Formula
		names := 0
		for g, p := range groups {
			if set&(1<<g) != 0 {
				some, names = append(some, p), names+sizes[g]
			}
		}
		all = append(all, c.atLeast(names, Or(some...)))
	}

	return And(all...)
}

// atLeast returns a formula that says that p holds for at least n processes, n ≥ 1.
func (c *counter) atLeast(n int, p *Formula) *Formula {
	switch {
	case p.Op == OpFalse || n > len(c.domain):
		return &Formula{Op: OpFalse, Pos: c.f.Pos}
	case p.Op == OpTrue:
		return p
	}
	c.conditions++
	q := new(*c.f.Quant)
	q.Names, q.Distinct = q.Names[:1:1], false
	if n == 1 {
		return &Formula{Op: OpExists, Quant: q, Sub: []*Formula{p}, Pos: c.f.Pos}
	}
	count := newExpr(ExprCount, c.f.Pos)
	count.Aggregate = &Aggregate{Quant: q, Form: p}
	compare := newExpr(ExprCompare, c.f.Pos, count, wholeNumber(int64(n), c.f.Pos))
	compare.Rel, compare.For = []Relop{GreaterEqual}, c.f.Op
	return AsAtom(compare)
}

// extreme returns a formula equivalent to f, an exists or forall that compares a term of
// its single name with a term of names bound further out:
//
//	exists j: x@j > t    (max j: x@j) > t        forall j: x@j > t    (min j: x@j) > t
//
// It returns nil for other formulas, and if f has too few instances, over all bindings of the
// outer names, for this to pay. The maximum or minimum is computed once for all of these bindings.
func (r *resolver) extreme(f *Formula) *Formula {
	q := f.Quant
	body := f.Sub[0]
	if len(q.Names) != 1 || body.Op != OpAtom || !body.Expr.ComparesTwo() || r.listsNames(q) {
		return nil
	}
	slot := r.slots[q.Names[0].Text]
	inner := func(s int) bool { return s == slot }
	// the names bound further out
	outer := slices.DeleteFunc(slices.Clone(r.node(body).free), inner)
	alone := func(e *Expr) bool { return slices.Equal(r.node(AsAtom(e)).free, []int{slot}) }

	x := body.Expr.Args[0]
	rel := body.Expr.Rel[0]
	t := body.Expr.Args[1]
	if !alone(x) {
		x, t = t, x
		rel = rel.Mirrored()
	}
	if !alone(x) || slices.Contains(r.node(AsAtom(t)).free, slot) || len(outer) == 0 {
		return nil
	}
	op := ExprMax
	switch {
	case rel == Equal || rel == NotEqual:
		return nil
	case (rel == Less || rel == LessEqual) == (f.Op == OpExists):
		op = ExprMin
	}
	instances := float64(len(r.domain(q)))
	for _, s := range outer {
		if q := r.meanings[s].quant; q != nil {
			instances *= float64(max(1, len(r.domains[q])))
		}
	}

	if instances <= manyInstances {
		return nil
	}
	y := newExpr(op, f.Pos)
	y.Aggregate = &Aggregate{Quant: q, Term: x}
	return &Formula{Op: OpAtom, Expr: body.Expr.comparing(y, rel, t), Pos: f.Pos}
}

// manyInstances is the most instances that extreme leaves to be written out.
const manyInstances = 1 << 16

// within returns a formula equivalent to f, a comparison of a maximum with a minimum of
// whole numbers, if the variable under the minimum has few values:
//
//	(max i: x@i) - (min j: y@j) <= k    for some value v of y, each y@j is at least v and each x@i at most v+k
//
// It returns nil for other atoms.
func (r *resolver) within(f *Formula) *Formula {
	e := f.Expr
	if !e.ComparesTwo() {
		return nil
	}
	d, ok := leftMinusRight(e)
	if !ok || len(d.terms) != 2 || !d.exact || d.terms[0].subtracted == d.terms[1].subtracted {
		return nil
	}
	greatest, least := d.terms[0].of, d.terms[1].of
	rel := e.Rel[0]
	k := -d.constant.Num().Int64()
	if d.terms[0].subtracted != (greatest.Op == ExprMin) {
		rel = rel.Mirrored()
		k = -k
	}
	if greatest.Op == ExprMin {
		greatest, least = least, greatest
	}
	if greatest.Op != ExprMax || least.Op != ExprMin {
		return nil
	}
	at := func(rel Relop) *Formula { return r.atMost(greatest, least, rel, k, f.Pos) }
	var g *Formula
	switch rel {
	case LessEqual, Less:
		return at(rel)
	case Greater, GreaterEqual:
		g = at(inverse[rel])
	default:
		if most, less := at(LessEqual), at(Less); most != nil && less != nil {
			g = And(most, Not(less))
		}
	}
	if g == nil || rel == Equal {
		return g
	}
	return Tidy(NNF(Not(g)))
}

// atMost is within for <= and <.
func (r *resolver) atMost(greatest, least *Expr, rel Relop, k int64, pos int) *Formula {
	values, ok := r.whole(least)
	if _, also := r.whole(greatest); !ok || !also {
		return nil
	}
	all := func(of *Expr, rel Relop, number int64) *Formula {
		e := newExpr(ExprCompare, of.Term.Pos)
		body := AsAtom(e.comparing(of.Term, rel, wholeNumber(number, pos)))
		return &Formula{Op: OpForall, Quant: of.Quant, Sub: []*Formula{body}, Pos: pos}
	}

	var some []*Formula
	for _, v := range values {
		some = append(some, And(all(least, GreaterEqual, v), all(greatest, rel, v+k)))
	}

	return Or(some...)
}

// whole returns the possible values of e, a min or max: all values of the variable that e is
// over. It returns false if e is over another term, if the values are too many, or if they are
// not whole numbers that can be subtracted exactly.
func (r *resolver) whole(e *Expr) ([]int64, bool) {
	if e.Term.Op != ExprVar || e.Term.Process.Text != e.Quant.Names[0].Text || r.listsNames(e.Quant) {
		return nil, false
	}
	values, ok := r.values(r.domain(e.Quant), e.Term)
	whole := make([]int64, len(values))
	for i, v := range values {
		const large = 1 << 60
		if whole[i] = v.Int; v.Op != ExprNumber || v.IsFloat || v.Int > large || v.Int < -large {
			return nil, false
		}
	}

	return whole, ok && len(values) > 0
}
