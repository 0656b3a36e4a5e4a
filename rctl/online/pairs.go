package online

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/engine"
	known "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// This file decides formulas that compare events and values with each other, without enumerating cuts.
//
// Example: in
//
//	forall c in events(op == "charge"): exists r in events(op == "reserve" && order == c.order): r before c
//
// each charge is a binding. All events before it have been admitted when it is, so its verdict is final then. With
// c before r in place of r before c the binding stays open until such an r comes, or until the end.
//
// An event still to come happened before no admitted event, and nothing else is known about it. A quantifier ranges
// over the admitted events and one still to come, and a verdict is final if it does not depend on what is unknown
// (Kleene's strong logic). A list has the events with which a quantifier may continue a binding: those with a certain
// value of a field, such as the orders in the example. A binding waits on the lists that its verdict depends on, and
// is decided again when one of these grows.
//
// An event that makes no difference to future bindings is not kept: in
//
//	forall w in events(op == "write"): forall r in events(op == "read" && key == w.key): w before r -> r.version >= w.version
//
// no read is kept, because no future write happened before one of them.

// An item is something that a name is bound to: an event, or the values of one or several names.
type item struct {
	process int   // the process of an event
	at      int64 // the position of the event on its process
	step    int64 // the step in which the event was admitted; 0 for a value
	// How many events of each process happened before it; nil if the formula does not use "before".
	counts []int64
	time   string
	id     string // unique among the items that a name may be bound to
	label  string
	fields []assigned
}

// assigned is the value of a field, or of a name.
type assigned struct {
	name  string
	value graphs.Value
}

// future stands for an event or a value that is still to come, either for one that may have come or not.
var future, either = new(item), new(item)

// isKnown reports whether an item is a particular event or value.
func (i *item) isKnown() bool { return i != future && i != either }

// A slot is a name that a quantifier binds, or the names of a tuple.
type slot struct {
	at      int          // the number of the slot
	decides rctl.Verdict // the verdict on an item that decides the quantifier
	names   []string
	fields  []string // the fields that values come from; nil for an event
	around  int      // how many slots enclose it; they come first
	// earlier slots of the same quantifier, if their items must differ from its own
	differs []int
	own     []func() bool // conditions of the domain that only the item is about
	rest    []condition   // conditions of the domain that other slots are about as well
	// the value that all items of a list assign to field; nil if there is only one list
	key     *syntax.Expr
	keySlot int // the slot that key belongs to
	field   string
	values  map[string]bool     // the ids of the items, if they are values
	body    func() rctl.Verdict // the verdict on the body of the quantifier
	leaf    bool                // whether no other slot is inside
	lists   map[graphs.Value]*matches
}

// A condition is a test and the slots that it is about.
type condition struct {
	slots []int
	test  func() bool
}

// A matches is a list of the items of a slot with the same key.
type matches struct {
	items []*item
	// for an outer slot: the bindings of the enclosing slots that may continue here
	begun   [][]*item
	waiting map[*pair]bool // bindings that another item may decide
	// How many items and beginnings are not kept, because they make no difference to future bindings.
	gone, silent int
}

// A pair is a binding: of two names in most formulas, but possibly of any number of names.
type pair struct {
	items  []*item
	number int
	lists  []*matches
}

// A pairs decides a formula of this kind on one execution.
type pairs struct {
	following
	slots    []*slot
	outer    int // how many slots belong to the bindings; the others are inside the body
	body     func() rctl.Verdict
	orders   bool            // whether the formula uses "before"
	mentions map[string]bool // the names in the formula; they include all fields
	labels   bool            // whether the formula uses labels or ids
	times    bool

	env     []*item // by slot
	open    map[*pair]bool
	touched []*pair // the bindings that the current step touches
	added   []entry
	current *pair // the binding that is being decided
	scratch item  // the event that is being processed
	steps   int64
}

// An entry is an item that a step has added to a list.
type entry struct {
	*slot
	*matches
	*item
}

