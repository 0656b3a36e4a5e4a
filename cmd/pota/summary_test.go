package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of two hundred traces and three properties, what fails or is undecided comes first, the
// first few of each property, then a line for each property, and one with the totals; -v prints
// all verdicts.
func TestManyTraces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var traces []string
	fails := make(map[int]bool)
	for i := range 200 {
		x := 1
		if i%50 == 7 {
			x, fails[i] = 5, true
		}
		path := filepath.Join(dir, fmt.Sprintf("r%03d.jsonl", i))
		text := `{"process":"P","init":{"x":0}}` + "\n" + fmt.Sprintf(`{"process":"P","set":{"x":%d}}`, x) + "\n" + `{"process":"P","set":{"x":2}}`
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		traces = append(traces, path)
	}
	properties := filepath.Join(dir, "p.txt")
	if err := os.WriteFile(properties, []byte("low: AG(x < 5)\nends: AF(x == 2)\nnever: AG(x == 7 -> AF(x == 8))\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		status, out, stderr := pota("", append(append([]string{"detect", "-f", properties}, args...), traces...)...)
		if status != 1 || stderr != "" {
			t.Fatalf("%q: status %d, %s", args, status, stderr)
		}
		return strings.ReplaceAll(out, dir+string(filepath.Separator), "")
	}
	const want = `fails    r007.jsonl  low  AG(x < 5)
fails    r057.jsonl  low  AG(x < 5)
fails    r107.jsonl  low  AG(x < 5)
fails    r157.jsonl  low  AG(x < 5)
low: 4 of 200 fail: r007, r057, r107, r157
ends: holds on all 200
never: holds on all 200
         vacuous: the antecedent x == 7 is never true, so AF(x == 8) is never asked for
600 verdicts on 200 executions with 400 events: 4 fail, 596 hold; 200 vacuous
`
	for _, jobs := range []string{"1", "4"} {
		if got := run("--jobs", jobs); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
	if got := run("-v"); strings.Count(got, "engine ") != 600 || !strings.HasSuffix(got, want[strings.Index(want, "low: 4"):]) {
		t.Errorf("-v prints %d verdicts", strings.Count(got, "engine "))
	}
	if got := run("--json"); strings.Count(got, "\n") != 600 {
		t.Errorf("--json prints %d", strings.Count(got, "\n"))
	}
}

// What is left out is counted, and errors are, too; executions of one file go by their names.
func TestFewListed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"detect", "AG(x < 1)"}
	for i := range 15 {
		text := `{"process":"P","set":{"x":3}}`
		if i%5 == 3 {
			text = `{"process":"P","set":{"y":3}}`
		}
		path := filepath.Join(dir, fmt.Sprintf("%c", 'a'+i))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	_, out, _ := pota("", args...)
	const wrong = "d: formula:1:4: there is no variable x (the only variable is y)\nAG(x < 1)\n   ^\n"
	for _, jobs := range []string{"1", "3"} {
		status, _, stderr := pota("", append(args, "--jobs", jobs)...)
		if stderr = strings.ReplaceAll(stderr, dir+string(filepath.Separator), ""); status != 2 ||
			stderr != "pota: "+wrong+"pota: 2 more with the same error (formula:1:4: there is no variable x (the only variable is y)): i, n\n" {
			t.Errorf("status %d, %s", status, stderr)
		}
	}
	if _, _, stderr := pota("", append(args, "-v")...); strings.Count(stderr, "there is no variable x") != 3 || strings.Contains(stderr, "more") {
		t.Error(stderr)
	}
	if _, last, _ := strings.Cut(out, "AG(x < 1): "); last != "12 of 12 fail: a, b, c, e, f, g, h, j, k, l, …; 3 errors\n         2 more are not listed above; -v lists all\n" {
		t.Error(out)
	}
	status, out, _ := pota("", "detect", "AG((sum i: counter@i) < -1000)", filepath.Join(repository(t), "testdata/traces/shiviz/ewd998.log.gz"))
	if status != 1 || !strings.HasSuffix(out, ": 3 of 3 fail: 1, 2, 3\n") {
		t.Errorf("status %d\n%s", status, out)
	}
}
