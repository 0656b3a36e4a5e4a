//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/graphtest"
)

// A bomb is a small file that is a long text when it is decompressed: some text, a block
// over and over, and some text.
type bomb struct {
	name, first, block, last string
}

// bombs are texts in all formats that are read to their end, with long lines, long
// strings, many small things, or deep nesting.
var bombs = []bomb{
	{"native-line", `{"process":"A"}` + "\n" + `{"process":"A","id":"`, "a", `"}` + "\n"},
	{"native-events", `{"process":"A"}` + "\n", `{"process":"A","set":{"x":1}}` + "\n", ""},
	{"native-labels", `{"process":"A"}` + "\n", `{"process":"A","set":{"x%d":%d},"label":"%d"}` + "\n", ""},
	{"native-nested", `{"process":"A","set":{"x":`, `[`, ""},
	{"otlp-string", `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"`, "a", `"}}]}}]}`},
	{"otlp-spans", `{"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[`, `{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"n","startTimeUnixNano":"1","endTimeUnixNano":"2"},`, ``},
	{"jaeger-string", `{"data":[{"traceID":"`, "a", `"}]}`},
	{"jaeger-spans", `{"data":[{"traceID":"t","spans":[`, `{"traceID":"t","spanID":"1%d","operationName":"o","startTime":1,"duration":2,"processID":"p1"},`, ``},
	{"jaeger-nested", `{"data":[{"traceID":"t","spans":[],"processes":`, `{"a":`, ``},
	{"zipkin-string", `[{"traceId":"1","id":"1","name":"`, "a", `"}]`},
	{"zipkin-spans", `[`, `{"traceId":"1","id":"1","name":"a","timestamp":1,"duration":2,"localEndpoint":{"serviceName":"b"}},`, ``},
	{"shiviz-line", "A {\"A\":1}\n", "a", "\n"},
	{"shiviz-events", "", "A {\"A\":1}\nx\n", ""},
	{"spin-line", "  0:	proc  - (:root:) creates proc  0 (user)\n  1:	proc  0 (user:1) mutex.pml:10 (state 1)	[", "a", "]\n"},
	{"spin-events", "  0:	proc  - (:root:) creates proc  0 (user)\n", "  1:	proc  0 (user:1) mutex.pml:10 (state 1)	[((rounds<2))]\n", ""},
	{"mermaid-line", "sequenceDiagram\n A->>B: ", "a", "\n"},
	{"mapped-line", `{"tag":"trace","event":{"name":"`, "a", "\"}}\n"},
	{"mapped-events", "", `{"level":"info","msg":"x","tag":"trace","event":{"name":"InitState","nid":"1"}}` + "\n", ""},
	{"gotrace", "go 1.26 trace\x00\x00\x00\x01\x01", "\xff", ""},
}

// models are programs in Promela that take long to read, or have many states.
var models = []bomb{
	{"statements", "byte x; init { ", "x = 1; ", "}"}, {"nested", "byte x; init ", "{", ""}, {"brackets", "byte x; init { x = ", "(", ""}, {"comment", "byte x; /*", "a ", ""},
}

