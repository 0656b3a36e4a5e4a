package split_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/graphs/trace/split"
)

// pieces splits texts, each the content of an input that is named by its number.
func pieces(t *testing.T, opts split.Options, texts ...string) (all []*split.Piece, bad []split.Bad) {
	t.Helper()
	for i, text := range texts {
		err := split.Split(context.Background(), fmt.Sprintf("%03d", i), strings.NewReader(text), opts, func(p *split.Piece) error {
			all = append(all, p)
			return nil
		}, func(b split.Bad) error {
			bad = append(bad, b)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all, bad
}

// joined returns the executions of pieces, by key, as native text.
func joined(t *testing.T, all []*split.Piece, opts format.Options) map[string]string {
	t.Helper()
	groups := make(map[string][]*split.Piece)
	for _, p := range all {
		groups[p.Key] = append(groups[p.Key], p)
	}
	texts := make(map[string]string)
	for _, group := range groups {
		j, err := split.Join(group)
		if err != nil {
			t.Fatal(err)
		}
		opts := opts
		opts.Names = true
		opts.From = bytes.NewReader(j.Text)
		if opts.Map == "" {
			opts.Input = j.Format
		}
		executions, err := format.Read(context.Background(), j.Name, opts)
		if err != nil {
			t.Fatalf("%v\n%s", err, j.Text)
		}
		if len(executions) != 1 {
			t.Fatalf("%s has %d executions", j.Name, len(executions))
		}
		texts[j.Name] = text(t, executions[0].Computation)
	}
	return texts
}

func text(t *testing.T, c *graphs.Computation) string {
	t.Helper()
	var b bytes.Buffer
	if err := native.Write(&b, c, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSpans: the spans of real traces, each alone in one of several inputs, yield the executions
// that the reader of their format finds.
func TestSpans(t *testing.T) {
	root := filepath.Join("..", "..", "..", "testdata", "traces")
	for _, path := range []string{
		"otlp/hotrod-4dispatch.otlp.jsonl.gz", "otlp/otlp2jaeger-in.json", "jaeger/otlp2jaeger-out.json", "jaeger/testTrace.json",
		"jaeger/genaiTestTrace.json.gz", "zipkin/ascend.json", "zipkin/skew.json", "otel-go/shop.stdout.json.gz",
	} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			path := filepath.Join(root, path)
			want := make(map[string]string)
			executions, err := format.Read(context.Background(), path, format.Options{Options: trace.Options{Names: true}})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range executions {
				_, name, _ := strings.Cut(e.Name, "#")
				want[name] = text(t, e.Computation)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all, bad := pieces(t, split.Options{}, string(content))
			if len(bad) > 0 {
				t.Fatal(bad[0].Err)
			}
			for _, p := range all {
				if p.Foreign {
					t.Skip("a link joins traces")
				}
			}
			rng := rand.New(rand.NewPCG(1, 1))
			for range 5 {
				again := make([]string, 3)
				for _, i := range rng.Perm(len(all)) {
					k := rng.IntN(len(again))
					again[k] += all[i].Text + "\n"
				}
				scattered, bad := pieces(t, split.Options{}, again...)
				if len(bad) > 0 {
					t.Fatal(bad[0].Err)
				}
				got := joined(t, scattered, format.Options{})
				if len(want) == 1 {
					for _, text := range got {
						got = map[string]string{"": text}
					}
				}
				if len(got) != len(want) {
					t.Fatalf("%d executions, want %d", len(got), len(want))
				}
				for name := range want {
					if got[name] != want[name] {
						t.Fatalf("%s:\n%s\nwant\n%s", name, got[name], want[name])
					}
				}
			}
		})
	}
}

// TestNative: the interleaved lines of random executions yield those executions.
func TestNative(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range graphtest.Rounds(t, 50) {
		want := make(map[string]string)
		var texts []string
		var waiting [][]string
		for i := range 1 + rng.IntN(5) {
			c := graphtest.Random(rng, graphtest.Config{Processes: 1 + rng.IntN(3), Events: 1 + rng.IntN(8)})
			key := fmt.Sprint(i)
			want[key] = text(t, c)
			var lines []string
			for line := range strings.Lines(want[key]) {
				place := []string{`{"run":%s,`, `{"run":"%s",`}[rng.IntN(2)]
				lines = append(lines, fmt.Sprintf(place, key)+line[1:])
			}
			waiting = append(waiting, append(lines, fmt.Sprintf(`{"run":%s,"closed":true}`, key)+"\n"))
		}
		for range 2 { // each execution begins in the first input and continues in the second
			var b strings.Builder
			for _, i := range rng.Perm(len(waiting) * 10) {
				lines := &waiting[i%len(waiting)]
				n := min(len(*lines), rng.IntN(4))
				if len(texts) == 1 {
					n = len(*lines)
				}
				b.WriteString(strings.Join((*lines)[:n], ""))
				*lines = (*lines)[n:]
			}
			texts = append(texts, b.String())
		}
		all, bad := pieces(t, split.Options{Key: "run"}, texts...)
		if len(bad) > 0 {
			t.Fatal(bad[0].Err)
		}
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		got := joined(t, append(all, all[0]), format.Options{})
		for key := range want {
			if got[key] != want[key] {
				t.Fatalf("%s:\n%s\nwant\n%s", key, got[key], want[key])
			}
		}
	}
}

// TestLogs: a line of a log names its execution by a member, a pattern or a column.
func TestLogs(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		mapping, log string
		opts         split.Options
	}{
		"json": {`{"process":"/p","variables":{"x":"/x"}}`, `{"p":"A","x":1,"run":"a"}
{"p":"A","x":2,"run":"b"}
`, split.Options{Key: "run"}},
		"logfmt": {`{"line":"logfmt","process":"/p","variables":{"x":"/x"}}`, "p=A x=1 run=a\np=A x=2 run=b\n", split.Options{Pattern: regexp.MustCompile(`run=(\w+)`)}},
		"csv":    {`{"line":"csv","process":"/p","variables":{"x":"/x"}}`, "p,x,run\nA,1,a\nA,2,b\n", split.Options{Pattern: regexp.MustCompile(`(\w+)$`)}},
	} {
		t.Run(name, func(t *testing.T) {
			test.opts.Map = filepath.Join(dir, name+".json")
			if err := os.WriteFile(test.opts.Map, []byte(test.mapping), 0o666); err != nil {
				t.Fatal(err)
			}
			all, bad := pieces(t, test.opts, test.log)
			if len(bad) > 0 {
				t.Fatal(bad[0].Err)
			}
			got := joined(t, all, format.Options{Map: test.opts.Map})
			for key, x := range map[string]string{"a": "1", "b": "2"} {
				if !strings.Contains(got[key], `"x":`+x) && !strings.Contains(got[key], `"x":"`+x) || len(got) != 2 {
					t.Errorf("%s: %s", key, got[key])
				}
			}
		})
	}
}

// TestBad: an input that cannot be split is reported with its place, and reading continues after
// it.
func TestBad(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		opts split.Options
		want []string
		good int
	}{
		"cut off": {`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b"}]}]}]}
{"resourceSpans":[{"scopeSpans":[{"spa
{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b"},{"spanId":"b"}]}]}]}
`, split.Options{}, []string{"000:2:39: the JSON text ends too soon", "000:3: a span whose traceId is missing or zero"}, 2},
		"pretty": {"{\"resourceSpans\":[\n{\"scopeSpans\":[{\"spans\":[\n{\"traceId\":\"1\",\"spanId\":\"b\"},\n{\"name\":\"x\"}]}]}]}\n{\"resourceSpans\":\n[}",
			split.Options{}, []string{"000:4: a span whose traceId is missing or zero", "000:6:2: invalid character '}' at start of value (at /resourceSpans/0); nothing after this line has been read"}, 1},
		"zeros": {`[{"traceId":"00","id":"b"},{"traceId":"a","id":"0"},{"traceId":"a","id":"b"}]`,
			split.Options{}, []string{"000:1: a span whose traceId is missing or zero", "000:1: a span whose id is missing or zero"}, 1},
		"key": {`{"pota":1}
{"process":"A"}
{"run":true,"process":"A"}
{"run":"","process":"A"}
{"run":"a","run":"a","process":"A"}
{"run":1,"process":"A"}
nothing
`, split.Options{Key: "run"}, []string{
			`000:2: "run" is missing: a line must name its execution`, "000:3: the execution of a line must be a string or a number",
			"000:4: the execution of a line must not be empty", `000:5:12: the key "run" is given twice`, "000:7: an object is expected here",
		}, 1},
		"long":    {`{"run":1}` + "\n" + `{"run":1,"x":1}`, split.Options{Key: "run", MaxLine: 10}, []string{"000:2: the line has more than 10 bytes"}, 1},
		"unknown": {"abc", split.Options{}, []string{"000: the format cannot be recognized from the content"}, 0},
		"answer":  {`{"data":null,"total":0,"errors":[{"code":404,"msg":"trace not found"}]}`, split.Options{}, []string{"000:1: the query service answered with an error"}, 0},
		"gzip":    {"\x1f\x8b\x00", split.Options{}, []string{"000: "}, 0},
		"empty":   {"\n", split.Options{}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			all, bad := pieces(t, test.opts, test.text)
			var got []string
			for _, b := range bad {
				got = append(got, b.Err.Error())
			}
			if len(all) != test.good || !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("%d pieces, want %d; errors\n%s\nwant\n%s", len(all), test.good, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestPlace: the place of a line of joined text is that of its piece.
func TestPlace(t *testing.T) {
	all, _ := pieces(t, split.Options{Key: "run"}, "{\"pota\":1}\n\n{\"run\":1,\"process\":\"A\"}\n", "{\"pota\":1}\n{\"run\":1,\"process\":\"B\"}\n")
	j, err := split.Join([]*split.Piece{all[1], all[0]})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range []string{"000 3", "000 3", "000 3", "001 2"} {
		if file, at := j.Place(line); fmt.Sprint(file, " ", at) != want {
			t.Errorf("line %d is of %s %d, want %s", line, file, at, want)
		}
	}
	all[1].Format = "otlp"
	if _, err := split.Join(all); err == nil || !strings.HasPrefix(err.Error(), "001:2: execution 1 is in format otlp here, but in native at 000:3") {
		t.Error(err)
	}
}

// A piece says how many spans it has, and whether one of them has no parent.
func TestRoots(t *testing.T) {
	const id = "000000000000000000000000000000ab"
	for _, test := range []struct{ format, with, without, parent string }{
		{"otlp", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"` + id + `","spanId":"01"%s}]}]}]}`, `"parentSpanId":""`, `"parentSpanId":"02"`},
		{"stdouttrace", `{"SpanContext":{"TraceID":"` + id + `","SpanID":"01"}%s}`, `"Parent":{"SpanID":"0000000000000000"}`, `"Parent":{"SpanID":"02"}`},
		{"zipkin", `{"traceId":"ab","id":"1"%s}`, `"parentId":null`, `"parentId":"2"`},
		{"jaeger", `{"spans":[{"traceID":"ab","spanID":"1"%s}]}`, `"references":[{"refType":"FOLLOWS_FROM","traceID":"ab","spanID":"2"}]`, `"references":[{"refType":"CHILD_OF","traceID":"ab","spanID":"2"}]`},
	} {
		for _, parent := range []string{"", "," + test.without, "," + test.parent} {
			count := 0
			err := split.Document(test.format, "x", fmt.Appendf(nil, test.with, parent), 1, func(p *split.Piece) error {
				if count++; p.Root != (parent != ","+test.parent) || p.Spans != 1 || p.Key != id {
					t.Errorf("%s%s: %+v", test.format, parent, p)
				}
				return nil
			})
			if err != nil || count != 1 {
				t.Errorf("%s%s: %d pieces, %v", test.format, parent, count, err)
			}
		}
	}
}
