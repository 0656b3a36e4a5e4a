package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
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
