package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// shortExecutions writes lines of many executions, a few of which are open at a time.
func shortExecutions(r *rand.Rand, count int) []string {
	var lines []string
	var open [][]string
	for i := 0; i < count || len(open) > 0; {
		if len(open) < 10 && i < count {
			e := []string{fmt.Sprintf(`{"s":"e%d","process":"A","init":{"n":0}}`, i), fmt.Sprintf(`{"s":"e%d","process":"B","init":{"n":0}}`, i)}
			for k := range 4 {
				e = append(e, fmt.Sprintf(`{"s":"e%d","process":"A","set":{"n":%d},"send":"m%d"}`, i, r.IntN(3), k), fmt.Sprintf(`{"s":"e%d","process":"B","set":{"n":%d},"recv":"m%d"}`, i, r.IntN(3), k))
			}
			open = append(open, append(e, fmt.Sprintf(`{"s":"e%d","closed":true}`, i)))
			i++
			continue
		}
		k := r.IntN(len(open))
		lines = append(lines, open[k][0]+"\n")
		if open[k] = open[k][1:]; len(open[k]) == 0 {
			open = append(open[:k], open[k+1:]...)
		}
	}
	return lines
}

// answered is what of an answer does not depend on when it was decided.
type answered struct {
	Execution, Property, Verdict string
	Events                       int64
	Repeated                     bool
}

// answersOf reads what pota watch --json printed.
func answersOf(t *testing.T, out []byte) (all []answered) {
	t.Helper()
	for line := range bytes.Lines(out) {
		var a answered
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, a)
	}
	return all
}

// logged counts how often a text is in the log of a journal. The lines that were ingested are there as they came.
func logged(journal, text string) int {
	log, _ := os.ReadFile(filepath.Join(journal, "log")) // it may not be there yet
	return bytes.Count(log, []byte(text))
}

// acked returns how many answers are known to be delivered from what is in the log of a journal.
func acked(journal string) int {
	log, _ := os.ReadFile(filepath.Join(journal, "log")) // it may not be there yet
	_, last, _ := strings.Cut(string(log[max(0, bytes.LastIndex(log, []byte(`"acks":[`))):]), "[")
	count := 0
	_, _ = fmt.Sscanf(last, "%d", &count) // there may be none yet
	return count
}

