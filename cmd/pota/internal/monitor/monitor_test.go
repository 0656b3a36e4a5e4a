package monitor

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/ingest"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/tail"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/wal"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/syntax"
)

// A recorder is a host that remembers.
type recorder struct {
	mu      sync.Mutex
	results strings.Builder
	notes   []string
	failed  []string
	write   func(text []byte) error // instead of results, unless nil
}

func (r *recorder) host(ctx context.Context) Host {
	note := func(text string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.notes = append(r.notes, text)
	}
	return Host{
		Note:  note,
		Error: note,
		Write: func(text []byte) error {
			if r.write != nil {
				return r.write(text)
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.results.Write(text)
			return nil
		},
		Fail: func(err error) exit.Status {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.failed = append(r.failed, err.Error())
			return exit.BadInput
		},
		Misfit: func(_ syntax.Property, err error) error { return err },
		Step: func(work func(context.Context) error) (bool, error) {
			return true, work(ctx)
		},
	}
}

// options are of lines of executions, which fail where n@A is more than 1.
func options(t *testing.T, log string) Options {
	t.Helper()
	return optionsOf(t, log, ingest.Options{Input: "native", ExecutionKey: "s"}, "never: AG(!(n@A > 1))")
}

func optionsOf(t *testing.T, log string, lines ingest.Options, properties string) Options {
	t.Helper()
	all, err := syntax.ParseProperties(properties)
	if err != nil {
		t.Fatal(err)
	}
	lines.Properties = all
	return Options{
		Options:      lines,
		Paths:        []string{"-"},
		Stdin:        strings.NewReader(""),
		Window:       1 << 20,
		Bindings:     online.DefaultBindings,
		JSON:         true,
		Log:          log,
		Memory:       1 << 30,
		EngineMemory: 1 << 28,
	}
}

func monitorOf(t *testing.T, ctx context.Context, o Options, h Host) *Monitor {
	t.Helper()
	m, err := newMonitor(ctx, o, h)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// watched runs a monitor on lines, and returns its answers by execution, with ! where they are repeated.
func watched(t *testing.T, ctx context.Context, o Options, r *recorder, lines string) (answers []string, status exit.Status, err error) {
	t.Helper()
	o.Stdin = strings.NewReader(lines)
	status, err = Run(ctx, o, r.host(ctx))
	return executionsOf(r.results.String()), status, err
}

// executionsOf returns the executions of final answers in JSON.
func executionsOf(text string) (all []string) {
	for line := range strings.Lines(text) {
		if !strings.Contains(line, `"final":true`) {
			continue
		}
		_, name, _ := strings.Cut(line, `"execution":"`)
		name, _, _ = strings.Cut(name, `"`)
		if strings.Contains(line, `"repeated":true`) {
			name += "!"
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func line(execution string, n int) string {
	return fmt.Sprintf(`{"s":%q,"process":"A","set":{"n":%d}}`+"\n", execution, n)
}

// killed runs a monitor on lines that do not end, and abandons it as if it was killed once it has as many
// answers, and all lines are in the log.
func killed(t *testing.T, o Options, lines string, answers int) {
	t.Helper()
	in, feed := io.Pipe()
	o.Stdin = in
	r := new(recorder)
	got := make(chan bool)
	n := 0
	r.write = func(text []byte) error {
		if n += bytes.Count(text, []byte("\n")); n == answers {
			close(got)
		}
		return nil
	}
	h := r.host(t.Context())
	dir := o.Log
	h.Step = func(work func(context.Context) error) (bool, error) {
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan error)
		go func() { done <- work(ctx) }()
		if _, err := io.WriteString(feed, lines); err != nil {
			t.Error(err)
		}
		<-got
		copied := t.TempDir() // what a process that is killed now leaves
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Error(err)
		}
		stop()
		<-done
		feed.Close()
		if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(copied))); err != nil {
			t.Error(err)
		}
		return false, nil
	}
	ctx, stop := context.WithCancel(t.Context())
	m := monitorOf(t, ctx, o, h)
	err := m.start()
	stop()
	m.closeSinks()
	if err = errors.Join(err, m.journal.Close()); err != nil {
		t.Fatal(err)
	}
}

// What was delivered, and may not be known to be, is delivered again with its mark; verdicts go on from what
// was accepted.
func TestRecover(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	killed(t, options(t, dir), line("a", 2)+line("b", 1), 1)
	r := new(recorder)
	got, status, err := watched(t, t.Context(), options(t, dir), r, line("b", 2)+line("c", 0))
	if fmt.Sprint(got) != "[a! b c]" || status != exit.SomeFails || err != nil {
		t.Errorf("%v, status %d, %v, %v", got, status, err, r.notes)
	}
	if _, err := os.Stat(filepath.Join(dir, "log")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("all has ended, and the log is there: %v", err)
	}
}

// An answer that was acknowledged is not delivered again, nor is one found again by a replay.
func TestAcknowledged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	ctx, stop := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	o := options(t, dir)
	o.Stdin = in
	r := new(recorder)
	r.write = func([]byte) error {
		stop()
		return nil
	}
	go func() { _, _ = io.WriteString(feed, line("a", 2)) }()
	if _, err := Run(ctx, o, r.host(ctx)); err != nil {
		t.Fatal(err)
	}
	feed.Close()
	got, _, err := watched(t, t.Context(), options(t, dir), new(recorder), line("a", 3))
	if len(got) > 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// Who does not read the results holds up the lines; when the run is interrupted it ends, and the next one delivers
// what was left.
func TestUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "log")
		ctx, stop := context.WithCancel(t.Context())
		never := make(chan bool)
		r := new(recorder)
		r.write = func([]byte) error {
			<-never
			return nil
		}
		time.AfterFunc(time.Hour, stop)
		var lines strings.Builder
		for i := range 30_000 {
			lines.WriteString(line(fmt.Sprint("e", i), 2))
		}
		in := &counted{text: lines.String()}
		o := options(t, dir)
		o.Stdin = in
		begun := time.Now()
		m := monitorOf(t, ctx, o, r.host(ctx))
		m.capacity = 64 << 10
		err := m.start()
		if !errors.Is(err, errUnread) || time.Since(begun) > time.Hour+2*endTimeout {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		read := in.count()
		if read == len(in.text) {
			t.Error("all lines were read, although nobody reads the results")
		}
		close(never)
		time.Sleep(time.Second) // of the clock of the bubble, until the reader of the lines has ended
		got, _, err := watched(t, t.Context(), options(t, dir), new(recorder), "")
		if len(slices.Compact(got)) < 500 || err != nil {
			t.Errorf("%d answers, %v", len(got), err)
		}
	})
}

