package ist

import (
	"context"
	"testing"
)

// ring returns a store of n variables of len values, each at most 3 ahead of the
// next one in a ring and no further behind, with all tuples of that kind.
func ring(n int, top int32) (*Store, Set) {
	tops := make([]int32, n)
	for v := range tops {
		tops[v] = top
	}
	s := New(context.Background(), tops, nil, 0)
	var bounds []Bound
	for x := int32(4); x <= top; x++ {
		bounds = append(bounds, Bound{x, x - 3})
	}
	a := s.Full()
	for v := range n {
		w := (v + 1) % n
		a = s.Intersect(a, s.Intersect(s.AtLeast(v, w, bounds), s.AtLeast(w, v, bounds)))
	}
	return s, a
}

// every returns the tuples whose variable v is a multiple of d.
func every(s *Store, v int, d int32) Set {
	var ranges []Range
	for x := int32(0); x <= s.tops[v]; x += d {
		ranges = append(ranges, Range{x, x})
	}
	return s.Where(v, ranges)
}

func BenchmarkIntersectRing(b *testing.B) {
	for b.Loop() {
		ring(8, 100)
	}
}

func BenchmarkClosures(b *testing.B) {
	for _, bench := range []struct {
		name string
		op   func(s *Store, all, a, b Set) Set
	}{
		{"Union", func(s *Store, _, a, b Set) Set { return s.Union(a, b) }},
		{"Minus", func(s *Store, all, a, _ Set) Set { return s.Minus(all, a) }},
		{"Down", func(s *Store, _, a, b Set) Set { return s.Down(s.Minus(a, b)) }},
		{"Before", func(s *Store, _, a, b Set) Set { return s.Before(s.Minus(a, b)) }},
		{"Backward", func(s *Store, all, a, b Set) Set { return s.Backward(s.Minus(all, a), b) }},
		{"Forward", func(s *Store, all, a, b Set) Set { return s.Forward(s.Minus(all, a), b) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s, all := ring(8, 100)
			x, y := s.Intersect(all, every(s, 3, 7)), s.Intersect(all, every(s, 5, 11))
			for b.Loop() {
				clear(s.memo.entries)
				bench.op(s, all, x, y)
			}
			b.ReportMetric(float64(s.Size()), "nodes")
		})
	}
}
