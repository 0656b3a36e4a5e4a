package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
)

// screen is written to while others look at it.
type screen struct {
	mu      sync.Mutex
	text    strings.Builder
	written chan struct{} // if somebody waits: closed at the next write
}

func (w *screen) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.written != nil {
		close(w.written)
		w.written = nil
	}
	return w.text.Write(text)
}

// await waits until a text has been written at least so many times.
func (w *screen) await(text string, count int) {
	for {
		w.mu.Lock()
		if strings.Count(w.text.String(), text) >= count {
			w.mu.Unlock()
			return
		}
		if w.written == nil {
			w.written = make(chan struct{})
		}
		written := w.written
		w.mu.Unlock()
		<-written
	}
}

func (w *screen) has(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.text.String(), text)
}

const maxNotes = 100 // a minute, of package monitor

// Lines of several executions are decided each by itself, whatever becomes of the others.
func TestWatchExecutions(t *testing.T) {
	t.Parallel()
	in, w := io.Pipe()
	var out screen
	go func() {
		io.WriteString(w, `{"s":"a","process":"P","init":{"n":0}}
{"s":7,"process":"P","set":{"n":1}}
{"process":"P","s":"a","set":{"n":1}}
{"s":7,"process":"P","set":{"n":2}}
{"s":"a","closed":true}
{"s":"a","process":"P"}
{"s":"b","process":"P","set":{"n":0}}
{"s":"b","process":"P","set":{"n":"x"}}
{"s":"c","process":"Q"}
{"s":"f","process":"P","sett":{"n":0}}
{"s":"f","process":"P","set":{"n":0}}
{"s":"d","process":"P","set":{"n":0}}
`)
		out.await("holds    d", 1)
		_, _ = io.WriteString(w, `{"s":"e","process":"P","set":{"n":0},"recv":"m"}`)
		w.Close()
	}()
	var err strings.Builder
	status := run(t.Context(), []string{"watch", "--execution-key", "s", "--idle", "50ms", "--property", "never:n@P > 1"}, streams{in: in, out: &out, err: &err})
	for _, want := range []string{
		"fails    7  never:n@P > 1  after 2 events\n",
		"holds    a  never:n@P > 1  after 1 event\n",
		"unknown  b  never:n@P > 1  after 1 event: line 8 of standard input was refused\n",
		"unknown  f  never:n@P > 1  after 0 events: line 10 of standard input was refused\n",
		"unknown  c  never:n@P > 1  after 1 event, silent for 50ms: there is no process P\n",
		"holds    d  never:n@P > 1  after 1 event, silent for 50ms\n",
		"unknown  e  never:n@P > 1  after 0 events: event 1 of process \"P\": message \"m\" is received but never sent",
	} {
		if !out.has(want) {
			t.Errorf("%s is missing in\n%s", want, &out.text)
		}
	}
	if n := strings.Count(err.String(), "\n"); status != int(badInput) || n != 5 {
		t.Errorf("status %d, %s", status, &err)
	}
}

// When half of what may be kept is, it is told once what holds things back.
func TestWatchTellsWhatHolds(t *testing.T) {
	t.Parallel()
	in, w := io.Pipe()
	var out, err screen
	const want = `pota: of at most 7 events 4 are kept, as event 1 of process "A" waits for message "m9", whose send has not come` + "\n"
	go func() {
		io.WriteString(w, `{"process":"B","set":{"x":0}}
{"process":"A","recv":"m9"}
{"process":"A","send":"m1"}
{"process":"A"}
{"process":"B","recv":"m1","set":{"x":1}}
`)
		err.await(want, 1)
		_, _ = io.WriteString(w, `{"process":"C","send":"m9"}`+"\n")
		w.Close()
	}()
	status := run(t.Context(), []string{"watch", "--window", "7", "--property", "never:x@B == 1"}, streams{in: in, out: &out, err: &err})
	if status != 1 || err.text.String() != want {
		t.Errorf("status %d, %s%s", status, &out.text, &err.text)
	}
}

// What comes before a line that is refused is decided, however soon that line comes, and also where its
// execution was evicted.
func TestWatchBeforeRefused(t *testing.T) {
	t.Parallel()
	const others = 5000 // more than are loaded
	var lines strings.Builder
	fmt.Fprintln(&lines, `{"s":"e","process":"A","set":{"n":2}}`)
	fmt.Fprintln(&lines, `{"s":"e","process":"A","sett":{}}`)
	fmt.Fprintln(&lines, `{"s":"f","process":"A","set":{"n":1}}`)
	for i := range others {
		fmt.Fprintf(&lines, `{"s":%d,"process":"A","set":{"n":0}}`+"\n", i)
	}
	fmt.Fprintln(&lines, `{"s":"f","process":"A","sett":{}}`)
	status, out, _ := pota(lines.String(), "watch", "--execution-key", "s", "--property", "never:n@A == 1", "--property", "never:n@A == 2")
	var got []string
	for line := range strings.Lines(out) {
		if strings.Contains(line, "  e  ") || strings.Contains(line, "  f  ") {
			got = append(got, strings.Join(strings.Fields(line)[:6], " "))
		}
	}
	slices.Sort(got)
	want := []string{"fails e never:n@A == 2 after", "fails f never:n@A == 1 after", "unknown e never:n@A == 1 after", "unknown f never:n@A == 2 after"}
	if status != int(badInput) || !slices.Equal(got, want) {
		t.Errorf("status %d, %q, want %q", status, got, want)
	}
}

// Of the lines of an execution that are refused only so much is told.
func TestWatchRefusalsAreFew(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat(`{"s":"e","process":"A","set":{"n":"x"}}`+"\n", 3*maxNotes) // the second is refused
	status, _, stderr := pota(`{"s":"e","process":"A","init":{"n":0}}`+"\n"+lines, "watch", "--execution-key", "s", "--property", "never:n@A > 1")
	if n := strings.Count(stderr, "\n"); status != int(badInput) || n != maxNotes+1 || !strings.Contains(stderr, "200 more refusals are not listed") {
		t.Errorf("status %d, %d lines on standard error: %s", status, n, stderr)
	}
}
