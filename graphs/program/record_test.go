package program_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/program/programtest"
	"github.com/pota-project/pota/graphs/program/promela"
)

// Every run of the computation of a random walk is a run of the program.
func TestRecordedWalksAreRuns(t *testing.T) {
	events, others := 0, 0
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 20))
		m, err := promela.Parse("random.pml", programtest.Random(r), nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := promela.Compile(m)
		if err != nil {
			t.Fatal(err)
		}
		n, other := programtest.Records(t, r, p, 12, r.IntN(2) == 0)
		events, others = events+n, others+other
	}
	t.Logf("%d events, %d steps out of the order in which they were taken", events, others)
}
