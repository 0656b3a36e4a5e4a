package syntax

import (
	"cmp"
	"maps"
	"slices"
)

// Aggregates: sum, count, min and max over processes.

// aggregates are the words that start one.
var aggregates = map[string]ExprOp{"sum": ExprSum, "count": ExprCount, "min": ExprMin, "max": ExprMax}

func aggregateExample(op ExprOp) string {
	if op == ExprCount {
		return "cs@i"
	}
	return "x@i"
}

// atAggregate reports whether an aggregate comes next. The words may name
// variables too; then no other name follows them, except U, R and W.
func (p *parser) atAggregate() bool {
	if aggregates[p.tok().text] == 0 || p.tok().kind != tokName || p.peek(1).kind != tokName {
		return false
	}
	second := p.peek(2)
	switch {
	case second.kind == tokColon || second.kind == tokComma:
		return true
	case second.text == "in" && second.kind == tokName:
		third := p.peek(3).kind
		return third == tokString || third == tokLeftBrace
	}
	_, path := pathOps["E"+p.peek(1).text]
	return !path && hintFor(p.peek(1).text) == ""
}

// aggregate = ("sum" | "count" | "min" | "max") name [ "in" domain ] ":" (sum | formula)
func (p *parser) aggregate() node {
	at := p.advance()
	p.enter(at)
	defer p.leave()
	e := &Expr{Op: aggregates[at.text], Owner: Unresolved, Pos: at.pos}
	outer := len(p.bound)
	e.Quant = p.quantifier(at)
	if names := e.Quant.Names; len(names) > 1 {
		hint := "for pairs, write " + at.text + " i: " + at.text + " j: …"
		p.fail(token{pos: names[1].Pos}, hint, "%s binds one name", at.text)
	}
	p.bound = append(p.bound, e.Quant.Names...)
	n := node{e: e, start: at.pos, open: at.pos}
	var body node
	if e.Op == ExprCount {
		body = p.counted(e)
		n.loose = body.e != nil && body.e.Op == ExprCompare && body.open == body.start && body.e.Args[0].Op == ExprVar
	} else {
		body = p.added(e, at)
	}
	p.bound = p.bound[:outer]
	return p.grown(n, at, body)
}

// added reads the body of sum, min or max.
func (p *parser) added(e *Expr, at token) node {
	body := p.sum()
	if body.noValue() && p.err == nil {
		p.fail(at, "count "+e.Quant.Names[0].Text+": … counts for how many processes a formula holds",
			"%s is for numbers, but its body is %s", at.text, body.what())
	}
	e.Term = body.e
	return body
}

// counted reads the body of count.
func (p *parser) counted(e *Expr) node {
	inside := p.counting
	p.counting = true
	body := p.iff()
	p.counting = inside
	if e.Form = p.formula(body).f; p.err != nil {
		return node{}
	}
	if temporal := Find(e.Form, func(f *Formula) bool { return f.Op.IsTemporal() }); temporal != nil {
		p.fail(token{pos: temporal.Pos}, "", "count looks at one cut, but %s is about runs", temporal.Op)
	}
	return body
}

// tightened returns the node of a count whose comparison, written after its body
// without parentheses, compares the count: count i: cs@i >= 2.
func (p *parser) tightened(n node) node {
	compare, count := *n.e.Form.Expr, *n.e
	variable := compare.Args[0]
	count.Form = &Formula{Op: OpAtom, Expr: variable, Pos: variable.Pos}
	compare.Args = append([]*Expr{&count}, compare.Args[1:]...)
	n.e, n.loose = &compare, false
	return n
}

// what tells what a node without a value is.
func (n node) what() string {
	if n.f == nil {
		return "a comparison"
	}
	return "a formula"
}

// aggregate resolves an aggregate under the current bindings.
func (r *resolver) aggregate(e *Expr) (*Expr, error) {
	n := r.exprs[e]
	if n == nil {
		n = &resolved[*Expr]{done: map[instance]*Expr{}}
		walkExprNames(e, func(name Name, binds bool) { n.mention(r, name, binds) })
		r.exprs[e] = n
	}
	key, bound := r.instance(n.free)
	if g := n.done[key]; bound <= 1 && g != nil {
		return g, nil
	}
	g, err := r.expandAggregate(e)
	if err == nil && bound <= 1 {
		n.done[key] = g
	}
	return g, err
}

