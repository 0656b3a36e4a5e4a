package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pota-project/pota/cmd/pota/internal/complete"
	"github.com/pota-project/pota/graphs"
)

// hostile is text that a terminal or a log would obey.
const hostile = "a\x1b[31m\u009b2J\x1b]0;title\a\x7f\u202e\u2066\u2028\r\n::error::boom\n  ::add-mask::x ##[group]y ##vso[task]z\x00\x9b31m\xff"

// harmful returns what in a text a terminal or a log would obey, "" for nothing.
// An annotation is one where annotations are expected.
func harmful(text string, annotations bool) string {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") || graphs.Unsafe(r) && r != '\n' && r != '\t' {
			return fmt.Sprintf("%q in %q", r, text[max(0, i-30):min(len(text), i+30)])
		}
	}
	if found := anywhere.FindString(text); found != "" {
		return found
	}
	for line := range strings.Lines(text) {
		if command := atStart.FindString(line); command != "" && !(annotations && annotated.MatchString(command)) {
			return command
		}
	}
	return ""
}

var (
	anywhere  = regexp.MustCompile(`##\[|##vso\[`)
	atStart   = regexp.MustCompile(`^[ \t]*(::|\\u003a:)[a-z][^\n]*`) // escaped ones show that a name has begun a line
	annotated = regexp.MustCompile(`^::(error|warning|notice) `)
)

