package conform_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/conform"
)

// TestModels compares the runs of a file with its first diagram. The headings say the verdicts. All that
// the first diagram stands for as a trace conforms, too.
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
		number := -1 // of the run, after those of the first diagram
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
