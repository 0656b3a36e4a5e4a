package zipkin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
)

const files = "../../../testdata/traces/zipkin/"

// edges returns the direct causes of each event, except for the event before it on its process.
func edges(c *graphs.Computation) string {
	var b strings.Builder
	for e := graphs.Event(1); e < c.Top(); e++ {
		var before []string
		for _, f := range c.Preds(e) {
			before = append(before, c.ID(f))
		}
		if before != nil {
			fmt.Fprintf(&b, "%s after %s\n", c.ID(e), strings.Join(before, " and "))
		}
	}
	return b.String()
}

// TestHalves reads client and server spans that share an id, on hosts whose clocks
// differ.
func TestHalves(t *testing.T) {
	for file, want := range map[string]string{
		"skew.json": `servicea/post#1:1 after servicea/get#1:1
servicea/post#1:2 after serviceb/post#1:2
serviceb/post#1:1 after servicea/post#1:1
serviceb/post#1:2 after serviceb/async#1:2
serviceb/async#1:1 after serviceb/post#1:1
servicea/get#1:2 after servicea/post#1:2
`,
		"ascend.json": `mobile-gateway/get#1:2 after mobile-gateway/get#2:2 and mobile-gateway/get#3:2
mobile-gateway/get#2:1 after mobile-gateway/get#1:1
mobile-gateway/get#2:2 after auth-service/http:/parent/auth-service/v1/authentications/#1:2
mobile-gateway/get#3:1 after mobile-gateway/get#1:1
mobile-gateway/get#3:2 after content-service/get /content/personal#1:2
content-service/get /content/personal#1:1 after mobile-gateway/get#3:1
content-service/get /content/personal#1:2 after content-service/hystrix#1:2 and content-service/get#1:2
auth-service/http:/parent/auth-service/v1/authentications/#1:1 after mobile-gateway/get#2:1
auth-service/http:/parent/auth-service/v1/authentications/#1:2 after auth-service/extend-token-life#1:2
auth-service/extend-token-life#1:1 after auth-service/http:/parent/auth-service/v1/authentications/#1:1
content-service/hystrix#1:1 after content-service/get /content/personal#1:1
content-service/get#1:1 after content-service/get /content/personal#1:1
`,
	} {
		all, err := spantest.Reader(Read).File(files+file, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		lines := func(s string) []string { return slices.Sorted(slices.Values(strings.Split(s, "\n"))) }
		if got := edges(all[0].Computation); !slices.Equal(lines(got), lines(want)) {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
		}
	}
}

// document is a span as encoding/json reads it, without a type.
type document = map[string]any

// simple translates a span.
func simple(x document) string {
	text := func(v any, key string) string {
		s, _ := v.(map[string]any)[key].(string)
		return s
	}
	hex := func(key string) uint64 {
		u, _ := strconv.ParseUint(text(x, key), 16, 64)
		return u
	}
	micros := func(v any, key string) uint64 {
		n, _ := v.(map[string]any)[key].(json.Number)
		u, _ := strconv.ParseUint(string(n), 10, 64)
		return 1000 * u
	}
	kind := strings.ToLower(text(x, "kind"))
	if kind == "" {
		kind = "unspecified"
	}
	end := micros(x, "timestamp") + micros(x, "duration")
	if micros(x, "timestamp") == 0 || micros(x, "duration") == 0 {
		end = 0
	}
	status := "unset"
	var attributes []string
	if tags, ok := x["tags"].(map[string]any); ok {
		for key, v := range tags {
			s, _ := v.(string)
			if v == nil {
				continue
			}
			attributes = append(attributes, fmt.Sprintf("%s=%q", key, s))
			if key == "error" {
				status = "error"
			}
		}
	}
	service, host := "", []string{}
	if local, ok := x["localEndpoint"].(map[string]any); ok {
		service = text(local, "serviceName")
		for _, key := range []string{"ipv4", "ipv6"} {
			if a := text(local, key); a != "" {
				host = append(host, map[string]string{"ipv4": "net.host.ip", "ipv6": "net.host.ip6"}[key]+"="+strconv.Quote(a))
			}
		}
		if port, ok := local["port"].(json.Number); ok && port != "0" {
			attributes = append(attributes, "net.host.port="+string(port))
		}
	}
	if remote, ok := x["remoteEndpoint"].(map[string]any); ok {
		for key, name := range map[string]string{"serviceName": "peer.service", "ipv4": "net.peer.ip", "ipv6": "net.peer.ip6"} {
			if a := text(remote, key); a != "" {
				attributes = append(attributes, name+"="+strconv.Quote(a))
			}
		}
		if port, ok := remote["port"].(json.Number); ok && port != "0" {
			attributes = append(attributes, "net.peer.port="+string(port))
		}
	}
	slices.Sort(attributes)
	s := fmt.Sprintf("%d/%d parent %d %s %s %v %q %d %d %s %v", hex("traceId"), hex("id"), hex("parentId"), kind, service, host, text(x, "name"), micros(x, "timestamp"), end, status, attributes)
	events, _ := x["annotations"].([]any)
	for _, e := range events {
		s += fmt.Sprintf(" event %d %q", micros(e, "timestamp"), text(e, "value"))
	}
	return s
}

// describe writes a span like simple.
func describe(x *span.Span) string {
	attrs := func(attrs []span.Attribute) []string {
		all := []string{}
		for _, a := range attrs {
			all = append(all, a.Key+"="+a.Value.String())
		}
		return all
	}
	attributes := attrs(x.Attributes)
	slices.Sort(attributes)
	s := fmt.Sprintf("%d/%d parent %d %v %s %v %q %d %d %v %v", x.Trace.Low, uint64(x.ID), uint64(x.Parent), x.Kind, x.Resource.Service, attrs(x.Resource.Attributes), x.Name, x.Start, x.End, x.Status, attributes)
	for _, e := range x.Events {
		s += fmt.Sprintf(" event %d %q", e.Time, e.Name)
	}
	return s
}

// randomText returns documents with spans.
func randomText(r *rand.Rand) string {
	one := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	endpoint := func() string {
		return one("{}", "null", `{"serviceName":"s"}`, `{"serviceName":"t","ipv4":"1.2.3.4"}`, `{"port":80,"ipv6":"::1","serviceName":null}`, `{"port":0}`)
	}
	member := func() string {
		switch r.IntN(10) {
		case 0:
			return fmt.Sprintf(`"parentId":"%x"`, r.IntN(9))
		case 1:
			return `"kind":` + one(`"CLIENT"`, `"SERVER"`, `"PRODUCER"`, `"CONSUMER"`, "null")
		case 2:
			return `"name":` + one(`"o"`, `""`, `"\u00e9"`)
		case 3:
			return `"timestamp":` + one("0", "1470150004008762", "3")
		case 4:
			return `"duration":` + one("0", "5", "93577")
		case 5:
			return `"localEndpoint":` + endpoint()
		case 6:
			return `"remoteEndpoint":` + endpoint()
		case 7:
			return `"annotations":[` + one("", `{"timestamp":5,"value":"a"}`, `{"value":"b"}, {"timestamp":4}`) + "]"
		case 8:
			return `"tags":{` + one("", `"a":"1"`, `"error":""`, `"b.c":"x","a":"\n"`) + "}"
		}
		return one(`"shared":true`, `"debug":false`, `"shared":null`)
	}
	one1 := func() string {
		members := []string{fmt.Sprintf(`"traceId":"%016x"`, 1+r.IntN(2)), fmt.Sprintf(`"id":"%x"`, 10+r.IntN(20))}
		taken := make(map[string]bool)
		for range r.IntN(10) {
			m := member()
			if key, _, _ := strings.Cut(m, ":"); !taken[key] {
				taken[key] = true
				members = append(members, m)
			}
		}
		r.Shuffle(len(members), func(i, k int) { members[i], members[k] = members[k], members[i] })
		return "{" + strings.Join(members, one(",", ", ", ",\n  ")) + "}"
	}
	some := func() string {
		var all []string
		for range r.IntN(4) {
			all = append(all, one1())
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	var b strings.Builder
	for range 1 + r.IntN(3) {
		switch r.IntN(3) {
		case 0:
			b.WriteString(one1())
		case 1:
			b.WriteString(some())
		case 2:
			b.WriteString("[" + some() + "," + some() + "]")
		}
		b.WriteString(one("", "\n"))
	}
	return b.String()
}

func flat(x any) []document {
	switch x := x.(type) {
	case []any:
		var all []document
		for _, y := range x {
			all = append(all, flat(y)...)
		}
		return all
	case document:
		return []document{x}
	}
	return nil
}

// TestSpans compares the spans read from random documents with what encoding/json reads.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	path := filepath.Join(t.TempDir(), "x.json")
	spans := 0
	n := graphtest.Rounds(t, 250)
	for range n {
		text := randomText(r)
		var want []string
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		for {
			var x any
			err := dec.Decode(&x)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			for _, s := range flat(x) {
				want = append(want, simple(s))
			}
		}
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
		var got []string
		for i := range all {
			got = append(got, describe(all[i]))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), text)
		}
		spans += len(got)
	}
	if spans < n {
		t.Error(spans)
	}
}

