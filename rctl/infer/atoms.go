package infer

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A relation is how a literal compares its variable.
type relation uint8

const (
	equal relation = iota
	unequal
	above // greater than 0
)

// A literal is a condition on one variable of a process: a Boolean,
// x == value, x != value, or x > 0.
//
// For example, with state@p in {idle, busy}, idle at every start, the literals are state == "busy"
// and its negation, state == "idle". The negation has rest set: that all are idle is worth less of
// a reader's time.
type literal struct {
	variable *variable
	relation relation
	value    graphs.Value
	negation int  // the literal that is true where this one is not, -1 for none
	rest     bool // it is the state that all begin with, or a negation: less worth saying
}

// A vocabulary has what properties may speak of.
type vocabulary struct {
	variables []*variable
	literals  []literal
	keys      []*variable // that tell which events belong together, nil for a whole run
	sorts     []sort      // of events
	spans     bool        // these are starts and ends of operations
	tracked   []*variable // with a state that is not Boolean
}

// Bounds on what properties may speak of.
const (
	maxValues   = 6   // of a variable that is compared with each of them
	maxLiterals = 256 // more would take their square of candidates
	maxTracked  = 16
)

// vocabularyOf returns the literals over the variables of good runs.
//
// Fields of events are left out: they tell of one event and have no value between events. A
// variable without a change makes only constants, and constants relate to everything.
func vocabularyOf(runs []Run) *vocabulary {
	v := &vocabulary{variables: variablesOf(runs)}
	for _, x := range v.variables {
		if x.field || !x.changes || len(v.literals) > maxLiterals {
			continue
		}
		if x.kind != graphs.Bool && len(x.values) > 1 && len(v.tracked) < maxTracked {
			v.tracked = append(v.tracked, x)
		}
		v.addLiterals(x)
	}
	v.sortsOf(runs)
	return v
}

// addLiterals adds the literals of one variable.
//
// By the values of the variable:
//
//	true, false             x
//	two values              x == second, and x == first as its negation
//	up to maxValues         x == value for each of them
//	numbers, more values    x > 0 or x == lowest, and x == highest, if all runs share them
//	other, more values      x != first: it has left its first value
//
// So a variable has at most 2·maxValues literals, whatever its number of values.
func (v *vocabulary) addLiterals(x *variable) {
	first := x.first()
	switch {
	case len(x.values) < 2:
		return
	case x.kind == graphs.Bool:
		v.addPair(x, equal, graphs.Boolean(true), graphs.Boolean(false))
	case len(x.values) == 2 && !x.many:
		two := x.sorted()
		if two[0] == first {
			two[0], two[1] = two[1], two[0]
		}
		v.addPair(x, equal, two[0], two[1])
	case len(x.values) <= maxValues && !x.many:
		for _, value := range x.sorted() {
			v.addPair(x, equal, value, value)
		}
	case x.kind == graphs.Number:
		if x.lowest == graphs.Int(0) {
			v.addPair(x, above, x.lowest, x.lowest)
		} else if x.lowest.Kind != graphs.NoKind {
			v.addPair(x, equal, x.lowest, x.lowest)
		}
		if x.highest.Kind != graphs.NoKind {
			v.addPair(x, equal, x.highest, x.highest)
		}
	case first.Kind != graphs.NoKind:
		v.addPair(x, unequal, first, first)
	}
}

// addPair adds a literal and its negation. A value other than that of the literal says what the
// negation is equal to.
func (v *vocabulary) addPair(x *variable, r relation, value, other graphs.Value) {
	n := len(v.literals)
	negation := literal{variable: x, relation: equal, value: other, negation: n, rest: true}
	switch {
	case r == equal && other == value:
		negation.relation = unequal
	case r == unequal:
		negation.relation = equal
	}
	l := literal{variable: x, relation: r, value: value, negation: n + 1}
	// Of two states, all may begin with one. Of several, each is worth
	// naming, and its negation is not.
	if !(r == equal && value == other) {
		l.rest = len(x.inits) > 0
		for init := range x.inits {
			l.rest = l.rest && l.holds(init)
		}
		negation.rest = !l.rest
	}
	v.literals = append(v.literals, l, negation)
}

// first returns the value that the variable has everywhere at the start, a value without a
// kind where there are several.
func (x *variable) first() graphs.Value {
	for value := range x.inits {
		if len(x.inits) == 1 {
			return value
		}
	}
	return graphs.Value{}
}

// sorted returns the values in a fixed order.
func (x *variable) sorted() []graphs.Value {
	return slices.SortedFunc(maps.Keys(x.values), func(a, b graphs.Value) int {
		if x.kind == graphs.Number {
			return a.Compare(b)
		}
		return cmp.Compare(a.String(), b.String())
	})
}

// of returns the variable of a process, as in formulas. One that a single
// process has needs no name.
func (x *variable) of(process string) string {
	if x.shared || x.class.single {
		return x.text
	}
	return x.text + "@" + process
}

// of returns the literal about a process, named as in formulas.
func (l literal) of(process string) string { return l.about(l.variable.of(process)) }

// words returns the literal for sentences.
func (l literal) words() string { return l.about(l.variable.text) }

func (l literal) about(name string) string {
	switch {
	case l.value.Kind == graphs.Bool && l.value.Bool() == (l.relation == equal):
		return name
	case l.value.Kind == graphs.Bool:
		return "!" + name
	case l.relation == above:
		return name + " > 0"
	case l.relation == unequal:
		return name + " != " + l.value.String()
	}
	return name + " == " + l.value.String()
}

// holds reports whether the literal is true of a value.
func (l literal) holds(x graphs.Value) bool {
	switch l.relation {
	case above:
		return x.Compare(graphs.Int(0)) > 0
	case unequal:
		return !x.Equal(l.value)
	}
	return x.Equal(l.value)
}

