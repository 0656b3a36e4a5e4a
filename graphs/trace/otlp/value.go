package otlp

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// enum reads a number into *to, or one of the names that stand for the numbers from 0.
func (d *decoder) enum(what string, names []string, to *uint8) {
	text, quoted := d.Number()
	i := slices.Index(names, string(text))
	switch {
	case quoted && i < 0:
		d.Fail("%s is not %s%s", trace.Quote(text), what, nearmiss.Hint(string(text), names))
	case quoted:
		*to = uint8(i)
	default:
		n, err := strconv.ParseUint(string(text), 10, 31)
		if err != nil || int(n) >= len(names) {
			const msg = "%s is not %s: those are the numbers 0 to %d"
			d.Fail(msg, string(text), what, len(names)-1)
		}
		*to = uint8(n)
	}
}

// attribute reads a key and a value.
func (d *decoder) attribute() span.Attribute {
	return d.KeyValue("key", "value", d.attributeValue, d.unknown)
}

func (d *decoder) attributeValue() graphs.Value {
	v, _ := d.value("attribute")
	return v
}

// shape tells how a value is written as an element of an array or a list.
type shape uint8

const (
	missing shape = iota // as null
	scalar               // as JSON
	nested               // as its text, the JSON of an array or a list
)

// maxDepth is how deep arrays and lists may be nested. The text of a value is copied once on
// each level.
const maxDepth = 100

var errDepth = fmt.Errorf("a value must have at most %d arrays and lists around it", maxDepth)

// value reads a value of any type, of an attribute or an element.
func (d *decoder) value(of string) (v graphs.Value, is shape) {
	v = graphs.Str("")
	if d.depth > maxDepth {
		d.Fail("%v", errDepth)
		return v, is
	}
	d.depth++
	defer func() { d.depth-- }()
	d.Object(func(key []byte) {
		before := is
		is = scalar
		switch string(key) {
		case "stringValue":
			v = graphs.Str(d.String())
		case "boolValue":
			v = graphs.Boolean(d.Bool())
		case "intValue":
			v = graphs.Int(d.Int())
		case "doubleValue":
			v = d.double()
		case "bytesValue":
			v = d.base64()
		case "arrayValue":
			is = nested
			v = d.array()
		case "kvlistValue":
			is = nested
			v = d.list()
		default:
			is = before
			d.unknown(key, valueKeys...)
			return
		}
		if before != missing {
			d.Fail("a second value of one %s", of)
		}
	})
	return v, is
}

var valueKeys = strings.Fields(
	"stringValue boolValue intValue doubleValue bytesValue arrayValue kvlistValue")

// double reads a number; one that is not finite is a string.
func (d *decoder) double() graphs.Value {
	text, quoted := d.Number()
	s := string(text)
	switch s {
	case "NaN", "Infinity", "-Infinity":
		return graphs.Str(s)
	}
	f, err := strconv.ParseFloat(s, 64)
	if quoted && !jsontext.Value(text).IsValid() || err != nil && !math.IsInf(f, 0) {
		d.Fail("%s is not a number", trace.Quote(s))
	}
	if math.IsInf(f, 0) {
		d.Fail("%s is beyond the greatest number", s)
	}
	return graphs.Float(f)
}

// base64 reads bytes.
func (d *decoder) base64() graphs.Value {
	text := d.Bytes()
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		d.Fail("%s is not base64", trace.Quote(text))
	}
	return graphs.Str(base64.StdEncoding.EncodeToString(raw))
}

// values reads the elements of an array or a list.
func (d *decoder) values(one func()) {
	d.Object(func(key []byte) {
		if string(key) == "values" {
			d.Array(one)
		} else {
			d.Skip()
		}
	})
}

// array returns the JSON text of an array.
func (d *decoder) array() graphs.Value {
	var elements []string
	d.values(func() { elements = append(elements, d.element()) })
	return arrayText(elements)
}

// element reads a value in an array or a list, and returns its JSON text.
func (d *decoder) element() string {
	return elementText(d.value("element"))
}

// list returns the JSON text of a list of keys and values, an object.
func (d *decoder) list() graphs.Value {
	var members []member
	d.values(func() {
		m := member{text: "null"}
		d.Object(func(key []byte) {
			switch string(key) {
			case "key":
				m.key = d.String()
			case "value":
				m.text = d.element()
			default:
				d.Skip()
			}
		})
		members = append(members, m)
	})
	return listText(members)
}

// A member is one of a list of keys and values, with the JSON text of its value.
type member struct{ key, text string }

// elementText returns the JSON text of a value in an array or a list.
func elementText(v graphs.Value, is shape) string {
	switch is {
	case missing:
		return "null"
	case nested:
		return v.Text()
	}
	return v.String()
}

// arrayText returns an array of JSON texts.
func arrayText(elements []string) graphs.Value {
	return graphs.Str("[" + strings.Join(elements, ",") + "]")
}

// listText returns a list as an object, with its keys sorted.
func listText(members []member) graphs.Value {
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	var texts []string
	for _, m := range members {
		texts = append(texts, graphs.Str(m.key).String()+":"+m.text)
	}
	return graphs.Str("{" + strings.Join(texts, ",") + "}")
}
