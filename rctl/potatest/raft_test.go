package potatest_test

import (
	"fmt"
	"testing"

	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/rctl/potatest"
)

// There are no two leaders in one term.
const oneLeader = `one-leader: AG(forall i != j: !(role@i == "leader" && role@j == "leader" && term@i == term@j))`

// Who has voted in a term does not change or take back the vote before the next term.
// Properties are text, so that a loop can make them.
func oneVote() (properties []string) {
	for term := 1; term <= 5; term++ {
		for candidate := 1; candidate <= 3; candidate++ {
			properties = append(properties, fmt.Sprintf(
				"vote-%d-%d: AG(forall i: term@i == %d && vote@i == %d -> AG(term@i == %d -> vote@i == %d))",
				term, candidate, term, candidate, term, candidate))
		}
	}
	return properties
}

// Three nodes of Raft elect leaders, lose messages and restart. Whatever
// could have come of that in another order of events is safe.
func TestRaft(t *testing.T) {
	rec := potatest.Record(t)
	runCluster(t, rec.Recorder, "")
	potatest.Check(t, rec, oneLeader)
	potatest.Check(t, rec, oneVote()...)
}

// runCluster is the system under test: it records with rec.Process, one for each
// node, which assigns role, term, vote and commit. See graphs/simulate/raft.go.
func runCluster(t testing.TB, rec *record.Recorder, fault string) {
	t.Helper()
	cluster := simulate.Config{Model: "raft", Processes: 3, Events: 300, Seed: 2, Fault: fault}
	if err := simulate.Record(t.Context(), rec, cluster); err != nil {
		t.Fatal(err)
	}
}
