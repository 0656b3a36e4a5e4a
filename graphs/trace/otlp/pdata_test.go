//go:build peers

package otlp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// decodeSpans returns the spans of a text with their final origins.
func decodeSpans(t testing.TB, file, text string) ([]span.Span, error) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	source, err := trace.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	var spans span.List
	err = jsonstream.Each(context.Background(), source, new(trace.Options), newDecoder(&spans).Read)
	var all []span.Span
	for _, x := range spans.Spans {
		all = append(all, *x)
	}
	return all, err
}

// translated returns the result of pdata in the same form.
func translated(td ptrace.Traces) []span.Span {
	var spans []span.Span
	for _, rs := range td.ResourceSpans().All() {
		resource := &span.Origin{}
		for _, a := range list(rs.Resource().Attributes(), "") {
			if a.Key == "service.name" && a.Value.Kind == graphs.String {
				resource.Service = a.Value.Text()
				continue
			}
			resource.Attributes = append(resource.Attributes, a)
		}
		for _, ss := range rs.ScopeSpans().All() {
			scope := &span.Origin{}
			if name := ss.Scope().Name(); name != "" {
				scope.Attributes = append(scope.Attributes, span.Attribute{Key: "otel.scope.name", Value: graphs.Str(name)})
			}
			if version := ss.Scope().Version(); version != "" {
				scope.Attributes = append(scope.Attributes, span.Attribute{Key: "otel.scope.version", Value: graphs.Str(version)})
			}
			scope.Attributes = append(scope.Attributes, list(ss.Scope().Attributes(), "otel.scope.")...)
			for _, s := range ss.Spans().All() {
				x := span.Span{
					Trace: traceOf(s.TraceID()), ID: idOf(s.SpanID()), Parent: idOf(s.ParentSpanID()),
					Kind: span.Kind(s.Kind()), Name: s.Name(), Start: uint64(s.StartTimestamp()), End: uint64(s.EndTimestamp()),
					Status: span.Status(s.Status().Code()), Message: s.Status().Message(),
					Resource: resource, Scope: scope, Attributes: list(s.Attributes(), ""),
				}
				if state := s.TraceState().AsRaw(); state != "" {
					x.Attributes = append(x.Attributes, span.Attribute{Key: "w3c.tracestate", Value: graphs.Str(state)})
				}
				for _, e := range s.Events().All() {
					x.Events = append(x.Events, span.Event{Time: uint64(e.Timestamp()), Name: e.Name(), Attributes: list(e.Attributes(), "")})
				}
				for _, l := range s.Links().All() {
					x.Links = append(x.Links, span.Link{Trace: traceOf(l.TraceID()), ID: idOf(l.SpanID())})
				}
				spans = append(spans, x)
			}
		}
	}
	return spans
}

func traceOf(id pcommon.TraceID) span.TraceID {
	t, _ := span.ParseID([]byte(fmt.Sprintf("%x", id[:])))
	return t
}

func idOf(id pcommon.SpanID) span.ID {
	t, _ := span.ParseID([]byte(fmt.Sprintf("%x", id[:])))
	return span.ID(t.Low)
}

func list(m pcommon.Map, prefix string) []span.Attribute {
	var attrs []span.Attribute
	for key, v := range m.All() {
		a := span.Attribute{Key: prefix + key}
		switch v.Type() {
		case pcommon.ValueTypeBool:
			a.Value = graphs.Boolean(v.Bool())
		case pcommon.ValueTypeInt:
			a.Value = graphs.Int(v.Int())
		case pcommon.ValueTypeDouble:
			switch f := v.Double(); {
			case math.IsNaN(f):
				a.Value = graphs.Str("NaN")
			case math.IsInf(f, 0):
				a.Value = graphs.Str(map[bool]string{true: "Infinity", false: "-Infinity"}[f > 0])
			default:
				a.Value = graphs.Float(f)
			}
		case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
			a.Value = graphs.Str(canonical(v))
		default:
			a.Value = graphs.Str(v.AsString())
		}
		attrs = append(attrs, a)
	}
	return attrs
}

