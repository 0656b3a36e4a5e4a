package otlp

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/nearmiss"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// enum reads a number, or one of the names that stand for the numbers from 0.
func (d *decoder) enum(what string, names []string) (int, error) {
	text, quoted, err := d.r.Number()
	if err != nil {
		return 0, err
	}
	if quoted {
		if i := slices.Index(names, string(text)); i >= 0 {
			return i, nil
		}
		return 0, d.r.Errorf("%s is not %s%s", trace.Quote(string(text)), what, nearmiss.Hint(string(text), names))
	}
	i, err := strconv.ParseUint(string(text), 10, 31)
	if err != nil || int(i) >= len(names) {
		return 0, d.r.Errorf("%s is not %s: those are the numbers 0 to %d", string(text), what, len(names)-1)
	}
	return int(i), nil
}

// attributes reads an array of attributes and appends them to attrs.
func (d *decoder) attributes(attrs []span.Attribute) ([]span.Attribute, error) {
	err := d.r.Array(func() error {
		a, err := d.attribute()
		attrs = append(attrs, a)
		return err
	})
	return attrs, err
}

func (d *decoder) attribute() (span.Attribute, error) {
	a := span.Attribute{Value: graphs.Str("")}
	place := d.r.Next()
	err := d.r.Object(func(key []byte) (err error) {
		switch string(key) {
		case "key":
			a.Key, err = d.r.String()
		case "value":
			a.Value, err = d.value()
		default:
			err = d.r.Skip()
		}
		return err
	})
	if err == nil && a.Key == "" {
		err = place.Errorf("an attribute without a key")
	}
	return a, err
}

// value reads a value of any type.
func (d *decoder) value() (graphs.Value, error) {
	v := graphs.Str("")
	n := 0
	err := d.r.Object(func(key []byte) (err error) {
		switch string(key) {
		case "stringValue":
			var text string
			text, err = d.r.String()
			v = graphs.Str(text)
		case "boolValue":
			var b bool
			b, err = d.r.Bool()
			v = graphs.Boolean(b)
		case "intValue":
			var i int64
			i, err = d.r.Int()
			v = graphs.Int(i)
		case "doubleValue":
			v, err = d.double()
		case "bytesValue":
			v, err = d.bytes()
		case "arrayValue":
			var text []byte
			text, err = d.array(nil)
			v = graphs.Str(string(text))
		case "kvlistValue":
			var text []byte
			text, err = d.list(nil)
			v = graphs.Str(string(text))
		default:
			return d.unknown(key, "stringValue", "boolValue", "intValue", "doubleValue", "bytesValue", "arrayValue", "kvlistValue")
		}
		if n++; n > 1 && err == nil {
			err = d.r.Errorf("a second value of one attribute")
		}
		return err
	})
	return v, err
}

// double reads a number; one that is not finite is a string.
func (d *decoder) double() (graphs.Value, error) {
	text, quoted, err := d.r.Number()
	if err != nil {
		return graphs.Value{}, err
	}
	switch s := string(text); s {
	case "NaN", "Infinity", "-Infinity":
		return graphs.Str(s), nil
	default:
		f, err := strconv.ParseFloat(s, 64)
		if quoted && !jsontext.Value(text).IsValid() || err != nil && !math.IsInf(f, 0) {
			return graphs.Value{}, d.r.Errorf("%s is not a number", trace.Quote(s))
		}
		if math.IsInf(f, 0) {
			return graphs.Value{}, d.r.Errorf("%s is beyond the greatest number", s)
		}
		return graphs.Float(f), nil
	}
}

// bytes reads base64.
func (d *decoder) bytes() (graphs.Value, error) {
	text, err := d.r.Bytes()
	if err != nil {
		return graphs.Value{}, err
	}
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return graphs.Value{}, d.r.Errorf("%s is not base64", trace.Quote(string(text)))
	}
	return graphs.Str(base64.StdEncoding.EncodeToString(raw)), nil
}

// array appends the JSON text of an array to text.
func (d *decoder) array(text []byte) ([]byte, error) {
	text = append(text, '[')
	start := len(text)
	err := d.r.Object(func(key []byte) error {
		if string(key) != "values" {
			return d.r.Skip()
		}
		return d.r.Array(func() (err error) {
			if len(text) > start {
				text = append(text, ',')
			}
			text, err = d.element(text)
			return err
		})
	})
	return append(text, ']'), err
}

// list appends the JSON text of a list of keys and values, an object, to text.
func (d *decoder) list(text []byte) ([]byte, error) {
	type member struct{ key, text string }
	var members []member
	err := d.r.Object(func(key []byte) error {
		if string(key) != "values" {
			return d.r.Skip()
		}
		return d.r.Array(func() error {
			m := member{text: "null"}
			err := d.r.Object(func(key []byte) (err error) {
				switch string(key) {
				case "key":
					m.key, err = d.r.String()
				case "value":
					var b []byte
					b, err = d.element(nil)
					m.text = string(b)
				default:
					err = d.r.Skip()
				}
				return err
			})
			members = append(members, m)
			return err
		})
	})
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	text = append(text, '{')
	for i, m := range members {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, graphs.Str(m.key).String()...)
		text = append(append(text, ':'), m.text...)
	}
	return append(text, '}'), err
}

// element appends the JSON text of a value inside of an array or a list.
func (d *decoder) element(text []byte) ([]byte, error) {
	n, start := 0, len(text)
	err := d.r.Object(func(key []byte) (err error) {
		switch string(key) {
		case "stringValue":
			var s string
			s, err = d.r.String()
			text = append(text, graphs.Str(s).String()...)
		case "boolValue":
			var b bool
			b, err = d.r.Bool()
			text = strconv.AppendBool(text, b)
		case "intValue":
			var i int64
			i, err = d.r.Int()
			text = strconv.AppendInt(text, i, 10)
		case "doubleValue":
			var v graphs.Value
			v, err = d.double()
			text = append(text, v.String()...)
		case "bytesValue":
			var v graphs.Value
			v, err = d.bytes()
			text = append(text, v.String()...)
		case "arrayValue":
			text, err = d.array(text)
		case "kvlistValue":
			text, err = d.list(text)
		default:
			return d.unknown(key, "stringValue", "boolValue", "intValue", "doubleValue", "bytesValue", "arrayValue", "kvlistValue")
		}
		if n++; n > 1 && err == nil {
			err = d.r.Errorf("a second value of one element")
		}
		return err
	})
	if len(text) == start {
		text = append(text, "null"...)
	}
	return text, err
}
