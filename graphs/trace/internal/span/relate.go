package span

import (
	"cmp"
	"slices"
	"sort"
)

// before compares the spans of an execution: by start, id, kind and input order.
func before(r, q *record) int {
	byID := cmp.Or(cmp.Compare(r.start, q.start), cmp.Compare(r.id, q.id))
	return cmp.Or(byID, cmp.Compare(r.kind, q.kind), cmp.Compare(r.sequence, q.sequence))
}

// index sorts the spans, so that find finds them by trace and id. Of spans with the same trace, id,
// kind and resource, it keeps the first two, because no reference leads to a third one.
func (s *Set) index() {
	s.sorted = slices.Clone(s.spans)
	slices.SortFunc(s.sorted, func(r, q *record) int {
		return cmp.Or(cmp.Compare(r.trace, q.trace), cmp.Compare(r.id, q.id), before(r, q))
	})
	s.sorted = firstTwo(s.sorted)
}

// firstTwo drops the spans that index does not keep.
func firstTwo(sorted []*record) []*record {
	type class struct {
		kind     Kind
		resource *Origin
	}
	kept := sorted[:0]
	for from, to := 0, 0; from < len(sorted); from = to {
		for to < len(sorted) && sorted[to].trace == sorted[from].trace && sorted[to].id == sorted[from].id {
			to++
		}
		if to-from <= 2 {
			kept = append(kept, sorted[from:to]...)
			continue
		}
		seen := make(map[class]int)
		for _, r := range sorted[from:to] {
			k := class{r.kind, r.resource.same}
			if seen[k]++; seen[k] <= 2 {
				kept = append(kept, r)
			}
		}
	}
	return kept
}

// find returns the spans of a trace with an id.
//
// The time complexity of find is O(log spans + found).
func (s *Set) find(trace int32, id ID) []*record {
	from := sort.Search(len(s.sorted), func(i int) bool {
		r := s.sorted[i]
		return r.trace > trace || r.trace == trace && r.id >= id
	})
	to := from
	for to < len(s.sorted) && s.sorted[to].trace == trace && s.sorted[to].id == id {
		to++
	}
	return s.sorted[from:to]
}

// parent returns the parent of r, or nil if it is not in the input.
func (s *Set) parent(r *record) *record {
	if r.kind == Server {
		halves := slices.Clone(s.find(r.trace, r.id))
		halves = slices.DeleteFunc(halves, func(q *record) bool { return q.kind != Client })
		if len(halves) > 0 {
			return choose(r, halves)
		}
	}
	if r.parent == 0 {
		return nil
	}
	return choose(r, s.find(r.trace, r.parent))
}

// linked returns the target of a link of r, or nil if it is not in the input.
func (s *Set) linked(r *record, l Link) *record {
	trace, ok := s.traces[l.Trace]
	if !ok {
		return nil
	}
	return choose(r, s.find(trace, l.ID))
}

// choose returns the span to which r refers among candidates with the same id, which are in the
// order of before.
func choose(r *record, candidates []*record) *record {
	var best *record
	rank := -2
	for _, c := range candidates {
		if k := preference(r, c); k > rank {
			best, rank = c, k
		}
	}
	return best
}

func preference(r, c *record) int {
	k := 0
	switch {
	case c == r:
		return -1
	case r.kind == Server && c.kind == Client, r.kind == Consumer && c.kind == Producer:
		k += 4
	}
	if sameService(r, c) {
		k += 2
	}
	if c.kind == Server || c.kind == Consumer {
		k++
	}
	return k
}

// sameService reports whether the times of two spans can be compared.
func sameService(r, q *record) bool {
	return r.resource.Service != "" && r.resource.same == q.resource.same
}

// groups divides the spans into executions: traces joined by links. They are in the order of the
// input, and the spans of each are in the order of before.
func (s *Set) groups() [][]*record {
	// by trace: its root or an ancestor, never greater than the trace
	root := make([]int32, len(s.texts))
	for i := range root {
		root[i] = int32(i)
	}
	find := func(t int32) int32 {
		for root[t] != t {
			root[t] = root[root[t]]
			t = root[t]
		}
		return t
	}
	for _, r := range s.spans {
		for _, l := range r.links {
			if q := s.linked(r, l); q != nil {
				a, b := find(r.trace), find(q.trace)
				root[max(a, b)] = min(a, b)
			}
		}
	}
	groups := make([][]*record, len(root))
	for _, r := range s.spans {
		t := find(r.trace)
		groups[t] = append(groups[t], r)
	}
	groups = slices.DeleteFunc(groups, func(g []*record) bool { return len(g) == 0 })
	for _, g := range groups {
		slices.SortFunc(g, before)
	}
	return groups
}
