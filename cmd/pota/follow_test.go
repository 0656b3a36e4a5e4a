package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// watched runs pota watch beside a test, and returns how it ends and what it printed.
// Lines that are appended, that stand in a file after it was truncated, in the file that
// has taken its place, and in files that appear, all count.
// Where the program that is watched begins again, its initial values are refused: in a connection, after
// which the others go on, and in its file, which ends the run. Executions that are named by run are apart.
func TestProgramBeginsAgain(t *testing.T) {
	t.Parallel()
	const begins, refused = `"process":"A","init":{"n":0}}` + "\n", "the initial values of process \"A\" must come before its events: if its program began again, its runs must be executions of their own (--execution-key)"
	begin := func(run string) string { return run + begins + run + `"process":"A","set":{"n":1}}` + "\n" }
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	write := func(text string) {
		if err := os.WriteFile(log, []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
	for _, x := range []struct {
		runs         [2]string
		flags        []string
		says, answer string
	}{
		{[2]string{"{", "{"}, nil, refused, "open     never:n@A > 1  after 1 event: fails at an event, holds once its processes have closed\n"},
		{[2]string{`{"run":"1",`, `{"run":"2",`}, []string{"--execution-key", "run"}, "", "open     1  never:n@A > 1  after 1 event: fails at an event, holds once its processes have closed\nopen     2  never:n@A > 1  after 1 event: fails at an event, holds once its processes have closed\n"},
	} {
		args := append([]string{"--property", "never:n@A > 1"}, x.flags...)
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		at, wait := listenersUntil(ctx, t, 1, append(args, "--listen", "tcp://127.0.0.1:0")...)
		for i, run := range x.runs {
			c, err := net.Dial("tcp", at[0])
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, _ = io.WriteString(c, begin(run))
			_ = c.(*net.TCPConn).CloseWrite()
			text, err := io.ReadAll(c)
			answer := string(text)
			if want := `{"lines":2}` + "\n"; (i == 0 || x.says == "") && answer != want {
				t.Errorf("%s: %q, %v", run, answer, err)
			}
			if i > 0 && x.says != "" && !(strings.HasPrefix(answer, `{"lines":0,`) && strings.Contains(strings.ReplaceAll(answer, `\"`, `"`), x.says)) {
				t.Errorf("%s: %q, %v", run, answer, err)
			}
		}
		interrupt()
		if status, out := wait(); status != int(undecided) || out != x.answer {
			t.Errorf("by TCP: status %d, %s", status, out)
		}
		write(begin(x.runs[0]) + strings.Repeat(x.runs[0]+`"process":"A"}`+"\n", 3))
		until, end := context.WithCancel(t.Context())
		defer end()
		var out, err bytes.Buffer
		status, done, journal := 0, make(chan bool), t.TempDir()
		go func() {
			defer close(done)
			status = run(until, append(append([]string{"watch"}, args...), "--journal", journal, log), streams{in: strings.NewReader(""), out: &out, err: &err})
		}()
		graphtest.Await(t, "the first run is logged", func() bool { return logged(journal, x.runs[0]+`"process":"A"}`) == 3 })
		write(begin(x.runs[1]))
		if x.says == "" { // else the run ends by itself
			graphtest.Await(t, "the second run is logged", func() bool { return logged(journal, x.runs[1]+`"process":"A","set"`) == 1 })
			end()
		}
		<-done
		if x.says != "" {
			if status != int(badInput) || !strings.Contains(err.String(), x.says) || strings.Contains("\n"+out.String(), "\nholds") {
				t.Errorf("by a file: status %d, %s, %s", status, &out, &err)
			}
		} else if want := strings.Replace(x.answer, "after 1 event:", "after 4 events:", 1); status != int(undecided) || out.String() != want {
			t.Errorf("by a file: status %d, %s, %s", status, &out, &err)
		}
	}
}

// A signal ends it after what has arrived is decided, and tells what is open.
func TestWatchIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	log, properties := filepath.Join(dir, "log"), filepath.Join(dir, "properties")
	for path, text := range map[string]string{
		log:        `{"process":"A","init":{"n":0}}` + "\n" + `{"process":"A","set":{"n":1}}` + "\n",
		properties: "one: EF(n@A == 1)\nnever: AG(n@A < 5)",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var out screen
	var err bytes.Buffer
	go func() {
		out.await("A:1\n", 1)
		cancel()
	}()
	status := run(ctx, []string{"watch", "-f", properties, log}, streams{out: &out, err: &err})
	want := "holds    one  after 1 event\n  n is 1 at A after 1 event\n  observed: in the recorded order, too\n  EF(n@A == 1) holds: one event to this cut\n      1  A:1    log:2  n: 0 → 1\n  cut A:1\n      n@A = 1\nopen     never  after 1 event: fails at an event, holds once its processes have closed\n"
	if status != int(undecided) || out.text.String() != want {
		t.Errorf("status %d, %q, want %q; %s", status, &out.text, want, &err)
	}
}

// Files that are moved within their directory to rotate them are not read again, nor are they
// when the program is started again.
func TestRotatedFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for directories to be looked at")
	}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, "logs", name) }
	if err := os.Mkdir(file(""), 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	const line = `{"process":"A","set":{"n":1}}` + "\n"
	journal := filepath.Join(dir, "journal")
	watch := func(args ...string) string {
		var out, err bytes.Buffer
		run(ctx, append([]string{"watch", "--property", "never:n@A > 5", "--journal", journal, file("")}, args...), streams{out: &out, err: &err})
		return out.String() + err.String()
	}
	first := make(chan string)
	go func() { first <- watch() }()
	for i := range 3 {
		for k := i; k > 0; k-- {
			to := file(fmt.Sprint("a.", k))
			from := file(fmt.Sprint("a.", k-1))
			if k == 1 {
				from = file("a")
			}
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(file("a"), []byte(line), 0o666); err != nil {
			t.Fatal(err)
		}
		graphtest.Await(t, "the line is logged", func() bool { return logged(journal, line) > i })
	}
	interrupt()
	if got, want := <-first, "open     never:n@A > 5  after 3 events: fails at an event, holds once its processes have closed\n"; got != want {
		t.Errorf("%q", got)
	}
	ctx = t.Context()
	if got, want := watch("--to-end"), "holds    never:n@A > 5  after 3 events\n"; got != want {
		t.Errorf("started again: %q", got)
	}
}

// So it is with logs in other forms: a line may be cut in two, the next file of a log may have the rest of an
// execution, and so may another file of the directory.
func TestRotatedInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for directories to be looked at")
	}
	inputs := []string{"shiviz", "otlp", "stdouttrace", "zipkin", "jaeger"}
	dir := t.TempDir()
	write := func(file, text string) {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(1, 43))
	lines, want := make(map[string][]string), make(map[string]map[string]int64) // events of executions
	running := make(map[string]*exec.Cmd)
	for _, input := range inputs {
		property := `AG(forall i: status@i != "none")`
		want[input] = make(map[string]int64)
		if input == "shiviz" {
			property = "AG(forall i: x@i < 5)"
			_, lines[input] = clockLines(r, "%[1]s %[2]s %[3]s\n")
			want[input][""] = int64(len(lines[input]))
		} else {
			all := randomSpans(r, 20)
			lines[input] = spanLines(input, all)
			for _, x := range all {
				want[input][x.trace] += 2
			}
		}
		logs := filepath.Join(dir, input)
		if err := os.Mkdir(logs, 0o777); err != nil {
			t.Fatal(err)
		}
		write(logs+".properties", "p: "+property+"\n")
		running[input] = exec.Command("pota", "watch", "--json", "--input", input, "-f", logs+".properties", "--journal", logs+".journal", logs)
		text := strings.Join(lines[input][:len(lines[input])/3], "")
		write(filepath.Join(logs, "a"), text[:len(text)-3])
		running[input].Stdout, running[input].Stderr = new(bytes.Buffer), new(bytes.Buffer)
		if err := running[input].Start(); err != nil {
			t.Fatal(err)
		}
		defer running[input].Process.Kill()
	}
	journaled := func(input, line string) {
		graphtest.Await(t, "a line of "+input+" is logged", func() bool {
			return logged(filepath.Join(dir, input+".journal"), strings.TrimSpace(line)) > 0
		})
	}
	for _, input := range inputs {
		journaled(input, lines[input][0])
	}
	for _, input := range inputs {
		n := len(lines[input])
		a, b := filepath.Join(dir, input, "a"), filepath.Join(dir, input, "b")
		text := strings.Join(lines[input][:n/3], "")
		write(a, text[len(text)-3:])
		if err := os.Rename(a, a+".1"); err != nil {
			t.Fatal(err)
		}
		write(a, strings.Join(lines[input][n/3:2*n/3], ""))
		if input == "shiviz" { // the events of a process come in their order
			b = a
		}
		write(b, strings.Join(lines[input][2*n/3:], ""))
	}
	for _, input := range inputs {
		n := len(lines[input])
		journaled(input, lines[input][n/3])
		journaled(input, lines[input][n-1])
		c := running[input]
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
		// The note at the start says when the property can be final.
		for line := range strings.Lines(fmt.Sprint(c.Stderr)) {
			if line != "pota: interrupted\n" && !strings.HasPrefix(line, "pota: p fails at an event, holds ") {
				t.Errorf("%s: %s", input, line)
			}
		}
		_, out, stderr := pota("", append(c.Args[1:], "--to-end")...)
		got := make(map[string]int64)
		for _, a := range answersOf(t, []byte(fmt.Sprint(c.Stdout, out))) {
			if a.Verdict != "open" {
				got[a.Execution] += a.Events
			}
		}
		if !maps.Equal(got, want[input]) {
			t.Errorf("%s:\ngot  %v\nwant %v\n%s", input, got, want[input], stderr)
		}
	}
}

