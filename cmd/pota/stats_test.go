package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Counting cuts ends soon, however many there are, and the other counts are printed.
func TestStatsGivesUp(t *testing.T) {
	if testing.Short() {
		t.Skip("it counts for some seconds")
	}
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace.jsonl")
	if status, _, stderr := pota("", "simulate", "mutex", "-n", "50", "--events", "3000", "-o", trace); status != 0 {
		t.Fatal(stderr)
	}
	status, stdout, stderr := pota("", "stats", trace)
	const want = "cuts          not counted: more than 300,000,000 steps\n"
	if status != int(undecided) || !strings.Contains(stdout, "processes     50\n") || !strings.Contains(stdout, want) {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}
