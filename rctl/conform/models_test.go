package conform_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/scenario"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/conform"
)

// TestModels compares the runs of a file with its first diagram. The headings are the verdicts. All
// runs for which the first diagram stands as a trace conform, too.
func TestModels(t *testing.T) {
	ctx := context.Background()
	files, err := filepath.Glob("../../testdata/conform/*.md")
	if err != nil || len(files) != 5 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var wants []string
		for line := range strings.Lines(string(text)) {
			if want, ok := strings.CutPrefix(line, "## "); ok {
				wants = append(wants, strings.TrimSpace(want))
			}
		}
		spec, err := conform.Open(ctx, path+"#1")
		if err != nil {
			t.Fatal(err)
		}
		executions, err := format.Read(ctx, path, format.Options{Input: format.Auto, Options: trace.Options{Names: true}})
		if err != nil {
			t.Fatal(err)
		}
		number := -1 // the index of the run, counted after those of the first diagram
		for _, e := range executions {
			_, name, _ := strings.Cut(e.Name, "#")
			want := "conforms"
			if !strings.HasPrefix(name, "1") || name == "10" || name == "11" {
				number++
				want = wants[number]
			}
			r, err := spec.Check(ctx, e.Computation, conform.Options{})
			if err != nil {
				t.Errorf("%s: %v", e.Name, err)
				continue
			}
			verdict, part, _ := strings.Cut(want, ": ")
			details := strings.Join(r.Details(), "\n")
			if r.Verdict.String() != verdict || !strings.Contains(details, part) {
				t.Errorf("%s: %v\n%s\nwant %s", e.Name, r.Verdict, details, want)
			}
		}
		if number+1 != len(wants) {
			t.Errorf("%s has %d runs, and %d headings", path, number+1, len(wants))
		}
	}
}

// TestTwoPhaseCommit compares runs of the model with its diagram, one scenario per transaction.
// Each fault is named correctly, and there are no other findings.
func TestTwoPhaseCommit(t *testing.T) {
	const model = "two-phase-commit"
	ctx := t.Context()
	spec, err := conform.Open(ctx, "../../testdata/conform/commit.mmd")
	if err != nil {
		t.Fatal(err)
	}
	wants := map[string]struct {
		verdict scenario.Verdict
		detail  string
	}{
		"":                {scenario.Conforms, `^$`},
		"hasty":           {scenario.Violated, `coordinator sends "(commit|abort)" to p1 `},
		"commit-anyway":   {scenario.Violated, `does not hold: Note over [PQ]: state = refused `},
		"lose-decision":   {scenario.Unfinished, `goes on with the receive of C->>P: (commit|abort) `},
		"double-decision": {scenario.Violated, `too many: coordinator sends "(commit|abort)" to p1 `},
	}
	m, err := simulate.Lookup(model)
	if err != nil || len(m.Faults)+1 != len(wants) {
		t.Fatal(m, err)
	}
	for fault, want := range wants {
		seen := false
		for seed := range uint64(10) {
			var b bytes.Buffer
			cfg := simulate.Config{Model: model, Processes: 3, Events: 160, Seed: seed, Fault: fault}
			if err := simulate.Run(ctx, &b, cfg); err != nil {
				t.Fatal(err)
			}
			all, err := format.Read(ctx, "run", format.Options{From: &b, Options: trace.Options{Names: true}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := spec.Check(ctx, all[0].Computation, conform.Options{Each: "tx", First: 100})
			if err != nil {
				t.Fatal(err)
			}
			seen = seen || r.Verdict == want.verdict
			for _, f := range r.Findings {
				text := strings.Join(f.Lines(), "\n")
				if f.Verdict != want.verdict || !regexp.MustCompile(want.detail).MatchString(text) {
					t.Errorf("%s, seed %d, transaction %s: %v\n%s", fault, seed, f.Value, f.Verdict, text)
				}
			}
		}
		if !seen {
			t.Errorf("%q is never %v", fault, want.verdict)
		}
	}
}
