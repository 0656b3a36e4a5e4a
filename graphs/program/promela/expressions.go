package promela

import (
	"maps"
	"slices"

	"github.com/pota-project/pota/graphs/nearmiss"
)

// channel checks that r names a channel.
func (p *parser) channel(r *Ref) {
	if v := r.last().Variable; v.Type.Kind != Chan {
		fail(r.Position, "%s is not a channel", v.Name)
	}
}

// scalar parses a variable that can be assigned a number.
func (p *parser) scalar(what string) *Ref {
	t := p.peek()
	r := p.ref()
	if v := r.last().Variable; v.Type.Kind == Structure || v.Type.Kind == Chan || v.Length > 0 &&
		r.last().Index == nil {
		fail(t.Position, "%s has to be a number", what)
	}
	// for and select assign it, though no assignment to it stands in the text.
	r.last().Variable.assigned = true
	return r
}

// assignable checks an assignment.
func (p *parser) assignable(r *Ref, e *Expr) {
	v := r.last().Variable
	switch {
	case v.Type.Kind == Structure:
		fail(r.Position, "%s is a structure: assign its fields one by one", v.Name)
	case v.Length > 0 && r.last().Index == nil:
		fail(r.Position, "%s is an array: assign its elements one by one", v.Name)
	// Channels are numbers in a state; a number is what SPIN takes, too.
	case v.Type.Kind == Chan && (e.Op != Refer || e.Ref.last().Variable.Type.Kind != Chan) &&
		e.Op != Number:
		fail(e.Position, "%s is a channel: only a channel can be assigned to it", v.Name)
	}
	v.assigned = true
}

// lookup returns the variable that a name means here, the innermost one, or nil if there is none.
func (p *parser) lookup(name string) *Variable {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if v := p.scopes[i][name]; v != nil {
			return v
		}
	}
	return nil
}

// ref parses a variable with indices and fields.
func (p *parser) ref() *Ref {
	t := p.name("a variable")
	if v := p.lookup(t.text); v != nil {
		return p.refTo(t, v)
	}
	// The hint comes from all names that could stand here: variables, constants and inlines.
	known := slices.AppendSeq(slices.Collect(maps.Keys(p.symbols)), maps.Keys(p.inlines))
	for _, s := range p.scopes {
		known = slices.AppendSeq(known, maps.Keys(s))
	}
	slices.Sort(known)
	fail(t.Position, "%s is not declared%s", t.text, nearmiss.Hint(t.text, known))
	return nil
}

// refTo parses what follows a name: indices and fields. v is what the name means.
//
//	name ["[" expression "]"] ["." variable]
func (p *parser) refTo(t token, v *Variable) *Ref {
	defer p.nest()()
	r := &Ref{Position: t.Position, Variable: v}
	if p.peek().is("[") {
		if v.Length == 0 {
			fail(t.Position, "%s is not an array", v.Name)
		}
		p.take()
		r.Index = p.expression()
		p.expect("]", "after an index")
		// Indices that are known now are checked now, all others at run time.
		if i := r.Index; i.Op == Number && (i.Value < 0 || i.Value >= v.Length) {
			fail(i.Position, "array %s has the elements 0 to %d, not %d", v.Name, v.Length-1,
				i.Value)
		}
	}
	if p.peek().is(".") {
		if v.Type.Kind != Structure {
			fail(p.peek().Position, "%s is not a structure", v.Name)
		}
		p.take()
		f := p.name("a field")
		var names []string
		for _, g := range v.Type.Struct.Fields {
			if g.Name == f.text {
				// An array of structures as a whole has no fields.
				if v.Length > 0 && r.Index == nil {
					fail(t.Position, "%s is an array: an index is missing", v.Name)
				}
				r.Field = p.refTo(f, g)
				return r
			}
			names = append(names, g.Name)
		}
		fail(f.Position, "structure %s has no field %s%s", v.Type.Struct.Name, f.text,
			nearmiss.Hint(f.text, names))
	}
	return r
}

