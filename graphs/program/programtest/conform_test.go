package programtest

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

func TestRandomProgramsConform(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 300)) {
		Conform(t, Random(rand.New(rand.NewPCG(seed, 18))), 4, 30, seed)
	}
}
