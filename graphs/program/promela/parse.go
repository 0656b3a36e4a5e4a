package promela

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/nearmiss"
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
		symbols: make(map[string]int), inlines: make(map[string]*inline),
		structs: make(map[string]*Struct),
	}
	p.model.start = p.peek().Position
	// The first token has not been taken by anything that would have refused it.
	p.open()
	p.refuse()
	for p.peek().kind != end {
		p.unit()
	}
	p.checkRuns()
	return p.model, nil
}

// An inline is a named sequence of statements.
type inline struct {
	params []string
	body   []token // with its braces
	busy   bool    // being expanded
}

// A source is what a parser reads: the model, or the body of an inline.
type source struct {
	tokens []token // up to end
	at     int
	call   int // the number of the call of the inline; 0 for the model
}

// A parser reads tokens from left to right. It looks one token ahead, and goes back only in
// arguments and simple.
type parser struct {
	source
	model         *Model
	symbols       map[string]int
	inlines       map[string]*inline
	structs       map[string]*Struct
	scopes        []map[string]*Variable
	proc          *Proc
	runs          []*Expr
	fresh         bool // there are only declarations in this proctype so far
	calls         int  // how many inlines were called
	depth         int  // how deep expressions and statements are nested
	loops         int  // how many are around this place
	tokensInlined int
	before        []*Statement // statements to be put before the one that is being parsed
}

// Limits of the language, and one of how deep expressions and statements nest.
const (
	maxProcesses = 255
	maxChannels  = 255   // and messages in a channel
	maxLength    = 65536 // elements of an array
	maxDepth     = 1000
)

// nest begins a level of nesting, which its result ends. Without a bound on the levels, the stack
// could overflow.
func (p *parser) nest() func() {
	if p.depth++; p.depth > maxDepth {
		fail(p.peek().Position, "brackets and blocks nest more than %d deep", maxDepth)
	}
	return func() { p.depth-- }
}

// peek returns the next token.
func (p *parser) peek() token { return p.tokens[p.at] }

// after returns the token after the next one.
func (p *parser) after() token {
	return p.tokens[min(p.at+1, len(p.tokens)-1)]
}

// take returns the next token and moves past it, but not past the end. It refuses words that are not
// supported wherever they come up.
func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
		p.refuse()
	}
	return t
}

// accept takes the next token if it has a text, and reports whether it did.
func (p *parser) accept(text string) bool {
	ok := p.peek().is(text)
	if ok {
		p.take()
	}
	return ok
}

const (
	noCode     = "C code is unknown to everything but a C compiler; write it in Promela"
	noPriority = "processes have no priorities"
	noSearch   = "it tells of the search, not of the program; " +
		"use a variable that the processes assign"
)

// unsupported has the words for what pota does not execute, with remedies. Some depend on SPIN's
// search, or on scheduling, and would mean something else in another engine.
var unsupported = map[string]string{
	"c_code": noCode, "c_decl": noCode, "c_expr": noCode, "c_state": noCode, "c_track": noCode,
	"_priority": noPriority, "get_priority": noPriority, "set_priority": noPriority,
	"priority": noPriority,
	"_last":    noSearch, "enabled": noSearch, "np_": noSearch, "pc_value": noSearch,
	"provided": "put its condition into the guards of the statements",
	"return":   "assign a variable in the inline",
	"unless":   "put the escape as an option into each selection",
}

// refuse fails if the next token is a word that is not supported.
func (p *parser) refuse() {
	t := p.peek()
	if remedy := unsupported[t.text]; remedy != "" && t.kind == name {
		fail(t.Position, "%s is not supported: %s", t.text, remedy)
	}
}

// expect takes a token with a text. It fails if the next token has another one.
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

// note adds a note about a part of the model that is skipped, or that SPIN would warn of.
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
	// Claims restrict the runs that SPIN explores. Formulas of pota do that instead.
	case "ltl", "never", "trace", "notrace":
		p.take()
		if p.peek().kind == name {
			p.take()
		}
		p.braces()
		p.note(t.Position, "%s is skipped: only processes, variables and channels make the program; check a formula of pota's instead", t.text)
	default:
		if !p.declares() {
			fail(t.Position, "a proctype, init, a declaration, typedef or inline is expected, not %s%s", t, nearmiss.Hint(t.text, keywords))
		}
		p.model.Globals = append(p.model.Globals, p.declaration()...)
	}
}

// braces takes { … } and returns its tokens, which are not parsed yet.
func (p *parser) braces() []token {
	if !p.peek().is("{") {
		p.expect("{", "here")
	}
	from := p.at
	for depth := 0; ; p.at++ {
		switch t := p.peek(); {
		case t.kind == end:
			fail(p.tokens[from].Position, "{ is not closed")
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		}
		if depth == 0 {
			p.take()
			return p.tokens[from:p.at]
		}
	}
}
