package promela

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/internal/nearmiss"
	"github.com/pota-project/pota/graphs/program"
)

// longest is how many bytes a file of a model may have.
const longest = 16 << 20

// Read reads a model from a file, and what it includes. Errors in it are *Error.
func Read(path string) (*Model, error) {
	source, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, source, func(name string) (string, error) {
		return readFile(filepath.Join(filepath.Dir(path), name))
	})
}

func readFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longest+1))
	if err == nil && len(text) > longest {
		err = fmt.Errorf("%s: the file has more than %d megabytes", path, longest>>20)
	}
	return string(text), err
}

// Parse reads a model. Include returns the text of a file that is included; it may be
// nil where none can be. Errors are *Error.
//
// The time complexity of Parse is O(length of the text with macros and inlines expanded).
func Parse(file, text string, include func(name string) (string, error)) (m *Model, err error) {
	defer rescue(&err)
	p := &parser{
		tokens: preprocess(file, text, include), model: new(Model),
		symbols: make(map[string]symbol), inlines: make(map[string]*inline), structs: make(map[string]*Struct),
	}
	p.model.start = p.peek().Position
	p.open()
	for p.peek().kind != end {
		p.unit()
	}
	p.checkRuns()
	return p.model, nil
}

// An inline is a named sequence of statements.
type inline struct {
	Position
	params []string
	body   []token // with its braces
	busy   bool    // being expanded
}

// A symbol is a constant of an mtype.
type symbol struct {
	set   *Mtype
	value int
}

type parser struct {
	tokens        []token // up to end
	at            int
	model         *Model
	symbols       map[string]symbol
	inlines       map[string]*inline
	structs       map[string]*Struct
	scopes        []map[string]*Variable
	proc          *Proc
	runs          []*Expr
	fresh         bool // only declarations so far in this proctype
	call          int  // of an inline, that is being expanded; 0 for none
	calls         int
	depth         int // of nested expressions and statements
	loops         int // around here
	tokensInlined int
	before        []*Statement // that the statement being parsed has to come after
}

// Limits of the language, and one of how deep expressions and statements nest.
const (
	maxProcesses = 255
	maxChannels  = 255
	maxLength    = 65536 // elements of an array, messages in a channel
	deepest      = 1000
)

func (p *parser) nest() func() {
	if p.depth++; p.depth > deepest {
		fail(p.peek().Position, "brackets and blocks nest more than %d deep", deepest)
	}
	return func() { p.depth-- }
}

func (p *parser) peek() token { return p.tokens[p.at] }
func (p *parser) after() token {
	return p.tokens[min(p.at+1, len(p.tokens)-1)]
}

func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

func (p *parser) accept(text string) bool {
	ok := p.peek().is(text)
	if ok {
		p.at++
	}
	return ok
}

func (p *parser) expect(text, where string) token {
	if t := p.peek(); !t.is(text) {
		fail(t.Position, "%q is expected %s, not %s", text, where, t)
	}
	return p.take()
}

var keywords = strings.Fields(`active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan d_step
	D_proctype do else empty enabled eval false fi for full goto hidden if in init inline int len local ltl mtype
	nempty never nfull notrace np_ od of pc_value pid printf printm priority proctype provided return run select short
	show skip timeout trace true typedef unless unsigned xr xs`)

// name takes a name that is not a keyword.
func (p *parser) name(what string) token {
	t := p.peek()
	if t.kind != name {
		fail(t.Position, "%s is expected, not %s", what, t)
	}
	if slices.Contains(keywords, t.text) {
		fail(t.Position, "%s is expected: %q is a keyword of Promela", what, t.text)
	}
	return p.take()
}

func (p *parser) open()  { p.scopes = append(p.scopes, make(map[string]*Variable)) }
func (p *parser) close() { p.scopes = p.scopes[:len(p.scopes)-1] }

func (p *parser) note(at Position, format string, args ...any) {
	p.model.Notes = append(p.model.Notes, Note{at, fmt.Sprintf(format, args...)})
}

