package spans

import (
	"fmt"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/trace/otlp"
)

// A table that was saved and read has the same executions, remembers the ones that are over, and
// accepts no span twice.
func TestCode(t *testing.T) {
	now := time.Now()
	options := Options{Grace: time.Second, Idle: time.Minute, Bytes: 1 << 20, Share: 2000, Over: 3}
	add := func(to *Table, trace, span, size int) Outcome {
		x := &otlp.Span{
			Trace:    otlp.TraceID{High: uint64(trace) << 56},
			ID:       otlp.SpanID(span) << 56,
			Resource: new(otlp.Origin),
			Scope:    new(otlp.Origin),
			Name:     string(make([]byte, size)),
		}
		if span > 1 {
			x.Parent = 1 << 56
		}
		out, err := to.Add(now, []*otlp.Span{x})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	a := New(options)
	for trace := 1; trace <= 8; trace++ {
		for span := 8; span > trace%3; span-- {
			add(a, trace, span, 10)
		}
	}
	add(a, 8, 9, 3000) // too large
	for _, trace := range []int{2, 4, 5, 7} {
		if _, ok := a.End(fmt.Sprintf("%02x%030x", trace, 0)); !ok {
			t.Fatalf("execution %d is not open", trace)
		}
	}
	b := New(options)
	b.AddPast(a.Past())
	if ids := b.Past(); len(ids) != 3*16 || ids[0] != 4 || ids[32] != 7 {
		t.Errorf("over are %x", ids)
	}
	if out := add(b, 4, 1, 1); out.Late != 1 {
		t.Errorf("%+v, but it is over", out)
	}
}
