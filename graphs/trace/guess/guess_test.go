package guess

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/native"
)

const traces = "../../../testdata/traces/"

// guessed returns the mapping that is guessed of a log.
func guessed(t testing.TB, path string) string {
	t.Helper()
	source, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Mapping(context.Background(), source)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return text
}

// readWith reads a log with a mapping.
func readWith(t testing.TB, path, mapping string) *graphs.Computation {
	t.Helper()
	m, err := mapped.Parse("guessed", []byte(mapping))
	if err != nil {
		t.Fatalf("%v\n%s", err, mapping)
	}
	source, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Read(context.Background(), source, trace.Options{Names: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, mapping)
	}
	return c
}

// What is guessed of logs whose mapping is known.
func TestMapping(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"node-1.log": "2026/01/02 10:00:00 sent id=7 to=2 x=1\n2026/01/02 10:00:05 sent id=8 to=2 x=2\n",
		"node-2.log": "2026/01/02 10:00:01 got id=7\n2026/01/02 10:00:06 got id=8\n2026/01/02 10:00:07 done y=true\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		path                        string
		processes, events, messages int
		wants                       []string
	}{
		{traces + "homemade/shop.log", 3, 9, 4, []string{`"process": "/host"`, `"time": "/at"`, `"key": ["/call"], "to": "/to"`, `"/msg": "send"`, `"held": "/state/held"`, `"sold": "/state/sold"`,
			"4 of 4 values of /call are on one process and later on another"}},
		{traces + "slog/lease.log", 3, 18, 6, []string{`"process": "/node"`, `"key": ["/id"], "to": "/to"`, `["send acquire","send grant","send release"]`, `"writing": "/writing"`, `"holder": "/holder"`}},
		{traces + "raft-log/vote.log", 1, 86, 0, []string{`"line": "^`, `"process": {"constant": "log"}`}},
		{traces + "zookeeper/split.log", 1, 34, 0, []string{`"layout": "2006-01-02 15:04:05"`}},
		{traces + "hashicorp-raft/election", 3, 140, 0, []string{`"process": {"file": "*.log"}`, `"name": "/name" always "raft" 140`, `"texts": {"/msg": "logfmt"}`, `"tally": {"at": "/msg/tally", "decode": "value"}`}},
		{traces + "homemade/docker.log", 2, 4, 2, []string{`"process": "/log/node"`, `"/log/msg": "send"`, `"state": "/log/state"`}},
		{dir, 2, 5, 2, []string{`"process": {"file": "node-*.log"}`, `"layout": "2006/01/02 15:04:05"`, `"key": ["/msg/id"]`, `"y": {"at": "/msg/y", "decode": "value"}`}},
		{traces + "pgo-locksvc/traces_found/1029352561734837753", 6, 49, 0, nil},
	} {
		text := guessed(t, test.path)
		c := readWith(t, test.path, text)
		if c.NumProcesses() != test.processes || c.NumEvents() != test.events || len(c.Messages()) != test.messages {
			t.Errorf("%s: %d processes, %d events, %d messages\n%s", test.path, c.NumProcesses(), c.NumEvents(), len(c.Messages()), text)
		}
		for _, want := range test.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in\n%s", test.path, want, text)
			}
		}
	}
}