// unit parses what stands outside proctypes.
func (p *parser) unit() {
	t := p.peek()
	switch t.text {
	case ";", "->":
		p.take()
	case "active", "proctype", "D_proctype", "init":
		p.proctype()
	case "typedef":
		p.typedef()
	case "inline":
		p.inline()
	case "ltl", "never", "trace", "notrace":
		p.take()
		if p.peek().kind == name {
			p.take()
		}
		p.braces()
		p.note(t.Position, "%s is read over: only processes, variables and channels make the program; check a formula of pota's instead", t.text)
	case "c_code", "c_decl", "c_state", "c_track", "c_expr":
		p.foreign(t)
	default:
		if !p.declares() {
			fail(t.Position, "a proctype, init, a declaration, typedef or inline is expected, not %s%s", t, nearmiss.Hint(t.text, keywords))
		}
		for _, v := range p.declaration() {
			p.model.Globals = append(p.model.Globals, v)
			p.model.units = append(p.model.units, v)
		}
	}
}

func (p *parser) foreign(t token) {
	fail(t.Position, "%s is not supported: C code is unknown to everything but a C compiler; write it in Promela", t.text)
}

// braces takes { … } and returns it.
func (p *parser) braces() []token {
	from, depth := p.at, 0
	open := p.expect("{", "here")
	for depth = 1; depth > 0; {
		switch t := p.take(); {
		case t.kind == end:
			fail(open.Position, "{ is not closed")
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		}
	}
	return p.tokens[from:p.at]
}

func (p *parser) proctype() {
	proc := &Proc{Position: p.peek().Position}
	if p.accept("active") {
		proc.Active = 1
		if p.accept("[") {
			at := p.peek().Position
			if proc.Active = p.constant(); proc.Active < 0 || proc.Active > maxProcesses {
				fail(at, "active [%d]: there can be 0 to %d processes", proc.Active, maxProcesses)
			}
			p.expect("]", "after the number of processes")
		}
	}
	p.proc = proc
	p.open()
	if p.accept("init") {
		proc.Name, proc.Active = "init", 1
	} else {
		if !p.accept("D_proctype") {
			p.expect("proctype", "after active")
		}
		proc.Position = p.peek().Position
		proc.Name = p.name("the name of a proctype").text
		p.expect("(", "after the name of a proctype")
		for !p.peek().is(")") {
			for _, v := range p.declaration() {
				if v.Init != nil || v.Chan != nil || v.Length > 0 || v.Type.Kind == Structure {
					fail(v.Position, "parameter %s has to be a scalar without initial value", v.Name)
				}
				proc.Params = append(proc.Params, v)
			}
			if !p.peek().is(")") && !p.accept(",") {
				p.expect(";", "between parameters")
			}
		}
		p.expect(")", "after the parameters")
	}
	for _, q := range p.model.Procs {
		if q.Name == proc.Name {
			fail(proc.Position, "%s is declared twice, first at %s", proc.Name, q.Position)
		}
	}
	if t := p.peek(); t.is("priority") || t.is("provided") {
		fail(t.Position, "%s is not supported: put its condition into the guards of the statements", t.text)
	}
	// A proctype may start processes of its own type.
	p.model.Procs = append(p.model.Procs, proc)
	p.model.units = append(p.model.units, proc)
	p.fresh, p.loops = true, 0
	p.expect("{", "at the beginning of the body")
	proc.Body = p.sequence("}")
	p.take()
	p.close()
	p.proc = nil
	resolveLabels(proc)
}

func (p *parser) typedef() {
	p.take()
	s := &Struct{Name: p.name("the name of a structure").text}
	if p.structs[s.Name] != nil {
		fail(p.tokens[p.at-1].Position, "typedef %s is declared twice", s.Name)
	}
	p.expect("{", "after the name of a structure")
	p.open()
	for !p.accept("}") {
		if p.accept(";") || p.accept(",") {
			continue
		}
		for _, f := range p.declaration() {
			if f.Init != nil || f.Chan != nil {
				fail(f.Position, "field %s of a structure has no initial value: assign it in a process", f.Name)
			}
			s.Fields = append(s.Fields, f)
		}
	}
	p.close()
	if len(s.Fields) == 0 {
		fail(p.tokens[p.at-1].Position, "structure %s has no fields", s.Name)
	}
	if (Type{Kind: Structure, Struct: s}).leaves() > largest {
		fail(p.tokens[p.at-1].Position, "structure %s is too large: a state has at most %d bytes", s.Name, largest)
	}
	p.structs[s.Name] = s
	p.model.Structs = append(p.model.Structs, s)
	p.model.units = append(p.model.units, s)
}

func (p *parser) inline() {
	p.take()
	called := p.name("the name of an inline")
	i := &inline{Position: called.Position}
	p.expect("(", "after the name of an inline")
	for !p.accept(")") {
		i.params = append(i.params, p.name("the name of a parameter").text)
		p.accept(",")
	}
	i.body = p.braces()
	p.inlines[called.text] = i
}

