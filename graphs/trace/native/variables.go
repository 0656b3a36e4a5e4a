package native

import (
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// variables maps a name and a process to a variable.
type variables struct {
	opts     trace.Options
	symbols  symbols.Table        // the names of variables
	facts    []fact               // the state of each symbol
	symbolOf []int32              // the symbol of each name of the chunk, -1 if not yet looked up
	pairs    *dense.Table[uint64] // numbers the pairs of a process and a symbol
	columns  []column             // the column of each pair
	inited   dense.Set            // numbers
	texts    texts
}

// A fact is the state of a name of variables.
type fact struct {
	name   string
	shared *graphs.Variable // the shared variable; nil if no line has declared it
	keep   bool
	inited bool // whether some process has an initial value for it

	// For a name whose values are not kept:
	kind  graphs.Kind // its type on the first process, NoKind if there is none yet
	typed dense.Set   // the processes on which the Builder knows it with that kind
}

// A column is a variable of a process.
type column struct {
	number int32       // the number of the variable in the Builder
	kind   graphs.Kind // the type of the variable; NoKind until the Builder knows it
}

// in returns the symbol of a name of the current chunk.
func (vs *variables) in(c *chunk, name int32) int32 {
	if vs.symbolOf[name] < 0 {
		vs.symbolOf[name] = vs.symbol(c.names.At(name))
	}
	return vs.symbolOf[name]
}

// symbol returns the symbol of a name.
func (vs *variables) symbol(text []byte) int32 {
	s := vs.symbols.Intern(text)
	if int(s) == len(vs.facts) {
		name := string(text)
		vs.facts = append(vs.facts, fact{name: name, keep: vs.opts.Keeps(name)})
	}
	return s
}

// of returns the column with symbol s of process p, which is valid until the next call.
func (vs *variables) of(b *graphs.Builder, p int, s int32) *column {
	pair := [...]uint64{uint64(p)<<32 | uint64(s)}
	at, found := vs.pairs.Find(pair[:])
	if !found {
		vs.pairs.Add(pair[:])
		number := b.Number(b.Variable(p, vs.facts[s].name))
		vs.columns = append(vs.columns, column{number: number})
	}
	return &vs.columns[at]
}

// set adds an assignment by event h of process p.
func (vs *variables) set(b *graphs.Builder, p int, h graphs.Handle, c *chunk, o op) error {
	s, kind := vs.in(c, o.name), kindOf(o.value)
	f := &vs.facts[s]
	if v := f.shared; v != nil {
		if !b.Set(v, h, vs.texts.value(c, o)) {
			return admission.TwoTypes.Broken(v.Name, v.Kind, kind)
		}
		return nil
	}
	if !f.keep {
		// With many processes, searching the set is faster than accessing the variables.
		if kind == f.kind && f.typed.Has(p) {
			return nil
		}
		if v := b.Numbered(vs.of(b, p, s).number); !b.Skip(v, kind) {
			return admission.TwoTypes.Broken(v.Name, v.Kind, kind)
		}
		if f.kind == graphs.NoKind {
			f.kind = kind
		}
		if kind == f.kind {
			f.typed.Grow(p)
		}
		return nil
	}
	to := vs.of(b, p, s)

	// The Builder knows the kind already, so it need not check the value.
	if to.kind == kind && kind != graphs.String {
		b.SetMore(to.number, h, vs.texts.value(c, o))
		return nil
	}
	if v := b.Numbered(to.number); !b.Set(v, h, vs.texts.value(c, o)) {
		return admission.TwoTypes.Broken(v.Name, v.Kind, kind)
	}
	to.kind = kind
	return nil
}

// init gives a variable of process p its initial value.
func (vs *variables) init(b *graphs.Builder, p int, c *chunk, o op) error {
	s := vs.in(c, o.name)
	f := &vs.facts[s]
	to := vs.of(b, p, s)
	n := to.number
	if err := admission.Initial(f.name, f.shared != nil, vs.inited.Has(int(n))); err != nil {
		return err
	}
	vs.inited.Grow(int(n))
	f.inited = true
	v, kind := b.Numbered(n), kindOf(o.value)
	b.Init(v, vs.texts.value(c, o))
	to.kind = kind
	if !f.keep { // the variable will most likely be assigned
		b.Skip(v, kind)
	}
	return nil
}

// share declares a shared variable. Earlier lines may have assigned it.
func (vs *variables) share(b *graphs.Builder, c *chunk, o op) error {
	s := vs.in(c, o.name)
	f := &vs.facts[s]
	if err := admission.Share(f.name, f.inited, f.shared != nil); err != nil {
		return err
	}

	// Earlier assignments have created variables of single processes, which the Builder joins if
	// they have the same type.
	v, ok := b.Share(f.name)
	kind := kindOf(o.value)
	if !ok || v.Kind != graphs.NoKind && v.Kind != kind {
		return admission.SharedTwoTypes.Broken(f.name, kind)
	}
	f.shared = v
	b.Init(v, vs.texts.value(c, o))
	return nil
}

// kindOf returns the type of a value.
func kindOf(k valueKind) graphs.Kind {
	switch k {
	case valueBool:
		return graphs.Bool
	case valueString:
		return graphs.String
	}
	return graphs.Number
}

// texts interns string values, so that equal ones share their memory.
type texts map[string]string

// value returns the value in an op.
func (t texts) value(c *chunk, o op) graphs.Value {
	switch o.value {
	case valueInt:
		return graphs.Int(int64(o.bits))
	case valueFloat:
		return graphs.Float(math.Float64frombits(o.bits))
	case valueBool:
		return graphs.Boolean(o.bits != 0)
	}
	text := c.str(o.bits)
	s, ok := t[string(text)]
	if !ok {
		s = string(text)
		t[s] = s
	}
	return graphs.Str(s)
}

// processes gives each mentioned name of a process a symbol, and a number to each process that
// exists: that has a line of its own or is the receiver of a message.
type processes struct {
	symbols  symbols.Table
	numbers  []int32 // the process of each symbol; -1 for a name that is only mentioned
	symbolOf []int32 // the symbol of each name of the chunk, -1 if not yet looked up
}

// in returns the symbol of a name of the current chunk.
func (p *processes) in(c *chunk, name int32) int32 {
	// The table is searched once for each name of a chunk.
	if p.symbolOf[name] < 0 {
		p.symbolOf[name] = p.symbol(c.names.At(name))
	}
	return p.symbolOf[name]
}

// symbol returns the symbol of a name, and adds it if it was not mentioned before.
func (p *processes) symbol(name []byte) int32 {
	s := p.symbols.Intern(name)
	// dense.Append doubles a full list, so there are few copies however many names there are.
	if int(s) == len(p.numbers) {
		p.numbers = dense.Append(p.numbers, -1)
	}
	return s
}

// number returns the number of the process with a name of the current chunk, and creates the
// process if it does not exist.
func (p *processes) number(b *graphs.Builder, c *chunk, name int32) int {
	n := &p.numbers[p.in(c, name)]
	if *n < 0 {
		*n = int32(b.NewProcess(string(c.names.At(name))))
	}
	return int(*n)
}