// write writes the bomb, of that many bytes, with members of gzip that are the same.
func (b bomb) write(tb testing.TB, dir string, size int) string {
	tb.Helper()
	member := func(text string) []byte {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		_, _ = io.WriteString(w, text) // a bytes.Buffer takes everything
		_ = w.Close()                  // likewise
		return z.Bytes()
	}
	block := strings.Repeat(b.block, 1<<20/max(len(b.block), 1))
	if strings.Contains(b.block, "%d") {
		var all strings.Builder
		for i := 0; all.Len() < 1<<20; i++ {
			all.WriteString(strings.ReplaceAll(b.block, "%d", fmt.Sprint(i)))
		}
		block = all.String()
	}
	middle := member(block)
	path := filepath.Join(dir, b.name+".gz")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	_, _ = f.Write(member(b.first)) // the next one fails, too
	for n := 0; n < size; n += len(block) {
		if _, err := f.Write(middle); err != nil {
			tb.Fatal(err)
		}
	}
	if _, err := f.Write(member(b.last)); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// readers are all commands that read TRACE, which stands for the path of a trace, here also
// where something else is expected. What follows < is given on standard input, decompressed.
var readers = [][]string{
	{"detect", "EF(x == 1)", "TRACE"}, {"detect", "--json", "EF(x == 1)", "TRACE"}, {"detect", "--skew-sweep", "EF(x == 1)", "TRACE"},
	{"detect", "--stream", "EF(x@A == 1)", "TRACE"}, {"detect", "--certificate", "OUTPUT", "EF(x == 1)", "TRACE"},
	{"cross-check", "EF(x == 1)", "TRACE"}, {"slice", "x == 1", "TRACE"}, {"translate", "EF(x == 1)", "TRACE"}, {"classify", "EF(x == 1)", "TRACE"},
	{"lint", "TRACE"}, {"map", "--guess", "TRACE"}, {"stats", "TRACE"}, {"convert", "TRACE"}, {"draw", "TRACE"}, {"serve", "TRACE"},
	{"verify", "PROOF", "TRACE"}, {"verify", "TRACE", "SMALL"}, {"watch", "-f", "PROPERTIES", "<TRACE"}, {"watch", "-f", "TRACE", "SMALL"},
}

// needed makes the files that readers name beside TRACE, and returns what replaces their names.
func needed(t *testing.T, dir string) (names []string) {
	t.Helper()
	for name, text := range map[string]string{
		"SMALL": `{"process":"A","set":{"x":1}}` + "\n", "PROPERTIES": "one: EF(x@A == 1)\ntwo: AG(x@A == 1 -> AF(y@A == 1))\n", "PROOF": "", "OUTPUT": "",
	} {
		names = append(names, name, filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if status, _, stderr := pota("", "detect", "--certificate", filepath.Join(dir, "PROOF"), "EF(x == 1)", filepath.Join(dir, "SMALL")); status != 0 {
		t.Fatal(stderr)
	}
	return names
}

// of returns the arguments of a command on a trace, with what its names stand for.
func of(command, names []string, trace string) []string {
	r := strings.NewReplacer(append([]string{"TRACE", trace}, names...)...)
	return mapOf(command, r.Replace)
}

// goesOn reports whether a command ends only when it is interrupted, or its input ends.
func goesOn(args []string) bool {
	return args[0] == "serve" || args[0] == "watch" && !slices.Contains(args, "--to-end")
}

// limits returns the flags for limits that a command takes.
func limits(command string, limit time.Duration, others ...string) []string {
	if command != "watch" {
		others = append(others, "--timeout", limit.String())
	}
	return others
}

// An ending is what a run came to.
type ending struct {
	status         int
	cpu            time.Duration // for the log: it depends on the machine
	peak           int64         // bytes
	stdout, stderr string
}

// runs runs the program. One that goes on is interrupted after a while.
func runs(tb testing.TB, args ...string) ending {
	tb.Helper()
	shell := `exec pota "$@"`
	if goesOn(args) {
		shell = `exec timeout --preserve-status -s INT 0.3 pota "$@"`
	}
	if i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "<") }); i >= 0 {
		shell = fmt.Sprintf("gzip -dc '%s' | %s", args[i][1:], shell)
		args = slices.Delete(slices.Clone(args), i, i+1)
	}
	cmd := exec.Command("sh", append([]string{"-c", shell, "sh"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	debug.FreeOSMemory()                                      // the peak of a child begins with that of its parent
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // else the peak may be taken for too high
	err := cmd.Run()
	if cmd.ProcessState == nil {
		tb.Fatal(err)
	}
	return ending{
		status: cmd.ProcessState.ExitCode(),
		cpu:    cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		peak:   cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10,
		stdout: stdout.String(),
		stderr: stderr.String(),
	}
}

// crashed reports whether a run has ended with a stack trace.
func (e ending) crashed() bool {
	return e.status < 0 || e.status > 3 || strings.Contains(e.stderr, "goroutine ") || strings.Contains(e.stderr, "fatal error") || strings.Contains(e.stderr, "runtime")
}

// Whatever a file is, no command takes more than its limits and a little, and it ends with
// status 2 for what is bad input, and otherwise with 3 and what was being done.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: hundreds of megabytes are read")
	}
	t.Parallel()
	const memory, usual = 120_000_000, 150 * time.Millisecond
	dir := t.TempDir()
	names := needed(t, dir)
	every, size := graphtest.Rounds(t, 1) > 1, 256<<20
	if every {
		size = 1 << 30
	}
	paths := mapOf(bombs, func(b bomb) string { return b.write(t, dir, size) })
	try := func(t *testing.T, args []string) {
		tells := args[0] == "map" || args[0] == "watch" // something, although it has not read all
		t.Run(strings.ReplaceAll(strings.Join(args, " "), dir+"/", ""), func(t *testing.T) {
			t.Parallel()
			const limited = memory + 100e6
			e := runs(t, args...)
			t.Logf("%d %6.2f s %4d MB %s", e.status, e.cpu.Seconds(), e.peak/1e6, firstLine(e.stdout+e.stderr))
			switch {
			case goesOn(args) && e.status == 128+int(syscall.SIGINT): // interrupted before it was ready
			case e.crashed() || e.status < 2 && !tells:
				t.Errorf("status %d: %.2000s", e.status, e.stderr)
			case e.status == 3 && !goesOn(args) && !strings.Contains(e.stdout+e.stderr, " was reached"):
				t.Errorf("it does not say which limit was reached: %.2000s", e.stderr)
			case e.peak > graphtest.Memory(limited):
				t.Errorf("%d MB with a limit of %d MB", e.peak/1e6, int(memory/1e6))
			}
		})
	}
	t.Run("limits", func(t *testing.T) {
		for i, path := range paths {
			for k, c := range readers {
				if !every && k != (i+15)%len(readers) {
					continue
				}
				try(t, append(of(c, names, path), limits(c[0], usual, "--max-memory", fmt.Sprint(memory))...))
			}
		}
		for i, b := range models {
			path := filepath.Join(dir, b.name+".pml")
			if err := os.WriteFile(path, []byte(b.first+strings.Repeat(b.block, (8<<20)/len(b.block+" "))+b.last), 0o666); err != nil {
				t.Fatal(err)
			}
			for k, c := range [][]string{{"check", "TRACE", "EF(x == 0 && x == 1)"}, {"simulate", "TRACE"}} {
				if every || k == i%2 {
					try(t, append(of(c, nil, path), limits(c[0], usual, "--max-memory", fmt.Sprint(memory))...))
				}
			}
		}
	})
}

// A watch that needs more memory than it may take says so, and what is open.
func TestWatchLimit(t *testing.T) {
	dir := t.TempDir()
	properties := filepath.Join(dir, "properties")
	if err := os.WriteFile(properties, []byte("all: EF(forall i: x@i == 3)"), 0o666); err != nil {
		t.Fatal(err)
	}
	e := runs(t, "watch", "--to-end", "--max-memory", "40MB", "-f", properties, wide(t, dir, 20_000, 10))
	if e.status != 3 || e.peak > graphtest.Memory(140e6) || !strings.HasPrefix(e.stdout, "open     all  after ") || !strings.HasSuffix(e.stderr, "\npota: the memory limit of 40MB was reached while watching\n") {
		t.Errorf("status %d, %d MB: %s%s", e.status, e.peak/1e6, e.stdout, e.stderr)
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line[:min(len(line), 150)]
}

// What is large in one way is decided, or refused, with little memory, and in little time: what
// takes a step for each pair does not end in its time. Sizes that take long are those of a full
// run alone.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: large traces take long")
	}
	dir := t.TempDir()
	file := func(name, first, block, last string, times int) string {
		text := []byte(first)
		pieces := strings.Split(block, "%d")
		for i := range times {
			for k, piece := range pieces {
				if k > 0 {
					text = strconv.AppendInt(text, int64(i), 10)
				}
				text = append(text, piece...)
			}
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, append(text, last...), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	small := file("small", "", `{"process":"P","set":{"x":%d}}`+"\n", "", 3)
	conjunction, mutual := "EF(forall i: x@i == 3)", "AG(forall i != j: !(x@i == 3 && x@j == 3))"
	onWide := func(args ...string) func(int) []string {
		return func(n int) []string { return append(args, wide(t, dir, n, 5)) }
	}
	variables := func(args ...string) func(int) []string {
		return func(n int) []string {
			return append(args, file(fmt.Sprint("variables", n), `{"process":"A","set":{"x":1`, `,"v%d":%d`, "}}\n", n))
		}
	}
	formula := func(first, block string) func(int) []string {
		return func(n int) []string {
			return []string{"detect", "--quiet", "-f", file(fmt.Sprint("formula", n), "f: EF(x"+first, block, ")\n", n), small}
		}
	}
	files := func(n int) []string {
		name := fmt.Sprint("files", n)
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			file(fmt.Sprintf("%s/%d", name, i), fmt.Sprintf(`{"process":"P%d","set":{"x":1}}`+"\n", i), "", "", 0)
		}
		return []string{"detect", "EF(forall i: x@i == 1)", filepath.Join(dir, name)}
	}
	long := func(args ...string) func(int) []string {
		return func(n int) []string {
			return append(args, bombs[0].write(t, dir, n<<30), "--max-memory", "300MB", "--timeout", "6s")
		}
	}
	for _, test := range []struct {
		what   string
		n      int // 0 for a full run alone
		full   int
		status int
		memory int64
		args   func(n int) []string
	}{
		{"mutual exclusion of processes", 1000, 1000, 1, 60e6, onWide("detect", mutual)},
		{"mutual exclusion of many processes", 20_000, 100_000, 1, 100e6, onWide("detect", mutual)},
		{"pairs of processes that are compared", 1000, 1000, 0, 100e6, onWide("detect", "EF(exists i != j: x@i < x@j)")},
		{"pairs of processes, one in another", 1000, 1000, 1, 100e6, onWide("detect", "AG(forall i: EF(exists j: x@j > x@i))")},
		{"a conjunction over processes", 20_000, 100_000, 0, 100e6, onWide("detect", conjunction)},
		{"statistics of processes", 20_000, 20_000, 0, 100e6, onWide("stats")},
		{"variables in a line", 100_000, 1_000_000, 0, 150e6, variables("detect", "EF(x == 1)")},
		{"variables in a line that is too long", 100_001, 100_001, 2, 60e6, variables("stats", "--max-line", "1MiB")},
		{"variables in a line that is much too long", 0, 10_000_000, 2, 150e6, variables("stats")},
		{"variables in a line that is allowed", 0, 10_000_001, 3, 400e6, variables("stats", "--max-line", "1GiB", "--max-memory", "300MB")},
		{"conjuncts", 50_000, 300_000, 0, 300e6, formula(" >= 0", " && x != -1%d")},
		{"comparisons in a chain", 100_000, 1_000_000, 1, 200e6, formula("", " < x")},
		{"equivalences in a chain", 100, 100, 0, 60e6, formula(" == 5", " <-> x == %d")},
		{"files", 1000, 100_000, 0, 100e6, files},
		{"GiB in a line, decided", 0, 10, 2, 400e6, long("detect", "EF(x == 1)")},
		{"GiB in a line, looked at", 0, 10, 2, 400e6, long("lint")},
		{"GiB in a line that is allowed, decided", 0, 10, 3, 400e6, long("detect", "--max-line", "1GiB", "EF(x == 1)")},
		{"GiB in a line that is allowed, counted", 0, 10, 3, 400e6, long("stats", "--max-line", "1GiB")},
	} {
		scale := 1
		if graphtest.Rounds(t, 1) > 1 {
			scale = max(test.full/max(test.n, 1), 1)
			if test.n = test.full; strings.HasPrefix(test.what, "GiB") || scale == test.full {
				scale = 1
			}
		}
		if test.n == 0 {
			continue
		}
		memory := min(test.memory*int64(scale), 1100e6)
		args := append([]string{}, test.args(test.n)...)
		if !slices.Contains(args, "--max-memory") {
			args = append(args, "--timeout", "3m", "--max-memory", "1GB")
		}
		e := runs(t, args...)
		t.Logf("%9d %-45s %d %6.2f s %4d MB %s", test.n, test.what, e.status, e.cpu.Seconds(), e.peak/1e6, firstLine(e.stdout+e.stderr))
		if e.crashed() || e.status != test.status || e.peak > graphtest.Memory(memory) {
			t.Errorf("%d %s: status %d, %d MB: %.500s", test.n, test.what, e.status, e.peak/1e6, e.stderr)
		}
	}
}

// wide writes a trace of many processes with some events each.
func wide(tb testing.TB, dir string, processes, events int) string {
	tb.Helper()
	var text strings.Builder
	for p := range processes {
		for x := range events {
			fmt.Fprintf(&text, `{"process":"P%d","set":{"x":%d}}`+"\n", p, (7*x+p)%5)
		}
	}
	path := filepath.Join(dir, fmt.Sprintf("wide%d.jsonl", processes))
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Every command that takes a trace takes the limits, but for watch, which goes on until it is stopped.
func TestLimitFlags(t *testing.T) {
	s := newSession(t.Context(), streams{out: io.Discard, err: io.Discard})
	for _, c := range s.app().Commands {
		var flags []string
		for _, f := range c.Flags {
			flags = append(flags, f.Names()[0])
		}
		reads := strings.Contains(c.ArgsUsage, "TRACE") || strings.Contains(c.ArgsUsage, "LOG") || slices.Contains(flags, "input")
		reads = reads && c.Name != "watch"
		if has := slices.Contains(flags, "timeout") && slices.Contains(flags, "max-memory"); reads && !has {
			t.Errorf("%s takes no limits", c.Name)
		}
	}
}

// Whatever takes long, a command ends at its limit of time.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	const limit = 300 * time.Millisecond
	dir := t.TempDir()
	trace := wide(t, dir, 10_000, 10)
	model := filepath.Join(dir, "states.pml")
	if err := os.WriteFile(model, []byte("byte a, b, c, d; active proctype p() { do :: a++ :: b++ :: c++ :: d++ od }"), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, args := range [][]string{
		{"stats", trace}, {"translate", "--to", "smv", "EF(forall i: x@i == 3)", trace, "-o", filepath.Join(dir, "out")},
		{"draw", trace, "--max-events", "1000000"}, {"detect", "AG(EX(x@P0 == 2) || EF(exists i != j: x@i == 2 * x@j))", trace},
		{"check", model, "EF(a == 1 && a == 2)"}, {"simulate", model, "--events", "1000000000"},
		{"detect", "-f", "/dev/zero", trace}, {"detect", "--order", "/dev/zero", "EF(x == 1)", trace}, {"detect", "--map", "/dev/zero", "EF(x == 1)", trace},
		{"verify", "/dev/zero", trace}, {"check", "/dev/zero", "true"}, {"simulate", "/dev/./zero"},
	} {
		if testing.Short() && i >= 6 {
			break
		}
		t.Run(strings.ReplaceAll(strings.Join(args, " "), dir+"/", ""), func(t *testing.T) {
			t.Parallel()
			args = append(args, "--timeout", limit.String(), "--max-memory", "140MB")
			e := runs(t, args...)
			t.Logf("%d %6.2f s %4d MB %s", e.status, e.cpu.Seconds(), e.peak/1e6, firstLine(e.stdout+e.stderr))
			if e.crashed() || e.status < 2 && args[0] != "stats" || e.peak > graphtest.Memory(240e6) {
				t.Errorf("status %d, %d MB: %.500s", e.status, e.peak/1e6, e.stderr)
			}
		})
	}
}