// declares reports whether a declaration starts here.
func (p *parser) declares() bool {
	switch t := p.peek(); t.text {
	case "hidden", "show", "local", "bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan":
		return t.kind == name
	default:
		return p.structs[t.text] != nil
	}
}

var kinds = map[string]Kind{
	"bit": Bit, "bool": Bool, "byte": Byte, "pid": Pid, "short": Short, "int": Int, "unsigned": Unsigned, "mtype": Symbol, "chan": Chan,
}

// typename parses the name of a type.
func (p *parser) typename() Type {
	t := p.take()
	if s := p.structs[t.text]; s != nil {
		return Type{Kind: Structure, Struct: s}
	}
	k, ok := kinds[t.text]
	if !ok {
		fail(t.Position, "a type is expected, not %s%s", t, nearmiss.Hint(t.text, []string{"bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan"}))
	}
	typ := Type{Kind: k}
	if k == Symbol {
		typ.Set = p.mtype("")
		if p.peek().is(":") && p.after().kind == name {
			p.take()
			typ.Set = p.mtype(p.take().text)
		}
	}
	return typ
}

func (p *parser) mtype(name string) *Mtype {
	for _, m := range p.model.Mtypes {
		if m.Name == name {
			return m
		}
	}
	m := &Mtype{Name: name}
	p.model.Mtypes = append(p.model.Mtypes, m)
	return m
}

// declaration parses variables of one type, or the names of an mtype.
func (p *parser) declaration() []*Variable {
	for p.accept("hidden") || p.accept("show") || p.accept("local") {
	}
	typ := p.typename()
	if typ.Kind == Symbol && (p.peek().is("{") || p.peek().is("=")) {
		p.accept("=")
		p.symbolsOf(typ.Set)
		return nil
	}
	var list []*Variable
	for {
		v := &Variable{Type: typ, Proc: p.proc}
		t := p.name("the name of a variable")
		v.Name, v.Position = t.text, t.Position
		if _, ok := p.symbols[v.Name]; ok {
			fail(v.Position, "%s is a constant of an mtype already", v.Name)
		}
		if typ.Kind == Unsigned {
			v.Type.Bits = 32
			if p.accept(":") {
				if v.Type.Bits = p.constant(); v.Type.Bits < 1 || v.Type.Bits > 31 {
					fail(v.Position, "unsigned %s: %d bits: there can be 1 to 31", v.Name, v.Type.Bits)
				}
			} else {
				fail(v.Position, "unsigned %s needs its number of bits, such as unsigned %s : 4", v.Name, v.Name)
			}
		}
		if p.accept("[") {
			at := p.peek().Position
			if v.Length = p.constant(); v.Length < 1 || v.Length > maxLength {
				fail(at, "array %s has %d elements: there can be 1 to %d", v.Name, v.Length, maxLength)
			}
			p.expect("]", "after the number of elements")
		}
		if p.accept("=") {
			p.initial(v)
		}
		p.declare(v)
		list = append(list, v)
		_, typed := kinds[p.after().text] // the next parameter
		if !p.peek().is(",") || typed || p.structs[p.after().text] != nil {
			return list
		}
		p.take()
	}
}

// declare makes a variable known.
func (p *parser) declare(v *Variable) {
	scope := p.scopes[len(p.scopes)-1]
	if before := scope[v.Name]; before != nil {
		fail(v.Position, "%s is declared twice, first at %s", v.Name, before.Position)
	}
	scope[v.Name] = v
	if p.proc != nil {
		for _, w := range p.proc.locals {
			if w.Name == v.Name {
				v.number++
			}
		}
		if v.Name == program.At {
			p.note(v.Position, "formulas call this variable at_: at is the location of the process")
		}
		p.proc.locals = append(p.proc.locals, v)
	}
}

// initial parses the initial value of a variable.
func (p *parser) initial(v *Variable) {
	t := p.peek()
	switch {
	case t.is("["):
		if v.Type.Kind != Chan {
			fail(t.Position, "%s is not a channel", v.Name)
		}
		p.take()
		v.Chan = &ChanInit{Capacity: p.constant()}
		if c := v.Chan.Capacity; c < 0 || c > maxLength {
			fail(t.Position, "channel %s has room for %d messages: there can be 0 to %d", v.Name, c, maxLength)
		}
		p.expect("]", "after the capacity of a channel")
		p.expect("of", "after the capacity of a channel")
		p.expect("{", "before the types of a message")
		for {
			at := p.peek().Position
			typ := p.typename()
			if typ.Kind == Unsigned {
				fail(at, "messages have no unsigned fields: take byte, short or int")
			}
			v.Chan.Types = append(v.Chan.Types, typ)
			if !p.accept(",") {
				break
			}
		}
		p.expect("}", "after the types of a message")
	case t.is("{"):
		if v.Length == 0 {
			fail(t.Position, "%s is not an array", v.Name)
		}
		p.take()
		for {
			v.Init = append(v.Init, p.expression())
			if !p.accept(",") {
				break
			}
		}
		p.expect("}", "after the elements of an array")
		if len(v.Init) > v.Length {
			fail(t.Position, "array %s has %d elements, and %d initial values", v.Name, v.Length, len(v.Init))
		}
		for len(v.Init) < v.Length { // as SPIN does
			v.Init = append(v.Init, v.Init[len(v.Init)-1])
		}
	default:
		if v.Type.Kind == Structure {
			fail(t.Position, "a structure has no initial value: assign its fields")
		}
		v.Init = []*Expr{p.expression()}
		p.noRun(v.Init[0])
	}
}

// symbolsOf parses the names of an mtype.
func (p *parser) symbolsOf(set *Mtype) {
	if p.proc != nil {
		fail(p.peek().Position, "an mtype is declared outside proctypes")
	}
	p.expect("{", "before the names of an mtype")
	var names []string
	for !p.accept("}") {
		t := p.name("a name")
		if _, ok := p.symbols[t.text]; ok || slices.Contains(names, t.text) {
			fail(t.Position, "%s is declared twice", t.text)
		}
		names = append(names, t.text)
		p.accept(",")
	}
	// SPIN counts from the last name.
	slices.Reverse(names)
	for _, n := range names {
		set.Names = append(set.Names, n)
		p.symbols[n] = symbol{set, len(set.Names)}
	}
	if len(set.Names) > math.MaxUint8 {
		fail(p.peek().Position, "an mtype has at most %d names", math.MaxUint8)
	}
	if !slices.Contains(p.model.units, any(set)) {
		p.model.units = append(p.model.units, set)
	}
}

// sequence parses statements up to a closing token, which it leaves.
func (p *parser) sequence(closing ...string) []*Statement {
	defer p.nest()()
	var list []*Statement
	open := p.peek()
	for {
		t := p.peek()
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
		switch t, last := p.peek(), p.tokens[max(p.at-1, 0)]; {
		case t.is(";"), t.is("->"), slices.ContainsFunc(closing, t.is), t.kind == end:
		case last.is("}"), last.is("else"), len(list) > 0 && last.kind == end:
		default:
			fail(t.Position, "\";\" is expected before %s", t)
		}
	}
}

// step parses a declaration or a statement, and what has to come before it.
func (p *parser) step() []*Statement {
	t := p.peek()
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
				fail(v.Position, "channel %s is made when its process starts: declare it at the beginning of the proctype", v.Name)
			}
			list = append(list, &Statement{Position: v.Position, Form: Declare, Var: v, initial: p.fresh || v.Type.Kind == Structure})
		}
		return list
	}
	outer := p.before
	p.before = nil
	s := p.statement()
	list := append(p.before, s)
	p.before = outer
	if t := p.peek(); t.is("unless") {
		fail(t.Position, "unless is not supported: put the escape as an option into each selection")
	}
	return list
}

