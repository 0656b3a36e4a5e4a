package mermaid_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mermaid"
)

const samples = "../../../testdata/traces/mermaid/"

func read(path string, opts trace.Options) ([]trace.Execution, error) {
	source, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	return mermaid.Read(context.Background(), source, opts)
}

// readText reads a file called x.mmd.
func readText(t testing.TB, text string, opts trace.Options) ([]trace.Execution, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.mmd")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return read(name, opts)
}

// native returns a computation as a native trace.
func native(t testing.TB, c *graphs.Computation) string {
	t.Helper()
	var b bytes.Buffer
	if err := trace.Write(&b, c, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSamples(t *testing.T) {
	for _, f := range []string{"twophase.mmd", "lock.mmd", "review.md"} {
		all, err := read(samples+f, trace.Options{Names: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range all {
			if native(t, x.Computation) == "" {
				t.Errorf("%s: %s is empty", f, x.Name)
			}
		}
	}
}
