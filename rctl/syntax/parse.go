package syntax

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/rctl/internal/abort"
)

// maxDepth bounds the nesting of a formula, for this parser and for all recursive
// walks over a formula.
const maxDepth = 10000

// Parse parses a formula. The error, if any, is an *Error.
func Parse(src string) (*Formula, error) {
	return new(Definitions).Parse(src)
}

// parse parses a whole source as one formula.
func (d *Definitions) parse(src *source) (*Formula, *Error) {
	p := &parser{src: src, defs: d, frame: frame{toks: lex(src), below: d.count}}
	var f *Formula
	err := p.try(func() {
		if p.tok().kind == tokEnd {
			p.fail(p.tok(), "", "the formula is empty")
		}
		n := p.iff()
		if p.tok().kind != tokEnd {
			p.unexpected(nil)
		}
		f = p.formula(n).f
		if p.bounds {
			p.checkBounds(f, OpTrue)
		}
		f.src = src
	})
	return f, err
}

// try calls read, and returns the error with which it aborts, if any.
func (p *parser) try(read func()) *Error {
	var err error
	func() {
		defer abort.Catch(&err)
		read()
	}()
	at, _ := err.(*Error)
	return at
}

// A parser parses formulas and sums with one grammar, since an opening parenthesis may begin
// either. The result is checked when a context requires one of the two.
//
// The first error ends the parser: fail does not return.
type parser struct {
	src *source
	frame
	defs     *Definitions
	depth    int      // how many functions on the stack parse nested operands
	around   []string // the names that the enclosing quantifiers of all frames bind
	expanded int      // how many tokens definitions and arguments have added
	// returns the name of the definition being parsed, for errors; nil outside of definitions
	inside func() string

	counting  bool // whether the body of a count is being parsed, outside of brackets in it
	condition bool // whether a condition is being parsed
	bounds    bool // whether the formula has a bound on time
}

// A node is a formula or an expression, whichever is not nil; a variable, a
// comparison, true and false are expressions until a formula is required.
type node struct {
	f     *Formula
	e     *Expr
	start int // the offset of the first byte, without enclosing parentheses
	open  int // the offset of the first byte, with enclosing parentheses
	depth int // the levels of operators
	// whether it is a count without parentheses whose body is a comparison, as in count i: x@i >= 2
	loose bool
}

// tok returns the current token, a tokEnd after the last one.
func (p *parser) tok() token { return p.toks[p.i] }

// peek returns the token n places after the current one.
func (p *parser) peek(n int) token { return p.toks[min(p.i+n, len(p.toks)-1)] }

// before returns the token before the current one; the zero token at the start.
func (p *parser) before() token {
	if p.i == 0 {
		return token{}
	}
	return p.toks[p.i-1]
}

// advance returns the current token and moves to the next. It does not move
// beyond the end.
func (p *parser) advance() token {
	t := p.toks[p.i]
	if t.kind != tokEnd {
		p.i++
	}
	return t
}

// accept consumes the current token if it is of a kind.
func (p *parser) accept(of kind) bool {
	if p.tok().kind != of {
		return false
	}
	p.advance()
	return true
}

// fail ends the parser with an error at a token.
func (p *parser) fail(at token, hint, format string, args ...any) {
	err := at.err // set for a tokBad
	if err == nil {
		err = p.src.errorf(at.pos, hint, format, args...)
	}
	if p.inside != nil {
		err.Msg += p.inside()
	}
	panic(abort.Error{Err: err})
}

// failAt ends the parser with an error at a byte offset.
func (p *parser) failAt(pos int, hint, format string, args ...any) {
	p.fail(token{pos: pos}, hint, format, args...)
}

// enter counts a level of nesting, and fails if there are too many. The caller must call leave
// after the nested operands.
func (p *parser) enter(at token) (leave func()) {
	if p.depth++; p.depth > maxDepth {
		p.tooDeep(at)
	}
	return func() { p.depth-- }
}

