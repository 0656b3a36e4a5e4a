package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"
)

// A randomSpan is of one of several executions.
type randomSpan struct {
	trace, id, parent string // the parent is "" for a root
	service           string
	start, end        int // microseconds
	wrong             bool
}

// randomSpans returns spans of executions, in any order.
func randomSpans(r *rand.Rand, executions int) (all []randomSpan) {
	for trace := range executions {
		var spans []randomSpan
		for i := range 1 + r.IntN(5) {
			x := randomSpan{trace: fmt.Sprintf("%032x", trace+1), id: fmt.Sprintf("%016x", i+1), service: string(rune('a' + r.IntN(3))), start: 1000, end: 2000, wrong: r.IntN(4) == 0}
			if i > 0 {
				p := spans[r.IntN(i)]
				x.parent = p.id
				x.start = p.start + r.IntN(p.end-p.start)
				x.end = x.start + 1 + r.IntN(p.end-x.start)
			}
			spans = append(spans, x)
		}
		all = append(all, spans...)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// spanLines writes spans in a format, as a document a line.
func spanLines(format string, all []randomSpan) (lines []string) {
	type object = map[string]any
	write := func(x any) {
		text, _ := json.Marshal(x)
		lines = append(lines, string(text)+"\n")
	}
	switch format {
	case "otlp": // two spans a line, as a collector writes those of all traces
		for i := 0; i < len(all); i += 2 {
			var resources []object
			for _, x := range all[i:min(i+2, len(all))] {
				s := object{"traceId": x.trace, "spanId": x.id, "parentSpanId": x.parent, "name": "s", "startTimeUnixNano": fmt.Sprint(x.start * 1000), "endTimeUnixNano": fmt.Sprint(x.end * 1000)}
				if x.wrong {
					s["status"] = object{"code": 2}
				}
				resources = append(resources, object{"resource": object{"attributes": []object{{"key": "service.name", "value": object{"stringValue": x.service}}}}, "scopeSpans": []object{{"spans": []object{s}}}})
			}
			write(object{"resourceSpans": resources})
		}
	case "stdouttrace":
		at := func(µs int) string { return time.UnixMicro(int64(µs)).UTC().Format(time.RFC3339Nano) }
		for _, x := range all {
			parent := object{"TraceID": strings.Repeat("0", 32), "SpanID": strings.Repeat("0", 16)}
			if x.parent != "" {
				parent = object{"TraceID": x.trace, "SpanID": x.parent}
			}
			code := "Unset"
			if x.wrong {
				code = "Error"
			}
			write(object{"Name": "s", "SpanContext": object{"TraceID": x.trace, "SpanID": x.id}, "Parent": parent, "SpanKind": 1, "StartTime": at(x.start), "EndTime": at(x.end), "Status": object{"Code": code, "Description": ""},
				"Resource": []object{{"Key": "service.name", "Value": object{"Type": "STRING", "Value": x.service}}}})
		}
	case "zipkin":
		for _, x := range all {
			s := object{"traceId": x.trace, "id": x.id, "name": "s", "timestamp": x.start, "duration": x.end - x.start, "localEndpoint": object{"serviceName": x.service}}
			if x.parent != "" {
				s["parentId"] = x.parent
			}
			if x.wrong {
				s["tags"] = object{"error": "x"}
			}
			write(s)
		}
	case "jaeger": // a trace a line
		traces := make(map[string][]object)
		for _, x := range all {
			s := object{"traceID": x.trace, "spanID": x.id, "operationName": "s", "startTime": x.start, "duration": x.end - x.start, "process": object{"serviceName": x.service}}
			if x.parent != "" {
				s["references"] = []object{{"refType": "CHILD_OF", "traceID": x.trace, "spanID": x.parent}}
			}
			if x.wrong {
				s["tags"] = []object{{"key": "error", "type": "bool", "value": true}}
			}
			traces[x.trace] = append(traces[x.trace], s)
		}
		for _, trace := range traces {
			write(object{"data": []object{{"spans": trace}}})
		}
	}
	return lines
}

// Executions of spans that come in lines, from a file, by standard input or over a connection,
// lead to the verdicts of the whole file.
func TestWatchDocuments(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	dir := t.TempDir()
	properties := filepath.Join(dir, "properties")
	formulas := []string{`AG(forall i: status@i != "error")`, `EF(exists i != j: status@i == "error" && status@j == "error")`, `AF(exists i: status@i == "error")`}
	log := filepath.Join(dir, "log")
	save := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := range graphtest.Rounds(t, 8) {
		format := []string{"otlp", "stdouttrace", "zipkin", "jaeger"}[i%4]
		text := strings.Join(spanLines(format, randomSpans(r, 2+r.IntN(4))), "")
		formula := formulas[r.IntN(len(formulas))]
		save(log, text)
		save(properties, "p: "+formula+"\n")
		want := make(map[string]string)
		_, out, stderr := pota("", "detect", "--json", formula, log)
		for line := range strings.Lines(out) {
			var x struct{ Trace, Verdict string }
			if err := json.Unmarshal([]byte(line), &x); err != nil {
				t.Fatal(err, stderr)
			}
			_, id, _ := strings.Cut(x.Trace, "#")
			want[id] = x.Verdict
		}
		check := func(how, out string) {
			t.Helper()
			got := make(map[string]string)
			for _, a := range answersOf(t, []byte(out)) {
				got[a.Execution] = a.Verdict
			}
			if !maps.Equal(got, want) {
				t.Fatalf("%s by %s, %s:\ngot  %v\nwant %v\n%s", format, how, formula, got, want, text)
			}
		}
		args := []string{"watch", "--json", "--input", format, "-f", properties}
		_, out, _ = pota("", append(args, "--to-end", log)...)
		check("a file", out)
		var piped, errs strings.Builder
		run(t.Context(), args, streams{in: iotest.OneByteReader(strings.NewReader(text)), out: &piped, err: &errs})
		check("standard input", piped.String())
		if i >= 4 && i < graphtest.Rounds(t, 8)-4 {
			continue
		}

		at, wait := listeners(t, 1, append(args[1:], "--listen", "127.0.0.1:0", "--grace", "200ms", "--idle", "200ms", "--until-final")...)
		c, err := net.Dial("tcp", at[0])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, text)
		_ = c.(*net.TCPConn).CloseWrite()
		reply, err := io.ReadAll(c)
		if want := fmt.Sprintf("{\"lines\":%d}\n", strings.Count(text, "\n")); err != nil || string(reply) != want {
			t.Fatalf("%s, want %s: %v", reply, want, err)
		}
		_, out = wait()
		check("TCP", out)
	}
}

// Spans of lines that were read before a kill are not read again, and none is lost.
func TestJournalOfDocuments(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 14))
	dir := t.TempDir()
	log, journal := filepath.Join(dir, "log"), filepath.Join(dir, "journal")
	all := randomSpans(r, 20)
	lines := spanLines("stdouttrace", all)
	args := []string{"watch", "--json", "--input", "stdouttrace", "--property", "never:exists i: status@i == \"none\"", "--journal", journal, log}
	half := len(lines) / 2
	if err := os.WriteFile(log, []byte(strings.Join(lines[:half], "")), 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("pota", args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	graphtest.Await(t, "the first half is logged", func() bool {
		return logged(journal, strings.TrimSpace(lines[half-1])) > 0
	})
	_ = c.Process.Kill() // it is there
	_ = c.Wait()         // it was killed
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString(strings.Join(lines[half:], ""))
	f.Close()
	_, out, stderr := pota("", append(args, "--to-end")...)
	want := make(map[string]int64) // events: two a span
	for _, x := range all {
		want[x.trace] += 2
	}
	got := make(map[string]int64)
	for _, a := range answersOf(t, []byte(out)) {
		got[a.Execution] = a.Events
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v\n%s", got, want, stderr)
	}
}

// A document of which a part is refused is refused as a whole, and leaves nothing in the journal. Nor
// does that something is open when the run is interrupted.
func TestJournalOfBadDocuments(t *testing.T) {
	t.Parallel()
	args := []string{"--json", "--input", "zipkin", "--property", "never:exists i: status@i == \"none\"", "--journal", t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	at, wait := listenersUntil(ctx, t, 1, append(args, "--listen", "127.0.0.1:0")...)
	span := func(trace, id int) string {
		return fmt.Sprintf(`{"traceId":"%032x","id":"%016x","name":"s"}`, trace, id)
	}
	for text, want := range map[string]string{
		"[" + span(1, 1) + `,{"traceId":"xyz","id":"b7ad6b7169203332"}]`:                 `is not an id of a trace`,
		"[" + span(2, 2) + "," + span(3, 3) + "]":                                        `{"lines":1}`,
		strings.Replace(span(4, 4), `"name"`, `"parentId":"0000000000000009","name"`, 1): `{"lines":1}`,
	} {
		c, err := net.Dial("tcp", at[0])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, text+"\n")
		_ = c.(*net.TCPConn).CloseWrite()
		if reply, err := io.ReadAll(c); err != nil || !strings.Contains(string(reply), want) {
			t.Errorf("%s, want %s: %v", reply, want, err)
		}
		c.Close()
	}
	cancel()
	if status, out := wait(); status != int(undecided) || strings.Count(out, "holds") != 2 || strings.Count(out, "open") != 1 {
		t.Errorf("status %d, %s", status, out)
	}
	if status, _, err := pota("", append([]string{"watch"}, args...)...); status != 0 {
		t.Errorf("status %d, %s", status, err)
	}
}

// Formats that do not come in lines are refused, and so are documents of several lines.
func TestWatchInputRefused(t *testing.T) {
	for _, test := range []struct{ args, stdin, want string }{
		{"--input spin", "", "--input spin: what is in this format shows its meaning only as a whole; when it is complete, pota detect --input spin decides it"},
		{"--input mermaid", "", "--input mermaid: what"},
		{"--input gotrace", "", "--input gotrace: what"},
		{"--input auto", "", "name the format"},
		{"--input jeager", "", `unknown input format "jeager" (did you mean "jaeger"?)`},
		{"--input native --assign x", "", "--assign is only for ShiViz logs: write --input shiviz, too"},
		{"--input shiviz --regexp (?<host>.)\\s*(?<clock>.*)", "", "may match any number of lines"},
		{"--input shiviz", "nothing\n", "standard input: no event with a vector clock in any layout known"},
		{"--input otlp --map m", "", "--map and --input exclude each other"},
		{"--input otlp --declared", "", "--input otlp and --declared exclude each other"},
		{"--input otlp", "{\n", "standard input:1:2: the JSON text ends too soon; a document must be in one line: pota detect reads one of several when it is complete"},
		{"--input otlp", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"1"}]}]}]}`, "standard input:1: a span whose traceId is missing"},
		{"--input otlp", `{"batches":[]}`, "standard input:1: \"batches\" belongs to an answer to a query"},
		{"--input zipkin", `{"traceId":"x","id":"1"}`, `standard input:1: "x" is not an id of a trace`},
	} {
		status, _, stderr := pota(test.stdin, append([]string{"watch", "--property", "never:n@A > 1"}, strings.Fields(test.args)...)...)
		if status != int(badInput) || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: status %d, %s", test.args, status, stderr)
		}
	}
}
