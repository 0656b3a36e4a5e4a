// Package jsonline scans JSON text in place, without allocation: tokens are ranges of the text, and
// a reader that knows the expected structure of a line scans one after the other.
//
// # Definitions
//
// The text is one or many lines. A string is the range of bytes between its quotes; AppendDecoded
// decodes its escapes. The end of the text counts as a line end, and a line end ends every token,
// so a scanner never runs from one line into the next.
//
// A method that returns false because of a mistake has set Err, the first mistake with its
// position. The time complexity of a method is O(length of the text that it scans).
package jsonline

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A Scanner scans JSON text once.
type Scanner struct {
	Text []byte
	Pos  int
	Err  *Error

	// Lenient accepts strings, as in logs, that are not UTF-8 or have half a surrogate pair, and
	// treats line ends as space.
	Lenient bool

	depth int
}

// An Error is a mistake at a byte of the text.
type Error struct {
	At  int
	Msg string
}

// Fail records a mistake and returns false. It keeps the first mistake, because later ones follow
// from it.
func (s *Scanner) Fail(at int, format string, args ...any) bool {
	if s.Err == nil {
		s.Err = &Error{at, fmt.Sprintf(format, args...)}
	}
	return false
}

// at returns byte i of the text, or a line end if i is beyond the text.
func (s *Scanner) at(i int) byte {
	if i < len(s.Text) {
		return s.Text[i]
	}
	return '\n'
}

// Next skips space and returns the byte at the position, '\n' at the end of a line.
func (s *Scanner) Next() byte {
	// Most tokens follow without space. This case is small, so that the compiler inlines it.
	if s.Pos < len(s.Text) && s.Text[s.Pos] > ' ' {
		return s.Text[s.Pos]
	}
	return s.space()
}

func (s *Scanner) space() byte {
	for ; s.Pos < len(s.Text); s.Pos++ {
		switch b := s.Text[s.Pos]; {
		case b == ' ', b == '\t', b == '\r':
		// In JSON lines, a line end ends the line; in a document, it is space.
		case b == '\n' && s.Lenient:
		default:
			return b
		}
	}
	return '\n'
}

// Ended reports whether only space is left.
func (s *Scanner) Ended() bool {
	s.Next()
	return s.Pos >= len(s.Text)
}

// Unexpected fails at the position; meant names the expected token.
func (s *Scanner) Unexpected(meant string) bool {
	if s.Next() == '\n' {
		return s.Fail(s.Pos, "the line ends where %s was expected", meant)
	}
	return s.Fail(s.Pos, "%s where %s was expected", s.token(), meant)
}

// WrongType fails because the value at the position has the wrong type. For null, the error names
// the remedy.
func (s *Scanner) WrongType(meant string) bool {
	if strings.HasPrefix(string(s.Text[s.Pos:min(s.Pos+5, len(s.Text))]), "null") {
		return s.Fail(s.Pos, "null where %s was expected (leave the key out instead)", meant)
	}
	return s.Unexpected(meant)
}

// token describes the token at the position. The position must be before the end of the text.
func (s *Scanner) token() string {
	rest := s.Text[s.Pos:]
	switch b := rest[0]; {
	case b == '{':
		return "an object"
	case b == '[':
		return "an array"
	case b == '"':
		return "a string"
	case b == '-' || '0' <= b && b <= '9':
		return "a number"
	}
	n := 0
	// Twenty letters are enough for people to recognize a word that is not a JSON value.
	for n < len(rest) && n < 20 && 'a' <= rest[n]|0x20 && rest[n]|0x20 <= 'z' {
		n++
	}
	switch word := string(rest[:n]); word {
	case "":
		return fmt.Sprintf("%q", firstRune(rest))
	case "true", "false":
		return "a boolean"
	default:
		return word
	}
}

func firstRune(b []byte) string {
	// A rune has at most four bytes.
	for _, r := range string(b[:min(4, len(b))]) {
		return string(r)
	}
	return ""
}

// More skips a comma and returns true, or skips the closing bracket end and returns false. It also
// returns false after a mistake.
func (s *Scanner) More(end byte) bool {
	// As in Next, the common case without space is inlined.
	if s.Pos < len(s.Text) && s.Text[s.Pos] == ',' {
		s.Pos++
		return true
	}
	return s.spacedMore(end)
}

func (s *Scanner) spacedMore(end byte) bool {
	switch b := s.Next(); b {
	case ',', end:
		s.Pos++
		return b == ','
	}
	return s.Unexpected(`"," or "` + string(rune(end)) + `"`)
}

// Key scans a name, its colon and the space after it, and returns the name and the position of its
// opening quote. meant describes the name for errors.
func (s *Scanner) Key(meant string) (at int, name String, ok bool) {
	if s.Next() != '"' {
		return 0, name, s.Unexpected(meant)
	}
	at = s.Pos
	if name, ok = s.Quoted(); !ok {
		return 0, name, false
	}
	if s.Next() != ':' {
		return 0, name, s.Unexpected("a colon")
	}
	s.Pos++
	s.Next()
	return at, name, true
}