// canonical returns the JSON text of an array or list.
func canonical(v pcommon.Value) string {
	var plain func(x any) any
	plain = func(x any) any {
		switch x := x.(type) {
		case []any:
			for i := range x {
				x[i] = plain(x[i])
			}
		case map[string]any:
			for k := range x {
				x[k] = plain(x[k])
			}
		case []byte: // may be nil
			return base64.StdEncoding.EncodeToString(x)
		case float64:
			if math.IsNaN(x) {
				return "NaN"
			}
			if math.IsInf(x, 0) {
				return map[bool]string{true: "Infinity", false: "-Infinity"}[x > 0]
			}
		}
		return x
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(plain(v.AsRaw()))
	return strings.TrimSpace(b.String())
}

// text is a span with everything in it.
func text(x span.Span, ordered bool) string {
	attrs := func(attrs []span.Attribute) string {
		var parts []string
		for _, a := range attrs {
			parts = append(parts, a.Key+"="+a.Value.String())
		}
		return strings.Join(parts, " ")
	}
	if !ordered { // members were read in another order
		var rest []span.Attribute
		var state []span.Attribute
		for _, a := range x.Attributes {
			if a.Key == "w3c.tracestate" {
				state = append(state, a)
			} else {
				rest = append(rest, a)
			}
		}
		x.Attributes = append(rest, state...)
	}
	scope := make(map[string]int)
	for _, a := range x.Scope.Attributes {
		scope[a.Key+"="+a.Value.String()]++
	}
	s := fmt.Sprintf("%v %v %v %v %q %d %d %v %q\nresource %q %s\nscope %v\nattributes %s\nlinks %v\n", x.Trace, x.ID, x.Parent, x.Kind, x.Name, x.Start, x.End, x.Status, x.Message,
		x.Resource.Service, attrs(x.Resource.Attributes), scope, attrs(x.Attributes), x.Links)
	for _, e := range x.Events {
		s += fmt.Sprintf("event %d %q %s\n", e.Time, e.Name, attrs(e.Attributes))
	}
	return s
}

// stricter are the errors on inputs that pdata accepts.
var stricter = regexp.MustCompile(strings.Join([]string{
	`is missing or zero$`,
	`^an attribute without a key`,
	`is given twice`,
	`is not OTLP in JSON`,
	`is not a kind of span`, `is not a status code`,
	`^an? (object|array) is expected here, not null`, // of an array
	`is not a number`, // such as a hexadecimal one
	`is beyond the greatest number`,
	`a second value of one`,
	`is not base64`,
	`is not a (trace|span) id of`,    // pdata accepts null
	`^invalid character '\d+' after`, // a number with leading zeros, in a skipped value
	`^missing value|^invalid character '[,}]'`,
}, "|"))

// TestPdata compares with the collector's own reader: both refuse or both accept, and read the
// same. stricter lists what only this package refuses. Only pdata refuses null in place of a
// number.
func TestPdata(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	file := filepath.Join(t.TempDir(), "x")
	var unmarshaler ptrace.JSONUnmarshaler
	both, neither, spans := 0, 0, 0
	onlyOurs := make(map[string]int)
	n := graphtest.Rounds(t, 400)
	for round := range n {
		m := &maker{r: r, wrong: []int{0, 300, 40, 15}[round%4]}
		doc := m.document()
		got, err := decodeSpans(t, file, doc)
		var e *trace.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
		td, theirs := unmarshaler.UnmarshalTraces([]byte(doc))
		switch {
		case err == nil && theirs == nil:
			both++
			want := translated(td)
			if len(got) != len(want) {
				t.Fatalf("%d spans, want %d\n%s", len(got), len(want), doc)
			}
			for i := range got {
				if a, b := text(got[i], false), text(want[i], true); a != b {
					t.Fatalf("round %d: got\n%s\nwant\n%s\n%s", round, a, b, doc)
				}
			}
			spans += len(got)
		case err != nil && theirs != nil:
			neither++
		case err != nil:
			if !stricter.MatchString(strings.Split(e.Msg, " (at ")[0]) {
				t.Fatalf("round %d: only this package refuses: %v\n%s", round, err, doc)
			}
			onlyOurs[e.Msg]++
		default:
			if !strings.Contains(doc, ":null") {
				t.Fatalf("round %d: only pdata refuses: %v\n%s", round, theirs, doc)
			}
		}
		if !m.spoilt && (err != nil || theirs != nil) {
			t.Fatalf("round %d: %v, %v\n%s", round, err, theirs, doc)
		}
	}
	t.Logf("%d accepted by both, %d by neither, %d only by pdata, %d spans", both, neither, len(onlyOurs), spans)
	if both < n/3 || neither < n/10 || spans < n/2 {
		t.Errorf("only %d accepted by both, %d by neither, %d spans", both, neither, spans)
	}
}