// front splits a formula that is decided by pairs into the leading quantifiers, which bind the names, and the body in
// negation normal form. Apart from the leading quantifiers, such a formula has only quantifiers over data and
// expressions that a binding makes constant. The template is nil for other formulas.
func front(f *syntax.Formula) (t *syntax.Template, body *syntax.Formula) {
	if t = syntax.NewTemplate(f); t == nil || !syntax.Constant(f) {
		return nil, nil
	}
	open := syntax.Find(f, func(g *syntax.Formula) bool {
		q := g.Quant
		return q != nil && q.Sort() == syntax.OfValue && q.Data.Where != nil && !syntax.Closed(q.Data.Where)
	})
	for _, q := range t.Quants {
		for f.Op.IsTemporal() {
			f = f.Sub[0]
		}
		if f.Quant != q || open != nil {
			return nil, nil
		}
		f = f.Sub[0]
	}
	return t, syntax.NNF(f)
}

// newPairs returns the follower of a property of m that is decided by pairs.
func newPairs(m *Monitor, property int) *pairs {
	f := m.says.list[property].formula
	t, body := front(f)
	x := &pairs{following: m.newFollowing(property, t.Op, t.Of()), mentions: syntax.Names(f), open: make(map[*pair]bool)}
	x.labels, x.times = syntax.OfEvents(f)
	scope := make(map[string]int)
	for _, q := range t.Quants {
		x.bind(t.Op, q, scope)
	}
	for _, s := range x.slots {
		x.names = append(x.names, s.names...)
	}
	x.outer = len(x.slots)
	x.body = x.compile(body, scope)
	x.env = make([]*item, len(x.slots))
	for n, s := range x.slots[:x.outer] {
		s.body, s.leaf = x.body, n+1 == len(x.slots)
	}
	return x
}

// bind makes slots for the names of a quantifier, and returns the number of the first. The scope maps names to slots.
func (x *pairs) bind(op syntax.Op, q *syntax.Quantifier, scope map[string]int) (first int) {
	width := 1
	if q.Data.Tuple {
		width = len(q.Names)
	}
	around := len(slices.Compact(slices.Sorted(maps.Values(scope))))
	first = len(x.slots)
	for names := range slices.Chunk(q.Names, width) {
		s := &slot{
			at:      len(x.slots),
			decides: engine.VerdictOf(op == syntax.OpExists),
			names:   texts(names),
			fields:  texts(q.Data.Fields),
			around:  around,
			values:  make(map[string]bool),
			lists:   make(map[graphs.Value]*matches),
		}
		around++
		if q.Distinct {
			for other := range x.slots[first:] {
				s.differs = append(s.differs, first+other)
			}
		}
		x.slots = append(x.slots, s)
		if q.Data.Where != nil {
			for _, part := range syntax.Conjuncts(q.Data.Where) {
				x.restrict(s, part, scope)
			}
		}
	}
	for _, s := range x.slots[first:] {
		for _, name := range s.names {
			scope[name] = s.at
		}
	}
	return first
}

// restrict adds a part of the condition of a slot.
func (x *pairs) restrict(s *slot, part *syntax.Formula, scope map[string]int) {
	slots := slotsOf(part, scope)
	if field, key := syntax.KeyOf(part); key != nil && s.key == nil {
		s.field, s.key = field, key
		s.keySlot = slots[0]
		return
	}
	of := x.source(scope).Test(part)
	test := func() bool { return of(graphs.Event(s.at)) }
	if slots == nil {
		s.own = append(s.own, test)
	} else {
		s.rest = append(s.rest, condition{slots, test})
	}
}

// slotsOf lists the slots that a formula without quantifiers mentions.
func slotsOf(f *syntax.Formula, scope map[string]int) (slots []int) {
	syntax.WalkExprs(f, func(e *syntax.Expr) {
		switch e.Op {
		case syntax.ExprValue:
			slots = append(slots, scope[e.Text])
		case syntax.ExprOf:
			slots = append(slots, scope[e.Event.Text])
		}
	})
	return slots
}