// levels are the binary operators, the weakest first.
var levels = [][]Op{
	{Or}, {And}, {BitOr}, {BitXor}, {BitAnd}, {Equal, NotEqual},
	{Greater, Less, GreaterEqual, LessEqual}, {ShiftLeft, ShiftRight}, {Add, Subtract},
	{Multiply, Divide, Modulo},
}

// operator returns which operator of a list a token is, or 0 if it is none of them.
func operator(t token, list ...Op) Op {
	for _, op := range list {
		if t.is(signs[op]) {
			return op
		}
	}
	return 0
}

// expression parses an expression. Binary operators are left-associative and bind as in C.
func (p *parser) expression() *Expr { return p.binary(0) }

// binary parses operators of one level and of those that bind more strongly. The recursion goes
// down the levels before it reads anything: its depth for each bracket is their number.
func (p *parser) binary(level int) *Expr {
	if level == len(levels) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for {
		t := p.peek()
		op := operator(t, levels[level]...)
		// In c?<x> the sign ends the fields of a receive: no operand can follow.
		if op == 0 || op == Greater && ends(p.after()) {
			return left
		}
		p.take()
		left = &Expr{Position: t.Position, Op: op, Sub: []*Expr{left, p.binary(level + 1)}}
		p.numeric(left)
	}
}

// numeric refuses channels as operands, except of comparisons: a model must not depend on the
// numbers that stand for channels. Arrays and structures are refused by the compiler.
func (p *parser) numeric(e *Expr) {
	for _, s := range e.Sub {
		if s.Op == Refer && s.Ref.last().Variable.Type.Kind == Chan && e.Op != Equal && e.Op != NotEqual {
			fail(s.Position, "%s is a channel: channels can be compared by == and !=, and sent, but not calculated with",
				s.Ref.last().Variable.Name)
		}
	}
}

// unary parses "!", "-" and "~" before an operand. A minus before a number makes a constant.
func (p *parser) unary() *Expr {
	defer p.nest()()
	t := p.peek()
	if op := operator(t, Not, Negate, Complement); op != 0 {
		p.take()
		e := p.unary()
		// So that -1 is a constant that for and select can count from.
		if op == Negate && e.Op == Number && e.Symbol == "" {
			return constantAt(t.Position, -e.Value)
		}
		e = &Expr{Position: t.Position, Op: op, Sub: []*Expr{e}}
		p.numeric(e)
		return e
	}
	// The scanner takes two negations for the sign of a sorted send.
	if t.is("!!") {
		p.take()
		return &Expr{Position: t.Position, Op: Not,
			Sub: []*Expr{{Position: t.Position, Op: Not, Sub: []*Expr{p.unary()}}}}
	}
	return p.primary()
}

// primary parses a constant, a variable, a query of a channel, run, or an expression in
// parentheses, perhaps conditional: (c -> a : b).
func (p *parser) primary() *Expr {
	t := p.take()
	e := &Expr{Position: t.Position}
	query := operator(t, Len, Full, Empty, NotFull, NotEmpty)
	switch {
	case t.kind == number:
		e.Value = t.value
	case t.is("("):
		e = p.expression()
		if p.accept("->") {
			e = &Expr{Position: t.Position, Op: Cond, Sub: []*Expr{e, p.expression()}}
			p.expect(":", "between the two values of a condition")
			e.Sub = append(e.Sub, p.expression())
			p.numeric(e)
		}
		p.expect(")", "after an expression")
	case t.kind != name:
		fail(t.Position, "an expression is expected, not %s", t)
	case t.text == "true", t.text == "skip":
		e.Value = 1
	case t.text == "false":
	case t.text == "timeout":
		e.Op = Timeout
	case query != 0:
		e.Op = query
		p.expect("(", "after "+t.text)
		e.Ref = p.ref()
		p.channel(e.Ref)
		p.expect(")", "after the channel")
	case t.text == "run":
		p.run(e)
	case t.text == "_pid" && p.proc == nil:
		fail(t.Position, "_pid is the number of a process: it stands only in processes")
	case t.text == "_pid":
		e.Op = PidOf
	case t.text == "_nr_pr":
		e.Op = Processes
	case t.text == "eval":
		fail(t.Position, "eval stands only in receives")
	default:
		p.named(e, t)
	}
	return e
}

