//go:build unix

package infer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
)

// BenchmarkInfer looks for properties in ten runs of 100,000 events and ten processes,
// with 60 local predicates: ten variables of six values each. It reports the CPU time of
// reading them, of Infer, and how many times as much that is, because the two are measured
// in turn on the same machine.
func BenchmarkInfer(b *testing.B) {
	var texts [][]byte
	for seed := range uint64(10) {
		texts = append(texts, steps(seed, 10, 100_000))
	}
	var reading, inferring time.Duration
	for b.Loop() {
		var good []Run
		from := cpu(b)
		for i, text := range texts {
			all, err := format.Read(b.Context(), "run", format.Options{
				From:    bytes.NewReader(text),
				Options: trace.Options{Names: true, Places: true},
			})
			if err != nil {
				b.Fatal(err)
			}
			good = append(good, Run{Name: fmt.Sprint("run ", i), Computation: all[0].Computation})
		}
		read := cpu(b)
		res := Infer(b.Context(), good, nil, Options{})
		reading, inferring = reading+read-from, inferring+cpu(b)-read
		b.ReportMetric(float64(res.Candidates), "candidates")
	}
	b.ReportMetric(reading.Seconds()/float64(b.N), "read-s/op")
	b.ReportMetric(inferring.Seconds()/float64(b.N), "infer-s/op")
	b.ReportMetric(inferring.Seconds()/reading.Seconds(), "times")
}

// cpu returns the CPU time that the process has used.
func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// steps returns a trace of processes that work and talk: of ten events, about one is a send, one a
// receipt, and each assigns one variable.
func steps(seed uint64, processes, events int) []byte {
	var b bytes.Buffer
	random := rand.New(rand.NewPCG(seed, 1))
	for p := range processes {
		fmt.Fprintf(&b, `{"process":"p%d","init":{`, p)
		for v := range 10 {
			if v > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"v%d":"s0"`, v)
		}
		b.WriteString("}}\n")
	}
	pending := make([][]string, processes)
	for e := range events {
		p := random.IntN(processes)
		fmt.Fprintf(&b, `{"process":"p%d","time":%d`, p, e)
		switch random.IntN(10) {
		case 0:
			q := (p + 1 + random.IntN(processes-1)) % processes
			fmt.Fprintf(&b, `,"send":"m%d"`, e)
			pending[q] = append(pending[q], fmt.Sprint("m", e))
		case 1:
			if len(pending[p]) > 0 {
				fmt.Fprintf(&b, `,"recv":%q`, pending[p][0])
				pending[p] = pending[p][1:]
			}
		}
		fmt.Fprintf(&b, `,"set":{"v%d":"s%d"}}`+"\n", random.IntN(10), random.IntN(6))
	}
	return b.Bytes()
}