// source returns the source that conditions and comparisons read from. It numbers events by their slots.
func (x *pairs) source(scope map[string]int) known.Source {
	scope = maps.Clone(scope)
	return known.Source{
		Field: func(e graphs.Event, field string) (graphs.Value, bool) { return x.env[e].field(field) },
		Own: func(e graphs.Event, what string) string {
			switch at := x.env[e]; what {
			case "process":
				return x.m.stream.Processes()[at.process]
			case "label":
				return at.label
			case "time":
				return at.time
			default:
				return at.id
			}
		},
		Time: func(e graphs.Event) *big.Rat {
			at, ok := graphs.ParseTime(x.env[e].time, x.m.opts.Unit)
			if !ok {
				x.failure = cmp.Or(x.failure, noTimeOf(x.env[e].id))
				return nil
			}
			return big.NewRat(at, int64(time.Second))
		},
		Bound: func(name string) graphs.Event { return graphs.Event(scope[name]) },
		Mixed: func(e *syntax.Expr) {
			x.failure = cmp.Or(x.failure, fmt.Errorf("%s has values of types that do not fit", e))
		},
	}
}

// field returns the value of a field or of a name.
func (i *item) field(name string) (graphs.Value, bool) {
	for _, a := range i.fields {
		if a.name == name {
			return a.value, true
		}
	}
	return graphs.Value{}, false
}

// compile returns a function for the final verdict on a formula in negation normal form under the current bindings of
// its names. The verdict is Unknown while it is not final.
func (x *pairs) compile(f *syntax.Formula, scope map[string]int) func() rctl.Verdict {
	switch {
	case f.Quant != nil:
		return x.quantified(f, maps.Clone(scope))
	case f.Op == syntax.OpAtom:
		return x.atom(f.Expr, scope)
	case f.Op.IsTemporal(): // the operand does not change along a run
		return x.compile(f.Sub[0], scope)
	}
	subs := make([]func() rctl.Verdict, len(f.Sub))
	for i, sub := range f.Sub {
		subs[i] = x.compile(sub, scope)
	}
	if f.Op == syntax.OpNot {
		return func() rctl.Verdict { return subs[0]().Not() }
	}
	// true is the empty conjunction, false the empty disjunction.
	decides := engine.VerdictOf(f.Op == syntax.OpOr || f.Op == syntax.OpFalse)
	return func() rctl.Verdict {
		return engine.Kleene(decides, subs, func(sub func() rctl.Verdict) rctl.Verdict { return sub() })
	}
}

// atom is compile for an atom.
func (x *pairs) atom(e *syntax.Expr, scope map[string]int) func() rctl.Verdict {
	if e.Op == syntax.ExprBefore {
		x.orders = true
		first, second := scope[e.Event.Text], scope[e.Other.Text]
		return func() rctl.Verdict { return x.env[first].before(x.env[second]) }
	}
	f := syntax.AsAtom(e)
	c := condition{slots: slotsOf(f, scope)}
	test := x.source(scope).Test(f)
	c.test = func() bool { return test(0) }
	return func() rctl.Verdict { return x.met(&c) }
}

// met returns the verdict on a condition.
func (x *pairs) met(c *condition) rctl.Verdict {
	for _, at := range c.slots {
		if !x.env[at].isKnown() {
			return rctl.Unknown
		}
	}
	return engine.VerdictOf(c.test())
}

// before returns whether one event happened before another.
func (i *item) before(other *item) rctl.Verdict {
	switch {
	case !other.isKnown() || i == either:
		return rctl.Unknown
	case i == future || i.step == other.step || i.process >= len(other.counts):
		return rctl.Fails
	}
	return engine.VerdictOf(other.counts[i.process] >= i.at)
}

