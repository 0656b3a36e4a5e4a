package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// crash names the environment variable that makes the test binary a program that records endlessly:
// the kind of recording, and the destination.
const crash = "POTA_RECORD_CRASH"

func TestMain(m *testing.M) {
	if kind, path, ok := strings.Cut(os.Getenv(crash), " "); ok {
		if err := recordWithoutEnd(kind, path); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// pieces writes to a file in small pieces, as a full disk or a pipe would. Once the file is long
// enough, it stops in the middle of a line.
type pieces struct {
	file *os.File
	size *int
}

const (
	enough  = 100_000    // the least number of bytes that pieces writes
	stopped = ".stopped" // the suffix of the file that says that pieces has stopped
)

func (p pieces) Write(text []byte) (int, error) {
	n := 0
	for n < len(text) {
		if *p.size >= enough && n > 0 && text[n-1] != '\n' && text[n-1] != '}' {
			if err := os.WriteFile(p.file.Name()+stopped, nil, 0o666); err != nil {
				return n, err
			}
			select {} // until the program is killed
		}
		k, err := p.file.Write(text[n:min(n+7, len(text))])
		n += k
		*p.size += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// recordWithoutEnd has two processes exchange messages, with one recorder or one for each. The
// careless one flushes only the log of the receiver, and stops.
func recordWithoutEnd(kind, path string) error {
	var recorders [2]*record.Recorder
	switch kind {
	case "pieces":
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		recorders[0] = record.New(pieces{file, new(int)})
		recorders[1] = recorders[0]
	case "file":
		r, err := record.Create(path)
		if err != nil {
			return err
		}
		recorders[0], recorders[1] = r, r
	case "directory", "careless":
		opts := []record.Option{record.WithFlushSends()}
		if kind == "careless" {
			opts = nil
		}
		for i := range recorders {
			r, err := record.Create(filepath.Join(path, fmt.Sprint("log", i)), opts...)
			if err != nil {
				return err
			}
			recorders[i] = r
		}
	}
	there, back := make(chan record.Token, 3), make(chan record.Token, 3)
	go func() {
		q := recorders[1].Process("Q", record.Set("seen", 0))
		for n := 1; ; n++ {
			q.Receive(<-there, record.Set("seen", n))
			if kind == "careless" && n == 10 {
				recorders[1].Flush()
				select {} // until the program is killed
			}
			back <- q.Send("P")
		}
	}()
	p := recorders[0].Process("P", record.Set("asked", 0))
	for n := 1; ; n++ {
		there <- p.Send("Q", record.Set("asked", n))
		for range n % 5 {
			p.Event(record.Label("work"))
		}
		p.Receive(<-back)
	}
}

// killed starts the program and kills it once it has written that much to a file.
func killed(t *testing.T, kind, path, file string, size int64) {
	t.Helper()
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crash+"="+kind+" "+path)
	var stderr bytes.Buffer
	child.Stderr = &stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	graphtest.Await(t, "the program records", func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() >= size
	})
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err, stderr.String())
	}
	err := child.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("not killed: %v %s", err, stderr.String())
	}
}

func readKilled(t *testing.T, path string) (*graphs.Computation, error) {
	t.Helper()
	return native.ReadFile(context.Background(), path, trace.Options{Names: true, AllowTruncated: true})
}

// readable reads the log of a killed program, and checks properties of it.
func readable(t *testing.T, path string) *graphs.Computation {
	t.Helper()
	c, err := readKilled(t, path)
	if err != nil {
		t.Fatal(err)
	}
	check(t, c, map[string]bool{
		"AG(seen@Q <= asked@P)":     true,
		"AG(asked@P - seen@Q <= 1)": true,
		"EF(asked@P > seen@Q)":      true,
		"EF(asked@P < seen@Q)":      false,
	})
	return c
}

// TestKilled kills a program that records to a file.
func TestKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	for range 3 {
		killed(t, "file", file, file, 500_000)
		if c := readable(t, file); c.NumEvents() < 1000 {
			t.Errorf("%d events", c.NumEvents())
		}
	}
}

