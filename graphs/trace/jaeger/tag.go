package jaeger

import (
	"encoding/base64"
	"slices"
	"strconv"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// tag reads a tag. Its type may come after its value.
func (d *decoder) tag() span.Attribute {
	a := span.Attribute{Value: graphs.Str("")}
	place := d.Next()
	kind, given := "", ""
	quoted, some := true, false
	d.Object(func(key []byte) {
		switch string(key) {
		case "key":
			a.Key = d.String()
		case "type":
			kind = d.String()
		case "value":
			given, quoted = d.value()
			some = true
		default:
			d.Pass(key, "key", "type", "value")
		}
	})
	if a.Key == "" {
		d.Stop(place.Errorf("a tag without a key"))
	}
	if !some || d.Err() != nil {
		return a
	}
	v, ok := convert(kind, given, quoted)
	if !ok {
		tag := trace.Quote(a.Key)
		if slices.Contains(types, kind) {
			d.Stop(place.Errorf("%s of tag %s is not of type %s", trace.Quote(given), tag, kind))
		}
		hint := nearmiss.Hint(kind, types)
		d.Stop(place.Errorf("unknown type %s of tag %s%s", trace.Quote(kind), tag, hint))
	}
	a.Value = v
	return a
}

var types = []string{"string", "bool", "int64", "float64", "binary"}

// value reads a string, a number, true or false, and returns its text.
func (d *decoder) value() (text string, quoted bool) {
	switch d.Kind() {
	case 't', 'f':
		return strconv.FormatBool(d.Bool()), false
	case '"':
		return d.String(), true
	}
	b, quoted := d.Number()
	return string(b), quoted
}

// convert returns a text as a value of a type; without a type, of that which the value
// has.
func convert(kind, text string, quoted bool) (graphs.Value, bool) {
	switch kind {
	case "string":
		return graphs.Str(text), true
	case "bool":
		return graphs.Boolean(text == "true"), text == "true" || text == "false"
	case "int64":
		i, err := strconv.ParseInt(text, 10, 64)
		return graphs.Int(i), err == nil
	case "float64":
		if quoted && (text == "NaN" || text == "Infinity" || text == "-Infinity") {
			return graphs.Str(text), true
		}
		return number(text)
	case "binary":
		raw, err := base64.StdEncoding.DecodeString(text)
		return graphs.Str(base64.StdEncoding.EncodeToString(raw)), quoted && err == nil
	case "":
		if quoted {
			return graphs.Str(text), true
		}
		if text == "true" || text == "false" {
			return graphs.Boolean(text == "true"), true
		}
		return number(text)
	}
	return graphs.Value{}, false
}

// number returns a number in the grammar of JSON, or another integer as Go writes it.
func number(text string) (graphs.Value, bool) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return graphs.Int(i), true
	}
	return trace.ParseNumber(text)
}
