package native

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/pota-project/pota/graphs/trace/internal/jsonline"
)

// string scans the string that starts at the position and returns its span.
func (s *scanner) string() uint64 {
	if str, ok := s.Quoted(); ok {
		return s.meaning(str)
	}
	return 0
}

// meaning returns the span of the meaning of a string. One without escapes is its own, and needs no
// copy.
func (s *scanner) meaning(str jsonline.String) uint64 {
	if !str.Escaped {
		return span(str.From, str.To-str.From)
	}
	from := len(s.decoded)
	s.decoded = s.AppendDecoded(s.decoded, str)
	return span(len(s.Text)+from, len(s.decoded)-from)
}

// numeral scans a number of JSON: an integer of 64 bits, or else a float64.
func (s *scanner) numeral() (uint64, valueKind) {
	n, ok := s.Number()
	if !ok || !s.EndOfWord(n.From) {
		return 0, 0
	}
	// 18 digits fit any int64, and Abs has not overflowed.
	if n.Integer && n.Digits <= 18 {
		if n.Negative {
			n.Abs = -n.Abs
		}
		return n.Abs, valueInt
	}

	// Without a copy: strconv keeps no reference to the text.
	word := unsafe.String(&s.Text[n.From], n.To-n.From)
	if n.Integer {
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			return uint64(n), valueInt
		}
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil {
		s.Fail(n.From, "the number %s is beyond the range of float64", jsonline.Shorten(word))
	}
	// 1e3 and 2.0 are integers: formulas compare values and not spellings. Up to 2^53 the
	// conversion is exact.
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return uint64(int64(f)), valueInt
	}
	return math.Float64bits(f), valueFloat
}
