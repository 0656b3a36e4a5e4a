package format_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/native"
)

// sizes are what a trace has: executions, and in all of them, processes and events.
type sizes struct{ executions, processes, events int }

// count reads a trace and returns its format, the sizes of its computation, and the notes.
func count(t *testing.T, path string, opts format.Options) (as string, n sizes, notes []string) {
	t.Helper()
	opts.Note = func(e *trace.Error) { notes = append(notes, strings.TrimPrefix(e.Error(), filepath.Dir(path)+"/")) }
	all, err := format.Read(context.Background(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	n.executions = len(all)
	for _, e := range all {
		n.processes += e.Computation.NumProcesses()
		n.events += e.Computation.NumEvents()
	}
	return all[0].Format, n, notes
}

// Numbers of traces, spans, and span events with two more for each span were counted by
// a script in Python, as were events and hosts of the logs.
func TestRealTraces(t *testing.T) {
	for _, test := range []struct {
		path, as string
		want     sizes
		notes    string
	}{
		{"tempo/trace-with-failed-requests.json", "otlp", sizes{1, 15, 30}, ""},
		{"tempo/trace-with-queue-database.json", "otlp", sizes{1, 19, 38}, ""},
		{"tempo/trace-with-virtual-nodes.json", "otlp", sizes{2, 3, 6}, ""},
		{"tempo/vulture-trace.json", "otlp", sizes{1, 6, 30}, ""},
		{"otel-go/shop.otlp.jsonl.gz", "otlp", sizes{1, 43, 104}, ""},
		{"otel-go/shop.stdout.json.gz", "stdouttrace", sizes{1, 43, 104}, ""},
		{"otel-go/shopfixed.otlp.jsonl.gz", "otlp", sizes{1, 81, 180}, ""},
		{"otel-go/shopfixed.stdout.json.gz", "stdouttrace", sizes{1, 81, 180}, ""},
		{"jaeger/genaiTestTrace.json.gz", "jaeger", sizes{1, 57, 114}, `genaiTestTrace.json.gz:2:3: unknown key "_comment" (at /_comment), which is passed over`},
		{"jaeger/testTrace.json", "jaeger", sizes{1, 11, 22}, `testTrace.json:2:14: "trace-123" is not a trace id of up to 32 hexadecimal digits: it is taken as it is (at /traceID); 21 more of these
testTrace.json:6:17: "span-1" is not a span id of up to 16 hexadecimal digits: it is taken as it is (at /spans/0/spanID); 20 more of these`},
		{"shiviz-more/tsviz_shared_var_4_threads.log", "shiviz (TSViz)", sizes{1, 4, 5000}, ""},
		{"ccf/old-schema-3-lines.ndjson", "ccf-2023 (mapped)", sizes{1, 2, 3}, ""},
		{"loghub/Zookeeper_2k.log", "zookeeper (mapped)", sizes{1, 3, 163}, ""},
		{"loghub/HDFS_2k.log", "hdfs (mapped)", sizes{1, 1987, 1993}, ""},
		{"loghub/Hadoop_2k.log", "hadoop (mapped)", sizes{1, 26, 67}, ""},
		{"hashicorp-raft/election", "hashicorp-raft (mapped)", sizes{1, 3, 140}, ""},
		{"zookeeper/split.log", "zookeeper (mapped)", sizes{1, 3, 31}, ""},
		{"raft-log/vote.log", "raft-log (mapped)", sizes{1, 3, 58}, ""},
	} {
		t.Run(test.path, func(t *testing.T) {
			path := filepath.Join("../../../testdata/traces", test.path)
			if _, err := os.Stat(path); err != nil {
				if path = elsewhere(test.path); path == "" {
					t.Skip("the licence does not let the file come with the project, and it is not beside it")
				}
			}
			as, n, notes := count(t, path, format.Options{NoSharedClock: true})
			if as != test.as || n != test.want || strings.Join(notes, "\n") != test.notes {
				t.Errorf("%s, %v, notes\n%s", as, n, strings.Join(notes, "\n"))
			}
		})
	}
}

// A log of several executions is read with the delimiter that its error gives.
func TestDelimiter(t *testing.T) {
	const path = "../../../testdata/traces/shiviz/facebook-multiple.log"
	_, err := format.Read(context.Background(), path, format.Options{})
	if err == nil {
		t.Fatal("two executions are read as one")
	}
	_, rest, _ := strings.Cut(err.Error(), "--delimiter '")
	delimiter, _, _ := strings.Cut(rest, "'")
	if as, n, _ := count(t, path, format.Options{Delimiter: delimiter}); as != "shiviz (ShiViz)" || n != (sizes{2, 8, 88}) {
		t.Errorf("%q: %s, %v", delimiter, as, n)
	}
}

// elsewhere returns the path of a trace that is kept outside the project, or "" if there is none.
func elsewhere(name string) string {
	path := filepath.Join("../../../../shared/traces", name)
	if dir := os.Getenv("POTA_TRACES"); dir != "" {
		path = filepath.Join(dir, name)
	}
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// What the two exporters write of the same spans is the same computation.
func TestExporters(t *testing.T) {
	for _, name := range []string{"shop", "shopfixed"} {
		var texts []string
		for _, kind := range []string{".otlp.jsonl.gz", ".stdout.json.gz"} {
			all, err := format.Read(context.Background(), "../../../testdata/traces/otel-go/"+name+kind, format.Options{Options: trace.Options{Names: true}})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := native.Write(&b, all[0].Computation, nil); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, b.String())
		}
		if texts[0] != texts[1] {
			t.Errorf("%s differs", name)
		}
	}
}
