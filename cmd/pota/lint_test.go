package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A tail that is cut off is a finding; other commands need to be told.
func TestLintTruncated(t *testing.T) {
	etcd, err := os.ReadFile("../../testdata/traces/etcd-raft/example.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	spans, err := os.ReadFile("../../testdata/traces/zipkin/skew.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const text = `{"process":"P1","send":"m"}` + "\n" + `{"process":"P2","recv":"m"}` + "\n" + `{"process":"P1","se`
	for name, text := range map[string][]byte{
		"cut.jsonl": []byte(text), "etcd": etcd[:len(etcd)/2], "spans": append(spans, spans[:len(spans)-30]...), "half": spans[:len(spans)-30],
	} {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		command string
		status  int
		out     string
	}{
		{"lint cut.jsonl", 1, "suspect  cut.jsonl  1 finding\n         truncated    cut.jsonl:3: the file is cut off: a last line of 19 bytes is unfinished\n"},
		{"stats cut.jsonl", 2, ""},
		{"lint etcd", 1, "  truncated    etcd:"},
		{"lint spans", 1, "  truncated    spans:103:9: the JSON text ends too soon"},
		{"lint half", 2, ""},
	} {
		var out, err bytes.Buffer
		status := run(context.Background(), strings.Fields(test.command), streams{in: strings.NewReader(""), out: &out, err: &err})
		if status != test.status || !strings.Contains(out.String(), test.out) || test.out == "" && out.Len() > 0 {
			t.Errorf("%s: status %d, %q, %s", test.command, status, out.String(), err.String())
		}
	}
}

// A formula that is not decided within the limits is told, and ends with status 3:
// here n processes take turns with n-1 values.
func TestLintUndecided(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 13
	var pigeons strings.Builder
	r := rand.New(rand.NewPCG(5, 0))
	for p := range n {
		for range 3 {
			for _, x := range r.Perm(n - 1) {
				fmt.Fprintf(&pigeons, `{"process":"P%d","set":{"x":%d}}`+"\n", p, x)
			}
		}
	}
	if err := os.WriteFile("pigeons.jsonl", []byte(pigeons.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pota", "lint", "pigeons.jsonl", "EF(forall i != j: x@i != x@j)", "--timeout", "200ms")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, _ := cmd.Output()
	const late = "the time limit of 200ms was reached while "
	const want = "  undecided    EF(forall i != j: x@i != x@j): " + late + "deciding\n"
	onTime := strings.Contains(string(stdout), want) && stderr.Len() == 0
	if status := cmd.ProcessState.ExitCode(); status != 3 || !onTime && !strings.Contains(stderr.String(), late) {
		t.Errorf("status %d, %q, %q", status, stdout, &stderr)
	}
}

// A thousand findings that are alike are one, with their number and what to do; a few are
// listed, and JSON has all.
func TestAlike(t *testing.T) {
	backwards := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"process":"node-%d","time":3}`+"\n"+`{"process":"node-%[1]d","time":1}`+"\n", i)
		}
		path := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := backwards(1000)
	status, out, _ := pota("", "lint", path)
	if status != 1 || strings.Count(out, "\n") > 8 || !strings.Contains(out, "clock        the clock of node-0 runs backwards once, by at most 2s, at node-0:2\n"+
		"                      and 999 more like it; --json lists all\n"+
		"                      remedy: do not trust the clocks further than --skew says\n") {
		t.Errorf("status %d\n%s", status, out)
	}
	if _, out, _ := pota("", "lint", "--json", path); strings.Count(out, `"kind":"clock"`) != 1000 {
		t.Errorf("JSON has %d", strings.Count(out, `"kind":"clock"`))
	}
	if _, out, _ := pota("", "lint", backwards(3)); strings.Count(out, "backwards once") != 3 || strings.Contains(out, "more like it") {
		t.Error(out)
	}
}

// That writes of a shared variable are taken in their order is told, and is no finding.
func TestAsHappened(t *testing.T) {
	const text = `{"shared":{"turn":0}}
{"process":"P","set":{"turn":1},"send":"m"}
{"process":"Q","recv":"m","set":{"turn":2}}
`
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out, _ := pota("", "lint", path)
	if status != 0 || !strings.Contains(out, "as-happened  the assignments of turn by several processes are taken in the order in which they happened: no other order is considered\n") {
		t.Errorf("status %d\n%s", status, out)
	}
}