// TestForms reads one trace in many forms.
func TestForms(t *testing.T) {
	text, err := os.ReadFile(files + "ascend.json")
	if err != nil {
		t.Fatal(err)
	}
	var spans []json.RawMessage
	if err := json.Unmarshal(text, &spans); err != nil {
		t.Fatal(err)
	}
	var lines, arrays bytes.Buffer
	for _, s := range spans {
		var line bytes.Buffer
		if err := json.Compact(&line, s); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line.Bytes())
		fmt.Fprintf(&arrays, "[%s]\n", line.Bytes())
	}
	opts := trace.Options{Names: true}
	all, err := spantest.Reader(Read).File(files+"ascend.json", opts)
	if err != nil {
		t.Fatal(err)
	}
	want := spantest.Written(t, all)
	forms := map[string]string{
		"lines of spans": lines.String(), "lines of arrays": arrays.String(), "array of arrays": "[" + string(text) + "]",
		"concatenated": strings.ReplaceAll(arrays.String(), "\n", ""),
	}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		if !Detect([]byte(forms[name])) {
			t.Errorf("%s: not detected", name)
		}
		all, err := spantest.Reader(Read).Text(forms[name], opts)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := spantest.Written(t, all); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestRefused marks the place of the error by §, in text and message, and has ' for ".
