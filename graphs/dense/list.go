package dense

import (
	"iter"
	"slices"
)

// Append is append for one element, but doubles the capacity of a full list however long it is.
// append grows long lists by only a quarter, and so copies several times as much.
func Append[T any](list []T, x T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(4, len(list)))
	}
	return append(list, x)
}

// A List is a list that only grows. It consists of blocks, so that adding an element copies nothing
// and reserves little memory. The zero List is empty.
type List[T any] struct {
	blocks [][]T // all but the last have blockSize elements
	count  int
}

const blockSize = 1 << 12

// Len returns the number of elements.
func (l *List[T]) Len() int { return l.count }

// At returns a pointer to element i, which is valid until an element is added.
func (l *List[T]) At(i int) *T { return &l.blocks[uint(i)/blockSize][uint(i)%blockSize] }

// Add adds an element.
func (l *List[T]) Add(x T) {
	if l.count%blockSize == 0 {
		// The first block grows as needed; later ones are allocated in full.
		l.blocks = append(l.blocks, make([]T, 0, min(l.count, blockSize)))
	}
	last := &l.blocks[len(l.blocks)-1]
	*last = append(*last, x)
	l.count++
}

// Grow adds zero values until the list has at least n elements.
func (l *List[T]) Grow(n int) {
	var zero T
	for l.count < n {
		l.Add(zero)
	}
}

// All yields the elements with their indices.
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