// counted is a reader that counts.
type counted struct {
	mu   sync.Mutex
	text string
	n    int
}

func (c *counted) Read(p []byte) (int, error) {
	time.Sleep(time.Millisecond) // of the clock of the bubble, in which what came is decided
	c.mu.Lock()
	defer c.mu.Unlock()
	n := copy(p, c.text[c.n:])
	if c.n += n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (c *counted) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// The log of executions that end stays small, and a compacted one leads to the same answers: what is open goes
// on, what is over or has ended is known, and answers that nobody got are delivered.
func TestCompact(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	var lines strings.Builder
	lines.WriteString(line("open", 1) + line("over", 2))
	long := strings.Repeat("x", 1000)
	for i := range 20_000 {
		fmt.Fprintf(&lines, `{"s":"e%d","process":"A","set":{"long":%q}}`+"\n", i, long)
		fmt.Fprintf(&lines, `{"s":"e%d","closed":true}`+"\n", i)
	}
	killed(t, options(t, dir), lines.String(), 20_001)
	info, err := os.Stat(filepath.Join(dir, "log"))
	if err != nil || info.Size() > 2*minCompacted {
		t.Errorf("the log of %d bytes of lines has %d, %v", lines.Len(), info.Size(), err)
	}
	r := new(recorder)
	got, status, err := watched(t, t.Context(), options(t, dir), r, line("over", 3)+line("e19999", 0)+line("open", 2))
	if !strings.Contains(r.results.String(), `"execution":"open","property":"never","formula":"AG(!(n@A > 1))","verdict":"fails","final":true,"events":2`) {
		t.Error("the first line of the open execution is lost")
	}
	got = slices.DeleteFunc(got, func(name string) bool { return strings.HasSuffix(name, "!") })
	if fmt.Sprint(got) != "[open]" || status != exit.BadInput || err != nil || !strings.Contains(fmt.Sprint(r.notes), `execution "e19999" has ended`) {
		t.Errorf("%v, status %d, %v, %v", got, status, err, r.notes)
	}
}

// Of executions that have the same name, one after the other, each answer is delivered once: of three answers as
// many are new as the log does not have.
func TestNamesThatRecur(t *testing.T) {
	for known := range 4 {
		o := newOutbox()
		o.known["key"] = known
		for range 3 {
			o.add("key", &Answer{})
			o.add("other", &Answer{})
		}
		if n := len(o.held); n != 6-known {
			t.Errorf("%d of 6 answers are new, want %d", n, 6-known)
		}
	}
}

// A log of other properties is refused, and not touched.
func TestConditions(t *testing.T) {
	dir := t.TempDir()
	o := options(t, filepath.Join(dir, "log"))
	killed(t, o, line("a", 2), 1)
	o.SyncSize = 2
	r := new(recorder)
	_, _, err := watched(t, t.Context(), o, r, "")
	if want := "it is not of the same --sync-size: use another directory, or remove this one"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	o.SyncSize = 0
	if got, _, err := watched(t, t.Context(), o, r, ""); fmt.Sprint(got) != "[a!]" || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// A log that is removed while it is used ends the run, and a second process is refused.
func TestLogRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	o := options(t, dir)
	in, feed := io.Pipe()
	o.Stdin = in
	r := new(recorder)
	got := make(chan bool, 10)
	r.write = func(text []byte) error {
		got <- bytes.Contains(text, []byte(`"final":true`))
		return nil
	}
	done := make(chan error)
	go func() {
		_, err := Run(t.Context(), o, r.host(t.Context()))
		done <- err
	}()
	if _, err := io.WriteString(feed, line("a", 2)); err != nil {
		t.Fatal(err)
	}
	<-got
	if _, _, err := watched(t, t.Context(), options(t, dir), new(recorder), ""); !errors.Is(err, wal.ErrInUse) {
		t.Errorf("a second process: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(feed, line("b", 2)); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, wal.ErrRemoved) {
		t.Error(err)
	}
	close(got)
	for final := range got { // that execution b is open may be reported at the end
		if final {
			t.Error("an answer is final that is not in the log")
		}
	}
	feed.Close()
}

// Of logs that are damaged at random, each is refused, or leads to the same answers, with the mark where they may
// have been delivered.
func TestDamagedLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	var lines strings.Builder
	for i := range 40 {
		lines.WriteString(line(fmt.Sprint("e", i), i%4))
	}
	killed(t, options(t, dir), lines.String(), 20)
	whole, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	refused := 0
	for i := range 400 {
		damaged := slices.Clone(whole)
		at := r.IntN(len(damaged))
		end := min(len(damaged), at+1+r.IntN(1000))
		switch i % 4 {
		case 0:
			damaged[at] ^= 1 << r.IntN(8)
		case 1:
			damaged = damaged[:at]
		case 2:
			clear(damaged[at:end])
		case 3:
			copy(damaged[r.IntN(len(damaged)):], whole[at:end])
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "log"), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, err := watched(t, t.Context(), options(t, dir), new(recorder), "")
		if errors.Is(err, wal.ErrDamaged) && got == nil {
			refused++
			continue
		}
		marked := len(slices.DeleteFunc(slices.Clone(got), func(name string) bool { return !strings.HasSuffix(name, "!") }))
		if err != nil || len(got) != 40 || marked != 20 {
			t.Errorf("log %d: %d answers, %d marked, %v", i, len(got), marked, err)
		}
	}
	t.Log(refused, "of 400 are refused")
}

// spansOptions are of documents of zipkin, of which all may take so many bytes.
func spansOptions(t *testing.T, log string, memory int64) Options {
	o := optionsOf(t, log, ingest.Options{Input: "zipkin"}, "p: EF true")
	o.Idle = time.Hour
	o.Grace = time.Hour
	o.Memory = memory * memoryShare
	return o
}

func document(trace int) string {
	return fmt.Sprintf(`{"traceId":"%032x","id":"1","name":"%01000d"}`+"\n", trace, 0)
}

// Spans that were accepted where there was more memory are there where there is less; and lines for which there is
// no room when the run is interrupted are read by the next one.
func TestSpansRecover(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	open := func(ctx context.Context, memory int64) *Monitor {
		m := monitorOf(t, ctx, spansOptions(t, dir, memory), new(recorder).host(t.Context()))
		if err := m.recover(); err != nil {
			t.Fatal(err)
		}
		return m
	}
	end := func(m *Monitor, want int) {
		t.Helper()
		if n, _ := m.spans.Len(); n != want {
			t.Errorf("%d executions are open, want %d", n, want)
		}
		if err := errors.Join(m.commit(), m.journal.Close()); err != nil {
			t.Fatal(err)
		}
	}
	m := open(t.Context(), 1<<20)
	for i := range 10 {
		if err := m.ingest(&tail.Chunk{Source: "a", Line: i, Text: []byte(document(i + 1))}, nil); err != nil {
			t.Fatal(err)
		}
	}
	end(m, 10)
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	m = open(interrupted, 17_500)
	sent := &arrival{reply: make(chan error, 1)}
	if err := m.ingest(&tail.Chunk{Source: "a", Text: []byte(document(11) + document(12))}, sent); err != nil {
		t.Fatal(err)
	}
	end(m, 11)
	if err := <-sent.reply; err != receive.ErrEnding {
		t.Errorf("the sender is told %v", err)
	}
	m = open(t.Context(), 5000)
	if _, err := m.spans.AddPiece(time.Now(), &split.Piece{Key: fmt.Sprintf("%032x", 13)}); err != spans.ErrFull {
		t.Error(err)
	}
	end(m, 11)
}

// That an execution of spans is over is in the log once.
func TestSpansOverOnce(t *testing.T) {
	o := spansOptions(t, filepath.Join(t.TempDir(), "log"), 1<<20)
	m := recovered(t, o)
	if err := feed(t, m, span(1, "a", "")); err != nil {
		t.Fatal(err)
	}
	m.endSpans()
	if m.journal.Pending() == 0 {
		t.Error("it is not kept")
	}
	closed(t, m)
	m = recovered(t, o)
	if n := m.journal.Pending(); n > 0 || len(m.outbox.held) > 0 {
		t.Errorf("the replay keeps %d bytes, and has %d new answers", n, len(m.outbox.held))
	}
	closed(t, m)
}

// Which executions of spans are over is known after a restart, also from a compacted log.
func TestSpansPast(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	var all []byte
	for run := range 3 {
		m := monitorOf(t, t.Context(), spansOptions(t, dir, 1<<20), new(recorder).host(t.Context()))
		if err := m.recover(); err != nil {
			t.Fatal(err)
		}
		if got := m.spans.Past(); !bytes.Equal(got, all) {
			t.Fatalf("run %d: %d ids, or others, are known, want %d", run, len(got)/16, len(all)/16)
		}
		if n := len(m.outbox.unacked); n != run {
			t.Errorf("run %d: %d answers are not acknowledged", run, n)
		}
		m.outbox.unacked = append(m.outbox.unacked, &item{seq: uint64(run) + 1, answer: &Answer{Final: true}})
		var ids []byte
		for i := range 1000 {
			ids = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(ids, uint64(run)), uint64(i)+1)
		}
		m.spans.AddPast(ids)
		all = append(all, ids...)
		m.journal.(*durable).due = 0
		if err := errors.Join(m.journal.compact(m), m.journal.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Executions of spans are looked at when it is time, however much else arrives in between.
func TestSpansInFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := monitorOf(t, t.Context(), spansOptions(t, "", 1<<20), new(recorder).host(t.Context()))
		if m.spansTimer() != nil {
			t.Error("they are looked at where there are none")
		}
		if err := feed(t, m, span(1, "b", `,"parentId":"a"`)); err != nil {
			t.Fatal(err)
		}
		m.decideOver()
		for begun := time.Now(); time.Since(begun) < 3*spansInterval; {
			select {
			case <-m.spansTimer():
				return
			case <-time.After(minInterval): // something arrives
			}
		}
		t.Error("they were not looked at")
	})
}

