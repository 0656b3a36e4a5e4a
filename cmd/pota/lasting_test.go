package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/journal"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/syntax"
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

// Killed at any moment, a watch that is started again counts every line once, and tells every
// answer once, but for those of which it says that they may have been told.
func TestJournalSurvives(t *testing.T) {
	t.Parallel()
	kills := 4
	if graphtest.Rounds(t, 1) > 1 {
		kills = 200
	}
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	lines := shortExecutions(r, 40*kills)
	args := []string{"watch", "--json", "--execution-key", "s", "--property", "never:n@A == 2 && n@B == 2", "--property", "never:n@A > 1", "--journal", filepath.Join(dir, "journal"), log}
	os.WriteFile(log, []byte(strings.Join(lines, "")), 0o666) //nolint:errcheck // the run tells
	whole, err := exec.Command("pota", append([]string{"watch", "--to-end"}, append(args[1:6:6], append(args[6:10:10], log)...)...)...).Output()
	if len(whole) == 0 {
		t.Fatal(err)
	}
	want := make(map[string]answered)
	for _, a := range answersOf(t, whole) {
		want[a.Execution+a.Property] = a
	}
	os.Remove(log) //nolint:errcheck // the run tells
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
	for len(lines) > 0 {
		n := min(len(lines), 1+r.IntN(2*len(lines)/max(kills, 1)+1))
		if kills--; kills < 0 {
			n = len(lines)
		}
		ctx, cancel := context.WithCancel(t.Context())
		c := exec.CommandContext(ctx, "pota", args...)
		var out bytes.Buffer
		c.Stdout = &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(lines[:n], "")
		half := r.IntN(len(text) + 1) // a line is written in two parts
		f.WriteString(text[:half])    //nolint:errcheck // the answers tell
		time.Sleep(time.Duration(r.IntN(200)) * time.Millisecond)
		f.WriteString(text[half:]) //nolint:errcheck // the answers tell
		time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
		lines = lines[n:]
		cancel()
		c.Wait() //nolint:errcheck // it is killed
		take(out.Bytes())
	}
	out, err := exec.Command("pota", append([]string{"watch", "--to-end"}, args[1:]...)...).Output()
	take(out)
	if len(got) != len(want) {
		t.Errorf("%d answers, want %d: %v", len(got), len(want), err)
	}
	t.Log(len(got), repeated)
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
	c := exec.Command("pota", append(args, "--exec", "sleep 0.4; cat >> "+given, log)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	fail(t, log, "e4")
	time.Sleep(350 * time.Millisecond)
	c.Process.Kill() //nolint:errcheck // it is there
	c.Wait()         //nolint:errcheck // it was killed
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
		log := filepath.Join(dir, "log")
		args := []string{"watch", "--execution-key", "s", "--property", "never:n@A > 1", "--journal", filepath.Join(dir, "journal"), log}
		fail(t, log, "e1", "e2")
		c := exec.Command("pota", args...)
		var out screen
		c.Stdout = &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for !out.has("e1") || !out.has("e2") {
			time.Sleep(time.Millisecond)
		}
		if signal == os.Kill {
			time.Sleep(5 * lookForMore)
		}
		c.Process.Signal(signal) //nolint:errcheck // it is there
		c.Wait()                 //nolint:errcheck // it was killed
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
	os.WriteFile(log, []byte(`{"s":"e","process":"A","sett":{}}`+"\n"), 0o666) //nolint:errcheck // the run tells
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out screen
	done := make(chan int)
	go func() {
		done <- run(ctx, append([]string{"watch"}, args...), streams{in: strings.NewReader(""), out: &out, err: io.Discard})
	}()
	for deadline := time.Now().Add(10 * time.Second); !out.has("unknown  e") && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
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
func TestJournalOfNamesThatRecur(t *testing.T) {
	dir := t.TempDir()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.Bool("quiet", true, "")
	answer := &told{Property: "p", Execution: "e", Verdict: "fails", Final: true}
	for run, want := range []string{"new new", "sure unsure new new", "sure sure sure unsure new"} {
		j, err := journal.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, before, _, err := j.Known()
		if err != nil {
			t.Fatal(err)
		}
		w := &watch{session: new(session), cli: cli.NewContext(nil, flags, nil), meter: newMeter(), number: j.Told().Least()}
		l := &lasting{watch: w, journal: j, count: make(map[string]int), told: before}
		w.lasting = l
		var got []string
		for range strings.Fields(want) {
			again := *answer
			before := len(l.held)
			switch w.show(&again); {
			case len(l.held) == before:
				got = append(got, "sure")
			case again.Repeated:
				got = append(got, "unsure")
			default:
				got = append(got, "new")
			}
			if err := l.commit(); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil || strings.Join(got, " ") != want {
			t.Errorf("run %d: %v, want %s, %v", run, got, want, err)
		}
	}
}

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
			io.WriteString(feed, line) //nolint:errcheck // the answers tell
		}
		for deadline := time.Now().Add(10 * time.Second); !out.has(fmt.Sprint("taken", i)) && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
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
func TestJournalBehind(t *testing.T) {
	t.Parallel()
	const lines, length = 800, 20_000
	const sleep, give = "sleep 60", `cat >> "$GIVEN"`
	for _, test := range []struct {
		first, next    []string
		printed, given string // with ! where they are repeated
	}{
		{first: []string{"--json"}, next: []string{"--json"}, printed: "e0! e1! long"},
		{first: []string{"-q", "--exec", sleep}, next: []string{"-q", "--exec", give}, given: "e0! e1! long"},
		{first: []string{"--json", "--exec", give}, next: []string{"--json", "--exec", give}, printed: "e0! e1! long", given: "e0 e1 long"},
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			given := filepath.Join(dir, "given")
			args := func(flags []string) []string {
				all := []string{"watch", "--execution-key", "s", "--property", "never:n@A > 1", "--journal", dir}
				for _, flag := range flags {
					all = append(all, strings.ReplaceAll(flag, "$GIVEN", given))
				}
				return all
			}
			ctx, cancel := context.WithCancel(t.Context())
			never := make(chan bool)
			unread := writerFunc(func(text []byte) (int, error) {
				if len(text) > 0 {
					<-never
				}
				return 0, nil
			})
			in, feed := io.Pipe()
			status := make(chan int)
			go func() { status <- run(ctx, args(test.first), streams{in: in, out: unread, err: io.Discard}) }()
			for i := range 2 {
				fmt.Fprintf(feed, `{"s":"e%d","process":"A","set":{"n":2}}`+"\n", i)
			}
			for i := range lines {
				fmt.Fprintf(feed, `{"s":"long","process":"A","set":{"n":%d,"other":"%0*d"}}`+"\n", i%2, length, i)
			}
			cancel()
			<-status
			close(never)
			feed.Close()
			if info, err := os.Stat(filepath.Join(dir, "journal")); err != nil || info.Size() > lines*length*3/4 {
				t.Errorf("%d bytes of lines are %d in the journal, %v", lines*length, info.Size(), err)
			}
			var printed bytes.Buffer
			run(t.Context(), args(test.next), streams{in: strings.NewReader(""), out: &printed, err: io.Discard})
			text, _ := os.ReadFile(given) //nolint:errcheck // there may be none
			told := func(text []byte) string {
				var all []string
				for _, a := range answersOf(t, text) {
					if a.Repeated {
						a.Execution += "!"
					}
					all = append(all, a.Execution)
				}
				slices.Sort(all) // those of one decision come in any order
				return strings.Join(all, " ")
			}
			if p, g := told(printed.Bytes()), told(text); p != test.printed || g != test.given {
				t.Errorf("%v, then %v: printed %q, want %q; given %q, want %q", test.first, test.next, p, test.printed, g, test.given)
			}
		})
	}
}

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
	for limited, says := range map[string]string{"ulimit -f 1000; pota %s": "the journal cannot be written", "pota %s > /dev/full": "no space left on device"} {
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
		if strings.Contains(limited, "/dev/full") && !strings.Contains(text, "fails    never:n@A > 1  after 3 events, perhaps told before\n") {
			t.Errorf("%s: the answer is lost: %s", limited, text)
		}
	}
}

