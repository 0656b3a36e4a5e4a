package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/span/spantest"
	"github.com/pota-project/pota/graphs/trace/native"
)

const files = "../../../testdata/traces/otlp/"

func read(path string, opts trace.Options) ([]trace.Execution, error) {
	source, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	return Read(context.Background(), source, opts)
}

// readText reads a text, in which ' stands for ".
func readText(t testing.TB, text string, opts trace.Options) ([]trace.Execution, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.json", []byte(strings.ReplaceAll(text, "'", `"`)), 0o666); err != nil {
		t.Fatal(err)
	}
	return read("x.json", opts)
}

// written returns executions in the native format.
func written(t testing.TB, all []trace.Execution) string {
	t.Helper()
	var b strings.Builder
	for _, x := range all {
		fmt.Fprintf(&b, "# %s\n", x.Name)
		if err := native.Write(&b, x.Computation, nil); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func hotrod(t testing.TB) []byte {
	t.Helper()
	return graphtest.Uncompressed(t, files+"hotrod-4dispatch.otlp.jsonl.gz")
}

// count is the content of a file, counted without the reader.
type count struct {
	spans, events int
	traces        map[string]int // number of spans
	services      map[string]int
}

func countAll(t testing.TB, text []byte) count {
	c := count{traces: make(map[string]int), services: make(map[string]int)}
	array := func(x any, key string) []any {
		a, _ := x.(map[string]any)[key].([]any)
		return a
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var doc map[string]any
		err := dec.Decode(&doc)
		if err == io.EOF {
			return c
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, rs := range array(doc, "resourceSpans") {
			service := ""
			for _, a := range array(rs.(map[string]any)["resource"], "attributes") {
				if a.(map[string]any)["key"] == "service.name" {
					service = a.(map[string]any)["value"].(map[string]any)["stringValue"].(string)
				}
			}
			for _, ss := range array(rs, "scopeSpans") {
				for _, s := range array(ss, "spans") {
					c.spans++
					c.events += len(array(s, "events"))
					c.traces[s.(map[string]any)["traceId"].(string)]++
					c.services[service]++
				}
			}
		}
	}
}

// TestHotROD reads the trace of a real program and compares the counts.
func TestHotROD(t *testing.T) {
	want := countAll(t, hotrod(t))
	if want.spans != 158 || want.events != 204 || len(want.traces) != 4 || len(want.services) != 6 {
		t.Fatalf("the file has %+v", want)
	}
	all, err := read(files+"hotrod-4dispatch.otlp.jsonl.gz", trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	got := count{traces: make(map[string]int), services: make(map[string]int)}
	for _, x := range all {
		c := x.Computation
		got.traces[x.Name] = c.NumProcesses()
		got.spans += c.NumProcesses()
		got.events += c.NumEvents() - 2*c.NumProcesses()
		for p, name := range c.Processes() {
			service, _, _ := strings.Cut(name, "/")
			got.services[service]++
			if first, last := c.Event(p, 1), c.Event(p, c.Len(p)); c.Label(first) != "start" || c.Label(last) != "end" || c.Time(first) == "" {
				t.Errorf("%s: %q … %q at %s", name, c.Label(first), c.Label(last), c.Time(first))
			}
			active := c.Variable(p, "active")
			if active.Len() != 2 || !active.Value(0).Bool() || active.Value(1).Bool() || active.Init.Bool() {
				t.Errorf("%s: active is %+v", name, active)
			}
		}
		if c.LowerBound() == "" {
			t.Error("not a lower bound")
		}
	}
	if got.spans != want.spans || got.events != want.events || !maps.Equal(got.traces, want.traces) || !maps.Equal(got.services, want.services) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// TestForms reads one trace in many forms.
func TestForms(t *testing.T) {
	text := hotrod(t)
	lines := bytes.SplitAfter(bytes.TrimSpace(text), []byte("\n"))
	want := func() string {
		all, err := read(files+"hotrod-4dispatch.otlp.jsonl.gz", trace.Options{Names: true})
		if err != nil {
			t.Fatal(err)
		}
		return written(t, all)
	}()
	var pretty bytes.Buffer
	var parts []string
	for _, line := range lines {
		if err := json.Indent(&pretty, line, "", "\t"); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(line)), `{"resourceSpans":[`), `]}`))
	}
	forms := map[string]string{
		"lines":           string(text),
		"pretty":          pretty.String(),
		"array":           "[" + string(bytes.Join(lines, []byte(","))) + "]",
		"results":         `{"result":` + string(bytes.Join(lines, []byte("}\n{\"result\":"))) + "}",
		"concatenated":    strings.ReplaceAll(string(text), "\n", ""),
		"one document":    `{"resourceSpans":[` + strings.Join(parts, ",") + `]}`,
		"byte order mark": "\ufeff" + string(text),
		"older":           strings.NewReplacer(`"scopeSpans"`, `"instrumentationLibrarySpans"`, `"scope"`, `"instrumentationLibrary"`).Replace(string(text)),
		"upper case":      strings.NewReplacer("e591443bd16941c7", "E591443BD16941C7", "b27dfe79a1dcc2f4934578af7a8e1506", "B27DFE79A1DCC2F4934578AF7A8E1506").Replace(string(text)),
		"names":           strings.NewReplacer(`"kind":2`, `"kind":"SPAN_KIND_SERVER"`, `"code":2`, `"code":"STATUS_CODE_ERROR"`, `"kind":3`, `"kind":"3"`[:7]+`"SPAN_KIND_CLIENT"`).Replace(string(text)),
		"other signals":   `{"resourceMetrics":[{"a":[1,{"b":null}]}]}` + string(text) + `{"resourceLogs":[]}`,
		"extended":        strings.ReplaceAll(string(text), `"kind":`, `"new":{"spanId":[1]},"kind":`),
		"resource last":   resourceLast(t, lines),
	}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("x", []byte(forms[name]), 0o666); err != nil {
				t.Fatal(err)
			}
			if head := forms[name][:min(len(forms[name]), 256<<10)]; !Detect([]byte(head)) || !Detect([]byte(head[:100])) {
				t.Error("not detected")
			}
			all, err := read("x", trace.Options{Names: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := written(t, all); got != want {
				t.Errorf("got\n%.2000s\nwant\n%.2000s", got, want)
			}
		})
	}
	t.Run("directory", func(t *testing.T) {
		dir := t.TempDir()
		for i, line := range lines {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.json", i)), line, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		all, err := read(dir, trace.Options{Names: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := written(t, all); got != want {
			t.Errorf("got\n%.2000s\nwant\n%.2000s", got, want)
		}
	})
}

