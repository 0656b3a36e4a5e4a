package native

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
)

var update = flag.Bool("update", false, "rewrite the expected errors")

// TestRefused reads the malformed traces in testdata/refused; a file next to each has the error.
func TestRefused(t *testing.T) {
	t.Chdir("../../../testdata/refused")
	files, err := filepath.Glob("*.jsonl")
	if err != nil || len(files) < 40 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".jsonl"), func(t *testing.T) {
			for _, opts := range []trace.Options{{}, {Names: true}, {Variables: map[string]bool{}}} {
				_, err := ReadFile(background, file, opts)
				var e *trace.Error
				if !errors.As(err, &e) {
					t.Fatalf("not refused: %v", err)
				}
				if strings.ContainsAny(err.Error(), "\n\r") {
					t.Errorf("not one line: %q", err)
				}
				golden := strings.TrimSuffix(file, ".jsonl") + ".err"
				if *update {
					if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				want, readErr := os.ReadFile(golden)
				if readErr != nil {
					t.Fatal(readErr)
				}
				if got := err.Error() + "\n"; got != string(want) {
					t.Errorf("%+v\ngot  %swant %s", opts, got, want)
				}
			}
		})
	}
}
