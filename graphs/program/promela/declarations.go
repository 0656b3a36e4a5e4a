package promela

import (
	"maps"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/program"
)

// proctype parses a process type, or init:
//
//	[active ["[" N "]"]] (proctype | D_proctype) name "(" parameters ")" "{" sequence "}"
//	init "{" sequence "}"
func (p *parser) proctype() {
	proc := &Proc{Position: p.peek().Position}
	if p.accept("active") {
		proc.Active = 1
		if p.accept("[") {
			proc.Active = p.count("active", "processes", 0, maxProcesses)
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
				// As in SPIN: parameters are values that fit into a message.
				if v.Init != nil || v.Chan != nil || v.Length > 0 || v.Type.Kind == Structure {
					fail(v.Position, "parameter %s has to be a scalar without initial value",
						v.Name)
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
	// A proctype may start processes of its own type.
	p.model.Procs = append(p.model.Procs, proc)
	p.fresh, p.loops = true, 0
	// Up to the first statement, declarations are part of the creation of the process.
	p.expect("{", "at the beginning of the body")
	proc.Body = p.sequence("}")
	p.take()
	p.close()
	p.proc = nil
	resolveLabels(proc)
}

// typedef parses a structure: typedef name "{" declarations "}".
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
				fail(f.Position,
					"field %s of a structure has no initial value: assign it in a process", f.Name)
			}
			// Fields lie one after the other, without padding, as fields of messages do.
			f.at, f.object = s.bytes, s.scalars
			s.bytes += f.bytes()
			s.scalars += f.scalars()
			s.Fields = append(s.Fields, f)
		}
	}
	p.close()
	if len(s.Fields) == 0 {
		fail(p.tokens[p.at-1].Position, "structure %s has no fields", s.Name)
	}
	// Structures of structures grow exponentially in the length of the text, so the bound comes
	// here, before anything is made for each scalar.
	if s.scalars > maxStateBytes {
		fail(p.tokens[p.at-1].Position, "structure %s is too large: a state has at most %d bytes",
			s.Name, maxStateBytes)
	}
	p.structs[s.Name] = s
}

// inline parses the definition of an inline. It keeps the body as tokens, whose meaning depends on
// the arguments of each call.
//
//	"inline" name "(" [name {"," name}] ")" "{" … "}"
func (p *parser) inline() {
	p.take()
	called := p.name("the name of an inline")
	i := new(inline)
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
	t := p.peek()
	return p.typed(t) || t.is("hidden") || t.is("show") || t.is("local")
}

// typed reports whether a token is the name of a type.
func (p *parser) typed(t token) bool {
	_, known := kinds[t.text]
	return t.kind == name && (known || p.structs[t.text] != nil)
}

var kinds = map[string]Kind{
	"bit": Bit, "bool": Bool, "byte": Byte, "pid": Pid, "short": Short, "int": Int,
	"unsigned": Unsigned, "mtype": Symbol, "chan": Chan,
}

// typename parses the name of a type:
//
//	basic type | "chan" | structure | "mtype" [":" set]
func (p *parser) typename() Type {
	t := p.take()
	if s := p.structs[t.text]; s != nil {
		return Type{Kind: Structure, Struct: s}
	}
	k, ok := kinds[t.text]
	if !ok {
		fail(t.Position, "a type is expected, not %s%s", t,
			nearmiss.Hint(t.text, slices.Sorted(maps.Keys(kinds))))
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

// mtype returns the set of symbols with a name. The first mention makes the set.
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

// declaration parses variables of one type, or the names of an mtype:
//
//	type variable {"," variable}
//	variable = name [":" bits] ["[" elements "]"] ["=" initial]
//	"mtype" [":" set] ["="] "{" name {"," name} "}"
//
// hidden, show and local are advice for SPIN's search and its display: they change no run.
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
		// SPIN takes such a variable for the constant, so that assignments to it fail in odd ways.
		if _, ok := p.symbols[v.Name]; ok {
			fail(v.Position, "%s is a constant of an mtype already", v.Name)
		}
		// The number of bits is part of each declaration: unsigned x : 3.
		if typ.Kind == Unsigned {
			if !p.accept(":") {
				fail(v.Position, "unsigned %s needs its number of bits, such as unsigned %s : 4",
					v.Name, v.Name)
			}
			v.Type.Bits = p.count("unsigned "+v.Name, "bits", 1, 31)
		}
		if p.accept("[") {
			v.Length = p.count("array "+v.Name, "elements", 1, maxLength)
			p.expect("]", "after the number of elements")
		}
		if p.accept("=") {
			p.initial(v)
		}
		p.declare(v)
		list = append(list, v)
		// In a list of parameters, a comma may also lead to the next type.
		if !p.peek().is(",") || p.typed(p.after()) {
			return list
		}
		p.take()
	}
}

// declare makes a variable known.
func (p *parser) declare(v *Variable) {
	// A name hides those of the scopes around it, but stands once in its own.
	scope := p.scopes[len(p.scopes)-1]
	if before := scope[v.Name]; before != nil {
		fail(v.Position, "%s is declared twice, first at %s", v.Name, before.Position)
	}
	scope[v.Name] = v
	// Blocks may declare a name again; the layout tells them apart by a number.
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

// initial parses the initial value of a variable:
//
//	"[" capacity "]" "of" "{" type {"," type} "}" | "{" expression {"," expression} "}" | expression
func (p *parser) initial(v *Variable) {
	t := p.peek()
	switch {
	// A channel: [capacity] of { types }.
	case t.is("["):
		if v.Type.Kind != Chan {
			fail(t.Position, "%s is not a channel", v.Name)
		}
		p.take()
		v.Chan = &ChanInit{Capacity: p.count("channel "+v.Name, "messages", 0, maxChannels)}
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
	// The elements of an array. The last value stands for all missing ones.
	case t.is("{"):
		if v.Length == 0 {
			fail(t.Position, "%s is not an array", v.Name)
		}
		p.take()
		v.Init = p.list(p.expression)
		p.expect("}", "after the elements of an array")
		if len(v.Init) > v.Length {
			fail(t.Position, "array %s has %d elements, and %d initial values", v.Name, v.Length,
				len(v.Init))
		}
		for len(v.Init) < v.Length { // as SPIN does
			v.Init = append(v.Init, v.Init[len(v.Init)-1])
		}
	default:
		if v.Type.Kind == Structure {
			fail(t.Position, "a structure has no initial value: assign its fields")
		}
		v.Init = []*Expr{p.expression()}
	}
}

// symbolsOf parses the names of an mtype. Several declarations of one set add up.
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
		p.symbols[n] = len(set.Names)
	}
	if len(set.Names) > math.MaxUint8 {
		fail(p.peek().Position, "an mtype has at most %d names", math.MaxUint8)
	}
}
