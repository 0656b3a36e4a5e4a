package online

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/syntax"
)

// openExecutions returns executions of eight events of two processes, and two properties, of
// which all lines come in between each other.
func openExecutions(t testing.TB, count, loaded int) *Executions {
	var formulas []*syntax.Formula
	for _, text := range []string{"AG(!(n@A == 3 && n@B == 3))", "AG(!(n@A > 5))"} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		formulas = append(formulas, f)
	}
	x := NewExecutions(formulas, Options{MaxLoaded: loaded})
	decide := func(e *Execution) error {
		return x.Decide(t.Context(), e, func(_ *Execution, a Answer) { t.Fatal(a) })
	}
	for k := range 4 {
		for i := range count {
			for _, process := range []string{"A", "B"} {
				message := [][]byte{fmt.Appendf(nil, "m%d", k)}
				l := &stream.Line{Execution: fmt.Appendf(nil, "order %d", i), Process: []byte(process), Values: []stream.Assignment{{Name: []byte("n"), Value: graphs.Int(int64(k % 3))}}}
				if process == "A" {
					l.Send = message
				} else {
					l.Recv = message
				}
				if _, err := x.Add(l, time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			if err := x.Evict(decide); err != nil {
				t.Fatal(err)
			}
		}
	}
	return x
}

// heapOf returns how many bytes an execution takes, and what is measured beside.
func heapOf(t testing.TB, count, loaded int) (bytes uint64, x *Executions) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	x = openExecutions(t, count, loaded)
	x.open = nil // each is evicted, or will be decided
	bytes = (heap() - before) / uint64(count)
	return bytes, x
}

// An execution that is quiet takes some hundred bytes.
func TestEvictedIsSmall(t *testing.T) {
	const most = 1000
	if bytes, x := heapOf(t, 1000, 10); bytes > most || x.Len() != 1000 || x.loaded.Len() != 10 {
		t.Errorf("%d bytes each of %d, and %d are loaded", bytes, x.Len(), x.loaded.Len())
	}
}

// Those are evicted that were used least recently.
func TestLeastRecentlyUsed(t *testing.T) {
	x := openExecutions(t, 2, 2)
	add := func(name string) *Execution {
		e, err := x.Add(&stream.Line{Execution: []byte(name), Process: []byte("A")}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	other, recent := add("order 1"), add("order 0")
	add("another")
	err := x.Evict(func(e *Execution) error {
		return x.Decide(t.Context(), e, func(_ *Execution, a Answer) { t.Fatal(a) })
	})
	if err != nil || recent.Monitor == nil || other.Monitor != nil {
		t.Errorf("what had a line last is evicted, or what had one before is not: %v", err)
	}
}

// Lines of so many executions in turn that each loads one.
func BenchmarkOpenExecutions(b *testing.B) {
	for _, count := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			for range b.N {
				bytes, x := heapOf(b, count, 0)
				b.ReportMetric(float64(bytes), "B/execution")
				runtime.KeepAlive(x)
			}
		})
	}
}

// An execution of many lines is not evicted, nor is one with an obligation; others are, and go on as if they had not
// been.
func TestNotEvicted(t *testing.T) {
	n := func(value int64) []stream.Assignment {
		return []stream.Assignment{{Name: []byte("n"), Value: graphs.Int(value)}}
	}
	f, err := syntax.Parse("AG(n@A == 1 -> AF n@A == 2)")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	x := NewExecutions([]*syntax.Formula{f}, Options{MaxLoaded: 1, Now: func() time.Time { return now }})
	decide := func(e *Execution) error {
		return x.Decide(t.Context(), e, func(_ *Execution, a Answer) { t.Fatal(a) })
	}
	all := make(map[string]*Execution)
	add := func(name string, values ...int64) {
		for _, v := range values {
			e, err := x.Add(&stream.Line{Execution: []byte(name), Process: []byte("A"), Values: n(v)}, now)
			if err == nil {
				err = x.Evict(decide)
			}
			if err != nil {
				t.Fatal(err)
			}
			all[name] = e
		}
	}
	add("short", 0, 1, 2, 3)
	add("pending", 0, 1)
	add("long", make([]int64, maxReplayed)...)
	add("last", 0)
	for name, want := range map[string]bool{"short": false, "pending": true, "long": true, "last": true} {
		if got := all[name].Monitor != nil; got != want || all[name].Over() {
			t.Errorf("%s: loaded %v, want %v", name, got, want)
		}
	}
	if o := all["pending"].Obligations(0); len(o) != 1 || !o[0].Since.Equal(now) {
		t.Errorf("%v", o)
	}
	for name, events := range map[string]int64{"short": 4, "pending": 2, "long": maxReplayed} {
		var got []Answer
		err := x.End(t.Context(), all[name], func(_ *Execution, a Answer) { got = append(got, a) })
		if err != nil || len(got) != 1 || got[0].Events != events || (got[0].Verdict.String() == "holds") != (name != "pending") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// Lines are kept in their order; many are not copied once more when others come, and none is kept of too many.
func TestHistory(t *testing.T) {
	var h history
	var buffer stream.Codec
	const most = 5 * historyChunk
	sizes := []int{0, historyChunk - 100, 90, 1, 2 * historyChunk, 7, historyChunk, 3}
	for n, size := range sizes {
		l := stream.Line{Process: []byte("P"), ID: bytes.Repeat([]byte("x"), size)}
		first := h.full
		h.add(&buffer, &l, most)
		for i := range first {
			if &h.full[i][0] != &first[i][0] {
				t.Errorf("chunk %d was copied", i)
			}
		}
		var got []int
		for l := range h.all {
			got = append(got, len(l.ID))
		}
		if !slices.Equal(got, sizes[:n+1]) {
			t.Fatalf("lines of %v bytes are kept, want %v", got, sizes[:n+1])
		}
	}
	if len(h.full) < 3 {
		t.Errorf("there are %d full chunks", len(h.full))
	}
	l := stream.Line{Process: []byte("P"), ID: bytes.Repeat([]byte("x"), historyChunk)}
	if h.add(&buffer, &l, most); h.bytes != 0 || h.full != nil || h.last != nil || !h.long {
		t.Error("too many lines are kept")
	}
}