// TestKilledInLine kills a program that has written half a line. The log is refused with a hint,
// and the line is dropped if that is allowed.
func TestKilledInLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	killed(t, "pieces", file, file+stopped, 0)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.HasSuffix(text, []byte("\n")) || bytes.HasSuffix(text, []byte("}")) {
		t.Fatalf("killed after %.10q", text[len(text)-10:])
	}
	c := readable(t, file)
	lines := bytes.Count(text, []byte("\n"))
	if c.NumEvents() != lines-3 {
		t.Errorf("%d events in %d whole lines", c.NumEvents(), lines)
	}
	_, err = native.ReadFile(context.Background(), file, trace.Options{})
	where := fmt.Sprintf("%s:%d:", file, lines+1)
	const hint = "(the last line has no end: the file looks cut off; use --allow-truncated to read what comes before it)"
	if err == nil || !strings.HasPrefix(err.Error(), where) || !strings.HasSuffix(err.Error(), hint) {
		t.Errorf("got %v", err)
	}
}

// TestKilledDirectory: with WithFlushSends, no log lacks an event that another one needs.
func TestKilledDirectory(t *testing.T) {
	for range 5 {
		dir := t.TempDir()
		killed(t, "directory", dir, filepath.Join(dir, "log1"), 60_000)
		readable(t, dir)
	}
}

// TestKilledCareless: without WithFlushSends, a log may lack a send, and then the error says so.
func TestKilledCareless(t *testing.T) {
	const hint = " is received but never sent (was it lost with the end of a log that was cut off?)"
	dir := t.TempDir()
	killed(t, "careless", dir, filepath.Join(dir, "log1"), 1)
	if _, err := readKilled(t, dir); err == nil || !strings.HasSuffix(err.Error(), hint) {
		t.Errorf("got %v", err)
	}
}

// TestFlush: flushed events can be read while the recorder is in use.
func TestFlush(t *testing.T) {
	for _, test := range []struct {
		name  string
		opt   record.Option
		flush func(r *record.Recorder)
	}{
		{"Flush", record.WithFlushEvery(0), func(r *record.Recorder) {
			if err := r.Flush(); err != nil {
				t.Error(err)
			}
		}},
		{"lines", record.WithFlushLines(), func(*record.Recorder) {}},
		{"sends", record.WithFlushSends(), func(r *record.Recorder) { r.Process("P").Send("") }},
	} {
		file := filepath.Join(t.TempDir(), "trace")
		r, err := record.Create(file, test.opt)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			r.Process("P").Event(record.Set("n", n))
			test.flush(r)
			line := fmt.Sprintf(`{"process":"P","set":{"n":%d}}`+"\n", n)
			if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), line) {
				t.Fatalf("%s: %q, %v", test.name, text, err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A lockedBuffer may be read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestFlushEvery: recorded events are written when the interval has passed, and not before.
func TestFlushEvery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		r := record.New(&out, record.WithFlushEvery(time.Minute))
		for n := range 3 {
			before := out.String()
			r.Process("P").Event(record.Set("n", n))
			time.Sleep(time.Minute - 1)
			synctest.Wait()
			if out.String() != before {
				t.Errorf("too early: %q", out.String())
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if line := fmt.Sprintf(`{"process":"P","set":{"n":%d}}`+"\n", n); !strings.HasSuffix(out.String(), line) {
				t.Errorf("%q lacks %q", out.String(), line)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestWholeLines: the buffer is written in whole lines, whatever their length.
func TestWholeLines(t *testing.T) {
	var w whole
	r := record.New(&w)
	p := r.Process("P")
	for n := range 3000 {
		p.Event(record.Label(strings.Repeat("x", n%200*n%700)))
	}
	p.Event(record.Label(strings.Repeat("x", 200_000)))
	if err := r.Close(); err != nil || w.cut > 0 || w.writes < 5 {
		t.Error(err, w)
	}
}

// whole counts writes, and those that do not end at a line end.
type whole struct{ writes, cut int }

func (w *whole) Write(text []byte) (int, error) {
	w.writes++
	if !bytes.HasSuffix(text, []byte("\n")) {
		w.cut++
	}
	return len(text), nil
}
