package dense

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSet(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(300)
		s, twin := NewSet(n), make(map[int]bool)
		var grown Set
		for range r.IntN(2 * n) {
			i := r.IntN(n)
			s.Add(i)
			twin[i] = true
			if r.IntN(3) == 0 {
				i = r.IntN(n)
				s.Remove(i)
				delete(twin, i)
			}
		}
		want := slices.Sorted(maps.Keys(twin))
		for _, i := range want {
			grown.Grow(i)
		}
		other, joined, without := NewSet(n), NewSet(n), 0
		for i := range n {
			if r.IntN(2) == 0 {
				other.Add(i)
			}
			if twin[i] && !other.Has(i) {
				without++
			}
		}
		joined.AddAll(s)
		joined.AddAll(other)
		if s.Len() != len(want) || s.LenWithout(other) != without || joined.Len() != without+other.Len() {
			t.Fatalf("seed %d: %d numbers, %d without, %d joined", seed, s.Len(), s.LenWithout(other), joined.Len())
		}
		for _, s := range []Set{s, grown} {
			if got := slices.Collect(s.All()); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, not %v", seed, got, want)
			}
			for i := range n + 100 {
				if s.Has(i) != twin[i] {
					t.Fatalf("seed %d: %d is in the set: %v", seed, i, s.Has(i))
				}
			}
		}
	}
}

func TestRows(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		n := r.IntN(20)
		twin := make([][]int, n)
		var pairs [][2]int
		for range r.IntN(40) * min(n, 1) {
			p := [2]int{r.IntN(n), r.IntN(10)}
			pairs = append(pairs, p)
			twin[p[0]] = append(twin[p[0]], p[1])
		}
		grouped := Group(n, func(add func(row, x int)) {
			for _, p := range pairs {
				add(p[0], p[1])
			}
		})
		var appended Rows[int]
		for _, row := range twin {
			if r.IntN(4) == 0 {
				appended.Grow(r.IntN(3), r.IntN(9))
			}
			for _, x := range row {
				appended.Add(x)
			}
			appended.End()
		}
		check := func(what string, rows Rows[int]) {
			t.Helper()
			size := 0
			var all [][2]int
			for i, want := range twin {
				if !slices.Equal(rows.Row(i), want) {
					t.Fatalf("seed %d, %s: row %d is %v, not %v", seed, what, i, rows.Row(i), want)
				}
				size += len(want)
				for _, x := range want {
					all = append(all, [2]int{i, x})
				}
			}
			for i, x := range rows.All() {
				if all[0] != [2]int{i, x} {
					t.Fatalf("seed %d, %s: %d in row %d, not %v", seed, what, x, i, all[0])
				}
				all = all[1:]
			}
			if rows.Len() != n || rows.Size() != size || len(all) > 0 {
				t.Fatalf("seed %d, %s: %d rows of %d elements, %d left out", seed, what, rows.Len(), rows.Size(), len(all))
			}
		}
		check("grouped", grouped)
		check("appended", appended)
		for i := range twin {
			slices.Sort(twin[i])
			twin[i] = slices.Compact(twin[i])
		}
		grouped.Compact(func(row []int) int {
			slices.Sort(row)
			return len(slices.Compact(row))
		})
		check("compacted", grouped)
	}
	if none := (Rows[int]{}); none.Len() != 0 || none.Size() != 0 {
		t.Error("the zero Rows has an element")
	}
}
