package stream

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/timer"
)

// A Codec encodes lines one after the other, or decodes them. The same functions do both, so that each
// type is described once: they get a pointer, and either encode the value there or set it.
//
// The zero Codec encodes.
type Codec struct {
	data    []byte
	reading bool
	err     error
}

// NewReader returns a Codec that decodes the output of another.
func NewReader(data []byte) *Codec { return &Codec{data: data, reading: true} }

// Bytes returns the bytes encoded so far, or those still to be decoded.
func (c *Codec) Bytes() []byte { return c.data }

// Truncate drops the bytes after the first n.
func (c *Codec) Truncate(n int) { c.data = c.data[:n] }

// Err returns an error if the bytes do not come from a Codec.
func (c *Codec) Err() error { return c.err }

func (c *Codec) fail() {
	c.err = errors.New("a line was encoded otherwise")
	c.data = nil
}

// number encodes or decodes an integer of any type.
func number[T ~int | ~int32 | ~int64 | ~uint8](c *Codec, x *T) {
	if !c.reading {
		c.data = binary.AppendVarint(c.data, int64(*x))
		return
	}
	v, n := binary.Varint(c.data)
	if *x = T(v); n <= 0 {
		c.fail()
		return
	}
	c.data = c.data[n:]
}

// boolean encodes or decodes a Boolean.
func (c *Codec) boolean(x *bool) {
	v := uint8(0)
	if *x {
		v = 1
	}
	number(c, &v)
	*x = v != 0
}

// length encodes or decodes a length. It fails on a length that exceeds the remaining bytes, because each element takes
// at least a byte.
func (c *Codec) length(n int) int {
	number(c, &n)
	if c.reading && (n < 0 || n > len(c.data)) {
		c.fail()
		return 0
	}
	return n
}

// text encodes or decodes a string.
func text[T ~string | ~[]byte](c *Codec, x *T) {
	if !c.reading {
		c.data = append(binary.AppendVarint(c.data, int64(len(*x))), *x...)
		return
	}
	n := c.length(0)
	*x, c.data = T(append([]byte(nil), c.data[:n]...)), c.data[n:]
}

// list encodes or decodes a slice by its elements.
func list[T any](c *Codec, x *[]T, element func(*T)) {
	if !c.reading && len(*x) == 0 { // the usual case
		c.data = append(c.data, 0)
		return
	}
	n := c.length(len(*x))
	if c.reading {
		*x = nil
		if n > 0 {
			*x = make([]T, n)
		}
	}
	for i := range *x {
		element(&(*x)[i])
	}
}

// value encodes or decodes the value of a variable.
func (c *Codec) value(x *graphs.Value) {
	kind := x.Kind
	number(c, &kind)
	switch kind {
	case graphs.String:
		s := x.Text()
		text(c, &s)
		*x = graphs.Str(s)
	case graphs.Bool:
		b := x.Bool()
		c.boolean(&b)
		*x = graphs.Boolean(b)
	case graphs.Number:
		float, bits := x.Float, x.Int64()
		c.boolean(&float)
		if float && !c.reading {
			bits = int64(math.Float64bits(x.Float64()))
		}
		number(c, &bits)
		if *x = graphs.Int(bits); float {
			*x = graphs.Float(math.Float64frombits(uint64(bits)))
		}
	}
}

// Line encodes a line, or decodes the next one into l.
func (c *Codec) Line(l *Line) {
	texts := func(x *[][]byte) { list(c, x, func(t *[]byte) { text(c, t) }) }
	number(c, &l.Kind)
	text(c, &l.Execution)
	text(c, &l.Process)
	text(c, &l.ID)
	text(c, &l.To)
	text(c, &l.Label)
	text(c, &l.Time)
	text(c, &l.Place.File)
	number(c, &l.Place.Line)
	list(c, &l.Values, func(a *Assignment) {
		text(c, &a.Name)
		c.value(&a.Value)
	})
	texts(&l.Send)
	texts(&l.Recv)
	texts(&l.After)
	texts(&l.Sync)
	list(c, &l.Clock, func(x *Count) {
		text(c, &x.Process)
		number(c, &x.Events)
	})
	list(c, &l.Timers, func(t *timer.Timer) {
		text(c, &t.Name)
		c.boolean(&t.Cancel)
		text(c, &t.In)
		text(c, &t.At)
		list(c, &t.Set, func(x *timer.Assignment) {
			text(c, &x.Name)
			c.value(&x.Value)
		})
	})
	text(c, &l.ClockID)
	c.boolean(&l.Keyed)
	c.boolean(&l.Unsent)
}
