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
func (d *decoder) enum(what string, names []string, to *uint8) error {
	text, quoted, err := d.Number()
	if err != nil {
		return err
	}
	if quoted {
		i := slices.Index(names, string(text))
		if i < 0 {
			return d.Errorf("%s is not %s%s", trace.Quote(text), what, nearmiss.Hint(string(text), names))
		}
		*to = uint8(i)
		return nil
	}
	i, err := strconv.ParseUint(string(text), 10, 31)
	if err != nil || int(i) >= len(names) {
		return d.Errorf("%s is not %s: those are the numbers 0 to %d", string(text), what, len(names)-1)
	}
	*to = uint8(i)
	return nil
}

// attribute reads a key and a value.
func (d *decoder) attribute() (span.Attribute, error) {
	return d.KeyValue("key", "value", d.attributeValue, d.unknown)
}

func (d *decoder) attributeValue() (graphs.Value, error) {
	v, _, err := d.value("attribute")
	return v, err
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
func (d *decoder) value(of string) (v graphs.Value, is shape, err error) {
	v = graphs.Str("")
	if d.depth > maxDepth {
		return v, is, d.Errorf("%v", errDepth)
	}
	d.depth++
	defer func() { d.depth-- }()
	err = d.Object(func(key []byte) (err error) {
		before := is
		is = scalar
		switch string(key) {
		case "stringValue":
			var text string
			text, err = d.String()
			v = graphs.Str(text)
		case "boolValue":
			var b bool
			b, err = d.Bool()
			v = graphs.Boolean(b)
		case "intValue":
			var i int64
			i, err = d.Int()
			v = graphs.Int(i)
		case "doubleValue":
			v, err = d.double()
		case "bytesValue":
			v, err = d.base64()
		case "arrayValue":
			is = nested
			v, err = d.array()
		case "kvlistValue":
			is = nested
			v, err = d.list()
		default:
			is = before
			return d.unknown(key, "stringValue", "boolValue", "intValue", "doubleValue", "bytesValue", "arrayValue", "kvlistValue")
		}
		if before != missing && err == nil {
			err = d.Errorf("a second value of one %s", of)
		}
		return err
	})
	return v, is, err
}

// double reads a number; one that is not finite is a string.
func (d *decoder) double() (graphs.Value, error) {
	text, quoted, err := d.Number()
	if err != nil {
		return graphs.Value{}, err
	}
	switch s := string(text); s {
	case "NaN", "Infinity", "-Infinity":
		return graphs.Str(s), nil
	default:
		f, err := strconv.ParseFloat(s, 64)
		if quoted && !jsontext.Value(text).IsValid() || err != nil && !math.IsInf(f, 0) {
			return graphs.Value{}, d.Errorf("%s is not a number", trace.Quote(s))
		}
		if math.IsInf(f, 0) {
			return graphs.Value{}, d.Errorf("%s is beyond the greatest number", s)
		}
		return graphs.Float(f), nil
	}
}

// base64 reads bytes.
func (d *decoder) base64() (graphs.Value, error) {
	text, err := d.Bytes()
	if err != nil {
		return graphs.Value{}, err
	}
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return graphs.Value{}, d.Errorf("%s is not base64", trace.Quote(text))
	}
	return graphs.Str(base64.StdEncoding.EncodeToString(raw)), nil
}

// values reads the elements of an array or a list.
func (d *decoder) values(one func() error) error {
	return d.Object(func(key []byte) error {
		if string(key) != "values" {
			return d.Skip()
		}
		return d.Array(one)
	})
}

// array returns the JSON text of an array.
func (d *decoder) array() (graphs.Value, error) {
	var elements []string
	err := d.values(func() error {
		v, is, err := d.value("element")
		elements = append(elements, elementText(v, is))
		return err
	})
	return arrayText(elements), err
}

// list returns the JSON text of a list of keys and values, an object.
func (d *decoder) list() (graphs.Value, error) {
	var members []member
	err := d.values(func() error {
		m := member{text: "null"}
		err := d.Object(func(key []byte) (err error) {
			switch string(key) {
			case "key":
				m.key, err = d.String()
			case "value":
				var v graphs.Value
				var is shape
				v, is, err = d.value("element")
				m.text = elementText(v, is)
			default:
				err = d.Skip()
			}
			return err
		})
		members = append(members, m)
		return err
	})
	return listText(members), err
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
