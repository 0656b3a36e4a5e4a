// Package jsonline scans JSON text in place, without allocation: the tokens of a line stay
// where they are, and a reader that knows what a line should say goes from one to the next.
//
// # Definitions
//
// The text is one or many lines. A string is the range of bytes between its quotes; whoever
// needs its meaning decodes the escapes (AppendDecoded). The end of the text reads as a line
// end, and a line end ends every token: so a scanner never runs from one line into the next.
//
// Methods that report false have set Err, the first mistake with its place. Their time
// complexity is O(length of what they pass).
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

// A Scanner goes through JSON text once.
type Scanner struct {
	Text []byte
	Pos  int
	Err  *Error

	// Lenient takes strings that are not UTF-8 or have half a surrogate pair, as logs do, and
	// line ends as space.
	Lenient bool

	depth int
}

// An Error is a mistake at a byte of the text.
type Error struct {
	At  int
	Msg string
}

// Fail records a mistake and reports false. The first mistake stays: later ones follow from it.
func (s *Scanner) Fail(at int, format string, args ...any) bool {
	if s.Err == nil {
		s.Err = &Error{at, fmt.Sprintf(format, args...)}
	}
	return false
}

// at returns a byte of the text, a line end beyond it.
func (s *Scanner) at(i int) byte {
	if i < len(s.Text) {
		return s.Text[i]
	}
	return '\n'
}

// Next skips space and returns the byte that follows, '\n' at the end of a line.
func (s *Scanner) Next() byte {
	// Most tokens follow without a space. This case stays small, so that the compiler inlines it.
	if s.Pos < len(s.Text) && s.Text[s.Pos] > ' ' {
		return s.Text[s.Pos]
	}
	return s.space()
}

func (s *Scanner) space() byte {
	for ; s.Pos < len(s.Text); s.Pos++ {
		switch b := s.Text[s.Pos]; {
		case b == ' ', b == '\t', b == '\r':
		// A line end ends the line of JSON lines, and is space in a document.
		case b == '\n' && s.Lenient:
		default:
			return b
		}
	}
	return '\n'
}

// Ended reports whether nothing but space is left.
func (s *Scanner) Ended() bool {
	s.Next()
	return s.Pos >= len(s.Text)
}

// Unexpected fails at the position and names the token that was meant.
func (s *Scanner) Unexpected(meant string) bool {
	if s.Next() == '\n' {
		return s.Fail(s.Pos, "the line ends where %s was expected", meant)
	}
	return s.Fail(s.Pos, "%s where %s was expected", s.token(), meant)
}

// WrongType fails because of the value at the position. For null it names the remedy.
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
	// Twenty letters are enough to recognize a word that is no JSON value.
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

