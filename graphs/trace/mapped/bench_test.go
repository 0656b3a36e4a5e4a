package mapped

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
)

// BenchmarkRead reads logs of about 50 megabytes.
func BenchmarkRead(b *testing.B) {
	for _, bench := range []struct{ name, mapping, log string }{
		{"etcd-raft", "etcd-raft", "etcd-raft/example.ndjson.gz"},
		{"ccf", "ccf", "ccf/example.ndjson"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			path := large(b, traces+bench.log)
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			m := lookup(b, bench.mapping)
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				c, err := readFile(b, path, m, trace.Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(c.NumEvents()), "events")
			}
		})
	}
}

// large writes a log again and again into one file.
func large(b *testing.B, path string) string {
	b.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	if filepath.Ext(path) == ".gz" {
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		if text, err = io.ReadAll(z); err != nil {
			b.Fatal(err)
		}
	}
	file := filepath.Join(b.TempDir(), "large.ndjson")
	if err := os.WriteFile(file, bytes.Repeat(text, 50<<20/len(text)+1), 0o666); err != nil {
		b.Fatal(err)
	}
	return file
}
