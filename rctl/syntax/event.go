package syntax

import (
	"math/big"
	"slices"
	"strings"
)

// This file has the part of the language about single events: conditions, operators about the
// past, and domains of values and of events.
//
// Example: in
//
//	forall e in events(op == "recv"): once(op == "done" && req == e.req)@web
//
// events(…) is a domain, once(…)@web is about the past, and the texts in their parentheses are conditions.
// In a condition, op and req are fields: the values that the event at hand assigns, not the values that
// variables have at a cut. A name thus has two meanings, and parser.condition says which one applies.

// A Past holds the parts of an expression about the events in a cut, or about an event that a name
// is bound to.
type Past struct {
	Conds []*Formula // one for ExprOnce, ExprEvents and ExprKnows, two for ExprBetween
	Event Name       // the event of ExprHappened, ExprOf and ExprBefore
	Other Name       // the later event of ExprBefore
}

// A Data is a domain derived from the events of a trace: values(f, g where c) or events(c).
type Data struct {
	Fields []Name   // the fields of values(…); nil for events(…)
	Where  *Formula // the condition; nil if all events that assign the fields count
	Tuple  bool     // whether the names are bound together, to the values of one event
	Pos    int      // the byte offset of the word values or events
}

// A Sort says whether names are bound to processes, values or events.
type Sort uint8

// The sorts of names.
const (
	OfProcess Sort = iota
	OfValue
	OfEvent
)

// Sort returns the sort of the quantifier's names.
func (q *Quantifier) Sort() Sort {
	switch {
	case q.Data == nil:
		return OfProcess
	case q.Data.Fields == nil:
		return OfEvent
	}
	return OfValue
}

// ofData reports whether the quantifier ranges over values or events.
func (q *Quantifier) ofData() bool { return q != nil && q.Data != nil }

// A boundName is a name that an enclosing quantifier binds.
type boundName struct {
	Name
	sort Sort
}

// binding returns the binding of a name in the current frame.
func (p *parser) binding(name string) (boundName, bool) {
	for _, b := range p.bound {
		if b.Text == name {
			return b, true
		}
	}
	return boundName{}, false
}

// bind binds the names of a quantifier while its body is parsed. The caller must call unbind after the
// body.
func (p *parser) bind(q *Quantifier) (unbind func()) {
	outer, around := len(p.bound), len(p.around)
	for _, name := range q.Names {
		p.bound = append(slices.Clip(p.bound), boundName{name, q.Sort()})
		p.around = append(p.around, name.Text)
	}
	return func() { p.bound, p.around = p.bound[:outer], p.around[:around] }
}

// unboundYet refuses a name that an enclosing quantifier or this one has already bound.
func (p *parser) unboundYet(name token, here []Name) {
	bound, ok := p.binding(name.text)
	if i := slices.IndexFunc(here, func(n Name) bool { return n.Text == name.text }); i >= 0 {
		bound.Name, ok = here[i], true
	}
	switch {
	case ok:
		p.fail(name, "choose another name", "%s is already bound at %s", name,
			p.src.place(bound.Pos))
	case slices.Contains(p.around, name.text): // bound outside of the definition that is being parsed
		p.fail(name, "choose another name", "%s is bound already where the definition is used",
			name)
	}
}

// tupled checks that the numbers of names and fields fit: a tuple has as many names as fields, and
// other names range over one field.
func (p *parser) tupled(q *Quantifier, tuple bool, open token) {
	const example = "as in forall (l, c) in values(lock, client): …"
	switch {
	case q.Data == nil || q.Data.Fields == nil:
		if tuple {
			p.fail(open, example, "names in parentheses are for values of several fields")
		}
	case tuple && len(q.Names) != len(q.Data.Fields):
		p.fail(open, example, "the names in parentheses are %d, and the fields %d", len(q.Names),
			len(q.Data.Fields))
	case !tuple && len(q.Data.Fields) > 1:
		p.fail(open, example, "names for the values of several fields stand in parentheses")
	}
	if tuple && q.Data != nil {
		q.Data.Tuple = true
	}
}

// atTuple reports whether the text "(name, …) in" follows the current token.
func (p *parser) atTuple() bool {
	for n := 2; p.peek(n).kind == tokName; n += 2 {
		switch p.peek(n + 1).kind {
		case ",":
		case ")":
			t := p.peek(n + 2)
			return t.kind == tokName && t.text == "in"
		default:
			return false
		}
	}
	return false
}

