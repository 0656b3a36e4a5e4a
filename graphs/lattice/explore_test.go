package lattice

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// random returns a computation of any kind, some of them From a later cut, and
// the lattice of its cuts.
func random(r *rand.Rand) (*graphs.Computation, *graphtest.Lattice) {
	cfg := graphtest.DefaultConfig
	if r.IntN(10) == 0 {
		cfg.Kinds |= graphtest.EmptyOnes
	}
	c := graphtest.Random(r, cfg)
	l := graphtest.NewLattice(c)
	if len(l.Cuts) > 0 && r.IntN(3) == 0 {
		l.Initial = r.IntN(len(l.Cuts))
		c = c.From(l.Cuts[l.Initial])
	}
	return c, l
}

// The levels are those of a breadth-first search through the covering relation.
func TestExploreIsTheLattice(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 1))
		c, l := random(r)
		got, err := Explore(background, c, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		if l.Initial >= 0 {
			want = []int{l.Initial}
		}
		level := 0
		for ; len(want) > 0; level++ {
			if level == got.NumLevels() {
				t.Fatalf("seed %d: %d levels, and cuts %v beyond", seed, level, want)
			}
			want = compareLevel(t, seed, l, got, level, want)
		}
		if got.NumLevels() != level {
			t.Fatalf("seed %d: %d levels, not %d", seed, got.NumLevels(), level)
		}
	}
}

// compareLevel compares a level with the cuts that it should have and returns the
// cuts that the next one should have.
func compareLevel(t *testing.T, seed uint64, l *graphtest.Lattice, got *Levels, level int, want []int) []int {
	t.Helper()
	indices := func(level int, which []int32) []int {
		var all []int
		for _, i := range which {
			all = append(all, l.Index(got.Cut(level, int(i), nil)))
		}
		slices.Sort(all)
		return all
	}
	var all []int32
	for i := range got.Len(level) {
		all = append(all, int32(i))
	}
	if cuts := indices(level, all); !slices.Equal(cuts, want) {
		t.Fatalf("seed %d: level %d has cuts %v, not %v", seed, level, cuts, want)
	}
	var next []int
	visits := 0
	got.Successors(level, func(i int, successors []int32) {
		if i != visits {
			t.Fatalf("seed %d: level %d: visit %d is of cut %d", seed, level, visits, i)
		}
		visits++
		from := l.Index(got.Cut(level, i, nil))
		to := indices(level+1, successors)
		if !slices.Equal(to, l.Steps[from]) {
			t.Fatalf("seed %d: cut %v steps to %v, not %v", seed, l.Cuts[from], to, l.Steps[from])
		}
		next = append(next, to...)
	})
	if visits != len(want) {
		t.Fatalf("seed %d: level %d: %d cuts visited of %d", seed, level, visits, len(want))
	}
	slices.Sort(next)
	return slices.Compact(next)
}
