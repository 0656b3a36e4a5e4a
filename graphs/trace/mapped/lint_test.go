package mapped

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
)

func lint(t *testing.T, path, mapping string) string {
	t.Helper()
	source, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	findings, err := Lint(context.Background(), source, lookup(t, mapping), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s\n", filepath.Base(f.File), f.Line, f.Column, f.Msg)
	}
	return b.String()
}

// TestLint finds nothing in real logs, that with clocks said to be wrong among them.
func TestLint(t *testing.T) {
	for path, mapping := range map[string]string{
		"etcd-raft/example.ndjson.gz":                               "etcd-raft",
		"ewd998-chan/EWD998ChanTrace.ndjson":                        "ewd998",
		"ccf/example.ndjson":                                        "ccf",
		"pgo-locksvc/traces_found/10048212154511080998":             "pgo",
		"pgo-locksvc/traces_found/1029352561734837753":              "pgo",
		"pgo-locksvc/traces_found/17276884550958881266":             "pgo",
		"pgo-locksvc/traces_found_bad_vclocks/11954097522972159660": "pgo",
	} {
		if got := lint(t, traces+path, mapping); got != "" {
			t.Errorf("%s:\n%s", path, got)
		}
	}
}

// TestLintSpoilt spoils a log in one place.
func TestLintSpoilt(t *testing.T) {
	const run = traces + "pgo-locksvc/traces_found/1029352561734837753"
	for _, test := range []struct{ file, old, new, want string }{
		{"trace-3-3390675057.log", `[["AServer","0"],18],[["AClient","1"],4]`, `[["AServer","0"],18],[["AClient","1"],3]`,
			`trace-3-3390675057.log:3:36: the clock lags: it has 3 for "AClient(1)", but what the event follows knows 4`},
		{"trace-1-2290680423.log", `["AServer","0"],3]`, `["AServer","0"],4]`,
			`trace-1-2290680423.log:3:36: the clock leaps: it has 4 for "AServer(0)", but what the event follows knows only 3`},
		{"trace-1-2290680423.log", `["AServer","0"],3]`, `["AServer","0"],2]`,
			`trace-1-2290680423.log:3:36: a message is received that the clock does not know to be sent (trace-0-1099863425.log:3)`},
		{"trace-0-1099863425.log", `"oldValue":"\u003c\u003c1\u003e\u003e"`, `"oldValue":"\u003c\u003c\u003e\u003e"`,
			`trace-0-1099863425.log:6:36: q is written over "<<>>", but the value was "<<1>>" (trace-0-1099863425.log:3)`},
	} {
		dir := t.TempDir()
		entries, err := os.ReadDir(run)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(run, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if e.Name() == test.file {
				spoilt := strings.ReplaceAll(string(text), test.old, test.new)
				if spoilt == string(text) {
					t.Fatalf("%s has no %s", test.file, test.old)
				}
				text = []byte(spoilt)
			}
			if err := os.WriteFile(filepath.Join(dir, e.Name()), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.ReplaceAll(lint(t, dir, "pgo"), dir+string(filepath.Separator), ""); !strings.Contains(got, test.want+"\n") {
			t.Errorf("%s: got\n%swant\n%s", test.new, got, test.want)
		}
	}
}

// TestLintShared has two processes of one server, which share state[1] and tell each
// other by it, and a third one that is alone.
func TestLintShared(t *testing.T) {
	write := func(name, index, old, value string) string {
		return fmt.Sprintf(`{"tag":"write","name":{"name":%q,"prefix":"A","self":"?"},"indices":[%s],"oldValue":%q,"value":%q}`, name, index, old, value)
	}
	step := func(self, clock string, writes ...string) string {
		elements := strings.ReplaceAll(strings.Join(writes, ","), "?", self)
		return fmt.Sprintf(`{"archetypeName":"A","self":%q,"clock":[%s],"csElements":[%s]}`+"\n", self, clock, elements)
	}
	const first, second, third = `[["A","1"],%d]`, `[["A","4"],%d]`, `[["A","7"],%d]`
	text := step("1", fmt.Sprintf(first, 1), write("state", `"1"`, "0", "1"), write("mine", "", "0", "1")) +
		step("4", fmt.Sprintf(first+","+second, 1, 1), write("state", `"1"`, "1", "2")) +
		step("1", fmt.Sprintf(first+","+second, 2, 1), write("state", `"1"`, "2", "3"), write("mine", "", "5", "1")) +
		step("4", fmt.Sprintf(first+","+second, 2, 2), write("state", `"1"`, "3", "4")) +
		step("7", fmt.Sprintf(third, 1))
	file := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	const want = "x.log:3:41: mine is written over 5, but the value was 1 (x.log:1)\n"
	if got := strings.ReplaceAll(lint(t, file, "pgo"), filepath.Dir(file)+string(filepath.Separator), ""); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestLintPointers: pointers that lead to nothing are told, those of events that do not
// occur and of loops among them; those of a label, a time or a variable that no event has are told once.
func TestLintPointers(t *testing.T) {
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
	want.WriteString("run.log:0:0: the pointer \"/more\" of the mapping leads to nothing in any line\n" +
		"map.json:1:30: no event has this label\n" +
		"map.json:1:47: no event has this time\n" +
		"map.json:1:84: nothing assigns the variable \"y\"\n")
	if got := lint(t, log, mapping); got != want.String() {
		t.Errorf("got\n%swant\n%s", got, want.String())
	}
}
