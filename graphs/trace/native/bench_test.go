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

// BenchmarkReadTimes reads events with times, with intervals in their place, with the clock of each
// process, and with a timer that each tenth event starts and that mostly ends by itself.
func BenchmarkReadTimes(b *testing.B) {
	const events = 1_000_000
	for _, form := range []string{"time", "interval", "clock_id", "timer"} {
		b.Run(form, func(b *testing.B) {
			n := 0
			lines := bytes.SplitAfter(benchmarkText(events), []byte("\n"))
			var text bytes.Buffer
			for i, line := range lines[:events] {
				text.Write(line[:len(line)-2])
				if form == "interval" {
					fmt.Fprintf(&text, `,"time":[%d.%06d,%[1]d.%06[3]d]`, i/1000, i%1000*1000, i%1000*1000+500)
				} else {
					fmt.Fprintf(&text, `,"time":%d.%06d`, i/1000, i%1000*1000)
				}
				if form == "clock_id" {
					fmt.Fprintf(&text, `,"clock_id":"h%s"`, bytes.SplitN(line, []byte(`"`), 5)[3])
				}
				if form == "timer" && i%10 == 0 {
					fmt.Fprintf(&text, `,"timer":{"lease":{"in":"500ms","set":{"x":0}}}`)
					n++
				}
				text.WriteString("}\n")
			}
			file := filepath.Join(b.TempDir(), "trace.jsonl")
			if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				c, err := ReadFile(background, file, trace.Options{Times: true})
				if err != nil {
					b.Fatal(err)
				}
				if c.NumEvents() < events || c.NumTimers() > n || form == "timer" && c.NumTimers() < n/2 {
					b.Fatal(c.NumEvents(), c.NumTimers())
				}
			}
		})
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
