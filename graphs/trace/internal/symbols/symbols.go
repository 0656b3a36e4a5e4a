// Package symbols numbers distinct strings.
package symbols

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/pota-project/pota/graphs/dense"
)

var (
	seed    = maphash.MakeSeed()
	secrets = [2]uint64{rand.Uint64(), rand.Uint64()}
)

// A Table numbers distinct strings, or words, in order of first appearance. It is an
// open-addressing table over pages of text. Programs often name messages m1, m2, … or P3.1, P3.2,
// …: unless there are too many different prefixes, such words are looked up in arrays, by the
// number at their end. With a Go map, reading a trace would take 1.5 times the time and memory.
//
//	(1) the text of number i is word i%pageWords of page i/pageWords, and the pages before
//	    the last one have pageWords words
//	(2) slots have different words; at most 5/8 of them are occupied
//	(3) unless the table is mixed, each word that ends with a number, as split defines it,
//	    is in one series, and prefixes numbers the series; all other words are in the slots
//
// The zero value is an empty table.
type Table struct {
	pages    []page
	count    int
	slots    []slot
	hashed   int    // how many words are in slots
	prefixes *Table // the numbers of the series by prefix; a mixed table
	series   []series
	last     int32 // the series of the last word in one
	mixed    bool  // whether all words are in slots: after Mix, for too many prefixes
}

// A page holds concatenated words: its word i is text[end[i-1]:end[i]]. Pages are short, so that
// growing one copies few words.
type page struct {
	text []byte
	end  []uint32
}

// pageWords bounds the words of a page.
const pageWords = 1 << 10

// A slot identifies a word by its length and, if that is at most maxInKey, its bytes, so that a
// comparison needs no other memory; a longer word by its hash.
type slot struct {
	bits   uint64
	size   uint32
	number uint32 // the number of the word plus 1; 0 if the slot is free
}

// maxInKey is the greatest length of a word that fits into slot.bits.
const maxInKey = 8

// slotOf returns the slot of a word, without its number.
func slotOf(word []byte) slot {
	k := slot{size: uint32(len(word))}
	switch n := len(word); {
	case n > maxInKey:
		k.bits = maphash.Bytes(seed, word)
	case n >= 4: // the halves overlap
		k.bits = uint64(binary.LittleEndian.Uint32(word)) | uint64(binary.LittleEndian.Uint32(word[n-4:]))<<32
	case n > 0:
		k.bits = uint64(word[0]) | uint64(word[n/2])<<8 | uint64(word[n-1])<<16
	}
	return k
}

// hash returns a hash whose low bits are the index at which the search for a word begins. (Wang
// Yi's wyhash mixes by such products.)
func (k *slot) hash() uint64 {
	high, low := bits.Mul64(k.bits^secrets[0], secrets[1]+uint64(k.size))
	return high ^ low
}

// A series holds the words prefix0, prefix1, …: numbers[v] is the number of the word that ends with
// v, plus 1, or 0 if there is none.
type series struct {
	prefix  []byte
	numbers dense.List[uint32]
	count   int
}

// maxSeries bounds the number of series.
const maxSeries = 1024

// split splits the decimal number off the end of word; ok is false if there is none, or if it has a
// leading zero or more than 9 digits.
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

// place returns where a series stores, or would store, the number of the word, or nil if the word
// belongs in the slots. A word that would make a series too sparse, or one too many, makes the
// table mixed.
func (s *Table) place(word []byte) *uint32 {
	prefix, v, ok := split(word)
	if !ok {
		return nil
	}
	if len(s.series) == 0 || string(s.series[s.last].prefix) != string(prefix) {
		if s.prefixes == nil {
			s.prefixes = &Table{mixed: true}
		}
		s.last = s.prefixes.Intern(prefix)
		if int(s.last) == len(s.series) {
			s.series = append(s.series, series{prefix: bytes.Clone(prefix)})
		}
	}
	r := &s.series[s.last]
	if v >= r.numbers.Len() {
		if len(s.series) > maxSeries || v > 4*r.count+4*maxSeries/len(s.series) {
			s.Mix()
			return nil
		}
		r.numbers.Grow(v + 1)
	}
	return r.numbers.At(v)
}

