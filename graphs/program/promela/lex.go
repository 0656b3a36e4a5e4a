package promela

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs/lazy"
)

// A Position is a place in a file. Lines and columns count from 1, columns in code
// points.
type Position struct {
	File         string
	Line, Column int
}

// String is FILE:LINE:COLUMN, as editors understand it.
func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// An Error is an error in a model, with its place.
type Error struct {
	Position
	Msg string
}

// Error is the place and the message.
func (e *Error) Error() string { return e.Position.String() + ": " + e.Msg }

// fail gives up; Parse and Compile return the error.
func fail(at Position, format string, args ...any) {
	panic(&Error{at, fmt.Sprintf(format, args...)})
}

// rescue turns a panic of fail into an error. Panics spare the functions of the parser and of the
// compiler a result for errors; they never leave the package.
func rescue(err *error) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		*err = e
	case *missing:
		*err = e
	default:
		// Anything else is a bug of this package.
		panic(e)
	}
}

// A kind is a kind of tokens, numbered as the groups of word.
type kind uint8

const (
	end kind = iota
	newline
	name
	number
	text      // a string, with its quotes
	character // read as a number, its code
	mark      // punctuation
)

// A token is a word of the language. One from a macro has the place of the call.
type token struct {
	Position
	kind kind
	text string
	// the value of a number; for a character constant, its code
	value int
	glued bool // no space before it
}

// String is for messages: the token in quotes.
func (t token) String() string {
	switch t.kind {
	case end:
		return "the end of the file"
	case newline:
		return "the end of the line"
	}
	return strconv.Quote(t.text)
}

// is reports whether t is a word or a mark, with this text. Strings and numbers are neither.
func (t token) is(text string) bool { return (t.kind == mark || t.kind == name) && t.text == text }

// blank matches white space and comments within a line. A backslash at its end joins a line with the
// next one. Comments do not nest.
var blank = lazy.Regexp(`^(?:[ \t\r\f\v]|\\\r?\n|//[^\n]*|/\*(?s:.*?)\*/)*`)

// word matches a token, with a group for each kind. Longer marks come first. An escaped quote does
// not end a string. <-> stands only in ltl blocks.
var word = lazy.Regexp(`^(?:(\n)|([_a-zA-Z][_a-zA-Z0-9]*)|([0-9]+)|("(?:[^"\\\n]|\\(?s:.))*")|('[^']{1,6}')|` +
	`(<->|::|->|\.\.|\?\?|!!|\+\+|--|<<|>>|[<>=!]=|&&|\|\||\[\]|<>|/\\|\\/|[][{}();,:.?!+*/%<>=&|^~@#-]))`)

// directive matches the beginning of a line with a directive.
var directive = lazy.Regexp(`(?m)^[ \t]*#`)

