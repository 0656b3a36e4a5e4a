package rctl

import (
	"encoding/binary"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
)

// A treeRelation evaluates a program process by process, as an ist.Predicate: it
// splits the cuts by the values that its slots have. A state is a number for each
// slot: what it has read so far or, negative, the complement of the number of the
// value that it is certain to have.
type treeRelation struct {
	program *program
	slots   []treeSlot
	vars    []int // variables of the processes that matter, in increasing order
	breaks  map[int][]int32
	few     bool // there are so few states that bounds between processes would only make more

	values   []graphs.Value
	valueNo  map[graphs.Value]int32
	states   []int32 // those of all slots, state by state
	verdicts []int32 // by state: Accept, Reject, or the state's number
	stateNo  map[string]int32
	env      []graphs.Value
	now      []int32
	key      []byte
}

// A treeSlot reads a slot of a program.
type treeSlot interface {
	// vars lists the variables that are read.
	vars() []int
	// changes returns the values of v at which what is read there changes.
	changes(v int) []int32
	// read returns what has been read after value x of v, where it was before,
	// and whether it is certain, with all later variables between lo and hi.
	read(before int32, v int, x int32, lo, hi []int32) (after int32, certain bool)
	// value returns the value for what has been read, once it is certain.
	value(read int32) graphs.Value
	// size returns an upper bound of what can be read.
	size() int
}

// fewStates is the greatest number of states for which a relation is not told
// which values the causality of processes allows together.
const fewStates = 64

func newTreeRelation(s *treeSpace, p *program) *treeRelation {
	r := &treeRelation{
		program: p,
		breaks:  make(map[int][]int32),
		valueNo: make(map[graphs.Value]int32),
		stateNo: make(map[string]int32),
		env:     p.env(),
		now:     make([]int32, len(p.slots)),
	}
	states := 1
	for i, slot := range p.slots {
		t := newTreeSlot(s, p, slot)
		r.slots = append(r.slots, t)
		r.vars = append(r.vars, t.vars()...)
		states = min(states*(t.size()+1), fewStates+1)
		if len(t.vars()) == 0 {
			r.now[i] = ^r.number(slot.at(s.comp, s.comp.Initial()))
		}
	}
	r.state()
	r.few = states <= fewStates
	slices.Sort(r.vars)
	r.vars = slices.Compact(r.vars)
	for _, v := range r.vars {
		var at []int32
		for _, t := range r.slots {
			at = append(at, t.changes(v)...)
		}
		slices.Sort(at)
		r.breaks[v] = slices.Compact(at)
	}
	return r
}

func newTreeSlot(s *treeSpace, p *program, slot slot) treeSlot {
	switch {
	case slot.variable == nil:
		return newTreeChannel(s, slot)
	case slot.variable.Process == graphs.Shared:
		return newTreeShared(s, slot.variable, p)
	}
	return newTreeLocal(s, slot.variable)
}

// Breaks implements ist.Predicate.
func (r *treeRelation) Breaks(v int) []int32 { return r.breaks[v] }

// Next implements ist.Predicate.
func (r *treeRelation) Next(state int32, v int, x int32, lo, hi []int32) int32 {
	n := len(r.slots)
	copy(r.now, r.states[int(state)*n:])
	for i, t := range r.slots {
		if r.now[i] < 0 {
			continue
		}
		read, certain := t.read(r.now[i], v, x, lo, hi)
		if certain {
			read = ^r.number(t.value(read))
		}
		r.now[i] = read
	}
	return r.state()
}

// Bytes implements ist.Predicate.
func (r *treeRelation) Bytes() int64 {
	return int64(cap(r.states)+cap(r.verdicts))*4 + int64(len(r.stateNo))*int64(64+4*len(r.slots)) + int64(len(r.values))*96
}

func (r *treeRelation) number(x graphs.Value) int32 {
	n, ok := r.valueNo[x]
	if !ok {
		n = int32(len(r.values))
		r.values = append(r.values, x)
		r.valueNo[x] = n
	}
	return n
}

