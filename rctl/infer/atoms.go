package infer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// A relation is how a literal compares its variable with a value.
type relation string

const (
	equal    relation = "=="
	unequal  relation = "!="
	above    relation = ">"
	notAbove relation = "<="
	itself   relation = "" // the variable itself, whose values are compared with each other
)

// A literal is a condition on one variable of a process: a Boolean, x == value, x != value, or
// x > 0. In a slot it may also be the variable itself.
//
// For example, if state@p is idle or busy, and idle at every start, the literals are state == "busy"
// and its negation, state == "idle". The negation has rest set: that all are idle is less
// interesting.
type literal struct {
	variable *variable
	relation relation
	value    graphs.Value
	number   int  // its index in the vocabulary; for itself, that of the state variable
	negation int  // the index of its negation
	rest     bool // whether it is the common initial state or a negation, which is less interesting
}

// A vocabulary has the variables, literals and sorts that properties may be about.
type vocabulary struct {
	variables   []*variable
	literals    []literal
	keys        []*variable    // the fields that group events into episodes; nil for a whole run
	sorts       []sort         // the sorts of events
	fields      [][2]*variable // the fields whose values define sorts
	sortNumbers map[sort]int   // the index of each sort
	spans       bool           // whether sorts are starts and ends of operations
	states      []*variable    // the variables with literals, or with values that are compared
	slots       []literal      // the literals, and the variables whose values are compared
}

// Bounds on a vocabulary.
const (
	maxValues   = 6   // values that a variable is compared with
	maxLiterals = 256 // literals; candidates grow with their square
	maxValued   = 16  // variables whose values are compared with each other
)

// vocabularyOf returns the literals over the variables of good runs.
//
// Fields of events are left out: they are about one event and have no value between events. A
// variable that never changes gives only constant literals, which are related to all others. A
// variable with a name that is not plain needs its process in formulas; if only one process has it,
// formulas would omit the process, so it is left out.
func vocabularyOf(runs []Run) *vocabulary {
	v := &vocabulary{variables: variablesOf(runs)}
	for _, x := range v.variables {
		nameless := x.class.single && strings.HasPrefix(x.text, `"`)
		if x.field || !x.changes || nameless || len(v.literals) > maxLiterals {
			continue
		}
		v.states = append(v.states, x)
		v.addLiterals(x)
	}
	v.slots = slices.Clone(v.literals)
	for k, x := range v.states {
		if x.kind != graphs.Bool && len(v.slots) < len(v.literals)+maxValued {
			v.slots = append(v.slots, v.itself(k))
		}
	}
	v.sortsOf(runs)
	return v
}

// itself returns the k-th state variable for a slot.
func (v *vocabulary) itself(k int) literal {
	return literal{variable: v.states[k], relation: itself, number: k, negation: k}
}

// addLiterals adds the literals of one variable.
//
// By the values of the variable:
//
//	true, false          x
//	two values           x == second, and x == first as its negation
//	up to maxValues      x == value for each of them
//	counters             x > 0
//	others               x != first: it has left its first value
//
// Hence a variable has at most 2·maxValues literals.
func (v *vocabulary) addLiterals(x *variable) {
	first, all := x.first(), x.sorted()
	is := func(r relation, value graphs.Value) literal { return literal{variable: x, relation: r, value: value} }
	switch {
	case x.kind == graphs.Bool:
		v.addPair(is(equal, graphs.Boolean(true)), is(equal, graphs.Boolean(false)))
	case len(all) == 2 && all[1] == first:
		v.addPair(is(equal, all[0]), is(equal, all[1]))
	case len(all) == 2:
		v.addPair(is(equal, all[1]), is(equal, all[0]))
	case len(all) <= maxValues && !x.many:
		for _, value := range all {
			v.addPair(is(equal, value), is(unequal, value))
		}
	case x.kind == graphs.Number && x.low == 0:
		v.addPair(is(above, graphs.Int(0)), is(notAbove, graphs.Int(0)))
	case first.Kind != graphs.NoKind:
		v.addPair(is(unequal, first), is(equal, first))
	}
}

// addPair adds a literal and its negation, and sets rest on one of them: on the literal if it is true
// at every start and the negation is not written with !=, otherwise on the negation.
func (v *vocabulary) addPair(l, negation literal) {
	l.number = len(v.literals)
	negation.number = l.number + 1
	l.negation, negation.negation = negation.number, l.number
	named := negation.relation != unequal
	l.rest = named && len(l.variable.inits) == 1 && l.holds(l.variable.first())
	negation.rest = !l.rest
	v.literals = append(v.literals, l, negation)
}

// first returns the value that the variable has at every start; if there are several, a value
// without a kind.
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

// of returns the variable of a process, as in formulas. If only one process has
// it, the name of the process is omitted.
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
	case l.relation == itself, l.value == graphs.Boolean(true):
		return name
	case l.value == graphs.Boolean(false):
		return "!" + name
	}
	return fmt.Sprintf("%s %s %s", name, l.relation, l.value)
}

// holds reports whether the literal is true of a value.
func (l literal) holds(x graphs.Value) bool {
	switch l.relation {
	case equal, unequal:
		return x.Equal(l.value) == (l.relation == equal)
	}
	return x.Compare(l.value) > 0 == (l.relation == above)
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
// An event that changes only other variables does not begin a segment, so the work depends on the
// changes of states rather than on events. A shared variable has a chain of its own, because its
// assignments are ordered, but not by a process.
//
// The time complexity of chainsOf is O(a·log a + s·(v+k)) for a assignments, s segments, and k
// literals about v variables.
func (v *vocabulary) chainsOf(c *graphs.Computation) (all []chain) {
	for p := range c.NumProcesses() {
		all = v.addChain(all, c.VariablesOf(p))
	}
	for _, w := range c.VariablesOf(graphs.Shared) {
		all = v.addChain(all, []*graphs.Variable{w})
	}
	return all
}

// addChain adds a chain with the changes of some variables, if one of them is a state variable.
func (v *vocabulary) addChain(chains []chain, variables []*graphs.Variable) []chain {
	type change struct {
		event graphs.Event
		k, i  int // the indices of the state variable and of the assignment
	}
	var all []change
	h := chain{variables: make([]*graphs.Variable, len(v.states))}
	now := segment{begin: graphs.Bottom, truth: dense.NewSet(len(v.literals)), at: make([]int32, len(v.states))}
	assign := func(k, i int) {
		now.at[k] = int32(i)
		h.odd = h.odd || len(v.states[k].values) == 2 && !v.states[k].values[h.variables[k].Value(i)]
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
	// Events of a process are numbered in its order; a single variable has its changes in order.
	if len(variables) > 1 {
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

// value returns the value of a state variable in a segment; if the chain has no such variable, a value
// without a kind.
func (h *chain) value(s, k int) graphs.Value {
	if h.variables[k] == nil {
		return graphs.Value{}
	}
	return h.variables[k].Value(int(h.segments[s].at[k]))
}