// named parses an expression that starts with a name: a constant of an mtype, a variable, or a poll.
//
//	variable [("?" | "??") "[" patterns "]"]
//
// A variable hides a constant of the same name.
func (p *parser) named(e *Expr, t token) {
	v := p.lookup(t.text)
	if value, ok := p.symbols[t.text]; ok && v == nil {
		e.Value, e.Symbol = value, t.text
		return
	}
	p.at--
	// P[0]@label and P:x look into other processes.
	for _, q := range p.model.Procs {
		if v == nil && q.Name == t.text && (p.after().is("@") || p.after().is("[") ||
			p.after().is(":")) {
			fail(t.Position, "a look into process %s is not supported in a model: formulas can do that; here use a global variable", t.text)
		}
	}
	e.Op, e.Ref = Refer, p.ref()
	if u := p.peek(); (u.is("?") || u.is("??")) && p.after().is("[") {
		p.take()
		p.take()
		p.channel(e.Ref)
		e.Op = Poll
		e.Random = u.text == "??"
		e.Sub = p.arguments(p.pattern)
		p.expect("]", "after the fields of a message")
		e.Sub = p.matches(e.Ref, e.Sub, Ignore, u.Position)
	}
}

// run parses the start of a process:
//
//	"run" proctype "(" [expression {"," expression}] ")"
func (p *parser) run(e *Expr) {
	if p.proc == nil {
		fail(e.Position, "run stands only in processes")
	}
	t := p.name("the name of a proctype")
	e.Op, e.Symbol = Run, t.text
	e.Position = t.Position
	// The proctype may be declared further down, so checkRuns looks for it when all are known.
	p.expect("(", "after the name of a proctype")
	if !p.peek().is(")") {
		e.Sub = p.list(p.expression)
	}
	p.expect(")", "after the arguments of run")
	p.runs = append(p.runs, e)
}

// checkRuns finds the proctypes of runs. It comes last: they may be declared later than the run.
func (p *parser) checkRuns() {
	var names []string
	for _, q := range p.model.Procs {
		names = append(names, q.Name)
	}
	for _, e := range p.runs {
		i := slices.Index(names, e.Symbol)
		if i < 0 || e.Symbol == "init" {
			fail(e.Position, "there is no proctype %s%s", e.Symbol, nearmiss.Hint(e.Symbol, names))
		}
		e.Proc = p.model.Procs[i]
		if want := len(e.Proc.Params); want != len(e.Sub) {
			fail(e.Position, "proctype %s takes %d arguments, not %d", e.Symbol, want, len(e.Sub))
		}
	}
}

// count parses a constant expression: the number of things that what has, from least to most.
func (p *parser) count(what, things string, least, most int) int {
	at := p.peek().Position
	e := p.expression()
	n, ok := e.constant()
	if !ok {
		fail(e.Position, "a constant is expected: the value of this expression is not known before the program runs")
	}
	if n < least || n > most {
		fail(at, "%s has %d %s: there can be %d to %d", what, n, things, least, most)
	}
	return n
}

// constant returns the value of an expression that does not depend on the state, and whether it is
// one. It calculates in 32 bits, as the program does.
func (e *Expr) constant() (int, bool) {
	if e.Op == Number {
		return e.Value, true
	}
	// All operators on numbers lie between these two.
	if e.Op < Not || e.Op > Cond {
		return 0, false
	}
	// No operator has more than the three operands of Cond.
	var v [3]int32
	for i, s := range e.Sub {
		x, ok := s.constant()
		if !ok {
			return 0, false
		}
		v[i] = int32(x)
	}
	if e.Op == Cond {
		if v[0] != 0 {
			return int(v[1]), true
		}
		return int(v[2]), true
	}
	// In a constant this is an error of the model, whether or not the statement is ever executed.
	if (e.Op == Divide || e.Op == Modulo) && v[1] == 0 {
		fail(e.Position, "division by zero")
	}
	return int(operations[e.Op](v[0], v[1])), true
}