// quantified is compile for a quantifier.
func (x *pairs) quantified(f *syntax.Formula, scope map[string]int) func() rctl.Verdict {
	first := x.bind(f.Op, f.Quant, scope)
	end := len(x.slots)
	inner := x.compile(f.Sub[0], scope)
	for at := end - 1; at >= first; at-- {
		s := x.slots[at]
		s.body, s.leaf = inner, len(x.slots) == at+1
		inner = func() rctl.Verdict { return x.ranged(s) }
	}
	return inner
}

// ranged returns the verdict on a quantifier.
func (x *pairs) ranged(s *slot) rctl.Verdict {
	key, v := x.keyOf(s)
	switch {
	case v == rctl.Fails: // no such event exists, and none will
		return s.decides.Not()
	case v == rctl.Unknown:
		if x.env[s.at] = either; s.body() == s.decides.Not() {
			return s.decides.Not()
		}
		return v
	}
	l := s.list(key)
	sum := engine.Kleene(s.decides, l.items, func(i *item) rctl.Verdict {
		x.env[s.at] = i
		return x.inside(s)
	})
	if x.ended || sum == s.decides {
		return sum
	}
	if x.env[s.at] = future; x.inside(s) == s.decides.Not() {
		return sum
	}
	if x.current != nil && !l.waiting[x.current] {
		if l.waiting == nil {
			l.waiting = make(map[*pair]bool)
		}
		l.waiting[x.current] = true
		x.current.lists = append(x.current.lists, l)
	}
	return rctl.Unknown
}

// keyOf returns the key of the list that a slot uses under the bindings of the enclosing names. The verdict is Unknown
// if the key belongs to an item that is not known, and Fails if the item does not assign the key.
func (x *pairs) keyOf(s *slot) (graphs.Value, rctl.Verdict) {
	if s.key == nil {
		return noKey, rctl.Holds
	}
	i := x.env[s.keySlot]
	if !i.isKnown() {
		return noKey, rctl.Unknown
	}
	value, ok := i.field(s.key.Text)
	return known.Canonical(value), engine.VerdictOf(ok)
}

// inside returns the verdict on the body of a quantifier with an item. If the item is not in the domain, it returns the
// verdict that makes no difference to the quantifier.
func (x *pairs) inside(s *slot) rctl.Verdict {
	in := x.fits(s)
	if in == rctl.Fails {
		return s.decides.Not()
	}
	v := s.body()
	if in == rctl.Unknown && v == s.decides {
		return rctl.Unknown
	}
	return v
}

// fits returns whether the item of a slot is in the domain.
func (x *pairs) fits(s *slot) rctl.Verdict {
	comes := x.env[s.at] == future
	for _, other := range s.differs {
		if !comes && x.env[other].id == x.env[s.at].id {
			return rctl.Fails
		}
	}
	return engine.Kleene(rctl.Fails, s.rest, func(c condition) rctl.Verdict {
		if comes {
			return rctl.Unknown
		}
		return x.met(&c)
	})
}

// list returns the list of a key.
func (s *slot) list(key graphs.Value) *matches {
	l := s.lists[key]
	if l == nil {
		l = new(matches)
		s.lists[key] = l
	}
	return l
}

// step processes the events that are admitted together.
func (x *pairs) step(events []stream.Admitted) {
	x.touched, x.added = x.touched[:0], x.added[:0]
	x.steps++
	for i := range events {
		x.see(&events[i])
	}
	// All events of the step are added before any binding is decided, because they know each other.
	slices.SortFunc(x.touched, func(a, b *pair) int { return a.number - b.number })
	for _, b := range slices.Compact(x.touched) {
		x.settle(b)
	}
	for _, e := range x.added {
		x.keep(e)
	}
}

func (x *pairs) opened() string {
	return fmt.Sprintf("events are kept that may bear on %s to come", x.sum.Of)
}