// Ids in texts for people are found in what journald, Docker and klog write, and in logs
// whose times are all the same; and columns in what a spreadsheet writes.
func TestWords(t *testing.T) {
	dir := t.TempDir()
	number := regexp.MustCompile(`\b\d+\b`)
	said := []string{"n1 sent request 4711 to n2", "n2 received request 4711 from n1", "n2 sent reply 17 to n1", "n1 received reply 17 from n2", "n1 has the lock",
		"n1 sent request 4712 to n2", "n2 received request 4712 from n1", "n2 sent reply 18 to n1", "n1 received reply 18 from n2",
		"n2 sent 21", "n1 got 21", "n2 sent 22", "n1 got 22"}
	for name, line := range map[string]string{
		"journal.json":       `{"__REALTIME_TIMESTAMP":"17726184000%02[1]d000","__MONOTONIC_TIMESTAMP":"%[1]d000","_HOSTNAME":"%[2]s","_PID":"%[2]s","PRIORITY":"6","MESSAGE":"%[3]s"}`,
		"docker/%s-json.log": `{"log":"level=info msg=\"%[3]s\"\n","stream":"stderr","time":"2026-03-04T10:00:%02[1]dZ"}`,
		"klog.log":           `I0304 10:00:%02[1]d.000001       7 lock.go:12] "%[3]s" node="%[2]s" lease="a/b"`,
		"plain.log":          `2026-03-04 10:00:%02[1]d,001 INFO [%[2]s] %[3]s`,
		"same/app-%s.log":    `2026/03/04 10:00:00 %[3]s`,
		"both.log":           `2026-03-04 10:00:%02[1]d [INFO] raft: %[3]s node=%[2]s`,
		"sheet.csv":          `04.03.2026 10:00:%02[1]d;%[2]s;%[4]s;%[5]s`,
	} {
		files := make(map[string]string)
		for i, text := range said {
			process, text, _ := strings.Cut(text, " ")
			if name == "docker/%s-json.log" { // a reply has the id of its request
				text = strings.NewReplacer("reply 17", "reply 4711", "reply 18", "reply 4712").Replace(text)
			}
			file := strings.Replace(name, "%s", process, 1)
			action, _, _ := strings.Cut(text, " ")
			if name == "sheet.csv" && i == 0 {
				files[file] = "\ufeffTime;Node;Action;Message id\r\n"
			}
			files[file] += fmt.Sprintf(line, i, process, text, action, number.FindString(text)) + "\n"
		}
		for file, text := range files {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, name)
		if strings.Contains(name, "%") {
			path = filepath.Dir(path)
		}
		text := guessed(t, path)
		c := readWith(t, path, text)
		received, first := 0, 0
		for _, m := range c.Messages() {
			if m.Recv != graphs.Bottom {
				received++
			}
			if c.Processes()[c.Process(m.Send)] == "n1" {
				first++
			}
		}
		if first != 2 || c.NumProcesses() != 2 || c.NumEvents() != len(said) || received != 6 || len(c.Messages()) != 6 || len(c.Variables()) == 0 {
			t.Errorf("%s: %d processes, %d events, %d messages, %d received, %v\n%s", name, c.NumProcesses(), c.NumEvents(), len(c.Messages()), received, c.Variables(), text)
		}
	}
}

// Numbers are no ids of messages that come again and again, or first on either process, or
// seldom, or with nothing before them that says what they are.
func TestNoWords(t *testing.T) {
	var b strings.Builder
	for i := range 12 {
		for end := range 2 {
			fmt.Fprintf(&b, "2026-03-04 10:%02d:%02d,001 INFO [n%d] f%d %s\n", i, 20+end, end, 70+i, []string{"opened", "closed"}[end])
			if i < 2 {
				fmt.Fprintf(&b, "2026-03-04 10:%02d:%02d,001 INFO [n%d] %s %d\n", i, 22+end, end, []string{"listens on port", "talks to port"}[end], 6226+i)
			}
			process := (i + end) % 2
			fmt.Fprintf(&b, "2026-03-04 10:%02d:%02d,001 INFO [n%d] %s job %d\n", i, 10*end, process, []string{"started", "checked"}[process], i)
			fmt.Fprintf(&b, "2026-03-04 10:%02d:%02d,001 INFO [n%d] %s %d ms\n", i, 30+10*end, end, []string{"slept for", "woke after"}[end], i%3)
		}
	}
	path := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if text := guessed(t, path); !strings.Contains(text, "// messages: no field has values that one process and later another has") {
		t.Errorf("%s\n%s", text, b.String())
	}
}

// Times that are numbers also distinguish sends from receives, and fields may have any name.
func TestNumbers(t *testing.T) {
	dir := t.TempDir()
	logs := make([]strings.Builder, 2)
	const odd = "\u007f\U000e0001\t\"é"
	for i := range 12 {
		for end, msg := range []string{"sent", "got"} {
			fmt.Fprintf(&logs[(i+end)%2], `{"ts":17000000%02d.%d,"msg":%q,"id":"m%d",%s:%d}`+"\n", i, 25+50*end, msg, i, literal(odd), i%3)
		}
	}
	for i := range logs {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("n%d.log", i)), []byte(logs[i].String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := guessed(t, dir)
	if c := readWith(t, dir, text); len(c.Messages()) != 12 || !strings.Contains(text, `"send": {"when": {"/msg": "sent"}`) || len(c.Variables()) != 2 {
		t.Errorf("%d messages, %v\n%s", len(c.Messages()), c.Variables(), text)
	}
}

// Lines may have fields of their own, very many in all of a log.
func TestManyFields(t *testing.T) {
	var b strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&b, `{"node":"n%d","r%da":1,"r%db":2,"r%dc":3,"r%dd":4}`+"\n", i%3, i, i, i, i)
	}
	path := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if text := guessed(t, path); !strings.Contains(text, `"process": "/node"`) || !strings.Contains(text, "not taken: 79800 fields more\n") {
		t.Error(text[:1000])
	}
}

