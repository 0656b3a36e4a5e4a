package online

import (
	"errors"
	"fmt"
	"reflect"
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
	x := NewExecutions(formulas, Options{Awake: awake})
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

// Those go to sleep that have been quiet for the longest time.
func TestQuietestSleep(t *testing.T) {
	x := openExecutions(t, 2, 2)
	add := func(name string) *Execution {
		e, err := x.Add(&stream.Line{Execution: []byte(name), Process: []byte("A")}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	other, awake := add("order 1"), add("order 0")
	add("another")
	err := x.Rest(func(e *Execution) error {
		return x.Decide(t.Context(), e, func(_ *Execution, a Answer) { t.Fatal(a) })
	})
	if err != nil || awake.Monitor == nil || other.Monitor != nil {
		t.Errorf("what had a line last sleeps, or what had one before does not: %v", err)
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

// What has been found out and is not told yet is saved: a formula that does not say any more
// which variable it means, and since when a request has waited.
func TestSavedWhole(t *testing.T) {
	n := []stream.Assignment{{Name: []byte("n"), Value: graphs.Int(1)}}
	formulas := make([]*syntax.Formula, 2)
	for i, text := range []string{"AG(n < 2)", "AG(n@A == 1 -> AF m@A == 1)"} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		formulas[i] = f
	}
	var want []Answer
	for _, saved := range []bool{false, true} {
		x := NewExecutions(formulas, Options{})
		decide := func(e *Execution) {
			if err := x.Decide(t.Context(), e, func(_ *Execution, a Answer) { t.Fatal(a) }); err != nil {
				t.Fatal(err)
			}
		}
		var e *Execution
		for _, l := range []stream.Line{
			{Kind: stream.Declaration, Process: []byte("A"), Values: []stream.Assignment{{Name: []byte("m"), Value: graphs.Int(0)}, {Name: []byte("n"), Value: graphs.Int(0)}}},
			{Process: []byte("A"), Values: n},
			{Kind: stream.Declaration, Process: []byte("B"), Values: n},
		} {
			l.Execution = []byte("x")
			var err error
			if e, err = x.Add(&l, time.Now()); err != nil {
				t.Fatal(err)
			}
			if l.Kind == stream.Event {
				decide(e)
			}
		}
		if saved {
			before := e.Obligations(1)
			y := NewExecutions(formulas, Options{})
			restored, err := y.Restore("x", time.Now(), e.Save())
			if err != nil {
				t.Fatal(err)
			}
			after := restored.Obligations(1)
			if len(before) != 1 || len(after) != 1 || after[0].Since.Sub(before[0].Since) != 0 || after[0].Events != before[0].Events {
				t.Errorf("%v becomes %v", before, after)
			}
			x, e = y, restored
		}
		var got []Answer
		tell := func(_ *Execution, a Answer) { got = append(got, a) }
		late := stream.Line{Execution: []byte("x"), Process: []byte("A"), Values: []stream.Assignment{{Name: []byte("n"), Value: graphs.Int(5)}}}
		if _, err := x.Add(&late, time.Now()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(x.Decide(t.Context(), e, tell), x.End(t.Context(), e, tell)); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if len(got) != 2 || !reflect.DeepEqual(got, want) || got[0].Reason == "" {
			t.Errorf("saved %v: %v, want %v", saved, got, want)
		}
	}
}
