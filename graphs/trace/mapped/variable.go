package mapped

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// assignments holds the assignments of events to variables. A column is a variable of a process.
type assignments struct {
	variables symbols.Table        // the names of variables
	facts     []fact               // the state of each name
	columns   symbols.Table        // the columns, with the keys of columnKey
	owners    []owner              // the owner of each column
	assigned  dense.Rows[assigned] // the assignments of each event
}

// fact is the state of a name of variables.
type fact struct {
	kind graphs.Kind // the type of all its values; String if they differ in type
	keep bool        // whether the options keep the values
}

// owner is the process and the name of a column.
type owner struct{ process, name int32 }

// assigned is a value of a column.
type assigned struct {
	column int32
	kind   graphs.Kind
	how    how
	bits   uint64 // an integer, a float, a boolean, or a number in texts
}

// how is the kind of an assignment.
type how uint8

const (
	sets   how = iota // the value is set
	adds              // the value is added
	begins            // the value is the one before the first assignment

	isFloat how = 1 << 7 // a flag: assigned.bits are those of a float64
)

// assign adds the assignment of the first rule that applies.
func (a *adding) assign(process int32, v *variable) {
	for i := range v.rules {
		r := &v.rules[i]
		if !r.when.holds(a.row, a.text) {
			continue
		}
		name := a.variable([]byte(v.name))
		if r.slot < 0 || a.row[r.slot].kind > nullKind {
			a.finds(v.part)
		}
		if v.ends && (r.slot < 0 || a.row[r.slot].kind > nullKind) {
			a.ending(v, r)
		}
		if r.slot >= 0 {
			a.store(process, name, a.row[r.slot], r.read, sets)
		} else {
			a.set(process, name, r.value, r.how)
		}
		return
	}
}

// writes adds the assignments that a line lists.
func (a *adding) writes(process int32, w *writes) {
	if !w.when.holds(a.row, a.text) {
		return
	}
	l := &a.s.loops[w.loop]
	for rows := a.rows(l); len(rows) > 0; rows = rows[l.frame.size:] {
		if w.where.holds(rows, a.text) {
			a.write(process, w, l.frame, rows[:l.frame.size])
		}
	}
}

// write adds the assignments that one row of a loop lists.
func (a *adding) write(process int32, w *writes, f *frame, row []value) {
	switch v := row[w.name]; {
	case v.kind != stringKind:
		a.absentAt("the name of a variable", f, row, w.name)
		return
	case v.from == v.to:
		a.wrong(v, "a variable without a name")
		return
	}
	name := row[w.name].decode(a.scratch[:0], a.text)
	if other, ok := w.rename[string(name)]; ok {
		name = append(name[:0], other...)
	}
	if w.index >= 0 {
		name = a.index(name, w, row)
	}
	a.scratch = name
	v := a.variable(name)
	if w.prev >= 0 {
		a.store(process, v, row[w.prev], w.read, begins)
	}
	a.store(process, v, row[w.value], w.read, sets)
}

// index appends [i,j,…] to a name, except for the index of the process itself.
func (a *adding) index(name []byte, w *writes, row []value) []byte {
	v := row[w.index]
	switch v.kind {
	case absentKind, nullKind:
		return name
	case arrayKind:
		a.list = a.elements(a.list[:0], v)
	default:
		a.list = append(a.list[:0], v)
	}
	if len(a.list) == 0 {
		return name
	}
	if w.own >= 0 && len(a.list) == 1 && row[w.own].kind > nullKind {
		a.other = a.plain(a.other[:0], row[w.own])
		n := len(a.other)
		a.other = a.plain(a.other, a.list[0])
		if string(a.other[:n]) == string(a.other[n:]) {
			return name
		}
	}
	for i, e := range a.list {
		name = a.plain(append(name, "[,"[min(i, 1)]), e)
	}
	return append(name, ']')
}

// plain appends the text of a string, or the canonical form of another value.
func (a *adding) plain(dst []byte, v value) []byte {
	if v.kind == stringKind {
		return v.decode(dst, a.text)
	}
	return v.canonical(dst, a.text)
}

// variable returns the number of a variable's name, and adds it if it is new.
func (a *adding) variable(name []byte) int32 {
	n := a.variables.Intern(name)
	if int(n) == len(a.facts) {
		a.facts = append(a.facts, fact{keep: a.opts.Keeps(string(name))})
	}
	return n
}

// store adds an assignment of a value of the line; null is not a value.
func (a *adding) store(process, name int32, v value, read decoding, how how) {
	switch v.kind {
	case absentKind, nullKind:
	case boolKind:
		a.set(process, name, graphs.Boolean(a.text[v.from] == 't'), how)
	case numberKind:
		x, ok := trace.NumberOf(string(v.raw(a.text)))
		if !ok {
			a.wrong(v, "the number %s is too large", v.raw(a.text))
		}
		a.set(process, name, x, how)
	default:
		a.other = a.plain(a.other[:0], v)
		if read == asText || v.kind != stringKind {
			a.setText(process, name, a.other, how)
			return
		}
		x, what := read.decode(a.other)
		if what != "" {
			const msg = "%s is not a %s, as the mapping says that %s is"
			a.wrong(v, msg, trace.Quote(a.other), what, a.variables.At(name))
		}
		if x.Kind != graphs.NoKind {
			a.set(process, name, x, how)
		}
	}
}

