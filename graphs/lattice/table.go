package lattice

// A table is the set of the packed cuts of one level, numbered in the order in
// which they were added.
type table struct {
	words int
	keys  []uint64 // words of cut 0, of cut 1, …
	count int32
	slots []int32 // number+1 of a cut, 0 for none; a power of two of them, at most half of them used
}

// reset empties t and prepares it for about n cuts.
func (t *table) reset(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	t.keys = t.keys[:0]
	t.count = 0
	if size > cap(t.slots) {
		t.slots = make([]int32, size)
		return
	}
	t.slots = t.slots[:size]
	clear(t.slots)
}

func hash(key []uint64) uint64 {
	h := uint64(0)
	for _, k := range key {
		h ^= k
		h *= 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// find returns the slot of key: where it is, or where it would be.
func (t *table) find(key []uint64) (slot uint64, found bool) {
	mask := uint64(len(t.slots) - 1)
next:
	for slot = hash(key) & mask; ; slot = (slot + 1) & mask {
		i := int(t.slots[slot])
		if i == 0 {
			return slot, false
		}
		at := (i - 1) * t.words
		for w, k := range key {
			if t.keys[at+w] != k {
				continue next
			}
		}
		return slot, true
	}
}

// number returns the number of key, which must be in t.
func (t *table) number(key []uint64) int32 {
	slot, _ := t.find(key)
	return t.slots[slot] - 1
}

// add adds key where it is new.
func (t *table) add(key []uint64) {
	slot, found := t.find(key)
	if found {
		return
	}
	t.keys = append(t.keys, key...)
	t.count++
	t.slots[slot] = t.count
	if 2*int(t.count) > len(t.slots) {
		t.rehash(2 * len(t.slots))
	}
}

func (t *table) rehash(size int) {
	t.slots = make([]int32, size)
	mask := uint64(size - 1)
	for i := range t.count {
		slot := hash(t.keys[int(i)*t.words:(int(i)+1)*t.words]) & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = i + 1
	}
}

// adopt makes t the set of the given cuts, which are all different.
func (t *table) adopt(keys []uint64) {
	n := len(keys) / t.words
	t.reset(n)
	t.keys, t.count = keys, int32(n)
	t.rehash(len(t.slots))
}

func (t *table) bytes() int64 { return int64(cap(t.keys))*8 + int64(cap(t.slots))*4 }