// tooDeep refuses a formula that is too deep for recursive walks.
func (p *parser) tooDeep(at token) {
	p.fail(at, "", "the formula is nested more than %d levels deep", maxDepth)
}

// bracketed is called after an opening bracket. The caller must call closed at the closing
// bracket.
func (p *parser) bracketed() (closed func()) {
	counting := p.counting
	p.counting = false
	return func() { p.counting = counting }
}

// grown returns n with a depth greater than that of its operands below.
func (p *parser) grown(n node, at token, below ...node) node {
	for _, b := range below {
		n.depth = max(n.depth, b.depth+1)
	}
	if n.depth > maxDepth {
		p.tooDeep(at)
	}
	return n
}

// build returns the node of a formula whose operands must be formulas.
func (p *parser) build(op Op, at token, operands ...node) node {
	f := New(op, at.pos, Mapped(operands, func(n node) *Formula { return p.formula(n).f })...)
	start := min(at.pos, operands[0].open)
	return p.grown(node{f: f, start: start, open: start}, at, operands...)
}

// binaries holds the operators between formulas, from the loosest to the tightest.
var binaries = [...]struct {
	text kind
	op   Op
}{{"<->", OpIff}, {"->", OpImplies}, {"||", OpOr}, {"&&", OpAnd}}

// iff = implies { "<->" implies }, which may be a sum alone.
func (p *parser) iff() node { return p.binary(0) }

// binary parses operands joined by one of the binaries: implies = or [ "->" implies ],
// or = and { "||" and }, and = unary { "&&" unary }.
func (p *parser) binary(level int) node {
	if level == len(binaries) {
		return p.unary()
	}
	n, op := p.binary(level+1), binaries[level].op
	if p.tok().kind != binaries[level].text {
		return n
	}
	operands := []node{n}
	var ats []token
	for p.tok().kind == binaries[level].text {
		ats = append(ats, p.advance())
		operands = append(operands, p.binary(level+1))
	}
	switch op {
	case OpIff: // groups to the left
		for i, at := range ats {
			n = p.build(op, at, n, operands[i+1])
		}
		return n
	case OpImplies: // groups to the right
		n = operands[len(ats)]
		for i, at := range slices.Backward(ats) {
			n = p.build(op, at, operands[i], n)
		}
		return n
	}
	return p.build(op, ats[0], operands...)
}

// unary = "!" unary | "EF" unary | "EF" "[" relop duration "]" unary | … | path | quantified | comparison
func (p *parser) unary() node {
	at := p.tok()
	var read func() node
	op := OpNot
	switch {
	case at.kind == tokTemporal:
		op = at.op
	case at.kind == "forall" || at.kind == "exists":
		read = p.quantified
	case at.kind == tokName && (at.text == "E" || at.text == "A") && p.peek(1).kind == "[":
		read = p.path
	case at.kind != "!":
		return p.comparison()
	}
	if at.kind != "!" {
		p.aboutEvent(at)
	}
	defer p.enter(at)()
	if read != nil {
		return read()
	}
	p.advance()
	if op.IsTemporal() && p.atBound() {
		return p.bounded(at)
	}
	operand := p.unary()
	if p.bounds && op == OpAG {
		operand = p.formula(operand)
		n := node{f: alwaysOf(at.pos, operand.f), start: at.pos, open: at.pos}
		return p.grown(n, at, operand)
	}
	return p.build(op, at, operand)
}

var pathOps = map[string]Op{
	"EU": OpEU, "ER": OpER, "EW": OpEW,
	"AU": OpAU, "AR": OpAR, "AW": OpAW,
}