// quoted returns the name of a process as formulas have it.
func quoted(process string) string {
	e := syntax.Expr{Op: syntax.ExprVar, Text: "x", Process: syntax.Name{Text: process}}
	return e.String()[len("x@"):]
}

// chainsOf cuts the history of a computation into segments, for the literals and the other
// variables of a vocabulary. It also returns the columns of the tracked variables.
//
// For example, let literal 0 be cs. A process that assigns cs=true at its event 3, and cs=false at
// 5, has the segments
//
//	begin ⊥  start 0  truth {}
//	begin 3  start 3  truth {0}
//	begin 5  start 5  truth {}
//
// An event that assigns other variables only does not begin a segment, so the work depends on the
// changes of states rather than on events. A shared variable has a chain of its own: no process
// orders its assignments, the variable does.
//
// The time complexity of chainsOf is O(a·log a + s·k/64) for a assignments, s segments and k
// literals.
func (v *vocabulary) chainsOf(c *graphs.Computation) ([]chain, []*column) {
	n := len(v.literals)
	b := &chainBuilder{v: v, c: c, of: make(map[string]*column), tracked: make([]*column, len(v.tracked))}
	at := func(x *variable) *column {
		if b.of[x.name] == nil {
			b.of[x.name] = &column{kind: x.kind, mask: newSet(n), tracked: -1, codes: make(map[graphs.Value]int32)}
			b.code(b.of[x.name], graphs.Value{})
		}
		return b.of[x.name]
	}
	for l := range v.literals {
		at(v.literals[l].variable).mask.add(l)
	}
	for i, x := range v.tracked {
		b.tracked[i] = at(x)
		b.tracked[i].tracked = i
	}
	for p, name := range c.Processes() {
		b.add(p, name, c.VariablesOf(p))
	}
	for _, w := range c.VariablesOf(graphs.Shared) {
		b.add(graphs.Shared, w.Name, []*graphs.Variable{w})
	}
	return b.chains, b.tracked
}

// A column has the values of a variable in a run, and what literals say of each. Values have codes,
// in order of appearance, so that a segment needs four bytes for one, and literals look at each
// once. Code 0 stands for no value.
type column struct {
	kind    graphs.Kind
	mask    set // the literals about the variable
	tracked int // its number, -1 for none
	codes   map[graphs.Value]int32
	values  []graphs.Value // by code
	truths  []set          // by code
}

// A chainBuilder makes the segments of chains.
type chainBuilder struct {
	v       *vocabulary
	c       *graphs.Computation
	of      map[string]*column // by the name of the variable
	tracked []*column
	chains  []chain
}

// code returns the code of a value.
func (b *chainBuilder) code(col *column, x graphs.Value) int32 {
	code, known := col.codes[x]
	if known {
		return code
	}
	code = int32(len(col.values))
	truth := newSet(len(b.v.literals))
	if x.Kind != graphs.NoKind {
		col.mask.each(func(l int) {
			if b.v.literals[l].holds(x) {
				truth.add(l)
			}
		})
	}
	col.codes[x] = code
	col.values, col.truths = append(col.values, x), append(col.truths, truth)
	return code
}

// An assignment is one of a variable of a chain.
type assignment struct {
	event    graphs.Event
	variable *column
	code     int32
}

// add merges the assignments of some variables of a chain, if some literal reads them.
func (b *chainBuilder) add(process int, name string, variables []*graphs.Variable) {
	var all []assignment
	s := state{truth: newSet(len(b.v.literals)), codes: make([]int32, len(b.v.tracked))}
	read := false
	for _, w := range variables {
		col := b.of[w.Name]
		if col == nil || w.Skipped() || w.Kind != col.kind {
			continue
		}
		read = true
		s.assign(col, b.code(col, w.Init))
		for i := range w.Len() {
			all = append(all, assignment{w.Event(i), col, b.code(col, w.Value(i))})
		}
	}
	if !read {
		return
	}
	// Events of a process are numbered in its order. A shared variable is alone, and has its own.
	if process != graphs.Shared {
		slices.SortStableFunc(all, func(x, y assignment) int { return int(x.event) - int(y.event) })
	}
	h := chain{process: process, name: name}
	b.end(&h, &s, graphs.Bottom)
	for i, x := range all {
		s.assign(x.variable, x.code)
		// An event may assign several variables. A segment begins only after the last of them,
		// because no cut lies between.
		if s.changed && (i+1 == len(all) || all[i+1].event != x.event) {
			b.end(&h, &s, x.event)
		}
	}
	b.chains = append(b.chains, h)
}

// A state has the true literals and the values of a chain, and whether they are new. Segments share
// its slices, so these are never changed.
type state struct {
	truth   set
	codes   []int32
	changed bool
}

// assign gives a variable a value.
func (s *state) assign(col *column, code int32) {
	truth := col.truths[code]
	for i, word := range s.truth {
		if now := word&^col.mask[i] | truth[i]; now != word {
			s.truth = slices.Clone(s.truth)
			s.truth[i] = now
			s.changed = true
		}
	}
	if col.tracked >= 0 && s.codes[col.tracked] != code {
		s.codes = slices.Clone(s.codes)
		s.codes[col.tracked] = code
		s.changed = true
	}
}

// end begins a new segment of a chain at an event.
func (b *chainBuilder) end(h *chain, s *state, e graphs.Event) {
	start := int32(len(h.segments))
	if h.process != graphs.Shared && e != graphs.Bottom {
		start = int32(b.c.Position(e))
	}
	h.segments = append(h.segments, segment{begin: e, start: start, truth: s.truth, codes: s.codes})
	s.changed = false
}
