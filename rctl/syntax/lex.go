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

// This file splits a text into tokens, all of it before the parser begins. The parser thus has
// unlimited lookahead, which it needs: count, values and other words are operators only if the text
// after them cannot follow a variable. Text that is not a token becomes a tokBad, which is an error
// only when the parser gets there: an earlier mistake explains more.

// A kind is the kind of a token: one of the constants below or, for any other word or operator of
// the language, its printed form.
type kind string

const (
	tokEnd      kind = "end"      // the end of the text
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
	word bool   // whether it is written with letters, and so a name wherever only a name can stand
	rel  Relop  // the operator of a tokRelop
	op   Op     // the operator of a tokTemporal
	pos  int    // the byte offset
	text string // the text as written; for a tokString, the value of the string
	err  *Error // the mistake of a tokBad
}

// maxSymbol is the length in bytes of the longest symbol in tokens and hints. The lexer takes the
// longest symbol that matches.
const maxSymbol = 3

// tokens maps each spelling of a word or operator of the language to its token. U, R, W, E, A, in
// and having are not included: traces have variables of such names, and the grammar determines
// where they are operators.
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

// spellings lists the spellings of each word and operator, the printed form first.
var spellings = []string{
	"true", "false", "forall", "exists", "! ¬ not", "&& ∧ and", "|| ∨ or", "-> →", "<-> ↔",
	"+", "-", "*", "@", ",", ":", "(", ")", "[", "]", "{", "}",
}

// relations lists the spellings of the relational operators.
var relations = [...]string{
	Less: "<", LessEqual: "<= ≤", Equal: "== =", NotEqual: "!= ≠", GreaterEqual: ">= ≥", Greater: ">",
}

//go:embed hints.txt
var hintLines string

// hints maps words and symbols of other logics and languages to a hint for the spelling in CTL. A word
// in lower case also stands for spellings with capitals.
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
		return "" // the text is a symbol in quotes, not a word
	}
	return cmp.Or(hints()[word], hints()[strings.ToLower(word)])
}

// lex splits a source into tokens. The last token is a tokEnd.
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

// next returns the token at pos, without its position, and its size in bytes.
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
		// Hints come together with operators, so that --> is not read as - and ->.
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