// state returns the verdict on what is in now or, where there is none yet, its
// number.
func (r *treeRelation) state() int32 {
	r.key = r.key[:0]
	certain := true
	for _, read := range r.now {
		r.key = binary.LittleEndian.AppendUint32(r.key, uint32(read))
		certain = certain && read < 0
	}
	if n, ok := r.stateNo[string(r.key)]; ok {
		return r.verdicts[n]
	}
	n := int32(len(r.verdicts))
	r.stateNo[string(r.key)] = n
	r.states = append(r.states, r.now...)
	verdict := n
	if certain {
		for i, read := range r.now {
			r.env[i] = r.values[^read]
		}
		verdict = ist.Reject
		if r.program.holds(r.env) {
			verdict = ist.Accept
		}
	}
	r.verdicts = append(r.verdicts, verdict)
	return verdict
}

// A treeLocal reads a variable of one process.
type treeLocal struct {
	variable int
	from     *graphs.Variable
	index    []int32 // by value: number of the last assignment, plus one
}

func newTreeLocal(s *treeSpace, from *graphs.Variable) *treeLocal {
	v := s.variable[from.Process]
	return &treeLocal{v, from, s.counts(v, from.Events())}
}

func (t *treeLocal) vars() []int { return only(t.variable) }

func (t *treeLocal) changes(v int) []int32 {
	if v != t.variable {
		return nil
	}
	return changes(t.index)
}

func (t *treeLocal) read(before int32, v int, x int32, _, _ []int32) (int32, bool) {
	if v != t.variable {
		return before, false
	}
	return t.index[x], true
}

func (t *treeLocal) value(read int32) graphs.Value { return t.from.Value(int(read) - 1) }

func (t *treeLocal) size() int {
	if t.variable < 0 {
		return 1
	}
	seen := make(map[graphs.Value]bool)
	for i := -1; i < t.from.Len() && len(seen) <= fewStates; i++ {
		seen[t.from.Value(i)] = true
	}
	return len(seen)
}

// A treeShared reads a shared variable. Its assignments are totally ordered, so
// that a cut with one of them has all before it: what counts is the last one. Once
// all that can be the last have the same value, or the same verdict where the
// program reads nothing else, it is certain.
type treeShared struct {
	list  []int // variables
	from  *graphs.Variable
	index map[int][]int32 // by variable and value: number of the last assignment there, plus one
	until []int32         // by number of an assignment, plus one: the first later one that differs
	first int32           // number of the last assignment in the initial cut, plus one
}

func newTreeShared(s *treeSpace, from *graphs.Variable, p *program) *treeShared {
	t := &treeShared{from: from, index: make(map[int][]int32)}
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
	same := func(i, j int) bool { return from.Value(i - 1).Equal(from.Value(j - 1)) }
	if len(p.slots) == 1 {
		same = func(i, j int) bool {
			return p.holds([]graphs.Value{from.Value(i - 1)}) == p.holds([]graphs.Value{from.Value(j - 1)})
		}
	}
	t.until = make([]int32, from.Len()+1)
	for i := from.Len(); i >= 0; i-- {
		switch {
		case i == from.Len():
			t.until[i] = int32(i) + 1
		case same(i, i+1):
			t.until[i] = t.until[i+1]
		default:
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

func (t *treeShared) value(read int32) graphs.Value { return t.from.Value(int(t.until[read]) - 2) }

func (t *treeShared) size() int { return t.from.Len() + 1 }

// A treeChannel counts the messages in transit from one process to another.
type treeChannel struct {
	list   []int           // variables
	count  map[int][]int32 // by variable and value: sent, or minus received, or both
	base   int32           // of processes without a variable
	offset int32           // keeps what is read from being negative
}

func newTreeChannel(s *treeSpace, slot slot) *treeChannel {
	t := &treeChannel{count: make(map[int][]int32), offset: int32(len(slot.recvs))}
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
	if count := t.count[v]; count != nil {
		if v == t.list[0] {
			before = t.base
		}
		before += count[x]
	}
	return before, v >= t.list[len(t.list)-1]
}

func (t *treeChannel) value(read int32) graphs.Value { return graphs.Int(int64(read - t.offset)) }

func (t *treeChannel) size() int {
	n := 1
	for _, v := range t.list {
		n = max(n, len(changes(t.count[v]))+1)
	}
	return n
}

// counts returns, for each value of a variable, how many of the events, all of its
// process and in order, have happened; nil where there is no variable.
func (s *treeSpace) counts(v int, events []graphs.Event) []int32 {
	if v < 0 {
		return nil
	}
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

func only(v int) []int {
	if v < 0 {
		return nil
	}
	return []int{v}
}
