package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl/rctltest"
)

// pota slice --format json | pota stats counts exactly the cuts that satisfy a
// regular formula; pota detect agrees with brute force on the same file.
func TestSliceCounts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	// What orders the assignments of a shared variable must be more than an edge of
	// the kind that slices add.
	config := graphtest.DefaultConfig
	config.Kinds &^= graphtest.Cycles
	rounds, done := graphtest.RoundsUpTo(t, 120, 2500), 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(21, seed))
		c := graphtest.Random(r, config)
		text := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: rctltest.Regular})
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if native.Write(&b, c, nil) != nil {
			continue // not every computation can be said in the format
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		l := graphtest.NewLattice(c)
		want := 0
		for _, holds := range rctltest.Holds(l, f) {
			if holds {
				want++
			}
		}
		status, slice, stderr := pota("", "slice", "--format", "json", "--", text, path)
		if status != 0 {
			t.Fatalf("seed %d: slice %s: %s", seed, text, stderr)
		}
		if got := cuts(t, slice); got != want {
			t.Fatalf("seed %d: the slice for %s has %d cuts, %d cuts satisfy it\n%s", seed, text, got, want, slice)
		}
		verdict := map[bool]int{true: 0, false: 1}[rctltest.Holds(l, f)[l.Initial]]
		if status, _, stderr := pota("", "detect", "--quiet", "--", text, path); status != verdict {
			t.Fatalf("seed %d: detect %s: status %d, not %d: %s", seed, text, status, verdict, stderr)
		}
		done++
	}
	if done < rounds/2 {
		t.Errorf("only %d of %d computations could be written", done, rounds)
	}
}

// cuts is what pota stats counts of a trace on standard input.
func cuts(t *testing.T, text string) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "slice.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := pota("", "stats", "--json", file)
	var r struct{ Cuts string }
	if err := json.Unmarshal([]byte(stdout), &r); status != 0 || err != nil {
		t.Fatalf("stats: status %d: %s\n%s", status, stderr, text)
	}
	n, err := strconv.Atoi(r.Cuts)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
