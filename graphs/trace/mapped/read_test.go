package mapped

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/graphs/trace"
)

const traces = "../../../testdata/traces/"

func lookup(t testing.TB, name string) *Mapping {
	t.Helper()
	m, err := Lookup(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// lines returns the objects of a log.
func lines(t *testing.T, path string) []map[string]any {
	t.Helper()
	source, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for {
		in, err := source.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			var o map[string]any
			if err := json.Unmarshal(scanner.Bytes(), &o); err != nil {
				t.Fatal(err)
			}
			all = append(all, o)
		}
		if err := errors.Join(scanner.Err(), in.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// delivered returns how many messages are received, and how many by their senders.
func delivered(c *graphs.Computation) (received, own int) {
	for _, m := range c.Messages() {
		if m.Recv != graphs.Bottom {
			received++
			if c.Process(m.Recv) == c.Process(m.Send) {
				own++
			}
		}
	}
	return received, own
}

// checkLengths compares the number of events of each process.
func checkLengths(t *testing.T, c *graphs.Computation, want map[string]int) {
	t.Helper()
	got := make(map[string]int)
	for p, name := range c.Processes() {
		got[name] = c.Len(p)
	}
	if !maps.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestEtcd(t *testing.T) {
	path := traces + "etcd-raft/example.ndjson.gz"
	c, err := readFile(t, path, lookup(t, "etcd-raft"), trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	events, sends, receives := make(map[string]int), 0, 0
	last := make(map[string]map[string]any)
	for _, o := range lines(t, path) {
		e := o["event"].(map[string]any)
		nid := e["nid"].(string)
		events[nid]++
		last[nid] = e
		switch name := e["name"].(string); {
		case strings.HasPrefix(name, "Send"):
			sends++
		case strings.HasPrefix(name, "Receive"):
			receives++
		}
	}
	checkLengths(t, c, events)
	received, own := delivered(c)
	if c.NumEvents() != 4888 || c.NumProcesses() != 10 || sends != 1787 || receives != 1661 {
		t.Errorf("%d events, %d processes, %d sends, %d receives", c.NumEvents(), c.NumProcesses(), sends, receives)
	}
	if c.NumMessages() != sends || received != receives || own != 125 {
		t.Errorf("%d messages, %d received, %d of them by their senders", c.NumMessages(), received, own)
	}
	for _, m := range c.Messages() {
		if m.Recv == graphs.Bottom && m.To < 0 {
			t.Errorf("the receiver of a message of %s is not known", c.ID(m.Send))
		}
	}
	for p, name := range c.Processes() {
		e := last[name]
		state := e["state"].(map[string]any)
		for variable, want := range map[string]any{"term": state["term"], "vote": state["vote"], "commit": state["commit"], "role": e["role"], "log": e["log"]} {
			v := c.Variable(p, variable).At(c, c.Final())
			if s, ok := want.(string); ok && v.Text() != s || !ok && v.Float64() != want {
				t.Errorf("%s@%s is %s at the end, want %v", variable, name, v, want)
			}
		}
		if v := c.Variable(p, "role").At(c, c.Initial()); v.Text() != "StateFollower" {
			t.Errorf("role@%s is %s at the beginning", name, v)
		}
	}
	if e := c.Event(0, 1); c.Label(e) != "InitState" || c.Time(e) != "1712329729.6024537" {
		t.Errorf("label %q, time %s", c.Label(e), c.Time(e))
	}
}

func TestEWD998(t *testing.T) {
	path := traces + "ewd998-chan/EWD998ChanTrace.ndjson"
	c, err := readFile(t, path, lookup(t, "ewd998"), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sends := 0
	counters := make(map[float64]int)
	events := make(map[string]int)
	for _, o := range lines(t, path)[1:] {
		node := o["node"].(float64)
		events[string('0'+rune(node))]++
		message, _ := o["pkt"].(map[string]any)["msg"].(map[string]any)
		switch o["event"] {
		case ">":
			sends++
			if message["type"] == "pl" {
				counters[node]++
			}
		case "<":
			if message["type"] == "pl" {
				counters[node]--
			}
		}
	}
	checkLengths(t, c, events)
	received, _ := delivered(c)
	if c.NumEvents() != 654 || sends != 228 || c.NumMessages() != 228 || received != 228 {
		t.Errorf("%d events, %d messages sent in the log, %d read, %d received", c.NumEvents(), sends, c.NumMessages(), received)
	}
	for p, name := range c.Processes() {
		if v := c.Variable(p, "counter").At(c, c.Final()); v.Int64() != int64(counters[float64(name[0]-'0')]) {
			t.Errorf("counter@%s is %s at the end", name, v)
		}
		if v := c.Variable(p, "active"); !v.Init.Bool() || v.At(c, c.Final()).Bool() {
			t.Errorf("active@%s is %s at the beginning and %s at the end", name, v.Init, v.At(c, c.Final()))
		}
	}
}

func TestPGo(t *testing.T) {
	runs, err := filepath.Glob(traces + "pgo-locksvc/*/*")
	if err != nil || len(runs) != 4 {
		t.Fatal(runs, err)
	}
	messages := []int{14, 15, 5, 14}
	for i, run := range runs {
		c, err := readFile(t, run, lookup(t, "pgo"), trace.Options{Names: true})
		if err != nil {
			t.Fatal(err)
		}
		events := make(map[string]int)
		for _, o := range lines(t, run) {
			events[o["archetypeName"].(string)+"("+o["self"].(string)+")"]++
		}
		checkLengths(t, c, events)
		received, _ := delivered(c)
		if c.NumMessages() != messages[i] || received != 0 && received != messages[i] {
			t.Errorf("%s: %d messages, %d received", run, c.NumMessages(), received)
		}
		for _, m := range c.Messages() {
			if m.Recv == graphs.Bottom && c.Processes()[m.To] != "AServer(0)" {
				t.Errorf("%s: a message of %s goes to %d", run, c.ID(m.Send), m.To)
			}
		}
		// two clients never hold the lock at once, in any cut
		locks := c.VariablesNamed("hasLock")
		if len(locks) != 6 {
			t.Errorf("%s: %d processes have hasLock", run, len(locks))
		}
		once := false
		cuts, err := lattice.Explore(context.Background(), c, lattice.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for level := range cuts.NumLevels() {
			for i := range cuts.Len(level) {
				cut, holders := cuts.Cut(level, i, nil), 0
				for _, v := range locks {
					if v.At(c, cut).Bool() {
						holders++
					}
				}
				once = once || holders == 1
				if holders > 1 {
					t.Fatalf("%s: %d clients hold the lock at %v", run, holders, cut)
				}
			}
		}
		if once != (received > 0) {
			t.Errorf("%s: a client holds the lock: %v", run, once)
		}
	}
}

func TestCCF(t *testing.T) {
	c, err := readFile(t, traces+"ccf/example.ndjson", lookup(t, "ccf"), trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	checkLengths(t, c, map[string]int{"0": 13, "1": 12, "2": 7})
	received, _ := delivered(c)
	if c.NumMessages() != 11 || received != 8 {
		t.Errorf("%d messages, %d received", c.NumMessages(), received)
	}
	if c.LowerBound() == "" {
		t.Error("the causality is not a lower bound")
	}
	label := func(p, k int) string { return c.Label(c.Event(p, k)) }
	// the second of two equal heartbeats is received, for the first is lost
	recv := c.Event(1, 5)
	if label(1, 5) != "recv_append_entries" || label(0, 10) != "send_append_entries" || !slices.Contains(c.Preds(recv), c.Event(0, 10)) {
		t.Errorf("%s follows %v", label(1, 5), c.Preds(recv))
	}
	// the new leader was voted for
	if label(2, 5) != "recv_request_vote" || label(1, 11) != "recv_request_vote_response" || c.LastBefore(2)[c.Event(1, 11)] < 5 {
		t.Errorf("%s %s", label(2, 5), label(1, 11))
	}
}

// TestDetect looks at the beginnings of all kinds of logs.
func TestDetect(t *testing.T) {
	for path, want := range map[string]string{
		"etcd-raft/example.ndjson.gz":                               "etcd-raft",
		"ewd998-chan/EWD998ChanTrace.ndjson":                        "ewd998",
		"pgo-locksvc/traces_found/1029352561734837753":              "pgo",
		"ccf/example.ndjson":                                        "ccf",
		"../figure1.jsonl":                                          "",
		"spin/ring.jsonl":                                           "",
		"spin/ring.out":                                             "",
		"shiviz/chord.log":                                          "",
		"bench/phil-3-100-1.jsonl.gz":                               "",
		"pgo-locksvc/traces_found_bad_vclocks/11954097522972159660": "pgo",
	} {
		source, err := trace.Open(traces + path)
		if err != nil {
			t.Fatal(err)
		}
		head, err := source.Head(64 << 10)
		if err != nil {
			t.Fatal(err)
		}
		source.Close()
		var found []string
		for _, m := range Shipped() {
			if m.Detect(head) {
				found = append(found, m.Name)
			}
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for _, head := range []string{"", "{", "\n\n", "{}", "[]", `{"process":"P1","init":{"event":1}}`, "\xff"} {
		for _, m := range Shipped() {
			if m.Detect([]byte(head)) {
				t.Errorf("%s claims %q", m.Name, head)
			}
		}
	}
}

func TestShipped(t *testing.T) {
	var names []string
	for _, m := range Shipped() {
		names = append(names, m.Name)
		if m.Description == "" || m.Example == "" {
			t.Errorf("%s has no description or no example", m.Name)
		}
	}
	if got := strings.Join(names, " "); got != "ccf-2023 ccf etcd-raft ewd998 hadoop hashicorp-raft hdfs pgo raft-log zookeeper" {
		t.Errorf("shipped are %s", got)
	}
	m, err := Lookup(t.Context(), "mappings/pgo.json")
	if err != nil || m.Name != "mappings/pgo.json" {
		t.Errorf("%v, %v", m, err)
	}
}

// TestVariables reads only what is asked for.
func TestVariables(t *testing.T) {
	path := traces + "pgo-locksvc/traces_found/1029352561734837753"
	m := lookup(t, "pgo")
	all, err := readFile(t, path, m, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	few, err := readFile(t, path, m, trace.Options{Variables: map[string]bool{"q": true}})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Variables()) != len(few.Variables()) {
		t.Errorf("%d variables and %d", len(all.Variables()), len(few.Variables()))
	}
	for _, v := range all.Variables() {
		w := few.Variable(v.Process, v.Name)
		if w == nil || w.Kind != v.Kind || w.Skipped() != (v.Name != "q") || v.Name == "q" && w.Len() != v.Len() {
			t.Errorf("%s: %+v, all %+v", v.Name, w, v)
		}
	}
	if all.Label(all.Event(0, 1))+all.Time(all.Event(0, 1)) != "" {
		t.Error("labels and times are kept though not asked for")
	}
}

func TestTruncated(t *testing.T) {
	m, err := Parse("x", []byte(`{"process":"/p","variables":{"v":"/v"}}`))
	if err != nil {
		t.Fatal(err)
	}
	whole := `{"p":"a","v":1}` + "\n"
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{whole + `{"p":"a","v":2`, true},
		{whole + `{"p":"a`, true},
		{whole + `{"p":"a","v":tr`, true},
		{whole + `{`, true},
		{whole + `{"p":"a","v":2}`, true},
		{whole + `{"p":"a",,`, false}, // more is wrong than its end
		{whole + `x`, false},
		{whole + `{"p":"a"` + "\n", false},
		{`{"p":"a"`, false}, // no event is left
	} {
		c, err := readText(t, test.text, m, trace.Options{AllowTruncated: true})
		if (err == nil) != test.ok {
			t.Errorf("%q: %v", test.text, err)
		}
		if err == nil && c.NumEvents() < 1 {
			t.Errorf("%q: %d events", test.text, c.NumEvents())
		}
		if _, err := readText(t, test.text, m, trace.Options{}); (err == nil) != strings.HasSuffix(test.text, "}") {
			t.Errorf("%q without AllowTruncated: %v", test.text, err)
		}
	}
}

// TestDirectory reads a file for each process, and skips what the mapping says.
func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.log":   `{"p":"a","r":1}` + "\n" + `{"p":"a"}`,
		"b.log":   `{"p":"b","s":1}` + "\n" + `{"p":"b","s":2}` + "\n",
		"c.log":   "\n",
		"out.txt": "no JSON",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := `{"files":"*.log","process":"/p","messages":[{"send":{"when":{"/s":{"not":null}},"key":["/s"]},"receive":{"when":{"/r":{"not":null}},"key":["/r"]}}]}`
	m, err := Parse("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := readFile(t, dir, m, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if received, _ := delivered(c); c.NumEvents() != 4 || received != 1 || c.NumMessages() != 2 {
		t.Errorf("%d events, %d messages, %d received", c.NumEvents(), c.NumMessages(), received)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.log"), []byte(`{"p":"b","r":1}`), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = readFile(t, dir, m, trace.Options{})
	if want := filepath.Join(dir, "a.log") + `:1:14: an event of "a" receives a message that nobody sent`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	source, err := trace.Open(traces + "etcd-raft/example.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lookup(t, "etcd-raft").Read(ctx, source, trace.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
