package infer

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/syntax"
)

// A relation is how a literal compares its variable.
type relation uint8

const (
	equal relation = iota
	unequal
	above  // greater than 0
	itself // the variable alone, of forms about values
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
	number   int  // in the vocabulary
	negation int  // the literal that is true where this one is not, -1 for none
	rest     bool // it is the state that all begin with, or a negation: less worth saying
}

// A vocabulary has what properties may speak of.
type vocabulary struct {
	variables   []*variable
	literals    []literal
	keys        []*variable    // that tell which events belong together, nil for a whole run
	sorts       []sort         // of events
	fields      [][2]*variable // with values that are sorts
	sortNumbers map[sort]int
	spans       bool        // these are starts and ends of operations
	states      []*variable // that literals or values are about
}

// Bounds on what properties may speak of.
const (
	maxValues   = 6   // of a variable that is compared with each of them
	maxLiterals = 256 // more would take their square of candidates
	maxValued   = 16  // variables with values that are compared with others
)

// vocabularyOf returns the literals over the variables of good runs.
//
// Fields of events are left out: they tell of one event and have no value between events. A
// variable without a change makes only constants, and constants relate to everything.
func vocabularyOf(runs []Run) *vocabulary {
	v := &vocabulary{variables: variablesOf(runs)}
	valued := 0
	for _, x := range v.variables {
		if x.field || !x.changes || len(v.literals) > maxLiterals {
			continue
		}
		if x.valued = x.kind != graphs.Bool && len(x.values) > 1 && valued < maxValued; x.valued {
			valued++
		}
		v.states = append(v.states, x)
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
		for i, value := range x.extreme {
			if i == 0 && value == graphs.Int(0) {
				v.addPair(x, above, value, value)
			} else if value.Kind != graphs.NoKind {
				v.addPair(x, equal, value, value)
			}
		}
	case first.Kind != graphs.NoKind:
		v.addPair(x, unequal, first, first)
	}
}

// addPair adds a literal and its negation. A value other than that of the literal says what the
// negation is equal to.
func (v *vocabulary) addPair(x *variable, r relation, value, other graphs.Value) {
	n := len(v.literals)
	negation := literal{variable: x, relation: equal, value: other, number: n + 1, negation: n, rest: true}
	if r == equal && other == value {
		negation.relation = unequal
	}
	l := literal{variable: x, relation: r, value: value, number: n, negation: n + 1}
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
	case l.relation == itself:
		return name
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

// chainsOf cuts the history of a computation into segments, for the variables of a vocabulary.
//
// For example, let literal 0 be cs. A process that assigns cs=true at its event 3, and cs=false at
// 5, has the segments
//
//	begin ⊥  truth {}
//	begin 3  truth {0}
//	begin 5  truth {}
//
// An event that changes other variables only does not begin a segment, so the work depends on the
// changes of states rather than on events. A shared variable has a chain of its own: no process
// orders its assignments, the variable does.
//
// The time complexity of chainsOf is O(a·log a + s·(v+k)) for a assignments, s segments, and k
// literals about v variables.
func (v *vocabulary) chainsOf(c *graphs.Computation) (all []chain) {
	for p, name := range c.Processes() {
		all = v.addChain(all, chain{process: p, name: name}, c.VariablesOf(p))
	}
	for _, w := range c.VariablesOf(graphs.Shared) {
		all = v.addChain(all, chain{process: graphs.Shared, name: w.Name}, []*graphs.Variable{w})
	}
	return all
}

// addChain adds a chain with the changes of some variables, if properties may speak of one of them.
func (v *vocabulary) addChain(chains []chain, h chain, variables []*graphs.Variable) []chain {
	type change struct {
		event graphs.Event
		k, i  int // of the state variable, and of the assignment
	}
	var all []change
	now := segment{begin: graphs.Bottom, truth: dense.NewSet(len(v.literals)), at: make([]int32, len(v.states))}
	assign := func(k, i int) {
		now.at[k] = int32(i)
		for l := range v.literals {
			if x := &v.literals[l]; x.variable != v.states[k] {
				continue
			} else if x.holds(h.variables[k].Value(i)) {
				now.truth.Add(l)
			} else {
				now.truth.Remove(l)
			}
		}
	}
	begin := func() {
		h.segments = append(h.segments, segment{now.begin, slices.Clone(now.truth), slices.Clone(now.at)})
	}
	h.variables = make([]*graphs.Variable, len(v.states))
	for _, w := range variables {
		k := slices.IndexFunc(v.states, func(x *variable) bool { return x.name == w.Name && x.kind == w.Kind })
		if k < 0 || w.Skipped() {
			continue
		}
		h.variables[k] = w
		assign(k, -1)
		for i := range w.Len() {
			if w.Value(i) != w.Value(i-1) {
				all = append(all, change{w.Event(i), k, i})
			}
		}
	}
	if !slices.ContainsFunc(h.variables, func(w *graphs.Variable) bool { return w != nil }) {
		return chains
	}
	// Events of a process are numbered in its order. A shared variable is alone, and has its own.
	if h.process != graphs.Shared {
		slices.SortStableFunc(all, func(x, y change) int { return cmp.Compare(x.event, y.event) })
	}
	begin()
	for i, x := range all {
		assign(x.k, x.i)
		// An event may change several variables. A segment begins only after the last of them,
		// because no cut lies between.
		if now.begin = x.event; i+1 == len(all) || all[i+1].event != x.event {
			begin()
		}
	}
	return append(chains, h)
}

// value returns the value of a state variable in a segment, one without a kind where the chain has
// no such variable.
func (h *chain) value(s, k int) graphs.Value {
	if h.variables[k] == nil {
		return graphs.Value{}
	}
	return h.variables[k].Value(int(h.segments[s].at[k]))
}

// history returns the values of a state variable by segment, nil where the chain has no such
// variable.
func (h *chain) history(k int) []graphs.Value {
	if h.variables[k] == nil {
		return nil
	}
	all := make([]graphs.Value, len(h.segments))
	for s := range all {
		all[s] = h.value(s, k)
	}
	return all
}