// Killed at any moment, a watch that is started again counts every line once, and tells every
// answer once, but for those of which it says that they may have been told.
func TestJournalSurvives(t *testing.T) {
	t.Parallel()
	kills := 4
	if graphtest.Rounds(t, 1) > 1 {
		kills = 60
	}
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	lines := shortExecutions(r, 40*kills)
	journal := filepath.Join(dir, "journal")
	args := []string{"watch", "--json", "--execution-key", "s", "--property", "never:n@A == 2 && n@B == 2", "--property", "never:n@A > 1", "--journal", journal, log}
	if err := os.WriteFile(log, []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	whole, err := exec.Command("pota", append([]string{"watch", "--to-end"}, append(args[1:6:6], append(args[6:10:10], log)...)...)...).Output()
	if len(whole) == 0 {
		t.Fatal(err)
	}
	want := make(map[string]answered)
	for _, a := range answersOf(t, whole) {
		want[a.Execution+a.Property] = a
	}
	_ = os.Remove(log)
	f, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := make(map[string]bool)
	repeated := 0
	take := func(out []byte) {
		for _, a := range answersOf(t, out) {
			key := a.Execution + a.Property
			switch again := a.Repeated; {
			case again:
				a.Repeated = false
				repeated++
			case got[key]:
				t.Fatalf("%v is told again", a)
			}
			if a != want[key] {
				t.Fatalf("%v, want %v", a, want[key])
			}
			got[key] = true
		}
	}
	// Of an execution whose end has been written there will be answers to both properties. How many of the
	// answers that are due a run waits for is random, and so is the moment at which it is killed.
	written := ""
	due := func(text string) int {
		written += text
		_, _ = f.WriteString(text)
		return r.IntN(max(0, 2*strings.Count(written, `"closed":true}`+"\n")-len(got)) + 1)
	}
	for len(lines) > 0 {
		n := min(len(lines), 1+r.IntN(2*len(lines)/max(kills, 1)+1))
		if kills--; kills < 0 {
			n = len(lines)
		}
		ctx, cancel := context.WithCancel(t.Context())
		c := exec.CommandContext(ctx, "pota", args...)
		var out screen
		c.Stdout = &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(lines[:n], "")
		half := r.IntN(len(text) + 1) // a line is written in two parts
		out.await("\n", due(text[:half]))
		out.await("\n", due(text[half:]))
		if r.IntN(4) == 0 { // else answers are repeated by the next run
			graphtest.Await(t, "the delivery of earlier answers is logged", func() bool { return acked(journal) >= len(got) })
		}
		lines = lines[n:]
		cancel()
		_ = c.Wait() // it is killed
		take([]byte(out.text.String()))
	}
	out, err := exec.Command("pota", append([]string{"watch", "--to-end"}, args[1:]...)...).Output()
	take(out)
	if len(got) != len(want) {
		t.Errorf("%d answers, want %d: %v", len(got), len(want), err)
	}
	t.Log(len(got), repeated)
}

// Killed at any moment, a watch that is started again decides each binding of the one execution once, as if
// it had not been killed.
func TestJournalOfBindings(t *testing.T) {
	t.Parallel()
	const requests, every = 40, 5
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lines := make([]string, requests)
	for i := range lines {
		send, recv := fmt.Sprintf(`,"send":"m%d"`, i), fmt.Sprintf(`,"recv":"m%d"`, i)
		if i%every == 0 {
			send, recv = "", "" // what is done happened after nothing
		}
		const event = `{"process":"%s","set":{"op":"%s","req":"r%d"}%s}` + "\n"
		lines[i] = fmt.Sprintf(event+event, "api", "recv", i, send, "db", "done", i, recv)
	}
	properties := file("properties", `ordered: forall r in values(req): AG(once(op == "done" && req == r) -> once(op == "recv" && req == r))`)
	all := file("all", strings.Join(lines, ""))
	_, want, _ := pota("", "watch", "--json", "--to-end", "-f", properties, all)
	log := file("log", "")
	args := []string{"watch", "--json", "-f", properties, "--journal", filepath.Join(dir, "journal"), log}
	told, got := 0, ""
	for i := 0; i < requests; i += every {
		file("log", strings.Join(lines[:i+every], ""))
		ctx, cancel := context.WithCancel(t.Context())
		c := exec.CommandContext(ctx, "pota", args...)
		var out screen
		c.Stdout = &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		out.await(fmt.Sprintf(`"first":[{"r":"r%d"}]`, i), 1)
		told++
		graphtest.Await(t, "the delivery of answers is logged", func() bool { return acked(filepath.Join(dir, "journal")) >= told })
		cancel()
		_ = c.Wait() // it is killed
		got += out.text.String()
	}
	_, rest, _ := pota("", append([]string{"watch", "--to-end"}, args[1:]...)...)
	if got += rest; got != want || told != requests/every {
		t.Errorf("killed %d times:\n%swant\n%s", told, got, want)
	}
}

// fail writes lines of executions that fail at once, to the end of a log.
func fail(t *testing.T, log string, executions ...string) {
	t.Helper()
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, e := range executions {
		fmt.Fprintf(f, `{"s":%q,"process":"A","set":{"n":2}}`+"\n", e)
	}
}

// A command that has not got an answer when the program is killed gets it from the next run.
func TestJournalExec(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, given := filepath.Join(dir, "log"), filepath.Join(dir, "given")
	args := []string{"watch", "-q", "--execution-key", "s", "--property", "never:n@A > 1", "--journal", filepath.Join(dir, "journal")}
	fail(t, log, "e1", "e2", "e3")
	// The second command kills the program.
	c := exec.Command("pota", append(args, "--exec", fmt.Sprintf("if [ -e %[1]s ]; then kill -9 $PPID; else cat > %[1]s; fi", given), log)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	graphtest.Await(t, "the first command runs", func() bool { return isFile(given) })
	fail(t, log, "e4")
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != -1 {
		t.Errorf("it was not killed: %v", err)
	}
	_, _, stderr := pota("", append(args, "--to-end", "--exec", "cat >> "+given, log)...)
	got := make(map[string]bool)
	for _, a := range answersOf(t, []byte(readFile(t, given))) {
		got[a.Execution] = true
	}
	if len(got) != 4 {
		t.Errorf("only %v were given: %s", got, stderr)
	}
}

// Answers that were told a while before the program was killed, or before it was interrupted, are not
// told again.
func TestJournalIdle(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Kill, os.Interrupt} {
		dir := t.TempDir()
		log, journal := filepath.Join(dir, "log"), filepath.Join(dir, "journal")
		args := []string{"watch", "--execution-key", "s", "--property", "never:n@A > 1", "--journal", journal, log}
		fail(t, log, "e1", "e2")
		c := exec.Command("pota", args...)
		var out screen
		c.Stdout = &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		out.await("e1", 1)
		out.await("e2", 1)
		if signal == os.Kill {
			graphtest.Await(t, "the delivery of both answers is logged", func() bool { return acked(journal) == 2 })
		}
		_ = c.Process.Signal(signal) // it is there
		_ = c.Wait()                 // it was killed
		if _, again, err := pota("", append([]string{"watch", "--to-end"}, args[1:]...)...); again != "" || err != "" {
			t.Errorf("after %s: %s%s", signal, again, err)
		}
	}
}

// An execution of which the first line was refused is unknown after a restart, too.
func TestJournalOfRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	args := []string{"--execution-key", "s", "--property", "never:n@A > 1", "--journal", filepath.Join(dir, "journal"), log}
	if err := os.WriteFile(log, []byte(`{"s":"e","process":"A","sett":{}}`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out screen
	done := make(chan int)
	go func() {
		done <- run(ctx, append([]string{"watch"}, args...), streams{in: strings.NewReader(""), out: &out, err: io.Discard})
	}()
	out.await("unknown  e", 1)
	cancel()
	<-done
	fail(t, log, "e", "f")
	status, again, err := pota("", append([]string{"watch", "--to-end"}, args...)...)
	if status != int(badInput) || strings.Contains(again, " e ") || !strings.Contains(again, "fails    f") || !strings.Contains(err, `execution "e" has ended`) {
		t.Errorf("status %d, %s%s", status, again, err)
	}
}

// Of executions that have the same name, one after the other, each answer is told once, however often
// the program is killed.
// What nobody had read when the run was ended is told by the next one.
func TestJournalUnread(t *testing.T) {
	t.Parallel()
	const executions = 10
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	lines := shortExecutions(rand.New(rand.NewPCG(3, 4)), executions)
	if err := os.WriteFile(log, []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"watch", "--json", "--execution-key", "s", "--property", "never:n@A > 1", "--journal", filepath.Join(dir, "journal"), log}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	writing, never := make(chan bool, 1), make(chan bool)
	defer close(never)
	unread := writerFunc(func([]byte) (int, error) {
		writing <- true
		<-never
		return 0, errors.New("the reader is gone")
	})
	status := make(chan int)
	go func() { status <- run(ctx, args, streams{in: strings.NewReader(""), out: unread, err: io.Discard}) }()
	<-writing
	cancel()
	<-status
	var out bytes.Buffer
	run(t.Context(), append([]string{"watch", "--to-end"}, args[1:]...), streams{in: strings.NewReader(""), out: &out, err: io.Discard})
	got := make(map[string]bool)
	for _, a := range answersOf(t, out.Bytes()) {
		got[a.Execution] = true
	}
	if len(got) != executions {
		t.Errorf("%d answers of %d were not lost", len(got), executions)
	}
}

// forCheckpoint is lines of an execution of which there are enough for a checkpoint.
var forCheckpoint = strings.Repeat(fmt.Sprintf(`{"s":"other","process":"A","set":{"long":"%020000d"}}`+"\n", 0), 80)

// What was taken again from the journal is in the next checkpoint.
func TestJournalOfCheckpoints(t *testing.T) {
	t.Parallel()
	args := []string{"watch", "--execution-key", "s", "--property", "never:n@A > 1", "--journal", t.TempDir()}
	line := func(execution string) string {
		return fmt.Sprintf(`{"s":%q,"process":"A","set":{"n":1}}`+"\n", execution)
	}
	var out screen
	for i, lines := range []string{line("on") + line("over") + forCheckpoint + line("on") + `{"s":"over","closed":true}` + "\n", forCheckpoint, line("on")} {
		ctx, cancel := context.WithCancel(t.Context())
		in, feed := io.Pipe()
		status := make(chan int)
		go func() { status <- run(ctx, args, streams{in: in, out: &out, err: &out}) }()
		for line := range strings.Lines(lines + fmt.Sprintf(`{"s":"taken%d","process":"A","set":{"n":2}}`+"\n", i)) {
			_, _ = io.WriteString(feed, line)
		}
		out.await(fmt.Sprint("taken", i), 1)
		cancel()
		<-status
		feed.Close()
	}
	run(t.Context(), args, streams{in: strings.NewReader(""), out: &out, err: &out})
	for text, count := range map[string]int{"holds    on  never:n@A > 1  after 3 events\n": 1, "holds    over  never:n@A > 1  after 1 event\n": 1, "cannot be read": 0} {
		if strings.Count(out.text.String(), text) != count {
			t.Errorf("%q is not there %d times:\n%s", text, count, out.text.String())
		}
	}
}

// What was told at the end of the inputs, and perhaps read, is marked when it is told again, also after
// a checkpoint.
func TestJournalAfterEnd(t *testing.T) {
	t.Parallel()
	args := []string{"watch", "--json", "--execution-key", "s", "--property", "never:n@A > 1", "--journal", t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	never := make(chan bool)
	defer close(never)
	unread := writerFunc(func([]byte) (int, error) {
		cancel()
		<-never
		return 0, nil
	})
	run(ctx, args, streams{in: strings.NewReader(`{"s":"e","process":"A","set":{"n":1}}` + "\n"), out: unread, err: io.Discard})
	var out bytes.Buffer
	run(t.Context(), args, streams{in: strings.NewReader(forCheckpoint + forCheckpoint + forCheckpoint), out: &out, err: io.Discard})
	for _, a := range answersOf(t, out.Bytes()) {
		if a.Repeated != (a.Execution == "e") {
			t.Errorf("%+v", a)
		}
	}
	if n := strings.Count(out.String(), `"execution":"e"`); n != 1 {
		t.Errorf("the answer is told %d times", n)
	}
}

// While somebody does not get the answers, the journal does not grow with what arrives, and the next run
// tells them to whom it did not.
// Where the journal does not fit on the disk, or results cannot be written, the run ends with
// status 2; started again where they can, it has lost nothing and counts nothing twice.
func TestJournalOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	const events = 3000
	var lines strings.Builder
	for i := range events {
		fmt.Fprintf(&lines, `{"process":"A","id":"%0999d","set":{"n":%d}}`+"\n", i, min(i, 2))
	}
	if err := os.WriteFile(log, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for limited, says := range map[string]string{"ulimit -f 1000; pota %s": "the write-ahead log cannot be written", "pota %s > /dev/full": "no space left on device"} {
		command := fmt.Sprintf("watch --to-end --property 'never:n@A > 1' --property 'never:n@A > 5' --journal %s/journal %s", dir, log)
		out, err := exec.Command("sh", "-c", fmt.Sprintf(limited, command)).CombinedOutput()
		if code, ok := errors.AsType[*exec.ExitError](err); !ok || code.ExitCode() != int(badInput) || !strings.Contains(string(out), says) {
			t.Errorf("%s: %v, %s", limited, err, out)
		}
		out, err = exec.Command("sh", "-c", "pota "+command).Output()
		text := string(out)
		if code, ok := errors.AsType[*exec.ExitError](err); !ok || code.ExitCode() != int(someFails) || !strings.Contains(text, fmt.Sprintf("holds    never:n@A > 5  after %d events\n", events)) {
			t.Errorf("%s: then %v, %s", limited, err, text)
		}
		if strings.Contains(limited, "/dev/full") && !strings.Contains(text, "fails    never:n@A > 1  after 3 events, perhaps delivered before\n") {
			t.Errorf("%s: the answer is lost: %s", limited, text)
		}
	}
}

// A journal of another form is refused, and stays as it is.
// ofSpans is a watch of documents of zipkin, of which all may take so many bytes.
// What was taken where there was more memory is taken again where there is less; and what is taken of
// lines for which there is no room when the run is interrupted will be taken by the next one.
// Which executions of spans are over is known after a restart, too, of as many as before it.
