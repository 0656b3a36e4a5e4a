package dense

// A Heap is a priority queue of elements ordered by Before. The zero Heap is empty.
//
// In contrast to container/heap it does not allocate for each element.
type Heap[T interface{ Before(T) bool }] struct {
	// A binary heap: element i is not before element (i-1)/2.
	list []T
}

// Len returns the number of elements.
func (h *Heap[T]) Len() int { return len(h.list) }

// List returns the elements in an unspecified order, except that the first is at index 0. It is
// valid until the next change.
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

// Pop removes and returns the first element. The heap must not be empty. The time complexity of Pop
// is O(log n).
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
