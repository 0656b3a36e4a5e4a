// Package dense holds sets, lists, heaps and tables of small numbers, such as the numbers of
// events, without a pointer for each element.
package dense

import (
	"iter"
	"math/bits"
	"slices"
)

// A Set is a set of non-negative numbers, with one bit for each.
type Set []uint64

// NewSet returns an empty set with room for the numbers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Has reports whether i is in s.
func (s Set) Has(i int) bool { return i>>6 < len(s) && s[i>>6]>>(i&63)&1 != 0 }

// Add adds i. The set must have room for it.
func (s Set) Add(i int) { s[i>>6] |= 1 << (i & 63) }

// Remove removes i. The set must have room for it.
func (s Set) Remove(i int) { s[i>>6] &^= 1 << (i & 63) }

// Grow makes room for i and adds it.
func (s *Set) Grow(i int) {
	for i>>6 >= len(*s) {
		*s = append(*s, 0)
	}
	s.Add(i)
}

// AddAll adds the numbers of t. The set must have room for them.
func (s Set) AddAll(t Set) {
	for w, word := range t {
		s[w] |= word
	}
}

// Len returns how many numbers are in s.
func (s Set) Len() int { return s.LenWithout(nil) }

// LenWithout returns how many numbers of s are not in t.
func (s Set) LenWithout(t Set) int {
	n := 0
	for w, word := range s {
		if w < len(t) {
			word &^= t[w]
		}
		n += bits.OnesCount64(word)
	}
	return n
}

// All yields the numbers of s in increasing order.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for w, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(w<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Rows is a jagged table in one array. The zero Rows has no rows.
type Rows[T any] struct {
	off  []int32 // row i is data[off[i]:off[i+1]]
	data []T
}

// Group returns a table of n rows with the elements that visit adds to each, in the order of
// addition. It calls visit twice; both times visit must add the same elements to the same rows.
//
// The time complexity of Group is O(n+elements).
func Group[T any](n int, visit func(add func(row int, x T))) Rows[T] {
	off := make([]int32, n+1)
	visit(func(row int, _ T) { off[row+1]++ })
	for i := range n {
		off[i+1] += off[i]
	}
	data := make([]T, off[n])
	visit(func(row int, x T) { // off[row] is the index in data of the next element of the row
		data[off[row]] = x
		off[row]++
	})
	copy(off[1:], off[:n])
	off[0] = 0
	return Rows[T]{off, data}
}

// Grow makes room for that many more rows and elements, so that adding them does not reallocate.
func (r *Rows[T]) Grow(rows, elements int) {
	r.off = slices.Grow(r.off, rows+1)
	r.data = slices.Grow(r.data, elements)
}

// Clear removes all rows and keeps their memory.
func (r *Rows[T]) Clear() { r.off, r.data = r.off[:0], r.data[:0] }

// Add adds an element to the row that the next call of End adds.
func (r *Rows[T]) Add(x T) { r.data = append(r.data, x) }

// Open returns the elements added since the last call of End. They share the memory of the table.
func (r *Rows[T]) Open() []T {
	if len(r.off) == 0 {
		return r.data
	}
	return r.data[r.off[len(r.off)-1]:]
}

// End adds the row of the elements added since the last row.
func (r *Rows[T]) End() {
	if len(r.off) == 0 {
		r.off = append(r.off, 0)
	}
	r.off = append(r.off, int32(len(r.data)))
}

// Row returns row i. It shares the memory of the table.
func (r *Rows[T]) Row(i int) []T { return r.data[r.off[i]:r.off[i+1]] }

// Len returns the number of rows.
func (r *Rows[T]) Len() int { return max(len(r.off)-1, 0) }

// Size returns the number of elements in all rows.
func (r *Rows[T]) Size() int {
	if r.Len() == 0 {
		return 0
	}
	return int(r.off[r.Len()] - r.off[0])
}

// Halves returns the first half of the rows, and the rest. They share the memory of the table, and
// must not be changed.
func (r *Rows[T]) Halves() (first, rest Rows[T]) {
	half := r.Len() / 2
	return Rows[T]{r.off[: half+1 : half+1], r.data}, Rows[T]{r.off[half:], r.data}
}

// All yields the elements of all rows, each with the number of its row.
func (r *Rows[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range r.Len() {
			for _, x := range r.Row(i) {
				if !yield(i, x) {
					return
				}
			}
		}
	}
}

// Compact shortens rows. It calls compact with each row; compact may change and reorder the
// elements, and returns how many of the first ones to keep.
func (r *Rows[T]) Compact(compact func(row []T) int) {
	kept, start := int32(0), int32(0)
	for i := range r.Len() {
		row := r.data[start:r.off[i+1]]
		start = r.off[i+1]
		r.off[i] = kept
		kept += int32(copy(r.data[kept:], row[:compact(row)]))
	}
	if len(r.off) > 0 {
		r.off[r.Len()] = kept
	}
	r.data = r.data[:kept]
}