func (p *parser) statement() *Statement {
	defer p.nest()()
	t := p.peek()
	if t.kind == name && p.after().is(":") && !slices.Contains(keywords, t.text) {
		label := Label{p.take().Position, t.text, p.call}
		p.take()
		p.fresh = false
		var s *Statement
		switch u := p.peek(); {
		case u.is("}"), u.is(";"), u.is("->"), u.is("::"), u.is("fi"), u.is("od"):
			s = &Statement{Position: t.Position, Form: Condition, Expr: &Expr{Position: t.Position, Value: 1}}
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
	case "if", "do":
		p.take()
		s.Form = If
		closing := "fi"
		if t.text == "do" {
			s.Form, closing = Do, "od"
			p.loops++
		}
		for p.accept("::") {
			s.Options = append(s.Options, p.block("::", closing))
		}
		if len(s.Options) == 0 {
			fail(p.peek().Position, "an option, which starts with ::, is expected, not %s", p.peek())
		}
		p.expect(closing, "after the options")
		if s.Form == Do {
			p.loops--
		}
		p.checkElse(s)
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
	case "c_code", "c_expr":
		p.foreign(t)
	case "return":
		fail(t.Position, "return is not supported: assign a variable in the inline")
	case "set_priority":
		fail(t.Position, "%s is not supported: processes have no priorities", t.text)
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

func (p *parser) checkElse(s *Statement) {
	var found *Statement
	for _, o := range s.Options {
		if o[0].Form == Else {
			if found != nil {
				fail(o[0].Position, "a selection has one else at most")
			}
			found = o[0]
		}
	}
}

// print parses printf and printm, whose arguments are checked.
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

// loop parses for as a do.
func (p *parser) loop(s *Statement) {
	p.take()
	p.expect("(", "after for")
	at := p.peek()
	r := p.scalar("the variable of for")
	var from, to *Expr
	if p.accept("in") {
		array := p.ref()
		last := array.last().Variable
		if last.Length == 0 {
			fail(array.Position, "%s is not an array: for (… in …) goes through the elements of one; of a channel, receive and send the messages in a do", last.Name)
		}
		from, to = &Expr{Position: at.Position}, &Expr{Position: at.Position, Value: last.Length - 1}
	} else {
		p.expect(":", "after the variable of for")
		from = p.expression()
		p.expect("..", "between the bounds of for")
		to = p.expression()
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

// choice parses select: few constants as an if, others as a do.
func (p *parser) choice(s *Statement) {
	p.take()
	p.expect("(", "after select")
	r := p.scalar("the variable of select")
	p.expect(":", "after the variable of select")
	from := p.expression()
	p.expect("..", "between the bounds of select")
	to := p.expression()
	p.expect(")", "after the bounds of select")
	if from.Op == Number && to.Op == Number && from.Value >= 0 && from.Value <= to.Value && to.Value-from.Value < 33 { // as SPIN does
		s.Form = If
		for v := from.Value; v <= to.Value; v++ {
			s.Options = append(s.Options, []*Statement{{Position: s.Position, Form: Assign, Ref: r, Expr: &Expr{Position: s.Position, Value: v}}})
		}
		return
	}
	p.counts(s, r, from, to, Less, nil, nil)
}

// counts makes s
//
//	r = from; do :: r op to -> body; r = r + 1 :: [otherwise ->] break od
func (p *parser) counts(s *Statement, r *Ref, from, to *Expr, op Op, body []*Statement, otherwise *Statement) {
	at := s.Position
	value := &Expr{Position: at, Op: Refer, Ref: r}
	assign := func(e *Expr) *Statement { return &Statement{Position: at, Form: Assign, Ref: r, Expr: e} }
	p.before = append(p.before, assign(from))
	test := &Statement{Position: at, Form: Condition, Expr: &Expr{Position: at, Op: op, Sub: []*Expr{value, to}}}
	next := assign(&Expr{Position: at, Op: Add, Sub: []*Expr{value, {Position: at, Value: 1}}})
	exit := []*Statement{{Position: at, Form: Break}}
	if otherwise != nil {
		exit = append([]*Statement{otherwise}, exit...)
	}
	s.Form = Do
	s.Options = [][]*Statement{append(append([]*Statement{test}, body...), next), exit}
}

// expand parses the call of an inline: its body with arguments for parameters, which
// is a block.
func (p *parser) expand(i *inline) *Statement {
	call := p.take()
	p.take()
	args, depth := [][]token{nil}, 0
	for {
		t := p.take()
		switch {
		case t.kind == end:
			fail(call.Position, "the arguments of %s are not closed: ) is missing", call.text)
		case t.is("("), t.is("["), t.is("{"):
			depth++
		case depth == 0 && t.is(","):
			args = append(args, nil)
			continue
		}
		if depth == 0 && t.is(")") {
			break
		}
		if t.is(")") || t.is("]") || t.is("}") {
			depth--
		}
		args[len(args)-1] = append(args[len(args)-1], t)
	}
	if len(args) == 1 && len(args[0]) == 0 {
		args = nil
	}
	if len(args) != len(i.params) {
		fail(call.Position, "inline %s takes %d arguments, not %d", call.text, len(i.params), len(args))
	}
	if i.busy {
		fail(call.Position, "inline %s calls itself: use a proctype, or a loop", call.text)
	}
	body := append(substitute(i.body, i.params, args, func(*token) {}), token{Position: call.Position})
	if p.tokensInlined += len(body); p.tokensInlined > maxTokens {
		fail(call.Position, "the inlines expand to more than %d tokens", maxTokens)
	}
	tokens, at, outer := p.tokens, p.at, p.call
	p.calls++
	p.tokens, p.at, p.call, i.busy = body, 0, p.calls, true
	s := p.statement()
	p.tokens, p.at, p.call, i.busy = tokens, at, outer, false
	return s
}

// simple parses an assignment, a send, a receive or an expression.
func (p *parser) simple(s *Statement) {
	if t := p.peek(); t.kind == name && (p.lookup(t.text) != nil || t.text == "_") {
		from := p.at
		if t.text == "_" && p.after().is("=") {
			p.at += 2
			s.Form, s.Expr = Condition, &Expr{Position: t.Position, Value: 1}
			p.expression()
			return
		}
		if t.text != "_" {
			r := p.ref()
			if p.change(s, r) {
				return
			}
		}
		p.at = from
	}
	s.Form, s.Expr = Condition, p.expression()
}

// change parses what follows the variable of an assignment, a send or a receive. It
// reports whether s is one.
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
		s.Form = Assign
		s.Expr = &Expr{Position: t.Position, Op: Add, Sub: []*Expr{{Position: r.Position, Op: Refer, Ref: r}, {Position: t.Position, Value: 1}}}
		if t.text == "--" {
			s.Expr.Op = Subtract
		}
		p.assignable(r, s.Expr)
	case "!", "!!":
		p.take()
		p.channel(r)
		s.Form, s.Sorted = Send, t.text == "!!"
		s.Args = p.matches(r, p.arguments(p.expression), Number, t.Position)
	case "?", "??":
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
	if p.peek().is("(") { // (a,b,c)
		from := p.at
		p.take()
		list := p.list(one)
		if p.accept(")") && (len(list) > 1 || p.ends()) {
			return list
		}
		p.at = from
	}
	list := []*Expr{one()}
	if p.accept("(") {
		list = append(list, p.list(one)...)
		p.expect(")", "after the fields of a message")
		return list
	}
	for p.accept(",") {
		list = append(list, one())
	}
	return list
}

// ends reports whether a statement could end here.
func (p *parser) ends() bool {
	t := p.peek()
	return t.kind == end || slices.ContainsFunc([]string{";", "->", "}", "::", "fi", "od", ">", "]", "unless"}, t.is)
}

func (p *parser) list(one func() *Expr) []*Expr {
	list := []*Expr{one()}
	for p.accept(",") {
		list = append(list, one())
	}
	return list
}

// pattern parses a field of a receive.
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

// matches checks what is sent or received against the type of the channel, if that is
// known, and returns it with missing fields: 0 in a send, nothing in a receive.
// Structures are sent field by field.
func (p *parser) matches(r *Ref, args []*Expr, missing Op, at Position) []*Expr {
	c := r.last().Variable.Chan
	if c == nil {
		return args
	}
	want, got := 0, 0
	for _, t := range c.Types {
		want += t.leaves()
	}
	for _, a := range args {
		if got++; a.Op == Refer {
			got += a.Ref.last().Variable.Type.leaves() - 1
		}
	}
	if got > want {
		fail(at, "a message of channel %s has %d fields, not %d", r.last().Variable.Name, want, got)
	}
	if got < want {
		p.note(at, "a message of channel %s has %d fields: the last %d are %s", r.last().Variable.Name, want, want-got,
			map[Op]string{Number: "0", Ignore: "not looked at"}[missing])
	}
	for ; got < want; got++ {
		args = append(args, &Expr{Position: at, Op: missing})
	}
	return args
}

// leaves returns the number of scalars of a type.
func (t Type) leaves() int {
	if t.Kind != Structure {
		return 1
	}
	n := 0
	for _, f := range t.Struct.Fields {
		n += max(f.Length, 1) * f.Type.leaves()
	}
	return n
}

func (p *parser) channel(r *Ref) {
	if v := r.last().Variable; v.Type.Kind != Chan {
		fail(r.Position, "%s is not a channel", v.Name)
	}
}

// scalar parses a variable that can be assigned a number.
func (p *parser) scalar(what string) *Ref {
	t := p.peek()
	r := p.ref()
	if v := r.last().Variable; v.Type.Kind == Structure || v.Type.Kind == Chan || v.Length > 0 && r.last().Index == nil {
		fail(t.Position, "%s has to be a number", what)
	}
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
	case v.Type.Kind == Chan && (e.Op != Refer || e.Ref.last().Variable.Type.Kind != Chan) && e.Op != Number:
		fail(e.Position, "%s is a channel: only a channel can be assigned to it", v.Name)
	}
	v.assigned = true
}

// noRun refuses run where it cannot be executed.
func (p *parser) noRun(e *Expr) {
	if e.Op == Run {
		fail(e.Position, "run cannot stand here: make it a statement, or the right side of an assignment")
	}
	for _, s := range e.Sub {
		p.noRun(s)
	}
}

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
	v := p.lookup(t.text)
	if v == nil {
		p.undeclared(t)
	}
	return p.refTo(t, v)
}

func (p *parser) undeclared(t token) {
	var known []string
	for _, s := range p.scopes {
		for n := range s {
			known = append(known, n)
		}
	}
	for n := range p.symbols {
		known = append(known, n)
	}
	for n := range p.inlines {
		known = append(known, n)
	}
	slices.Sort(known)
	fail(t.Position, "%s is not declared%s", t.text, nearmiss.Hint(t.text, known))
}

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
		if i := r.Index; i.Op == Number && (i.Value < 0 || i.Value >= v.Length) {
			fail(i.Position, "array %s has the elements 0 to %d, not %d", v.Name, v.Length-1, i.Value)
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
				if v.Length > 0 && r.Index == nil {
					fail(t.Position, "%s is an array: an index is missing", v.Name)
				}
				r.Field = p.refTo(f, g)
				return r
			}
			names = append(names, g.Name)
		}
		fail(f.Position, "structure %s has no field %s%s", v.Type.Struct.Name, f.text, nearmiss.Hint(f.text, names))
	}
	return r
}

