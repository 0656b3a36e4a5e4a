package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRounds: however many machines there are, the cut is the one that a single machine
// finds, and no event in it receives what was sent after it.
func TestRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	both := make(map[bool]int)
	for range 2000 {
		c := random(rng, 1+rng.IntN(6), rng.IntN(80), 2, 0.5, 0.3)
		want, _, _, exists := c.rounds(1)
		both[exists]++
		for _, machines := range []int{2, 3, 8} {
			if got, _, _, found := c.rounds(machines); found != exists || !slices.Equal(got, want) {
				t.Fatalf("%d machines: %v %t, want %v %t", machines, got, found, want, exists)
			}
		}
		for p, k := range want {
			for _, e := range c.events[p][:k] {
				if e.from >= 0 && e.sent > want[e.from] {
					t.Fatalf("%v is not consistent", want)
				}
			}
		}
	}
	if both[true] == 0 || both[false] == 0 {
		t.Error(both)
	}
}
