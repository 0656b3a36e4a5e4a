package native

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzRead compares Read with the twin on whatever comes.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("../../../testdata/refused/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, file := range append(files, "../../../testdata/figure1.jsonl") {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range accepted {
		f.Add([]byte(text))
	}
	r := rand.New(rand.NewPCG(5, 5))
	for range 50 {
		f.Add(randomTrace(r))
	}
	file := filepath.Join(f.TempDir(), "trace.jsonl")
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.HasPrefix(string(text), "\x1f\x8b") || strings.HasPrefix(string(text), "\x28\xb5\x2f\xfd") {
			t.Skip("compressed")
		}
		compare(t, file, text)
	})
}