// own lists the properties of an event itself, written @process and so on.
var own = []string{"process", "label", "id", "time"}

// pastOperators holds the operators about the events of a cut, and their numbers of conditions.
var pastOperators = map[string]struct {
	op    ExprOp
	conds int
}{"once": {ExprOnce, 1}, "events": {ExprEvents, 1}, "between": {ExprBetween, 2}}

// pastOperator = ("once" | "events") "(" condition ")" [ "@" process ]
// | "between" "(" condition "," condition ")" "@" process
func (p *parser) pastOperator() node {
	at, open := p.advance(), p.advance()
	if p.condition {
		p.fail(at, "join conditions by &&, || and !",
			"a condition is about one event, but %s is about all that have happened", at.text)
	}
	defer p.enter(at)()

	look := pastOperators[at.text]
	e := &Expr{Op: look.op, Past: new(Past), Owner: Unresolved, Pos: at.pos}
	n := node{e: e, start: at.pos, open: at.pos}
	for k := range look.conds {
		if t := p.tok(); k > 0 && !p.accept(",") {
			p.fail(t, `as in between(op == "take", op == "drop")@i`,
				"%s takes two conditions, found %s", at.text, t)
		}
		cond := p.conditionNode()
		e.Conds = append(e.Conds, cond.f)
		n = p.grown(n, at, cond)
	}
	p.closed(")", open)

	switch t := p.tok(); {
	case p.accept("@"):
		e.Process = p.process()
	case e.Op == ExprBetween:
		p.fail(t, "write between(…)@i", "between is about the events of one process")
	}
	return n
}

// knows = "knows" process ":" formula
func (p *parser) knows() node {
	at := p.advance()
	p.aboutEvent(at)
	defer p.enter(at)()
	e := &Expr{Op: ExprKnows, Past: new(Past), Owner: Unresolved, Process: p.process(), Pos: at.pos}
	p.accept(":")
	body := p.formula(p.iff())
	if temporal := Temporal(body.f); temporal != nil {
		p.failAt(temporal.Pos, "put it around: AG(… -> knows P: …)",
			"what a process knows is about one cut, but %s is about runs", temporal.Op)
	}
	e.Conds = []*Formula{body.f}
	return p.grown(node{e: e, start: at.pos, open: at.pos}, at, body)
}

// conditionNode parses a condition.
func (p *parser) conditionNode() node {
	outside := p.condition
	p.condition = true
	defer func() { p.condition = outside }()
	return p.formula(p.iff())
}

// aboutEvent refuses an operator about runs or several processes in a condition.
func (p *parser) aboutEvent(at token) {
	if p.condition {
		p.fail(at, "it stands around, as in EF once(op == \"done\")",
			"a condition is about one event, but %s is about a whole computation", at)
	}
}

// owned parses the property of an event after an @ in a condition.
func (p *parser) owned(e *Expr) {
	at := p.advance()
	t := p.tok()
	if !slices.Contains(own, t.text) {
		p.fail(at, "an event has @process, @label, @id and @time", "%s is no property of an event",
			t)
	}
	p.advance()
	e.Op, e.Text = ExprOwn, t.text
}

// has parses the text after the word has in a condition: "(" field ")" or "(" "@" "time" ")".
func (p *parser) has(e *Expr) {
	open := p.advance()
	if e.Op = ExprHas; p.tok().kind == "@" {
		p.owned(e)
		e.Op, e.Text = ExprHas, "@"+e.Text
	} else {
		e.Text = p.field().Text
	}
	p.closed(")", open)
}

// field = name | string
func (p *parser) field() Name {
	return p.nameOrString("the name of a field is missing", `as in values(req) or values("http.status")`)
}

// data = "values" "(" field { "," field } [ "where" condition ] ")" | "events" "(" condition ")"
func (p *parser) data(q *Quantifier) {
	at, open := p.advance(), p.advance()
	q.Data = &Data{Pos: at.pos}
	if at.text == "events" {
		q.Data.Where = p.conditionNode().f
		p.withoutItself(q)
	} else {
		q.Data.Fields = p.listed(p.field)
		if t := p.tok(); t.kind == tokName && t.text == "where" {
			p.advance()
			q.Data.Where = p.conditionNode().f
		}
	}
	p.closed(")", open)
}

