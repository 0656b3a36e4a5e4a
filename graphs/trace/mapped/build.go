package mapped

import (
	"context"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// build makes a computation of a log.
func (l *log) build(ctx context.Context) (*graphs.Computation, error) {
	o, err := l.sorted()
	if err != nil {
		return nil, err
	}
	m, err := o.match()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := &graphs.Builder{}
	b.SetLowerBound(l.m.lowerBound)
	o.addEvents(b)
	if l.m.clock >= 0 {
		if err := o.addClocks(b, o.starts()); err != nil {
			return nil, err
		}
	}
	o.addMessages(b, m)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := o.addValues(b); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return trace.Build(b, func(h graphs.Handle) *trace.Error { return o.failAt(o.order[h], "") })
}

// starts returns the first event of each process.
func (o *ordered) starts() []graphs.Handle {
	starts := make([]graphs.Handle, len(o.counts))
	next := graphs.Handle(0)
	for p, n := range o.counts {
		starts[p] = next
		next += graphs.Handle(n)
	}
	return starts
}

func (o *ordered) addEvents(b *graphs.Builder) {
	for p := range o.procNames {
		b.Process(string(o.process(int32(p))))
	}
	b.Grow(len(o.events))
	texts := make(map[int32]string)
	str := func(i int32) string {
		s, ok := texts[i]
		if !ok {
			s = string(o.texts.At(i))
			texts[i] = s
		}
		return s
	}
	for _, e := range o.order {
		ev := &o.events[e]
		h := b.Event(int(ev.process))
		if ev.label >= 0 {
			b.SetLabel(h, str(ev.label))
		}
		if ev.time >= 0 {
			b.SetTime(h, str(ev.time))
		}
	}
}

func (o *ordered) addMessages(b *graphs.Builder, m *matching) {
	list := make([]int32, len(o.sends))
	for i := range list {
		list[i] = int32(i)
	}
	if o.m.clock >= 0 {
		slices.SortStableFunc(list, func(i, j int32) int {
			return int(o.handles[o.sends[i].event]) - int(o.handles[o.sends[j].event])
		})
	}
	type meant struct {
		name    int32
		pattern bool
	}
	receivers := make(map[meant]int)
	for _, i := range list {
		s := o.sends[i]
		index := b.NewMessage("")
		send := o.handles[s.event]
		if r := m.recv[i]; r >= 0 && o.recvs[r].kind != lost {
			b.Deliver(index, send, o.handles[o.recvs[r].event], -1)
			continue
		}
		to := -1
		if s.to >= 0 {
			var known bool
			if to, known = receivers[meant{s.to, s.pattern}]; !known {
				to = o.receiver(s.to, s.pattern)
				receivers[meant{s.to, s.pattern}] = to
			}
		}
		b.Deliver(index, send, graphs.NoHandle, to)
	}
}

// receiver returns the process that a name means: the one of that name, or the only
// one that a pattern matches; -1 for none.
func (o *ordered) receiver(n int32, pattern bool) int {
	if !pattern {
		return int(o.procs[n])
	}
	found := -1
	for p := range o.procNames {
		if matches(o.names.At(n), o.process(int32(p))) {
			if found >= 0 {
				return -1
			}
			found = p
		}
	}
	return found
}

// column is a variable while its assignments are added.
type column struct {
	variable *graphs.Variable
	now      graphs.Value // NoKind while it has none
	next     graphs.Value
	touched  int32 // the last event that assigned it, plus 1
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
	texts := make(map[uint64]string)
	var touched []int32
	for _, e := range o.order {
		touched = touched[:0]
		for _, x := range o.assignedBy(e) {
			c := &columns[x.column]
			v := o.value(x, texts)
			switch {
			case x.how&^isFloat == begins:
				if c.now.Kind == graphs.NoKind && c.touched == 0 {
					c.now = v
					b.Init(c.variable, v)
				}
				continue
			case x.how&^isFloat == adds && v.Kind != graphs.Number:
				return o.failAt(e, "a number is added to %q, which is no number elsewhere", c.variable.Name)
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
			} else if c.next != c.now {
				b.Set(c.variable, o.handles[e], c.next)
			}
			c.now = c.next
		}
	}
	return nil
}

// addInitial gives the variables of all processes the constants of the mapping.
func (o *ordered) addInitial(b *graphs.Builder, columns []column) {
	var key [8]byte
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
			putColumn(&key, int32(p), n)
			if i := o.columns.Find(key[:]); i >= 0 {
				columns[i].now = value
			}
		}
	}
}

// assignedBy returns the assignments of an event.
func (l *log) assignedBy(e int32) []assigned {
	to := int32(len(l.assigned))
	if int(e)+1 < len(l.events) {
		to = l.events[e+1].sets
	}
	return l.assigned[l.events[e].sets:to]
}

// value returns what is assigned, as a string where the variable's name has values
// of several types.
func (l *log) value(x assigned, texts map[uint64]string) graphs.Value {
	var v graphs.Value
	switch {
	case x.kind == graphs.String:
		s, ok := texts[x.bits]
		if !ok {
			s = string(l.texts.At(int32(x.bits)))
			texts[x.bits] = s
		}
		return graphs.Str(s)
	case x.kind == graphs.Bool:
		v = graphs.Boolean(x.bits == 1)
	case x.how&isFloat != 0:
		v = graphs.Float(math.Float64frombits(x.bits))
	default:
		v = graphs.Int(int64(x.bits))
	}
	if l.facts[l.owners[x.column].name].kind == graphs.String {
		return graphs.Str(v.String())
	}
	return v
}
