package syntax

// This file parses aggregates: sum, count, min and max over processes, values and events.
//
// The body of an aggregate extends as far as possible, like that of a quantifier. People mean less in
//
//	count i: cs@i >= 2
//
// which would count processes with cs@i >= 2, an error if cs is Boolean. Hence a comparison without
// parentheses after a lone variable compares the count; see tightened.

// aggregates maps the word of each aggregate to its operator.
var aggregates = map[string]ExprOp{"sum": ExprSum, "count": ExprCount, "min": ExprMin, "max": ExprMax}

// atAggregate reports whether an aggregate follows. Its words may also name
// variables, but then no other name follows them except U, R and W.
func (p *parser) atAggregate() bool {
	if aggregates[p.tok().text] == 0 || p.tok().kind != tokName {
		return false
	}
	if p.peek(1).kind == "(" {
		return p.atTuple()
	}
	if p.peek(1).kind != tokName {
		return false
	}
	second := p.peek(2)
	switch {
	case second.kind == ":" || second.kind == ",":
		return true
	case second.text == "in" && second.kind == tokName:
		third := p.peek(3)
		return third.kind == tokString || third.kind == "{" || third.kind == tokName && p.peek(4).kind == "("
	case second.text == "having" && second.kind == tokName:
		third := p.peek(3).kind
		return third == tokString || third == tokName
	}

	_, path := pathOps["E"+p.peek(1).text]
	return !path && hintFor(p.peek(1).text) == ""
}

// aggregate = ("sum" | "count" | "min" | "max") name [ "in" domain ] [ "having" vars ] ":" (sum | formula)
func (p *parser) aggregate() node {
	at := p.advance()
	defer p.enter(at)()
	e := &Expr{Op: aggregates[at.text], Aggregate: new(Aggregate), Owner: Unresolved, Pos: at.pos}
	e.Quant = p.quantifier(at)
	if names := e.Quant.Names; len(names) > 1 && (e.Quant.Data == nil || !e.Quant.Data.Tuple) {
		hint := "for pairs, write " + at.text + " i: " + at.text + " j: …"
		p.failAt(names[1].Pos, hint, "%s binds one name", at.text)
	}

	unbind := p.bind(e.Quant)
	n := node{e: e, start: at.pos, open: at.pos}
	var body node
	if e.Op == ExprCount {
		inside := p.counting
		p.counting = true
		body = p.iff()
		p.counting = inside
		e.Form = p.formula(body).f
		if temporal := Temporal(e.Form); temporal != nil {
			p.failAt(temporal.Pos, "", "count looks at one cut, but %s is about runs", temporal.Op)
		}
		if inner := Find(e.Form, func(f *Formula) bool { return f.Quant.ofData() }); inner != nil {
			p.failAt(inner.Pos, "put it before the count, or count the events of a condition: events(…)",
				"a quantifier over data stands inside of count")
		}
		n.loose = body.e != nil && body.e.Op == ExprCompare && body.open == body.start && body.e.Args[0].Op == ExprVar
	} else {
		if body = p.sum(); body.noValue() {
			p.fail(at, "count "+e.Quant.Names[0].Text+": … counts for how many processes a formula holds",
				"%s is for numbers, but its body is %s", at.text, body.what())
		}
		e.Term = body.e
	}

	unbind()
	return p.grown(n, at, body)
}

// tightened returns the node of a count written without parentheses, as in count i: cs@i >= 2.
// There the comparison follows the body, but compares the count.
func (p *parser) tightened(n node) node {
	compare, count := *n.e.Form.Expr, *n.e
	variable := compare.Args[0]
	count.Aggregate = new(*count.Aggregate)
	count.Form = &Formula{Op: OpAtom, Expr: variable, Pos: variable.Pos}
	compare.Args = append([]*Expr{&count}, compare.Args[1:]...)
	n.e, n.loose = &compare, false
	return n
}

// what describes a node that has no value.
func (n node) what() string {
	if n.f == nil && n.e.Op == ExprCompare {
		return "a comparison"
	}
	return "a formula"
}