// path = ("E" | "A") "[" formula ("U" | "R" | "W") formula "]"
//
// A name after a whole operand can only be one of the operators, so that
// variables may be called U, R and W.
func (p *parser) path() node {
	at, bracket := p.advance(), p.advance()
	defer p.bracketed()()
	left := p.iff()
	op, ok := pathOps[at.text+p.tok().text]
	switch t := p.tok(); {
	case ok && t.kind == tokName:
	case t.kind == "]":
		p.fail(t, at.text+"G and "+at.text+"F take one formula, without brackets",
			"%s[ ] joins two formulas by U, R or W", at.text)
	default:
		p.unexpected(&bracket)
	}
	p.advance()
	if p.atBound() {
		p.fail(p.tok(), "how long q takes is written AG(p -> AF[<= 5s] q), and how long p lasts, p lasts <= 5s",
			"%s[ ] takes no bound", at.text)
	}
	right := p.iff()
	if t := p.tok(); t.kind == tokName && pathOps[at.text+t.text] != 0 {
		p.fail(t, "write "+at.text+"["+at.text+"[p U q] U r] or the like",
			"%s[ ] joins two formulas, not three", at.text)
	}
	p.closed("]", bracket)
	return p.build(op, at, left, right)
}

// closed consumes the closing bracket that matches open.
func (p *parser) closed(by kind, open token) {
	if !p.accept(by) {
		p.unexpected(&open)
	}
}

// quantified = ("forall" | "exists") names [ "in" domain ] [ "having" vars ] ":" formula
func (p *parser) quantified() node {
	at := p.advance()
	op := OpForall
	if at.kind == "exists" {
		op = OpExists
	}
	q := p.quantifier(at)
	unbind := p.bind(q)
	n := p.build(op, at, p.iff())
	unbind()
	n.f.Quant = q
	return n
}

// quantifier parses names, domain and having after forall, exists or the word of an
// aggregate, up to and including the colon.
func (p *parser) quantifier(at token) *Quantifier {
	q := &Quantifier{}
	var between token
	open := p.tok()
	tuple := p.accept("(")
	for {
		name := p.advance()
		if name.kind != tokName {
			hint := "as in " + at.text + " i: p@i"
			if name.word {
				hint = name.text + " is an operator"
			}
			p.fail(name, hint, "%s needs a name to bind, found %s", at.text, name)
		}
		p.unboundYet(name, q.Names)
		q.Names = append(q.Names, Name{name.text, name.pos})
		sep := p.tok()
		if sep.kind != "," && (sep.kind != tokRelop || sep.rel != NotEqual) {
			break
		}
		if len(q.Names) > 1 && between.kind != sep.kind {
			p.fail(sep, "commas allow the same process twice, != requires different ones",
				"names are joined either by commas or by !=")
		}
		between = p.advance()
	}

	q.Distinct = between.kind == tokRelop
	if tuple {
		p.closed(")", open)
	}
	if t := p.tok(); t.kind == tokName && t.text == "in" {
		p.advance()
		p.domain(q)
	}
	p.tupled(q, tuple, open)

	if t := p.tok(); t.kind == tokName && t.text == "having" {
		p.advance()
		if q.Data != nil {
			p.fail(t, "values and events are chosen by a condition, as in values(req where op == \"recv\")", "having is for processes")
		}
		q.Having = p.listed(func() Name { return p.had(at) })
	}

	if t := p.tok(); !p.accept(":") {
		hint := "as in " + at.text + " i: p@i"
		switch {
		case q.Having != nil && t.kind == tokName && t.text == "in":
			hint = "in comes before having"
		case t.kind == tokRelop:
			hint = "different processes are written " + at.text + " i != j: …"
		case t.kind == "@" && len(q.Names) > 1 && !q.Distinct:
			hint = "the names end with a colon, not with a comma, as in " + at.text + " i: p@i"
		case t.kind == tokBad:
			// The missing colon is the mistake, not the bad token in its place.
			t.err = nil
		}
		p.fail(t, hint, "%s needs a colon, found %s", at.text, t)
	}

	return q
}

