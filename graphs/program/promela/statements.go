package promela

import (
	"slices"

	"github.com/pota-project/pota/graphs/nearmiss"
)

// sequence parses statements up to a closing token, without the token:
//
//	step {separator step}
//	separator = ";" | "->"
//
// The two separators mean the same. Where a block or else ends, SPIN does not ask for one.
func (p *parser) sequence(closing ...string) []*Statement {
	defer p.nest()()
	var list []*Statement
	open := p.peek()
	for {
		t := p.peek()
		// Any number of separators is one.
		for p.accept(";") || p.accept("->") {
		}
		if slices.ContainsFunc(closing, p.peek().is) {
			if len(list) == 0 {
				fail(t.Position, "a statement is expected before %s: write skip for none", p.peek())
			}
			return list
		}
		if p.peek().kind == end {
			fail(open.Position, "%q is missing at the end of this sequence", closing[0])
		}
		list = append(list, p.step()...)
		// A separator may be missing behind a block or else, as in SPIN.
		switch t, last := p.peek(), p.tokens[max(p.at-1, 0)]; {
		case t.is(";"), t.is("->"), slices.ContainsFunc(closing, t.is), t.kind == end:
		case last.is("}"), last.is("else"), len(list) > 0 && last.kind == end:
		default:
			fail(t.Position, "\";\" is expected before %s", t)
		}
	}
}

// step parses a declaration or a statement, and returns it after the statements that it needs:
//
//	declaration | statement | ("xr" | "xs") variable {"," variable}
//
// Channels declared after the first statement are refused: the channels of a process must not depend
// on how far it got.
func (p *parser) step() []*Statement {
	t := p.peek()
	// These assert who uses a channel, which the engines find out themselves.
	if t.is("xr") || t.is("xs") {
		p.take()
		for p.ref(); p.accept(","); p.ref() {
		}
		return nil
	}
	if p.declares() {
		var list []*Statement
		for _, v := range p.declaration() {
			if !p.fresh && v.Chan != nil {
				fail(v.Position,
					"channel %s is made when its process starts: declare it at the beginning of the proctype", v.Name)
			}
			list = append(list, &Statement{Position: v.Position, Form: Declare, Var: v,
				initial: p.fresh || v.Type.Kind == Structure})
		}
		return list
	}
	// for and select expand to several statements; those to come first are collected in p.before.
	outer := p.before
	p.before = nil
	s := p.statement()
	list := append(p.before, s)
	p.before = outer
	return list
}

// statement parses one statement with its labels. A label at the end of a block stands before a
// skip.
//
//	label ":" statement
//	("if" option {option} "fi") | ("do" option {option} "od")     option = "::" sequence
//	("atomic" | "d_step") "{" sequence "}" | "{" sequence "}"
//	"for" … | "select" … | "break" | "goto" label | "else"
//	"assert" expression | "printf" … | "printm" …
//	inline "(" arguments ")" | simple
func (p *parser) statement() *Statement {
	defer p.nest()()
	t := p.peek()
	if t.kind == name && p.after().is(":") && !slices.Contains(keywords, t.text) {
		// The call of the inline that they are in distinguishes labels.
		label := Label{p.take().Position, t.text, p.call}
		p.take()
		p.fresh = false
		var s *Statement
		switch u := p.peek(); {
		case u.is("}"), u.is(";"), u.is("->"), u.is("::"), u.is("fi"), u.is("od"):
			s = skipAt(t.Position)
		case p.declares():
			fail(u.Position, "a label cannot stand before a declaration: put it before a statement")
		default:
			s = p.statement()
		}
		s.Labels = append([]Label{label}, s.Labels...)
		return s
	}
	s := &Statement{Position: t.Position}
	p.fresh = false
	switch t.text {
	// Options are sequences of their own; the first statement of each is its guard.
	case "if", "do":
		p.take()
		s.Form = If
		closing := "fi"
		if t.text == "do" {
			s.Form, closing = Do, "od"
			p.loops++
		}
		hasElse := false
		for p.accept("::") {
			option := p.block("::", closing)
			isElse := option[0].Form == Else
			if isElse && hasElse {
				fail(option[0].Position, "a selection has one else at most")
			}
			hasElse = hasElse || isElse
			s.Options = append(s.Options, option)
		}
		if len(s.Options) == 0 {
			fail(p.peek().Position, "an option, which starts with ::, is expected, not %s",
				p.peek())
		}
		p.expect(closing, "after the options")
		if s.Form == Do {
			p.loops--
		}
	case "for":
		p.loop(s)
	case "select":
		p.choice(s)
	case "break":
		p.take()
		if p.loops == 0 {
			fail(t.Position, "break stands outside do and for")
		}
		s.Form = Break
	case "goto":
		p.take()
		l := p.name("a label")
		s.Form, s.Target = Goto, Label{l.Position, l.text, p.call}
	case "else":
		p.take()
		s.Form = Else
	case "atomic", "d_step", "{":
		p.take()
		s.Form = map[string]Form{"atomic": Atomic, "d_step": DStep, "{": Block}[t.text]
		if t.text != "{" {
			p.expect("{", "after "+t.text)
		}
		s.Options = [][]*Statement{p.block("}")}
		p.take()
	case "assert":
		p.take()
		s.Form, s.Expr = Assert, p.expression()
	case "printf", "printm":
		p.print(s)
	default:
		if i := p.inlines[t.text]; i != nil && p.after().is("(") {
			return p.expand(i)
		}
		p.simple(s)
	}
	return s
}