// A logs follows a directory, and has the lines that arrive.
// followed follows paths in a directory, from places on.
// take takes what arrives until there is a line, and for a while where there is to be none.
// do does what a step says: "a 1 2" appends lines to a file, where one that ends in … is not whole; "a > b" moves,
// "a = b" copies to a, "a @ b" makes it a symbolic link and "a & b" another name, "a /" makes a directory, "a 0"
// truncates and "- a" removes.
// Lines of logs that are rotated in all the ways that there are come once, those of a log in their order.
// A file that was moved is read until it has been quiet for a while, as who writes it may not know yet; and
// then, the one in its place.
// What is gone on with from a journal is the file that it was, though others were moved, or have its place
// or what the system called it; places of files that are gone are forgotten.
// Links lead to files, pipes are read, and a file that is named twice is read once.
func TestKindsOfFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(path("linked"), 0o777); err != nil {
		t.Fatal(err)
	}
	const line = `{"process":"A","set":{"n":1}}`
	if err := os.WriteFile(path("a"), []byte(line+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"a": "linked/a", "nowhere": "linked/b"} {
		if err := os.Symlink(path(from), path(to)); err != nil {
			t.Skip(err)
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if _, err := write.WriteString(line); err != nil {
		t.Fatal(err)
	}
	write.Close()
	for _, name := range []string{path("linked"), fmt.Sprintf("/dev/fd/%d", read.Fd()), path("a") + " " + path("linked")} {
		var out bytes.Buffer
		args := append([]string{"watch", "--to-end", "--property", "never:n@A > 5"}, strings.Fields(name)...)
		run(t.Context(), args, streams{in: strings.NewReader(""), out: &out, err: &out})
		if want := "holds    never:n@A > 5  after 1 event\n"; out.String() != want {
			t.Errorf("%s: %q, want %q", name, &out, want)
		}
	}
}

// A line without an end is refused before it takes all memory.
func TestEndlessLine(t *testing.T) {
	var out bytes.Buffer
	status := run(t.Context(), []string{"watch", "--property", "never:n@A > 5"}, streams{in: endless{}, out: &out, err: &out})
	if want := "pota: standard input: a line must not have more than 64 MiB\n"; status != int(badInput) || !strings.Contains(out.String(), want) {
		t.Errorf("status %d, %q, want %q", status, &out, want)
	}
}

// endless reads as a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