// levels are binary operators, those that bind least first.
var levels = [][]struct {
	text string
	op   Op
}{
	{{"||", Or}, {"\\/", Or}}, {{"&&", And}, {"/\\", And}}, {{"|", BitOr}}, {{"^", BitXor}}, {{"&", BitAnd}},
	{{"==", Equal}, {"!=", NotEqual}}, {{">", Greater}, {"<", Less}, {">=", GreaterEqual}, {"<=", LessEqual}},
	{{"<<", ShiftLeft}, {">>", ShiftRight}}, {{"+", Add}, {"-", Subtract}}, {{"*", Multiply}, {"/", Divide}, {"%", Modulo}},
}

func (p *parser) expression() *Expr { return p.binary(0) }

func (p *parser) binary(level int) *Expr {
	if level == len(levels) {
		return p.unary()
	}
	left := p.binary(level + 1)
next:
	for {
		t := p.peek()
		for _, o := range levels[level] {
			if t.kind == mark && t.text == o.text {
				if o.op == Greater && p.polls() {
					return left
				}
				p.take()
				left = &Expr{Position: t.Position, Op: o.op, Sub: []*Expr{left, p.binary(level + 1)}}
				p.numeric(left)
				continue next
			}
		}
		return left
	}
}

// polls reports whether > here closes ?<…>.
func (p *parser) polls() bool {
	p.take()
	defer func() { p.at-- }()
	return p.ends()
}

