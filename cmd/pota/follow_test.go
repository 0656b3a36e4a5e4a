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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/graphs/trace/native"
)

// watched runs pota watch beside a test, and returns how it ends and what it printed.
func watched(t *testing.T, args ...string) (wait func() (int, string, string)) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	var out, err bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append([]string{"watch"}, args...), streams{in: strings.NewReader(""), out: &out, err: &err})
	}()
	return func() (int, string, string) { return <-done, out.String(), err.String() }
}

// Lines that are appended, that stand in a file after it was truncated, in the file that
// has taken its place, and in files that appear, all count.
func TestFilesThatGrow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	properties := filepath.Join(dir, "properties")
	logs := filepath.Join(dir, "logs")
	if err := os.Mkdir(logs, 0o777); err != nil {
		t.Fatal(err)
	}
	a, b := filepath.Join(logs, "a"), filepath.Join(logs, "b")
	write := func(path, text string, flags int) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flags, 0o666)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * lookForMore)
	}
	write(properties, "all: EF(n@A == 5 && n@B == 1)", 0)
	write(a, `{"process":"A","init":{"n":0}}`+"\n"+`{"process":"A","set":{"n":1}}`+"\n", 0)
	wait := watched(t, "--json", "--until-final", "-f", properties, logs)
	time.Sleep(2 * lookForMore)
	write(a, `{"process":"A","set":`, os.O_APPEND)
	write(a, `{"n":2}}`+"\n", os.O_APPEND)
	write(a, `{"process":"A","set":{"n":3}}`+"\n", os.O_TRUNC)
	if err := os.Rename(a, filepath.Join(dir, "a.1")); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(dir, "a.1"), `{"process":"A","set":{"n":4}}`+"\n", os.O_APPEND)
	write(a, `{"process":"A","set":{"n":5}}`+"\n", os.O_CREATE)
	write(b, `{"process":"B","set":{"n":1}}`+"\n", os.O_CREATE)
	status, out, err := wait()
	want := `"verdict":"holds","final":true,"events":6,"cut":{"A":5,"B":1}`
	if status != 0 || !strings.Contains(out, want) || err != "" {
		t.Errorf("status %d, %s, want %s; %s", status, out, want, err)
	}
}

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
		{[2]string{"{", "{"}, nil, refused, "open     never:n@A > 1  after 1 event\n"},
		{[2]string{`{"run":"1",`, `{"run":"2",`}, []string{"--execution-key", "run"}, "", "open     1  never:n@A > 1  after 1 event\nopen     2  never:n@A > 1  after 1 event\n"},
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
			defer c.Close()               //nolint:errcheck // it has been read
			io.WriteString(c, begin(run)) //nolint:errcheck // the answer tells
			c.(*net.TCPConn).CloseWrite() //nolint:errcheck // likewise
			text, err := io.ReadAll(c)    //nolint:errcheck // likewise
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
		until, end := context.WithTimeout(t.Context(), 8*lookForMore)
		defer end()
		time.AfterFunc(3*lookForMore, func() { write(begin(x.runs[1])) })
		var out, err bytes.Buffer
		status := run(until, append(append([]string{"watch"}, args...), log), streams{in: strings.NewReader(""), out: &out, err: &err})
		if x.says != "" {
			if status != int(badInput) || !strings.Contains(err.String(), x.says) || strings.Contains(out.String(), "holds") {
				t.Errorf("by a file: status %d, %s, %s", status, &out, &err)
			}
		} else if want := strings.Replace(x.answer, "after 1 event\n", "after 4 events\n", 1); status != int(undecided) || out.String() != want {
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
		for !out.has("A:1\n") {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	status := run(ctx, []string{"watch", "-f", properties, log}, streams{out: &out, err: &err})
	want := "holds    one  after 1 event\n         A:1\nopen     never  after 1 event\n"
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
	watch := func(ctx context.Context) string {
		var out, err bytes.Buffer
		run(ctx, []string{"watch", "--property", "never:n@A > 5", "--journal", filepath.Join(dir, "journal"), file("")}, streams{out: &out, err: &err})
		return out.String() + err.String()
	}
	first := make(chan string)
	go func() { first <- watch(ctx) }()
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
		if err := os.WriteFile(file("a"), []byte(`{"process":"A","set":{"n":1}}`+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		time.Sleep(lookForFiles + 2*lookForMore)
	}
	interrupt()
	const want = "open     never:n@A > 5  after 3 events\n"
	if got := <-first; got != want {
		t.Errorf("%q", got)
	}
	again, stop := context.WithTimeout(t.Context(), 3*lookForMore)
	defer stop()
	if got := watch(again); got != want {
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
		defer running[input].Process.Kill() //nolint:errcheck // it has ended
	}
	time.Sleep(5 * lookForMore)
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
	time.Sleep(lookForFiles + 2*lookForMore)
	for _, input := range inputs {
		c := running[input]
		c.Process.Signal(os.Interrupt) //nolint:errcheck // what it says tells
		c.Wait()                       //nolint:errcheck // likewise
		if told := strings.TrimPrefix(fmt.Sprint(c.Stderr), "pota: interrupted\n"); told != "" {
			t.Errorf("%s: %s", input, told)
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
type logs struct {
	*testing.T
	dir   string
	in    <-chan arrival
	stop  context.CancelFunc
	lines []string
	marks map[string]place // as a journal has them
}

// followed follows paths in a directory, from places on.
func followed(t *testing.T, dir string, before map[string]place, paths ...string) *logs {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	s := &session{stdin: strings.NewReader(""), err: io.Discard}
	past := &lasting{watch: &watch{session: s}, before: maps.Clone(before)}
	if before == nil {
		past.before, before = make(map[string]place), make(map[string]place)
	}
	how := reading{takes: func(string) bool { return true }, scanner: func(string) scanner { return new(native.Scanner) }}
	for i, path := range paths {
		paths[i] = filepath.Join(dir, path)
	}
	in, _, err := s.follow(ctx, paths, how, nil, receive.Options{}, past)
	if err != nil {
		t.Fatal(err)
	}
	return &logs{T: t, dir: dir, in: in, stop: stop, marks: before}
}

// take takes what arrives until there is a line, and for a while where there is to be none.
func (l *logs) take(line string) {
	l.Helper()
	late := time.After(30 * time.Second)
	if line == "" {
		late = time.After(quietFor + 2*lookForMore)
	}
	for line == "" || len(l.lines) == 0 || l.lines[len(l.lines)-1] != line {
		select {
		case a := <-l.in:
			if a.err != nil {
				l.Fatal(a.err)
			}
			if a.note != "" {
				continue
			}
			l.lines = append(l.lines, strings.Fields(string(a.text))...)
			if l.marks[a.place.file] = *a.place; a.place.gone {
				delete(l.marks, a.place.file)
			}
		case <-late:
			if line != "" {
				l.Errorf("%s has not come: %v", line, l.lines)
			}
			return
		}
	}
}

// do does what a step says: "a 1 2" appends lines to a file, where one that ends in … is not whole; "a > b" moves,
// "a = b" copies to a, "a @ b" makes it a symbolic link and "a & b" another name, "a /" makes a directory, "a 0"
// truncates and "- a" removes.
func (l *logs) do(step string) {
	l.Helper()
	words := strings.Fields(step)
	path := func(name string) string { return filepath.Join(l.dir, name) }
	var err error
	switch {
	case words[0] == "-":
		err = os.Remove(path(words[1]))
	case len(words) > 1 && words[1] == ">":
		err = os.Rename(path(words[0]), path(words[2]))
	case len(words) > 1 && words[1] == "=":
		var text []byte
		if text, err = os.ReadFile(path(words[2])); err == nil {
			err = os.WriteFile(path(words[0]), text, 0o666)
		}
	case len(words) > 1 && words[1] == "@":
		os.Remove(path(words[0])) //nolint:errcheck // it may be there
		err = os.Symlink(words[2], path(words[0]))
	case len(words) > 1 && words[1] == "&":
		err = os.Link(path(words[2]), path(words[0]))
	case len(words) > 1 && words[1] == "/":
		err = os.Mkdir(path(words[0]), 0o777)
	case len(words) > 1 && words[1] == "0":
		err = os.Truncate(path(words[0]), 0)
	default:
		var f *os.File
		if f, err = os.OpenFile(path(words[0]), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666); err == nil {
			text := strings.Join(append(words[1:], ""), "\n")
			_, err = f.WriteString(strings.ReplaceAll(text, "…\n", ""))
			f.Close()
		}
	}
	if err != nil {
		l.Fatal(err)
	}
}

// Lines of logs that are rotated in all the ways that there are come once, those of a log in their order.
func TestRotations(t *testing.T) {
	t.Parallel()
	var beside sync.WaitGroup // they mostly wait
	for name, x := range map[string]struct{ before, then, want string }{
		"written after its rename":       {"a 1", "a > a.1;a;wait;a.1 2;a 3", "1 2 3"},
		"written a little later":         {"a 1", "a > a.1;a 3;a.1 2", "1 2 3"},
		"an unfinished last line":        {"a 1 2…", "wait;a > a.1;a 3", "1 2 3"},
		"truncated in a line":            {"a 1 2…", "wait;a 0;wait;a 3", "1 3"},
		"rewritten to more than it had":  {"a 1 2", "wait;a 0;a 3 4 5 6", "1 2 3 4 5 6"},
		"older ones first":               {"a.10 1 2;a.2 3;a.1 4;a 5", "", "1 2 3 4 5"},
		"older ones by their days first": {"a-20260102 2;a-20260101 1;a-20260103 3;a 4", "", "1 2 3 4"},
		"by number and extension":        {"a.10.log 1;a.2.log 2;a.1.log 3;a.log 4", "", "1 2 3 4"},
		"by time and extension":          {"a-2026-01-02T00-00-00.000.log 2;a-2026-01-01T23-00-00.000.log 1;a.log 3", "", "1 2 3"},
		"copied, with an extension":      {"a.log 1 2", "a.1.log = a.log;a.log 0;wait;a.log 3;wait;wait;a.log 4", "1 2 3 4"},
		"moved twice":                    {"a.1 1;a 2", "a.1 > a.2;a > a.1;a 3;wait;a.1 > a.x;wait;a 4", "1 2 3 4"},
		"three files in no time":         {"a 1", "a > a.1;a 2;wait;a.1 > a.2;a > a.1;a 3", "1 2 3"},
		"copied and truncated":           {"a 1 2", "a.1 = a;a 0;wait;a 3;wait;wait;a 4", "1 2 3 4"},
		"a compressed one":               {"a 1", "wait;a > a.1;a 2;wait;wait;a.1.gz \x1f\x8b;- a.1;wait;wait;a 3", "1 2 3"},
		"an older one unfinished":        {"a.1 1 2…;a 3", "", "1 2 3"},
		"a hole":                         {"a 1 2", "a 0;wait;a \x00\x00\x00\x00…;a 3", "1 2 3"},
		"replaced by a longer copy":      {"a 1 2…", "wait;.b = a;.b 3 4;.b > a;wait;a 5", "1 23 4 5"},
		"a link that is moved on":        {"a @ .b;.b 1", ".c 2;a @ .c;wait;.c 3", "1 2 3"},
		"another name":                   {"a 1", "b & a;wait;wait;a 2", "1 2"},
		"a link to itself":               {"a 1", "b @ b;wait;wait;- b;b 2", "1 2"},
		"a directory in its place":       {"a 1", "- a;a /;wait;- a;a 2", "1 2"},
		"one is gone":                    {"a 1", "- a;wait;b 2", "1 2"},
	} {
		beside.Go(func() {
			t.Run(name, func(t *testing.T) {
				l := &logs{T: t, dir: t.TempDir()}
				want := strings.Fields(x.want)
				begun := strings.Split(x.before, ";")
				for _, step := range begun {
					l.do(step)
				}
				l = followed(t, l.dir, nil, "")
				last := strings.TrimSuffix(begun[len(begun)-1], "…")
				if words := strings.Fields(last); strings.HasSuffix(begun[len(begun)-1], "…") {
					l.take(words[len(words)-2])
				} else {
					l.take(words[len(words)-1])
				}
				for _, step := range strings.Split(x.then, ";") {
					switch step {
					case "":
					case "wait":
						l.take("")
					default:
						l.do(strings.ReplaceAll(step, `\x1f\x8b`, "\x1f\x8b"))
					}
				}
				if last := want[len(want)-1]; l.lines[len(l.lines)-1] != last {
					l.take(last)
				}
				if !slices.Equal(l.lines, want) {
					t.Errorf("%v, want %v", l.lines, want)
				}
			})
		})
	}
	beside.Wait()
}

// A file that was moved is read until it has been quiet for a while, as who writes it may not know yet; and
// then, the one in its place.
func TestMovedUntilQuiet(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := &follower{known: make(map[string]*growing), done: make(map[string]place), passed: make(map[string]bool), now: func() time.Time { return now }}
	l := &logs{T: t, dir: t.TempDir()}
	l.do("a 1")
	path := filepath.Join(l.dir, "a")
	file, info, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g := &growing{follower: f, path: path}
	f.known[path] = g
	if err := g.begin(file, place{file: identity(path, info), path: path}); err != nil {
		t.Fatal(err)
	}
	defer g.file.Close()
	for _, x := range []struct {
		step  string
		after time.Duration
		has   string
		want  error
	}{
		{"", 0, "1\n", nil},
		{"a > a.1", lookForMore, "", nil},
		{"a 3", 2 * lookForMore, "", nil},
		{"a.1 2", lookForFiles, "2\n", nil},
		{"", 2 * lookForMore, "", nil},
		{"", lookForFiles, "", errMoved},
	} {
		now = now.Add(x.after)
		if x.step != "" {
			l.do(x.step)
		}
		err := g.again()
		text := make([]byte, 10)
		n := 0
		if x.has != "" {
			n, _ = g.Read(text) //nolint:errcheck // what it has tells
		}
		if err != x.want || string(text[:n]) != x.has {
			t.Errorf("%v after %q: %v and %q, want %v and %q", x.after, x.step, err, text[:n], x.want, x.has)
		}
	}
	for _, x := range g.next {
		x.file.Close()
	}
}

// What is gone on with from a journal is the file that it was, though others were moved, or have its place
// or what the system called it; places of files that are gone are forgotten.
func TestPlacesOfFiles(t *testing.T) {
	t.Parallel()
	var beside sync.WaitGroup // they mostly wait
	for name, x := range map[string]struct {
		before, then, want string
		places             int
	}{
		"grown":                      {"a 1 2", "a 3", "3", 1},
		"rotated":                    {"a 1", "a 2 3;a > a.1;a 4 5", "2 3 4 5", 2},
		"rotated and nothing more":   {"a 1", "a > a.1;a 2", "2", 2},
		"removed, another begun":     {"a 1 2", "- a;b 3 4 5 6", "3 4 5 6", 1},
		"removed, its path reused":   {"a 1 2", "- a;a 3 4 5 6", "3 4 5 6", 1},
		"truncated":                  {"a 1 2", "a 0;a 3 4 5", "3 4 5", 1},
		"copied and truncated":       {"a 1 2", "a 3;a.1 = a;a 0;a 4", "3 4", 2},
		"copied, and nothing more":   {"a 1 2", "a.1 = a;a 0;a 4", "4", 2},
		"compressed":                 {"a 1", "a.1.gz \x1f\x8b;a 2", "2", 1},
		"many that begin like these": {"a 1 2;b 1 2 3", "a 4;b 5", "4 5", 2},
	} {
		beside.Go(func() {
			t.Run(name, func(t *testing.T) {
				l := &logs{T: t, dir: t.TempDir()}
				last := ""
				for step := range strings.SplitSeq(x.before, ";") {
					l.do(step)
					last = step[len(step)-1:]
				}
				l = followed(t, l.dir, nil, "")
				l.take(last)
				if strings.Contains(x.before, ";") {
					l.take("")
				}
				l.stop()
				for step := range strings.SplitSeq(x.then, ";") {
					l.do(strings.ReplaceAll(step, `\x1f\x8b`, "\x1f\x8b"))
				}
				for _, want := range []string{x.want, ""} { // the second time, nothing is left
					l = followed(t, l.dir, l.marks, "")
					if l.take(""); strings.Join(slices.Sorted(slices.Values(l.lines)), " ") != want || len(l.marks) != x.places {
						t.Errorf("%v, want %q; places %v", l.lines, want, l.marks)
					}
					l.stop()
				}
			})
		})
	}
	beside.Wait()
}

// Links lead to files and pipes are read; what is compressed is refused where nothing of its log was read.
func TestKindsOfFiles(t *testing.T) {
	t.Parallel()
	l := &logs{T: t, dir: t.TempDir()}
	path := func(name string) string { return filepath.Join(l.dir, name) }
	for _, name := range []string{"linked", "zipped"} {
		if err := os.Mkdir(path(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []string{`a {"process":"A","set":{"n":1}}`, "zipped/a 1", "zipped/b.2.gz \x1f\x8b", "b.gz \x1f\x8b"} {
		l.do(step)
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
	write.WriteString(`{"process":"A","set":{"n":1}}`) //nolint:errcheck // the answer tells
	write.Close()
	const holds = "holds    never:n@A > 5  after 1 event\n"
	for name, want := range map[string]string{
		path("linked"):                       holds,
		fmt.Sprintf("/dev/fd/%d", read.Fd()): holds,
		path("b.gz"):                         "b.gz: compressed, and logs are watched as they are written",
		path("zipped"):                       "b.2.gz: compressed, and no log of which it is a part was read",
		path("a") + " " + path("linked"):     holds,
	} {
		var out bytes.Buffer
		run(t.Context(), append([]string{"watch", "--to-end", "--property", "never:n@A > 5"}, strings.Fields(name)...), streams{in: strings.NewReader(""), out: &out, err: &out})
		if !strings.Contains(out.String(), want) {
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
