package record

import (
	"io"
	"path/filepath"
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

func BenchmarkEventTime(b *testing.B) {
	p := New(io.Discard, WithTime()).Process("P1")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Event(Set("x", i))
	}
	perSecond(b, 1)
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

// BenchmarkFile writes to a file and reports the length of a line.
func BenchmarkFile(b *testing.B) {
	for _, o := range []struct {
		name string
		opts []Option
	}{{"buffered", nil}, {"sends", []Option{WithFlushSends()}}, {"lines", []Option{WithFlushLines()}}} {
		b.Run(o.name, func(b *testing.B) {
			r, err := Create(filepath.Join(b.TempDir(), "trace"), o.opts...)
			if err != nil {
				b.Fatal(err)
			}
			p, q := r.Process("P1"), r.Process("P2")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p.Event(Set("x", i), Set("critical", i&1 == 0))
				q.Receive(p.Send("P2"), Set("y", i))
			}
			perSecond(b, 3)
			if err := r.Flush(); err != nil {
				b.Fatal(err)
			}
			info, err := r.file.Stat()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(info.Size())/float64(3*b.N), "bytes/event")
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// perSecond reports the rate of events.
func perSecond(b *testing.B, events int) {
	b.ReportMetric(float64(b.N*events)/b.Elapsed().Seconds(), "events/s")
}
