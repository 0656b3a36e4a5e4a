package promela

import (
	"encoding/binary"
	"slices"
)

// A load returns a value in a state.
type load func(s []byte) int32

// A test is a condition on a state.
type test func(s []byte) bool

// An effect changes a state in place.
type effect func(s []byte)

// An access lists the objects that a statement reads, writes and awaits.
type access struct {
	reads, writes, awaits []int
	global                bool // depends on all processes
	// a guard that can be undefined: an index out of range, a division by zero
	fallible bool
}

// set sorts the numbers of objects and removes duplicates, as a layout demands.
func set(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// width returns the number of bytes of a type in a state.
func (t Type) width() int {
	switch {
	case t.Kind == Structure:
		return t.Struct.bytes
	case t.Kind == Short || t.Kind == Unsigned && t.Bits > 8 && t.Bits <= 16:
		return 2
	case t.Kind == Int || t.Kind == Unsigned && t.Bits > 16:
		return 4
	}
	return 1
}

// scalars returns how many numbers a value consists of.
func (t Type) scalars() int {
	if t.Kind == Structure {
		return t.Struct.scalars
	}
	return 1
}

// read returns the value of type t in s.
func (t Type) read(s []byte) int32 {
	switch t.width() {
	case 1:
		return int32(s[0])
	case 2:
		// Shorts keep their sign; other types of two bytes have none.
		if t.Kind == Short {
			return int32(int16(binary.LittleEndian.Uint16(s)))
		}
		return int32(binary.LittleEndian.Uint16(s))
	}
	return int32(binary.LittleEndian.Uint32(s))
}

// write stores a value, cut off to what type t holds.
func (t Type) write(s []byte, v int32) {
	// Cut first, as in C: an assignment of 256 to a byte stores 0.
	switch v = t.cut(v); t.width() {
	case 1:
		s[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(s, uint16(v))
	default:
		binary.LittleEndian.PutUint32(s, uint32(v))
	}
}

// cut returns a value cut off to type t.
func (t Type) cut(v int32) int32 {
	switch t.Kind {
	case Bit, Bool:
		return v & 1
	case Byte, Pid, Symbol, Chan:
		return int32(uint8(v))
	case Short:
		return int32(int16(v))
	// Bits is at most 32.
	case Unsigned:
		return v & (1<<t.Bits - 1)
	}
	return v
}

// A place is the position of a variable in a state.
type place struct {
	Type
	variable *Variable
	name     string // for people
	at       int    // the offset in the state if all indices are 0
	indices  []index
	objects  []int // the objects that it may be
	channel  int   // the number, if all indices are 0, of a channel that is never assigned; or 0
}

// An index is an index that is not a constant.
type index struct {
	Position
	variable *Variable
	value    load
	step     int // bytes
}

// within returns the value of an index; it fails beyond the range.
func (x *index) within(s []byte) int {
	i := int(x.value(s))
	// The comparison as unsigned numbers covers negative indices.
	if uint(i) >= uint(x.variable.Length) {
		fail(x.Position, "array %s has the elements 0 to %d, not %d", x.variable.Name,
			x.variable.Length-1, i)
	}
	return i
}

// place finds a variable of process c.slot.
func (c *compiler) place(r *Ref) place {
	v := r.Variable
	pl := place{at: v.at, objects: []int{v.object}}
	// Local variables have places relative to the frame of the process.
	if v.Proc != nil {
		pl.at += c.slot.at
		pl.objects[0] += c.slot.object
	}
	// A channel variable that nothing is assigned to needs no byte: it is always the same channel.
	if !v.assigned {
		pl.channel = c.channelsOf(v)
	}
	// Down the fields of a structure: each index and each field moves the place, or the objects
	// where the index is not constant.
	for ; ; r = r.Field {
		v = r.Variable
		if r.Field == nil && v.Length > 0 && r.Index == nil {
			fail(r.Position, "%s is an array: an index is missing", v.Name)
		}
		width, scalars := v.Type.width(), v.Type.scalars()
		if r.Index != nil {
			// A constant index is checked and added here, and costs nothing at run time.
			if i, ok := r.Index.constant(); ok {
				if i < 0 || i >= v.Length {
					fail(r.Index.Position, "array %s has the elements 0 to %d, not %d", v.Name,
						v.Length-1, i)
				}
				pl.move(i*width, i*scalars)
				pl.channel += i * min(pl.channel, 1)
			} else {
				pl.indices = append(pl.indices, index{r.Index.Position, v, c.load(r.Index), width})
				// The index may be out of range, and a guard then undefined.
				c.access.fallible = true
				// Any element may be meant, so all of them are objects of the place.
				var all []int
				for _, o := range pl.objects {
					for i := range v.Length {
						all = append(all, o+i*scalars)
					}
				}
				pl.objects = all
			}
		}
		if r.Field == nil {
			pl.Type, pl.variable = v.Type, v
			return pl
		}
		pl.move(r.Field.Variable.at, r.Field.Variable.object)
	}
}

// channelsOf returns the number of the first channel of a variable that is declared with channels,
// and 0 for another variable.
func (c *compiler) channelsOf(v *Variable) int {
	if v.channel > 0 && v.Proc != nil {
		return v.channel + c.slot.channel
	}
	return v.channel
}

// move moves p by a number of bytes, which hold a number of scalars.
func (p *place) move(bytes, scalars int) {
	p.at += bytes
	for k := range p.objects {
		p.objects[k] += scalars
	}
}

// address returns the offset of p in a state.
func (p *place) address(s []byte) int {
	at := p.at
	for i := range p.indices {
		at += p.indices[i].within(s) * p.indices[i].step
	}
	return at
}

// load compiles the reading of a place.
func (p place) load() load {
	at := p.at
	switch {
	// A channel that no statement assigns is known at compile time.
	case p.channel > 0:
		return func(s []byte) int32 {
			id := p.channel
			for i := range p.indices {
				id += p.indices[i].within(s)
			}
			return int32(id)
		}
	// Single bytes are by far the most frequent, and get closures of their own.
	case len(p.indices) == 0 && p.width() == 1:
		return func(s []byte) int32 { return int32(s[at]) }
	}
	return func(s []byte) int32 { return p.read(s[p.address(s):]) }
}

// store compiles an assignment to a place.
func (p place) store() func(s []byte, v int32) {
	return func(s []byte, v int32) { p.write(s[p.address(s):], v) }
}

// places returns the scalars of a place: itself, or all in a structure.
func (p place) places() []place {
	if p.Kind != Structure {
		return []place{p}
	}
	var all []place
	for _, f := range p.Struct.Fields {
		for i := range f.elements() {
			// Each scalar has a list of objects of its own, since move changes it.
			q := p
			q.Type, q.variable = f.Type, f
			q.name += "." + element(f.Name, f, i)
			q.objects = slices.Clone(p.objects)
			q.move(f.at+i*f.Type.width(), f.object+i*f.Type.scalars())
			all = append(all, q.places()...)
		}
	}
	return all
}

// read compiles the reading of a scalar in a statement.
func (c *compiler) read(p place) load {
	// A channel that no statement assigns is the same in all states.
	if p.channel == 0 {
		c.access.reads = append(c.access.reads, p.objects...)
	}
	return p.load()
}

// load compiles an expression.
func (c *compiler) load(e *Expr) load {
	if v, ok := e.constant(); ok {
		value := int32(v)
		return func([]byte) int32 { return value }
	}
	switch e.Op {
	case Refer:
		p := c.place(e.Ref)
		if p.Kind == Structure {
			fail(e.Position, "%s is a structure: name one of its fields", e.Ref)
		}
		return c.read(p)
	case Not, Negate, Complement:
		calculate, x := operations[e.Op], c.load(e.Sub[0])
		return func(s []byte) int32 { return calculate(x(s), 0) }
	// The right side may be undefined where the left one decides.
	case Or:
		x, y := c.test(e.Sub[0]), c.test(e.Sub[1])
		return func(s []byte) int32 { return truth(x(s) || y(s)) }
	case And:
		x, y := c.test(e.Sub[0]), c.test(e.Sub[1])
		return func(s []byte) int32 { return truth(x(s) && y(s)) }
	case Divide, Modulo:
		c.access.fallible = true
		calculate, at := operations[e.Op], e.Position
		x, y := c.load(e.Sub[0]), c.load(e.Sub[1])
		return func(s []byte) int32 {
			d := y(s)
			if d == 0 {
				fail(at, "division by zero")
			}
			return calculate(x(s), d)
		}
	case Cond:
		b, x, y := c.test(e.Sub[0]), c.load(e.Sub[1]), c.load(e.Sub[2])
		return func(s []byte) int32 {
			if b(s) {
				return x(s)
			}
			return y(s)
		}
	case Len, Full, Empty, NotFull, NotEmpty:
		q, answer := c.channelOf(e.Ref, e.Position), answers[e.Op]
		c.looks(q)
		return func(s []byte) int32 {
			channel := q.in(s)
			return answer(channel.length(s), channel.capacity)
		}
	case Poll:
		q := c.channelOf(e.Ref, e.Position)
		c.looks(q)
		m := c.match(e.Sub)
		return func(s []byte) int32 { return truth(m.find(s, q.in(s), e.Random) >= 0) }
	case Timeout:
		c.access.global = true
		// The condition is compiled twice: once for states where something else is enabled, and
		// once for states where nothing is.
		value := truth(c.patient)
		return func([]byte) int32 { return value }
	case PidOf:
		pid := int32(c.slot.pid)
		return func([]byte) int32 { return pid }
	case Processes:
		// Without run and without an end, there are always as many processes as at first.
		if n := int32(len(c.slots)); c.countAt < 0 {
			return func([]byte) int32 { return n }
		}
		c.access.reads = append(c.access.reads, c.crowd)
		at := c.countAt
		return func(s []byte) int32 { return int32(s[at]) }
	case Run:
		fail(e.Position,
			"run cannot stand here: make it a statement, or the right side of an assignment")
	}
	return c.calculate(e)
}

// answers are the operators on channels, by the number of messages and the capacity.
var answers = map[Op]func(length, capacity int) int32{
	Len:      func(n, _ int) int32 { return int32(n) },
	Full:     func(n, capacity int) int32 { return truth(n == capacity) },
	Empty:    func(n, _ int) int32 { return truth(n == 0) },
	NotFull:  func(n, capacity int) int32 { return truth(n < capacity) },
	NotEmpty: func(n, _ int) int32 { return truth(n > 0) },
}

// operations are the operators on numbers; unary ones ignore y. Conditions are 0 or 1. Divide and
// Modulo must not be called with 0 for y.
var operations = [...]func(x, y int32) int32{
	Not:          func(x, _ int32) int32 { return truth(x == 0) },
	Negate:       func(x, _ int32) int32 { return -x },
	Complement:   func(x, _ int32) int32 { return ^x },
	Or:           func(x, y int32) int32 { return truth(x != 0 || y != 0) },
	And:          func(x, y int32) int32 { return truth(x != 0 && y != 0) },
	BitOr:        func(x, y int32) int32 { return x | y },
	BitXor:       func(x, y int32) int32 { return x ^ y },
	BitAnd:       func(x, y int32) int32 { return x & y },
	Equal:        func(x, y int32) int32 { return truth(x == y) },
	NotEqual:     func(x, y int32) int32 { return truth(x != y) },
	Less:         func(x, y int32) int32 { return truth(x < y) },
	LessEqual:    func(x, y int32) int32 { return truth(x <= y) },
	Greater:      func(x, y int32) int32 { return truth(x > y) },
	GreaterEqual: func(x, y int32) int32 { return truth(x >= y) },
	ShiftLeft:    func(x, y int32) int32 { return x << (y & 31) },
	ShiftRight:   func(x, y int32) int32 { return x >> (y & 31) },
	Add:          func(x, y int32) int32 { return x + y },
	Subtract:     func(x, y int32) int32 { return x - y },
	Multiply:     func(x, y int32) int32 { return x * y },
	Divide:       func(x, y int32) int32 { return x / y },
	Modulo:       func(x, y int32) int32 { return x % y },
}

// truth returns the number of a condition.
func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// test compiles an expression as a condition.
func (c *compiler) test(e *Expr) test {
	x := c.load(e)
	return func(s []byte) bool { return x(s) != 0 }
}

// calculate compiles an operator with two operands. Most often a byte is compared with a constant:
// separate closures for these comparisons make the search of a model a tenth faster.
func (c *compiler) calculate(e *Expr) load {
	if v, ok := e.Sub[1].constant(); ok && e.Sub[0].Op == Refer {
		value := int32(v)
		p := c.place(e.Sub[0].Ref)
		if at := p.at; p.channel == 0 && p.width() == 1 && len(p.indices) == 0 {
			c.access.reads = append(c.access.reads, p.objects...)
			switch e.Op {
			case Equal:
				return func(s []byte) int32 { return truth(int32(s[at]) == value) }
			case NotEqual:
				return func(s []byte) int32 { return truth(int32(s[at]) != value) }
			case Less:
				return func(s []byte) int32 { return truth(int32(s[at]) < value) }
			}
		}
	}
	calculate := operations[e.Op]
	x, y := c.load(e.Sub[0]), c.load(e.Sub[1])
	return func(s []byte) int32 { return calculate(x(s), y(s)) }
}