// block parses a sequence that has variables of its own.
func (p *parser) block(closing ...string) []*Statement {
	p.open()
	defer p.close()
	return p.sequence(closing...)
}

// print parses printf and printm, and checks the arguments:
//
//	"printf" "(" text {"," expression} ")" | "printm" "(" expression ")"
//
// Nothing is printed; the text is for labels of transitions.
func (p *parser) print(s *Statement) {
	verb := p.take().text
	s.Form = Print
	p.expect("(", "after "+verb)
	if verb == "printf" {
		t := p.take()
		if t.kind != text {
			fail(t.Position, "a format in quotes is expected, not %s", t)
		}
		s.Text = t.text
	} else {
		s.Args = append(s.Args, p.expression())
	}
	for p.accept(",") {
		s.Args = append(s.Args, p.expression())
	}
	p.expect(")", "after the arguments of "+verb)
}

// loop parses for as a do:
//
//	"for" "(" variable ":" from ".." to ")" "{" sequence "}"
//	"for" "(" variable "in" array ")" "{" sequence "}"
func (p *parser) loop(s *Statement) {
	p.take()
	p.expect("(", "after for")
	at := p.peek()
	r := p.scalar("the variable of for")
	var from, to *Expr
	// for (i in a) counts through the indices of an array.
	if p.accept("in") {
		array := p.ref()
		last := array.last().Variable
		if last.Length == 0 {
			fail(array.Position,
				"%s is not an array: for (… in …) goes through the elements of one; of a channel, receive and send the messages in a do", last.Name)
		}
		from, to = constantAt(at.Position, 0), constantAt(at.Position, last.Length-1)
	} else {
		from, to = p.bounds("for")
	}
	p.expect(")", "after the bounds of for")
	p.accept(";")
	p.accept("->")
	p.expect("{", "before the body of for")
	p.loops++
	body := p.block("}")
	p.loops--
	p.take()
	p.counts(s, r, from, to, LessEqual, body, &Statement{Position: s.Position, Form: Else})
}

// bounds parses those of for and select, with the colon before them.
func (p *parser) bounds(verb string) (from, to *Expr) {
	p.expect(":", "after the variable of "+verb)
	from = p.expression()
	p.expect("..", "between the bounds of "+verb)
	return from, p.expression()
}

// choice parses select: few constants as an if, others as a do.
//
//	"select" "(" variable ":" from ".." to ")"
func (p *parser) choice(s *Statement) {
	p.take()
	p.expect("(", "after select")
	r := p.scalar("the variable of select")
	from, to := p.bounds("select")
	p.expect(")", "after the bounds of select")
	// as SPIN does
	// With few constants each value is one step; otherwise, choosing is counting up and stopping
	// somewhere.
	if from.Op == Number && to.Op == Number && from.Value >= 0 && from.Value <= to.Value &&
		to.Value-from.Value < 33 {
		s.Form = If
		for v := from.Value; v <= to.Value; v++ {
			chosen := assign(s.Position, r, constantAt(s.Position, v))
			s.Options = append(s.Options, []*Statement{chosen})
		}
		return
	}
	p.counts(s, r, from, to, Less, nil, nil)
}

