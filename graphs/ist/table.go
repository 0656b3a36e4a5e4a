package ist

import "slices"

// A Table numbers keys, lists of integers of one length, in the order in which they
// are added: for a Predicate, its states.
//
//	(1) no two keys are equal
//	(2) no more than half of the index is in use
type Table struct {
	width int
	count int
	keys  []int32 // one after the other
	index []int32 // open addressing: number of a key, plus one; 0 is free
}

// NewTable returns an empty table of keys of a length.
func NewTable(width int) *Table { return &Table{width: width, index: make([]int32, 64)} }

// Key returns the key of a number. It must not be changed.
func (t *Table) Key(at int32) []int32 { return t.keys[int(at)*t.width : (int(at)+1)*t.width] }

// Find returns the number of a key, and whether the table has it; if not, that which
// Add would give it. The time complexity of Find is O(width).
func (t *Table) Find(key []int32) (at int32, found bool) {
	mask := uint64(len(t.index) - 1)
	for i := hashKey(key) & mask; t.index[i] != 0; i = (i + 1) & mask {
		if at := t.index[i] - 1; slices.Equal(t.Key(at), key) {
			return at, true
		}
	}
	return int32(t.count), false
}

// Add adds a key that the table does not have.
func (t *Table) Add(key []int32) {
	if t.count == t.room() {
		t.keys = append(make([]int32, 0, t.nextRoom()*t.width), t.keys...)
	}
	if 2*(t.count+1) > len(t.index) {
		t.index = make([]int32, 2*len(t.index))
		for at := range t.count {
			t.place(int32(at))
		}
	}
	t.keys = append(t.keys, key...)
	t.count++
	t.place(int32(t.count) - 1)
}

// place puts a number into the index.
func (t *Table) place(at int32) {
	mask := uint64(len(t.index) - 1)
	i := hashKey(t.Key(at)) & mask
	for t.index[i] != 0 {
		i = (i + 1) & mask
	}
	t.index[i] = at + 1
}

// room returns how many keys there is room for, nextRoom how many there will be
// once that is taken.
func (t *Table) room() int     { return cap(t.keys) / t.width }
func (t *Table) nextRoom() int { return t.count + t.count/2 + 16 }

// Bytes returns the memory that the table holds.
func (t *Table) Bytes() int64 { return int64(cap(t.keys)+len(t.index)) * 4 }

// Growth returns the memory that the next Add allocates; what it replaces is held
// until then.
func (t *Table) Growth() int64 {
	n := 0
	if t.count == t.room() {
		n += t.nextRoom() * t.width
	}
	if 2*(t.count+1) > len(t.index) {
		n += 2 * len(t.index)
	}
	return int64(n) * 4
}

func hashKey(key []int32) uint64 {
	h := uint64(len(key))
	for _, x := range key {
		h = (h ^ uint64(uint32(x))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}
