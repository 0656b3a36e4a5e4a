package dense

import "unsafe"

// A Table numbers keys in the order of addition. Keys are lists of numbers, all of one length.
//
//	(1) no two keys are equal
//	(2) the length of the index is a power of two, and at most half of it is in use
type Table[K int32 | uint64] struct {
	width int
	count int
	keys  []K     // the keys, concatenated
	index []int32 // a hash table with open addressing: the number of a key plus one; 0 if free
}

// NewTable returns an empty table of keys of length width.
func NewTable[K int32 | uint64](width int) *Table[K] {
	t := &Table[K]{width: width}
	t.Reset(8)
	return t
}

// Reset empties t, and makes its index large enough for n keys.
func (t *Table[K]) Reset(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	t.keys, t.count = t.keys[:0], 0
	if size > cap(t.index) {
		t.index = make([]int32, size)
		return
	}
	t.index = t.index[:size]
	clear(t.index)
}

// Adopt makes t the table of the given keys, which are concatenated and must be distinct. It keeps
// the slice; nothing may be added to t afterwards.
func (t *Table[K]) Adopt(keys []K) {
	t.Reset(len(keys) / t.width)
	t.keys, t.count = keys, len(keys)/t.width
	t.placeAll()
}

// Len returns the number of keys.
func (t *Table[K]) Len() int { return t.count }

// Key returns the key of a number. Keys returns all keys, concatenated in order. The slices must
// not be changed.
func (t *Table[K]) Key(at int) []K { return t.keys[at*t.width : (at+1)*t.width] }
func (t *Table[K]) Keys() []K      { return t.keys }

// slot returns the position of a key in the index, or the free position where Add would put it.
func (t *Table[K]) slot(key []K) uint64 {
	mask := uint64(len(t.index) - 1)
next:
	for i := hash(key) & mask; ; i = (i + 1) & mask {
		n := int(t.index[i])
		if n == 0 {
			return i
		}
		start := (n - 1) * t.width
		for w, k := range key {
			if t.keys[start+w] != k {
				continue next
			}
		}
		return i
	}
}

func hash[K int32 | uint64](key []K) uint64 {
	h := uint64(0)
	for _, k := range key {
		h ^= uint64(k)
		h *= 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// Find returns the number of a key, and whether the table has it. If not, at is the number that Add
// would give it.
func (t *Table[K]) Find(key []K) (at int32, found bool) {
	if n := t.index[t.slot(key)]; n != 0 {
		return n - 1, true
	}
	return int32(t.count), false
}

// Add adds a key if it is new. The time complexity of Add is O(width).
func (t *Table[K]) Add(key []K) {
	i := t.slot(key)
	if t.index[i] != 0 {
		return
	}
	if len(t.keys)+t.width > cap(t.keys) {
		t.keys = append(make([]K, 0, t.room()), t.keys...)
	}
	t.keys = append(t.keys, key...)
	t.count++
	t.index[i] = int32(t.count)
	if 2*t.count > len(t.index) {
		t.index = make([]int32, 2*len(t.index))
		t.placeAll()
	}
}

// placeAll fills an empty index.
func (t *Table[K]) placeAll() {
	mask := uint64(len(t.index) - 1)
	for at := range t.count {
		i := hash(t.Key(at)) & mask
		for t.index[i] != 0 {
			i = (i + 1) & mask
		}
		t.index[i] = int32(at) + 1
	}
}

// room returns the capacity that keys gets when it has to grow.
func (t *Table[K]) room() int { return (t.count + t.count/2 + 16) * t.width }

// Bytes returns the memory of the table, in bytes.
func (t *Table[K]) Bytes() int64 {
	return int64(cap(t.keys))*sizeOf[K]() + int64(cap(t.index))*4
}

// Growth returns how many bytes adding another key allocates. The array that it replaces is still
// counted in Bytes.
func (t *Table[K]) Growth() int64 {
	n := int64(0)
	if len(t.keys)+t.width > cap(t.keys) {
		n += int64(t.room()) * sizeOf[K]()
	}
	if 2*(t.count+1) > len(t.index) {
		n += int64(2*len(t.index)) * 4
	}
	return n
}

func sizeOf[K int32 | uint64]() int64 {
	var k K
	return int64(unsafe.Sizeof(k))
}
