package frontier

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
)

// A known case is a line of index.jsonl: a formula, to be decided on CASE.jsonl.gz, its
// verdict where that is known, and how long the fastest other checker took.
type knownCase struct {
	Case    string   `json:"case"`
	Formula string   `json:"formula"`
	Verdict *string  `json:"verdict"`
	Peer    *float64 `json:"best_peer_s"`
}

// Known cases get no verdict but theirs. Those that stay undecided are counted: the table says
// which, as for cases that take more than twice the best peer's time.
func TestKnown(t *testing.T) {
	if *folder == "" {
		t.Skip("-args -cases names a directory of cases")
	}
	index, err := os.Open(filepath.Join(*folder, "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }() // it was only read
	var total, open, slow int
	fmt.Println("| case | verdict | known | engine | s | best peer, s |\n|---|---|---|---|--:|--:|")
	for lines := jsontext.NewDecoder(index); lines.PeekKind() != 0; total++ {
		var k knownCase
		if err := json.UnmarshalDecode(lines, &k); err != nil {
			t.Fatal(err)
		}
		// The time includes reading.
		start := time.Now()
		trace := filepath.Join(*folder, k.Case+".jsonl.gz")
		executions, err := format.Read(t.Context(), trace, format.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, _ := decide(t, *limit, k.Case, executions[0].Computation, k.Formula)
		took, want, peer := time.Since(start), "", ""
		if k.Verdict != nil {
			want = *k.Verdict
		}
		if k.Peer != nil {
			if peer = fmt.Sprintf("%.2f", *k.Peer); took.Seconds() > 2**k.Peer {
				slow++
			}
		}
		// Without a verdict a case is open, whoever else has found one; a verdict of
		// another kind is wrong.
		switch {
		case res.Verdict == rctl.Unknown:
			open++
		case want != "" && want != res.Verdict.String():
			t.Errorf("%s: %s by %s, known to be %s", k.Case, res.Verdict, res.Engine, want)
		}
		fmt.Printf("| %s | %s | %s | %s | %.2f | %s |\n", k.Case, res.Verdict, want, res.Engine,
			took.Seconds(), peer)
	}
	fmt.Printf("\n%d of %d cases undecided, %d slower than twice the best peer\n", open, total, slow)
}
