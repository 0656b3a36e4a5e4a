// Package symbols numbers distinct strings.
package symbols

import (
	"bytes"
	"hash/maphash"
	"math"
)

var seed = maphash.MakeSeed()

// A Table numbers distinct strings in order of first appearance: an
// open-addressing table of numbers over one block of text. Words such as m1, m2, …
// with few different beginnings, which programs like to give messages, are looked
// up by the number that they end with instead, in arrays.
//
//	(1) the text of number i is text[end[i-1]:end[i]]
//	(2) a slot is 0 (free), or a number plus 1 and above that the hash of its text, so
//	    that the text is looked at only where it probably is the one; at most 3/4 of the
//	    slots are taken
//	(3) a word is in one series or in the slots; only words of a closed series, which
//	    takes no more, are in the slots, and those that no series has the prefix of
//
// The zero value is an empty table.
type Table struct {
	text   []byte
	end    []uint32
	slots  []uint64
	hashed int // words in slots
	series []series
}

// series holds the words prefix0, prefix1, …: numbers[v] is 0 or the number of the
// word that ends with v plus 1.
type series struct {
	prefix  string
	numbers []uint32
	closed  bool
}

// mostSeries bounds the prefixes that are tried for a word.
const mostSeries = 4

// split takes the decimal number off the end of word. It is not ok where there is
// none, or one that begins with 0 or is long.
func split(word []byte) (prefix []byte, v int, ok bool) {
	i := len(word)
	for i > 0 && word[i-1]-'0' <= 9 {
		i--
	}
	n := len(word) - i
	if n == 0 || n > 9 || n > 1 && word[i] == '0' {
		return nil, 0, false
	}
	for _, d := range word[i:] {
		v = 10*v + int(d-'0')
	}
	return word[:i], v, true
}

// place returns where a series keeps the word's number, or would keep it; nil where the
// word is in the slots, or would be.
func (s *Table) place(word []byte) *uint32 {
	prefix, v, ok := split(word)
	if !ok {
		return nil
	}
	for i := range s.series {
		if r := &s.series[i]; r.prefix == string(prefix) {
			return r.at(v, s.Len())
		}
	}
	if len(s.series) == mostSeries {
		return nil
	}
	s.series = append(s.series, series{prefix: string(prefix)})
	return s.series[len(s.series)-1].at(v, s.Len())
}

// at is place for the word that ends with v. A number far beyond the count of words closes
// the series.
func (r *series) at(v, words int) *uint32 {
	if v >= len(r.numbers) {
		if r.closed || v > 4*words+1024 {
			r.closed = true
			return nil
		}
		r.numbers = append(r.numbers, make([]uint32, v+1-len(r.numbers))...)
		r.numbers = r.numbers[:cap(r.numbers)]
	}
	if at := &r.numbers[v]; *at != 0 || !r.closed {
		return at
	}
	return nil
}

func (s *Table) Len() int { return len(s.end) }

// Room reports whether n more bytes of text can be kept.
func (s *Table) Room(n int) bool { return len(s.text)+n <= math.MaxUint32 }

func (s *Table) At(i int32) []byte {
	start := uint32(0)
	if i > 0 {
		start = s.end[i-1]
	}
	return s.text[start:s.end[i]]
}

// number returns the number plus 1 that is in a slot.
func number(slot uint64) uint32 { return uint32(slot) }

// hash returns the hash of a word, as it is in a slot.
func hash(word []byte) uint64 { return maphash.Bytes(seed, word) &^ math.MaxUint32 }

// slot returns where word, which has that hash, is, or would be put.
func (s *Table) slot(word []byte, hash uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	i := hash >> 32 & mask
	for s.slots[i] != 0 && (s.slots[i]&^math.MaxUint32 != hash || !bytes.Equal(s.At(int32(number(s.slots[i])-1)), word)) {
		i = (i + 1) & mask
	}
	return i
}

// Find returns the number of word, -1 when it has none.
func (s *Table) Find(word []byte) int32 {
	if at := s.place(word); at != nil {
		return int32(*at) - 1
	}
	if len(s.slots) == 0 {
		return -1
	}
	return int32(number(s.slots[s.slot(word, hash(word))])) - 1
}

// Intern returns the number of word, a new one where it has none.
func (s *Table) Intern(word []byte) int32 {
	if at := s.place(word); at != nil {
		if *at == 0 {
			*at = s.add(word)
		}
		return int32(*at) - 1
	}
	if 4*s.hashed >= 3*len(s.slots) {
		s.grow()
	}
	h := hash(word)
	i := s.slot(word, h)
	if s.slots[i] == 0 {
		s.slots[i] = h | uint64(s.add(word))
		s.hashed++
	}
	return int32(number(s.slots[i])) - 1
}

// add keeps the text of a new word and returns its number plus 1.
func (s *Table) add(word []byte) uint32 {
	s.text = append(s.text, word...)
	s.end = append(s.end, uint32(len(s.text)))
	return uint32(len(s.end))
}

func (s *Table) grow() {
	old := s.slots
	s.slots = make([]uint64, max(16, 2*len(old)))
	mask := uint64(len(s.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := slot >> 32 & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = slot
	}
}

// Clear empties the table and keeps its memory.
func (s *Table) Clear() {
	s.text, s.end = s.text[:0], s.end[:0]
	clear(s.slots)
	s.hashed = 0
	for i := range s.series {
		clear(s.series[i].numbers)
		s.series[i].closed = false
	}
}