// synonyms replaces signs that have another spelling.
var synonyms = strings.NewReplacer(`\/`, "||", `/\`, "&&")

// A scanner splits a text into tokens.
type scanner struct {
	Position
	text string
}

// skip passes n bytes and counts lines and columns.
func (s *scanner) skip(n int) {
	// Columns count code points, as runes do.
	for _, r := range s.text[:n] {
		s.Column++
		if r == '\n' {
			s.Line, s.Column = s.Line+1, 1
		}
	}
	s.text = s.text[n:]
}

// next returns the next token, of kind end after the last one.
func (s *scanner) next() token {
	gap := len(blank().FindString(s.text))
	s.skip(gap)
	t := token{Position: s.Position, glued: gap == 0}
	if s.text == "" {
		return t
	}
	if strings.HasPrefix(s.text, "/*") {
		fail(t.Position, "a comment is not closed: */ is missing")
	}
	m := word().FindStringSubmatchIndex(s.text)
	if m == nil {
		switch r, _ := utf8.DecodeRuneInString(s.text); r {
		case '"':
			fail(t.Position, "a string is not closed: \" is missing")
		case '\'':
			fail(t.Position, notCharacter)
		default:
			fail(t.Position, "%q is not a character of Promela", r)
		}
	}
	for t.kind = newline; m[2*t.kind] < 0; {
		t.kind++
	}
	t.text = s.text[:m[1]]
	s.skip(m[1])
	switch t.kind {
	case number:
		// Promela's int has 32 bits, and larger constants would be cut off silently.
		v, err := strconv.ParseInt(t.text, 10, 32)
		if err != nil {
			fail(t.Position, "%s is too large: an int has 32 bits", t.text)
		}
		t.value = int(v)
	case character:
		char, err := strconv.Unquote(t.text)
		if err != nil || len(char) != 1 || char[0] > 127 {
			fail(t.Position, notCharacter)
		}
		t.kind, t.value = number, int(char[0])
	case mark:
		t.text = synonyms.Replace(t.text)
	}
	// All numbers read as their values from here on.
	if t.kind == number {
		t.text = strconv.Itoa(t.value)
	}
	return t
}

const notCharacter = "a character constant is one ASCII character in quotes, such as 'a'"

// A macro is a definition by #define.
type macro struct {
	params []string // nil for one without parentheses
	body   []token
}

// A preprocessor executes the directives of a text and expands its macros.
type preprocessor struct {
	include func(name string) (string, error)
	macros  map[string]*macro
	files   []*scanner // the text, and what it includes, innermost last
	pending []token    // still to be expanded, first at the end
	fresh   bool       // at the beginning of a line
	regions []region   // #if, innermost last
	tokens  int
}

// A region is text between #if and #endif.
type region struct {
	at        Position
	on, other bool // this part is read; the part after #else will be
}

// maxTokens bounds what macros and inlines expand to, maxIncludes how deep files include each other.
const (
	maxTokens   = 2_000_000
	maxIncludes = 20
)

// preprocess returns the tokens of a text.
func preprocess(file, source string, include func(name string) (string, error)) []token {
	x := &preprocessor{include: include, macros: make(map[string]*macro), fresh: true}
	x.open(file, source)
	var list []token
	var b brackets
	// As in SPIN, the end of a line may end a statement. A semicolon then stands for it, so that
	// the parser knows no lines.
	for {
		t := x.next()
		if t.kind == newline {
			if b.ends() {
				list = append(list, token{Position: t.Position, kind: mark, text: ";"})
				b.last = token{}
			}
			continue
		}
		b.note(t)
		list = append(list, t)
		if t.kind == end {
			if n := len(x.regions); n > 0 {
				fail(x.regions[n-1].at, "#if without #endif")
			}
			return list
		}
	}
}

// brackets decide whether the end of a line ends a statement, as in SPIN.
type brackets struct {
	braces, parens int
	sequence       bool // the outermost brace opens statements or fields
	last           token
}

// note counts brackets.
func (b *brackets) note(t token) {
	switch {
	case t.is("{"):
		if b.braces == 0 {
			// Braces of initializers and of mtype hold lists, where a line end means nothing.
			b.sequence = !b.last.is("=") && !b.last.is("of") && !b.last.is("mtype")
		}
		b.braces++
	case t.is("}"):
		b.braces--
	case t.is("("):
		b.parens++
	case t.is(")"):
		b.parens--
	}
	b.last = t
}

// ends reports whether the end of a line ends a statement here: inside braces, outside parentheses,
// and after a token that can end one.
func (b *brackets) ends() bool {
	if b.braces < 1 || b.parens > 0 || !b.sequence {
		return false
	}
	switch b.last.text {
	case "}", ")", "]", "++", "--", "od", "fi", "else", "break", "true", "false", "skip", "timeout":
		return true
	}
	// A name ends a statement, unless it is a keyword that something must follow.
	return b.last.kind == number || b.last.kind == name && !slices.Contains(keywords, b.last.text)
}

// open has another text read next, and then the rest of this one.
func (x *preprocessor) open(file, source string) {
	x.files = append(x.files, &scanner{Position{file, 1, 1}, strings.TrimPrefix(source, "\ufeff")})
}

// on reports whether conditions let the text here be read.
func (x *preprocessor) on() bool { return len(x.regions) == 0 || x.regions[len(x.regions)-1].on }

// raw returns the next token before expansion; directives are executed.
func (x *preprocessor) raw() token {
	if n := len(x.pending); n > 0 {
		// The next token is at the end, so that taking it is O(1).
		t := x.pending[n-1]
		x.pending = x.pending[:n-1]
		return t
	}
	for {
		file := x.files[len(x.files)-1]
		if !x.on() {
			// Lines that a condition leaves out need not be Promela, nor comments in them be closed.
			n := len(file.text)
			if at := directive().FindStringIndex(file.text); at != nil {
				n = at[0]
			}
			file.skip(n)
		}
		t := file.next()
		switch {
		case t.kind == end && len(x.files) > 1:
			x.files = x.files[:len(x.files)-1]
			x.fresh = true
			continue
		// # begins a directive only at the beginning of a line, as fresh says.
		case t.is("#") && x.fresh:
			x.directive(file)
			continue
		case t.is("#"):
			fail(t.Position, "# stands only at the beginning of a line")
		}
		x.fresh = t.kind == newline
		return t
	}
}

// next returns the next token after expansion.
func (x *preprocessor) next() token {
	for {
		t := x.raw()
		// Macros that call each other could expand without end, or to gigabytes.
		if x.tokens++; x.tokens > maxTokens {
			fail(t.Position, "the macros expand to more than %d tokens", maxTokens)
		}
		m := x.macros[t.text]
		if t.kind != name || m == nil {
			return t
		}
		var args [][]token
		// A macro with parameters is called only with a parenthesis behind its name; without one,
		// the name is itself.
		if m.params != nil {
			after := x.raw()
			for after.kind == newline {
				after = x.raw()
			}
			if !after.is("(") {
				x.pending = append(x.pending, after)
				return t
			}
			args = arguments(t, "(", x.raw)
			// Empty parentheses are no argument of a macro without parameters, and one that is
			// empty otherwise.
			if len(args) != len(m.params) && (len(m.params) > 0 || len(args) > 1 ||
				len(args[0]) > 0) {
				fail(t.Position, "macro %s takes %d arguments, not %d", t.text, len(m.params),
					len(args))
			}
		}
		body := slices.Clone(m.body)
		for i := range body {
			body[i].Position = t.Position // a user knows this line
		}
		expanded := substitute(t, body, m.params, args)
		x.tokens += len(expanded)
		slices.Reverse(expanded)
		x.pending = append(x.pending, expanded...)
	}
}

// substitute returns the body of what is called with arguments for its parameters. These are not yet
// expanded.
func substitute(call token, body []token, params []string, args [][]token) []token {
	var out []token
	for _, b := range body {
		if i := slices.Index(params, b.text); i >= 0 && b.kind == name {
			out = append(out, args[i]...)
		} else {
			out = append(out, b)
		}
		if len(out) > maxTokens {
			fail(call.Position, "%s expands to more than %d tokens", call.text, maxTokens)
		}
	}
	return out
}

// arguments takes the arguments of a call, after its parenthesis, from next. Commas within brackets
// of the opening kinds belong to one argument: f((a,b)) has one.
func arguments(call token, opening string, next func() token) [][]token {
	closing := strings.NewReplacer("(", ")", "[", "]", "{", "}").Replace(opening)
	args, depth := [][]token{nil}, 0
	for {
		t := next()
		switch {
		case t.kind == end:
			fail(call.Position, "the arguments of %s are not closed: ) is missing", call.text)
		case t.kind == newline:
			continue
		case t.is(")") && depth == 0:
			return args
		case t.is(",") && depth == 0:
			args = append(args, nil)
			continue
		case t.kind == mark && strings.Contains(opening, t.text):
			depth++
		case t.kind == mark && strings.Contains(closing, t.text):
			depth--
		}
		args[len(args)-1] = append(args[len(args)-1], t)
	}
}

// directive executes the directive after #. In text that a condition leaves out, it looks at
// conditions only.
func (x *preprocessor) directive(file *scanner) {
	at := file.Position
	var line []token
	for {
		t := file.next()
		if t.kind == newline || t.kind == end {
			break
		}
		line = append(line, t)
	}
	if len(line) == 0 {
		return
	}
	// The line is read as a whole, so that what is wrong in it cannot disturb the lines after it.
	verb, rest := line[0], line[1:]
	word := func() string {
		if len(rest) == 0 || rest[0].kind != name {
			fail(at, "#%s needs a name", verb.text)
		}
		return rest[0].text
	}
	// n is the innermost region.
	n := len(x.regions) - 1
	switch verb.text {
	// Conditions nest also in text that is not read.
	case "ifdef", "ifndef", "if":
		above, on := x.on(), false
		switch {
		case !above:
		case verb.text != "if":
			on = (x.macros[word()] != nil) == (verb.text == "ifdef")
		case len(rest) == 1 && rest[0].kind == number:
			on = rest[0].value != 0
		default:
			fail(at, noConditions)
		}
		x.regions = append(x.regions, region{at, on, above && !on})
		return
	case "elif":
		fail(at, noConditions)
	case "else", "endif":
		if n < 0 {
			fail(at, "#%s without #if", verb.text)
		}
		if verb.text == "endif" {
			x.regions = x.regions[:n]
		} else {
			x.regions[n].on, x.regions[n].other = x.regions[n].other, false
		}
		return
	}
	if !x.on() {
		return
	}
	switch {
	case verb.text == "define":
		x.define(word(), at, rest[1:])
	case verb.text == "undef":
		delete(x.macros, word())
	case verb.text == "include":
		x.includeFile(at, rest)
	// Line markers of another preprocessor: positions are those of the text before it.
	// Positions are then those of the file before that preprocessor, which users know.
	case verb.kind == number || verb.text == "line": // # 12 "file"
		if verb.kind != number && len(rest) > 0 {
			verb, rest = rest[0], rest[1:]
		}
		file.Line = verb.value
		if len(rest) > 0 && rest[0].kind == text {
			file.File = strings.Trim(rest[0].text, `"`)
		}
	case verb.text == "pragma":
	case verb.text == "error":
		fail(at, "#error")
	default:
		fail(at, "#%s is not a directive: known are #define, #undef, #include, #if, #ifdef, #ifndef, #else and #endif", verb.text)
	}
}