// listed parses names with commas between them.
func (p *parser) listed(name func() Name) []Name {
	names := []Name{name()}
	for p.accept(",") {
		names = append(names, name())
	}
	return names
}

// domain = "{" process { "," process } "}" | string
func (p *parser) domain(q *Quantifier) {
	open := p.tok()
	data := open.kind == tokName && (open.text == "values" || open.text == "events")
	switch {
	case data && p.peek(1).kind == "(":
		p.data(q)
	case open.kind == tokString && open.text == "":
		p.fail(open, `"*" matches every process`, "the pattern is empty")
	case p.accept(tokString):
		q.Glob = open.text
	case p.accept("{"):
		q.Domain = p.listed(p.process)
		p.closed("}", open)
	default:
		hint := `as in {P1, P2} or "node*"`
		if data {
			hint = "as in values(req) or events(op == \"recv\")"
		} else if open.kind == tokName && p.peek(1).kind == "*" {
			hint = "a pattern is written as a string: " + quote(open.text+"*")
		} else if open.kind == tokName {
			hint = "write {" + clip(open.text) + "} for one process, a pattern such as " + clip(quote(open.text+"*")) + " for several"
		}
		p.fail(open, hint, "in needs processes in braces or a pattern, found %s", open)
	}
}

// had parses the name of a variable after having.
func (p *parser) had(at token) Name {
	example := "as in " + at.text + " i having cs: cs@i"
	name := p.nameOrString("having needs the name of a variable", example)
	if t := p.tok(); t.kind == "@" {
		p.fail(t, example, "having takes the names of variables, without processes")
	}
	return name
}

// nameOrString parses a name that may be in quotes. The message missing begins the error for any
// other token.
func (p *parser) nameOrString(missing, hint string) Name {
	t := p.advance()
	if t.kind != tokName && t.kind != tokString || t.text == "" {
		p.fail(t, hint, "%s, found %s", missing, t)
	}
	return Name{t.text, t.pos}
}

// process = name | string
func (p *parser) process() Name {
	t, _, _ := p.named(p.tok())
	switch {
	case t.kind == tokString && t.text == "":
		p.fail(t, "", "the name of a process is empty")
	case t.kind != tokString && !t.word:
		hint := map[kind]string{
			tokNumber: "names that are not plain are written as strings: " + quote(t.text),
			"*":       "of all processes, write forall i: x@i; of some, exists i: x@i",
			"{":       "of several processes, write forall i in {P1, P2}: x@i",
			"@":       "write x@P1",
		}[t.kind]
		p.fail(t, hint, "the name of a process is missing, found %s", t)
	}

	p.advance()
	return Name{t.text, t.pos}
}

// comparison = sum { relop sum } [ "lasts" relop duration ]
func (p *parser) comparison() node {
	n, first := p.sum(), p.tok()
	if p.atLasts() {
		return p.lasts(n)
	}
	if first.kind != tokRelop || p.counting && n.noValue() {
		return n
	}
	operands := []node{n}
	e := newExpr(ExprCompare, first.pos)
	for p.tok().kind == tokRelop {
		at, left := p.advance(), operands[len(operands)-1]
		right := p.sum()
		p.value(left, at, "left")
		p.value(right, at, "right")
		e.Rel = append(e.Rel, at.rel)
		operands = append(operands, right)
	}

	e.Args = Mapped(operands, func(n node) *Expr { return n.e })
	n = p.grown(node{e: e, start: n.open, open: n.open}, first, operands...)
	if p.atLasts() {
		return p.lasts(n)
	}
	return n
}

// sum = term { ("+" | "-") term }
func (p *parser) sum() node { return p.arithmetic(p.term, "+", "-") }

// term = factor { "*" factor }
func (p *parser) term() node { return p.arithmetic(p.factor, "*", "*") }

var arithmeticOps = map[kind]ExprOp{"+": ExprAdd, "-": ExprSub, "*": ExprMul}

