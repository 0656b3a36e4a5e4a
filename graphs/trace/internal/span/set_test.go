package span

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// TestService: the order of attributes does not matter to a service, their values do.
func TestService(t *testing.T) {
	a, b := Attribute{"a", graphs.Int(1)}, Attribute{"b", graphs.Str("x")}
	for _, test := range []struct {
		service string
		attrs   []Attribute
		edges   int
	}{
		{"s", []Attribute{a, b}, 2}, {"s", []Attribute{b, a}, 2}, {"t", []Attribute{a, b}, 1},
		{"s", []Attribute{a}, 1}, {"s", []Attribute{a, {"b", graphs.Int(1)}}, 1},
	} {
		s := NewSet(trace.Options{})
		for _, x := range []*Span{
			{Trace: TraceID{0, 1}, ID: 1, Start: 1, End: 4, Resource: &Origin{Service: "s", Attributes: []Attribute{a, b}}},
			{Trace: TraceID{0, 1}, ID: 2, Parent: 1, Start: 2, End: 3, Resource: &Origin{Service: test.service, Attributes: test.attrs}},
		} {
			if err := s.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		all, err := s.Executions(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := all[0].Computation.NumEdges(); got != test.edges {
			t.Errorf("%+v: %d edges", test, got)
		}
	}
}

// TestNames: an execution costs the names that it uses, not all those of the file.
func TestNames(t *testing.T) {
	const n = 3000
	bytes := func(names int) uint64 {
		s := NewSet(trace.Options{})
		for i := range n {
			attr := Attribute{fmt.Sprint("a", i%names), graphs.Int(1)}
			x := &Span{Trace: TraceID{0, uint64(i) + 1}, ID: 1, Resource: &Origin{}, Attributes: []Attribute{attr}}
			if err := s.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if all, err := s.Executions(context.Background()); err != nil || len(all) != n {
			t.Fatal(len(all), err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := bytes(1), bytes(n); many > few+few/2 {
		t.Errorf("%d bytes with %d names, %d with one", many, n, few)
	}
}

func TestVariableName(t *testing.T) {
	for key, want := range map[string]string{
		"http.method": "http.method", "a-b c/d": "a_b_c_d", "1st": "_1st", ".a": "_.a", "a..": "a__", "é": "é", "": "_", "_": "_", "x\xff": "x_", "日.本": "日.本",
	} {
		if got := trace.VariableName(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

func TestParseID(t *testing.T) {
	for text, want := range map[string]string{
		"0123456789abcdefFEDCBA9876543210": "123456789abcdef fedcba9876543210 true", "f": "0 f true", "": "0 0 false", "g": "0 0 false",
		"0123456789abcdefFEDCBA98765432100": "0 0 false",
	} {
		id, ok := ParseID([]byte(text))
		if got := fmt.Sprintf("%x %x %t", id.High, id.Low, ok); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
