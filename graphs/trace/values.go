package trace

import (
	"encoding/json"
	"strconv"

	"github.com/pota-project/pota/graphs"
)

// ParseNumber returns the value of a number in the grammar of JSON: an integer of 64
// bits, or else a float64. It is not ok for another text, and beyond float64.
func ParseNumber(text string) (v graphs.Value, ok bool) {
	if !json.Valid([]byte(text)) {
		return graphs.Value{}, false
	}
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

// Unify returns the type of variables that have values of types k and l: where values
// of one name have different types, all of them are strings. NoKind is that of none.
func Unify(k, l graphs.Kind) graphs.Kind {
	switch {
	case k == graphs.NoKind:
		return l
	case l == graphs.NoKind || k == l:
		return k
	}
	return graphs.String
}

// Set adds an assignment to a builder; of a variable that is not kept, only its type.
func (o *Options) Set(b *graphs.Builder, v *graphs.Variable, h graphs.Handle, x graphs.Value) {
	if o.Keeps(v.Name) {
		b.Set(v, h, x)
	} else {
		b.Skip(v, x.Kind)
	}
}
