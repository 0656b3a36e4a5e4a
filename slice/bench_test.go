package slice_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/slice"
)

// large returns a computation of 100 processes and 100,000 events, every fourth a
// receive, with a chain predicate of each process.
func large(b *testing.B) (*graphs.Computation, []*slice.Slice) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	var build graphs.Builder
	for p := range 100 {
		build.Process(string(rune('A' + p)))
	}
	var handles []graphs.Handle
	for range 100_000 {
		h := build.Event(r.IntN(100))
		if n := len(handles); n > 0 && r.IntN(4) == 0 {
			send := handles[max(0, n-1-r.IntN(2000))]
			if build.ProcessOf(send) != build.ProcessOf(h) {
				build.Deliver(build.NewMessage(""), send, h, -1)
			}
		}
		handles = append(handles, h)
	}
	c, err := build.Build()
	if err != nil {
		b.Fatal(err)
	}
	var locals []*slice.Slice
	for p := range 100 {
		var events []graphs.Event
		holds := []bool{true}
		for k := 1; k <= c.Len(p); k++ {
			events = append(events, c.Event(p, k))
			holds = append(holds, k == c.Len(p) || r.IntN(20) != 0)
		}
		locals = append(locals, slice.Chain(c, events, holds))
	}
	return c, locals
}

// BenchmarkOperators applies each operator to conjunctions over 100 processes and
// looks for the bounds of the result.
func BenchmarkOperators(b *testing.B) {
	c, locals := large(b)
	for _, op := range []struct {
		name  string
		apply func() *slice.Slice
	}{
		{"EF", func() *slice.Slice { return slice.EF(slice.And(locals...)) }},
		{"AG", func() *slice.Slice { return slice.AG(slice.And(locals...)) }},
		{"EG", func() *slice.Slice { return slice.EG(slice.And(locals...)) }},
		{"EU", func() *slice.Slice { return slice.EU(slice.And(locals[:50]...), slice.And(locals[50:]...)) }},
		{"ER", func() *slice.Slice { return slice.ER(slice.And(locals[:50]...), slice.And(locals[50:]...)) }},
		{"AG EF", func() *slice.Slice { return slice.AG(slice.EF(slice.And(locals...))) }},
		{"EG with a channel", func() *slice.Slice {
			return slice.EG(slice.And(slice.And(locals...), slice.TransitAtMost(c, 0, 1, 2)))
		}},
	} {
		b.Run(op.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if s := op.apply(); !s.Empty() {
					s.Greatest()
				}
			}
		})
	}
}
