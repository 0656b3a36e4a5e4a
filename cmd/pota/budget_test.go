//go:build linux

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
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

// write writes the bomb, of that many bytes, with members of gzip that are the same.
func (b bomb) write(tb testing.TB, dir string, size int) string {
	tb.Helper()
	member := func(text string) []byte {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		io.WriteString(w, text) //nolint:errcheck // a bytes.Buffer takes everything
		w.Close()               //nolint:errcheck // likewise
		return z.Bytes()
	}
	var block strings.Builder
	for i := 0; block.Len() < 1<<20; i++ {
		block.WriteString(strings.ReplaceAll(b.block, "%d", fmt.Sprint(i)))
	}
	middle := member(block.String())
	path := filepath.Join(dir, b.name+".gz")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	f.Write(member(b.first)) //nolint:errcheck // Close tells
	for n := 0; n < size; n += block.Len() {
		if _, err := f.Write(middle); err != nil {
			tb.Fatal(err)
		}
	}
	f.Write(member(b.last)) //nolint:errcheck // likewise
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// readers are all that read a trace.
var readers = [][]string{
	{"detect", "EF(x == 1)", "TRACE"}, {"detect", "--json", "EF(x == 1)", "TRACE"}, {"detect", "--skew-sweep", "EF(x == 1)", "TRACE"},
	{"cross-check", "EF(x == 1)", "TRACE"}, {"slice", "x == 1", "TRACE"}, {"translate", "EF(x == 1)", "TRACE"}, {"classify", "EF(x == 1)", "TRACE"},
	{"lint", "TRACE"}, {"map", "--guess", "TRACE"}, {"stats", "TRACE"}, {"convert", "TRACE"}, {"draw", "TRACE"},
}

// of returns the arguments of a command on a trace.
func of(command []string, trace string) []string {
	return strings.Split(strings.ReplaceAll(strings.Join(command, "\x00"), "TRACE", trace), "\x00")
}

// An ending is what a run came to.
type ending struct {
	status         int
	took, cpu      time.Duration
	peak           int64 // bytes
	stdout, stderr string
}

// runs runs the program under a limit of address space in KiB, 0 for none.
func runs(tb testing.TB, space int, args ...string) ending {
	tb.Helper()
	shell := `exec pota "$@"`
	if space > 0 {
		shell = fmt.Sprintf("ulimit -v %d && %s", space, shell)
	}
	cmd := exec.Command("sh", append([]string{"-c", shell, "sh"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	debug.FreeOSMemory()                                  // the peak of a child begins with that of its parent
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) //nolint:errcheck // then the peak may be taken for too high
	begun := time.Now()
	err := cmd.Run()
	e := ending{took: time.Since(begun), stdout: stdout.String(), stderr: stderr.String()}
	if cmd.ProcessState == nil {
		tb.Fatal(err)
	}
	e.status = cmd.ProcessState.ExitCode()
	e.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	e.peak = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	return e
}

// runsWithin is runs, three times at most where a run takes more memory than that or longer:
// on a busy machine one run may.
func runsWithin(tb testing.TB, memory int64, limit time.Duration, args ...string) (e ending) {
	tb.Helper()
	for range 3 {
		if e = runs(tb, 0, args...); e.peak <= memory && e.took <= limit {
			break
		}
		tb.Logf("%s: %s, %d MB", args, e.took, e.peak/1e6)
	}
	return e
}

// crashed reports whether a run has ended with a stack trace.
func (e ending) crashed() bool {
	return e.status < 0 || e.status > 3 || strings.Contains(e.stderr, "goroutine ") || strings.Contains(e.stderr, "fatal error") || strings.Contains(e.stderr, "runtime")
}

// Whatever a file is, no command takes more than its limits and a little, and it ends with
// status 2 for what is bad input, and otherwise with 3 and what was being done.
func TestBombs(t *testing.T) {
	const memory, limit = 150_000_000, time.Second
	dir := t.TempDir()
	every := graphtest.Rounds(t, 1) > 1
	for i, b := range bombs {
		if testing.Short() && i%3 != 0 {
			continue
		}
		path := b.write(t, dir, 1<<30)
		for k, c := range readers {
			if !every && k != i%len(readers) {
				continue
			}
			args := append(of(c, path), "--max-memory", fmt.Sprint(memory), "--timeout", limit.String())
			e := runsWithin(t, memory+100e6, limit*11/10+slack, args...)
			t.Logf("%-16s %-11s %d %6.2f s %4d MB %s", b.name, c[0], e.status, e.took.Seconds(), e.peak/1e6, firstLine(e.stdout+e.stderr))
			switch late := e.took - limit*11/10; {
			case e.crashed() || e.status < 2 && c[0] != "map": // which may guess from a beginning
				t.Errorf("%s: status %d: %.2000s", args, e.status, e.stderr)
			case e.status == 3 && !strings.Contains(e.stdout+e.stderr, "was reached while "):
				t.Errorf("%s: it does not say which limit was reached: %.2000s", args, e.stderr)
			case e.peak > memory+100e6:
				t.Errorf("%s: %d MB with a limit of %d MB", args, e.peak/1e6, int(memory/1e6))
			case late > slack:
				t.Errorf("%s: %s with a limit of %s", args, e.took, limit)
			}
		}
		os.Remove(path)
	}
}

// slack is what a machine that is busy with other tests may take to start a program.
const slack = time.Second

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line[:min(len(line), 150)]
}

// What is large in one way is decided, or refused, with little work and memory.
func TestLarge(t *testing.T) {
	dir := t.TempDir()
	file := func(name, first, block, last string, times int) string {
		var text strings.Builder
		text.WriteString(first)
		for i := range times {
			text.WriteString(strings.ReplaceAll(block, "%d", fmt.Sprint(i)))
		}
		text.WriteString(last)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	thousand, many := wide(t, dir, 1000, 10), wide(t, dir, 20_000, 5)
	variables := func(n int) string {
		return file(fmt.Sprint("variables", n), `{"process":"A","set":{"x":1`, `,"v%d":%d`, "}}\n", n)
	}
	small := file("small", "", `{"process":"P","set":{"x":%d}}`+"\n", "", 3)
	files := filepath.Join(dir, "files")
	if err := os.Mkdir(files, 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range 10_000 {
		file(fmt.Sprintf("files/%d", i), fmt.Sprintf(`{"process":"P%d","set":{"x":1}}`+"\n", i), "", "", 0)
	}
	for _, test := range []struct {
		what   string
		status int
		cpu    time.Duration
		memory int64
		args   []string
	}{
		{"mutual exclusion of 1,000 processes", 1, time.Second, 60e6, []string{"detect", "AG(forall i != j: !(x@i == 3 && x@j == 3))", thousand}},
		{"mutual exclusion of 20,000 processes", 1, time.Second, 100e6, []string{"detect", "AG(forall i != j: !(x@i == 3 && x@j == 3))", many}},
		{"pairs that are compared", 0, time.Second, 100e6, []string{"detect", "EF(exists i != j: x@i < x@j)", thousand}},
		{"pairs one in another", 1, 2 * time.Second, 100e6, []string{"detect", "AG(forall i: EF(exists j: x@j > x@i))", thousand}},
		{"a conjunction over 20,000 processes", 0, time.Second, 100e6, []string{"detect", "EF(forall i: x@i == 3)", many}},
		{"statistics of 20,000 processes", 0, 2 * time.Second, 100e6, []string{"stats", many}},
		{"300,000 variables in a line", 0, 4 * time.Second, 300e6, []string{"detect", "EF(x == 1)", variables(300_000)}},
		{"a line that is too long", 2, time.Second, 330e6, []string{"stats", variables(4_000_000)}},
		{"100,000 conjuncts", 0, 4 * time.Second, 500e6, []string{"detect", "--quiet", "-f", file("conjuncts", "f: EF(x >= 0", " && x != -1%d", ")\n", 100_000), small}},
		{"a chain of 300,000 comparisons", 1, 3 * time.Second, 400e6, []string{"detect", "--quiet", "-f", file("chain", "f: EF(x", " < x", ")\n", 300_000), small}},
		{"a chain of 100 equivalences", 0, time.Second, 60e6, []string{"detect", "--quiet", "-f", file("equivalences", "f: EF(x == 5", " <-> x == %d", ")\n", 100), small}},
		{"10,000 files", 0, 2 * time.Second, 150e6, []string{"detect", "EF(forall i: x@i == 1)", files}},
	} {
		var e ending
		for range 3 { // as on a busy machine much depends on when garbage is collected
			if e = runs(t, 0, append(test.args, "--timeout", "1m", "--max-memory", "1GB")...); e.cpu <= test.cpu && e.peak <= test.memory {
				break
			}
		}
		t.Logf("%-40s %d %6.2f s %4d MB %s", test.what, e.status, e.cpu.Seconds(), e.peak/1e6, firstLine(e.stdout+e.stderr))
		if e.crashed() || e.status != test.status || e.cpu > test.cpu || e.peak > test.memory {
			t.Errorf("%s: status %d, %s, %d MB: %.500s", test.what, e.status, e.cpu, e.peak/1e6, e.stderr)
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

// Where address space is limited, no command ends with a stack trace: not with what takes
// more than there is, nor with what needs a large block of it.
func TestAddressSpace(t *testing.T) {
	if e := runs(t, 850_000, "version"); e.crashed() {
		t.Skip("the runtime needs more than 850 MB of address space here")
	}
	dir := t.TempDir()
	wide := wide(t, dir, 2000, 5)
	hostile := []string{wide}
	for _, b := range bombs {
		hostile = append(hostile, b.write(t, dir, 1<<30))
	}
	every := graphtest.Rounds(t, 1) > 1
	i := 0
	for _, space := range []int{1 << 20, 900_000, 850_000} { // KiB
		for _, path := range hostile {
			for k, c := range readers {
				if i++; !every && i%37 != 0 {
					continue
				}
				if formula := k < 7 && path == wide; formula {
					c = append([]string(nil), c...)
					c[len(c)-2] = []string{"AG(forall i: EF(exists j: x@j > x@i))", "EF((sum i: x@i) == 17)", "EF((count i: x@i == 3) >= 2)"}[i%3]
				}
				args := append(of(c, path), "--timeout", "1s", "--max-line", "1GiB")
				e := runs(t, space, args...)
				t.Logf("%7d %-16s %-11s %d %6.2f s %4d MB %s", space, filepath.Base(path), c[0], e.status, e.took.Seconds(), e.peak/1e6, firstLine(e.stdout+e.stderr))
				if e.crashed() {
					t.Errorf("ulimit -v %d: %s: status %d: %.2000s", space, args, e.status, e.stderr)
				}
			}
		}
	}
}

// Every command that takes a trace takes the limits.
func TestLimitFlags(t *testing.T) {
	s := &session{out: bufio.NewWriter(io.Discard)}
	for _, c := range s.app().Commands {
		var flags []string
		for _, f := range c.Flags {
			flags = append(flags, f.Names()[0])
		}
		reads := strings.Contains(c.ArgsUsage, "TRACE") || strings.Contains(c.ArgsUsage, "LOG") || slices.Contains(flags, "input")
		if has := slices.Contains(flags, "timeout") && slices.Contains(flags, "max-memory"); reads && !has {
			t.Errorf("%s takes no limits", c.Name)
		}
	}
}

// budgeted returns a session with a budget, and what ends it: in time, for otherwise that
// ends the program.
func budgeted(t *testing.T, limit time.Duration, bytes int64) (s *session, end func()) {
	s = &session{ctx: t.Context(), err: t.Output()}
	s.spend(limit, bytes, fmt.Sprint(bytes))
	return s, s.budget.end
}

// A step ends with its context, or is left alone; then so is what comes after it.
func TestSteps(t *testing.T) {
	const limit = 300 * time.Millisecond
	for _, heeds := range []bool{true, false} {
		s, end := budgeted(t, limit, math.MaxInt64/2)
		begun := time.Now()
		var left atomic.Bool
		_, err := do(s, "waiting", func(ctx context.Context) (int, error) {
			if heeds {
				<-ctx.Done()
				return 0, ctx.Err()
			}
			time.Sleep(2 * limit)
			left.Store(true)
			return 0, nil
		})
		const want = "the time limit of 300ms was reached while waiting"
		if took := time.Since(begun); err == nil || err.Error() != want || took > 3*limit/2 || left.Load() {
			t.Errorf("ended after %s: %v", took, err)
		}
		ran := false
		err = try(s, "going on", func(ctx context.Context) error {
			ran = true
			return ctx.Err()
		})
		end()
		if !is[*limitError](err) || ran != heeds {
			t.Errorf("what came next ran: %t: %v", ran, err)
		}
	}
}

// What ends because of the limit of memory gives the memory back to what comes next.
func TestMemoryAgain(t *testing.T) {
	const room = 64 << 20
	debug.FreeOSMemory()
	s, end := budgeted(t, 0, memoryUsed()+room)
	defer end()
	for range 3 {
		held, err := do(s, "filling", func(ctx context.Context) (held [][]byte, err error) {
			for ctx.Err() == nil {
				piece := make([]byte, 1<<20)
				for i := range piece {
					piece[i] = 1
				}
				held = append(held, piece)
			}
			runtime.KeepAlive(held)
			return nil, ctx.Err()
		})
		if err == nil || !strings.HasSuffix(err.Error(), " was reached while filling") || held != nil {
			t.Fatal(err)
		}
		if err := try(s, "a little", func(ctx context.Context) error {
			time.Sleep(10 * lookEvery)
			return ctx.Err()
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// Pieces of work share the time that is left.
func TestShare(t *testing.T) {
	s, end := budgeted(t, time.Minute, math.MaxInt64/2)
	defer end()
	for pieces, want := range map[int]time.Duration{1: time.Minute, 3: 20 * time.Second, 60: time.Second} {
		ctx, cancel := s.budget.share(t.Context(), pieces, "sharing")
		at, _ := ctx.Deadline()
		cancel()
		if rest := time.Until(at); rest > want || rest < want*9/10 {
			t.Errorf("%d pieces have %s each, not %s", pieces, rest, want)
		}
	}
}

// Engines that work at a time share the memory that traces leave.
func TestShareOfMemory(t *testing.T) {
	const room = 400 << 20
	trace := make([]byte, room/2)
	s, end := budgeted(t, 0, memoryUsed()+room)
	defer end()
	if one, four := s.budget.memory(1), s.budget.memory(4); four < room/10 || four > one/3 {
		t.Errorf("one engine may take %d MB, each of four %d MB", one>>20, four>>20)
	}
	runtime.KeepAlive(trace)
}

// Whatever takes long, a command ends soon after its limit of time.
func TestTimeLimit(t *testing.T) {
	const limit = time.Second
	dir := t.TempDir()
	trace := wide(t, dir, 10_000, 10)
	out := filepath.Join(dir, "out")
	all := [][]string{
		{"stats", trace}, {"translate", "--to", "pnml", "EF(forall i: x@i == 3)", trace, "-o", out},
		{"draw", trace, "--max-events", "1000000"}, {"detect", "AG(EX(x@P0 == 2) || EF(exists i != j: x@i == 2 * x@j))", trace},
		{"detect", "-f", "/dev/zero", trace}, {"detect", "--order", "/dev/zero", "EF(x == 1)", trace}, {"detect", "--map", "/dev/zero", "EF(x == 1)", trace},
	}
	if testing.Short() {
		all = all[:4]
	}
	for _, args := range all {
		args = append(args, "--timeout", limit.String(), "--max-memory", "250MB")
		e := runsWithin(t, 350e6, limit*11/10+slack, args...)
		t.Logf("%-10s %d %6.2f s %4d MB %s", args[0], e.status, e.took.Seconds(), e.peak/1e6, firstLine(e.stdout+e.stderr))
		if e.crashed() || e.took > limit*11/10+slack || e.peak > 350e6 {
			t.Errorf("%s: status %d, %s, %d MB: %.500s", args, e.status, e.took, e.peak/1e6, e.stderr)
		}
	}
}
