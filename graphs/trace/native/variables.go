package native

import (
	"fmt"
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// variables finds the variable that a name means on a process.
type variables struct {
	opts     trace.Options
	symbols  symbols.Table         // names of variables
	facts    []fact                // by symbol
	symbolOf []int32               // of the names of the current chunk; -1 before it is looked up
	common   [few][]owned          // by the first few symbols, and process; the zero owned where it has none
	others   [][]other             // by process; of other symbols
	rest     map[processSymbol]int // where in others those after the first few are
	texts    map[string]string
}

// fact is what is known of a name.
type fact struct {
	shared *graphs.Variable // nil when no line declared it shared
	keep   bool
	inited bool // some process has an initial value for it
}

// owned is a variable of a process. It is small, since of many processes each has its own
// somewhere else in memory.
type owned struct {
	number int32       // in the Builder, plus 1
	kind   graphs.Kind // of the assignments so far; NoKind for none
	inited bool
}

// other is a variable with that symbol.
type other struct {
	symbol int32
	owned
}

type processSymbol struct {
	process int
	symbol  int32
}

// in returns the symbol of a name of the current chunk.
func (vs *variables) in(c *chunk, name int32) int32 {
	if vs.symbolOf[name] < 0 {
		text := c.names.At(name)
		s := vs.symbols.Intern(text)
		if int(s) == len(vs.facts) {
			vs.facts = append(vs.facts, fact{keep: vs.opts.Keeps(string(text))})
		}
		vs.symbolOf[name] = s
	}
	return vs.symbolOf[name]
}

// few is how many variables of a process are searched one by one, and how many names have
// a table of their own. Most traces have no more; of many processes one look at a table is
// faster than two at lists.
const few = 8

// of returns the variable with symbol s of process p.
func (vs *variables) of(b *graphs.Builder, p int, s int32) *owned {
	if s < few {
		table := vs.common[s]
		if p >= len(table) {
			table = append(table, make([]owned, p+1-len(table))...)
			vs.common[s] = table[:cap(table)]
		}
		o := &table[p]
		if o.number == 0 {
			*o = vs.add(b, p, s)
		}
		return o
	}
	for p >= len(vs.others) {
		vs.others = append(vs.others, nil)
	}
	list := vs.others[p]
	for i := range list[:min(few, len(list))] {
		if list[i].symbol == s {
			return &list[i].owned
		}
	}
	if i, ok := vs.rest[processSymbol{p, s}]; ok {
		return &list[i].owned
	}
	if len(list) >= few {
		vs.rest[processSymbol{p, s}] = len(list)
	}
	vs.others[p] = append(list, other{s, vs.add(b, p, s)})
	return &vs.others[p][len(list)].owned
}

func (vs *variables) add(b *graphs.Builder, p int, s int32) owned {
	return owned{number: b.Number(b.Variable(p, string(vs.symbols.At(s)))) + 1}
}

// set adds an assignment by event h of process p; it returns what is wrong.
func (vs *variables) set(b *graphs.Builder, p int, h graphs.Handle, c *chunk, o op) string {
	s, kind := vs.in(c, o.name), kindOf(o.value)
	f := &vs.facts[s]
	if v := f.shared; v != nil {
		if !b.Set(v, h, vs.value(c, o)) {
			return twoTypes(v, kind)
		}
		return ""
	}
	known := vs.of(b, p, s)
	ok := true
	switch {
	case known.kind == kind && !f.keep:
	case known.kind == kind && kind != graphs.String:
		b.SetMore(known.number-1, h, vs.value(c, o))
	case f.keep:
		ok = b.Set(b.Numbered(known.number-1), h, vs.value(c, o))
	default:
		ok = b.Skip(b.Numbered(known.number-1), kind)
	}
	if !ok {
		return twoTypes(b.Numbered(known.number-1), kind)
	}
	known.kind = kind
	return ""
}

func twoTypes(v *graphs.Variable, k graphs.Kind) string {
	return fmt.Sprintf("variable %q has two types: it was a %s and is set to a %s", v.Name, v.Kind, k)
}

// init gives a variable of process p its initial value.
func (vs *variables) init(b *graphs.Builder, p int, c *chunk, o op) string {
	s := vs.in(c, o.name)
	f := &vs.facts[s]
	name := vs.symbols.At(s)
	if f.shared != nil {
		return fmt.Sprintf("variable %q is shared and has an initial value of a process", name)
	}
	v := vs.of(b, p, s)
	if v.inited {
		return fmt.Sprintf("variable %q has two initial values", name)
	}
	v.inited, f.inited = true, true
	b.Init(b.Numbered(v.number-1), vs.value(c, o))
	return ""
}

// share declares a shared variable, whose assignments may stand before.
func (vs *variables) share(b *graphs.Builder, processes []string, c *chunk, o op) string {
	s := vs.in(c, o.name)
	f := &vs.facts[s]
	name := string(vs.symbols.At(s))
	switch {
	case f.shared != nil:
		return fmt.Sprintf("variable %q is declared shared twice", name)
	case f.inited:
		return fmt.Sprintf("variable %q is shared and has an initial value of a process", name)
	}
	v, ok := b.Share(name)
	kind := kindOf(o.value)
	if !ok || v.Kind != graphs.NoKind && v.Kind != kind {
		return fmt.Sprintf("shared variable %q has two types: it is a %s and was set to something else", name, kind)
	}
	f.shared = v
	b.Init(v, vs.value(c, o))
	return ""
}

func kindOf(k valueKind) graphs.Kind {
	switch k {
	case valueBool:
		return graphs.Bool
	case valueString:
		return graphs.String
	}
	return graphs.Number
}

// value returns the value in an op. Equal strings become one.
func (vs *variables) value(c *chunk, o op) graphs.Value {
	switch o.value {
	case valueInt:
		return graphs.Int(int64(o.bits))
	case valueFloat:
		return graphs.Float(math.Float64frombits(o.bits))
	case valueBool:
		return graphs.Boolean(o.bits != 0)
	}
	text := c.str(o.bits)
	s, ok := vs.texts[string(text)]
	if !ok {
		s = string(text)
		vs.texts[s] = s
	}
	return graphs.Str(s)
}