// More goes past a comma and reports true, or past the bracket that ends an object or an
// array and reports false. It also reports false after a mistake.
func (s *Scanner) More(end byte) bool {
	// As in Next, the common case without a space is inlined.
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

// Key goes past a name, its colon and the space after it, and returns the name and the place
// of its quote. Meant says what the name is.
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

// Object goes past the object at the position and calls member after each name; member goes
// past the value, or fails.
func (s *Scanner) Object(member func(at int, name String)) bool {
	for again := s.enter('}'); again && s.Err == nil; again = s.More('}') {
		if at, name, ok := s.Key("a name in quotes"); ok {
			member(at, name)
		}
	}
	return s.leave()
}

// Array goes past the array at the position and calls element at each element; element goes
// past it, or fails.
func (s *Scanner) Array(element func(i int)) bool {
	i := 0
	for again := s.enter(']'); again && s.Err == nil; again = s.More(']') {
		s.Next()
		element(i)
		i++
	}
	return s.leave()
}

// Skip goes past the value at the position, of any type.
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

// maxDepth bounds the arrays and objects within each other, as reading recurses.
const maxDepth = 1000

// TextAfter is the mistake of a line that has more than an object.
const TextAfter = "text after the object: a line must hold one JSON object and nothing else"

// TooDeep is the mistake of a text with more.
const TooDeep = "arrays and objects are nested too deeply"

// enter goes past the bracket that begins an object or an array, and reports whether it has
// members: it goes past the end of one without.
func (s *Scanner) enter(end byte) bool {
	// A hostile line of brackets must not exhaust the stack.
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

// word goes past true, false or null.
func (s *Scanner) word(word string) bool {
	if string(s.Text[s.Pos:min(s.Pos+len(word), len(s.Text))]) != word {
		return s.Unexpected("a JSON value")
	}
	start := s.Pos
	s.Pos += len(word)
	return s.EndOfWord(start)
}

// EndOfWord fails where the word or number that starts at start goes on.
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
	// The whole word goes into the message: trueish is one mistake, not true and a rest.
	if end > s.Pos {
		return s.Fail(start, "%q is not a JSON value", Shorten(string(s.Text[start:end])))
	}
	return true
}

// Shorten cuts a long word for a message.
func Shorten(word string) string {
	// Forty bytes show what is meant; a line may hold megabytes.
	if len(word) > 40 {
		return word[:40] + "…"
	}
	return word
}

// A Number is a scanned JSON number. Digits counts the digits of the integer part, and Abs is
// their value; it may have overflowed if there are more than 18.
type Number struct {
	From, To          int
	Abs               uint64
	Digits            int
	Negative, Integer bool
}

// Number goes past a number. What may follow it is for EndOfWord to say.
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
	// The grammar of JSON has no leading zeros: other languages read them as octal.
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
	Escaped  bool // the string has a backslash
}

// plain tells the bytes that stand for themselves in every string.
var plain = func() (t [256]bool) {
	// Bytes from 0x80 on are parts of UTF-8 sequences and need a check, so they are not plain.
	for b := 0x20; b < 0x80; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// Quoted goes past the string at the position.
func (s *Scanner) Quoted() (str String, ok bool) {
	start := s.Pos + 1
	i := start
	text := s.Text
	// Names and values are nearly always short and plain: one pass without a function call.
	for i < len(text) && plain[text[i]] {
		i++
	}
	if i < len(text) && text[i] == '"' {
		s.Pos = i + 1
		return String{From: start, To: i}, true
	}
	return s.longQuoted(start, i)
}

// longQuoted goes on where a string has something else than plain bytes at i.
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
		// Lenient scanners pass bytes on as they are; their readers replace what is not UTF-8.
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

// escape returns the length of the escape at i, 0 after a mistake.
func (s *Scanner) escape(i int) int {
	b := s.at(i + 1)
	switch {
	case strings.IndexByte(shortEscapes, b) >= 0:
		return 2
	case b == '\n': // a string never goes over the end of its line
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
	// A surrogate stands for half a character and needs an escape with the other half.
	case s.Lenient || !utf16.IsSurrogate(r):
		return 6
	}
	low := rune(0)
	if s.at(i+6) == '\\' && s.at(i+7) == 'u' {
		if low, ok = s.hex(i + 6); !ok {
			return 0
		}
	}
	// This also refuses a low surrogate in front, and a high one followed by no escape.
	if utf16.DecodeRune(r, low) == utf8.RuneError {
		s.Fail(i, "%s is one half of a surrogate pair without the other", s.Text[i:i+6])
		return 0
	}
	// Two escapes of six bytes make one character.
	return 12
}

// hex returns the number that the four digits of the escape at i stand for.
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

// AppendDecoded appends the meaning of a string that s went past without a mistake.
func (s *Scanner) AppendDecoded(dst []byte, str String) []byte {
	// It fails only where a lenient scanner does not, and then appends U+FFFD.
	dst, _ = jsontext.AppendUnquote(dst, s.Text[str.From-1:str.To+1])
	return dst
}
