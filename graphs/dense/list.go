package dense

import (
	"iter"
	"slices"
)

// Append is append for one element, but doubles a list that is full, however long it is:
// append makes long ones a quarter longer, and so copies what takes five times as much.
func Append[T any](list []T, x T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(4, len(list)))
	}
	return append(list, x)
}

// A List is a list that only grows. It is kept in blocks, so that adding to it copies nothing and
// reserves little memory. The zero List is empty.
type List[T any] struct {
	blocks [][]T // each but the last has blockSize elements
	count  int
}

const blockSize = 1 << 12

// Len returns the number of elements.
func (l *List[T]) Len() int { return l.count }

// At returns element i, in place until more are added.
func (l *List[T]) At(i int) *T { return &l.blocks[uint(i)/blockSize][uint(i)%blockSize] }

// Add adds an element.
func (l *List[T]) Add(x T) {
	if l.count%blockSize == 0 {
		// The first block grows as needed.
		l.blocks = append(l.blocks, make([]T, 0, min(l.count, blockSize)))
	}
	last := &l.blocks[len(l.blocks)-1]
	*last = append(*last, x)
	l.count++
}

// Grow adds zero values to a list of less than n elements until it has n.
func (l *List[T]) Grow(n int) {
	var zero T
	for l.count < n {
		l.Add(zero)
	}
}

// All goes through the elements with their numbers.
func (l *List[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for k, block := range l.blocks {
			for i := range block {
				if !yield(k*blockSize+i, &block[i]) {
					return
				}
			}
		}
	}
}
