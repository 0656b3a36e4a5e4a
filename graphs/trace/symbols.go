package trace

import (
	"bytes"
	"hash/maphash"
	"math"
)

var seed = maphash.MakeSeed()

// symbols numbers distinct strings in order of first appearance: an
// open-addressing table of numbers over one block of text.
//
//	(1) the text of number i is text[end[i-1]:end[i]]
//	(2) a slot is 0 (free) or a number plus 1; at most 3/4 of the slots are taken
//
// The zero value is an empty table.
type symbols struct {
	text  []byte
	end   []uint32
	slots []uint32
}

func (s *symbols) len() int { return len(s.end) }

// room reports whether n more bytes of text can be kept.
func (s *symbols) room(n int) bool { return len(s.text)+n <= math.MaxUint32 }

func (s *symbols) at(i int32) []byte {
	start := uint32(0)
	if i > 0 {
		start = s.end[i-1]
	}
	return s.text[start:s.end[i]]
}

// slot returns where word is, or would be put.
func (s *symbols) slot(word []byte) uint32 {
	mask := uint32(len(s.slots) - 1)
	i := uint32(maphash.Bytes(seed, word)) & mask
	for s.slots[i] != 0 && !bytes.Equal(s.at(int32(s.slots[i]-1)), word) {
		i = (i + 1) & mask
	}
	return i
}

// find returns the number of word, -1 when it has none.
func (s *symbols) find(word []byte) int32 {
	if len(s.slots) == 0 {
		return -1
	}
	return int32(s.slots[s.slot(word)]) - 1
}

// intern returns the number of word, a new one where it has none.
func (s *symbols) intern(word []byte) int32 {
	if 4*len(s.end) >= 3*len(s.slots) {
		s.grow()
	}
	i := s.slot(word)
	if s.slots[i] == 0 {
		s.text = append(s.text, word...)
		s.end = append(s.end, uint32(len(s.text)))
		s.slots[i] = uint32(len(s.end))
	}
	return int32(s.slots[i]) - 1
}

func (s *symbols) grow() {
	s.slots = make([]uint32, max(16, 2*len(s.slots)))
	mask := uint32(len(s.slots) - 1)
	for n := range s.end {
		i := uint32(maphash.Bytes(seed, s.at(int32(n)))) & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(n) + 1
	}
}

// clear empties the table and keeps its memory.
func (s *symbols) clear() {
	s.text, s.end = s.text[:0], s.end[:0]
	clear(s.slots)
}