// numeric checks that operands are numbers.
func (p *parser) numeric(e *Expr) {
	for _, s := range e.Sub {
		if s.Op == Refer {
			switch v := s.Ref.last().Variable; {
			case v.Type.Kind == Structure:
				fail(s.Position, "%s is a structure: name one of its fields", v.Name)
			case v.Length > 0 && s.Ref.last().Index == nil:
				fail(s.Position, "%s is an array: an index is missing", v.Name)
			case v.Type.Kind == Chan && e.Op != Equal && e.Op != NotEqual:
				fail(s.Position, "%s is a channel: channels can be compared by == and !=, and sent, but not calculated with", v.Name)
			}
		}
	}
}

func (p *parser) unary() *Expr {
	defer p.nest()()
	t := p.peek()
	for text, op := range map[string]Op{"!": Not, "-": Negate, "~": Complement} {
		if t.is(text) {
			p.take()
			e := p.unary()
			if op == Negate && e.Op == Number && e.Symbol == "" {
				return &Expr{Position: t.Position, Value: -e.Value}
			}
			e = &Expr{Position: t.Position, Op: op, Sub: []*Expr{e}}
			p.numeric(e)
			return e
		}
	}
	if t.is("!!") {
		p.take()
		return &Expr{Position: t.Position, Op: Not, Sub: []*Expr{{Position: t.Position, Op: Not, Sub: []*Expr{p.unary()}}}}
	}
	return p.primary()
}

