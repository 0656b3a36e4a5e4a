package stream

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/timer"
)

// A Codec encodes values one after the other, or decodes them. The same calls do both, so that
// one function describes a type: each method gets a pointer, and encodes the value there or
// sets it.
//
// The zero Codec encodes.
type Codec struct {
	data    []byte
	reading bool
	err     error
}

// NewReader returns a Codec that reads what another wrote.
func NewReader(data []byte) *Codec { return &Codec{data: data, reading: true} }

// Bytes returns the encoded bytes, or the rest to be decoded.
func (c *Codec) Bytes() []byte { return c.data }

// Truncate drops the bytes after the first n. Only Lines and plain values may have been
// encoded.
func (c *Codec) Truncate(n int) { c.data = c.data[:n] }

// Err returns an error if the bytes do not come from a Codec.
func (c *Codec) Err() error { return c.err }

func (c *Codec) fail() {
	if c.err == nil {
		c.err = errors.New("a line was encoded otherwise")
	}
	c.data = nil
}

// Int64 codes an integer.
func (c *Codec) Int64(x *int64) {
	if !c.reading {
		c.data = binary.AppendVarint(c.data, *x)
		return
	}
	v, n := binary.Varint(c.data)
	if n <= 0 {
		*x = 0
		c.fail()
		return
	}
	*x, c.data = v, c.data[n:]
}

// Number codes an integer of any type.
func Number[T ~int | ~int32 | ~int64 | ~uint8](c *Codec, x *T) {
	v := int64(*x)
	c.Int64(&v)
	*x = T(v)
}

// Bool codes a Boolean.
func (c *Codec) Bool(x *bool) {
	v := uint8(0)
	if *x {
		v = 1
	}
	Number(c, &v)
	*x = v != 0
}

// length codes a length. Each unit takes at least a byte.
func (c *Codec) length(n int) int {
	Number(c, &n)
	if c.reading && (n < 0 || n > len(c.data)) {
		c.fail()
		return 0
	}
	return n
}

// text codes a string.
func text[T ~string | ~[]byte](c *Codec, x *T) {
	if !c.reading {
		c.data = append(binary.AppendVarint(c.data, int64(len(*x))), *x...)
		return
	}
	n := c.length(0)
	*x, c.data = T(append([]byte(nil), c.data[:n]...)), c.data[n:]
}

// list codes a slice by its elements.
func list[T any](c *Codec, x *[]T, element func(*T)) {
	if !c.reading && len(*x) == 0 { // mostly
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

// Value codes the value of a variable.
func (c *Codec) Value(x *graphs.Value) {
	kind := x.Kind
	Number(c, &kind)
	switch kind {
	case graphs.String:
		s := x.Text()
		text(c, &s)
		*x = graphs.Str(s)
	case graphs.Bool:
		b := x.Bool()
		c.Bool(&b)
		*x = graphs.Boolean(b)
	case graphs.Number:
		float, bits := x.Float, x.Int64()
		c.Bool(&float)
		if float && !c.reading {
			bits = int64(math.Float64bits(x.Float64()))
		}
		c.Int64(&bits)
		if *x = graphs.Int(bits); float {
			*x = graphs.Float(math.Float64frombits(uint64(bits)))
		}
	}
}

// Line codes a line.
func (c *Codec) Line(l *Line) {
	texts := func(x *[][]byte) { list(c, x, func(t *[]byte) { text(c, t) }) }
	Number(c, &l.Kind)
	text(c, &l.Execution)
	text(c, &l.Process)
	text(c, &l.ID)
	text(c, &l.To)
	text(c, &l.Label)
	text(c, &l.Time)
	text(c, &l.Place.File)
	Number(c, &l.Place.Line)
	list(c, &l.Values, func(a *Assignment) {
		text(c, &a.Name)
		c.Value(&a.Value)
	})
	texts(&l.Send)
	texts(&l.Recv)
	texts(&l.After)
	texts(&l.Sync)
	list(c, &l.Clock, func(x *Count) {
		text(c, &x.Process)
		c.Int64(&x.Events)
	})
	list(c, &l.Timers, func(t *timer.Timer) {
		text(c, &t.Name)
		c.Bool(&t.Cancel)
		text(c, &t.In)
		text(c, &t.At)
		list(c, &t.Set, func(x *timer.Assignment) {
			text(c, &x.Name)
			c.Value(&x.Value)
		})
	})
	text(c, &l.ClockID)
	c.Bool(&l.Keyed)
	c.Bool(&l.Unsent)
}