func TestRefused(t *testing.T) {
	with := func(more string) string { return "[§{'traceId':'1','id':'2'" + more + "}]" }
	at := func(more string) string { return strings.Replace(with(more), "§{", "{", 1) }
	for _, test := range []struct{ text, want string }{
		{"", "x.json: no span"},
		{"[]", "x.json: no span"},
		{"[[]]", "x.json: no span"},
		{"[[§[]]]", "x.json:§: an object is expected here, not an array (at /0/0)"},
		{"[§null]", "x.json:§: an object is expected here, not null (at /0)"},
		{at(",§'binaryAnnotations':[]"), "x.json:§: binaryAnnotations belongs to version 1 of the format; only version 2 is read (at /0/binaryAnnotations)"},
		{at(",'annotations':[{§'endpoint':{},'value':'sr'}]"), "x.json:§: endpoint belongs to version 1 of the format; only version 2 is read (at /0/annotations/0/endpoint)"},
		{at(",'kind':§'SERVR'"), `x.json:§: "SERVR" is not a kind of span (did you mean "SERVER"?) (at /0/kind)`},
		{at(",'kind':§''"), `x.json:§: "" is not a kind of span (at /0/kind)`},
		{at(",'tags':{'a':§1}"), `x.json:§: a string is expected here, not a number (at /0/tags/a)`},
		{at(",'tags':{§'':'1'}"), `x.json:§: a tag without a key (at /0/tags/)`},
		{at(",'tags':{'a':'1',§'a':'2'}"), `x.json:§: the key "a" is given twice (at /0/tags)`},
		{at(",'shared':§1"), `x.json:§: true or false is expected here, not a number (at /0/shared)`},
		{at(",'timestamp':§1.5"), `x.json:§: "1.5" is not an integer from 0 up of 64 bits (at /0/timestamp)`},
		{at(",'duration':§18446744073709552"), `x.json:§: 18446744073709552 microseconds are beyond the last time (at /0/duration)`},
		{with(",'timestamp':18446744073709551,'duration':1"), `x.json:§: a span whose duration is too long`},
		{at(",'localEndpoint':{'port':§65536}"), `x.json:§: "65536" is not an integer from 0 up of 16 bits (at /0/localEndpoint/port)`},
		{"[§{'traceId':'1'}]", "x.json:§: a span whose id is missing or zero"},
		{"[§{'id':'1'}]", "x.json:§: a span whose traceId is missing or zero"},
		{with(",'parentId':'2'"), "x.json:§: the span 0000000000000002 is its own ancestor: unknown_service/#1 → unknown_service/#1"},
		{"[§", "x.json:§: the JSON text ends too soon"},
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

// Unknown keys are skipped, and ids that are not numbers are kept as they are; both are noted. An
// id that looks like the number of a text is treated as a text, too.
func TestNotes(t *testing.T) {
	const text = `[{"traceId":"T-1","id":"a-1","new":{"x":1}},{"traceId":"T-1","id":"00FFFFFFFF00000000","parentId":"a-1","new":2},
{"traceId":"T-1","id":"ffffffff00000000","parentId":"gone"},{"traceId":"t-1","id":"a-1","annotations":[{"time":1}],"parentID":"1"}]`
	var notes []string
	opts := trace.Options{Names: true, Note: func(e *trace.Error) {
		e.File = "x.json"
		notes = append(notes, e.Error())
	}}
	all, err := spantest.Reader(Read).Text(text, opts)
	if err != nil {
		t.Fatal(err)
	}
	want := `x.json:1:13: "T-1" is not a trace id of up to 32 hexadecimal digits: it is taken as it is (at /0/traceId); 3 more of these
x.json:1:24: "a-1" is not a span id of up to 16 hexadecimal digits: it is taken as it is (at /0/id); 3 more of these
x.json:1:30: unknown key "new" (at /0/new), which is passed over; 1 more of these
x.json:2:105: unknown key "time" (at /3/annotations/0/time), which is passed over
x.json:2:116: unknown key "parentID" (did you mean "parentId"?) (at /3/parentID), which is passed over`
	if got := strings.Join(notes, "\n"); got != want {
		t.Errorf("notes\n%s\nwant\n%s", got, want)
	}
	if len(all) != 2 || all[0].Name != "T-1" || all[1].Name != "t-1" || all[0].Computation.NumProcesses() != 3 || all[0].Computation.NumEdges() != 1 {
		t.Errorf("%+v", all)
	}
	if got := spantest.Written(t, all); !strings.Contains(got, `"start (not here: parent gone)"`) {
		t.Errorf("%s", got)
	}
}

// Leading zeros are ignored, however many there are.
func TestZeros(t *testing.T) {
	all, err := spantest.Reader(Read).Text(`[{"traceId":"1","id":"2","parentId":"000000000000000000"},{"traceId":"01","id":"3","parentId":"000000000000000002"}]`, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := spantest.Written(t, all); len(all) != 1 || all[0].Computation.NumEdges() != 1 || strings.Contains(got, "not here") {
		t.Errorf("%s", got)
	}
}

// An id that is a text is never confused with one that is a number.
func TestTexts(t *testing.T) {
	all, err := spantest.Reader(Read).Text(`[{"traceId":"1","id":"x","parentId":"y"},{"traceId":"1","id":"ffffffff00000001"},{"traceId":"1","id":"ffffffff00000000"}]`, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := spantest.Written(t, all); len(all) != 1 || all[0].Computation.NumEdges() != 0 || !strings.Contains(got, `"start (not here: parent y)"`) {
		t.Errorf("%s", got)
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		`[{"traceId":"1","id":"2","name":"`:                          true,
		"\ufeff[ [ { \"id\" : \"1\",\n\"traceId\":\"1\", \"tags\":{": true,
		`{"id":"1","traceId":"2","binaryAnnotations":[]}`:            true,
		`[{"traceId":"1","id":"2"}]`:                                 true,
		`{"process":"P","id":"1","traceId":"2","kind":"x"}`:          false,
		`{"id":"1","traceId":"2","msg":"x"}`:                         false,
		`{"traceId":"1","spanId":"2","name":"x"}`:                    false,
		`{"process":"traceId","id":"x","label":"name"}`:              false,
		"": false,
	} {
		if got := Detect([]byte(text)); got != want {
			t.Errorf("%s: %t", text, got)
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
		if want := strings.Contains(file, "/zipkin/") && strings.HasSuffix(file, ".json"); Detect(text) != want {
			t.Errorf("%s: %t", file, !want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"ascend.json", "skew.json"} {
		text, err := os.ReadFile(files + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`[{"traceId":"T-1","id":"ffffffff00000000","parentId":"a","new":[1]}]`))
	r := rand.New(rand.NewPCG(71, 72))
	for range 30 {
		f.Add([]byte(randomText(r)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.HasPrefix(string(text), "\x1f\x8b") || strings.HasPrefix(string(text), "\x28\xb5\x2f\xfd") {
			t.Skip("compressed")
		}
		Detect(text)
		spantest.Reader(Read).Check(t, text)
	})
}
