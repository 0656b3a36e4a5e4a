package native

import (
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// plain tells the bytes that stand for themselves in a string.
var plain = func() (t [256]bool) {
	for b := 0x20; b < 0x80; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// string scans the string that starts at the position and returns its span.
func (s *scanner) string() (uint64, bool) {
	start := s.pos + 1
	i := start
	text := s.text
	for plain[text[i]] {
		i++
	}
	if text[i] == '"' {
		s.pos = i + 1
		return span(start, i-start), true
	}
	return s.longString(start, i)
}

// longString goes on where a string has something else than plain bytes at i.
func (s *scanner) longString(start, i int) (uint64, bool) {
	from, decodedFrom := start, len(s.decoded)
	escaped := false
	for {
		switch b := s.text[i]; {
		case b == '"':
			s.pos = i + 1
			if !escaped {
				return span(start, i-start), true
			}
			s.decoded = append(s.decoded, s.text[from:i]...)
			return span(len(s.text)+decodedFrom, len(s.decoded)-decodedFrom), true
		case b == '\\':
			escaped = true
			s.decoded = append(s.decoded, s.text[from:i]...)
			n := s.escape(i)
			if n == 0 {
				return 0, false
			}
			i += n
			from = i
		case b == '\n':
			return 0, s.fail(i, "the line ends inside a string")
		case b < 0x20:
			return 0, s.fail(i, "the control character U+%04X occurs in a string (write it as an escape)", b)
		case b < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(s.text[i:])
			if r == utf8.RuneError && n == 1 {
				return 0, s.fail(i, "the byte 0x%02X is not UTF-8", b)
			}
			i += n
		}
	}
}

// escape appends what the escape at i means and returns its length, 0 after a
// failure.
func (s *scanner) escape(i int) int {
	const short = `"\/bfnrt`
	const meaning = "\"\\/\b\f\n\r\t"
	b := s.text[i+1]
	for k := range len(short) {
		if b == short[k] {
			s.decoded = append(s.decoded, meaning[k])
			return 2
		}
	}
	if b != 'u' {
		if b == '\n' {
			s.fail(i+1, "the line ends inside a string")
		} else {
			s.fail(i, "%q is not an escape sequence of JSON", `\`+firstRune(s.text[i+1:]))
		}
		return 0
	}
	r, ok := s.hex(i)
	n := 6
	if ok && utf16.IsSurrogate(r) {
		low := rune(0)
		if s.text[i+6] == '\\' && s.text[i+7] == 'u' {
			low, ok = s.hex(i + 6)
		}
		if ok {
			r = utf16.DecodeRune(r, low)
			n = 12
			if r == utf8.RuneError {
				s.fail(i, "%s is one half of a surrogate pair without the other", s.text[i:i+6])
				return 0
			}
		}
	}
	if !ok {
		return 0
	}
	s.decoded = utf8.AppendRune(s.decoded, r)
	return n
}

// hex returns the number that the four digits of the escape at i stand for.
func (s *scanner) hex(i int) (rune, bool) {
	r := rune(0)
	for k := i + 2; k < i+6; k++ {
		b := s.text[k]
		switch {
		case '0' <= b && b <= '9':
			b -= '0'
		case 'a' <= b && b <= 'f':
			b -= 'a' - 10
		case 'A' <= b && b <= 'F':
			b -= 'A' - 10
		case b == '\n':
			return 0, s.fail(k, "the line ends inside a string")
		default:
			return 0, s.fail(i, `\u is not followed by four hexadecimal digits`)
		}
		r = r<<4 | rune(b)
	}
	return r, true
}

// numeral scans a number of JSON: an integer of 64 bits, or else a float64.
func (s *scanner) numeral() (uint64, valueKind, bool) {
	start := s.pos
	text := s.text
	i := start
	negative := text[i] == '-'
	if negative {
		i++
	}
	first := i
	n := uint64(0)
	for text[i]-'0' <= 9 {
		n = n*10 + uint64(text[i]-'0')
		i++
	}
	digits := i - first
	if digits == 0 {
		return 0, 0, s.fail(i, "no digit after the minus sign")
	}
	if digits > 1 && text[first] == '0' {
		return 0, 0, s.fail(start, "a JSON number must not begin with 0")
	}
	integer := true
	if text[i] == '.' {
		integer = false
		i++
		if i = skipDigits(text, i); text[i-1] == '.' {
			return 0, 0, s.fail(i, "no digit after the decimal point")
		}
	}
	if text[i]|0x20 == 'e' {
		integer = false
		i++
		if text[i] == '+' || text[i] == '-' {
			i++
		}
		if text[i]-'0' > 9 {
			return 0, 0, s.fail(i, "no digit in the exponent")
		}
		i = skipDigits(text, i)
	}
	s.pos = i
	if !s.endOfWord(start) {
		return 0, 0, false
	}
	if integer && digits <= 18 {
		if negative {
			n = -n
		}
		return n, valueInt, true
	}
	word := unsafe.String(&text[start], i-start)
	if integer {
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			return uint64(n), valueInt, true
		}
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil {
		s.pos = start
		return 0, 0, s.fail(start, "the number %s is beyond the range of float64", shorten(word))
	}
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return uint64(int64(f)), valueInt, true
	}
	return math.Float64bits(f), valueFloat, true
}

func skipDigits(text []byte, i int) int {
	for text[i]-'0' <= 9 {
		i++
	}
	return i
}

func shorten(word string) string {
	if len(word) > 40 {
		return word[:40] + "…"
	}
	return word
}
