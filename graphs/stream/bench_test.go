package stream

import (
	"fmt"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// BenchmarkSyncs has syncs of two processes: many are open at a time, and complete when the second joins, or when the
// others have closed; or of all processes, one after the other.
func BenchmarkSyncs(b *testing.B) {
	for name, x := range map[string]struct {
		opts             Options
		processes, syncs int
		joined           int // by how many processes
		first            int // how many join all syncs before others do
	}{
		"open":    {Options{SyncSize: 2}, 2, 100_000, 2, 1},
		"closing": {Options{Declared: true}, 100, 100_000, 2, 0},
		"barrier": {Options{Declared: true}, 1000, 100, 1000, 0},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := New(x.opts)
				s.SetView(View{Names: map[string]bool{"x": true}})
				set := []Assignment{{[]byte("x"), graphs.Int(1)}}
				add := func(l Line, p int) {
					l.Process = fmt.Append(nil, p%x.processes)
					if err := s.Add(&l); err != nil {
						b.Fatal(err)
					}
				}
				for p := range x.processes {
					add(Line{Kind: Declaration, Values: set}, p)
				}
				for p := range x.first {
					for i := range x.syncs {
						add(Line{Sync: [][]byte{fmt.Append(nil, i)}, Values: set}, p)
					}
				}
				for i := range x.syncs {
					for k := x.first; k < x.joined; k++ {
						p := k
						if x.joined < x.processes {
							p += i
						}
						add(Line{Sync: [][]byte{fmt.Append(nil, i)}, Values: set}, p)
					}
					if i%100 == 0 {
						s.Drop()
					}
				}
				for p := range x.processes {
					add(Line{Kind: Closing}, p)
				}
				if s.Admitted() != int64(x.syncs*x.joined) {
					b.Fatal(s.Admitted())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*x.syncs*x.joined), "ns/event")
		})
	}
}

// BenchmarkLongLines has an event that names 40,000 others, or messages, or syncs.
func BenchmarkLongLines(b *testing.B) {
	var all [][]byte
	for i := range 40_000 {
		all = append(all, fmt.Append(nil, i))
	}
	for name, l := range map[string]Line{"send": {Send: all}, "recv": {Recv: all}, "sync": {Sync: all}, "keyed": {Send: all, Keyed: true}, "after": {After: all}} {
		b.Run(name, func(b *testing.B) {
			l.Process = []byte("P")
			for b.Loop() {
				s := New(Options{})
				s.SetView(View{Everything: true})
				if err := s.Add(&l); err != nil {
					b.Fatal(err)
				}
				for _, id := range l.After {
					if err := s.Add(&Line{Process: []byte("Q"), ID: id}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
