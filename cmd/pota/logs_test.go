package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pota-project/pota/graphs/graphtest"
)

const shop = "../../testdata/traces/homemade/shop"

// A log that grows leads to the verdicts of the whole log, by whatever way it comes.
func TestWatchLogs(t *testing.T) {
	t.Parallel()
	log, err := os.ReadFile(shop + ".log")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	atom := func() string {
		return fmt.Sprintf("%s@%q %s %d", []string{"held", "sold"}[r.IntN(2)], []string{"stock-a", "stock-b", "web"}[r.IntN(3)], []string{"==", ">", "<="}[r.IntN(3)], r.IntN(2))
	}
	verdicts := func(in string, args ...string) (int, string) {
		var out, err strings.Builder
		status := run(t.Context(), args, streams{in: iotest.OneByteReader(strings.NewReader(in)), out: &out, err: &err})
		var all []string
		for line := range strings.Lines(out.String()) {
			if line[0] != ' ' {
				all = append(all, strings.Fields(line)[0])
			}
		}
		return status, fmt.Sprint(all, err.String())
	}
	for range graphtest.Rounds(t, 40) {
		formula := fmt.Sprintf([]string{"EF(%s && %s)", "AG(%s || %s)", "AF(%s && %s)", "E[%s U %s]", "AG(%s -> AF(%s))", "EG(%s || %s)"}[r.IntN(6)], atom(), atom())
		status, _ := verdicts("", "detect", "-q", "--map", shop+".json", formula, shop+".log")
		properties := t.TempDir() + "/p"
		if err := os.WriteFile(properties, []byte("p: "+formula+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		common := []string{"watch", "--map", shop + ".json", "-f", properties}
		s1, piped := verdicts(string(log), common...)
		s2, file := verdicts("", append(common, "--to-end", shop+".log")...)
		if s1 != status || s2 != status || piped != file {
			t.Errorf("%s: status %d, by standard input %d %s, from a file %d %s", formula, status, s1, piped, s2, file)
		}
	}
}

// What cannot be read as it grows is refused, with what can be done.
func TestWatchLogsRefused(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--map ccf", "pota detect --map ccf reads the whole log"},
		{"--map nothing", "neither a mapping nor a mapping file"},
		{"--map " + shop + ".json --execution-key s", "exclude each other"},
		{"--skip-lines", "write --map MAPPING, too"},
	} {
		var out, err strings.Builder
		status := run(t.Context(), append([]string{"watch", "--property", "never:held@web > 1"}, strings.Fields(test.args)...), streams{in: strings.NewReader(""), out: &out, err: &err})
		if status != int(badInput) || !strings.Contains(err.String(), test.want) {
			t.Errorf("%s: status %d, %s", test.args, status, &err)
		}
	}
}

// A journal is of the text of a mapping, not of its name.
func TestJournalOfMapping(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mapping := filepath.Join(dir, "m.json")
	start := func(text, property string) (status int, stderr string) {
		if err := os.WriteFile(mapping, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		in, end := io.Pipe()
		defer end.Close()
		// The journal stays where a run is interrupted. There is one before the first line is read.
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		var out, err strings.Builder
		status = run(ctx, []string{"watch", "--map", mapping, "--property", property, "--journal", filepath.Join(dir, "journal")}, streams{in: interrupting{in, interrupt}, out: &out, err: &err})
		return status, err.String()
	}
	const text, property = `{"process":"/p"}`, "never:n@A > 1"
	start(text, property)
	if status, stderr := start(text+"\n", property); status != int(badInput) || !strings.Contains(stderr, "is not of the same text in the mapping "+mapping+": use another directory") {
		t.Errorf("another mapping: status %d, %s", status, stderr)
	}
	if status, stderr := start(text, "never:n@A > 2"); status != int(badInput) || !strings.Contains(stderr, "is not of the same properties: ") {
		t.Errorf("another property: status %d, %s", status, stderr)
	}
	if status, stderr := start(text, property); strings.Contains(stderr, "journal") {
		t.Errorf("the same: status %d, %s", status, stderr)
	}
}

// interrupting is a standard input that interrupts who reads it.
type interrupting struct {
	io.Reader
	interrupt func()
}

func (r interrupting) Read(p []byte) (int, error) {
	r.interrupt()
	return r.Reader.Read(p)
}

// clockLines returns the events of a random execution as native lines, and in a layout of ShiViz.
func clockLines(r *rand.Rand, layout string) (native, log []string) {
	var clocks [3]map[string]int
	for p := range clocks {
		clocks[p] = make(map[string]int)
	}
	for range 5 + r.IntN(20) {
		p, q := r.IntN(3), r.IntN(3)
		if r.IntN(3) > 0 {
			for host, count := range clocks[q] {
				clocks[p][host] = max(clocks[p][host], count)
			}
		}
		host := string(rune('a' + p))
		clocks[p][host]++
		clock, _ := json.Marshal(clocks[p])
		x := r.IntN(3)
		native = append(native, fmt.Sprintf(`{"process":"%s","clock":%s,"set":{"x":%d}}`+"\n", host, clock, x))
		log = append(log, fmt.Sprintf(layout, host, clock, fmt.Sprintf("did x=%d", x)))
	}
	return native, log
}

// A log with vector clocks leads to the answers of native lines, from standard input, and from a
// file that grows and is rotated while the program is killed.
func TestWatchShiViz(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 16))
	layouts := []string{"%[1]s %[2]s\n%[3]s\n", "%[3]s\n%[1]s %[2]s\n", "%[1]s %[2]s %[3]s\n"}
	formulas := []string{"EF(x@a == 1 && x@b == 2)", "AG(!(x@a == 1 && x@b == 1 && x@c == 1))", "AF(x@a == 1 && x@b == 1)", "EG(x@a == 0 || x@c == 0)", "AG(x@a == 2 -> AF(x@b == 2))"}
	properties := filepath.Join(t.TempDir(), "p")
	answers := func(in, input, formula string) string {
		t.Helper()
		if err := os.WriteFile(properties, []byte("p: "+formula+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		var out, err strings.Builder
		run(t.Context(), []string{"watch", "--json", "--input", input, "-f", properties}, streams{in: iotest.OneByteReader(strings.NewReader(in)), out: &out, err: &err})
		return fmt.Sprint(answersOf(t, []byte(out.String())), err.String())
	}
	for range graphtest.Rounds(t, 60) {
		native, log := clockLines(r, layouts[r.IntN(3)])
		formula := formulas[r.IntN(len(formulas))]
		want, got := answers(strings.Join(native, ""), "native", formula), answers(strings.Join(log, ""), "shiviz", formula)
		if got != want {
			t.Fatalf("%s\n%s\ngot  %s\nwant %s", formula, strings.Join(log, ""), got, want)
		}
	}
	for i := range 2 {
		native, log := clockLines(r, layouts[i])
		dir := t.TempDir()
		properties, file := filepath.Join(dir, "p"), filepath.Join(dir, "log")
		if err := os.WriteFile(properties, []byte("p: AG(x@a < 5 && x@b < 5 && x@c < 5)\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		args := []string{"watch", "--json", "--input", "shiviz", "-f", properties, "--journal", filepath.Join(dir, "journal"), file}
		text := strings.Join(log, "")
		for part := range 3 {
			cut := func(part int) int { // in the second line of an event
				k := part * len(log) / 3
				if k == 0 || k == len(log) {
					return len(strings.Join(log[:k], ""))
				}
				return len(strings.Join(log[:k], "")) + strings.IndexByte(log[k], '\n') + 2
			}
			from, to := cut(part), cut(part+1)
			f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = f.WriteString(text[from:to])
			f.Close()
			if part == 2 {
				break
			}
			c := exec.Command("pota", args...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			graphtest.Await(t, "the part is logged", func() bool {
				return logged(filepath.Join(dir, "journal"), log[(part+1)*len(log)/3-1]) > 0
			})
			_ = c.Process.Kill() // it is there
			_ = c.Wait()         // it was killed
		}
		_, out, stderr := pota("", append(args, "--to-end")...)
		if all := answersOf(t, []byte(out)); len(all) != 1 || all[0].Verdict != "holds" || all[0].Events != int64(len(native)) {
			t.Errorf("%v of %d events\n%s\n%s", all, len(native), stderr, text)
		}
	}
}
