package format

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// Every format reports the positions of its events: the line exists and describes the event and, in
// formats with a line for each event, no other.
func TestPlaces(t *testing.T) {
	for _, test := range []struct {
		path  string
		event string // its id
		want  string // in the line, or the record
	}{
		{"figure1.jsonl", "f2", `"id":"f2"`},
		{"traces/spin/mutex.out", "P (2):3", "proc"},
		{"traces/shiviz/chord.log", "", "{"},
		{"traces/etcd-raft/example.ndjson.gz", "", `"tag":"trace"`},
		{"traces/*/*", "", ""},
		{"traces/otlp/*", "", "span "},
		{"traces/jaeger/*", "", "span "},
		{"traces/gotrace/*", "", "goroutine "},
	} {
		paths, err := filepath.Glob(testdata + test.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if info, err := os.Stat(path); err != nil || info.IsDir() || info.Size() > 200<<10 {
				continue
			}
			all, err := Read(background, path, Options{Options: trace.Options{Places: true}})
			if err != nil {
				continue // it is refused
			}
			for _, e := range all {
				checkPlaces(t, path, e, test.event, test.want)
			}
		}
	}
	all, err := Read(background, testdata+"figure1.jsonl", Options{})
	if err != nil || all[0].Computation.Place(1) != (graphs.Place{}) {
		t.Errorf("places that nobody asked for: %v, %v", all, err)
	}
}

func checkPlaces(t *testing.T, path string, x Execution, event, want string) {
	t.Helper()
	c := x.Computation
	var numbers []int
	for e := graphs.Event(1); e < c.Top(); e++ {
		at := c.Place(e)
		if at.File != path {
			t.Fatalf("%s: event %s is in %q", path, c.ID(e), at.File)
		}
		numbers = append(numbers, at.Line)
	}
	lines, err := trace.LinesAt(path, numbers, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[int]bool)
	for e := graphs.Event(1); e < c.Top(); e++ {
		at := c.Place(e)
		text := at.Record
		if text == "" {
			if text = string(lines[at.Line]); text == "" {
				t.Fatalf("%s:%d: there is no line for event %s", path, at.Line, c.ID(e))
			}
			single := x.Format == Native || strings.HasSuffix(x.Format, "(mapped)")
			if single && seen[at.Line] {
				t.Fatalf("%s:%d: two events", path, at.Line)
			}
			seen[at.Line] = true
		}
		if (event == "" || c.ID(e) == event) && !strings.Contains(text, want) {
			t.Errorf("%s:%d: %q does not tell of event %s", path, at.Line, text, c.ID(e))
		}
	}
}
