package syntax

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
)

// This file parses definitions and their uses. A use is parsed like a call: first the arguments are
// skipped, as text, and then the body is parsed at the place of the use, with each argument in place of
// its parameter. An argument is parsed in the frame in which it was written, so that each name keeps its
// meaning there.
//
// Example:
//
//	define holds(i) = exists r in values(req): once(req == r)@i
//	forall r in values(lease): AG !holds(r)
//
// The use opens a frame for the body, in which i stands for the text r of the outer frame. At @i, the
// parser reads r in the outer frame: it is the lease, not the r that the body itself binds.

// Definitions holds the formulas and values that formulas may use by name:
//
//	define recv(r) = once(op == "recv" && req == r)
//
// A parameter stands for anything that the syntax allows at its place: a value, an event, a process, a
// formula. A definition may use only earlier ones, so that none is recursive. The zero Definitions is
// empty.
type Definitions struct {
	// Call, if it is set, returns the text of the formula that a name with arguments stands
	// for, as in responds(p, q). It returns ok = false for other names.
	Call func(name string, args []string) (text string, ok bool, err error)

	byName map[string]*definition
	count  int
}

// A definition is a formula or value with a name and parameters.
type definition struct {
	params []Name
	body   []token
	number int // how many definitions precede it
	src    *source
	pos    int // the byte offset of its name in src
}

// An argument is the text that replaces a parameter at a use.
type argument struct {
	text []token
	from frame // the frame in which the text was written
}

// A frame is a text that is being parsed: a whole formula, the body of a definition at one of its
// uses, or an argument. The names of one frame have no meaning in another.
type frame struct {
	toks  []token
	i     int                 // the index of the current token
	bound []boundName         // the names bound by the enclosing quantifiers of this frame
	args  map[string]argument // the arguments by parameter
	below int                 // only definitions with smaller numbers may be used
}

// maxExpanded bounds how many tokens the uses of definitions add to a formula: each definition
// that uses another twice doubles them.
const maxExpanded = 1 << 20

// definitionStart matches the start of a definition.
var definitionStart = lazy.Regexp(`^define[ \t]+([\pL_][\pL\p{Nd}_.]*)[ \t]*[(=]`)

// IsDefinition reports whether a text starts like a definition.
func IsDefinition(text string) bool { return definitionStart().MatchString(text) }

// Define parses a definition that starts with the word define, and adds it. The error, if any, is an
// *Error.
func (d *Definitions) Define(src string) error {
	if err := d.define(&source{text: src, file: src}); err != nil {
		return err
	}
	return nil
}