// arithmetic parses operands joined by one or the other of two operators.
func (p *parser) arithmetic(operand func() node, one, other kind) node {
	left := operand()
	for at := p.tok(); at.kind == one || at.kind == other; at = p.tok() {
		p.advance()
		right := operand()
		p.value(left, at, "left")
		p.value(right, at, "right")
		e := newExpr(arithmeticOps[at.kind], at.pos, left.e, right.e)
		left = p.grown(node{e: e, start: left.open, open: left.open}, at, left, right)
	}
	return left
}

// factor = number | string | "true" | "false" | variable | "-" factor
// | "(" formula or sum ")" | "transit" "(" process "," process ")" | aggregate;
// variable = (name | string | "len" "(" name ")") [ "@" process ]
func (p *parser) factor() node {
	at := p.tok()
	e := newExpr(ExprVar, at.pos)
	n := node{e: e, start: at.pos, open: at.pos}
	switch at.kind {
	case "true", "false":
		p.advance()
		e.Op, e.Bool = ExprBool, at.kind == "true"
		return n
	case tokNumber:
		p.advance()
		p.number(e, at, "")
		return n
	case tokDuration:
		p.advance()
		p.duration(e, at)
		return n
	case "-":
		return p.negated(at)
	case "(":
		return p.parenthesized(at)
	case tokString:
		p.advance()
		e.Op, e.Text = ExprString, at.text
		if p.tok().kind != "@" {
			return n
		}
		if at.text == "" {
			p.fail(at, "", "the name of a variable is empty")
		}
	case "@":
		if !p.condition {
			p.missing()
		}
		p.owned(e)
		return n
	case tokName:
		if pastOperators[at.text].conds > 0 && p.peek(1).kind == "(" {
			return p.pastOperator()
		}
		if at.text == "knows" && p.peek(2).kind == ":" {
			return p.knows()
		}
		if p.atAggregate() {
			p.aboutEvent(at)
			return p.aggregate()
		}
		if p.mention(e, at) {
			return n
		}
		if p.args[at.text].text != nil {
			return p.parameter()
		}
		if def := p.definition(); def != nil {
			return p.apply(def)
		}
		if called, ok := p.called(); ok {
			return called
		}
		if p.condition && at.text == "has" && p.peek(1).kind == "(" {
			p.advance()
			p.has(e)
			return n
		}
		p.notOperator()
		p.advance()
		if at.text == "transit" && p.tok().kind == "(" {
			p.aboutEvent(at)
			p.transit(e)
			return n
		}
		e.Text = at.text
		if at.text == length && p.tok().kind == "(" {
			e.Text = p.length()
		}
	default:
		p.missing()
	}
	e.Op = ExprVar
	if p.condition {
		e.Op = ExprField
	}
	if t := p.tok(); p.accept("@") {
		if p.condition {
			p.fail(t, "for one process, write @process == \"P1\" && …",
				"a field belongs to the event, and is written without a process")
		}
		e.Process = p.process()
	}
	return n
}

// number parses the digits of a token after a sign into e. Whole numbers beyond 64
// bits become floats.
func (p *parser) number(e *Expr, at token, sign string) {
	e.Op = ExprNumber
	if !strings.ContainsAny(at.text, ".eE") {
		i, err := strconv.ParseInt(sign+at.text, 10, 64)
		if err == nil {
			e.Int = i
			return
		}
	}

	x, err := strconv.ParseFloat(at.text, 64)
	if err != nil { // the lexer passes well-formed numbers only
		p.fail(at, "", "the number %s is out of range", clip(at.text))
	}
	e.Float, e.IsFloat = x, true
}

// negated parses the operand of a minus. The digits of the least int64 become a
// negative constant, as no positive one exists.
func (p *parser) negated(at token) node {
	defer p.enter(at)()
	p.advance()
	e := newExpr(ExprNeg, at.pos)
	n := node{e: e, start: at.pos, open: at.pos}
	if t := p.tok(); t.kind == tokNumber && strings.TrimLeft(t.text, "0") == minInt {
		p.advance()
		p.number(e, t, "-")
		return n
	}

	operand := p.factor()
	p.value(operand, at, "only")
	e.Args = []*Expr{operand.e}
	return p.grown(n, at, operand)
}

