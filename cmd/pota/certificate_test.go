package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/rctl/certify"
)

// A verdict that has no proof, and that no other engine reaches within the memory that it may
// take or the time, is unknown, and not rejected.
func TestRecomputedWithinLimits(t *testing.T) {
	defer func(most int64) { leastMemory = most }(leastMemory)
	leastMemory = 1 << 20
	dir := t.TempDir()
	trace, claims := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "run.cert")
	if status, _, stderr := pota("", "simulate", "random", "--processes", "12", "--events", "3000", "-o", trace); status != 0 {
		t.Fatal(stderr)
	}
	if status, _, stderr := pota("", "detect", "--quiet", "--certificate", claims, "true", trace); status != 0 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	text, err := os.ReadFile(claims)
	if err != nil {
		t.Fatal(err)
	}
	claim := new(certify.Certificate)
	if err := json.Unmarshal(text, claim); err != nil {
		t.Fatal(err)
	}
	claim.Formula, claim.Engine, claim.Proof = "AG(x@P0*x@P1 + x@P2*x@P3 - x@P4*x@P5 != 0.5)", "sat", nil
	if text, err = json.Marshal(claim); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(claims, text, 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := pota("", "verify", claims, trace)
	if status != 3 || !strings.HasPrefix(stdout, "unknown ") || !strings.Contains(stdout, "no engine but sat decides it in 1 MiB and 4194304 steps (--max-memory") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
	leastMemory = 1 << 40
	if status, stdout, stderr := pota("", "verify", "--timeout", "300ms", claims, trace); status != 3 || strings.Contains(stdout, "rejected") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
}
