package graphs

import (
	"encoding/json"
	"sort"
	"strings"

	"github.com/pota-project/pota/graphs/dense"
)

// A Variable is a column of assignments in the order in which they happened.
//
//	(1) the events of the assignments are distinct, and in an order that happened-before
//	    allows; Build and Ordered ensure that it orders them totally
//	(2) every value has kind Kind
type Variable struct {
	Name    string
	Process int   // the owner, or Shared
	Init    Value // the value before the first assignment
	Kind    Kind
	skipped bool
	number  int32 // the index of the variable in a Builder

	events []Event
	bits   []uint64 // the numbers; for Booleans, a dense.Set of the indices of true ones
	odd    *odd     // nil if all values are integers or Booleans
}

// odd is the storage that only variables with floats or strings need.
type odd struct {
	floats dense.Set // the indices of numbers that are floats
	strs   []int32   // for strings, the index of each in text
	text   []string
}

// oddly returns v.odd, and allocates it if it is nil.
func (v *Variable) oddly() *odd {
	if v.odd == nil {
		v.odd = new(odd)
	}
	return v.odd
}

// namesakes are the variables of one name.
type namesakes struct {
	vars      []*Variable
	byProcess map[int]*Variable // in a Builder, once vars are not added in order of processes
}

// Len returns the number of assignments. It is 0 if they were not kept, and before Build.
func (v *Variable) Len() int { return len(v.events) }

// Event returns the event of the i-th assignment, i from 0.
func (v *Variable) Event(i int) Event { return v.events[i] }

// Events returns the events of all assignments in order. The slice must not be
// changed.
func (v *Variable) Events() []Event { return v.events }

// Skipped reports whether assignments were dropped because the reader was not asked for this
// variable.
func (v *Variable) Skipped() bool { return v.skipped }

// Value returns the value of the i-th assignment; Init for i = -1.
func (v *Variable) Value(i int) Value {
	if i < 0 {
		return v.Init
	}
	switch v.Kind {
	case Number:
		return Value{Kind: Number, Float: v.odd != nil && v.odd.floats.Has(i), bits: v.bits[i]}
	case Bool:
		return Boolean(dense.Set(v.bits).Has(i))
	}
	return Str(v.odd.text[v.odd.strs[i]])
}

// Last returns the index of the last assignment in cut, or -1 if there is none. The time complexity
// of Last is O(log assignments).
func (v *Variable) Last(c *Computation, cut Cut) int {
	return sort.Search(len(v.events), func(i int) bool { return !c.Has(cut, v.events[i]) }) - 1
}

// At returns the value at cut.
func (v *Variable) At(c *Computation, cut Cut) Value { return v.Value(v.Last(c, cut)) }

// accept reports whether v can have values of kind k. The first accepted kind becomes that of v.
func (v *Variable) accept(k Kind) bool {
	if v.Kind == NoKind {
		v.Kind, v.Init = k, Zero(k)
	}
	return v.Kind == k
}

// append adds an assignment after all others. intern maps the strings of v to their numbers.
func (v *Variable) append(e Event, x Value, intern map[string]int32) {
	i := len(v.events)
	v.events = append(v.events, e)
	switch v.Kind {
	case Number:
		v.bits = append(v.bits, x.bits)
		if x.Float {
			v.oddly().floats.Grow(i)
		}
	case Bool:
		if x.Bool() {
			(*dense.Set)(&v.bits).Grow(i)
		}
	case String:
		number := v.textNumber(x.str, intern)
		v.odd.strs = append(v.odd.strs, number)
	}
}

// textNumber returns the number of a string of v, and adds the string if it is new.
func (v *Variable) textNumber(text string, intern map[string]int32) int32 {
	k, known := intern[text]
	if !known {
		o := v.oddly()
		k = int32(len(o.text))
		o.text = append(o.text, text)
		intern[text] = k
	}
	return k
}

// permute reorders the assignments: the new i-th is the old order[i]-th.
func (v *Variable) permute(order []int) {
	w := *v
	v.events = make([]Event, 0, len(order))
	v.bits, v.odd = nil, nil
	intern := make(map[string]int32)
	for _, k := range order {
		v.append(w.events[k], w.Value(k), intern)
	}
}

func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("this cannot happen, because a string is always encodable: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
