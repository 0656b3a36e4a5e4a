package record

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Assignment gives a variable a value. It is an Action, and also declares initial values.
type Assignment struct {
	variable string
	text     string // the value of a string, or the type of an unsupported value
	bits     uint64
	kind     kind
}

type kind uint8

const (
	noValue kind = iota
	intValue
	uintValue
	floatValue
	boolValue
	stringValue
)

// Set assigns a value to a variable: an integer, a float, a boolean or a string. A value whose
// underlying type is one of these is recorded as such; to record the name of a constant, pass its
// String(). A variable has one type in a trace. Other values, NaN and the infinities are not
// recorded, and Close returns an error that says so. If an event assigns a variable twice, the
// later assignment counts.
func Set(variable string, value any) Assignment {
	a := Assignment{variable: variable}
	// By kind alone, because that allocates neither the kind nor the value of a number.
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		a.kind, a.bits = intValue, uint64(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Uintptr:
		a.kind, a.bits = uintValue, v.Uint()
	case reflect.Float32, reflect.Float64:
		a.kind, a.bits = floatValue, math.Float64bits(v.Float())
	case reflect.Bool:
		a.kind = boolValue
		if v.Bool() {
			a.bits = 1
		}
	case reflect.String:
		a.kind, a.text = stringValue, v.String()
	case reflect.Invalid:
		a.text = "nil"
	default:
		a.text = v.Type().String()
	}
	return a
}

// Value returns the variable and its value: an int64, uint64, float64, bool or string, or nil if
// the value cannot be recorded.
func (a Assignment) Value() (variable string, value any) {
	switch a.kind {
	case intValue:
		value = int64(a.bits)
	case uintValue:
		value = a.bits
	case floatValue:
		value = math.Float64frombits(a.bits)
	case boolValue:
		value = a.bits != 0
	case stringValue:
		value = a.text
	}
	return a.variable, value
}

// problem returns why a cannot be recorded, or nil if it can. It copies text, so that an assignment
// need not be allocated.
func (a *Assignment) problem() error {
	switch a.kind {
	case noValue:
		if a.variable == "" && a.text == "" {
			return errors.New("an Assignment that Set did not make")
		}
		return fmt.Errorf("variable %q cannot have a value of type %s (numbers, booleans and strings can be recorded)", strings.Clone(a.variable), strings.Clone(a.text))
	case floatValue:
		if f := math.Float64frombits(a.bits); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("variable %q cannot have the value %v, which is not a JSON number",
				strings.Clone(a.variable), f)
		}
	}
	return nil
}

// appendAssignments appends an object of the valid assignments among actions, and returns how many
// there are and the errors of the others. Of two assignments of one variable, the later one counts.
func appendAssignments(b []byte, actions []Action) (_ []byte, n int, err error) {
	b = append(b, '{')
	for i := range actions {
		a, ok := actions[i].(Assignment)
		if !ok {
			continue
		}
		if why := a.problem(); why != nil {
			err = errors.Join(err, why)
			continue
		}
		if some(actions[i+1:], func(b Assignment) bool { return b.variable == a.variable && b.problem() == nil }) {
			continue
		}
		if n > 0 {
			b = append(b, ',')
		}
		n++
		b = append(appendString(b, a.variable), ':')
		switch a.kind {
		case intValue:
			b = strconv.AppendInt(b, int64(a.bits), 10)
		case uintValue:
			b = strconv.AppendUint(b, a.bits, 10)
		case floatValue:
			b = strconv.AppendFloat(b, math.Float64frombits(a.bits), 'g', -1, 64)
		case boolValue:
			b = strconv.AppendBool(b, a.bits != 0)
		default:
			b = appendString(b, a.text)
		}
	}
	return append(b, '}'), n, err
}

// appendObject is appendAssignments for assignments alone.
func appendObject(b []byte, set []Assignment) (_ []byte, n int, err error) {
	actions := make([]Action, len(set))
	for i, a := range set {
		actions[i] = a
	}
	return appendAssignments(b, actions)
}

// plain says which bytes a JSON string contains unescaped.
var plain = func() (t [256]bool) {
	for b := 0x20; b < utf8.RuneSelf; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// appendString appends s as a JSON string; bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	return append(appendOpen(b, s), '"')
}

// appendOpen appends s as a JSON string without the closing quote.
func appendOpen(b []byte, s string) []byte {
	b = append(b, '"')
	i := 0
	for i < len(s) && plain[s[i]] {
		i++
	}
	if i == len(s) {
		return append(b, s...)
	}
	const hex = "0123456789abcdef"
	b = append(b, s[:i]...)
	for _, r := range s[i:] { // range yields U+FFFD for invalid UTF-8
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// A list is a JSON member whose value is a string, or an array once there is a second value.
type list struct {
	key   string
	first int  // where the first value begins, 0 if there is none yet
	many  bool // whether the array is open
}

// next prepares for another value.
func (l *list) next(b []byte) []byte {
	switch {
	case l.first == 0:
		b = append(append(append(b, `,"`...), l.key...), `":`...)
		l.first = len(b)
		return b
	case !l.many:
		l.many = true
		b = append(b, 0)
		copy(b[l.first+1:], b[l.first:])
		b[l.first] = '['
	}
	return append(b, ',')
}

// end closes the array, if one is open.
func (l *list) end(b []byte) []byte {
	if l.many {
		return append(b, ']')
	}
	return b
}