// Parse parses a formula that may use the definitions. The error, if any, is an *Error.
func (d *Definitions) Parse(src string) (*Formula, error) {
	f, err := d.parse(&source{text: src, file: src})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// define = "define" name [ "(" name { "," name } ")" ] "=" formula
func (d *Definitions) define(src *source) *Error {
	p := &parser{src: src, frame: frame{toks: lex(src)}}
	return p.try(func() {
		p.advance()
		name := p.advance()
		def := p.defined(name, d)
		if d.byName == nil {
			d.byName = make(map[string]*definition)
		}
		d.byName[name.text] = def
		d.count++
	})
}

// defined parses the rest of a definition, after its name.
func (p *parser) defined(name token, d *Definitions) *definition {
	const example = `as in define recv(r) = once(op == "recv" && req == r)`
	if name.kind != tokName {
		p.fail(name, example, "define needs a name, found %s", name)
	}
	if first := d.byName[name.text]; first != nil {
		p.fail(name, "choose another name", "%s is already defined at %s", name,
			first.src.place(first.pos))
	}

	def := &definition{src: p.src, pos: name.pos, number: d.count}
	if open := p.tok(); p.accept("(") {
		def.params = p.listed(func() Name {
			t := p.advance()
			if t.kind != tokName {
				p.fail(t, example, "a parameter is a name, found %s", t)
			}
			return Name{t.text, t.pos}
		})
		for i, param := range def.params {
			if hasName(def.params[:i], param.Text) {
				p.failAt(param.Pos, "choose another name", "%s has two parameters of the name %s",
					name, param)
			}
		}
		p.closed(")", open)
	}
	if t := p.advance(); t.kind != tokRelop || t.rel != Equal {
		p.fail(t, example, "a definition needs = after its name, found %s", t)
	}
	if p.tok().kind == tokEnd {
		p.fail(p.tok(), example, "the definition of %s is empty", name)
	}
	def.body = p.toks[p.i:]
	for _, t := range def.body {
		if t.kind == tokBad {
			p.fail(t, "", "")
		}
	}
	return def
}

// definition returns the definition that the current token names; nil if there is none.
func (p *parser) definition() *definition {
	t := p.tok()
	if p.defs == nil || t.kind != tokName {
		return nil
	}
	def := p.defs.byName[t.text]
	// A bound name or a parameter hides a definition.
	if _, bound := p.binding(t.text); bound || def == nil || p.args[t.text].text != nil {
		return nil
	}
	if def.number >= p.below {
		p.fail(t, "a definition may use those that stand before it", "%s is not defined yet at %s",
			t, def.src.place(def.pos))
	}
	return def
}

// apply parses a use of a definition, its name and arguments, and returns the node of its body.
func (p *parser) apply(def *definition) node {
	name := p.advance()
	defer p.enter(name)()

	args := map[string]argument{}
	misused := func(at token, found string) {
		arguments := "one argument"
		if n := len(def.params); n != 1 {
			arguments = strconv.Itoa(n) + " arguments"
		}
		hint := "write " + clip(name.text+"("+joinNames(def.params, ", ")+")")
		p.fail(at, hint, "%s takes %s%s", name, arguments, found)
	}
	if open := p.tok(); len(def.params) > 0 {
		if !p.accept("(") {
			misused(name, ", found none")
		}
		for k, param := range def.params {
			text := p.argument()
			args[param.Text] = argument{text, p.frame}
			if t := p.tok(); len(text) == 1 || k+1 < len(def.params) && !p.accept(",") {
				misused(t, "")
			}
		}
		if t := p.tok(); t.kind == "," {
			misused(t, "")
		}
		p.closed(")", open)
	}

	p.expand(name, def.body)
	// Errors within the body are reported at the use, in the text that the user is writing.
	outer := p.inside
	p.inside = func() string {
		return " in the definition of " + clip(name.text) + " at " + def.src.place(def.pos)
	}
	n := p.within(frame{toks: placed(def.body, name), args: args, below: def.number})
	p.inside = outer
	return n
}

// expand counts the tokens that replace a name, and refuses too many.
func (p *parser) expand(name token, text []token) {
	if p.expanded += len(text); p.expanded > maxExpanded {
		p.fail(name, "", "the definitions make a formula of more than %d words of this one",
			maxExpanded)
	}
}

// called parses NAME(ARGUMENT, …) for a name that Definitions.Call knows. Otherwise it consumes
// nothing and returns false.
func (p *parser) called() (n node, ok bool) {
	at := p.tok()
	if p.defs == nil || p.defs.Call == nil || at.kind != tokName || p.peek(1).kind != "(" {
		return node{}, false
	}
	// Call needs the arguments to recognize the name. If it does not, the parser backtracks.
	begin := p.i
	p.advance()
	open := p.advance()
	var args []string
	for p.tok().kind != tokEnd {
		args = append(args, textOf(p.argument()))
		if !p.accept(",") {
			break
		}
	}
	text, ok, err := p.defs.Call(at.text, args)
	if !ok {
		p.i = begin
		return node{}, false
	}
	defer p.enter(at)()
	p.closed(")", open)
	if err != nil {
		p.fail(at, "", "%s", err)
	}
	f := p.frame
	f.toks, f.i = placed(lex(&source{text: text, file: text}), at), 0
	n = p.within(f)
	n.start, n.open = at.pos, at.pos
	return n, true
}

// placed returns copies of tokens with the position of another token.
func placed(toks []token, at token) []token {
	return Mapped(toks, func(t token) token { t.pos = at.pos; return t })
}

// textOf returns the text of tokens without the tokEnd at their end.
func textOf(toks []token) string {
	texts := make([]string, 0, len(toks))
	for _, t := range toks[:len(toks)-1] {
		if t.kind == tokString {
			t.text = quote(t.text)
		}
		texts = append(texts, t.text)
	}
	return strings.Join(texts, " ")
}

// argument skips to the comma or bracket that ends an argument, and returns its tokens, followed by
// a tokEnd.
func (p *parser) argument() (text []token) {
	for open := 0; ; {
		switch t := p.tok(); t.kind {
		case "(", "[", "{":
			open++
		case ")", "]", "}", ",":
			if open == 0 {
				return append(text, token{kind: tokEnd, pos: t.pos})
			}
			if t.kind != "," {
				open--
			}
		case tokEnd:
			return append(text, t)
		}
		text = append(text, p.advance())
	}
}

// within parses a whole frame as a formula or a value.
func (p *parser) within(f frame) node {
	// The frame is like text in brackets: it is not the body of a count even if the use is.
	outer := p.frame
	p.frame = f
	closed := p.bracketed()
	n := p.iff()
	closed()
	if p.tok().kind != tokEnd {
		p.unexpected(nil)
	}
	p.frame = outer
	return n
}

// parameter parses the argument of the parameter at the current token.
func (p *parser) parameter() node {
	at := p.advance()
	defer p.enter(at)()
	arg := p.args[at.text]
	p.expand(at, arg.text)
	from := arg.from
	from.toks, from.i = arg.text, 0
	n := p.within(from)
	n.open = n.start
	return n
}

// named returns the token that a name stands for: the argument of a parameter, if it is a single
// token, and otherwise the token itself. It also returns the binding of that name, if there is one.
func (p *parser) named(t token) (token, boundName, bool) {
	// The argument may itself be a parameter of the enclosing definition, and so on.
	f := p.frame
	for {
		arg, ok := f.args[t.text]
		if t.kind != tokName || !ok || len(arg.text) != 2 {
			break
		}
		f, t = arg.from, arg.text[0]
	}
	for _, b := range slices.Backward(f.bound) {
		if t.kind == tokName && b.Text == t.text {
			return t, b, true
		}
	}
	return t, boundName{}, false
}
