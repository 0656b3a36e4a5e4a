package graphtest

import (
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// Uncompressed returns the text of a file that gzip compressed.
func Uncompressed(tb testing.TB, path string) []byte {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}