// decode returns the value that a text stands for; its kind is NoKind if there is none. shouldBe is
// the expected form of a text that cannot be decoded, otherwise "".
func (d decoding) decode(text []byte) (x graphs.Value, shouldBe string) {
	switch d {
	case asTLA:
		x, _ = parseTLA(text)
	case asValue:
		x = trace.ParseValue(string(text))
	case asNumber:
		n, ok := trace.ParseNumber(string(text))
		if !ok {
			return x, "number"
		}
		x = n
	case asTime:
		at, err := time.Parse(time.RFC3339, string(text))
		if err != nil {
			return x, "time as in RFC 3339"
		}
		x = graphs.Float(float64(at.Unix()) + float64(at.Nanosecond())/1e9)
	}
	return x, ""
}

// set adds an assignment of a scalar value.
func (a *adding) set(process, name int32, x graphs.Value, how how) {
	var bits uint64
	switch {
	case x.Kind == graphs.String:
		a.other = append(a.other[:0], x.Text()...)
		a.setText(process, name, a.other, how)
		return
	case x.Kind == graphs.Bool && x.Bool():
		bits = 1
	case x.Kind == graphs.Number && x.Float:
		bits = math.Float64bits(x.Float64())
		how |= isFloat
	case x.Kind == graphs.Number:
		bits = uint64(x.Int64())
	}
	a.note(process, name, assigned{kind: x.Kind, how: how, bits: bits})
}

// setText adds an assignment of a string. Equal strings share their text.
func (a *adding) setText(process, name int32, s []byte, how how) {
	x := assigned{kind: graphs.String, how: how}
	if a.facts[name].keep {
		x.bits = uint64(a.texts.Intern(s))
	}
	a.note(process, name, x)
}

// note adds an assignment. If the variable is not kept, it notes only the type.
func (a *adding) note(process, name int32, x assigned) {
	f := &a.facts[name]
	f.kind = trace.Unify(f.kind, x.kind)
	before := len(a.owners)
	column := columnKey(process, name)
	x.column = a.columns.Intern(column[:])
	if int(x.column) == before {
		a.owners = append(a.owners, owner{process, name})
	}
	if f.keep {
		a.assigned.Add(x)
	}
}

// columnKey returns the key of a column.
func columnKey(process, name int32) (key [8]byte) {
	binary.LittleEndian.PutUint64(key[:], uint64(process)<<32|uint64(name))
	return key
}

// column is a variable while its assignments are added.
type column struct {
	variable *graphs.Variable
	now      graphs.Value // the current value; NoKind if there is none yet
	next     graphs.Value // the value after the event that is being added
	touched  int32        // the last event that assigned it, plus 1
}

// addValues adds the variables, with one type for each name.
func (o *ordered) addValues(b *graphs.Builder) error {
	for _, x := range o.m.initial {
		if n := o.variables.Find([]byte(x.name)); n >= 0 {
			o.facts[n].kind = trace.Unify(o.facts[n].kind, x.value.Kind)
		}
	}
	columns := make([]column, len(o.owners))
	for i, w := range o.owners {
		v := b.Variable(int(w.process), string(o.variables.At(w.name)))
		columns[i].variable = v
		if f := o.facts[w.name]; !f.keep {
			b.Skip(v, f.kind)
		}
	}
	o.addInitial(b, columns)
	var touched []int32
	for _, e := range o.order {
		touched = touched[:0]
		for _, x := range o.assigned.Row(int(e)) {
			c := &columns[x.column]
			v := o.valueOf(x)
			if o.facts[o.owners[x.column].name].kind == graphs.String && v.Kind != graphs.String {
				v = graphs.Str(v.String()) // variables of the name have values of several types
			}
			switch {
			case x.how&^isFloat == begins:
				if c.now.Kind == graphs.NoKind && c.touched == 0 {
					c.now = v
					b.Init(c.variable, v)
				}
				continue
			case x.how&^isFloat == adds && v.Kind != graphs.Number:
				return o.failAt(e, "a number is added to %q, which is not a number elsewhere", c.variable.Name)
			}
			if c.touched != e+1 {
				c.touched, c.next = e+1, c.now
				touched = append(touched, x.column)
			}
			if x.how&^isFloat == adds && c.next.Kind != graphs.NoKind {
				v = c.next.Add(v)
			}
			c.next = v
		}
		for _, i := range touched {
			c := &columns[i]
			if c.now.Kind == graphs.NoKind && o.m.first {
				b.Init(c.variable, c.next)
			}
			// An unchanged value is set, too, because formulas about events read their assignments.
			b.Set(c.variable, o.handles[e], c.next)
			c.now = c.next
		}
	}
	return nil
}

// addInitial sets the initial values that the mapping gives to variables, on all processes.
func (o *ordered) addInitial(b *graphs.Builder, columns []column) {
	for _, x := range o.m.initial {
		value := x.value
		n := o.variables.Find([]byte(x.name))
		if n >= 0 && o.facts[n].kind == graphs.String && value.Kind != graphs.String {
			value = graphs.Str(value.String())
		}
		for p := range o.procNames {
			b.Init(b.Variable(p, x.name), value)
			if n < 0 {
				continue
			}
			key := columnKey(int32(p), n)
			if i := o.columns.Find(key[:]); i >= 0 {
				columns[i].now = value
			}
		}
	}
}

// valueOf returns the value of an assignment, with the type that the line gave it.
func (l *log) valueOf(x assigned) graphs.Value {
	switch {
	case x.kind == graphs.String:
		return graphs.Str(l.textOf(int32(x.bits)))
	case x.kind == graphs.Bool:
		return graphs.Boolean(x.bits == 1)
	case x.how&isFloat != 0:
		return graphs.Float(math.Float64frombits(x.bits))
	}
	return graphs.Int(int64(x.bits))
}
