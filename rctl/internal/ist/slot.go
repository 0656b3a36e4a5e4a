package rctl

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A treeSlot is what a leaf of a formula reads: one chain of events, or a channel.
type treeSlot interface {
	// vars lists the variables that are read, in increasing order.
	vars() []int
	// changes returns the values of v at which what is read there changes.
	changes(v int) []int32
	// read returns what has been read after value x of v, where it was before,
	// at first 0, and whether it is certain, with all later variables between lo
	// and hi. Where there is no variable to read, v is -1.
	read(before int32, v int, x int32, lo, hi []int32) (after int32, certain bool)
	// values returns the values for all that can have been read, once it is
	// certain.
	values() []graphs.Value
}

// A treeLocal reads something of one process.
type treeLocal struct {
	variable int
	index    []int32 // by value of the variable: number of the value read
	list     []graphs.Value
}

// newTreeLocal reads what of makes of slots that are variables of one process.
func newTreeLocal(s *treeSpace, slots []slot, of value) *treeLocal {
	p := slots[0].variable.Process
	t := &treeLocal{variable: s.variable[p], index: []int32{0}}
	if t.variable >= 0 {
		t.index = make([]int32, s.tops[t.variable]+1)
	}
	number := make(map[graphs.Value]int32)
	env := make([]graphs.Value, len(slots))
	next := make([]int, len(slots))
	for x := range t.index {
		position := s.comp.Initial()[p] + int32(x)
		changed := x == 0
		for i, slot := range slots {
			for next[i] < slot.variable.Len() && int32(s.comp.Position(slot.variable.Event(next[i]))) <= position {
				next[i]++
				changed = true
			}
			env[i] = slot.variable.Value(next[i] - 1)
		}
		if !changed {
			t.index[x] = t.index[x-1]
			continue
		}
		value := of(env)
		n, ok := number[value]
		if !ok {
			n = int32(len(t.list))
			number[value] = n
			t.list = append(t.list, value)
		}
		t.index[x] = n
	}
	return t
}

func (t *treeLocal) vars() []int {
	if t.variable < 0 {
		return nil
	}
	return []int{t.variable}
}

func (t *treeLocal) changes(int) []int32 { return changes(t.index) }

func (t *treeLocal) read(before int32, v int, x int32, _, _ []int32) (int32, bool) {
	if v != t.variable {
		return before, false
	}
	return t.index[x], true
}

func (t *treeLocal) values() []graphs.Value { return t.list }

// A treeShared reads something of a shared variable. Its assignments are totally
// ordered, so that a cut with one of them has all before it: what counts is the
// last one. Once all that can be the last are read alike, that is certain.
type treeShared struct {
	list  []int           // variables
	index map[int][]int32 // by variable and value: number of the last assignment there, plus one
	until []int32         // by number of an assignment, plus one: the first later one that is read differently
	first int32           // number of the last assignment in the initial cut, plus one
	reads []graphs.Value  // by number of an assignment, plus one
}

func newTreeShared(s *treeSpace, from *graphs.Variable, of value) *treeShared {
	t := &treeShared{index: make(map[int][]int32)}
	t.first = int32(from.Last(s.comp, s.comp.Initial())) + 1
	for i, e := range from.Events() {
		v := s.variable[s.comp.Process(e)]
		if v < 0 || s.comp.Has(s.comp.Initial(), e) || !s.comp.Has(s.comp.Final(), e) {
			continue
		}
		if t.index[v] == nil {
			t.list = append(t.list, v)
			t.index[v] = make([]int32, s.tops[v]+1)
		}
		t.index[v][s.position(e)] = int32(i) + 1
	}
	for _, index := range t.index {
		for x := 1; x < len(index); x++ {
			index[x] = max(index[x], index[x-1])
		}
	}
	slices.Sort(t.list)
	for i := range from.Len() + 1 {
		t.reads = append(t.reads, of([]graphs.Value{from.Value(i - 1)}))
	}
	t.until = make([]int32, len(t.reads))
	for i := len(t.reads) - 1; i >= 0; i-- {
		if i+1 < len(t.reads) && t.reads[i].Equal(t.reads[i+1]) {
			t.until[i] = t.until[i+1]
		} else {
			t.until[i] = int32(i) + 1
		}
	}
	return t
}

