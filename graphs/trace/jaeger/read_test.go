package jaeger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs/graphtest"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
	"github.com/pota-project/pota/graphs/trace/internal/span/spantest"
	"github.com/pota-project/pota/graphs/trace/otlp"
)

const (
	file = "../../../testdata/traces/jaeger/otlp2jaeger-out.json"
	pair = "../../../testdata/traces/otlp/otlp2jaeger-in.json"
)

// TestPair reads a trace in both formats.
func TestPair(t *testing.T) {
	opts := trace.Options{Names: true}
	got, err := spantest.Reader(Read).File(file, opts)
	if err != nil {
		t.Fatal(err)
	}
	want, err := spantest.Reader(otlp.Read).File(pair, opts)
	if err != nil {
		t.Fatal(err)
	}
	a, b := spantest.Written(t, got), spantest.Written(t, want)
	if a != b || got[0].Computation.NumEvents() != 4 {
		t.Errorf("Jaeger\n%s\nOTLP\n%s", a, b)
	}
}

// TestHotROD translates a real trace to Jaeger's format as Jaeger does, and reads both.
// Times are rounded, because Jaeger has no nanoseconds.
func TestHotROD(t *testing.T) {
	text := graphtest.Uncompressed(t, "../../../testdata/traces/otlp/hotrod-4dispatch.otlp.jsonl.gz")
	var rounded bytes.Buffer
	traces := make(map[string]*fileTrace)
	answer := fileAnswer{}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var doc map[string]any
		if err := dec.Decode(&doc); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, rs := range list(doc, "resourceSpans") {
			for _, ss := range list(rs, "scopeSpans") {
				for _, s := range list(ss, "spans") {
					id := s.(map[string]any)["traceId"].(string)
					if traces[id] == nil {
						traces[id] = &fileTrace{TraceID: id, Processes: make(map[string]fileProcess)}
						answer.Data = append(answer.Data, traces[id])
					}
					traces[id].add(rs.(map[string]any), ss.(map[string]any), s.(map[string]any))
				}
			}
		}
		line, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		rounded.Write(append(line, '\n'))
	}
	text, err := json.MarshalIndent(answer, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	opts := trace.Options{Names: true}
	got, err := spantest.Reader(Read).Text(string(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	want, err := spantest.Reader(otlp.Read).Text(rounded.String(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := spantest.Written(t, got), spantest.Written(t, want); a != b || len(got) != 4 {
		t.Errorf("Jaeger\n%.3000s\nOTLP\n%.3000s", a, b)
	}
}

// The types below are the format, for encoding/json.
type (
	fileAnswer struct {
		Data   []*fileTrace `json:"data"`
		Total  int          `json:"total"`
		Errors []any        `json:"errors"`
	}
	fileTrace struct {
		TraceID   string                 `json:"traceID"`
		Spans     []fileSpan             `json:"spans"`
		Processes map[string]fileProcess `json:"processes"`
		Warnings  []string               `json:"warnings"`
	}
	fileSpan struct {
		TraceID       string          `json:"traceID"`
		SpanID        string          `json:"spanID"`
		ParentSpanID  string          `json:"parentSpanID,omitempty"`
		Flags         int             `json:"flags,omitempty"`
		OperationName string          `json:"operationName"`
		References    []fileReference `json:"references"`
		StartTime     uint64          `json:"startTime"`
		Duration      uint64          `json:"duration"`
		Tags          []fileTag       `json:"tags"`
		Logs          []fileLog       `json:"logs"`
		ProcessID     string          `json:"processID,omitempty"`
		Process       *fileProcess    `json:"process,omitempty"`
		Warnings      []string        `json:"warnings"`
	}
	fileReference struct {
		RefType string `json:"refType"`
		TraceID string `json:"traceID"`
		SpanID  string `json:"spanID"`
	}
	fileTag struct {
		Key   string `json:"key"`
		Type  string `json:"type,omitempty"`
		Value any    `json:"value"`
	}
	fileLog struct {
		Timestamp uint64    `json:"timestamp"`
		Fields    []fileTag `json:"fields"`
	}
	fileProcess struct {
		ServiceName string    `json:"serviceName"`
		Tags        []fileTag `json:"tags"`
	}
)

func list(x any, key string) []any {
	a, _ := x.(map[string]any)[key].([]any)
	return a
}

// tagsOf translates attributes of OTLP.
func tagsOf(attributes []any) []fileTag {
	var tags []fileTag
	for _, a := range attributes {
		key := a.(map[string]any)["key"].(string)
		for kind, v := range a.(map[string]any)["value"].(map[string]any) {
			tag := fileTag{Key: key, Value: v, Type: map[string]string{"stringValue": "string", "boolValue": "bool", "intValue": "int64", "doubleValue": "float64"}[kind]}
			if tag.Type == "int64" {
				tag.Value = json.Number(v.(string))
			}
			tags = append(tags, tag)
		}
	}
	return tags
}

// microseconds rounds a time to microseconds, also in place.
func microseconds(x map[string]any, key string) uint64 {
	text, _ := x[key].(string)
	u, _ := strconv.ParseUint(text, 10, 64)
	x[key] = strconv.FormatUint(u/1000*1000, 10)
	return u / 1000
}

// add adds a span of OTLP.
func (x *fileTrace) add(rs, ss, s map[string]any) {
	process := fileProcess{}
	for _, tag := range tagsOf(list(rs["resource"], "attributes")) {
		if tag.Key == "service.name" {
			process.ServiceName = tag.Value.(string)
		} else {
			process.Tags = append(process.Tags, tag)
		}
	}
	pid := process.ServiceName
	x.Processes[pid] = process
	span := fileSpan{TraceID: x.TraceID, SpanID: s["spanId"].(string), OperationName: s["name"].(string), ProcessID: pid}
	if parent, _ := s["parentSpanId"].(string); parent != "" {
		span.References = append(span.References, fileReference{"CHILD_OF", x.TraceID, parent})
	}
	span.StartTime = microseconds(s, "startTimeUnixNano")
	span.Duration = microseconds(s, "endTimeUnixNano") - span.StartTime
	scope := ss["scope"].(map[string]any)
	for _, key := range []string{"name", "version"} {
		if text, ok := scope[key]; ok {
			span.Tags = append(span.Tags, fileTag{"otel.scope." + key, "string", text})
		}
	}
	span.Tags = append(span.Tags, tagsOf(list(s, "attributes"))...)
	if kind, ok := s["kind"].(float64); ok {
		span.Tags = append(span.Tags, fileTag{"span.kind", "string", []string{"", "internal", "server", "client", "producer", "consumer"}[int(kind)]})
	}
	if status, ok := s["status"].(map[string]any); ok {
		if status["code"] == 2.0 {
			span.Tags = append(span.Tags, fileTag{"otel.status_code", "string", "ERROR"}, fileTag{"error", "bool", true})
		}
		if m, ok := status["message"]; ok {
			span.Tags = append(span.Tags, fileTag{"otel.status_description", "string", m})
		}
	}
	for _, e := range list(s, "events") {
		e := e.(map[string]any)
		fields := append([]fileTag{{"event", "string", e["name"]}}, tagsOf(list(e, "attributes"))...)
		span.Logs = append(span.Logs, fileLog{microseconds(e, "timeUnixNano"), fields})
	}
	x.Spans = append(x.Spans, span)
}

// randomTrace returns a trace and the spans that it stands for.
func randomTrace(r *rand.Rand) (*fileTrace, []string) {
	one := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	hex := func(id int) string { return fmt.Sprintf([]string{"%x", "%016x", "%X"}[r.IntN(3)], id) }
	type tag struct {
		fileTag
		want graphs.Value
	}
	tags := func() (given []fileTag, want []string) {
		for range r.IntN(3) {
			all := []tag{
				{fileTag{"a", "string", "x"}, graphs.Str("x")}, {fileTag{"b", "int64", 5}, graphs.Int(5)},
				{fileTag{"b", "int64", "9223372036854775807"}, graphs.Int(9223372036854775807)},
				{fileTag{"c", "float64", 0.25}, graphs.Float(0.25)}, {fileTag{"c", "float64", 3}, graphs.Int(3)}, {fileTag{"c", "float64", "NaN"}, graphs.Str("NaN")},
				{fileTag{"d", "bool", true}, graphs.Boolean(true)}, {fileTag{"d", "bool", "false"}, graphs.Boolean(false)},
				{fileTag{"e", "binary", "AQID"}, graphs.Str("AQID")}, {fileTag{"f", "", "1"}, graphs.Str("1")},
				{fileTag{"f", "", 1}, graphs.Int(1)}, {fileTag{"f", "", false}, graphs.Boolean(false)}, {fileTag{"g", "string", nil}, graphs.Str("")},
			}
			x := all[r.IntN(len(all))]
			given = append(given, x.fileTag)
			want = append(want, x.Key+"="+x.want.String())
		}
		return given, want
	}
	x := &fileTrace{TraceID: "5", Processes: make(map[string]fileProcess)}
	processes := make(map[string]string)
	for _, id := range []string{"p1", "p2"} {
		given, want := tags()
		x.Processes[id] = fileProcess{one("s", "t"), given}
		processes[id] = fmt.Sprintf("%s %v", x.Processes[id].ServiceName, want)
	}
	var wants []string
	for range r.IntN(4) {
		s := fileSpan{TraceID: one("5", "05", "7"), SpanID: hex(1 + r.IntN(30)), OperationName: one("o", "é"), ProcessID: one("p1", "p2"),
			StartTime: uint64(r.IntN(3) * 1795161708865943), Duration: uint64(r.IntN(100)), Flags: r.IntN(2)}
		trace := map[string]int{"5": 5, "05": 5, "7": 7}[s.TraceID]
		parent, links := 0, []string{}
		if r.IntN(3) == 0 {
			parent = 1 + r.IntN(30)
			s.ParentSpanID = hex(parent)
		}
		found := false
		for range r.IntN(4) {
			kind, to, id := one("CHILD_OF", "FOLLOWS_FROM"), 5+2*r.IntN(2), 1+r.IntN(30)
			s.References = append(s.References, fileReference{kind, hex(to), hex(id)})
			if kind == "CHILD_OF" && to == trace && !found {
				parent, found = id, true
			} else {
				links = append(links, fmt.Sprint(to, "/", id))
			}
		}
		given, attributes := tags()
		s.Tags = given
		kind, status, message := "unspecified", "unset", ""
		if r.IntN(2) == 0 {
			kind = one("internal", "server", "client", "producer", "consumer")
			s.Tags = append(s.Tags, fileTag{"span.kind", "string", kind})
		}
		if r.IntN(3) == 0 {
			status = one("ok", "error")
			s.Tags = append(s.Tags, fileTag{"otel.status_code", "string", strings.ToUpper(status)})
			message = one("m", "")
			s.Tags = append(s.Tags, fileTag{"otel.status_description", "string", message})
		}
		if r.IntN(5) == 0 {
			s.Tags = append(s.Tags, fileTag{"otel.library.name", "string", "l"}, fileTag{"span.kind", "string", "odd"})
			attributes = append(attributes, `otel.scope.name="l"`, `span.kind="odd"`)
		}
		want := fmt.Sprintf("%d/%d parent %d links %v %s %s %q %d %d %s %q %v", trace, idNumber(s.SpanID), parent, links, kind, processes[s.ProcessID], s.OperationName, s.StartTime*1000, end(s), status, message, attributes)
		for range r.IntN(3) {
			given, attributes := tags()
			name := one("e", "")
			if name != "" {
				given = append(given, fileTag{"event", "string", name})
			}
			s.Logs = append(s.Logs, fileLog{uint64(r.IntN(5)), given})
			want += fmt.Sprintf(" event %d %q %v", s.Logs[len(s.Logs)-1].Timestamp*1000, name, attributes)
		}
		x.Spans = append(x.Spans, s)
		wants = append(wants, want)
	}
	return x, wants
}

func idNumber(hex string) uint64 {
	u, _ := strconv.ParseUint(hex, 16, 64)
	return u
}

func end(s fileSpan) uint64 {
	if s.StartTime == 0 {
		return 0
	}
	return (s.StartTime + s.Duration) * 1000
}

// describe writes a span like randomTrace.
func describe(x *span.Span) string {
	attrs := func(attrs []span.Attribute) []string {
		var all []string
		for _, a := range attrs {
			all = append(all, a.Key+"="+a.Value.String())
		}
		return all
	}
	links := []string{}
	for _, l := range x.Links {
		links = append(links, fmt.Sprint(l.Trace.Low, "/", uint64(l.ID)))
	}
	s := fmt.Sprintf("%d/%d parent %d links %v %v %s %v %q %d %d %v %q %v", x.Trace.Low, uint64(x.ID), uint64(x.Parent), links, x.Kind, x.Resource.Service, attrs(x.Resource.Attributes), x.Name, x.Start, x.End, x.Status, x.Message, attrs(x.Attributes))
	for _, e := range x.Events {
		s += fmt.Sprintf(" event %d %q %v", e.Time, e.Name, attrs(e.Attributes))
	}
	return s
}

// randomText returns documents and the spans that they stand for.
func randomText(t testing.TB, r *rand.Rand) (string, []string) {
	var b strings.Builder
	var wants []string
	write := func(x any) {
		text, err := json.Marshal(x)
		if r.IntN(2) == 0 && err == nil { // keys in order
			var tree any
			dec := json.NewDecoder(bytes.NewReader(text))
			dec.UseNumber()
			if err = dec.Decode(&tree); err == nil {
				text, err = json.MarshalIndent(tree, "", strings.Repeat(" ", r.IntN(2)))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
		b.WriteString([]string{"", "\n"}[r.IntN(2)])
	}
	for range 1 + r.IntN(2) {
		var some []*fileTrace
		for range 1 + r.IntN(2) {
			x, want := randomTrace(r)
			some = append(some, x)
			wants = append(wants, want...)
		}
		switch r.IntN(3) {
		case 0:
			write(fileAnswer{Data: some})
		case 1:
			write(some)
		case 2:
			for _, x := range some {
				write(x)
			}
		}
	}
	return b.String(), wants
}

// TestSpans compares the spans read from random traces with those from which the traces were made.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	path := filepath.Join(t.TempDir(), "x.json")
	spans, n := 0, graphtest.Rounds(t, 150)
	for range n {
		text, want := randomText(t, r)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		source, err := trace.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var list span.List
		err = jsonstream.Each(context.Background(), source, new(trace.Options), newDecoder(&list).Read)
		all := list.Spans
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(all) != len(want) {
			t.Fatalf("%d spans, want %d\n%s", len(all), len(want), text)
		}
		for i := range all {
			if got := describe(all[i]); got != want[i] {
				t.Fatalf("got\n%s\nwant\n%s\n%s", got, want[i], text)
			}
		}
		spans += len(all)
	}
	if spans < n {
		t.Error(spans)
	}
}

func TestEmbedded(t *testing.T) {
	all, err := spantest.Reader(Read).Text(`{"traceID":"1","spans":[{"traceID":"1","spanID":"2","operationName":"o","process":{"serviceName":"s","tags":[]},"tags":[{"key":"error","type":"bool","value":true}]}]}`, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := all[0].Computation
	if c.Processes()[0] != "s/o#1" || c.Variable(0, "status").Value(0).Text() != "error" {
		t.Errorf("%q, %v", c.Processes(), c.Variable(0, "status"))
	}
}

// TestRefused has a § where the error is, in text and message, and ' for ".
func TestRefused(t *testing.T) {
	with := func(more string) string {
		return "{'data':[{'traceID':'1','processes':{'p':{'serviceName':'s','tags':null}},'spans':[§{'traceID':'1','spanID':'2','processID':'p','operationName':'o'" + more + "}]}]}"
	}
	at := func(more string) string { return strings.Replace(with(more), "§{", "{", 1) }
	const where = " (at /data/0/spans/0"
	for _, test := range []struct{ text, want string }{
		{"", "x.json: no span"},
		{"{'data':[],'total':0,'errors':null}", "x.json: no span"},
		{"[]", "x.json: no span"},
		{"{'data':null,'errors':[§{'code':404,'msg':'trace not found'}]}", "x.json:§: the query service answered with an error: \"trace not found\""},
		{"§5", "x.json:§: an object is expected here, not a number"},
		{"[§[]]", "x.json:§: an object is expected here, not an array (at /0)"},
		{"{'dta':[]}", "x.json: no span"},
		{at(",'startTime':§-1"), `x.json:§: "-1" is not an integer from 0 up of 64 bits` + where + "/startTime)"},
		{at(",'startTime':§18446744073709552"), `x.json:§: 18446744073709552 microseconds are beyond the last time` + where + "/startTime)"},
		{with(",'startTime':18446744073709551,'duration':1"), `x.json:§: a span whose duration is too long`},
		{at(",'references':[{'refType':§'CHILD'}]"), `x.json:§: "CHILD" is not a type of reference (known are CHILD_OF, FOLLOWS_FROM)` + where + "/references/0/refType)"},
		{at(",'references':[§{'spanID':'1'}]"), `x.json:§: a reference without refType`},
		{at(",'tags':[§{'key':'k','type':'int64','value':'x'}]"), `x.json:§: "x" of tag "k" is not of type int64`},
		{at(",'tags':[§{'key':'k','type':'bool','value':1}]"), `x.json:§: "1" of tag "k" is not of type bool`},
		{at(",'tags':[§{'key':'k','type':'binary','value':'?'}]"), `x.json:§: "?" of tag "k" is not of type binary`},
		{at(",'tags':[§{'key':'k','type':'float','value':1}]"), `x.json:§: unknown type "float" of tag "k" (did you mean "float64"?)`},
		{at(",'tags':[§{'key':'k','type':'int','value':1}]"), `x.json:§: unknown type "int" of tag "k"`},
		{at(",'tags':[§{'key':'k','type':'strin','value':'1'}]"), `x.json:§: unknown type "strin" of tag "k" (did you mean "string"?)`},
		{at(",'tags':[§{'value':1}]"), `x.json:§: a tag without a key`},
		{at(",'tags':[{'key':'k','value':§[1]}]"), `x.json:§: a number is expected here, not an array` + where + "/tags/0/value)"},
		{"{'traceID':'1','spans':[§{'traceID':'1','spanID':'2','processID':'p'}],'processes':{}}", `x.json:§: the process "p" of the span is not declared`},
		{"{'traceID':'1','spans':[§{'traceID':'1','spanID':'2'}]}", `x.json:§: a span without processID`},
		{"{'traceID':'1','spans':[§{'spanID':'2','processID':'p'}]}", `x.json:§: a span whose traceID is missing or zero`},
		{"{'traceID':'1','spans':[§{'traceID':'1','spanID':'0','processID':'p'}]}", `x.json:§: a span whose spanID is missing or zero`},
		{with(",'parentSpanID':'2'"), "x.json:§: the span 0000000000000002 is its own ancestor: s/o#1 → s/o#1"},
		{at(",'flags':1,§'flags':2"), `x.json:§: the key "flags" is given twice` + where + ")"},
		{"{'data':[§", "x.json:§: the JSON text ends too soon (at /data)"},
	} {
		before, after, _ := strings.Cut(strings.ReplaceAll(test.text, "'", `"`), "§")
		place := fmt.Sprintf("1:%d", 1+utf8.RuneCountInString(before))
		want := strings.Replace(test.want, "§", place, 1)
		_, err := spantest.Reader(Read).Text(before+after, trace.Options{})
		var e *trace.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.text, err, want)
		}
	}
}

// TestNested reads the files that jaeger-ui saves: their references contain the spans to which they
// refer.
func TestNested(t *testing.T) {
	const text = `{"data":[{"traceID":"a1","processes":{"p1":{"serviceName":"web"},"p2":{"serviceName":"lock"}},"spans":[
{"traceID":"a1","spanID":"b1","processID":"p1","operationName":"buy","startTime":1,"duration":9,"depth":0,"tag":[],"references":[]},
{"traceID":"a1","spanID":"b2","processID":"p2","operationName":"hold","startTime":2,"duration":2,"references":[{"refType":"CHILD_OF",
"traceID":"a1","spanID":"b1","span":{"traceID":"a1","spanID":"b1","process":{"serviceName":"web"},"subsidiarilyReferencedBy":[]}}]}]}]}`
	var notes []string
	all, err := spantest.Reader(Read).Text(text, trace.Options{Note: func(e *trace.Error) { notes = append(notes, e.Msg) }})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`unknown key "depth" (at /data/0/spans/0/depth), which is passed over`,
		`unknown key "tag" (did you mean "tags"?) (at /data/0/spans/0/tag), which is passed over`,
		`unknown key "span" (did you mean "spanID"?) (at /data/0/spans/1/references/0/span), which is passed over`,
	}
	if !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if c := all[0].Computation; c.NumProcesses() != 2 || c.NumEdges() != 1 {
		t.Errorf("%d processes and %d edges, want 2 and 1", c.NumProcesses(), c.NumEdges())
	}
}

// TestOneLine: an error is one line, whatever the document contains.
func TestOneLine(t *testing.T) {
	for _, text := range []string{
		`{"traceID":"1","spans":[{"traceID":"1","spanID":"2","processID":"p\u2028\nq"}]}`,
		"{\"data\":[\n{\"traceID\":\"a\n1\"}]}",
		`{"traceID":"1","spans":[{"x\ny":{"a\nb":1,"a\nb":2}}]}`,
		`{"data":null,"errors":[{"msg":"not\nfound"}]}`,
		`{"traceID":"1","spans":[{"startTime":"1\n2"}]}`,
	} {
		_, err := spantest.Reader(Read).Text(text, trace.Options{})
		if err == nil || strings.ContainsAny(err.Error(), "\n\r\u2028") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		`{"data":[{"traceID":"1","spans":[`:                         true,
		`{"total":0,"data":[{"spans":[{"tags":[],"spanID":"2"`:      true,
		"{ \"traceID\" : \"1\",\n\"processes\" :":                   true,
		`[{"traceID":"1","spans":[]`:                                true,
		`{"data":null,"total":0,"limit":0,"offset":0,"errors":[{`:   true,
		`{"data":[],"errors":1}`:                                    false,
		`{"data":[{"traceID":"1"}]}`:                                false,
		`{"traceID":"1","msg":"x","process":{"traceID":"spanID\""}`: false,
		`{"process":"spanID"}`:                                      false,
		"":                                                          false,
	} {
		if got := Detect([]byte(text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
	files, err := filepath.Glob("../../../testdata/*/*/*.*")
	if err != nil || len(files) < 20 {
		t.Fatal(err, len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Contains(file, "/jaeger/") && strings.HasSuffix(file, ".json"); Detect(text) != want {
			t.Errorf("%s: %t", file, !want)
		}
	}
}

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	if text, err = os.ReadFile("../../../testdata/traces/jaeger/testTrace.json"); err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	r := rand.New(rand.NewPCG(51, 52))
	for range 30 {
		text, _ := randomText(f, r)
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.HasPrefix(string(text), "\x1f\x8b") || strings.HasPrefix(string(text), "\x28\xb5\x2f\xfd") {
			t.Skip("compressed")
		}
		Detect(text)
		spantest.Reader(Read).Check(t, text)
	})
}
