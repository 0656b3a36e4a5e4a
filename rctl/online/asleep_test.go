package online

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/syntax"
)

// openExecutions returns executions of eight events of two processes, and two properties, of
// which all lines come in between each other.
func openExecutions(t testing.TB, count, awake int) *Executions {
	var formulas []*syntax.Formula
	for _, text := range []string{"AG(!(n@A == 3 && n@B == 3))", "AG(!(n@A > 5))"} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		formulas = append(formulas, f)
	}
	x := NewExecutions(formulas, Options{Misfit: true, Awake: awake})
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
			if err := x.Rest(decide); err != nil {
				t.Fatal(err)
			}
		}
	}
	return x
}

// taken returns how many bytes an execution takes, and what is measured beside.
func taken(t testing.TB, count, awake int) (bytes uint64, x *Executions) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	x = openExecutions(t, count, awake)
	x.open = nil // of which each is asleep, or will be decided
	bytes = (heap() - before) / uint64(count)
	return bytes, x
}

// An execution that is quiet takes some hundred bytes.
func TestAsleepIsSmall(t *testing.T) {
	const most = 1000
	if bytes, x := taken(t, 1000, 10); bytes > most || x.Len() != 1000 || x.awake.Len() != 10 {
		t.Errorf("%d bytes each of %d, and %d are awake", bytes, x.Len(), x.awake.Len())
	}
}

// Lines of so many executions in turn that each wakes one.
func BenchmarkOpenExecutions(b *testing.B) {
	for _, count := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			for range b.N {
				bytes, x := taken(b, count, 0)
				b.ReportMetric(float64(bytes), "B/execution")
				runtime.KeepAlive(x)
			}
		})
	}
}