// Of notes only so many are told.
func TestLimited(t *testing.T) {
	var said []string
	l := &limited{note: func(text string) { said = append(said, text) }, more: "%d more refusals"}
	for i := range 3 * maxNotes {
		l.report("%d", i)
	}
	m := &limited{note: func(text string) { t.Errorf("%s: there were no more", text) }, more: "%d more refusals", count: maxNotes}
	m.end()
	l.end()
	l.end()
	if len(said) != maxNotes+1 || said[0] != "0" || said[maxNotes] != "200 more refusals are not listed: at most 100 are in 1m0s" {
		t.Errorf("%d notes, the last is %q", len(said), said[len(said)-1])
	}
}

// A line waits for as long as it did when that was asked, however much is decided before the answer.
func TestLag(t *testing.T) {
	m := newMeter()
	m.waits(time.Now().Add(-59 * time.Minute))
	if lag := measured(t, m, "pota_lag_seconds", func() { m.waits(time.Time{}) }); lag < 3540 || lag > 3600 {
		t.Errorf("the oldest line of 59 minutes ago waits for %v s", lag)
	}
	if lag := measured(t, m, "pota_lag_seconds", func() {}); lag != 0 {
		t.Errorf("nothing waits, but for %v s", lag)
	}
}

// measured returns the value of a metric. It asks before something is done, and gets its answer then.
func measured(t *testing.T, m *meter, metric string, work func()) (value float64) {
	t.Helper()
	go func() {
		measured := <-m.asked
		work()
		close(measured)
	}()
	r := httptest.NewRecorder()
	m.handler(t.Context()).ServeHTTP(r, httptest.NewRequest("GET", "/metrics", nil))
	value = -1
	for line := range strings.Lines(r.Body.String()) {
		_, _ = fmt.Sscanf(line, metric+" %g", &value) // most lines are others
	}
	return value
}

