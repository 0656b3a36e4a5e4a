package guess

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// orders logs three orders that a shop has paid by another service, in JSON.
func orders() (lines []string) {
	for i := range 3 {
		for k, what := range []string{"shop order placed", "pay payment begins", "pay card charged", "shop order paid"} {
			service, msg, _ := strings.Cut(what, " ")
			lines = append(lines, fmt.Sprintf(`{"time":"2026-03-02T09:00:0%d.%dZ","msg":%q,"service":%q,"req":"r-%d"}`, i, k, msg, service, i))
		}
	}
	return lines
}

// TestPassing finds an id that each of its lines has, and that passes between processes more than
// once. The process is the service, even if there is only one, and not the id.
func TestPassing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	for _, test := range []struct {
		service string
		wants   []string
		edges   int
	}{
		{"", []string{
			`"process": "/service"`, `"req": "/req"`,
			`"send": {"when": {"/msg": "order placed"}, "key": ["/req"]}`,
			`"receive": {"when": {"/msg": "payment begins"}, "key": ["/req"], "unsent": true}`,
			`"send": {"when": {"/msg": "card charged"}, "key": ["/req"]}`,
			`"receive": {"when": {"/msg": "order paid"}, "key": ["/req"], "unsent": true}`,
		}, 6},
		{`"shop"`, []string{`"process": "/service"`, `or "process": "/req"`}, 0},
	} {
		var text strings.Builder
		for _, line := range orders() {
			if strings.Contains(line, test.service) {
				text.WriteString(line + "\n")
			}
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		mapping := guessed(t, path)
		for _, want := range test.wants {
			if !strings.Contains(mapping, want) {
				t.Errorf("no %s in\n%s", want, mapping)
			}
		}
		if c := readWith(t, path, mapping); c.NumEdges() != test.edges {
			t.Errorf("%d edges, want %d\n%s", c.NumEdges(), test.edges, mapping)
		}
	}
}

// TestSources expects a source for each form of logs, even if two forms are JSON with fields of
// different names. Files without a form are named, and logs of one form have one source.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"NOTES": "read me\n", "shop-2.log": `{"time":"2026-03-02T09:10:00Z","msg":"idle","service":"shop-2","req":"none"}` + "\n"}
	for i, line := range orders() {
		if strings.Contains(line, "shop") {
			files["shop-1.log"] += line + "\n"
			continue
		}
		files["pay.log"] += strings.NewReplacer(`"time"`, `"ts"`, `"req"`, `"request_id"`, `"service":"pay",`, "").Replace(line) + "\n"
		files["bank.txt"] += fmt.Sprintf("2026-03-02 09:10:%02d.500 INFO sweep %d\n", i, i)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mapping := guessed(t, dir)
	for _, want := range []string{
		"not taken: NOTES, of no known form", `"files": ["shop-1.log","shop-2.log"]`, `"files": "pay.log"`, `"files": "bank.txt"`,
		`{"kind": "order placed", "send": {"when": {"/msg": "order placed"}, "key": ["/req"]}}`,
		`{"kind": "order placed", "receive": {"when": {"/msg": "payment begins"}, "key": ["/request_id"], "unsent": true}}`,
	} {
		if !strings.Contains(mapping, want) {
			t.Errorf("no %s in\n%s", want, mapping)
		}
	}
	if c := readWith(t, dir, mapping); c.NumProcesses() != 4 || c.NumEvents() != 19 || c.NumEdges() != 6 {
		t.Errorf("%d processes, %d events, %d edges, want 4, 19, 6\n%s", c.NumProcesses(), c.NumEvents(), c.NumEdges(), mapping)
	}
}

// TestNames follows an id with a letter under the name of a field and after any word, and does not take
// a number after one word for that after another. As many lines of JSON as of texts are two forms.
func TestNames(t *testing.T) {
	for _, test := range []struct {
		id    string
		edges int
	}{{"q%d", 6}, {"%d", 0}} {
		dir := t.TempDir()
		var gateway, lock strings.Builder
		for i := range 3 {
			id := fmt.Sprintf(test.id, i)
			for k, msg := range []string{"forward", "answered"} {
				fmt.Fprintf(&gateway, `{"time":"2026-03-02T09:00:0%d.%dZ","msg":%q,"service":"gw","req":%q}`+"\n", i, 3*k, msg, id)
			}
			for k, msg := range []string{"taking up request ", "grant "} {
				fmt.Fprintf(&lock, "2026-03-02 09:00:0%d.%d00 INFO %s%s now\n", i, k+1, msg, id)
			}
		}
		for name, text := range map[string]string{"gateway.json": gateway.String(), "lock.log": lock.String()} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		mapping := guessed(t, dir)
		if c := readWith(t, dir, mapping); c.NumEdges() != test.edges {
			t.Errorf("%d edges with ids such as %s, want %d\n%s", c.NumEdges(), test.id, test.edges, mapping)
		}
	}
}