// Object scans the object at the position and calls member after each name; member must scan the
// value, or fail.
func (s *Scanner) Object(member func(at int, name String)) bool {
	for again := s.enter('}'); again && s.Err == nil; again = s.More('}') {
		if at, name, ok := s.Key("a name in quotes"); ok {
			member(at, name)
		}
	}
	return s.leave()
}

// Array scans the array at the position and calls element at each element; element must scan it, or
// fail.
func (s *Scanner) Array(element func(i int)) bool {
	i := 0
	for again := s.enter(']'); again && s.Err == nil; again = s.More(']') {
		s.Next()
		element(i)
		i++
	}
	return s.leave()
}

// Skip skips the value at the position, of any type.
func (s *Scanner) Skip() bool {
	switch b := s.Next(); {
	case b == '"':
		_, ok := s.Quoted()
		return ok
	case b == '{':
		// The recursion is bounded by maxDepth.
		return s.Object(func(int, String) { s.Skip() })
	case b == '[':
		return s.Array(func(int) { s.Skip() })
	case b == '-' || '0' <= b && b <= '9':
		n, ok := s.Number()
		return ok && s.EndOfWord(n.From)
	case b == 't':
		return s.word("true")
	case b == 'f':
		return s.word("false")
	case b == 'n':
		return s.word("null")
	}
	return s.Unexpected("a JSON value")
}

// maxDepth bounds the nesting of arrays and objects, because scanning is recursive.
const maxDepth = 1000

// TextAfter is the error of a line with text after its object.
const TextAfter = "text after the object: a line must hold one JSON object and nothing else"

// TooDeep is the error of a text with deeper nesting.
const TooDeep = "arrays and objects are nested too deeply"

// enter skips the opening bracket of an object or an array, and reports whether it has members. If
// it has none, enter skips the closing bracket, too.
func (s *Scanner) enter(end byte) bool {
	// A malicious line of brackets must not exhaust the stack.
	if s.depth == maxDepth {
		return s.Fail(s.Pos, TooDeep)
	}
	s.depth++
	s.Pos++
	if s.Next() == end {
		s.Pos++
		return false
	}
	return true
}

func (s *Scanner) leave() bool {
	s.depth--
	return s.Err == nil
}

// word skips the given word: true, false or null.
func (s *Scanner) word(word string) bool {
	if string(s.Text[s.Pos:min(s.Pos+len(word), len(s.Text))]) != word {
		return s.Unexpected("a JSON value")
	}
	start := s.Pos
	s.Pos += len(word)
	return s.EndOfWord(start)
}

// EndOfWord fails if the word or number that begins at start continues at the position.
func (s *Scanner) EndOfWord(start int) bool {
	end := s.Pos
	for {
		b := s.at(end)
		letter, digit := 'a' <= b|0x20 && b|0x20 <= 'z', '0' <= b && b <= '9'
		if !letter && !digit && strings.IndexByte("_.+-", b) < 0 {
			break
		}
		end++
	}
	// The message has the whole word: trueish is one mistake, not true followed by text.
	if end > s.Pos {
		return s.Fail(start, "%q is not a JSON value", Shorten(string(s.Text[start:end])))
	}
	return true
}

// Shorten cuts a long word for a message.
func Shorten(word string) string {
	// Forty bytes are enough to recognize it; a line may have megabytes.
	if len(word) > 40 {
		return word[:40] + "…"
	}
	return word
}

// A Number is a scanned JSON number. Digits counts the digits of the integer part, and Abs is their
// value, which may have overflowed if there are more than 18.
type Number struct {
	From, To          int
	Abs               uint64
	Digits            int
	Negative, Integer bool
}

// Number scans a number. It does not check the text after it; EndOfWord does.
func (s *Scanner) Number() (n Number, ok bool) {
	n.From = s.Pos
	text, i := s.Text, s.Pos
	if n.Negative = text[i] == '-'; n.Negative {
		i++
	}
	first := i
	// Bytes are unsigned, so one comparison covers both bounds of the digits.
	for i < len(text) && text[i]-'0' <= 9 {
		n.Abs = n.Abs*10 + uint64(text[i]-'0')
		i++
	}
	n.Digits = i - first
	if n.Digits == 0 {
		return n, s.Fail(i, "no digit after the minus sign")
	}
	// JSON forbids leading zeros, which some languages read as octal.
	if n.Digits > 1 && text[first] == '0' {
		return n, s.Fail(n.From, "a JSON number must not begin with 0")
	}
	n.Integer = true
	if b := s.at(i); b == '.' || b|0x20 == 'e' {
		n.Integer = false
		if i, ok = s.fraction(i); !ok {
			return n, false
		}
	}
	s.Pos, n.To = i, i
	return n, true
}

