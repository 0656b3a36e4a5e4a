package syntax

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs/lazy"
)

// This file cuts a text into tokens, all of it before the parser begins. So the parser can look
// ahead as far as it likes: count, values and other words belong to the language only if
// something follows that cannot follow a variable. A text that is no token becomes one of the kind
// tokBad, and is an error only when the parser arrives there: an earlier mistake explains more.

// A kind is the kind of a token: one of these or, of any other word or operator of the language,
// how it is printed.
type kind string

const (
	tokEnd      kind = "end"      // of the text
	tokBad      kind = "bad"      // text that is not a token; err says why
	tokName     kind = "name"     // a plain name that is not a keyword
	tokNumber   kind = "number"   // digits
	tokDuration kind = "duration" // digits with a unit
	tokString   kind = "string"   // "…"
	tokTemporal kind = "temporal" // EF AF EG AG EX AX
	tokRelop    kind = "relop"    // < <= == = != >= >
)

// A token is a word, a number, a string or an operator, with its place.
type token struct {
	kind kind
	word bool   // written with letters, so a name where only a name can stand
	rel  Relop  // tokRelop
	op   Op     // tokTemporal
	pos  int    // byte offset
	text string // as written, but a tokString has the string itself
	err  *Error // tokBad
}

// maxSymbol is how many bytes the longest of tokens and hints has that is no word. The longest that
// fits is meant.
const maxSymbol = 3

// tokens are the words and operators of the language, by each way to write them. U, R, W, E, A, in
// and having are not among them: traces have variables of such names, and the grammar tells where
// they are operators.
var tokens = sync.OnceValue(func() map[string]token {
	all := make(map[string]token)
	add := func(texts string, tok token) {
		for text := range strings.FieldsSeq(texts) {
			tok.text = text
			all[text] = tok
		}
	}
	for _, texts := range spellings {
		first, _, _ := strings.Cut(texts, " ")
		add(texts, token{kind: kind(first)})
	}
	for rel, texts := range relations {
		add(texts, token{kind: tokRelop, rel: Relop(rel)})
	}
	for op := OpEX; op <= OpAG; op++ {
		add(op.String(), token{kind: tokTemporal, op: op})
	}
	return all
})

// spellings are the ways to write each word and operator, first how it is printed.
var spellings = []string{
	"true", "false", "forall", "exists", "! ¬ not", "&& ∧ and", "|| ∨ or", "-> →", "<-> ↔",
	"+", "-", "*", "@", ",", ":", "(", ")", "[", "]", "{", "}",
}

// relations are the ways to write the relational operators.
var relations = [...]string{
	Less: "<", LessEqual: "<= ≤", Equal: "== =", NotEqual: "!= ≠", GreaterEqual: ">= ≥", Greater: ">",
}

//go:embed hints.txt
var hintLines string

// hints say how CTL writes what other logics and languages write with some words and symbols. Words
// that are all in lower case stand for those with capitals, too.
var hints = sync.OnceValue(func() map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(hintLines) {
		words, hint, _ := strings.Cut(strings.TrimSpace(line), "\t")
		for word := range strings.FieldsSeq(words) {
			all[word] = hint
		}
	}
	return all
})

// hintFor returns the hint for a word, as written or in lower case.
func hintFor(word string) string {
	if nameLen(word) == 0 {
		return "" // a symbol, in quotes
	}
	return cmp.Or(hints()[word], hints()[strings.ToLower(word)])
}

// lex splits a source into tokens. Text that is no token becomes a tokBad, for the parser to
// report when it gets there. The last token is a tokEnd.
func lex(src *source) []token {
	text := src.text
	var toks []token
	pos := 0
	for {
		pos = skipSpace(text, pos)
		if pos == len(text) {
			return append(toks, token{kind: tokEnd, pos: pos})
		}
		tok, size := next(src, pos)
		tok.pos = pos
		toks = append(toks, tok)
		pos += size
	}
}

