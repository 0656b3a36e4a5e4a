package mapped

import (
	"bytes"
	"hash/maphash"
)

var seed = maphash.MakeSeed()

// A table numbers distinct texts in order of first appearance: open addressing over
// one block of text.
//
//	(1) the text of number i is text[end[i-1]:end[i]]
//	(2) a slot is 0 (free) or a number plus 1; at most 3/4 of the slots are taken
//
// The zero value is an empty table.
type table struct {
	text  []byte
	end   []int
	slots []int32
}

func (t *table) len() int { return len(t.end) }

// at returns the text of number i.
func (t *table) at(i int32) []byte {
	start := 0
	if i > 0 {
		start = t.end[i-1]
	}
	return t.text[start:t.end[i]]
}

func (t *table) slot(word []byte) int {
	mask := len(t.slots) - 1
	i := int(maphash.Bytes(seed, word)) & mask
	for t.slots[i] != 0 && !bytes.Equal(t.at(t.slots[i]-1), word) {
		i = (i + 1) & mask
	}
	return i
}

// number returns the number of word, a new one where it has none.
func (t *table) number(word []byte) int32 {
	if 4*len(t.end) >= 3*len(t.slots) {
		t.grow()
	}
	i := t.slot(word)
	if t.slots[i] == 0 {
		t.text = append(t.text, word...)
		t.end = append(t.end, len(t.text))
		t.slots[i] = int32(len(t.end))
	}
	return t.slots[i] - 1
}

// find returns the number of word, -1 where it has none.
func (t *table) find(word []byte) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	return t.slots[t.slot(word)] - 1
}

func (t *table) grow() {
	t.slots = make([]int32, max(16, 2*len(t.slots)))
	mask := len(t.slots) - 1
	for n := range int32(len(t.end)) {
		i := int(maphash.Bytes(seed, t.at(n))) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = n + 1
	}
}