func (t *treeShared) vars() []int { return t.list }

func (t *treeShared) changes(v int) []int32 { return changes(t.index[v]) }

func (t *treeShared) read(before int32, v int, x int32, lo, hi []int32) (int32, bool) {
	least := max(before, t.first)
	if index := t.index[v]; index != nil {
		least = max(least, index[x])
	}
	most := least
	for _, w := range t.list {
		if w > v {
			least = max(least, t.index[w][lo[w]])
			most = max(most, t.index[w][hi[w]])
		}
	}
	return least, max(most, least) < t.until[least]
}

func (t *treeShared) values() []graphs.Value { return t.reads }

// A treeChannel counts the messages in transit from one process to another.
type treeChannel struct {
	list   []int           // variables
	count  map[int][]int32 // by variable and value: sent, or minus received, or both
	base   int32           // of processes without a variable
	offset int32           // keeps what is read from being negative
	most   int32
}

func newTreeChannel(s *treeSpace, slot slot) *treeChannel {
	t := &treeChannel{count: make(map[int][]int32), offset: int32(len(slot.recvs)), most: int32(len(slot.sends))}
	add := func(events []graphs.Event, sign int32) {
		if len(events) == 0 {
			return
		}
		v := s.variable[s.comp.Process(events[0])]
		if v < 0 {
			t.base += sign * int32(within(s.comp, events, s.comp.Initial()))
			return
		}
		if t.count[v] == nil {
			t.list = append(t.list, v)
			t.count[v] = make([]int32, s.tops[v]+1)
		}
		for x, n := range s.counts(v, events) {
			t.count[v][x] += sign * n
		}
	}
	add(slot.sends, 1)
	add(slot.recvs, -1)
	slices.Sort(t.list)
	t.base += t.offset
	return t
}

func (t *treeChannel) vars() []int { return t.list }

func (t *treeChannel) changes(v int) []int32 { return changes(t.count[v]) }

func (t *treeChannel) read(before int32, v int, x int32, _, _ []int32) (int32, bool) {
	if len(t.list) == 0 {
		return t.base, true
	}
	if count := t.count[v]; count != nil {
		if v == t.list[0] {
			before = t.base
		}
		before += count[x]
	}
	return before, v >= t.list[len(t.list)-1]
}

// values returns those in tuples that are no cuts, too, where more is received
// than sent.
func (t *treeChannel) values() []graphs.Value {
	var all []graphs.Value
	for n := -t.offset; n <= t.most; n++ {
		all = append(all, graphs.Int(int64(n)))
	}
	return all
}

// counts returns, for each value of a variable, how many of the events, all of its
// process and in order, have happened.
func (s *treeSpace) counts(v int, events []graphs.Event) []int32 {
	counts := make([]int32, s.tops[v]+1)
	p := s.process[v]
	n := 0
	for x := range counts {
		for n < len(events) && int32(s.comp.Position(events[n])) <= s.comp.Initial()[p]+int32(x) {
			n++
		}
		counts[x] = int32(n)
	}
	return counts
}

// position returns the value of its process's variable once e has happened.
func (s *treeSpace) position(e graphs.Event) int32 {
	return int32(s.comp.Position(e)) - s.comp.Initial()[s.comp.Process(e)]
}

// changes returns where neighbours in a list differ.
func changes(list []int32) []int32 {
	var at []int32
	for x := 1; x < len(list); x++ {
		if list[x] != list[x-1] {
			at = append(at, int32(x))
		}
	}
	return at
}
