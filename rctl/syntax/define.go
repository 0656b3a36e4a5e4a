package syntax

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
)

// What follows reads definitions and their uses. A use is read like a call: the arguments are skipped first,
// as text, and the body is then read at the place of the use, with each argument where its parameter
// stands. The text stays where it was written, so each name means what it means there. That is what
// frames are for.
//
// Example:
//
//	define holds(i) = exists r in values(req): once(req == r)@i
//	forall r in values(lease): AG !holds(r)
//
// The use opens a frame for the body, in which i stands for the text r of the frame around. Where the body
// reads @i, it reads r there, which is a lease, and not the r that the body binds itself.

// Definitions are the formulas and values that formulas may use by name:
//
//	define recv(r) = once(op == "recv" && req == r)
//
// A parameter stands for whatever may stand at its place: a value, an event, a process, a formula.
// A definition may use those before it, so that none is recursive. The zero Definitions has none.
type Definitions struct {
	// Call, where it is set, returns the text of a formula that a name stands for with
	// arguments, as in responds(p, q). It is not ok for other names.
	Call func(name string, args []string) (text string, ok bool, err error)

	byName map[string]*definition
	count  int
}

// A definition is one of them.
type definition struct {
	params []Name
	body   []token
	number int // its place in the order of definition
	src    *source
	pos    int // where its name stands
}

// An argument is what a parameter stands for at a use: text that is read where the parameter is.
type argument struct {
	text []token
	from frame // the frame in which the text was written
}

// A frame is a text that is being read: a whole formula, the body of a definition at one of its
// uses, or an argument. Names of one frame mean nothing in another.
type frame struct {
	toks  []token
	i     int
	bound []boundName         // names bound by the enclosing quantifiers of this frame
	args  map[string]argument // the arguments, by parameter
	below int                 // the definitions that may be used are those before this one
}

// maxExpanded bounds how many tokens the uses of definitions add to a formula: each definition
// that uses another twice doubles them.
const maxExpanded = 1 << 20

// definitionStart matches what a definition starts with.
var definitionStart = lazy.Regexp(`^define[ \t]+([\pL_][\pL\p{Nd}_.]*)[ \t]*[(=]`)

// IsDefinition reports whether a text starts as a definition does.
func IsDefinition(text string) bool { return definitionStart().MatchString(text) }

// Define reads a definition, from the word define on. The error, if any, is an *Error.
func (d *Definitions) Define(src string) error {
	if err := d.define(&source{text: src, file: src}); err != nil {
		return err
	}
	return nil
}

// Parse reads a formula that may use the definitions. The error, if any, is an *Error.
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

// defined reads the definition of a name, after it.
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

// definition returns the definition that the current token names, nil for none.
func (p *parser) definition() *definition {
	t := p.tok()
	if p.defs == nil || t.kind != tokName {
		return nil
	}
	def := p.defs.byName[t.text]
	// The nearest meaning counts: a bound name or a parameter hides a definition.
	if _, bound := p.binding(t.text); bound || def == nil || p.args[t.text].text != nil {
		return nil
	}
	if def.number >= p.below {
		p.fail(t, "a definition may use those that stand before it", "%s is not defined yet at %s",
			t, def.src.place(def.pos))
	}
	return def
}

// apply reads a use of a definition: its name and arguments. The node is that of its body.
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
	// Errors within the body are reported at the use, which the user has before them.
	outer := p.inside
	p.inside = func() string {
		return " in the definition of " + clip(name.text) + " at " + def.src.place(def.pos)
	}
	n := p.within(frame{toks: placed(def.body, name), args: args, below: def.number})
	p.inside = outer
	return n
}

// expand counts the tokens that a name stands for, and refuses too many.
func (p *parser) expand(name token, text []token) {
	if p.expanded += len(text); p.expanded > maxExpanded {
		p.fail(name, "", "the definitions make a formula of more than %d words of this one",
			maxExpanded)
	}
}

// called reads NAME(ARGUMENT, …) where the name stands for a formula that is made of texts. It is not
// ok where another thing comes next.
func (p *parser) called() (n node, ok bool) {
	at := p.tok()
	if p.defs == nil || p.defs.Call == nil || at.kind != tokName || p.peek(1).kind != "(" {
		return node{}, false
	}
	// Whether the name is one of these is known only with its arguments. If not, all is read again.
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

// placed returns tokens at the place of another one.
func placed(toks []token, at token) []token {
	return Mapped(toks, func(t token) token { t.pos = at.pos; return t })
}

// textOf returns the text of tokens, up to the end that follows them.
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

// argument skips to the comma or bracket that ends an argument, and returns its text.
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

// within reads a whole text as a formula or a value.
func (p *parser) within(f frame) node {
	// What was loose in the text around, such as the body of a count, is not so within.
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

// parameter reads a name that a definition has for a parameter.
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

// named returns the token that a name stands for: what the use of the definition gives for a
// parameter, and otherwise the token itself. It also returns the binding of that name, if there is one.
func (p *parser) named(t token) (token, boundName, bool) {
	// A parameter may stand for a parameter of the definition around, and so on outwards.
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
