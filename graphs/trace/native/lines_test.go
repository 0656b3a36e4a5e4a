package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/klauspost/compress/gzip"
	"github.com/pota-project/pota/graphs/trace"
)

// pieceSize is how much text trace.ReadLines works on at a time.
const pieceSize = 128 << 10

// long writes a trace of some chunks: messages between two processes.
func long(chunks int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < chunks*pieceSize; i++ {
		fmt.Fprintf(&b, "{\"process\":\"P\",\"id\":\"e%d\",\"send\":\"m%d\",\"set\":{\"x\":%d}}\n{\"process\":\"Q\",\"recv\":\"m%d\",\"label\":\"é\"}\n", i, i, i, i)
	}
	return b.Bytes()
}

func write(t testing.TB, name string, text []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestChunks reads traces of several chunks, with a line that is about as long as a chunk
// or some of them at the end or between others.
func TestChunks(t *testing.T) {
	before, after := long(2), long(1)
	for _, n := range []int{pieceSize / 2, pieceSize, 3 * pieceSize, 3*pieceSize + 1} {
		line := `{"process":"R","label":"` + strings.Repeat("x", n) + `"}`
		for _, text := range []string{string(before) + line, string(before) + line + "\n", line + "\n" + string(after), strings.TrimSuffix(line+"\n"+string(before), "\n")} {
			c, err := ReadFile(background, write(t, "x", []byte(text)), trace.Options{Names: true})
			if err != nil {
				t.Fatal(err)
			}
			if events := strings.Count(text, "process"); c.NumEvents() != events || c.NumEdges() != (events-1)/2 {
				t.Errorf("%d of %d events, %d edges", c.NumEvents(), events, c.NumEdges())
			}
			r, _ := c.ProcessNumber("R")
			if k := len(c.Label(c.Event(r, 1))); k != n {
				t.Errorf("a label of %d bytes, not %d", k, n)
			}
		}
		if _, err := ReadFile(background, write(t, "x", []byte(line)), trace.Options{MaxLine: len(line) - 1}); err == nil || !strings.Contains(err.Error(), "a line must not have more than ") {
			t.Errorf("a line of %d bytes where one less is allowed: %v", len(line), err)
		}
	}
}

// TestFirstError spoils several chunks and expects the first error each time.
func TestFirstError(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	text := long(6)
	for range 20 {
		lines := bytes.SplitAfter(bytes.Clone(text), []byte("\n"))
		first := len(lines)
		for range 5 {
			i := r.IntN(len(lines) - 1)
			lines[i] = []byte("{\"process\":\"P\",}\n")
			first = min(first, i)
		}
		_, err := ReadFile(background, write(t, "x", bytes.Join(lines, nil)), trace.Options{})
		var e *trace.Error
		if !errors.As(err, &e) || e.Line != first+1 || e.Column != 16 {
			t.Errorf("got %v, want line %d", err, first+1)
		}
	}
}

// TestLateError finds the place of an error that is known only at the end.
func TestLateError(t *testing.T) {
	text := append(long(3), "\n{\"process\":\"P\",\"label\":\"é\",\"recv\":\"m\"}\n{\"process\":\"P\",\"after\":\"x\"}\n"...)
	line := bytes.Count(text, []byte("\n")) - 1
	file := write(t, "x", text)
	_, err := ReadFile(background, file, trace.Options{})
	if want := fmt.Sprintf("%s:%d:35: message \"m\" is received but never sent", file, line); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := ReadFile(ctx, write(t, "x", long(3)), trace.Options{}); err != context.Canceled {
		t.Error(err)
	}
	// Standard input that never ends.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	ctx, cancel = context.WithCancel(background)
	go func() {
		w.Write(long(3)) // more than a pipe holds: returns when most of it has been read
		cancel()
	}()
	if _, err := ReadFile(ctx, "-", trace.Options{}); err != context.Canceled {
		t.Error(err)
	}
}

// TestGoroutines: none is left after an error in the middle, because a bubble waits for all that
// begin in it.
func TestGoroutines(t *testing.T) {
	text := long(20)
	text[pieceSize] = '\n'
	file := write(t, "x", text)
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			if _, err := ReadFile(background, file, trace.Options{}); err == nil {
				t.Fatal("not refused")
			}
		})
	}
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b":       "{\"pota\":1}\n{\"process\":\"Q\",\"recv\":\"m\"}\n",
		"a.jsonl": "{\"pota\":1}\n{\"process\":\"P\",\"send\":\"m\"}\n{\"process\":\"Q\"}",
		".b":      "nonsense",
		"c":       "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c, err := ReadFile(background, dir, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Processes()[0] != "P" || c.Len(1) != 2 || len(c.Preds(c.Event(1, 2))) != 1 {
		t.Errorf("%q, %d events of Q", c.Processes(), c.Len(1))
	}
	if err := os.WriteFile(filepath.Join(dir, "d"), []byte("\n{\"process\":\"Q\",\"recv\":\"n\"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = ReadFile(background, dir, trace.Options{})
	if want := filepath.Join(dir, "d") + `:2:23: message "n" is received but never sent`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestCutOff: the lines before compressed data is cut off are read, and then the cut is reported.
func TestCutOff(t *testing.T) {
	for _, spoilt := range []bool{false, true} {
		text := long(3)
		if spoilt {
			text[0] = 'x'
		}
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(background, write(t, "x", z.Bytes()[:z.Len()-z.Len()/4]), trace.Options{})
		var e *trace.Error
		if !errors.As(err, &e) || (e.Line == 1) != spoilt || errors.Is(err, io.ErrUnexpectedEOF) == spoilt {
			t.Error(err)
		}
	}
}