// resourceLast moves the members resource and scope after their siblings.
func resourceLast(t *testing.T, lines [][]byte) string {
	var b strings.Builder
	for _, line := range lines {
		var doc struct {
			ResourceSpans []struct {
				Resource   json.RawMessage
				ScopeSpans []struct{ Scope, Spans json.RawMessage }
			}
		}
		if err := json.Unmarshal(line, &doc); err != nil {
			t.Fatal(err)
		}
		b.WriteString(`{"resourceSpans":[`)
		for i, rs := range doc.ResourceSpans {
			b.WriteString([]string{"", ","}[min(i, 1)] + `{"scopeSpans":[`)
			for k, ss := range rs.ScopeSpans {
				fmt.Fprintf(&b, `%s{"spans":%s,"scope":%s}`, []string{"", ","}[min(k, 1)], ss.Spans, ss.Scope)
			}
			fmt.Fprintf(&b, `],"resource":%s}`, rs.Resource)
		}
		b.WriteString("]}\n")
	}
	return b.String()
}

const (
	oneTrace = "'traceId':'0123456789abcdef0123456789abcdef'"
	head     = "{'resourceSpans':[{'resource':{'attributes':[{'key':'service.name','value':{'stringValue':'s'}}]},'scopeSpans':[{'spans':["
	tail     = "]}]}]}"
)

