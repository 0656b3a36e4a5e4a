package sat

import "slices"

// valid reports whether the invariants of a column hold.
func (k *column) valid() bool {
	next := int32(0) // class
	for i, class := range k.class {
		if class > next || i > 0 && (k.class[i-1] == class || k.starts[i-1] >= k.starts[i]) {
			return false
		}
		next = max(next, class+1)
	}
	return len(k.starts) == len(k.class) && k.starts[len(k.starts)-1] <= k.last && int(next) == len(k.tuples)
}

// valid reports whether the invariants of a numbering hold: that a path of implied
// leads from one number to another exactly if every cut with the event of the one
// has that of the other.
func (n *numbering) valid() bool {
	implied := make([][]int32, len(n.events)) // by number; paths lead downwards
	for _, i := range n.implied {
		if i[1] >= i[0] {
			return false
		}
		implied[i[0]] = append(append(implied[i[0]], i[1]), implied[i[1]]...)
	}
	for i := 1; i < len(n.events); i++ {
		past, ok := n.comp.Above(n.comp.Initial(), n.events[i])
		if !ok || n.comp.Has(n.comp.Initial(), n.events[i]) {
			return false
		}
		for j := 1; j < len(n.events); j++ {
			if i != j && n.comp.Has(past, n.events[j]) != slices.Contains(implied[i], int32(j)) {
				return false
			}
		}
	}
	return true
}