// counts makes s
//
//	r = from; do :: r op to -> body; r = r + 1 :: [otherwise ->] break od
func (p *parser) counts(s *Statement, r *Ref, from, to *Expr, op Op, body []*Statement,
	otherwise *Statement) {
	at := s.Position
	// All of it has the place of the loop, to which messages about it point.
	value := &Expr{Position: at, Op: Refer, Ref: r}
	p.before = append(p.before, assign(at, r, from))
	test := &Statement{Position: at, Form: Condition,
		Expr: &Expr{Position: at, Op: op, Sub: []*Expr{value, to}}}
	next := assign(at, r, &Expr{Position: at, Op: Add, Sub: []*Expr{value, constantAt(at, 1)}})
	exit := []*Statement{{Position: at, Form: Break}}
	if otherwise != nil {
		exit = append([]*Statement{otherwise}, exit...)
	}
	s.Form = Do
	s.Options = [][]*Statement{append(append([]*Statement{test}, body...), next), exit}
}

// assign returns an assignment.
func assign(at Position, r *Ref, e *Expr) *Statement {
	return &Statement{Position: at, Form: Assign, Ref: r, Expr: e}
}

// expand parses the call of an inline: its body, a block, with arguments for parameters. The body is
// parsed anew for each call, since its names mean what they mean at the call. Its tokens keep their
// places, so errors in it point there.
func (p *parser) expand(i *inline) *Statement {
	call := p.take()
	p.take()
	args := arguments(call, "([{", p.take)
	if len(args) == 1 && len(args[0]) == 0 {
		args = nil
	}
	if len(args) != len(i.params) {
		fail(call.Position, "inline %s takes %d arguments, not %d", call.text, len(i.params),
			len(args))
	}
	// An inline that calls itself would expand without end.
	if i.busy {
		fail(call.Position, "inline %s calls itself: use a proctype, or a loop", call.text)
	}
	body := append(substitute(call, i.body, i.params, args), token{Position: call.Position})
	if p.tokensInlined += len(body); p.tokensInlined > maxTokens {
		fail(call.Position, "the inlines expand to more than %d tokens", maxTokens)
	}
	// The body takes the place of the text until its statement is complete. Its labels belong to
	// this call.
	outer := p.source
	p.calls++
	p.source = source{tokens: body, call: p.calls}
	i.busy = true
	s := p.statement()
	p.source = outer
	i.busy = false
	return s
}

// simple parses an assignment, a send, a receive or an expression. An expression is a statement
// that waits until it is true.
func (p *parser) simple(s *Statement) {
	t := p.peek()
	// An assignment to _ is forgotten, but its right side must be an expression.
	if t.is("_") && p.after().is("=") {
		p.take()
		p.take()
		p.expression()
		*s = *skipAt(t.Position)
		return
	}
	// The beginning is the same for an assignment and an expression: if it is no assignment, it is
	// read again.
	if from := p.at; t.kind == name && p.lookup(t.text) != nil {
		if p.change(s, p.ref()) {
			return
		}
		p.at = from
	}
	s.Form, s.Expr = Condition, p.expression()
}

// change parses what follows the variable of an assignment, a send or a receive. It
// reports whether s is one.
//
//	variable "=" expression | variable ("++" | "--")
//	channel ("!" | "!!") arguments
//	channel ("?" | "??") (patterns | "<" patterns ">")
func (p *parser) change(s *Statement, r *Ref) bool {
	s.Ref = r
	t := p.peek()
	switch t.text {
	case "=":
		p.take()
		s.Form, s.Expr = Assign, p.expression()
		p.assignable(r, s.Expr)
	case "++", "--":
		p.take()
		op := map[string]Op{"++": Add, "--": Subtract}[t.text]
		s.Form = Assign
		s.Expr = &Expr{Position: t.Position, Op: op,
			Sub: []*Expr{{Position: r.Position, Op: Refer, Ref: r}, constantAt(t.Position, 1)}}
		p.assignable(r, s.Expr)
	case "!", "!!":
		p.take()
		p.channel(r)
		s.Form, s.Sorted = Send, t.text == "!!"
		s.Args = p.matches(r, p.arguments(p.expression), Number, t.Position)
	case "?", "??":
		// c?[x] is an expression: a poll.
		if p.after().is("[") || p.after().is("[]") {
			return false
		}
		p.take()
		p.channel(r)
		s.Form, s.Random = Receive, t.text == "??"
		s.Keep = p.accept("<")
		s.Args = p.arguments(p.pattern)
		if s.Keep {
			p.expect(">", "after the fields of a message that stays")
		}
		s.Args = p.matches(r, s.Args, Ignore, t.Position)
		for _, a := range s.Args {
			if a.Op == Refer {
				a.Ref.last().Variable.assigned = true
			}
		}
	default:
		s.Ref = nil
		return false
	}
	return true
}

// arguments parses those of a send or a receive: a,b,c or a(b,c).
func (p *parser) arguments(one func() *Expr) []*Expr {
	// c!(a,b) and c!(a+b)*2 begin alike. The first is a list if the statement could end behind it.
	if p.peek().is("(") { // (a,b,c)
		from := p.at
		p.take()
		list := p.list(one)
		if p.accept(")") && (len(list) > 1 || ends(p.peek())) {
			return list
		}
		p.at = from
	}
	list := p.list(one)
	if len(list) == 1 && p.accept("(") {
		list = append(list, p.list(one)...)
		p.expect(")", "after the fields of a message")
	}
	return list
}

// ends reports whether a statement could end before a token.
func ends(t token) bool {
	closing := []string{";", "->", "}", "::", "fi", "od", ">", "]"}
	return t.kind == end || slices.ContainsFunc(closing, t.is)
}

// list parses elements with commas between them.
func (p *parser) list(one func() *Expr) []*Expr {
	list := []*Expr{one()}
	for p.accept(",") {
		list = append(list, one())
	}
	return list
}

// pattern parses a field of a receive. A variable takes the value of the field; anything else has
// to be equal to it.
//
//	"_" | "eval" "(" expression ")" | constant | variable
func (p *parser) pattern() *Expr {
	t := p.peek()
	switch {
	case t.is("_"):
		p.take()
		return &Expr{Position: t.Position, Op: Ignore}
	case t.is("eval"):
		p.take()
		p.expect("(", "after eval")
		e := p.expression()
		p.expect(")", "after the value")
		return &Expr{Position: t.Position, Op: Eval, Sub: []*Expr{e}}
	// Fields are no expressions, but negative constants may stand there.
	case t.is("-") && p.after().kind == number:
		p.take()
		return &Expr{Position: t.Position, Value: -p.take().value}
	case t.kind == number, t.is("true"), t.is("false"), t.is("skip"):
		return p.primary()
	case t.kind == name:
		if _, ok := p.symbols[t.text]; ok && p.lookup(t.text) == nil {
			return p.primary()
		}
		r := p.ref()
		return &Expr{Position: t.Position, Op: Refer, Ref: r}
	}
	fail(t.Position, "a variable, a constant or eval(…) is expected in a receive, not %s", t)
	return nil
}

// matches checks the fields of a message against the type of the channel, if that is known, and adds
// the missing ones: 0 in a send, and _ in a receive. Structures are sent field by field.
func (p *parser) matches(r *Ref, args []*Expr, missing Op, at Position) []*Expr {
	c := r.last().Variable.Chan
	if c == nil {
		return args
	}
	// Counted in scalars, since structures are sent field by field.
	want, got := 0, 0
	for _, t := range c.Types {
		want += t.scalars()
	}
	for _, a := range args {
		if got++; a.Op == Refer {
			got += a.Ref.last().Variable.Type.scalars() - 1
		}
	}
	if got > want {
		fail(at, "a message of channel %s has %d fields, not %d", r.last().Variable.Name, want, got)
	}
	if got < want {
		p.note(at, "a message of channel %s has %d fields: the last %d are %s",
			r.last().Variable.Name, want, want-got,
			map[Op]string{Number: "0", Ignore: "not looked at"}[missing])
	}
	for ; got < want; got++ {
		args = append(args, &Expr{Position: at, Op: missing})
	}
	return args
}

// resolveLabels checks that each label stands once in a proctype, and finds the labels of gotos.
// This comes after the body, since jumps may lead forward.
func resolveLabels(proc *Proc) {
	known := make(map[Label]bool)
	var names []string
	walk(proc.Body, func(s *Statement) {
		for _, l := range s.Labels {
			if known[l.key()] {
				fail(l.Position, "label %s stands twice in %s", l.Name, proc.Name)
			}
			known[l.key()] = true
			names = append(names, l.Name)
		}
	})
	walk(proc.Body, func(s *Statement) {
		if s.Form == Goto {
			// A goto in an inline may lead out of it.
			if !known[s.Target.key()] {
				s.Target.Call = 0
			}
			if !known[s.Target.key()] {
				fail(s.Target.Position, "there is no label %s in %s%s", s.Target.Name, proc.Name,
					nearmiss.Hint(s.Target.Name, names))
			}
		}
	})
}

// walk visits statements and those inside them.
func walk(list []*Statement, visit func(*Statement)) {
	for _, s := range list {
		visit(s)
		for _, o := range s.Options {
			walk(o, visit)
		}
	}
}
