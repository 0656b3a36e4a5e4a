package potatest

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/record"
)

// A Recording is the trace of a test. Its Recorder can be passed to the code that records.
type Recording struct {
	*record.Recorder
	path string
}

// Record returns a new recording that ends with the test. The test fails on an error while
// recording, such as a value of a type that a variable cannot have.
func Record(t testing.TB, opts ...record.Option) *Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	r, err := record.Create(path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		t.Helper()
		if err := r.Close(); err != nil {
			t.Errorf("recording: %v", err)
		}
	})
	return &Recording{r, path}
}

// flush writes the events recorded so far to the trace.
func flush(t testing.TB, rec *Recording) {
	t.Helper()
	if err := rec.Flush(); err != nil {
		t.Fatalf("recording: %v", err)
	}
}

// keep copies a trace so that it outlives the test, and returns the new path: among the test's
// artifacts if go test runs with -artifacts, otherwise in the directory for temporary files.
func keep(t testing.TB, path string) (string, error) {
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }() // the file was only read
	dir := ""
	if f := flag.Lookup("test.artifacts"); f != nil && f.Value.String() == "true" {
		dir = t.ArtifactDir()
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("-._", r) || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, t.Name())
	to, err := os.CreateTemp(dir, name[:min(len(name), 100)]+"-*.jsonl")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	if closing := to.Close(); err == nil {
		err = closing
	}
	return to.Name(), err
}
