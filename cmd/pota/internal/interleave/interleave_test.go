package interleave

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
)

// textOf writes a line with all that it has.
func textOf(l *stream.Line) string {
	return fmt.Sprintf("%v %d %s %s %q %q %q %q %q %v", l.Place, l.Kind, l.Process, l.ID, l.Send, l.Recv, l.To, l.After, l.Sync, l.Values)
}

// run executes messages between processes at random, and returns the lines of each process.
func run(r *rand.Rand, names []string, events int) [][]stream.Line {
	lines := make([][]stream.Line, len(names))
	var waiting []string
	for i := range events {
		p := r.IntN(len(names))
		l := stream.Line{Process: []byte(names[p]), Values: []stream.Assignment{{Name: []byte("x"), Value: graphs.Int(int64(i))}}}
		if n := len(waiting); n > 0 && r.IntN(2) == 0 {
			l.Recv = [][]byte{[]byte(waiting[n-1])}
			waiting = waiting[:n-1]
		}
		if r.IntN(3) == 0 {
			l.ID = fmt.Appendf(nil, "e%d", i)
			waiting = append(waiting, fmt.Sprint("m", i))
			l.Send = [][]byte{fmt.Appendf(nil, "m%d", i)}
		}
		lines[p] = append(lines[p], l)
	}
	return lines
}

// All lines come back as they were, those of a process in order and its end after them; one of
// each process waits at most.
func TestEach(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	names := []string{"A", "B", "C", "nobody"}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		of := run(r, names[:3], 1+r.IntN(400))
		all, err := New(names)
		if err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(os.TempDir()); len(left) > 0 || err != nil {
			t.Fatalf("%v is in the folder for temporary files, %v", left, err)
		}
		all.size = 1 + r.IntN(1000)
		want := make([][]string, len(names))
		number := 0
		for p := range of { // one after the other
			for i := range of[p] {
				number++
				of[p][i].Place.Line = number
				want[p] = append(want[p], textOf(&of[p][i]))
				if err := all.Add(&of[p][i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		for p, name := range names {
			want[p] = append(want[p], textOf(&stream.Line{Kind: stream.Closing, Process: []byte(name)}))
		}
		s := stream.New(stream.Options{Released: all.Released})
		for _, name := range names {
			if err := s.Add(&stream.Line{Kind: stream.Declaration, Process: []byte(name)}); err != nil {
				t.Fatal(err)
			}
		}
		got := make([][]string, len(names))
		err = all.Each(context.Background(), s.Waiting, func(l *stream.Line) error {
			p := slices.Index(names, string(l.Process))
			if l.Kind == stream.Event && s.Waiting(p) {
				t.Errorf("seed %d: two events of %s wait", seed, l.Process)
			}
			got[p] = append(got[p], textOf(l))
			return s.Add(l)
		})
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("seed %d: %v\n%q, want\n%q", seed, err, got, want)
		}
		if err := all.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Where all processes wait, as for a sync, reading goes on.
func TestAllWait(t *testing.T) {
	names := []string{"A", "B"}
	all, err := New(names)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	for _, name := range names {
		for k := range 40 {
			l := &stream.Line{Process: []byte(name), Sync: [][]byte{fmt.Appendf(nil, "s%d", k)}}
			if err := all.Add(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	waits, taken := 0, 0
	err = all.Each(context.Background(), func(int) bool { waits++; return true }, func(*stream.Line) error { taken++; return nil })
	if err != nil || taken != 82 || waits != 80 {
		t.Errorf("%d lines, %v", taken, err)
	}
}

func BenchmarkEach(b *testing.B) {
	names := []string{"A", "B", "C"}
	of := run(rand.New(rand.NewPCG(1, 1)), names, b.N)
	all, err := New(names)
	if err != nil {
		b.Fatal(err)
	}
	defer all.Close()
	b.ResetTimer()
	for p := range of {
		for i := range of[p] {
			if err := all.Add(&of[p][i]); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := all.Each(context.Background(), func(int) bool { return false }, func(*stream.Line) error { return nil }); err != nil {
		b.Fatal(err)
	}
}
