//go:build peers

package otlp

import (
	"math/rand/v2"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/pota-project/pota/graphs/graphtest"
)

// message returns spans in protobuf as the collector writes them.
func message(t testing.TB, td ptrace.Traces) []byte {
	t.Helper()
	text, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Protobuf that the collector writes yields the spans meant, the same as their JSON.
func TestProtobuf(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	compare := func(what, doc string, got, want []*Span) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%s has %d spans, want %d\n%s", what, len(got), len(want), doc)
		}
		for i := range got {
			if a, b := text(*got[i], false), text(*want[i], false); a != b {
				t.Fatalf("%s has\n%s\nwant\n%s\n%s", what, a, b, doc)
			}
		}
	}
	spans := 0
	n := graphtest.Rounds(t, 300)
	for range n {
		doc := (&maker{r: r}).document()
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		var want []*Span
		for _, x := range translated(td) {
			want = append(want, &x)
		}
		got, err := UnmarshalProto(message(t, td))
		if err != nil {
			t.Fatalf("%v\n%s", err, doc)
		}
		compare("protobuf", doc, got, want)

		inJSON, err := UnmarshalJSON([]byte(doc))
		if err != nil {
			t.Fatalf("%v\n%s", err, doc)
		}
		compare("JSON", doc, inJSON, want)
		spans += len(want)
	}
	if spans < n/2 {
		t.Errorf("only %d spans", spans)
	}
}

// one returns a request with a span that f completes.
func one(f func(s ptrace.Span)) ptrace.Traces {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{2})
	s.SetName("a name")
	f(s)
	return td
}

// inside puts a value into arrays and lists.
func inside(v pcommon.Value, depth int) {
	for i := range depth {
		if i%2 == 0 {
			v = v.SetEmptySlice().AppendEmpty()
		} else {
			v = v.SetEmptyMap().PutEmpty("k")
		}
	}
	v.SetInt(1)
}

// Malformed messages and values that OTLP does not define are errors; spans may lack ids.
func TestProtobufRefused(t *testing.T) {
	for want, f := range map[string]func(s ptrace.Span){
		"": func(s ptrace.Span) { s.SetTraceID(pcommon.TraceID{}) },
		"6 is not a kind of span: those are the numbers 0 to 5":  func(s ptrace.Span) { s.SetKind(6) },
		"-1 is not a kind of span: those are the numbers 0 to 5": func(s ptrace.Span) { s.SetKind(-1) },
		"3 is not a status code: those are the numbers 0 to 2":   func(s ptrace.Span) { s.Status().SetCode(3) },
		"an attribute without a key":                             func(s ptrace.Span) { s.Events().AppendEmpty().Attributes().PutInt("", 1) },
		errDepth.Error():                                         func(s ptrace.Span) { inside(s.Attributes().PutEmpty("a"), maxDepth+1) },
	} {
		spans, err := UnmarshalProto(message(t, one(f)))
		if want == "" && err == nil && len(spans) == 1 {
			continue
		}
		if err == nil || err.Error() != want {
			t.Errorf("the error is %v; want %s", err, want)
		}
	}
	deep := one(func(s ptrace.Span) { inside(s.Attributes().PutEmpty("a"), maxDepth) })
	if _, err := UnmarshalProto(message(t, deep)); err != nil {
		t.Error(err)
	}
	inJSON, err := new(ptrace.JSONMarshaler).MarshalTraces(one(func(s ptrace.Span) {
		inside(s.Attributes().PutEmpty("a"), maxDepth+1)
	}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := UnmarshalJSON(inJSON); err == nil || !strings.Contains(err.Error(), errDepth.Error()) {
		t.Errorf("the error is %v", err)
	}
	for _, text := range []string{
		"garbage", "\x00", "\x0a\x05ab", "\x08", // no field, field 0, a text or number that ends too soon
		"\x0a\x0c\x12\x0a\x12\x08\x0a\x06abcdef", // a trace id of six bytes
		"\x0a\x0c\x12\x0a\x12\x08\x12\x06abcdef", // a span id of six bytes
	} {
		if spans, err := UnmarshalProto([]byte(text)); err == nil {
			t.Errorf("%q has %d spans", text, len(spans))
		}
	}
	if spans, err := UnmarshalProto([]byte("\x0a\x08\x12\x06\x12\x04\x3a\x02\xc3x")); err != nil || len(spans) != 1 {
		t.Errorf("%v, %v", spans, err)
	}
}

// Random changes to bytes never cause a panic.
func TestProtobufDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	accepted, refused := 0, 0
	for range graphtest.Rounds(t, 300) {
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces([]byte((&maker{r: r}).document()))
		if err != nil {
			t.Fatal(err)
		}
		whole := message(t, td)
		for range 5 {
			damaged := append([]byte(nil), whole...)
			for range 1 + r.IntN(3) {
				if len(damaged) > 0 {
					damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
				}
			}
			damaged = damaged[:r.IntN(len(damaged)+1)]
			if _, err := UnmarshalProto(damaged); err != nil {
				refused++
				continue
			}
			accepted++
		}
	}
	if accepted < 20 || refused < 20 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}

func BenchmarkUnmarshalProto(b *testing.B) {
	td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(hotrod(b))
	if err != nil {
		b.Fatal(err)
	}
	text := message(b, td)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := UnmarshalProto(text); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzUnmarshalProto reads messages.
func FuzzUnmarshalProto(f *testing.F) {
	r := rand.New(rand.NewPCG(33, 34))
	for range 20 {
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces([]byte((&maker{r: r}).document()))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(message(f, td))
	}
	f.Fuzz(func(t *testing.T, text []byte) { _, _ = UnmarshalProto(text) })
}