const noConditions = "only #ifdef, #ifndef, and #if with a number are known: let the preprocessor of C read the model first: cpp MODEL >FILE"

// define defines a macro. It has parameters if a parenthesis follows its name without a space.
func (x *preprocessor) define(what string, at Position, rest []token) {
	m := &macro{body: rest}
	// A space before the parenthesis makes it part of the body, as in C.
	if len(rest) > 0 && rest[0].is("(") && rest[0].glued {
		closing := slices.IndexFunc(rest, func(t token) bool { return t.is(")") })
		if closing < 0 {
			fail(at, "the parameters of macro %s are not closed: ) is missing", what)
		}
		m.params = []string{}
		for _, t := range rest[1:closing] {
			if t.kind == name {
				m.params = append(m.params, t.text)
			} else if !t.is(",") {
				fail(t.Position, "%s is not the name of a parameter", t)
			}
		}
		m.body = rest[closing+1:]
	}
	for _, t := range m.body {
		if t.is("#") {
			fail(t.Position, "# and ## in macros are not supported: write the text out")
		}
	}
	x.macros[what] = m
}

// includeFile has the text of another file read next, and then the rest of this one. The caller of
// Parse resolves its name.
func (x *preprocessor) includeFile(at Position, rest []token) {
	if len(rest) == 0 || rest[0].kind != text {
		fail(at, `#include needs the name of a file in quotes, such as #include "defines.h"`)
	}
	// A file that includes itself would go on forever.
	if len(x.files) > maxIncludes {
		fail(at, "files include each other more than %d deep", maxIncludes)
	}
	file := strings.Trim(rest[0].text, `"`)
	if x.include == nil {
		fail(at, "#include is not possible here: put the text of %q in its place", file)
	}
	source, err := x.include(file)
	if err != nil {
		fail(at, "%v", err)
	}
	x.open(file, source)
	x.fresh = true
}