func (r *resolver) expandAggregate(e *Expr) (*Expr, error) {
	g := new(*e)
	g.Type = NumberType
	word := aggregateText[e.Op]
	err := r.each(word, e.Pos, e.Quant, budget{"terms", &r.terms, r.size(e), maxTerms}, func(int) error {
		if e.Op == ExprCount {
			f, err := r.formula(e.Form)
			g.Sub = append(g.Sub, f)
			return err
		}
		term, err := r.expr(e.Term)
		if err != nil {
			return err
		}
		if term.Type != NumberType && term.Type != UnknownType {
			hint := ""
			if term.Type == BoolType {
				hint = "count " + e.Quant.Names[0].Text + ": " + clip(e.Term.String()) + " counts for how many processes it holds"
			}
			return r.src.errorf(firstPos(e.Term), hint, "%s is %s, and %s is for numbers", clip(e.Term.String()), term.Type, word)
		}
		g.Args = append(g.Args, term)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(g.Sub) > 0 || len(g.Args) > 1:
		w := r.written(e)
		g.Quant, g.Term, g.Form = w.Quant, w.Term, w.Form
		return g, nil
	case len(g.Args) == 1:
		return g.Args[0], nil
	case e.Op == ExprMin || e.Op == ExprMax:
		return nil, r.src.errorf(e.Pos, "", "there is no process to take the %s over", word)
	}
	return &Expr{Op: ExprNumber, Type: NumberType, Owner: Unresolved, Pos: e.Pos}, nil
}

// size returns the number of operators and operands in the body of e.
func (r *resolver) size(e *Expr) int {
	n := r.exprs[e]
	if n.size == 0 {
		if WalkExpr(e, func(*Expr) { n.size++ }); e.Op == ExprCount {
			Walk(e.Form, func(*Formula) bool { n.size++; return true })
		}
	}
	return n.size
}

// A renaming says what names become.
type renaming map[string]string

// written returns an aggregate as it would be written with processes in place of the
// names that are bound now. A name that it binds itself becomes another where a
// process has the same name.
func (r *resolver) written(e *Expr) *Expr {
	names := renaming{}
	for text, slot := range r.slots {
		if p := r.meanings[slot].process; p != unbound {
			names[text] = r.processes[p]
		}
	}
	return r.rewrite(e, names)
}

func (r *resolver) rewrite(e *Expr, names renaming) *Expr {
	g := new(*e)
	name := func(n *Name) {
		if text, ok := names[n.Text]; ok {
			n.Text = text
		}
	}
	name(&g.Process)
	name(&g.From)
	name(&g.To)
	if e.Op.IsAggregate() {
		g.Quant, names = r.rewriteQuantifier(e.Quant, names)
	}
	if e.Term != nil {
		g.Term = r.rewrite(e.Term, names)
	}
	if e.Form != nil {
		g.Form = r.rewriteFormula(e.Form, names)
	}
	g.Args = slices.Clone(e.Args)
	for i, arg := range e.Args {
		g.Args[i] = r.rewrite(arg, names)
	}
	return g
}

func (r *resolver) rewriteFormula(f *Formula, names renaming) *Formula {
	g := &Formula{Op: f.Op, Sub: slices.Clone(f.Sub), Pos: f.Pos}
	if f.Quant != nil {
		g.Quant, names = r.rewriteQuantifier(f.Quant, names)
	}
	for i, sub := range f.Sub {
		g.Sub[i] = r.rewriteFormula(sub, names)
	}
	if f.Op == OpAtom {
		g.Expr = r.rewrite(f.Expr, names)
	}
	return g
}

// rewriteQuantifier also returns what names become in the body of q.
func (r *resolver) rewriteQuantifier(q *Quantifier, names renaming) (*Quantifier, renaming) {
	g := new(*q)
	g.Domain = slices.Clone(q.Domain)
	for i, name := range q.Domain {
		if text, ok := names[name.Text]; ok {
			g.Domain[i].Text = text
		}
	}
	g.Names = slices.Clone(q.Names)
	for i, name := range q.Names {
		text := name.Text
		for r.taken(text, name.Text) {
			text += "_"
		}
		if text != name.Text {
			g.Names[i].Text = text
			names = maps.Clone(names)
			names[name.Text] = text
		}
	}
	return g, names
}

// taken reports whether a process has that name, or something bound other than
// the name itself.
func (r *resolver) taken(text, name string) bool {
	_, process := r.scope.LookupProcess(text)
	_, slot := r.slots[text]
	return process || slot && text != name
}

// spread returns the formula without aggregates at its root that a resolved
// comparison stands for, nil where there is none:
//
//	min >= k   all >= k         max >= k   some >= k
//	min <= k   some <= k        max <= k   all <= k
//	count >= k, count <= k where that means none, some, not all or all instances
//
// and likewise for the other operators, == being both <= and >=.
func (r *resolver) spread(e *Expr, pos int) *Formula {
	if e.Op != ExprCompare {
		return nil
	}
	var all []*Formula
	found := false
	for _, part := range neighbours(e) {
		f := r.spreadSide(part.Args[0], part.Rel[0], part.Args[1], e, pos)
		if f == nil {
			f = r.spreadSide(part.Args[1], part.Rel[0].Mirrored(), part.Args[0], e, pos)
		}
		found = found || f != nil
		if f == nil {
			f = r.known(part, pos)
		}
		all = append(all, f)
	}
	switch {
	case !found:
		return nil
	case len(all) == 1:
		return all[0]
	}
	return &Formula{Op: OpAnd, Sub: all, Pos: pos}
}

// spreadSide is spread for a rel b, a part of the comparison e.
func (r *resolver) spreadSide(a *Expr, rel Relop, b, e *Expr, pos int) *Formula {
	switch {
	case a.Op == ExprCount && b.Op == ExprNumber && !b.IsFloat:
		return spreadCount(a.Sub, rel, b.Int, pos)
	case a.Op != ExprMin && a.Op != ExprMax, r.terms+2*len(a.Args) > maxTerms:
		return nil
	}
	instances := func(op Op, rel Relop) *Formula {
		f := &Formula{Op: op, Pos: pos}
		r.terms += len(a.Args)
		for _, arg := range a.Args {
			compare := new(*e)
			compare.Args, compare.Rel = []*Expr{arg, b}, []Relop{rel}
			g := r.spread(compare, pos)
			if g == nil {
				g = r.known(compare, pos)
			}
			f.Sub = append(f.Sub, g)
		}
		return f
	}
	some, all := OpOr, OpAnd // where the least is below
	if a.Op == ExprMax {
		some, all = OpAnd, OpOr
	}
	switch rel {
	case Less, LessEqual:
		return instances(some, rel)
	case Greater, GreaterEqual:
		return instances(all, rel)
	case Equal:
		return &Formula{Op: OpAnd, Sub: []*Formula{instances(some, LessEqual), instances(all, GreaterEqual)}, Pos: pos}
	}
	return &Formula{Op: OpOr, Sub: []*Formula{instances(some, Less), instances(all, Greater)}, Pos: pos}
}

// spreadCount returns the formula that says that the number of fs that hold is in
// relation rel to k, nil where that cannot be said without counting.
func spreadCount(fs []*Formula, rel Relop, k int64, pos int) *Formula {
	allowed := func(n int) bool { return rel.Relates(cmp.Compare(int64(n), k)) }
	none, all, some, every := allowed(0), allowed(len(fs)), false, true // some and every number between
	for n := 1; n < len(fs); n++ {
		some, every = some || allowed(n), every && allowed(n)
	}
	join := func(op Op, negate bool) *Formula {
		f := &Formula{Op: op, Sub: make([]*Formula, len(fs)), Pos: pos}
		for i, sub := range fs {
			if f.Sub[i] = sub; negate {
				f.Sub[i] = Not(sub)
			}
		}
		if len(fs) == 1 {
			return f.Sub[0]
		}
		return f
	}
	switch {
	case none && all && every:
		return &Formula{Op: OpTrue, Pos: pos}
	case !none && !all && !some:
		return &Formula{Op: OpFalse, Pos: pos}
	case none && !all && !some:
		return join(OpAnd, true)
	case !none && all && !some:
		return join(OpAnd, false)
	case !none && all && every:
		return join(OpOr, false)
	case none && !all && every: // not all
		return join(OpOr, true)
	}
	return nil
}