// variables returns the values of the variables of a process, in the order of its events.
func variables(c *graphs.Computation, p int) string {
	var all []string
	for _, v := range c.Variables() {
		if v.Process != p {
			continue
		}
		s := v.Name + " " + v.Init.String()
		for i := range v.Len() {
			s += fmt.Sprintf(" %d:%v", c.Position(v.Event(i)), v.Value(i))
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

func TestVariables(t *testing.T) {
	attr := func(key, value string) string { return "{'key':'" + key + "','value':" + value + "}" }
	for _, test := range []struct{ attributes, more, want string }{
		{"", "", ""},
		{attr("a", "{'intValue':'9223372036854775807'}"), "", "a 0 1:9223372036854775807"},
		{attr("a", "{'intValue':-5}"), "", "a 0 1:-5"},
		{attr("a", "{'doubleValue':0.5}"), "", "a 0 1:0.5"},
		{attr("a", "{'doubleValue':'1e3'}"), "", "a 0 1:1000"},
		{attr("a", "{'doubleValue':'NaN'}"), "", `a "" 1:"NaN"`},
		{attr("a", "{'doubleValue':'-Infinity'}"), "", `a "" 1:"-Infinity"`},
		{attr("a", "{'boolValue':true}"), "", "a false 1:true"},
		{attr("a", "{'bytesValue':'AQI='}"), "", `a "" 1:"AQI="`},
		{attr("a", "{}"), "", `a "" 1:""`},
		{attr("a", "null"), "", `a "" 1:""`},
		{"{'key':'a'}", "", `a "" 1:""`},
		{attr("a", "{'arrayValue':{'values':[{'intValue':'1'},{'stringValue':'x'},{},{'arrayValue':{}}]}}"), "", `a "" 1:"[1,\"x\",null,[]]"`},
		{attr("a", "{'kvlistValue':{'values':[{'key':'z','value':{'boolValue':false}},{'key':'b','value':{'doubleValue':1.5}},{'key':'c'}]}}"), "", `a "" 1:"{\"b\":1.5,\"c\":null,\"z\":false}"`},
		{attr("a", "{'intValue':1}") + "," + attr("a", "{'intValue':2}"), "", "a 0 1:2"},
		{attr("http.a-b c.", "{'intValue':1}"), "", "http.a_b_c_ 0 1:1"},
		{attr("1st", "{'intValue':1}"), "", "_1st 0 1:1"},
		{attr("kind", "{'intValue':1}") + "," + attr("status", "{'intValue':2}"), "", "attribute.kind 0 1:1; attribute.status 0 1:2"},
		{attr("error", "{'boolValue':true}"), "", "status error"},
		{attr("error", "{'boolValue':false}"), "", "error false 1:false"},
		{attr("error", "{'boolValue':true}"), ",'status':{'code':1}", "status ok; error false 1:true"},
		{attr("a", "{'intValue':1}"), ",'events':[{'timeUnixNano':'7','name':'x','attributes':[" + attr("a", "{'intValue':2}") + "]}]", `a 0 1:1 2:2; event "" 2:"x"`},
		{attr("a", "{'intValue':1}"), ",'events':[{'name':'x','attributes':[" + attr("a", "{'boolValue':true}") + "]}]", `a "" 1:"1" 2:"true"; event "" 2:"x"`},
		{"", ",'status':{'code':2,'message':'m'}", `status error; status.message "" 2:"m"`},
		{"", ",'traceState':'k=v'", `w3c.tracestate "" 1:"k=v"`},
	} {
		all, err := readText(t, head+"{"+oneTrace+",'spanId':'0000000000000001','name':'o','attributes':["+test.attributes+"]"+test.more+"}"+tail, trace.Options{})
		if err != nil {
			t.Errorf("%s: %v", test.attributes, err)
			continue
		}
		c := all[0].Computation
		status, rest := "unset", test.want
		if after, ok := strings.CutPrefix(rest, "status "); ok && !strings.HasPrefix(rest, "status.") {
			status, rest, _ = strings.Cut(after, "; ")
		}
		last := c.Len(0)
		// end sets again the variables that start sets.
		twice := func(part string) string {
			_, value, ok := strings.Cut(part, " 1:")
			if !ok {
				return part
			}
			value, _, _ = strings.Cut(value, " 2:")
			return fmt.Sprintf("%s %d:%s", part, last, value)
		}
		want := fmt.Sprintf(`active false 1:true %d:false; kind "" 1:"unspecified"; status "unset" %d:%q; `, last, last, status)
		want += strings.Join([]string{twice(`operation "" 1:"o"`), twice(`service "" 1:"s"`), twice(`service.name "" 1:"s"`)}, "; ")
		event := ""
		for _, part := range strings.Split(rest, "; ") {
			if after, ok := strings.CutPrefix(part, `event ""`); ok {
				event = after
			} else if part != "" {
				want += "; " + twice(part)
			}
		}
		want += fmt.Sprintf(`; event "" 1:"start"%s %d:"end"`, event, last)
		got := variables(c, 0)
		a, b := strings.Split(got, "; "), strings.Split(want, "; ")
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("%s%s:\ngot  %s\nwant %s", test.attributes, test.more, got, want)
		}
	}
}

// TestResource checks the attributes of resource and scope.
func TestResource(t *testing.T) {
	all, err := readText(t, "{'resourceSpans':[{'resource':{'attributes':[{'key':'service.name','value':{'stringValue':'s'}},{'key':'process.pid','value':{'intValue':1}},{'key':'host.name','value':{'stringValue':'h'}}]},"+
		"'scopeSpans':[{'scope':{'name':'n','version':'v','attributes':[{'key':'a','value':{'boolValue':true}}]},'spans':[{"+oneTrace+",'spanId':'0000000000000001'}]}]}]}", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := all[0].Computation
	want := `active false 1:true 2:false; kind "" 1:"unspecified"; operation "" 1:"" 2:""; event "" 1:"start" 2:"end"; service "" 1:"s" 2:"s"; host.name "" 1:"h" 2:"h"; otel.scope.a false 1:true 2:true; otel.scope.name "" 1:"n" 2:"n"; otel.scope.version "" 1:"v" 2:"v"; service.name "" 1:"s" 2:"s"; status "unset" 2:"unset"`
	if got := variables(c, 0); got != want || c.Processes()[0] != "s/#1" {
		t.Errorf("%s: got\n%s\nwant\n%s", c.Processes()[0], got, want)
	}
}

// TestOptions keeps only the variables asked for.
func TestOptions(t *testing.T) {
	all, err := read(files+"hotrod-4dispatch.otlp.jsonl.gz", trace.Options{Variables: map[string]bool{"active": true, "level": true}})
	if err != nil {
		t.Fatal(err)
	}
	c := all[0].Computation
	names := make(map[string]int)
	for _, v := range c.Variables() {
		names[v.Name]++
		if kept := v.Name == "active" || v.Name == "level"; kept == v.Skipped() {
			t.Errorf("%s: skipped is %t", v.Name, v.Skipped())
		}
	}
	if names["active"] != c.NumProcesses() || names["kind"] != 1 || names["server.port"] != 1 {
		t.Errorf("%v", names)
	}
	// Times stay, because the clocks of services order events.
	if c.Label(1) != "" || c.Time(1) == "" || c.Clock(0) == "" {
		t.Errorf("label %q, time %q, clock %q", c.Label(1), c.Time(1), c.Clock(0))
	}
}

func TestLinks(t *testing.T) {
	span := func(trace, id int, more string) string {
		return fmt.Sprintf("{'traceId':'%032x','spanId':'%016x','name':'o','startTimeUnixNano':'%d','endTimeUnixNano':99%s}", trace, id, id, more)
	}
	link := func(trace, id int) string {
		return fmt.Sprintf(",'links':[{'traceId':'%032x','spanId':'%016x'}]", trace, id)
	}
	all, err := readText(t, head+span(10, 1, "")+","+span(11, 2, "")+","+span(12, 3, link(10, 1))+","+span(13, 4, link(11, 9)+",'parentSpanId':'00000000000000AA'")+tail, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	want := `# 0000000000000000000000000000000a
s/o#1:1 start
s/o#1:2 end
s/o#2:1 start after s/o#1:1
s/o#2:2 end
# 0000000000000000000000000000000b
s/o#1:1 start
s/o#1:2 end
# 0000000000000000000000000000000d
s/o#1:1 start (not here: parent 00000000000000aa, link 0000000000000000000000000000000b 0000000000000009)
s/o#1:2 end
`
	var b strings.Builder
	for _, x := range all {
		fmt.Fprintf(&b, "# %s\n", x.Name)
		for e := graphs.Event(1); e < x.Computation.Top(); e++ {
			fmt.Fprintf(&b, "%s %s", x.Computation.ID(e), x.Computation.Label(e))
			for _, f := range x.Computation.Preds(e) {
				fmt.Fprintf(&b, " after %s", x.Computation.ID(f))
			}
			b.WriteString("\n")
		}
	}
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRefused marks the place of the error by §, in text and message.
func TestRefused(t *testing.T) {
	span := func(more string) string {
		return head + "{" + oneTrace + ",'spanId':'0000000000000001'" + more + "}" + tail
	}
	attr := func(value string) string {
		return span(",'attributes':[{'key':'k','value':" + value + "}]")
	}
	const at = " (at /resourceSpans/0/scopeSpans/0/spans/0"
	for _, test := range []struct{ text, want string }{
		{"", "x.json: no span"},
		{"{}", "x.json: no span"},
		{"§null", "x.json:§: an object is expected here, not null"},
		{"[]", "x.json: no span"},
		{"[§[]]", "x.json:§: an object is expected here, not an array (at /0)"},
		{"{'resourceSpans':[]}", "x.json: no span"},
		{"{'resourceLogs':[{}]}\n{'resourceMetrics':[]}", "x.json: no span: there are only logs (resourceLogs), metrics (resourceMetrics)"},
		{"{'resource_metrics':[]}", "x.json: no span"},
		{"{§'resource_spans':[]}", `x.json:§: "resource_spans" is not OTLP in JSON, which has "resourceSpans" (at /resource_spans)`},
		{span(",§'parent_span_id':'1'"), `x.json:§: "parent_span_id" is not OTLP in JSON, which has "parentSpanId"` + at + "/parent_span_id)"},
		{span(",'name':§5"), "x.json:§: a string is expected here, not a number" + at + "/name)"},
		{span(",'name':§{}"), "x.json:§: a string is expected here, not an object" + at + "/name)"},
		{span(",'name':'a',§'name':'b'"), `x.json:§: the key "name" is given twice` + at + ")"},
		{span(",'events':§{}"), "x.json:§: an array is expected here, not an object" + at + "/events)"},
		{span(",'events':[§3]"), "x.json:§: an object is expected here, not a number" + at + "/events/0)"},
		{span(",'kind':§6"), "x.json:§: 6 is not a kind of span: those are the numbers 0 to 5" + at + "/kind)"},
		{span(",'kind':§'SPAN_KIND_SEVER'"), `x.json:§: "SPAN_KIND_SEVER" is not a kind of span (did you mean "SPAN_KIND_SERVER"?)` + at + "/kind)"},
		{span(",'kind':§'server'"), `x.json:§: "server" is not a kind of span` + at + "/kind)"},
		{span(",'status':{'code':§1.0}"), "x.json:§: 1.0 is not a status code: those are the numbers 0 to 2" + at + "/status/code)"},
		{span(",'parentSpanId':§'xyz'"), `x.json:§: "xyz" is not a span id, which is 16 hexadecimal digits, or 8 bytes in base64` + at + "/parentSpanId)"},
		{span(",'parentSpanId':§'7uGbfsPBsX=='"), `x.json:§: "7uGbfsPBsX==" is not a span id, which is 16 hexadecimal digits, or 8 bytes in base64` + at + "/parentSpanId)"},
		{span(",'parentSpanId':§'7uGbfsPBsXR='"), `x.json:§: "7uGbfsPBsXR=" is not a span id, which is 16 hexadecimal digits, or 8 bytes in base64` + at + "/parentSpanId)"},
		{span(",'links':[{'traceId':§'7uGbfsPBsXQ='}]"), `x.json:§: "7uGbfsPBsXQ=" is not a trace id, which is 32 hexadecimal digits, or 16 bytes in base64` + at + "/links/0/traceId)"},
		{span(",'links':[{'traceId':§'00'}]"), `x.json:§: "00" is not a trace id, which is 32 hexadecimal digits, or 16 bytes in base64` + at + "/links/0/traceId)"},
		{span(",'startTimeUnixNano':§'-1'"), `x.json:§: "-1" is not an integer from 0 up of 64 bits` + at + "/startTimeUnixNano)"},
		{span(",'flags':§'4294967296'"), `x.json:§: "4294967296" is not an integer from 0 up of 32 bits` + at + "/flags)"},
		{attr("{'intValue':§'9223372036854775808'}"), `x.json:§: "9223372036854775808" is not an integer of 64 bits` + at + "/attributes/0/value/intValue)"},
		{attr("{'doubleValue':§'0x1p-2'}"), `x.json:§: "0x1p-2" is not a number` + at + "/attributes/0/value/doubleValue)"},
		{attr("{'doubleValue':§1e999}"), "x.json:§: 1e999 is beyond the greatest number" + at + "/attributes/0/value/doubleValue)"},
		{attr("{'boolValue':§'true'}"), "x.json:§: true or false is expected here, not a string" + at + "/attributes/0/value/boolValue)"},
		{attr("{'bytesValue':§'?'}"), `x.json:§: "?" is not base64` + at + "/attributes/0/value/bytesValue)"},
		{attr("{'intValue':1,'boolValue':§true}"), "x.json:§: a second value of one attribute" + at + "/attributes/0/value/boolValue)"},
		{attr("{§'string_value':'a'}"), `x.json:§: "string_value" is not OTLP in JSON, which has "stringValue"` + at + "/attributes/0/value/string_value)"},
		{span(",'attributes':[§{'value':{}}]"), "x.json:§: an attribute without a key"},
		{head + "§{'spanId':'0000000000000001'}" + tail, "x.json:§: a span whose traceId is missing or zero"},
		{head + "\n §{" + oneTrace + ",'spanId':'0000000000000000'}" + tail, "x.json:§: a span whose spanId is missing or zero"},
		{span(",'name':'é" + "§\xff" + "'"), "x.json:§: invalid UTF-8" + at + "/name)"},
		{span(",'name':'§\\ud800'"), "x.json:§: invalid surrogate pair `\\ud800\"}]}]}` in string" + at + "/name)"},
		{head + "§{" + oneTrace + ",'name':'\\n','spanId':'0000000000000001','parentSpanId':'0000000000000001'}" + tail, `x.json:§: the span 0000000000000001 is its own ancestor: s/\n#1 → s/\n#1`},
		{span("§x"), "x.json:§: invalid character 'x' after object value (expecting ',' or '}')" + at + ")"},
		{"{'resourceSpans':[§", "x.json:§: the JSON text ends too soon (at /resourceSpans)"},
		{head + "§{" + oneTrace + ",'spanId':'0000000000000001','parentSpanId':'0000000000000001'}" + tail, "x.json:§: the span 0000000000000001 is its own ancestor: s/#1 → s/#1"},
		{head + "§{" + oneTrace + ",'spanId':'0000000000000001','links':[{" + oneTrace + ",'spanId':'0000000000000001'}]}" + tail, "x.json:§: cycle of happened-before: s/#1:1 → s/#1:1 (parents have none, so a link is wrong)"},
		{head + "§{" + oneTrace + ",'spanId':'0000000000000001','parentSpanId':'0000000000000002'}, {" + oneTrace + ",'name':'b','spanId':'0000000000000002','parentSpanId':'0000000000000001'}" + tail,
			"x.json:§: the span 0000000000000001 is its own ancestor: s/#1 → s/b#1 → s/#1"},
	} {
		before, after, _ := strings.Cut(test.text, "§")
		line := before[strings.LastIndexByte(before, '\n')+1:]
		place := fmt.Sprintf("%d:%d", 1+strings.Count(before, "\n"), 1+utf8.RuneCountInString(line))
		want := strings.Replace(test.want, "§", place, 1)
		_, err := readText(t, before+after, trace.Options{})
		var e *trace.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.text, err, want)
		}
	}
}

// Ids in base64 equal those in hexadecimal digits; batches and the trace of an answer are
// documents.
func TestBase64(t *testing.T) {
	const text = `{"trace":{"batches":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},"scopeSpans":[{"spans":[
{"traceId":"000102030405060708090a0b0c0d0eff","spanId":"fffefdfcfbfaf9f8","name":"parent"}]}]}]}}
{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"AAECAwQFBgcICQoLDA0O/w==","spanId":"AAAAAAAAAAE=","parentSpanId":"__79_Pv6-fg=","name":"child"}]}]}]}`
	all, err := spantest.Reader(Read).Text(text, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].Computation.NumProcesses() != 2 || all[0].Computation.NumEdges() != 1 {
		t.Errorf("%s", spantest.Written(t, all))
	}
}
