package stdouttrace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/span/spantest"
)

// shop returns the text of a real trace.
func shop(t testing.TB) []byte {
	t.Helper()
	return graphtest.Uncompressed(t, "../../../testdata/traces/otel-go/shop.stdout.json.gz")
}

const (
	one   = `"SpanContext":{"TraceID":"0123456789abcdef0123456789abcdef","SpanID":"0000000000000001","TraceState":"a=1","Remote":false},"Parent":{"TraceID":"00000000000000000000000000000000","SpanID":"0000000000000000"}`
	whole = `{"Name":"op",` + one + `,"SpanKind":2,"StartTime":"2026-01-01T00:00:00.000000001Z","EndTime":"0001-01-01T00:00:00Z",
"Attributes":[{"Key":"b","Value":{"Type":"BOOL","Value":true}},{"Key":"i","Value":{"Value":9007199254740993,"Type":"INT64"}},{"Key":"f","Value":{"Type":"FLOAT64","Value":2}},
{"Key":"s","Value":{"Type":"STRING","Value":"a\u003c"}},{"Key":"l","Value":{"Type":"STRINGSLICE","Value":["x\u003c", "y"]}},{"Key":"n","Value":{"Type":"INT64SLICE","Value":null}}],
"Events":[{"Name":"e","Attributes":null,"Time":"2026-01-01T00:00:00.000000002Z"}],"Links":null,"Status":{"Code":"Error","Description":"bad"},
"Resource":[{"Key":"service.name","Value":{"Type":"STRING","Value":"shop"}}],"InstrumentationScope":{"Name":"lib","Version":"","SchemaURL":"","Attributes":null}}`
)

// A span with everything; the wanted lines were written by hand.
func TestRead(t *testing.T) {
	all, err := spantest.Reader(Read).Text(whole, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	got := spantest.Written(t, all)
	all, err = spantest.Reader(Read).Text(strings.Replace(whole, "0001-01-01T00:00:00Z", "1970-01-01T00:59:59.5+01:00", 1), trace.Options{Names: true})
	if before := spantest.Written(t, all); err != nil || before != got {
		t.Errorf("%v, with an end before 1970\n%s", err, before)
	}
	for _, line := range []string{
		`{"process":"shop/op#1","set":{"active":true,"kind":"server","operation":"op","event":"start","service":"shop","started":1767225600,"b":true,"f":2,"i":9007199254740993,"l":"[\"x<\",\"y\"]","n":"","otel.scope.name":"lib","s":"a<","service.name":"shop","w3c.tracestate":"a=1"},"label":"start","time":"2026-01-01T00:00:00.000000001Z"}`,
		`{"process":"shop/op#1","set":{"event":"e"},"label":"e","time":"2026-01-01T00:00:00.000000002Z"}`,
		`{"process":"shop/op#1","set":{"active":false,"operation":"op","event":"end","service":"shop","b":true,"f":2,"i":9007199254740993,"l":"[\"x<\",\"y\"]","n":"","otel.scope.name":"lib","s":"a<","service.name":"shop","w3c.tracestate":"a=1","status":"error","status.message":"bad"},"label":"end"}`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("got\n%s\nwithout\n%s", got, line)
		}
	}
}

func TestRefused(t *testing.T) {
	with := func(more string) string { return "§{" + one + more + "}" }
	at := func(more string) string { return strings.Replace(with(more), "§{", "{", 1) }
	for _, test := range []struct{ text, want string }{
		{"", "x.json: no span"},
		{"§[]", "x.json:§: an object is expected here, not an array"},
		{`§{"Name":"x"}`, "x.json:§: a span whose SpanContext.TraceID is missing or zero"},
		{at(`,"SpanKind":§6`), `x.json:§: 6 is not a kind of span: those are the numbers 0 to 5 (at /SpanKind)`},
		{at(`,"StartTime":§"noon"`), `x.json:§: "noon" is not a time of RFC 3339 (at /StartTime)`},
		{at(`,"EndTime":§"2300-01-01T00:00:00Z"`), `x.json:§: "2300-01-01T00:00:00Z" is beyond the last time (at /EndTime)`},
		{at(`,"Status":{"Code":§"Erorr"}`), `x.json:§: "Erorr" is not a status code (did you mean "Error"?) (at /Status/Code)`},
		{at(`,"Attributes":[§{"Value":{"Type":"BOOL","Value":true}}]`), `x.json:§: an attribute without a key`},
		{at(`,"Attributes":[{"Key":"a","Value":§{"Type":"INT64","Value":1.5}}]`), `x.json:§: "1.5" is not a value of type "INT64"`},
		{at(`,"Attributes":[{"Key":"a","Value":§{"Type":"STRING","Value":1}}]`), `x.json:§: "1" is not a value of type "STRING"`},
	} {
		before, after, _ := strings.Cut(test.text, "§")
		want := strings.Replace(test.want, "§", fmt.Sprintf("1:%d", 1+utf8.RuneCountInString(before)), 1)
		_, err := spantest.Reader(Read).Text(before+after, trace.Options{})
		var e *trace.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.text, err, want)
		}
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		whole:                                   true,
		whole[:150]:                             true,
		"\ufeff\n{\n\t\"Name\": \"x\"," + one:   true,
		`{"SpanContext":"TraceID"}`:             false,
		`{"process":"P","label":"SpanContext"}`: false,
		"":                                      false,
	} {
		if Detect([]byte(text)) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
	others, err := filepath.Glob("../../../testdata/*/*/*.*")
	if err != nil || len(others) < 20 {
		t.Fatal(err, len(others))
	}
	for _, file := range others {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if Detect(text) {
			t.Error(file)
		}
	}
	if !Detect(shop(t)) {
		t.Error("a real trace is not detected")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(whole))
	text := shop(f)
	f.Add(text[:bytes.IndexByte(text[bytes.IndexByte(text, '\n')+1:], '\n')])
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.HasPrefix(text, []byte("\x1f\x8b")) || bytes.HasPrefix(text, []byte("\x28\xb5\x2f\xfd")) {
			t.Skip("compressed")
		}
		Detect(text)
		spantest.Reader(Read).Check(t, text)
	})
}
