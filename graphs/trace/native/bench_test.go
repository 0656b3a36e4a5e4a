package native

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
)

// benchmarkText writes a trace of 100 processes: each event sets a variable, some
// send and receive.
func benchmarkText(events int) []byte {
	const processes = 100
	r := rand.New(rand.NewPCG(6, 6))
	var b bytes.Buffer
	var waiting []int
	for i := range events {
		fmt.Fprintf(&b, `{"process":"P%d","set":{"x":%d}`, r.IntN(processes), r.IntN(10))
		switch {
		case r.IntN(5) == 0:
			waiting = append(waiting, i)
			fmt.Fprintf(&b, `,"send":"m%d"`, i)
		case len(waiting) > 0 && r.IntN(4) == 0:
			fmt.Fprintf(&b, `,"recv":"m%d"`, waiting[0])
			waiting = waiting[1:]
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	text := benchmarkText(1_000_000)
	file := filepath.Join(b.TempDir(), "trace.jsonl")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadFile(background, file, trace.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScan is one core's part of Read: text to records.
func BenchmarkScan(b *testing.B) {
	text := benchmarkText(20_000)
	c := &chunk{}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if c.scan(&trace.Piece{Text: text}); c.err != nil {
			b.Fatal(c.err)
		}
	}
}

// BenchmarkEncodingJSON only decodes the lines, for comparison.
func BenchmarkEncodingJSON(b *testing.B) {
	text := benchmarkText(1_000_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			var l struct {
				Process, ID string
				Set         map[string]any
				Send, Recv  any
			}
			if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
				b.Fatal(err)
			}
		}
	}
}
