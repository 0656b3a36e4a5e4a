package rctl

import (
	"cmp"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A satColumn is what an expression reads of one chain, state by state: a tuple
// of values, one of each of its sources. Equal tuples are one class.
//
//	(1) run i lasts from state starts[i] to the state before starts[i+1], the last
//	    one to the chain's last state; starts[0] is its first
//	(2) class[i] is the class of run i, that of its neighbours another
//	(3) the classes are 0, 1, …, len(tuples)-1, each that of some run
type satColumn struct {
	chain  satChain
	last   int32 // state
	starts []int32
	class  []int32
	tuples [][]graphs.Value

	runs   [][]int32 // of each class
	sorted []int32   // classes by value, and the place of each class among them
	rank   []int32
	rising bool // the value never decreases
	sinks  bool // the value never increases
}

// A satSource is where a value comes from: an assigned variable, or the number
// of those of some events that have happened.
type satSource struct {
	variable *graphs.Variable
	events   []graphs.Event
	slot     int // of the program that reads it
	sign     int // of a count: messages sent count up, those received down
}

// chainOf returns the chain along which the value changes; there is none for the
// count of no events.
func (s satSource) chainOf(c *graphs.Computation) (satChain, bool) {
	switch {
	case s.variable == nil && len(s.events) == 0:
		return satChain{}, false
	case s.variable == nil:
		return satChain{process: c.Process(s.events[0])}, true
	case s.variable.Process == graphs.Shared:
		return satChain{process: graphs.Shared, shared: s.variable}, true
	}
	return satChain{process: s.variable.Process}, true
}

// readColumn returns the column of one source.
func readColumn(c *graphs.Computation, h satChain, s satSource) *satColumn {
	first, last := h.bounds(c)
	b := newColumnBuilder(h, last)
	if s.variable == nil {
		n := within(c, s.events, c.Initial())
		b.add(first, []graphs.Value{graphs.Int(int64(n))})
		for n < len(s.events) && c.Has(c.Final(), s.events[n]) {
			at := s.events[n]
			for n < len(s.events) && s.events[n] == at {
				n++
			}
			b.add(int32(c.Position(at)), []graphs.Value{graphs.Int(int64(n))})
		}
		return b.column
	}
	v := s.variable
	i := v.Last(c, c.Initial())
	b.add(first, []graphs.Value{v.Value(i)})
	for i++; i < v.Len() && c.Has(c.Final(), v.Event(i)); i++ {
		state := int32(i) + 1
		if h.shared == nil {
			state = int32(c.Position(v.Event(i)))
		}
		b.add(state, []graphs.Value{v.Value(i)})
	}
	return b.column
}

// joinColumns returns the column of all sources of several columns of one chain.
func joinColumns(columns []*satColumn) *satColumn {
	if len(columns) == 1 {
		return columns[0]
	}
	b := newColumnBuilder(columns[0].chain, columns[0].last)
	at := make([]int, len(columns))
	for state := columns[0].starts[0]; ; {
		var tuple []graphs.Value
		next := int32(math.MaxInt32)
		for i, k := range columns {
			for at[i]+1 < len(k.starts) && k.starts[at[i]+1] <= state {
				at[i]++
			}
			if at[i]+1 < len(k.starts) {
				next = min(next, k.starts[at[i]+1])
			}
			tuple = append(tuple, k.tuples[k.class[at[i]]]...)
		}
		b.add(state, tuple)
		if next == math.MaxInt32 {
			return b.column
		}
		state = next
	}
}

type columnBuilder struct {
	column *satColumn
	single map[graphs.Value]int32
	tuples map[string]int32
}

func newColumnBuilder(h satChain, last int32) *columnBuilder {
	return &columnBuilder{column: &satColumn{chain: h, last: last}, single: map[graphs.Value]int32{}, tuples: map[string]int32{}}
}

// add appends the state at which a tuple is assigned.
func (b *columnBuilder) add(state int32, tuple []graphs.Value) {
	k := b.column
	class, ok := b.find(tuple)
	if !ok {
		class = int32(len(k.tuples))
		k.tuples = append(k.tuples, tuple)
		b.learn(tuple, class)
	}
	n := len(k.class)
	switch {
	case n > 0 && k.class[n-1] == class:
		return
	case n > 0 && k.starts[n-1] == state:
		panic("this cannot happen, because an event assigns a variable once")
	}
	k.starts = append(k.starts, state)
	k.class = append(k.class, class)
}

func (b *columnBuilder) find(tuple []graphs.Value) (class int32, ok bool) {
	if len(tuple) == 1 {
		class, ok = b.single[canonical(tuple[0])]
		return class, ok
	}
	class, ok = b.tuples[tupleKey(tuple)]
	return class, ok
}

func (b *columnBuilder) learn(tuple []graphs.Value, class int32) {
	if len(tuple) == 1 {
		b.single[canonical(tuple[0])] = class
	} else {
		b.tuples[tupleKey(tuple)] = class
	}
}

// canonical returns a value that is == to that of every equal value.
func canonical(v graphs.Value) graphs.Value {
	if f := v.Float64(); v.Float && f == math.Trunc(f) && -1<<63 <= f && f < 1<<63 {
		return graphs.Int(int64(f))
	}
	return v
}

func tupleKey(tuple []graphs.Value) string {
	var key []byte
	for _, v := range tuple {
		key = append(key, canonical(v).String()...)
		key = append(key, 0)
	}
	return string(key)
}

// end returns the state after run i.
func (k *satColumn) end(i int32) int32 {
	if int(i)+1 < len(k.starts) {
		return k.starts[i+1]
	}
	return k.last + 1
}

// run returns the run that a state is in.
func (k *satColumn) run(state int32) int32 {
	i, ok := slices.BinarySearch(k.starts, state)
	if !ok {
		i--
	}
	return int32(i)
}

func (k *satColumn) runsOf(class int32) []int32 {
	if k.runs == nil {
		k.runs = make([][]int32, len(k.tuples))
		for i, class := range k.class {
			k.runs[class] = append(k.runs[class], int32(i))
		}
	}
	return k.runs[class]
}

// where returns the states of the classes for which holds.
func (k *satColumn) where(holds func(class int32) bool) satSet {
	var chosen [2][]int32 // classes for which it does not hold, and does
	var count [2]int
	for class := range int32(len(k.tuples)) {
		i := 0
		if holds(class) {
			i = 1
		}
		chosen[i] = append(chosen[i], class)
		count[i] += len(k.runsOf(class))
	}
	fewer := 1
	if count[0] < count[1] {
		fewer = 0
	}
	var spans []satSpan
	for _, class := range chosen[fewer] {
		for _, i := range k.runs[class] {
			spans = append(spans, satSpan{k.starts[i], k.end(i)})
		}
	}
	return satSet{mergeSpans(spans), fewer == 0}
}

// sort orders the classes of a column of numbers.
func (k *satColumn) sort() {
	if k.sorted != nil {
		return
	}
	for class := range k.tuples {
		k.sorted = append(k.sorted, int32(class))
	}
	slices.SortFunc(k.sorted, func(a, b int32) int { return k.tuples[a][0].Compare(k.tuples[b][0]) })
	k.rank = make([]int32, len(k.tuples))
	for i, class := range k.sorted {
		k.rank[class] = int32(i)
	}
	less := func(a, b int32) int { return cmp.Compare(k.rank[a], k.rank[b]) }
	k.rising = slices.IsSortedFunc(k.class, less)
	k.sinks = slices.IsSortedFunc(k.class, func(a, b int32) int { return less(b, a) })
}

// numbers reports whether the column has one source, of numbers.
func (k *satColumn) numbers() bool {
	return len(k.tuples[0]) == 1 && k.tuples[0][0].Kind == graphs.Number
}
