package mapped

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
)

// TestIdlePointers: pointers that lead to nothing are reported, including those of loops
// and of events that do not occur, and labels, times and variables that no event has.
func TestIdlePointers(t *testing.T) {
	dir := t.TempDir()
	log, mapping := filepath.Join(dir, "run.log"), filepath.Join(dir, "map.json")
	for path, text := range map[string]string{
		log: `{"who":"a","msg":"start","v":1}` + "\n" + `{"who":"b","msg":"stop","list":[{"n":"x","v":2}]}` + "\n",
		mapping: `{"process": "/who", "label": "/text", "time": "/ts", "variables": {"x": "/v", "y": "/w"},
			"writes": [{"each": "/list", "name": "/n", "value": "/v"}, {"each": "/more", "name": "/n", "value": "/v"}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var want strings.Builder
	for _, pointer := range []string{"/text", "/ts", "/w", "/more"} {
		fmt.Fprintf(&want, "run.log:0:0: the pointer %q of the mapping leads to nothing in any line\n", pointer)
	}
	want.WriteString("map.json:1:30: no event has this label\n" +
		"map.json:1:47: no event has this time\n" +
		"map.json:1:84: nothing assigns the variable \"y\"\n")
	source, err := trace.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	idle := func(f *trace.Error) {
		fmt.Fprintf(&got, "%s:%d:%d: %s\n", filepath.Base(f.File), f.Line, f.Column, f.Msg)
	}
	if _, err := lookup(t, mapping).Read(t.Context(), source, trace.Options{Idle: idle}); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("got\n%swant\n%s", got.String(), want.String())
	}
}