// see adds an event to the lists of all slots that it may be bound to.
func (x *pairs) see(e *stream.Admitted) {
	x.read(e)
	var kept *item
	// The last names come first, so that a binding of one event to several names is found once, by the first name.
	for n, s := range slices.Backward(x.slots) {
		x.env[n] = &x.scratch
		if slices.ContainsFunc(s.own, func(test func() bool) bool { return !test() }) {
			continue
		}
		key := noKey
		if s.key != nil {
			value, ok := x.scratch.field(s.field)
			if key = known.Canonical(value); !ok || x.isOver(s, key) {
				continue
			}
		}
		i := kept
		if s.fields != nil {
			if i = x.value(s); i == nil {
				continue
			}
		} else if kept == nil {
			kept = x.kept(e)
			i = kept
		}
		x.add(n, key, i)
	}
}

// read copies the attributes of an event that the formula mentions to x.scratch.
func (x *pairs) read(e *stream.Admitted) {
	at := item{fields: x.scratch.fields[:0], step: x.steps}
	at.process, at.at = e.At()
	at.id = idOf(e.Line, at.at)
	if x.labels {
		at.label = string(e.Line.Label)
	}
	if x.times {
		at.time = string(e.Line.Time)
	}
	for i := range e.Line.Values {
		if a := &e.Line.Values[i]; x.mentions[string(a.Name)] {
			at.fields = append(at.fields, assigned{string(a.Name), a.Value})
		}
	}
	x.scratch = at
}

// kept returns a copy of the event that was read last, with the order of events if the formula uses it.
func (x *pairs) kept(e *stream.Admitted) *item {
	at := x.scratch
	at.fields = slices.Clone(at.fields)
	if x.orders {
		for p := range x.m.stream.Processes() {
			at.counts = append(at.counts, e.Counts(p))
		}
	}
	return &at
}

// weight is how much an item counts towards the limit of the window.
func (i *item) weight() int { return 1 + len(i.counts)/16 }

// value returns the values that the event read last assigns to the fields of a slot; nil if they are not new.
func (x *pairs) value(s *slot) *item {
	i := new(item)
	for n, field := range s.fields {
		value, ok := x.scratch.field(field)
		if !ok {
			return nil
		}
		value = known.Canonical(value)
		if x.isOver(s, value) {
			return nil
		}
		i.id += value.String() + separator
		i.fields = append(i.fields, assigned{s.names[n], value})
	}
	if s.values[i.id] {
		return nil
	}
	s.values[i.id] = true
	return i
}

// add adds an item to a list.
func (x *pairs) add(n int, key graphs.Value, i *item) {
	s := x.slots[n]
	if n == 0 {
		x.env[0] = i
		x.extend(1)
		return
	}
	l := s.list(key)
	for _, around := range l.begun {
		copy(x.env, around)
		x.env[n] = i
		x.extend(n + 1)
	}
	if n < x.outer {
		x.sum.Total += l.silent
	}
	for b := range l.waiting {
		x.touched = append(x.touched, b)
	}
	l.items = append(l.items, i)
	x.held += i.weight()
	x.added = append(x.added, entry{s, l, i})
}

// extend binds the outer slots from n on in all possible ways. The slots before n are bound; extend does nothing if the
// last of these has an item outside its domain.
func (x *pairs) extend(n int) {
	if x.fits(x.slots[n-1]) != rctl.Holds {
		return
	}
	if n == x.outer {
		x.sum.Total++
		b := &pair{items: slices.Clone(x.env[:n]), number: x.sum.Total}
		x.open[b] = true
		x.held++
		x.touched = append(x.touched, b)
		return
	}
	s := x.slots[n]
	key, ok := x.keyOf(s)
	if ok != rctl.Holds {
		return
	}
	l := s.list(key)
	for _, i := range l.items {
		x.env[n] = i
		x.extend(n + 1)
	}
	x.sum.Total += l.gone
	// Later items may make no difference.
	if x.env[n] = future; n == 1 && s.forgets(x) && x.body() == s.decides.Not() {
		l.silent++
		return
	}
	l.begun = append(l.begun, slices.Clone(x.env[:n]))
	x.held++
}

