package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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

// known decides the cases of a directory.
func (h *harness) known(dir string) error {
	index, err := os.Open(filepath.Join(dir, "index.jsonl"))
	if err != nil {
		return err
	}
	defer index.Close()
	// slow counts cases that take more than twice the best peer's time.
	var total, open, wrong, slow int
	fmt.Println("| case | verdict | known | engine | s | best peer, s |\n|---|---|---|---|--:|--:|")
	for lines := jsontext.NewDecoder(index); lines.PeekKind() != 0; total++ {
		var k knownCase
		if err := json.UnmarshalDecode(lines, &k); err != nil {
			return err
		}
		// The time includes reading.
		start := time.Now()
		executions, err := format.Read(context.Background(), filepath.Join(dir, k.Case+".jsonl.gz"), format.Options{})
		if err != nil {
			return err
		}
		res, _, err := h.decide(executions[0].Computation, k.Formula)
		if err != nil {
			return err
		}
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
			wrong++
		}
		fmt.Printf("| %s | %s | %s | %s | %.2f | %s |\n", k.Case, res.Verdict, want, res.Engine, took.Seconds(), peer)
	}
	fmt.Printf("\n%d of %d cases undecided, %d wrong, %d slower than twice the best peer\n", open, total, wrong, slow)
	// An undecided case is no error: the table says so. A wrong one ends with status 1.
	if wrong > 0 {
		return fmt.Errorf("%d wrong verdicts", wrong)
	}
	return nil
}