// A terminal has a line that says how it goes.
func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		o := optionsOf(t, "", ingest.Options{Input: "native"}, "never: AG(!(n@A > 1))\nonce: EF(n@A == 1)")
		in, feed := io.Pipe()
		o.Stdin = in
		r := new(recorder)
		h := r.host(ctx)
		var all []string
		h.Status = func(text string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			all = append(all, text)
		}
		done := make(chan error, 1)
		go func() {
			_, err := Run(ctx, o, h)
			done <- err
		}()
		_, _ = io.WriteString(feed, strings.Repeat(`{"process":"A","set":{"n":1}}`+"\n", 20))
		time.Sleep(2*statusInterval + statusInterval/2)
		stop()
		_ = feed.Close()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		want := []string{"20 events, 20 a second, 1 of 2 properties open", "20 events, 0 a second, 1 of 2 properties open"}
		if got := slices.DeleteFunc(all, func(text string) bool { return text == "" }); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
	p := pace{time.Unix(10, 0), 100}
	if got, want := p.text(time.Unix(12, 0), 5100, "3 open executions", time.Unix(11, 0)), "5100 events, 2500 a second, 3 open executions, 1.0 s behind"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// ingested applies lines of a source, of a connection or of a file, and returns what the sender is told.
func ingested(t *testing.T, m *Monitor, c tail.Chunk, sent bool) error {
	t.Helper()
	if !sent {
		return m.ingest(&c, nil)
	}
	a := &arrival{reply: make(chan error, 1)}
	if err := errors.Join(m.ingest(&c, a), m.commit()); err != nil {
		return err
	}
	return <-a.reply
}

