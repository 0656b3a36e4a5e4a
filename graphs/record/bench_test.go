package record

import (
	"io"
	"testing"
)

func BenchmarkEvent(b *testing.B) {
	p := New(io.Discard).Process("P1")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Event(Set("x", i), Set("critical", i&1 == 0))
	}
	perSecond(b, 1)
}

func BenchmarkEventOptions(b *testing.B) {
	for _, o := range []struct {
		name string
		opt  Option
	}{{"time", WithTime()}, {"clocks", WithClocks()}} {
		b.Run(o.name, func(b *testing.B) {
			p := New(io.Discard, o.opt).Process("P1")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p.Event(Set("x", i))
			}
			perSecond(b, 1)
		})
	}
}

func BenchmarkSendReceive(b *testing.B) {
	r := New(io.Discard)
	p, q := r.Process("P1"), r.Process("P2")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		q.Receive(p.Send("P2", Set("x", i)), Set("y", i), Label("reply"))
	}
	perSecond(b, 2)
}

func BenchmarkParallel(b *testing.B) {
	r := New(io.Discard)
	name := make(chan string, 64)
	for i := range cap(name) {
		name <- string(rune('A' + i))
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		p := r.Process(<-name)
		for i := 0; pb.Next(); i++ {
			p.Event(Set("x", i), Set("critical", i&1 == 0))
		}
	})
	perSecond(b, 1)
}

// perSecond reports the rate of events.
func perSecond(b *testing.B, events int) {
	b.ReportMetric(float64(b.N*events)/b.Elapsed().Seconds(), "events/s")
}