// withoutItself refuses d.f in the condition of the domain of d: there it would be a field named
// "d.f", which no event has.
func (p *parser) withoutItself(q *Quantifier) {
	WalkExprs(q.Data.Where, func(e *Expr) {
		name, field, dotted := strings.Cut(e.Text, ".")
		if e.Op != ExprField || !dotted || !hasName(q.Names, name) {
			return
		}
		if field == "time" {
			field = "@time"
		}
		p.failAt(e.Pos, "write "+field,
			"a condition on the events that %s stands for speaks of their fields without it", name)
	})
}

// mention parses a name that is bound to a value or to an event, or e.f for such an event e. It
// returns false for other names.
func (p *parser) mention(e *Expr, at token) bool {
	// Outside of conditions, the name of a process stands only after an @.
	if t, b, ok := p.named(at); ok && (b.sort != OfProcess || p.condition) {
		p.advance()
		e.Op, e.Text = ExprValue, t.text
		if b.sort == OfEvent {
			e.Op, e.Text = ExprHappened, ""
			e.Past = &Past{Event: Name{t.text, at.pos}}
			p.beforeOther(e)
		}
		return true
	}

	// Both names and fields may contain points; the event is the shortest bound prefix.
	for i := range len(at.text) {
		if at.text[i] != '.' {
			continue
		}
		_, b, ok := p.named(token{kind: tokName, text: at.text[:i]})
		if ok && b.sort == OfEvent {
			p.advance()
			e.Op, e.Text = ExprOf, at.text[i+1:]
			e.Past = &Past{Event: Name{b.Text, at.pos}}
			return true
		}
	}
	return false
}

// beforeOther parses "before" and a second event, if they follow the first.
func (p *parser) beforeOther(e *Expr) {
	if t := p.tok(); t.kind != tokName || t.text != "before" {
		return
	}
	p.advance()
	t, b, ok := p.named(p.advance())
	if !ok || b.sort != OfEvent {
		p.fail(t, "as in forall e in events(…): exists d in events(…): e before d",
			"before needs a name that is bound to an event, found %s", t)
	}
	e.Op, e.Text = ExprBefore, ""
	e.Other = Name{t.text, t.pos}
}

// ownText returns the operand of has(…): a field, or a property of the event itself.
func ownText(text string) string {
	if rest, ok := strings.CutPrefix(text, "@"); ok && slices.Contains(own, rest) {
		return text
	}
	return nameText(text)
}

// units holds the units of durations, in seconds.
var units = map[string]*big.Rat{
	"ns": big.NewRat(1, 1e9), "us": big.NewRat(1, 1e6), "ms": big.NewRat(1, 1e3),
	"s": big.NewRat(1, 1), "m": big.NewRat(60, 1), "h": big.NewRat(3600, 1),
}

// duration parses a duration into e, a number of seconds that keeps its text.
func (p *parser) duration(e *Expr, at token) {
	e.Op, e.Text = ExprNumber, at.text
	seconds := e.Seconds()
	if seconds == nil {
		p.fail(at, "write it with fewer digits, and without an exponent",
			"the duration %s is out of range", clip(at.text))
	}
	if seconds.IsInt() && seconds.Num().IsInt64() {
		e.Int = seconds.Num().Int64()
		return
	}
	e.Float, _ = seconds.Float64()
	e.IsFloat = true
}

// maxDigits bounds the length of the number in a duration.
const maxDigits = 24

// Seconds returns the exact number of seconds of a duration as written, or the exact value of
// another number. It returns nil for other expressions, and for a duration out of range.
func (e *Expr) Seconds() *big.Rat {
	if e.Op != ExprNumber {
		return nil
	}
	if e.Text == "" {
		if e.IsFloat {
			return new(big.Rat).SetFloat64(e.Float)
		}
		return new(big.Rat).SetInt64(e.Int)
	}
	// A time before 1970 is negative.
	digits, negative := strings.CutPrefix(e.Text, "-")
	n := len(numberLiteral().FindString(digits))
	if n > maxDigits || strings.ContainsAny(digits[:n], "eE") {
		return nil
	}
	number, ok := new(big.Rat).SetString(digits[:n])
	unit := units[digits[n:]]
	if !ok || unit == nil {
		return nil
	}
	if negative {
		number.Neg(number)
	}
	return number.Mul(number, unit)
}