// skipSpace returns the offset of the first byte at or after pos that is
// neither white space nor part of a comment.
func skipSpace(text string, pos int) int {
	for pos < len(text) {
		r, size := utf8.DecodeRuneInString(text[pos:])
		if r == '#' {
			size = strings.IndexByte(text[pos:], '\n')
			if size < 0 {
				return len(text)
			}
		} else if !unicode.IsSpace(r) {
			return pos
		}
		pos += size
	}

	return pos
}

// next returns the token at pos, without its place, and its size.
func next(src *source, pos int) (token, int) {
	text := src.text[pos:]
	bad := func(size int, hint, format string, args ...any) (token, int) {
		err := src.errorf(pos, hint, format, args...)
		return token{kind: tokBad, text: text[:size], err: err}, size
	}

	switch n := nameLen(text); {
	case n > 0:
		tok, ok := tokens()[text[:n]]
		if !ok {
			tok = token{kind: tokName, text: text[:n]}
		}
		tok.word = true
		return tok, n
	case text[0] >= '0' && text[0] <= '9':
		n := len(numberLiteral().FindString(text))
		if r, _ := utf8.DecodeRuneInString(text[n:]); r == '.' {
			return bad(n, "", "digits are missing after the point of %s.", text[:n])
		}
		number := n
		n += nameLen(text[n:])
		if units[text[number:n]] != nil {
			return token{kind: tokDuration, text: text[:n]}, n
		} else if n > number {
			hint := "durations have the units ns, us, ms, s, m and h; a name starts with a letter or _, and other names of processes are written as strings: " + quote(text[:n])
			if i, err := strconv.ParseInt(text[:n], 0, 64); err == nil {
				hint = "write " + strconv.FormatInt(i, 10)
			}
			return bad(n, hint, "%s is neither a number nor a name", clip(text[:n]))
		}
		return token{kind: tokNumber, text: text[:n]}, n
	case text[0] == '"':
		n := len(stringLiteral().FindString(text))
		if n == 0 {
			return bad(len(text), "", "the string is not closed")
		}
		var s string
		if !utf8.ValidString(text[:n]) {
			return bad(n, "", "the string is not valid UTF-8")
		}
		if err := json.Unmarshal([]byte(text[:n]), &s); err != nil {
			return bad(n, `escapes are those of JSON: \" \\ \/ \b \f \n \r \t \u0000`,
				"the string %s has an invalid escape or a control character", clip(text[:n]))
		}
		return token{kind: tokString, text: s}, n
	}

	for n := min(maxSymbol, len(text)); n > 0; n-- {
		// Together with the operators, so that --> is not read as - and ->.
		if hint, ok := hints()[text[:n]]; ok {
			return bad(n, hint, "%s is not an operator", text[:n])
		}
		if tok, ok := tokens()[text[:n]]; ok {
			return tok, n
		}
	}

	if text[0] == '.' {
		hint := "a formula has no point at its end; a colon follows forall and exists"
		if n := len(numberLiteral().FindString(text[1:])); n > 0 {
			hint = "write 0" + text[:n+1]
		}
		return bad(1, hint, "a point stands only within names and numbers")
	}

	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size == 1 {
		return bad(size, "", "the text is not valid UTF-8 here: byte 0x%02x", text[0])
	}
	return bad(size, "", "the character %s has no meaning in a formula", quote(string(r)))
}

// nameLen returns the length of the plain name that text starts with, or 0.
func nameLen(text string) int {
	n, end := 0, 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		letter := r == '_' || unicode.IsLetter(r)
		if !letter && (n == 0 || r != '.' && !unicode.IsDigit(r)) {
			break
		}
		n += size
		if r != '.' {
			end = n
		}
	}

	return end
}

// isPlain reports whether a name can be written without quotes where a
// variable can stand.
func isPlain(name string) bool {
	_, keyword := tokens()[name]
	return name != "" && nameLen(name) == len(name) && !keyword
}

// numberLiteral matches a number.
var numberLiteral = lazy.Regexp(`^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

// stringLiteral matches a string within one line.
var stringLiteral = lazy.Regexp(`^"([^"\\\n]|\\[^\n])*"`)

// quote returns text as a string literal of the grammar.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}

	b.WriteByte('"')
	return b.String()
}