// minInt has the digits of the least int64, whose negation does not fit into 64 bits.
const minInt = "9223372036854775808"

// parenthesized parses a formula or a sum in parentheses; only its content shows
// which of them it is.
func (p *parser) parenthesized(at token) node {
	defer p.enter(at)()
	p.advance()
	defer p.bracketed()()
	n := p.iff()
	p.closed(")", at)
	n.open = at.pos
	return n
}

// transit parses the text after the word transit: "(" process "," process ")".
func (p *parser) transit(e *Expr) {
	const example = "as in transit(P1, P2)"
	open := p.advance()
	e.Op, e.Channel = ExprTransit, &Channel{From: p.process()}
	if t := p.tok(); !p.accept(",") {
		p.fail(t, example, "transit takes two processes, found %s", t)
	}
	e.To = p.process()
	if t := p.tok(); t.kind == "," {
		p.fail(t, example, "transit takes two processes")
	}
	p.closed(")", open)
}

// length is the function of a channel of a program. Its value is a variable with the
// name len(q).
const length = "len"

// length parses the text after the word len: "(" name ")".
func (p *parser) length() string {
	open := p.advance()
	t := p.tok()
	if !p.accept(tokName) {
		p.fail(t, "as in len(q)", "len takes the name of a channel, found %s", t)
	}
	p.closed(")", open)
	return length + "(" + t.text + ")"
}

// value checks that the operand of an arithmetic or relational operator has a value.
func (p *parser) value(n node, op token, side string) {
	if !n.noValue() {
		return
	}
	what := n.what()
	if side == "only" {
		p.fail(op, "not is written !", "%s is for numbers, but its operand is %s", op.text, what)
		return
	}

	hint, does := "formulas are joined by &&, ||, -> and <->", "is for numbers"
	if op.kind == tokRelop {
		does = "compares values"
		switch op.rel {
		case Equal:
			hint = "between formulas, write <->"
		case NotEqual:
			hint = "between formulas, write !(p <-> q)"
		}
	}

	p.fail(op, hint, "%s %s, but its %s side is %s", op.text, does, side, what)
}

// noValue reports whether n is a formula, and so not an operand of arithmetic or of a comparison.
func (n node) noValue() bool { return n.e == nil || n.e.Op.isFormula() }

// formula converts a node to a formula, and fails if it is a value.
func (p *parser) formula(n node) node {
	if n.f != nil {
		return n
	}
	if n.loose {
		n = p.tightened(n)
	}
	at := token{pos: n.start}
	switch op := n.e.Op; {
	case op.isFormula() || op == ExprVar || op == ExprField || isBound(n.e):
		n.f = &Formula{Op: OpAtom, Expr: n.e, Pos: n.start}
		return n
	case op == ExprBool:
		n.f = decided(n.e.Bool, n.start)
		return n
	case op == ExprString:
		text := clip(quote(n.e.Text))
		hint := "a variable whose name is not plain is written with its process: " + text + "@P"
		if f, err := Parse(n.e.Text); err == nil && !isPlain(n.e.Text) && f.Op != OpTrue {
			hint = "write " + clip(n.e.Text) + " without the quotes"
		}
		p.fail(at, hint, notFormula, text, StringType)
	case op == ExprNumber:
		p.fail(at, "write true, false or a comparison", notFormula, n.e, NumberType)
	}
	text := "this"
	if n.depth < 100 {
		text = clip(n.e.String())
	}
	if n.e.Op.IsAggregate() {
		text = "(" + text + ")"
	}
	p.fail(at, "compare it, as in "+text+" > 0", notFormula, text, NumberType)
	return n
}