// Random programs log their events in JSON, logfmt, CSV or words, with irrelevant fields among the
// relevant ones. The guessed mapping yields their computation.
func TestPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 92))
	for range graphtest.Rounds(t, 80) {
		form := r.IntN(4)
		path := filepath.Join(t.TempDir(), "x.log")
		text, messages, events := program(r, form)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		mapping := guessed(t, path)
		c := readWith(t, path, mapping)
		received := 0
		for _, m := range c.Messages() {
			if m.Recv != graphs.Bottom {
				received++
			}
		}
		state := regexp.MustCompile(`"state": (\{"at": )?"/state"`)
		if form == 3 {
			state = regexp.MustCompile(`"last": "/msg"`)
		}
		if c.NumProcesses() != 3 || c.NumEvents() != events || len(c.Messages()) != messages || received != messages || !state.MatchString(mapping) {
			t.Fatalf("%d processes, %d events, %d messages, want 3, %d, %d\n%s\n%s", c.NumProcesses(), c.NumEvents(), len(c.Messages()), events, messages, text, mapping)
		}
	}
}

// program returns a log of three processes, and how many messages and events are in it.
func program(r *rand.Rand, form int) (text string, messages, events int) {
	names := []string{"ts", "node", "event", "mid", "dst", "state", "note", "level"}
	var b strings.Builder
	w := csv.NewWriter(&b)
	if form == 2 {
		w.Write(names)
	}
	at := 0
	line := func(values ...string) {
		at += 1 + r.IntN(50)
		values = append([]string{fmt.Sprintf("2026-01-02T10:%02d:%02d.%03dZ", at/60000, at/1000%60, at%1000)}, values...)
		events++
		switch form {
		case 0:
			var parts []string
			for i, v := range values {
				if v != "" {
					parts = append(parts, fmt.Sprintf("%q:%q", names[i], v))
				}
			}
			fmt.Fprintf(&b, "{%s}\n", strings.Join(parts, ","))
		case 1:
			var parts []string
			for i, v := range values {
				if v != "" {
					parts = append(parts, fmt.Sprintf("%s=%s", names[i], v))
				}
			}
			fmt.Fprintln(&b, strings.Join(parts, " "))
		case 2:
			w.Write(values)
		case 3:
			text := "now in state " + values[5]
			switch values[2] {
			case "out":
				text = fmt.Sprintf("request #%s goes to %s, try %d", values[3], values[4], r.IntN(2))
			case "in":
				text = fmt.Sprintf("%d bytes: request %q", 100+r.IntN(3), values[3])
			}
			fmt.Fprintf(&b, "%s INFO [%s] %s\n", values[0], values[1], text)
		}
	}
	states := []string{"idle", "busy", "done"}
	var flying [][2]string // id and receiver
	for len(flying) > 0 || messages < 8 {
		p := r.IntN(3)
		process := fmt.Sprintf("n%d", p)
		switch k := r.IntN(3); {
		case k == 0 && messages < 8:
			messages++
			to := fmt.Sprintf("n%d", (p+1+r.IntN(2))%3)
			id := fmt.Sprintf("m-%d", messages*7)
			flying = append(flying, [2]string{id, to})
			line(process, "out", id, to, "", fmt.Sprint("note", events), "info")
		case k == 1 && len(flying) > 0:
			i := r.IntN(len(flying))
			m := flying[i]
			flying = append(flying[:i], flying[i+1:]...)
			line(m[1], "in", m[0], "", "", fmt.Sprint("note", events), "info")
		default:
			line(process, "step", "", "", states[r.IntN(3)], fmt.Sprint("note", events), []string{"info", "debug"}[r.IntN(2)])
		}
	}
	w.Flush()
	return b.String(), messages, events
}

// For any log, the guess is a valid mapping, the same each time, and reads at least one line if
// there is one of its form.
func FuzzMapping(f *testing.F) {
	for _, name := range []string{"homemade/shop.log", "slog/lease.log", "raft-log/vote.log", "zookeeper/split.log", "shiviz/RpcClientServer.log", "ccf/example.ndjson"} {
		text, err := os.ReadFile(traces + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text[:min(len(text), 2000)])
	}
	f.Add([]byte("a,b\n1,2\n"))
	f.Add([]byte("a=1 \"b\n{}\n[]\n"))
	f.Add([]byte("{\"a\":{\"b\":1,\"*\":\"%s\"},\"a/b\":\"{\\\"x\\\":1}\"}\n"))
	path := filepath.Join(f.TempDir(), "x.log")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		var texts [2]string
		for i := range texts {
			source, err := trace.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[i], err = Mapping(context.Background(), source)
			if err != nil {
				if !strings.HasPrefix(err.Error(), path+":") {
					t.Fatal(err)
				}
				return
			}
		}
		if texts[0] != texts[1] {
			t.Fatalf("first\n%s\nthen\n%s", texts[0], texts[1])
		}
	})
}

// A mapping that is guessed is worth reading: what it leads to can be written natively.
func TestNative(t *testing.T) {
	path := traces + "slog/lease.log"
	var b strings.Builder
	if err := native.Write(&b, readWith(t, path, guessed(t, path)), nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `{"process":"worker-1","set":{"writing":true},"label":"enter"`) {
		t.Error(b.String())
	}
}
