package infer

import (
	"cmp"
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

// A literal is a condition on one variable of a process: a Boolean, x == value, x != value, or x > 0.
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
	keys      []*variable // whose values look like ids
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
func vocabularyOf(runs []Run) *vocabulary {
	v := &vocabulary{variables: variablesOf(runs)}
	for _, x := range v.variables {
		if x.field || !x.changes || len(v.literals) > maxLiterals {
			continue
		}
		if x.kind != graphs.Bool && len(x.values) > 1 && len(v.tracked) < maxTracked {
			v.tracked = append(v.tracked, x)
		}
		v.addLiterals(x, len(runs))
	}
	v.sortsOf(runs)
	return v
}

// addLiterals adds the literals of one variable.
func (v *vocabulary) addLiterals(x *variable, runs int) {
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
		zero := graphs.Int(0)
		if x.values[zero] && x.lowest(runs).Equal(zero) {
			v.addPair(x, above, zero, zero)
		} else if low := x.lowest(runs); low.Kind != graphs.NoKind {
			v.addPair(x, equal, low, low)
		}
		if high := x.highest(runs); high.Kind != graphs.NoKind {
			v.addPair(x, equal, high, high)
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
	// Of two states, all may begin with one. Of several, each is worth naming, and its negation is not.
	if !(r == equal && value == other) {
		l.rest = len(x.inits) > 0
		for init := range x.inits {
			l.rest = l.rest && l.holds(init)
		}
		negation.rest = !l.rest
	}
	v.literals = append(v.literals, l, negation)
}

// first returns the value that the variable has everywhere at the start, a value without a kind where
// there are several.
func (x *variable) first() graphs.Value {
	for value := range x.inits {
		if len(x.inits) == 1 {
			return value
		}
	}
	return graphs.Value{}
}

// lowest and highest return the extreme value of a number, where all runs have the same.
func (x *variable) lowest(runs int) graphs.Value  { return sole(x.least, runs) }
func (x *variable) highest(runs int) graphs.Value { return sole(x.most, runs) }

func sole(of map[graphs.Value]int, runs int) graphs.Value {
	for value, n := range of {
		if n == runs {
			return value
		}
	}
	return graphs.Value{}
}

// sorted returns the values in a fixed order.
func (x *variable) sorted() []graphs.Value {
	var all []graphs.Value
	for value := range x.values {
		all = append(all, value)
	}
	slices.SortFunc(all, func(a, b graphs.Value) int {
		if x.kind == graphs.Number {
			return a.Compare(b)
		}
		return cmp.Compare(a.String(), b.String())
	})
	return all
}

// of returns the variable of a process, as in formulas. One that a single process has needs no name.
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

// chainsOf cuts the history of a computation into segments, for the literals and numbers of a
// vocabulary.
func (v *vocabulary) chainsOf(c *graphs.Computation) []chain {
	var all []chain
	kinds := make(map[string]int)
	of := make(map[string][]int)
	for l := range v.literals {
		of[v.literals[l].variable.name] = append(of[v.literals[l].variable.name], l)
	}
	number := make(map[string]int)
	for i, x := range v.tracked {
		number[x.name] = i
	}
	tracked := func(w *graphs.Variable) bool {
		_, counts := number[w.Name]
		return (of[w.Name] != nil || counts) && !w.Skipped()
	}
	add := func(process int, name string, variables []*graphs.Variable) {
		variables = slices.DeleteFunc(slices.Clone(variables), func(w *graphs.Variable) bool { return !tracked(w) })
		if len(variables) == 0 {
			return
		}
		b := chainBuilder{v: v, c: c, of: of, number: number, kinds: kinds}
		all = append(all, b.build(process, name, variables))
	}
	for p, name := range c.Processes() {
		add(p, name, c.VariablesOf(p))
	}
	for _, w := range c.VariablesOf(graphs.Shared) {
		add(graphs.Shared, w.Name, []*graphs.Variable{w})
	}
	return all
}

// A chainBuilder makes the segments of chains.
type chainBuilder struct {
	v      *vocabulary
	c      *graphs.Computation
	of     map[string][]int // literals by the name of their variable
	number map[string]int
	kinds  map[string]int // numbers of the sets of literals so far
}

// build merges the assignments of some variables of a chain.
func (b *chainBuilder) build(process int, name string, variables []*graphs.Variable) chain {
	h := chain{process: process, name: name}
	truth := newSet(len(b.v.literals))
	values := make([]graphs.Value, len(b.v.tracked))
	assign := func(w *graphs.Variable, x graphs.Value) (changed bool) {
		for _, l := range b.of[w.Name] {
			literal := b.v.literals[l]
			if holds := x.Kind == w.Kind && literal.variable.kind == w.Kind && literal.holds(x); holds != truth.has(l) {
				truth[l/64] ^= 1 << (l % 64)
				changed = true
			}
		}
		if i, ok := b.number[w.Name]; ok && values[i] != x {
			values[i], changed = x, true
		}
		return changed
	}
	end := func(e graphs.Event) {
		start := int32(len(h.segments))
		if process != graphs.Shared && e != graphs.Bottom {
			start = int32(b.c.Position(e))
		}
		key := truth.key()
		if _, known := b.kinds[key]; !known {
			b.kinds[key] = len(b.kinds)
		}
		h.segments = append(h.segments, segment{
			begin:  e,
			start:  start,
			truth:  slices.Clone(truth),
			kind:   b.kinds[key],
			values: slices.Clone(values),
		})
		if e != graphs.Bottom {
			h.events = append(h.events, e)
		}
	}
	for _, w := range variables {
		assign(w, w.Init)
	}
	end(graphs.Bottom)
	next := make([]int, len(variables))
	for {
		// The next event of the chain that assigns one of the variables.
		var e graphs.Event
		for i, w := range variables {
			if next[i] < w.Len() && (e == graphs.Bottom || before(b.c, process, w.Event(next[i]), e)) {
				e = w.Event(next[i])
			}
		}
		if e == graphs.Bottom {
			return h
		}
		changed := false
		for i, w := range variables {
			for next[i] < w.Len() && w.Event(next[i]) == e {
				changed = assign(w, w.Value(next[i])) || changed
				next[i]++
			}
		}
		if changed {
			end(e)
		}
	}
}

// before reports whether e comes before f on a chain. A shared variable alone is a chain, so that
// nothing has to be merged there.
func before(c *graphs.Computation, process int, e, f graphs.Event) bool {
	return process != graphs.Shared && c.Position(e) < c.Position(f)
}

// key returns a text that is equal for equal sets.
func (s set) key() string {
	text := make([]byte, 0, 8*len(s))
	for _, word := range s {
		for k := 0; k < 64; k += 8 {
			text = append(text, byte(word>>k))
		}
	}
	return string(text)
}
