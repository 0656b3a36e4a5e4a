package trace

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
)

// ParseNumber returns the value of a number in the grammar of JSON: an integer of 64 bits, or else
// a float64; ok is false for another text, and for a number beyond float64.
func ParseNumber(text string) (v graphs.Value, ok bool) {
	if !json.Valid([]byte(text)) {
		return graphs.Value{}, false
	}
	return NumberOf(text)
}

// NumberOf is ParseNumber for a text that is known to be a JSON number.
func NumberOf(text string) (v graphs.Value, ok bool) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return graphs.Int(i), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return graphs.Value{}, false
	}
	return graphs.Float(f), true
}

// ParseValue returns the value that a text stands for: a number, true or false, or else
// the text itself.
func ParseValue(text string) graphs.Value {
	if text == "true" || text == "false" {
		return graphs.Boolean(text == "true")
	}
	if text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') {
		if v, ok := ParseNumber(text); ok {
			return v
		}
	}
	return graphs.Str(text)
}

// VariableName turns the key of a value into a name that formulas can use: characters that names
// must not contain, and dots at the end, become underscores, and a name must not begin with a digit
// or a dot, so it gets an underscore before it.
func VariableName(key string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, key)
	if trimmed := strings.TrimRight(name, "."); trimmed != name {
		name = trimmed + strings.Repeat("_", len(name)-len(trimmed))
	}
	if r, _ := utf8.DecodeRuneInString(name); r == '_' || unicode.IsLetter(r) {
		return name
	}
	return "_" + name
}

// Unify returns the type of variables with values of types k and l: if values of one name have
// different types, all of them are strings. NoKind means that there is no value.
func Unify(k, l graphs.Kind) graphs.Kind {
	switch {
	case k == graphs.NoKind:
		return l
	case l == graphs.NoKind || k == l:
		return k
	}
	return graphs.String
}

// TwoTypes returns the error of a value that changes the type of a variable in a log that is read
// as it grows: earlier values have been processed already.
func TwoTypes(variable string, now, before graphs.Kind) error {
	const why = "in a log that is read as it grows, all its values must have one type"
	return fmt.Errorf("variable %q is a %s here and was a %s: "+why, variable, now, before)
}

// Set adds an assignment to a builder. For a variable that is not kept, it only records the type.
func (o *Options) Set(b *graphs.Builder, v *graphs.Variable, h graphs.Handle, x graphs.Value) {
	if o.Keeps(v.Name) {
		b.Set(v, h, x)
	} else {
		b.Skip(v, x.Kind)
	}
}

// Match reports whether a text matches a pattern: * matches any text and, if single is set, ? one
// character. After a mismatch it backtracks to the last *.
//
// The time complexity of Match is O(len(pattern)·len(text)).
func Match[T string | []byte](pattern, text T, single bool) bool {
	star, covered := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, covered = p, t
			p++
		case p < len(pattern) && single && pattern[p] == '?':
			p++
			for t++; t < len(text) && !utf8.RuneStart(text[t]); t++ {
			}
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			covered++
			p, t = star+1, covered
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