// forgets reports whether each item of a slot can be shown by itself to make no difference to future bindings: a
// binding then has one other name, and it is of an event.
func (s *slot) forgets(x *pairs) bool {
	return s.around == 1 && s.leaf && x.slots[0].fields == nil && (s.rest == nil || x.outer == 1)
}

// keep forgets an item that a step has added, if it makes no difference.
func (x *pairs) keep(e entry) {
	if !e.forgets(x) {
		return
	}
	x.env[0], x.env[e.slot.at] = future, e.item
	if x.inside(e.slot) != e.decides.Not() {
		return
	}
	// A binding that stays open because of another part of the formula needs the item that decides this part.
	for b := range e.waiting {
		copy(x.env, b.items)
		if x.inside(e.slot) == e.decides {
			return
		}
	}
	at := slices.Index(e.items, e.item)
	e.items = slices.Delete(e.items, at, at+1)
	e.gone++
	x.held -= e.weight()
}

// isOver reports whether a value belongs to a binding with a final verdict, and the slot is about that value alone: its
// items are the value itself, or the events that assign it.
func (x *pairs) isOver(s *slot, value graphs.Value) bool { return x.alone(s) && x.over.has(value) }

// alone reports whether bindings have a single name, bound to a value, and the slot is that of the name or has a list
// for each of the values.
func (x *pairs) alone(s *slot) bool {
	first := x.slots[0]
	return x.outer == 1 && len(first.fields) == 1 && (s == first || s.key != nil && s.keySlot == 0)
}

// settle decides a binding that a step has touched.
func (x *pairs) settle(b *pair) {
	if !x.open[b] || x.failure != nil {
		return
	}
	copy(x.env, b.items)
	x.current = b
	v := x.body()
	x.current = nil
	if v == rctl.Unknown || x.failure != nil {
		return
	}
	delete(x.open, b)
	x.held--
	for _, l := range b.lists {
		delete(l.waiting, b)
	}
	x.note(v, x.m.stream.Admitted(), func() decisive { return x.shown(b) })
	x.forget(b)
}

// forget drops the items that only a decided binding of a value used. The value will not be bound again.
func (x *pairs) forget(b *pair) {
	if !x.alone(x.slots[0]) {
		return
	}
	value := b.items[0].fields[0].value
	delete(x.slots[0].values, b.items[0].id)
	x.over.add(value)
	for _, s := range x.slots[1:] {
		l := s.lists[value]
		if !x.alone(s) || l == nil {
			continue
		}
		for _, i := range l.items {
			x.held -= i.weight()
		}
		delete(s.lists, value)
	}
}

// shown returns a decisive binding with its events.
func (x *pairs) shown(b *pair) decisive {
	d := decisive{order: b.number}
	for k, i := range b.items {
		s := x.slots[k]
		for j, name := range s.names {
			bound := syntax.Bound{Name: name, Text: i.id, IsEvent: s.fields == nil}
			if !bound.IsEvent {
				bound.Text = i.fields[j].value.String()
			}
			d.bound = append(d.bound, bound)
		}
	}
	events := slices.Clone(b.items)
	slices.SortStableFunc(events, func(i, j *item) int { return cmp.Compare(i.step, j.step) })
	for _, i := range slices.Compact(events) {
		if i.step > 0 {
			d.steps = append(d.steps, i.id)
		}
	}
	return d
}

// finish decides the bindings that are open at the end.
func (x *pairs) finish(context.Context) (Answer, error) {
	x.ended = true
	open := slices.SortedFunc(maps.Keys(x.open), func(a, b *pair) int { return a.number - b.number })
	for _, b := range open {
		copy(x.env, b.items)
		x.note(x.body(), 0, func() decisive { return x.shown(b) })
	}
	if x.failure != nil {
		return x.unknown(x.failure), nil
	}
	return x.concluded(), nil
}