var queries = map[string]Op{"len": Len, "full": Full, "empty": Empty, "nfull": NotFull, "nempty": NotEmpty}

func (p *parser) primary() *Expr {
	t := p.take()
	e := &Expr{Position: t.Position}
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
	case queries[t.text] != 0:
		e.Op = queries[t.text]
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
	case t.text == "np_", t.text == "_last", t.text == "_priority", t.text == "enabled", t.text == "pc_value", t.text == "get_priority":
		fail(t.Position, "%s is not supported: it tells of the search, not of the program; use a variable that the processes assign", t.text)
	case t.text == "eval":
		fail(t.Position, "eval stands only in receives")
	case t.text == "c_expr":
		p.foreign(t)
	default:
		p.named(e, t)
	}
	return e
}

// named parses an expression that starts with a name.
func (p *parser) named(e *Expr, t token) {
	v := p.lookup(t.text)
	if s, ok := p.symbols[t.text]; ok && v == nil {
		e.Value, e.Symbol = s.value, t.text
		return
	}
	p.at--
	for _, q := range p.model.Procs {
		if v == nil && q.Name == t.text && (p.after().is("@") || p.after().is("[") || p.after().is(":")) {
			fail(t.Position, "a look into process %s is not supported in a model: formulas can do that; here use a global variable", t.text)
		}
	}
	e.Op, e.Ref = Refer, p.ref()
	if u := p.peek(); (u.is("?") || u.is("??")) && p.after().is("[") {
		p.take()
		p.take()
		p.channel(e.Ref)
		e.Op, e.Random, e.Sub = Poll, u.text == "??", p.arguments(p.pattern)
		p.expect("]", "after the fields of a message")
		e.Sub = p.matches(e.Ref, e.Sub, Ignore, u.Position)
	}
}

// run parses the start of a process.
func (p *parser) run(e *Expr) {
	if p.proc == nil {
		fail(e.Position, "run stands only in processes")
	}
	t := p.name("the name of a proctype")
	e.Op, e.Symbol = Run, t.text
	e.Position = t.Position
	p.expect("(", "after the name of a proctype")
	if !p.peek().is(")") {
		e.Sub = p.list(p.expression)
	}
	p.expect(")", "after the arguments of run")
	if u := p.peek(); u.is("priority") {
		fail(u.Position, "priority is not supported: processes have no priorities")
	}
	p.runs = append(p.runs, e)
}

// checkRuns checks that what is run is declared, maybe later than the run.
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
		if want := len(p.model.Procs[i].Params); want != len(e.Sub) {
			fail(e.Position, "proctype %s takes %d arguments, not %d", e.Symbol, want, len(e.Sub))
		}
	}
}

// constant parses an expression and returns its value.
func (p *parser) constant() int {
	e := p.expression()
	v, ok := e.constant()
	if !ok {
		fail(e.Position, "a constant is expected: the value of this expression is not known before the program runs")
	}
	return v
}

// constant returns the value of an expression that is the same in all states.
func (e *Expr) constant() (int, bool) {
	if e.Op == Number {
		return e.Value, true
	}
	if e.Op < Not || e.Op > Cond {
		return 0, false
	}
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
	if (e.Op == Divide || e.Op == Modulo) && v[1] == 0 {
		fail(e.Position, "division by zero")
	}
	return int(calculate(e.Op, v[0], v[1])), true
}

// labels of a proctype, and the statements that have them.
func resolveLabels(proc *Proc) {
	known := make(map[Label]bool)
	var names []string
	walk(proc.Body, func(s *Statement) {
		for _, l := range s.Labels {
			at := l.Position
			l.Position = Position{}
			if known[l] {
				fail(at, "label %s stands twice in %s", l.Name, proc.Name)
			}
			known[l] = true
			names = append(names, l.Name)
		}
	})
	walk(proc.Body, func(s *Statement) {
		if s.Form == Goto {
			at := s.Target.Position
			if !known[Label{Name: s.Target.Name, Call: s.Target.Call}] {
				s.Target.Call = 0
			}
			if !known[Label{Name: s.Target.Name}] && s.Target.Call == 0 {
				fail(at, "there is no label %s in %s%s", s.Target.Name, proc.Name, nearmiss.Hint(s.Target.Name, names))
			}
		}
	})
}

// walk goes through statements and those inside them.
func walk(list []*Statement, visit func(*Statement)) {
	for _, s := range list {
		visit(s)
		for _, o := range s.Options {
			walk(o, visit)
		}
	}
}
