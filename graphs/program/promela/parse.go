package promela

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/internal/nearmiss"
)

// maxFileBytes is how many bytes a file of a model may have.
const maxFileBytes = 16 << 20

// Read reads a model from a file and its included files. Errors in it are *Error.
func Read(path string) (*Model, error) {
	source, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, source, func(name string) (string, error) {
		return readFile(filepath.Join(filepath.Dir(path), name))
	})
}

// readFile returns the text of a file of bounded size.
func readFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		err = fmt.Errorf("%s: the file has more than %d megabytes", path, maxFileBytes>>20)
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
		source: source{tokens: preprocess(file, text, include)}, model: new(Model),
		symbols: make(map[string]symbol), inlines: make(map[string]*inline),
		structs: make(map[string]*Struct),
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

// A source is what a parser reads: the model, or the body of an inline.
type source struct {
	tokens []token // up to end
	at     int
	call   int // of the inline, 0 for the model
}

// A parser reads tokens from left to right. It looks one token ahead, and goes back only in
// arguments and simple.
type parser struct {
	source
	model         *Model
	symbols       map[string]symbol
	inlines       map[string]*inline
	structs       map[string]*Struct
	scopes        []map[string]*Variable
	proc          *Proc
	runs          []*Expr
	fresh         bool // only declarations so far in this proctype
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
	maxDepth     = 1000
)

// nest counts one level of nesting, which its result ends: deeper ones would overflow the stack.
func (p *parser) nest() func() {
	if p.depth++; p.depth > maxDepth {
		fail(p.peek().Position, "brackets and blocks nest more than %d deep", maxDepth)
	}
	return func() { p.depth-- }
}

// peek returns the next token.
func (p *parser) peek() token { return p.tokens[p.at] }

// after returns the token behind the next one.
func (p *parser) after() token {
	return p.tokens[min(p.at+1, len(p.tokens)-1)]
}

// take returns the next token and passes it; the end is never passed.
func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// accept passes the next token if it has this text.
func (p *parser) accept(text string) bool {
	ok := p.peek().is(text)
	if ok {
		p.at++
	}
	return ok
}

// expect is accept where nothing else may stand.
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

// open begins a scope of variables, and close ends it.
func (p *parser) open()  { p.scopes = append(p.scopes, make(map[string]*Variable)) }
func (p *parser) close() { p.scopes = p.scopes[:len(p.scopes)-1] }

// note tells the user of a part of the model that is read over.
func (p *parser) note(at Position, format string, args ...any) {
	p.model.Notes = append(p.model.Notes, Note{at, fmt.Sprintf(format, args...)})
}

// unit parses what stands outside proctypes.
func (p *parser) unit() {
	t := p.peek()
	switch t.text {
	// SPIN lets separators stand anywhere between units.
	case ";", "->":
		p.take()
	case "active", "proctype", "D_proctype", "init":
		p.proctype()
	case "typedef":
		p.typedef()
	case "inline":
		p.inline()
	// Claims restrict the runs that SPIN looks at. Formulas of pota say that instead.
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

// foreign refuses embedded C.
func (p *parser) foreign(t token) {
	fail(t.Position, "%s is not supported: C code is unknown to everything but a C compiler; write it in Promela", t.text)
}

// braces takes { … } and returns it.
func (p *parser) braces() []token {
	from, depth := p.at, 0
	open := p.expect("{", "here")
	// Brackets of other kinds inside are checked when the tokens are parsed.
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
