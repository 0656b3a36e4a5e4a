package span

import (
	"context"
	"fmt"
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