// fraction returns the end of the decimals and the exponent at i.
func (s *Scanner) fraction(i int) (int, bool) {
	if s.at(i) == '.' {
		end := s.digits(i + 1)
		if end == i+1 {
			return i, s.Fail(end, "no digit after the decimal point")
		}
		i = end
	}
	if s.at(i)|0x20 != 'e' {
		return i, true
	}
	i++
	// The exponent may have either sign, unlike the number itself.
	if b := s.at(i); b == '+' || b == '-' {
		i++
	}
	end := s.digits(i)
	if end == i {
		return i, s.Fail(i, "no digit in the exponent")
	}
	return end, true
}

func (s *Scanner) digits(i int) int {
	for s.at(i)-'0' <= 9 {
		i++
	}
	return i
}

// A String is the text between two quotes.
type String struct {
	From, To int
	Escaped  bool // whether the string has a backslash
}

// plain says which bytes stand for themselves in every string.
var plain = func() (t [256]bool) {
	// Bytes from 0x80 on are parts of UTF-8 sequences and need a check, so they are not plain.
	for b := 0x20; b < 0x80; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// Quoted scans the string at the position.
func (s *Scanner) Quoted() (str String, ok bool) {
	start := s.Pos + 1
	i := start
	text := s.Text
	// Names and values are nearly always short and plain, so scan them in one pass without a
	// function call.
	for i < len(text) && plain[text[i]] {
		i++
	}
	if i < len(text) && text[i] == '"' {
		s.Pos = i + 1
		return String{From: start, To: i}, true
	}
	return s.longQuoted(start, i)
}

// longQuoted continues Quoted for a string whose byte at i is not plain.
func (s *Scanner) longQuoted(start, i int) (str String, ok bool) {
	str.From = start
	for {
		switch b := s.at(i); {
		case b == '"':
			s.Pos, str.To = i+1, i
			return str, true
		case b == '\\':
			str.Escaped = true
			n := s.escape(i)
			if n == 0 {
				return str, false
			}
			i += n
		case b == '\n':
			return str, s.Fail(i, "the line ends inside a string")
		case b < 0x20:
			return str, s.Fail(i, "the control character U+%04X occurs in a string (write it as an escape)", b)
		// Lenient scanners accept all other bytes; AppendDecoded replaces invalid UTF-8.
		case b < utf8.RuneSelf || s.Lenient:
			i++
		default:
			r, n := utf8.DecodeRune(s.Text[i:])
			if r == utf8.RuneError && n == 1 {
				return str, s.Fail(i, "the byte 0x%02X is not UTF-8", b)
			}
			i += n
		}
	}
}

// shortEscapes are the escapes of one letter.
const shortEscapes = `"\/bfnrt`

// escape returns the length of the escape at i, or 0 after a mistake.
func (s *Scanner) escape(i int) int {
	b := s.at(i + 1)
	switch {
	case strings.IndexByte(shortEscapes, b) >= 0:
		return 2
	case b == '\n': // a string cannot continue on the next line
		s.Fail(i+1, "the line ends inside a string")
		return 0
	case b != 'u':
		s.Fail(i, "%q is not an escape sequence of JSON", `\`+firstRune(s.Text[i+1:]))
		return 0
	}

	r, ok := s.hex(i)
	switch {
	case !ok:
		return 0
	// A surrogate is half a character, and needs an escape with the other half.
	case s.Lenient || !utf16.IsSurrogate(r):
		return 6
	}
	low := rune(0)
	if s.at(i+6) == '\\' && s.at(i+7) == 'u' {
		if low, ok = s.hex(i + 6); !ok {
			return 0
		}
	}
	// This also refuses a pair that begins with a low surrogate, and a high one without an escape
	// after it.
	if utf16.DecodeRune(r, low) == utf8.RuneError {
		s.Fail(i, "%s is one half of a surrogate pair without the other", s.Text[i:i+6])
		return 0
	}
	// Two escapes of six bytes encode one character.
	return 12
}

// hex returns the value of the four digits of the escape at i.
func (s *Scanner) hex(i int) (rune, bool) {
	quad := s.Text[i+2 : min(i+6, len(s.Text))]
	if end := bytes.IndexByte(quad, '\n'); end >= 0 {
		quad = quad[:end]
	}
	u, err := strconv.ParseUint(string(quad), 16, 32)
	switch {
	case err != nil && len(quad) > 0:
		return 0, s.Fail(i, `\u is not followed by four hexadecimal digits`)
	case len(quad) < 4:
		return 0, s.Fail(i+2+len(quad), "the line ends inside a string")
	}
	return rune(u), true
}

// AppendDecoded appends the decoded text of a string that s scanned without a mistake.
func (s *Scanner) AppendDecoded(dst []byte, str String) []byte {
	// Errors are about text that only a lenient scanner accepts, for which U+FFFD is appended.
	dst, _ = jsontext.AppendUnquote(dst, s.Text[str.From-1:str.To+1])
	return dst
}