// recovered returns a monitor that has read its log.
func recovered(t *testing.T, o Options) *Monitor {
	t.Helper()
	m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
	if err := m.recover(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.executions.Of(nil, m.clock); m.single() && err != nil {
		t.Fatal(err)
	}
	return m
}

// closed commits what a monitor has, and closes its log.
func closed(t *testing.T, m *Monitor) {
	t.Helper()
	if err := errors.Join(m.commit(), m.journal.Close()); err != nil {
		t.Fatal(err)
	}
}

// A line that came when its execution was over may break a rule: a replay, which decides at other moments, does not
// refuse it. One that was refused is refused again.
func TestReplayOfRefused(t *testing.T) {
	const wrong = `{"s":"a","process":"A","set":{"n":"words"}}` + "\n"
	for _, x := range []struct {
		texts []string
		sent  bool
		want  exit.Status
	}{
		{[]string{line("a", 2), wrong}, false, exit.SomeFails},
		{[]string{line("a", 2), wrong}, true, exit.SomeFails},
		{[]string{line("a", 2) + wrong + line("b", 2)}, false, exit.BadInput},
	} {
		o := options(t, filepath.Join(t.TempDir(), "log"))
		m := recovered(t, o)
		for _, text := range x.texts {
			if err := errors.Join(ingested(t, m, tail.Chunk{Source: "s", Text: []byte(text), New: true}, x.sent), m.decide()); err != nil {
				t.Fatal(err)
			}
		}
		closed(t, m)
		again := recovered(t, o)
		if m.status != x.want || again.status != x.want {
			t.Errorf("%+v: the status is %d, and after a replay %d", x, m.status, again.status)
		}
		if e := again.executions.Find("a"); x.want == exit.SomeFails && (e == nil || !e.Over()) || len(again.outbox.held) > 0 {
			t.Errorf("%+v: the execution is not over, or answered anew", x)
		}
		closed(t, again)
	}
}

// What a log has of an event of several lines is gone on with by the next run; a connection of an old name begins
// anew.
func TestEventOfTwoRuns(t *testing.T) {
	for _, sent := range []bool{false, true} {
		o := optionsOf(t, filepath.Join(t.TempDir(), "log"), ingest.Options{Input: "shiviz"}, "p: EF true")
		var admitted int64
		for i, text := range []string{"B {\"B\":1}\ny\nA {\"A\":1}\n", "x\n"} {
			m := recovered(t, o)
			c := tail.Chunk{Source: "s", Text: []byte(text), Line: 3 * i, New: i == 0}
			if !sent {
				c.At = &tail.Position{File: "1", Path: "s", Offset: int64(len(text)), Line: 3}
			}
			if err := ingested(t, m, c, sent); err != nil {
				t.Fatal(err)
			}
			admitted = m.executions.Find("").Stream().Admitted()
			closed(t, m)
		}
		if want := map[bool]int64{false: 2, true: 1}[sent]; admitted != want {
			t.Errorf("sent %v: %d events are admitted, want %d", sent, admitted, want)
		}
	}
}

// Answers that nobody has read are an error, whether they are in the queue or did not find room there.
func TestFlush(t *testing.T) {
	for _, undelivered := range []bool{false, true} {
		for _, unread := range []bool{false, true} {
			r := new(recorder)
			never := make(chan bool)
			r.write = func([]byte) error {
				if unread {
					<-never
				}
				return nil
			}
			m := monitorOf(t, t.Context(), options(t, ""), r.host(t.Context()))
			m.openSinks()
			m.deliver(&item{answer: &Answer{}})
			if unread {
				gone, cancel := context.WithCancel(t.Context())
				cancel()
				m.patience = gone
			}
			m.undelivered = undelivered
			if err := m.flush(); errors.Is(err, errUnread) != (unread || undelivered) {
				t.Errorf("unread %v, undelivered %v: %v", unread, undelivered, err)
			}
			close(never)
			m.closeSinks()
		}
	}
}

// Who hands something over waits for room as long as patience says, and for the reply, until the run ends.
func TestHand(t *testing.T) {
	refused := errors.New("refused")
	for _, x := range []struct {
		patience, taken, replied, ends time.Duration // 0 for never
		want                           error
	}{
		{0, time.Hour, 2 * time.Hour, 0, refused},
		{time.Minute, time.Second, time.Hour, 0, refused},
		{time.Minute, time.Hour, 2 * time.Hour, 0, receive.ErrBusy},
		{0, 0, 0, time.Hour, receive.ErrEnding},
		{0, time.Second, 0, time.Hour, receive.ErrEnding},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			after := func(d time.Duration, work func()) {
				if d > 0 {
					time.AfterFunc(d, work)
				}
			}
			to, reply := make(chan int), make(chan error, 1)
			after(x.taken, func() {
				select {
				case <-to:
				default:
				}
			})
			after(x.replied, func() { reply <- refused })
			after(x.ends, stop)
			if err := hand(ctx, to, 1, reply, x.patience); err != x.want {
				t.Errorf("%+v: %v", x, err)
			}
			time.Sleep(3 * time.Hour) // of the clock of the bubble, until all is over
		})
	}
}
