package dense

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A table numbers keys as a map does, and announces how it grows.
func TestTable(t *testing.T) {
	for width := 1; width <= 4; width++ {
		r := rand.New(rand.NewPCG(1, uint64(width)))
		table := NewTable[int32](width)
		numbers := make(map[[4]int32]int32)
		for range 2000 {
			var key [4]int32
			for i := range width {
				key[i] = int32(r.IntN(6)) - 3
			}
			at, found := table.Find(key[:width])
			want, known := numbers[key]
			if !known {
				want = int32(len(numbers))
				numbers[key] = want
			}
			if at != want || found != known {
				t.Fatalf("%v has number %d (%t), not %d (%t)", key[:width], at, found, want, known)
			}
			if found {
				continue
			}
			before, growth := table.Bytes(), table.Growth()
			table.Add(key[:width])
			if more := table.Bytes() - before; more > growth || (more > 0) != (growth > 0) {
				t.Fatalf("the table grew by %d bytes, having announced %d", more, growth)
			}
			if !slices.Equal(table.Key(int(at)), key[:width]) || 2*table.count > len(table.index) {
				t.Fatalf("key %d is %v, not %v; %d keys in an index of %d", at, table.Key(int(at)), key[:width], table.count, len(table.index))
			}
		}
	}
}
