package decide

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl/rctltest"
)

// decided decides a formula on a trace, and returns the status and what standard error gets.
func decided(t *testing.T, opts Options, formula, path string) (exit.Status, string) {
	t.Helper()
	var errs bytes.Buffer
	limits := budget.New(budget.Limits{Memory: 1 << 32})
	defer limits.End()
	r := &job.Run{Context: t.Context(), Console: console.New(nil, new(bytes.Buffer), &errs), Budget: limits}
	properties, err := load.Properties(r, load.Formulas{Texts: []string{formula}})
	if err != nil {
		t.Fatal(err)
	}
	read := load.Options{Format: format.Options{Input: format.Auto}, MaxLine: "1MiB", TimeUnit: "s", Silent: true}
	in, err := load.New(r, read, load.Want{Variables: load.VariablesOf(properties)})
	if err != nil {
		t.Fatal(err)
	}
	set := &Set{Properties: properties, Paths: []string{path}}
	report := present.New(r, r.Console, present.Options{Format: present.Silent, Properties: properties})
	set.Decide(r, in, report, opts)
	report.Close()
	return r.Status, errs.String()
}

// Whatever order the lines of a trace are in, and whether or not it is put in another, what
// --stream decides is what is decided on the whole.
func TestStreamed(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	ordered := 0
	for seed := range uint64(graphtest.Rounds(t, 150)) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := graphtest.Random(r, graphtest.Config{Processes: 4, Events: 24, Kinds: graphtest.TraceKinds &^ graphtest.OddNames})
		f := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: rctltest.WithoutNext, Depth: 2})
		if strings.Contains(f, "transit") {
			continue
		}
		var text bytes.Buffer
		if err := native.Write(&text, c, nil); err != nil {
			continue
		}
		lines := strings.SplitAfter(strings.TrimSpace(text.String())+"\n", "\n")
		lines = lines[:len(lines)-1]
		process := func(line string) int { // a line that is of none comes first
			return slices.IndexFunc(c.Processes(), func(name string) bool { return strings.HasPrefix(line, fmt.Sprintf("{\"process\":%q,", name)) })
		}
		backwards := r.IntN(2)*2 - 1
		slices.SortStableFunc(lines, func(x, y string) int {
			if p, q := process(x), process(y); p >= 0 && q >= 0 {
				return backwards * (p - q)
			}
			return process(x) - process(y)
		})
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		want, problem := decided(t, Options{}, f, path)
		got, stderr := decided(t, Options{Stream: true, MaxHeld: r.IntN(4) - 1}, f, path)
		if got != want {
			t.Fatalf("seed %d: %s: status %d, want %d\n%s%s%s", seed, f, got, want, stderr, problem, lines)
		}
		if strings.Contains(stderr, "is put in order") {
			ordered++
		}
	}
	if left, err := os.ReadDir(os.TempDir()); len(left) > 0 || err != nil {
		t.Errorf("%v is left in the folder for temporary files, %v", left, err)
	}
	if ordered == 0 {
		t.Error("nothing was put in order")
	}
	t.Log(ordered)
}

// What is refused without --stream is refused with it, at the same line, but for what needs the
// whole trace.
func TestStreamedRefused(t *testing.T) {
	t.Chdir("../../../../testdata/refused")
	files, err := filepath.Glob("*.jsonl")
	if err != nil || len(files) < 40 {
		t.Fatal(len(files), err)
	}
	elsewhere := map[string]bool{"cycle-long": true, "cycle-of-clocks": true, "cycle": true, "two-types-shared": true}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".jsonl")
		// timer-id: that an id is taken shows where the later of the two events stands.
		if name == "after-renamed" || name == "shared-unordered" || name == "timer-id" {
			continue
		}
		want, err := os.ReadFile(name + ".err")
		if err != nil {
			t.Fatal(err)
		}
		place := strings.Join(strings.SplitN(string(want), ":", 3)[:2], ":")
		if elsewhere[name] {
			place = file + ":1"
		}
		status, stderr := decided(t, Options{Stream: true}, "true", file)
		if status != 2 || !strings.HasPrefix(stderr, "pota: "+place) {
			t.Errorf("status %d, %s, want %s", status, stderr, want)
		}
	}
}

// A mistake that is found in another order of the lines has its place.
func TestStreamedMistakes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a": "{\"process\":\"P\",\"send\":\"m\"}\n\n{\"process\":\"P\",\"set\":{\"x\":1}}\n{\"process\":\"P\",\"id\":\"p\",\"after\":\"q\"}\n",
		"b": "\n{\"process\":\"Q\",\"recv\":\"m\"}\n{\"process\":\"Q\",\"recv\":\"m\"}\n{\"process\":\"Q\",\"id\":\"q\"}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status, stderr := decided(t, Options{Stream: true, MaxHeld: -1}, "EF(x == 2)", dir)
	if want := filepath.Join(dir, "b") + `:3: process "Q" receives message "m" twice`; status != 2 || !strings.Contains(stderr, "is put in order") || !strings.Contains(stderr, want) {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// A process that executes no more keeps nothing from being forgotten.
func TestStreamedEnds(t *testing.T) {
	opts := Options{Stream: true, MaxHeld: 5000} // the window is looked at when it has 4,096 events
	var text strings.Builder
	text.WriteString("{\"process\":\"init\",\"set\":{\"x\":1}}\n{\"process\":\"idle\",\"init\":{\"x\":1}}\n")
	for i := range 4000 {
		fmt.Fprintf(&text, "{\"process\":\"A\",\"set\":{\"x\":1},\"send\":\"a%d\"}\n{\"process\":\"B\",\"recv\":\"a%[1]d\",\"set\":{\"x\":1},\"send\":\"b%[1]d\"}\n{\"process\":\"A\",\"recv\":\"b%[1]d\"}\n", i)
	}
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stderr := decided(t, opts, "AG(x@init + x@idle + x@A + x@B < 5)", path)
	if status != 0 || stderr != "" {
		t.Errorf("status %d, %s", status, stderr)
	}
	status, stderr = decided(t, opts, "EF(x@A == 5 && AG(x@B == 1))", path) // of which all is kept
	if status != 1 || !strings.Contains(stderr, "all events that change what EF(x@A == 5 && AG(x@B == 1)) speaks of are kept, 5001 by now") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
