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

// chainsOf cuts the history of a computation into segments, for the variables of a vocabulary. It
// also returns the columns of these.
//
// For example, let literal 0 be cs. A process that assigns cs=true at its event 3, and cs=false at
// 5, has the segments
//
//	begin ⊥  truth {}
//	begin 3  truth {0}
//	begin 5  truth {}
//
// An event that assigns other variables only does not begin a segment, so the work depends on the
// changes of states rather than on events. A shared variable has a chain of its own: no process
// orders its assignments, the variable does.
//
// The time complexity of chainsOf is O(a·log a + s·v·k/64) for a assignments, s segments, and k
// literals about v variables.
func (v *vocabulary) chainsOf(c *graphs.Computation) ([]chain, []*column) {
	var columns []*column
	for _, x := range v.states {
		col := &column{v: v, variable: x, codes: make(map[graphs.Value]int32)}
		col.code(graphs.Value{})
		columns = append(columns, col)
	}
	var chains []chain
	for p, name := range c.Processes() {
		chains = addChain(chains, columns, p, name, c.VariablesOf(p))
	}
	for _, w := range c.VariablesOf(graphs.Shared) {
		chains = addChain(chains, columns, graphs.Shared, w.Name, []*graphs.Variable{w})
	}
	return chains, columns
}

// A column has the values of a variable in a run, and what literals say of each. Values have codes,
// in order of appearance, so that a segment needs four bytes for one, and literals look at each
// once. Code 0 stands for no value.
type column struct {
	v        *vocabulary
	variable *variable
	codes    map[graphs.Value]int32
	values   []graphs.Value // by code
	truths   []dense.Set    // by code
}

// code returns the code of a value.
func (col *column) code(x graphs.Value) int32 {
	code, known := col.codes[x]
	if known {
		return code
	}
	code = int32(len(col.values))
	truth := dense.NewSet(len(col.v.literals))
	for i, l := range col.v.literals {
		if l.variable == col.variable && x.Kind != graphs.NoKind && l.holds(x) {
			truth.Add(i)
		}
	}
	col.codes[x] = code
	col.values, col.truths = append(col.values, x), append(col.truths, truth)
	return code
}

// addChain merges the assignments of some variables to a chain, if there is a column for one of
// them.
func addChain(chains []chain, columns []*column, process int, name string, variables []*graphs.Variable) []chain {
	type assignment struct {
		event graphs.Event
		k     int // of the column
		code  int32
	}
	var all []assignment
	codes := make([]int32, len(columns))
	for _, w := range variables {
		k := slices.IndexFunc(columns, func(col *column) bool { return col.variable.name == w.Name })
		if k < 0 || w.Skipped() || w.Kind != columns[k].variable.kind {
			continue
		}
		codes[k] = columns[k].code(w.Init)
		for i := range w.Len() {
			all = append(all, assignment{w.Event(i), k, columns[k].code(w.Value(i))})
		}
	}
	if slices.Max(append(codes, 0)) == 0 {
		return chains
	}
	// Events of a process are numbered in its order. A shared variable is alone, and has its own.
	if process != graphs.Shared {
		slices.SortStableFunc(all, func(x, y assignment) int { return cmp.Compare(x.event, y.event) })
	}
	h := chain{process: process, name: name}
	begin := func(e graphs.Event) {
		s := segment{begin: e, codes: slices.Clone(codes), truth: slices.Clone(columns[0].truths[codes[0]])}
		for k, code := range codes {
			s.truth.AddAll(columns[k].truths[code])
		}
		h.segments = append(h.segments, s)
	}
	begin(graphs.Bottom)
	for i, x := range all {
		codes[x.k] = x.code
		// An event may assign several variables. A segment begins only after the last of them,
		// because no cut lies between.
		last := i+1 == len(all) || all[i+1].event != x.event
		if last && !slices.Equal(codes, h.segments[len(h.segments)-1].codes) {
			begin(x.event)
		}
	}
	return append(chains, h)
}