// A journal of another form is refused, and stays as it is.
func TestJournalOfAnotherForm(t *testing.T) {
	dir := t.TempDir()
	old := []journal.Condition{{Name: "form, but of another version of pota", Value: "1 of 4"}}
	keep := func() {
		t.Helper()
		j, err := journal.Open(dir, old)
		if err == nil {
			err = j.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	keep()
	status, out, stderr := pota("", "watch", "--property", "never:n@A > 1", "--journal", dir, "-")
	if want := "is not of the same form, but of another version of pota: use another directory, or remove this one"; status != int(badInput) || out != "" || !strings.Contains(stderr, want) {
		t.Errorf("status %d, %s, %s", status, out, stderr)
	}
	keep()
}

// ofSpans is a watch of documents of zipkin, of which all may take so many bytes.
func ofSpans(t *testing.T, ctx context.Context, journal string, most int) *watch {
	t.Helper()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.String("journal", journal, "")
	flags.Bool("quiet", true, "")
	flags.Duration("grace", time.Hour, "")
	flags.Duration("idle", time.Hour, "")
	properties, err := syntax.ParseProperties("p: EF true")
	memory := budget.New(budget.Limits{Memory: int64(most * partOfMemory)})
	t.Cleanup(memory.End)
	w := &watch{
		session:    &session{ctx: ctx, budget: memory},
		cli:        cli.NewContext(nil, flags, nil),
		properties: properties,
		executions: online.NewExecutions(nil, online.Options{}),
		format:     "zipkin",
		meter:      newMeter(),
	}
	if err == nil {
		err = w.last()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.takeSpans()
	return w
}

// What was taken where there was more memory is taken again where there is less; and what is taken of
// lines for which there is no room when the run is interrupted will be taken by the next one.
func TestJournalOfManySpans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	document := func(trace int) []byte {
		return fmt.Appendf(nil, `{"traceId":"%032x","id":"1","name":"%01000d"}`+"\n", trace, 0)
	}
	w := ofSpans(t, t.Context(), dir, 1<<20)
	for i := range 10 {
		if err := w.document("", document(i+1), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.lasting.finish(), w.lasting.end(false, false)); err != nil {
		t.Fatal(err)
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	w = ofSpans(t, interrupted, dir, 17_500)
	if open, _ := w.spans.Len(); open != 10 {
		t.Fatalf("%d of 10 executions are open", open)
	}
	if n := measured(t, w.meter, `pota_spans_total{outcome="taken"}`, func() {}); n != 0 {
		t.Errorf("%v spans count that were taken before", n)
	}
	text := append(document(11), document(12)...)
	err := w.take(arrival{source: &source{scanner: &documents{watch: w}}, text: text})
	open, _ := w.spans.Len()
	w.endSpans()
	if err := errors.Join(err, w.lasting.finish(), w.lasting.end(false, false)); err != nil || open != 11 {
		t.Fatal(err, open)
	}
	w = ofSpans(t, t.Context(), dir, 5000)
	if open, _ := w.spans.Len(); open != 10 || len(w.lasting.told) != 0 {
		t.Errorf("%d of 10 executions are open, %v were told", open, w.lasting.told)
	}
	if _, err := w.spans.AddPiece(time.Now(), &split.Piece{Key: fmt.Sprintf("%032x", 13)}); err != spans.ErrFull {
		t.Error(err)
	}
	if err := w.lasting.end(false, false); err != nil {
		t.Fatal(err)
	}
}

// Which executions of spans are over is known after a restart, too, of as many as before it.
func TestJournalOfDecidedSpans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all []byte
	for run, count := range []int{0, 70_000, 3, 0} {
		w := ofSpans(t, t.Context(), dir, 1<<20)
		if got, _ := w.spans.Past(0); !bytes.Equal(got, all) {
			t.Fatalf("run %d: %d ids, or others, are known, want %d", run, len(got)/spans.LenOfID, len(all)/spans.LenOfID)
		}
		for _, part := range []int{count / 3, count - count/3} {
			var ids []byte
			for i := range part {
				ids = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(ids, uint64(run)), uint64(i)<<1|uint64(part&1))
			}
			w.spans.AddPast(ids)
			all = append(all, ids...)
			if err := w.lasting.checkpoint(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.lasting.end(false, false); err != nil {
			t.Fatal(err)
		}
	}
}
