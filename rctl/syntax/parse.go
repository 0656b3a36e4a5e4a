package syntax

import (
	"errors"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of a formula, for this parser and for all who
// walk a formula recursively.
const maxDepth = 10000

// Parse reads a formula. The error, if any, is an *Error.
func Parse(src string) (*Formula, error) {
	return parse(&source{text: src, file: src})
}

func parse(src *source) (*Formula, error) {
	p := &parser{src: src, toks: lex(src)}
	if p.tok().kind == tokEnd {
		return nil, p.errorf(p.tok(), "", "the formula is empty")
	}
	n, err := p.iff()
	if err != nil {
		return nil, err
	}
	if p.tok().kind != tokEnd {
		return nil, p.unexpected(nil)
	}
	if n, err = p.formula(n); err != nil {
		return nil, err
	}
	n.f.src = src
	return n.f, nil
}

// A parser reads formulas and sums with one grammar, since an opening
// parenthesis does not tell which of them it opens. What was read is checked
// where one of the two is wanted.
type parser struct {
	src   *source
	toks  []token
	i     int
	depth int    // how many functions on the stack read nested operands
	bound []Name // names that are bound by the quantifiers around

	counting bool // the body of a count is read, outside of brackets in it
}

// A node is a formula or an expression, whichever is not nil; a variable, a
// comparison, true and false are expressions until a formula is wanted.
type node struct {
	f     *Formula
	e     *Expr
	start int  // offset of the first byte, parentheses around it left out
	open  int  // offset of the first byte, with the parentheses
	depth int  // levels of operators
	loose bool // of a count that ends in a comparison which may be of the count itself
}

func (p *parser) tok() token { return p.toks[p.i] }

// peek returns the token n behind the current one.
func (p *parser) peek(n int) token { return p.toks[min(p.i+n, len(p.toks)-1)] }

func (p *parser) advance() token {
	t := p.toks[p.i]
	if t.kind != tokEnd {
		p.i++
	}
	return t
}

func (p *parser) errorf(at token, hint, format string, args ...any) error {
	return p.src.errorf(at.pos, hint, format, args...)
}

// enter is called before operands are read that may nest without end.
func (p *parser) enter(at token) error {
	if p.depth++; p.depth > maxDepth {
		return p.errorf(at, "", "the formula is nested more than %d levels deep", maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// bracketed is called where a bracket opens, and what it returns where that closes.
func (p *parser) bracketed() func() {
	counting := p.counting
	p.counting = false
	return func() { p.counting = counting }
}

// grown sets the depth of a node above others.
func (p *parser) grown(n node, at token, below ...node) (node, error) {
	for _, b := range below {
		n.depth = max(n.depth, b.depth+1)
	}
	if n.depth > maxDepth {
		return n, p.errorf(at, "", "the formula is nested more than %d levels deep", maxDepth)
	}
	return n, nil
}

// build returns the node of a formula over operands that must be formulas.
func (p *parser) build(op Op, at token, operands ...node) (node, error) {
	f := &Formula{Op: op, Pos: at.pos, Sub: make([]*Formula, len(operands))}
	n := node{f: f, start: min(at.pos, operands[0].open)}
	n.open = n.start
	for i, operand := range operands {
		operand, err := p.formula(operand)
		if err != nil {
			return node{}, err
		}
		f.Sub[i] = operand.f
	}
	return p.grown(n, at, operands...)
}

// iff = implies { "<->" implies }
func (p *parser) iff() (node, error) {
	left, err := p.implies()
	for err == nil && p.tok().kind == tokIff {
		var right node
		at := p.advance()
		if right, err = p.implies(); err == nil {
			left, err = p.build(OpIff, at, left, right)
		}
	}
	return left, err
}

// implies = or [ "->" implies ]
func (p *parser) implies() (node, error) {
	n, err := p.chain(tokOr)
	if err != nil || p.tok().kind != tokImplies {
		return n, err
	}
	operands := []node{n}
	var ats []token
	for p.tok().kind == tokImplies {
		ats = append(ats, p.advance())
		if n, err = p.chain(tokOr); err != nil {
			return n, err
		}
		operands = append(operands, n)
	}
	for i := len(ats) - 1; i >= 0; i-- {
		if n, err = p.build(OpImplies, ats[i], operands[i], n); err != nil {
			return n, err
		}
	}
	return n, nil
}

// chain reads or = and { "||" and } or and = unary { "&&" unary }.
func (p *parser) chain(of kind) (node, error) {
	op, operand := OpAnd, p.unary
	if of == tokOr {
		op, operand = OpOr, func() (node, error) { return p.chain(tokAnd) }
	}
	n, err := operand()
	if err != nil || p.tok().kind != of {
		return n, err
	}
	operands := []node{n}
	at := p.tok()
	for p.tok().kind == of {
		p.advance()
		if n, err = operand(); err != nil {
			return n, err
		}
		operands = append(operands, n)
	}
	return p.build(op, at, operands...)
}

// unary = "!" unary | "EF" unary | … | path | quantified | comparison
func (p *parser) unary() (node, error) {
	at := p.tok()
	var read func() (node, error)
	op := OpNot
	switch {
	case at.kind == tokTemporal:
		op = at.op
	case at.kind == tokForall || at.kind == tokExists:
		read = p.quantified
	case p.atPath():
		read = p.path
	case at.kind != tokNot:
		return p.comparison()
	}
	if err := p.enter(at); err != nil {
		return node{}, err
	}
	defer p.leave()
	if read != nil {
		return read()
	}
	p.advance()
	n, err := p.unary()
	if err != nil {
		return n, err
	}
	return p.build(op, at, n)
}

// atPath reports whether E[ or A[ comes next.
func (p *parser) atPath() bool {
	t := p.tok()
	return t.kind == tokName && (t.text == "E" || t.text == "A") && p.peek(1).kind == tokLeftBracket
}

var pathOps = map[string]Op{
	"EU": OpEU, "ER": OpER, "EW": OpEW,
	"AU": OpAU, "AR": OpAR, "AW": OpAW,
}

// path = ("E" | "A") "[" formula ("U" | "R" | "W") formula "]"
//
// A name after a whole operand can only be one of the operators, so that
// variables may be called U, R and W.
func (p *parser) path() (node, error) {
	at, bracket := p.advance(), p.advance()
	defer p.bracketed()()
	left, err := p.iff()
	if err != nil {
		return left, err
	}
	op, ok := pathOps[at.text+p.tok().text]
	if !ok || p.tok().kind != tokName {
		if p.tok().kind == tokRightBracket {
			return node{}, p.errorf(p.tok(), at.text+"G and "+at.text+"F take one formula, without brackets",
				"%s[ ] joins two formulas by U, R or W", at.text)
		}
		return node{}, p.unexpected(&bracket)
	}
	p.advance()
	right, err := p.iff()
	if err != nil {
		return right, err
	}
	if p.tok().kind == tokName && pathOps[at.text+p.tok().text] != 0 {
		return node{}, p.errorf(p.tok(), "write "+at.text+"["+at.text+"[p U q] U r] or the like",
			"%s[ ] joins two formulas, not three", at.text)
	}
	if p.tok().kind != tokRightBracket {
		return node{}, p.unexpected(&bracket)
	}
	p.advance()
	return p.build(op, at, left, right)
}

// quantified = ("forall" | "exists") names [ "in" domain ] ":" formula
func (p *parser) quantified() (node, error) {
	at := p.advance()
	op := OpForall
	if at.kind == tokExists {
		op = OpExists
	}
	outer := len(p.bound)
	q, err := p.quantifier(at)
	if err != nil {
		return node{}, err
	}
	p.bound = append(p.bound, q.Names...)
	n, err := p.iff()
	p.bound = p.bound[:outer]
	if err != nil {
		return n, err
	}
	if n, err = p.build(op, at, n); err != nil {
		return n, err
	}
	n.f.Quant = q
	return n, nil
}

func (p *parser) quantifier(at token) (*Quantifier, error) {
	q := &Quantifier{}
	var between token
	for {
		name := p.tok()
		if name.kind != tokName {
			if name.kind == tokBad {
				return nil, name.err
			}
			hint := "as in " + at.text + " i: p@i"
			if name.word {
				hint = name.text + " is an operator"
			}
			return nil, p.errorf(name, hint, "%s needs a name to bind, found %s", at.text, p.describe(name))
		}
		for _, bound := range append(p.bound[:len(p.bound):len(p.bound)], q.Names...) {
			if bound.Text == name.text {
				return nil, p.errorf(name, "choose another name", "%s is already bound at %s", clip(name.text), p.src.place(bound.Pos))
			}
		}
		q.Names = append(q.Names, Name{name.text, name.pos})
		p.advance()
		sep := p.tok()
		if sep.kind != tokComma && (sep.kind != tokRelop || sep.rel != NotEqual) {
			break
		}
		if len(q.Names) > 1 && between.kind != sep.kind {
			return nil, p.errorf(sep, "commas allow equal processes, != demands different ones", "names are joined either by commas or by !=")
		}
		between = p.advance()
	}
	q.Distinct = between.kind == tokRelop
	if t := p.tok(); t.kind == tokName && t.text == "in" {
		p.advance()
		if err := p.domain(q); err != nil {
			return nil, err
		}
	}
	if t := p.tok(); t.kind != tokColon {
		if t.kind == tokBad {
			return nil, t.err
		}
		return nil, p.errorf(t, "as in "+at.text+" i: p@i", "%s lacks its colon, found %s", at.text, p.describe(t))
	}
	p.advance()
	return q, nil
}

// domain = "{" process { "," process } "}" | string
func (p *parser) domain(q *Quantifier) error {
	open := p.tok()
	switch open.kind {
	case tokString:
		if open.text == "" {
			return p.errorf(open, `"*" matches every process`, "the pattern is empty")
		}
		q.Glob, q.GlobPos = open.text, open.pos
		p.advance()
		return nil
	case tokBad:
		return open.err
	case tokLeftBrace:
	default:
		return p.errorf(open, `as in {P1, P2} or "node*"`, "in needs processes in braces or a pattern, found %s", p.describe(open))
	}
	p.advance()
	for {
		name, err := p.process()
		if err != nil {
			return err
		}
		q.Domain = append(q.Domain, name)
		switch t := p.tok(); t.kind {
		case tokComma:
			p.advance()
		case tokRightBrace:
			p.advance()
			return nil
		default:
			return p.unexpected(&open)
		}
	}
}

// process = name | string
func (p *parser) process() (Name, error) {
	t := p.tok()
	switch {
	case t.kind == tokBad:
		return Name{}, t.err
	case t.kind == tokString && t.text == "":
		return Name{}, p.errorf(t, "", "the name of a process is empty")
	case t.kind != tokString && !t.word:
		hint := ""
		if t.kind == tokNumber {
			hint = "names that are not plain are written as strings: " + quote(t.text)
		}
		return Name{}, p.errorf(t, hint, "the name of a process is missing, found %s", p.describe(t))
	}
	p.advance()
	return Name{t.text, t.pos}, nil
}

// comparison = sum { relop sum }
func (p *parser) comparison() (node, error) {
	n, err := p.sum()
	if err != nil || p.tok().kind != tokRelop || p.counting && n.noValue() {
		return n, err
	}
	first := p.tok()
	operands := []node{n}
	e := &Expr{Op: ExprCompare, Owner: Unresolved, Pos: first.pos}
	for p.tok().kind == tokRelop {
		at := p.advance()
		e.Rel = append(e.Rel, at.rel)
		if n, err = p.sum(); err != nil {
			return n, err
		}
		operands = append(operands, n)
		for i, side := range [2]string{"left", "right"} {
			if err := p.value(operands[len(operands)-2+i], at, side); err != nil {
				return n, err
			}
		}
	}
	for _, operand := range operands {
		e.Args = append(e.Args, operand.e)
	}
	n = node{e: e, start: operands[0].open, open: operands[0].open}
	return p.grown(n, first, operands...)
}

// sum = term { ("+" | "-") term }
func (p *parser) sum() (node, error) {
	return p.arithmetic(p.term, tokPlus, tokMinus)
}

// term = factor { "*" factor }
func (p *parser) term() (node, error) {
	return p.arithmetic(p.factor, tokStar, tokStar)
}

var arithmeticOps = [...]ExprOp{tokPlus: ExprAdd, tokMinus: ExprSub, tokStar: ExprMul}

// arithmetic reads operands joined by the operators first to last.
func (p *parser) arithmetic(operand func() (node, error), first, last kind) (node, error) {
	left, err := operand()
	for err == nil {
		at := p.tok()
		if at.kind < first || at.kind > last {
			return left, nil
		}
		p.advance()
		right, err := operand()
		if err != nil {
			return right, err
		}
		if err := p.value(left, at, "left"); err != nil {
			return left, err
		}
		if err := p.value(right, at, "right"); err != nil {
			return right, err
		}
		e := &Expr{Op: arithmeticOps[at.kind], Args: []*Expr{left.e, right.e}, Owner: Unresolved, Pos: at.pos}
		if left, err = p.grown(node{e: e, start: left.open, open: left.open}, at, left, right); err != nil {
			return left, err
		}
	}
	return left, err
}

// factor = number | string | "true" | "false" | variable | "-" factor
// | "(" formula or sum ")" | "transit" "(" process "," process ")" | aggregate
func (p *parser) factor() (node, error) {
	at := p.tok()
	e := &Expr{Owner: Unresolved, Pos: at.pos}
	n := node{e: e, start: at.pos, open: at.pos}
	switch at.kind {
	case tokTrue, tokFalse:
		p.advance()
		e.Op, e.Bool = ExprBool, at.kind == tokTrue
		return n, nil
	case tokNumber:
		p.advance()
		e.Op = ExprNumber
		return n, p.number(e, at, "")
	case tokMinus:
		return p.negated(at)
	case tokLeftParen:
		return p.parenthesized(at)
	case tokString:
		p.advance()
		e.Op, e.Text = ExprString, at.text
		if p.tok().kind != tokAt {
			return n, nil
		}
		if at.text == "" {
			return n, p.errorf(at, "", "the name of a variable is empty")
		}
	case tokName:
		if p.atAggregate() {
			return p.aggregate()
		}
		if err := p.notVariable(); err != nil {
			return n, err
		}
		p.advance()
		if at.text == "transit" && p.tok().kind == tokLeftParen {
			return n, p.transit(e)
		}
		e.Text = at.text
	default:
		return n, p.missing()
	}
	e.Op = ExprVar
	if p.tok().kind == tokAt {
		p.advance()
		var err error
		e.Process, err = p.process()
		return n, err
	}
	return n, nil
}

func (p *parser) number(e *Expr, at token, sign string) error {
	if !strings.ContainsAny(at.text, ".eE") {
		i, err := strconv.ParseInt(sign+at.text, 10, 64)
		if err == nil {
			e.Int = i
			return nil
		}
	}
	x, err := strconv.ParseFloat(at.text, 64)
	if err != nil {
		if errors.Is(err, strconv.ErrRange) {
			return p.errorf(at, "", "the number %s is out of range", clip(at.text))
		}
		panic("syntax: this cannot happen, because the lexer passes well-formed numbers only: " + err.Error())
	}
	e.Float, e.IsFloat = x, true
	return nil
}

func (p *parser) negated(at token) (node, error) {
	if err := p.enter(at); err != nil {
		return node{}, err
	}
	defer p.leave()
	p.advance()
	if t := p.tok(); t.kind == tokNumber && isMinInt(t.text) {
		p.advance()
		e := &Expr{Op: ExprNumber, Owner: Unresolved, Pos: at.pos}
		return node{e: e, start: at.pos, open: at.pos}, p.number(e, t, "-")
	}
	n, err := p.factor()
	if err != nil {
		return n, err
	}
	if err := p.value(n, at, "only"); err != nil {
		return n, err
	}
	e := &Expr{Op: ExprNeg, Args: []*Expr{n.e}, Owner: Unresolved, Pos: at.pos}
	return p.grown(node{e: e, start: at.pos, open: at.pos}, at, n)
}

// isMinInt reports whether the digits are those of the least int64, whose
// opposite is none.
func isMinInt(digits string) bool {
	return strings.TrimLeft(digits, "0") == "9223372036854775808"
}

func (p *parser) parenthesized(at token) (node, error) {
	if err := p.enter(at); err != nil {
		return node{}, err
	}
	defer p.leave()
	p.advance()
	defer p.bracketed()()
	n, err := p.iff()
	if err != nil {
		return n, err
	}
	if p.tok().kind != tokRightParen {
		return n, p.unexpected(&at)
	}
	p.advance()
	n.open = at.pos
	return n, nil
}

// transit reads what follows the word: "(" process "," process ")".
func (p *parser) transit(e *Expr) error {
	open := p.advance()
	e.Op = ExprTransit
	var err error
	if e.From, err = p.process(); err != nil {
		return err
	}
	if t := p.tok(); t.kind != tokComma {
		if t.kind == tokBad {
			return t.err
		}
		return p.errorf(t, "as in transit(P1, P2)", "transit takes two processes, found %s", p.describe(t))
	}
	p.advance()
	if e.To, err = p.process(); err != nil {
		return err
	}
	if p.tok().kind == tokComma {
		return p.errorf(p.tok(), "as in transit(P1, P2)", "transit takes two processes")
	}
	if p.tok().kind != tokRightParen {
		return p.unexpected(&open)
	}
	p.advance()
	return nil
}

// value checks that the operand of an arithmetic or relational operator is
// an expression that has a value.
func (p *parser) value(n node, op token, side string) error {
	if !n.noValue() {
		return nil
	}
	what := n.what()
	if side == "only" {
		return p.errorf(op, "not is written !", "%s is for numbers, but its operand is %s", op.text, what)
	}
	if op.kind == tokRelop {
		hint := "between formulas, write <->"
		if op.rel == NotEqual {
			hint = "between formulas, write !(p <-> q)"
		} else if op.rel != Equal {
			hint = "formulas are joined by &&, ||, -> and <->"
		}
		return p.errorf(op, hint, "%s compares values, but its %s side is %s", op.text, side, what)
	}
	return p.errorf(op, "formulas are joined by &&, ||, -> and <->", "%s is for numbers, but its %s side is %s", op.text, side, what)
}

// noValue reports whether n is nothing to calculate with or to compare.
func (n node) noValue() bool { return n.e == nil || n.e.Op == ExprCompare }

// formula makes a formula of a node.
func (p *parser) formula(n node) (node, error) {
	if n.f != nil {
		return n, nil
	}
	if n.loose {
		n = p.tightened(n)
	}
	at := token{pos: n.start}
	switch n.e.Op {
	case ExprVar, ExprCompare:
		n.f = &Formula{Op: OpAtom, Expr: n.e, Pos: n.start}
		return n, nil
	case ExprBool:
		op := OpFalse
		if n.e.Bool {
			op = OpTrue
		}
		n.f = &Formula{Op: op, Pos: n.start}
		return n, nil
	case ExprString:
		return n, p.errorf(at, "a variable whose name is not plain is written with its process: "+clip(quote(n.e.Text))+"@P",
			"%s is a string, where a formula is wanted", clip(quote(n.e.Text)))
	}
	if n.e.Op == ExprNumber {
		return n, p.errorf(at, "write true, false or a comparison", "%s is a number, where a formula is wanted", clip(n.e.String()))
	}
	text := "this"
	if n.depth < 100 {
		text = clip(n.e.String())
	}
	if n.e.Op.IsAggregate() {
		text = "(" + text + ")"
	}
	return n, p.errorf(at, "compare it, as in "+text+" > 0", "%s is a number, where a formula is wanted", text)
}
