package sat

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
)

// A column is what an atom reads of one chain, state by state: a tuple of values, one for each slot.
// Equal tuples are one class.
//
//	(1) run i lasts from state starts[i] to the state before starts[i+1], and the last run to the
//	    chain's state at the final cut; starts[0] is the state at the initial cut
//	(2) class[i] is the class of run i, and its neighbours have another one
//	(3) the classes are 0, 1, …, len(tuples)-1, numbered as they first occur
type column struct {
	chain  atoms.Chain
	last   int32 // the state at the final cut
	starts []int32
	class  []int32
	tuples [][]graphs.Value

	runs   [][]int32 // by class
	sorted []int32   // classes by value, see sort
	rank   []int32   // by class: its index in sorted
	rises  bool      // the value never decreases
	falls  bool      // the value never increases
}

// newColumn returns the column of slots of one chain.
func newColumn(c *graphs.Computation, slots []atoms.Slot) *column {
	h := slots[0].Chain()
	first, last := h.Bounds(c)
	k := &column{chain: h, last: last, starts: []int32{first}}
	// Tuples are paths of a tree, and numbered by the node where they end: next has the edges, and at
	// the tuple of each node, nil for inner ones.
	next := make(map[element]int32)
	at := [][]graphs.Value{nil}
	number := func(tuple []graphs.Value) int32 {
		n := int32(0)
		for _, v := range tuple {
			n = once(next, element{n, v}, func() int32 {
				at = append(at, nil)
				return int32(len(at)) - 1
			})
		}
		if at[n] == nil {
			at[n] = slices.Clone(tuple)
		}
		return n
	}
	numbers := atoms.Along(&atoms.Function[int32]{Slots: slots, Of: number}).Between(c)
	assignment := 0 // the next assignment of a shared variable
	for _, e := range numbers.Events {
		if h.Shared == nil {
			k.starts = append(k.starts, int32(c.Position(e)))
			continue
		}
		for h.Shared.Event(assignment) != e {
			assignment++
		}
		k.starts = append(k.starts, int32(assignment)+1)
	}
	classes := make([]int32, len(at)) // by number of the tuple, counted from 1
	for _, n := range numbers.Values {
		if classes[n] == 0 {
			k.tuples = append(k.tuples, at[n])
			classes[n] = int32(len(k.tuples))
		}
		k.class = append(k.class, classes[n]-1)
	}
	return k
}

// An element is an edge of a tree of tuples: the value that comes after a node.
type element struct {
	after int32
	value graphs.Value
}

// span returns the states of run i.
func (k *column) span(i int32) span {
	if int(i)+1 < len(k.starts) {
		return span{k.starts[i], k.starts[i+1]}
	}
	return span{k.starts[i], k.last + 1}
}

// at returns the run that the chain is in at a cut.
func (k *column) at(c *graphs.Computation, cut graphs.Cut) int {
	i, ok := slices.BinarySearch(k.starts, k.chain.State(c, cut))
	if !ok {
		i--
	}
	return i
}

// begin returns the event that leads to run i.
func (k *column) begin(c *graphs.Computation, i int) graphs.Event {
	return k.chain.Event(c, k.starts[i])
}

// runsOf returns the runs of a class.
func (k *column) runsOf(class int32) []int32 {
	if k.runs == nil {
		k.runs = make([][]int32, len(k.tuples))
		for i, class := range k.class {
			k.runs[class] = append(k.runs[class], int32(i))
		}
	}
	return k.runs[class]
}

// where returns the states of the classes that satisfy a condition.
func (k *column) where(holds func(class int32) bool) states {
	var chosen [2][]int32 // classes for which it does not hold, and does
	var count [2]int      // their runs
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
	var spans []span
	for _, class := range chosen[fewer] {
		for _, i := range k.runs[class] {
			spans = append(spans, k.span(i))
		}
	}
	return states{merge(spans), fewer == 0}
}

// sort orders the classes of a column of numbers.
func (k *column) sort() {
	if k.sorted != nil {
		return
	}
	for class := range k.tuples {
		k.sorted = append(k.sorted, int32(class))
	}
	slices.SortFunc(k.sorted,
		func(a, b int32) int { return k.tuples[a][0].Compare(k.tuples[b][0]) })
	k.rank = make([]int32, len(k.tuples))
	for i, class := range k.sorted {
		k.rank[class] = int32(i)
	}
	// Many counters only rise: then "the value is at least x" is "the cut has the event
	// that makes it x".
	less := func(a, b int32) int { return cmp.Compare(k.rank[a], k.rank[b]) }
	k.rises = slices.IsSortedFunc(k.class, less)
	k.falls = slices.IsSortedFunc(k.class, func(a, b int32) int { return less(b, a) })
}

// numbers reports whether the column has one slot, of numbers.
func (k *column) numbers() bool {
	return len(k.tuples[0]) == 1 && k.tuples[0][0].Kind == graphs.Number
}
