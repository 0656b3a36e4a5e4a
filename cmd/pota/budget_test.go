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
	{"lint", "TRACE"}, {"stats", "TRACE"}, {"convert", "TRACE"}, {"draw", "TRACE"},
}

// of returns the arguments of a command on a trace.
func of(command []string, trace string) []string {
	return strings.Split(strings.ReplaceAll(strings.Join(command, "\x00"), "TRACE", trace), "\x00")
}

// An ending is what a run came to.
type ending struct {
	status         int
	took           time.Duration
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
	e.peak = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	return e
}

// crashed reports whether a run has ended with a stack trace.
func (e ending) crashed() bool {
	return e.status < 0 || e.status > 3 || strings.Contains(e.stderr, "goroutine ") || strings.Contains(e.stderr, "fatal error") || strings.Contains(e.stderr, "runtime")
}

// Whatever a file is, no command takes more than its limits and a little, and it ends with
// status 2 for what is bad input, and otherwise with 3 and what was being done.
func TestBombs(t *testing.T) {
	const memory, limit = 150_000_000, 2 * time.Second
	dir := t.TempDir()
	every := graphtest.Rounds(t, 1) > 1
	for i, b := range bombs {
		path := b.write(t, dir, 1<<30)
		for k, c := range readers {
			if !every && k != i%len(readers) {
				continue
			}
			args := append(of(c, path), "--max-memory", fmt.Sprint(memory), "--timeout", limit.String())
			e := runs(t, 0, args...)
			t.Logf("%-16s %-11s %d %6.2f s %4d MB %s", b.name, c[0], e.status, e.took.Seconds(), e.peak/1e6, firstLine(e.stdout+e.stderr))
			switch late := e.took - limit*11/10; {
			case e.crashed() || e.status < 2:
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

// Where address space is limited, no command ends with a stack trace: not with what takes
// more than there is, nor with what needs a large block of it.
func TestAddressSpace(t *testing.T) {
	dir := t.TempDir()
	wide := filepath.Join(dir, "wide.jsonl")
	var text strings.Builder
	for p := range 2000 {
		for x := range 5 {
			fmt.Fprintf(&text, `{"process":"P%d","set":{"x":%d}}`+"\n", p, (x+p)%4)
		}
	}
	if err := os.WriteFile(wide, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	hostile := []string{wide}
	for _, b := range bombs {
		hostile = append(hostile, b.write(t, dir, 1<<30))
	}
	every := graphtest.Rounds(t, 1) > 1
	i := 0
	for _, space := range []int{1 << 20, 900_000, 850_000, 800_000} { // KiB
		for _, path := range hostile {
			for k, c := range readers {
				if i++; !every && i%23 != 0 {
					continue
				}
				if formula := k < 7 && path == wide; formula {
					c = append([]string(nil), c...)
					c[len(c)-2] = []string{"AG(forall i: EF(exists j: x@j > x@i))", "EF((sum i: x@i) == 17)", "EF((count i: x@i == 3) >= 2)"}[i%3]
				}
				args := append(of(c, path), "--timeout", "3s", "--max-line", "1GiB")
				e := runs(t, space, args...)
				t.Logf("%7d %-16s %-11s %d %6.2f s %4d MB %s", space, filepath.Base(path), c[0], e.status, e.took.Seconds(), e.peak/1e6, firstLine(e.stdout+e.stderr))
				if e.crashed() {
					t.Errorf("ulimit -v %d: %s: status %d: %.2000s", space, args, e.status, e.stderr)
				}
			}
		}
	}
}
