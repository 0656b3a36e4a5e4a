package certify_test

import (
	"context"
	"os"
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
		c, err := native.ReadFile(context.Background(), path, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		// Traces are named model-processes-events-seed, properties by the first two.
		model := strings.Join(strings.Split(path, "-")[:2], "-")
		property, err := os.ReadFile(model + ".properties")
		if err != nil {
			t.Fatal(err)
		}
		_, formula, _ := strings.Cut(string(property), ":")
		if v, ok := certified(t, c, formula); !ok {
			t.Errorf("%s: %s %s: no proof is found, or one that looks at cuts", path, formula, v)
		}
	}
}