// hostileFiles makes traces of many formats, and what goes with them, whose names and values
// are hostile, in the working directory.
func hostileFiles(t *testing.T) (traces []string, files map[string]string) {
	quoted := func(text string) string {
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	q, raw := quoted(hostile), strings.NewReplacer("\n", "", "\r", "", "\x00", "").Replace(hostile)
	simple := strings.NewReplacer(";", "", "#", "", ":", "").Replace(raw)
	name := strings.NewReplacer("/", "", "\x00", "").Replace(hostile)
	text := map[string]string{
		"native":   fmt.Sprintf(`{"process":%[1]s,"init":{%[1]s:""}}`+"\n"+`{"process":%[1]s,"id":%[1]s,"label":%[1]s,"set":{%[1]s:%[1]s},"send":%[1]s,"time":1}`+"\n"+`{"process":"b","recv":%[1]s,"set":{"x":1},"time":2}`, q),
		"twice":    fmt.Sprintf(`{"process":%[1]s,"id":%[1]s}`+"\n"+`{"process":%[1]s,"id":%[1]s}`, q),
		"missing":  fmt.Sprintf(`{"process":%[1]s,"after":%[1]s}`, q),
		"spoilt":   fmt.Sprintf(`{"process":"a",%[1]s:%[1]s}`, q),
		"raw":      raw,
		"untagged": "{" + raw,
		"shiviz":   "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n=== (?<trace>.*) ===\n\n=== " + raw + " ===\n" + "a {\"a\":1}\n" + raw + "\n=== 2" + raw + " ===\nb {\"b\":1}\n" + raw + "\n",
		"mermaid":  "sequenceDiagram\n  participant A as " + simple + "\n  A->>B: " + simple + "\n  alt " + simple + "\n  A->>B: x\n  else " + simple + "\n  B->>A: y\n  end\n",
		"zipkin":   fmt.Sprintf(`[{"traceId":"1","id":"1","name":%[1]s,"timestamp":1,"duration":9,"localEndpoint":{"serviceName":%[1]s},"tags":{%[1]s:%[1]s}},{"traceId":"1","parentId":"1","id":"2","name":%[1]s,"timestamp":2,"duration":3,"tags":{}}]`, q),
		"jaeger":   fmt.Sprintf(`{"data":[{"traceID":%[1]s,"spans":[{"traceID":%[1]s,"spanID":"1","operationName":%[1]s,"references":[],"startTime":1,"duration":3,"processID":"p1","tags":[{"key":%[1]s,"type":"string","value":%[1]s}],"logs":[]}],"processes":{"p1":{"serviceName":%[1]s,"tags":[]}}}]}`, q),
		"otlp":     fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":%[1]s}}]},"scopeSpans":[{"scope":{"name":%[1]s},"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":%[1]s,"startTimeUnixNano":"1","endTimeUnixNano":"9","attributes":[{"key":%[1]s,"value":{"stringValue":%[1]s}}]}]}]}]}`, q),
		"log":      fmt.Sprintf(`{"node":%[1]s,"msg":%[1]s,"v":%[1]s}`+"\n"+`{"node":"n","msg":"x"}`, q),
	}
	for kind, text := range text {
		path := kind + name
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		traces = append(traces, path)
	}
	files = map[string]string{
		"mapping":    fmt.Sprintf(`{"process":"/node","variables":{%[1]s:"/v"},"label":"/msg"}`, q),
		"order":      fmt.Sprintf(`{"edge":[%[1]s,%[1]s]}`, q),
		"badorder":   fmt.Sprintf(`{%[1]s:1}`, q),
		"spoilt":     fmt.Sprintf(`{"process":"/node",%[1]s:1}`, q),
		"properties": raw + ": EF(" + "x == 1)\nok: AG(x@" + quoted("b") + " == 0)\n",
		"formulas":   "two: EF(x == \"" + raw + "\")\nthree: EF(true)\n",
	}
	for kind, text := range files {
		files[kind] = kind + name
		if err := os.WriteFile(files[kind], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return append(traces, "nosuch"+name, "."), files
}

// Nothing of a trace, a formula, or the name of a file is obeyed by what shows it, whatever the
// command and the format.
func TestHostileText(t *testing.T) {
	t.Setenv("PATH", "") // cross-check is not to take the time of compilers
	t.Chdir(t.TempDir())
	traces, files := hostileFiles(t)
	raw := strings.ReplaceAll(hostile, "\x00", "")
	name := strings.TrimPrefix(files["order"], "order")
	q := strconv.Quote(raw)
	formulas := []string{
		"AG(" + q + " == " + q + ")", "EF(" + q + "@" + q + " != \"\")", "AG(x@b == 0)", raw, `EF(x == "` + raw + `")`, `AG(x@"` + raw + `" == 1)`, `"` + raw + `" == 1`, "EF(true)", `AG(x == 0)`,
		"EF(exists i in \"" + raw + "*\": x@i == 1)", "EF(true) &&\n::error::x", "AG(\n::warning::y",
	}
	n, done := 0, 0
	try := func(args ...string) {
		n++
		status, stdout, stderr := pota("", args...)
		if status < 2 {
			done++
		}
		formats := strings.Join(args, " ")
		escaped := func(found string) bool { return strings.HasPrefix(found, `\u003a`) } // as a line of a formula may begin
		found := harmful(stdout, strings.Contains(formats, "--format github"))
		if found != "" && !(strings.Contains(formats, "--format junit") && escaped(found)) || status > 3 {
			t.Errorf("%q: status %d, output has %s", args, status, found)
		}
		if found := harmful(stderr, false); found != "" && !escaped(found) {
			t.Errorf("%q: standard error has %s", args, found)
		}
	}
	for _, trace := range traces {
		for _, args := range [][]string{
			{"stats"}, {"stats", "--json"}, {"convert"}, {"draw"}, {"draw", "--format", "html"}, {"draw", "--format", "dot"},
			{"lint"}, {"lint", "--json"}, {"stats", "--order", files["order"]}, {"stats", "--order", files["badorder"]}, {"lint", "--map", files["mapping"]},
			{"convert", "--map", files["mapping"]}, {"stats", "--execution", raw}, {"stats", "--skew", raw}, {"stats", "--input", raw}, {"stats", "--map", raw},
			{"stats", "--regexp", raw + "("}, {"stats", "--max-memory", raw}, {"stats", "--" + raw}, {"stats", "--time-unit", raw}, {"stats", "--assign", raw},
			{"detect", "-f", files["properties"], "-v"}, {"detect", "-f", files["properties"], "--format", "github"}, {"detect", "-f", files["formulas"], "--format", "junit", "-j", "2", "."},
			{"detect", "-f", files["formulas"], "--format", "sarif"}, {"detect", "--skew-sweep", "EF(x == 1)"}, {"detect", "--json", "--witness", "EF(x == 1)"},
		} {
			try(append(args, trace)...)
		}
	}
	for i, f := range formulas {
		for _, trace := range []string{traces[i%len(traces)], "native" + name, "mermaid" + name} {
			for _, format := range []string{"text", "json", "junit", "sarif", "github"} {
				try("detect", "-w", "--format", format, f, trace)
			}
			for _, args := range [][]string{
				{"classify"}, {"classify", "--json"}, {"slice"}, {"slice", "--format", "json"}, {"slice", "--format", "svg"}, {"translate"},
				{"translate", "--to", "smv"}, {"cross-check", "--timeout", "5s"}, {"cross-check", "--json", "--timeout", "5s"},
			} {
				try(append(args, f, trace)...)
			}
			try("draw", trace, f)
			try("lint", trace, f)
		}
	}
	for _, args := range [][]string{
		{raw}, {"--" + raw}, {"help", raw}, {"completion", raw}, {"simulate", raw}, {"simulate", "mutex", "--fault", raw}, {"detect", raw},
		{raw, complete.Flag}, {"detect", raw, "-", complete.Flag}, {"help", "", complete.Flag}, {"help", "--man"}, {"formats"}, {"version"}, {"detect", "--help"},
		{"convert", traces[0], "-o", "nosuch/" + raw},
	} {
		try(args...)
	}
	if t.Logf("%d commands, %d with a result", n, done); done < n/10 {
		t.Error("the traces are too hostile to be read")
	}
}

// JSON that goes through a console.Writer means the same.
func TestPlainJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	traces, _ := hostileFiles(t)
	for _, trace := range traces {
		if !strings.HasPrefix(filepath.Base(trace), "native") {
			continue
		}
		_, stdout, _ := pota("", "detect", "--json", "EF(true)", trace)
		var r struct{ Trace string }
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.Trace != string([]rune(trace)) {
			t.Errorf("%q, %v; want %q", r.Trace, err, trace)
		}
		_, converted, _ := pota("", "convert", trace)
		if err := os.WriteFile("converted", []byte(converted), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, again, _ := pota("", "convert", "converted"); again != converted {
			t.Errorf("%s\nbecomes\n%s", converted, again)
		}
	}
}
