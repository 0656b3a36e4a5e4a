package certify_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// What Kalyon and others (FORTE 2007) ask of their models is certified on all of their traces.
func TestModels(t *testing.T) {
	files, err := filepath.Glob("../../testdata/traces/bench/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		var model string
		var n int
		name := strings.ReplaceAll(filepath.Base(path), "-", " ")
		if _, err := fmt.Sscanf(name, "%s %d", &model, &n); err != nil {
			t.Fatal(err)
		}
		formula := map[string]string{
			"abp":  "AG(sent_msg == 0 -> AF(received_msg == 0))",
			"phil": "AG(state1@P1 == 2 -> (AG(state1@P1 == 2) || A[state0@P0 != 2 U state1@P1 != 2]))",
		}[model]
		var parts []string
		for i := range n {
			for j := range i {
				parts = append(parts, fmt.Sprintf("crit%d@P%d == 1 && crit%d@P%d == 1", j, j, i, i))
			}
		}
		switch {
		case model == "rand":
			parts = nil
			for i := range n {
				parts = append(parts, fmt.Sprintf("x%d@P%d == 3", i, i))
			}
			formula = "EF(" + strings.Join(parts, " && ") + ")"
		case formula == "":
			formula = "AG(!(" + strings.Join(parts, " || ") + "))"
		}
		c, err := native.ReadFile(context.Background(), path, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := certified(t, c, formula); !ok {
			t.Errorf("%s: %s %s: no proof is found, or one that looks at cuts", path, formula, v)
		}
	}
}