// Mix moves all words to the slots, which are faster for few words.
func (s *Table) Mix() {
	s.mixed = true
	for _, r := range s.series {
		for _, n := range r.numbers.All() {
			if *n > 0 {
				s.put(s.At(int32(*n-1)), *n)
			}
		}
	}
	s.series, s.prefixes = nil, nil
}

// Len returns the number of words.
func (s *Table) Len() int { return s.count }

// Room reports whether n more bytes of text can be kept.
func (s *Table) Room(n int) bool {
	return len(s.pages) == 0 || len(s.pages[len(s.pages)-1].text)+n <= math.MaxUint32
}

// At returns the word with a number. It is valid until Clear.
func (s *Table) At(i int32) []byte {
	p := &s.pages[uint32(i)/pageWords]
	i %= pageWords
	start := uint32(0)
	if i > 0 {
		start = p.end[i-1]
	}
	return p.text[start:p.end[i]]
}

// slot returns the slot of word, or the free one where it belongs; k is its slot without a number.
func (s *Table) slot(word []byte, k *slot) *slot {
	mask := uint64(len(s.slots) - 1)
	for i := k.hash() & mask; ; i = (i + 1) & mask {
		at := &s.slots[i]
		if at.number == 0 || at.bits == k.bits && at.size == k.size && (k.size <= maxInKey || bytes.Equal(s.At(int32(at.number-1)), word)) {
			return at
		}
	}
}

// put assigns a slot to a word without one. number is that of the word, plus 1.
func (s *Table) put(word []byte, number uint32) {
	if s.full() {
		s.grow()
	}
	k := slotOf(word)
	at := s.slot(word, &k)
	*at, at.number = k, number
	s.hashed++
}

// Find returns the number of word, or -1 if it has none.
func (s *Table) Find(word []byte) int32 {
	if !s.mixed {
		if at := s.place(word); at != nil {
			return int32(*at) - 1
		}
	}
	if len(s.slots) == 0 {
		return -1
	}
	k := slotOf(word)
	return int32(s.slot(word, &k).number) - 1
}

// Intern returns the number of word, and assigns the next number to a new word.
func (s *Table) Intern(word []byte) int32 {
	if !s.mixed {
		if at := s.place(word); at != nil {
			if *at == 0 {
				*at = s.add(word)
				s.series[s.last].count++
			}
			return int32(*at) - 1
		}
	}
	if s.full() {
		s.grow()
	}
	k := slotOf(word)
	at := s.slot(word, &k)
	if at.number == 0 {
		*at, at.number = k, s.add(word)
		s.hashed++
	}
	return int32(at.number) - 1
}

// add stores the text of a new word and returns its number plus 1.
func (s *Table) add(word []byte) uint32 {
	if k := len(s.pages); s.count%pageWords == 0 {
		// A new page reuses the memory of a cleared one, or else has room for words like those of
		// the page before.
		var next page
		if k < cap(s.pages) && s.pages[:k+1][k].end != nil {
			old := s.pages[:k+1][k]
			next = page{old.text[:0], old.end[:0]}
		} else if k > 0 {
			before := len(s.pages[k-1].text)
			next = page{make([]byte, 0, before+before/16), make([]uint32, 0, pageWords)}
		}
		s.pages = append(s.pages, next)
	}
	p := &s.pages[len(s.pages)-1]
	p.text = append(p.text, word...)
	p.end = append(p.end, uint32(len(p.text)))
	s.count++
	return uint32(s.count)
}

// full reports whether the slots must grow before another word is added.
func (s *Table) full() bool { return 8*s.hashed >= 5*len(s.slots) }

// grow doubles the slots.
func (s *Table) grow() {
	old := s.slots
	s.slots = make([]slot, max(16, 2*len(old)))
	mask := uint64(len(s.slots) - 1)
	for _, k := range old {
		if k.number == 0 {
			continue
		}
		i := k.hash() & mask
		for s.slots[i].number != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = k
	}
}

// Clear empties the table and keeps its memory.
func (s *Table) Clear() {
	s.pages, s.count = s.pages[:0], 0
	clear(s.slots)
	s.hashed = 0
	s.series, s.last = nil, 0
	s.prefixes = nil
}
