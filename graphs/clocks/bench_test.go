package clocks

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// messages writes a native trace in which each tenth event sends a message that another process receives 100
// events later. Clocks are off by a constant of up to 10 ms; events are 1 ms apart.
func messages(events, processes int, interval bool) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	offset := make([]int, processes)
	for p := range offset {
		offset[p] = r.IntN(10_000)
	}
	var b bytes.Buffer
	for i := range events {
		p := r.IntN(processes)
		fmt.Fprintf(&b, `{"process":"P%d","set":{"x":%d}`, p, r.IntN(10))
		switch {
		case i%10 == 0:
			fmt.Fprintf(&b, `,"send":"m%d"`, i)
		case i%10 == 1 && i > 100:
			fmt.Fprintf(&b, `,"recv":"m%d"`, i-101)
		}
		at := 1000*i + offset[p]
		if interval {
			fmt.Fprintf(&b, `,"time":[%d,%d]}`+"\n", at-offset[p], at)
		} else {
			fmt.Fprintf(&b, `,"time":%d}`+"\n", at)
		}
	}
	return b.Bytes()
}

// BenchmarkPrepare compares what each model takes before it answers, and what it orders, with the reading
// of the trace.
func BenchmarkPrepare(b *testing.B) {
	for _, interval := range []bool{false, true} {
		text := messages(1_000_000, 100, interval)
		form := "times"
		if interval {
			form = "intervals"
		}
		var c *graphs.Computation
		b.Run("reading/"+form, func(b *testing.B) {
			for b.Loop() {
				var err error
				c, err = native.Read(background, trace.From("-", bytes.NewReader(text)), trace.Options{Times: true, TimeUnit: 1000})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
		for name, make := range map[string]func(r *Readings) (Model, error){
			"skew":    func(r *Readings) (Model, error) { return r.Skew(10_000_000) },
			"offsets": func(r *Readings) (Model, error) { return r.Offsets(-1) },
		} {
			if interval && name == "offsets" {
				continue
			}
			for _, orders := range []bool{false, true} {
				of := name + "/" + form
				if orders {
					of += "/ordered"
				}
				b.Run(of, func(b *testing.B) {
					for b.Loop() {
						r, err := Read(background, c, 1000)
						if err != nil {
							b.Fatal(err)
						}
						m, err := make(r)
						if err != nil {
							b.Fatal(err)
						}
						m.Latest(1)
						if !orders {
							continue
						}
						if _, err := m.Ordered(background); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkOffsets has 1,000 processes, so that paths of any length may bound two clocks.
func BenchmarkOffsets(b *testing.B) {
	text := messages(1_000_000, 1000, false)
	c, err := native.Read(background, trace.From("-", bytes.NewReader(text)), trace.Options{Times: true, TimeUnit: 1000})
	if err != nil {
		b.Fatal(err)
	}
	r, err := Read(background, c, 1000)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := r.Offsets(-1); err != nil {
			b.Fatal(err)
		}
	}
}
