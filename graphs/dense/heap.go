package dense

// A Heap yields the first of its elements, one after the other, in an order of theirs. The zero
// Heap is empty.
//
// In contrast to container/heap it allocates nothing for an element.
type Heap[T interface{ Before(T) bool }] struct {
	// no element is before the one at half of its index, rounded as (i-1)/2 is
	list []T
}

// Len returns the number of elements.
func (h *Heap[T]) Len() int { return len(h.list) }

// List returns the elements, the first of them first. It is valid until the next change.
func (h *Heap[T]) List() []T { return h.list }

// Push adds an element. The time complexity of Push is O(log n).
func (h *Heap[T]) Push(x T) {
	h.list = append(h.list, x)
	for i := len(h.list) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.list[i].Before(h.list[parent]) {
			break
		}
		h.swap(i, parent)
		i = parent
	}
}

// Pop takes out the first element; there must be one. The time complexity of Pop is O(log n).
func (h *Heap[T]) Pop() T {
	end := len(h.list) - 1
	h.swap(0, end)
	first := h.list[end]
	clear(h.list[end:])
	h.list = h.list[:end]
	for i := 0; ; {
		next := i
		for child := 2*i + 1; child < min(2*i+3, end); child++ {
			if h.list[child].Before(h.list[next]) {
				next = child
			}
		}
		if next == i {
			return first
		}
		h.swap(i, next)
		i = next
	}
}

func (h *Heap[T]) swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }
