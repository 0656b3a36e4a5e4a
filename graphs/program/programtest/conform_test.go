package programtest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/program/programtest"
	"github.com/pota-project/pota/graphs/program/promela"
)

func TestRandomProgramsConform(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 300)) {
		m, err := promela.Parse("random.pml", programtest.Random(rand.New(rand.NewPCG(seed, 18))), nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := promela.Compile(m)
		if err != nil {
			t.Fatal(err)
		}
		programtest.Conform(t, p, 4, 30, seed)
	}
}
