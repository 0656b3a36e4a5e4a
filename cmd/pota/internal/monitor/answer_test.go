package monitor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/ingest"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/sink"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/tail"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl/syntax"
)

// feed applies lines of a source, and decides.
func feed(t *testing.T, m *Monitor, lines string) error {
	t.Helper()
	err := m.ingest(&tail.Chunk{Source: "log", Text: []byte(lines)}, nil)
	if err == nil {
		err = m.decide()
	}
	return err
}

// held returns the new answers, as a person reads them.
func held(m *Monitor) (all []string) {
	for _, x := range m.outbox.held {
		all = append(all, string(x.answer.text()))
	}
	m.outbox.held = nil
	return all
}

// An answer for a person has what it says, and nothing of what it does not.
func TestAnswerText(t *testing.T) {
	a := &Answer{
		Property: "p", Verdict: openVerdict,
		Pending: []pending{{Event: "A:3", Events: 7}, {Events: 9, More: 2}},
	}
	want := "open     p  after 0 events\n         waiting since A:3, event 7\n" +
		"         waiting since the beginning, event 9, and 2 more\n"
	if got := string(a.text()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a = &Answer{Property: "p", Verdict: "holds", Final: true}
	want = "holds    p  after 0 events\n"
	if got := string(a.text()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a = &Answer{
		Property:  "p",
		Execution: "one",
		Verdict:   "fails",
		Reason:    "late",
		Events:    1,
		Steps:     []string{"A:1", "B:1"},
		Bound:     "r = 7",
		Ended:     "silent for 1s",
		Repeated:  true,
	}
	want = "fails    one  p  after 1 event, silent for 1s, perhaps delivered before: r = 7: late\n         A:1, B:1\n"
	if got := string(a.text()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An obligation is overdue once, and later ones are told by themselves.
func TestOverdue(t *testing.T) {
	o := optionsOf(t, "", ingest.Options{Input: "native"}, "p: AG(x@A == 1 -> AF x@B == 1)")
	o.Deadline = time.Minute
	m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
	e, err := m.executions.Of(nil, m.clock)
	if err != nil {
		t.Fatal(err)
	}
	m.foretell()
	at := `{"process":"A","set":{"x":%d}}` + "\n"
	if err := feed(t, m, `{"process":"B","set":{"x":0}}`+"\n"+fmt.Sprintf(at, 1)); err != nil {
		t.Fatal(err)
	}
	told := func(after time.Duration) (events []int64) {
		for _, late := range m.overdue(e, 0, time.Now().Add(after)) {
			events = append(events, late.Events)
		}
		return events
	}
	for i, want := range [][]int64{nil, {2}, nil} {
		if got := told([]time.Duration{time.Second, time.Hour, 2 * time.Hour}[i]); !slices.Equal(got, want) {
			t.Errorf("%d: %v are told, want %v", i, got, want)
		}
	}
	if err := feed(t, m, fmt.Sprintf(at, 0)+fmt.Sprintf(at, 1)); err != nil {
		t.Fatal(err)
	}
	if got := told(3 * time.Hour); !slices.Equal(got, []int64{4}) {
		t.Errorf("%v are told, want the second", got)
	}
}

// A span is a document of one execution of spans, a root where it has no parent.
func span(trace int, name, parent string) string {
	return fmt.Sprintf(`{"traceId":"%032x","id":"%s","name":%q%s,"timestamp":1000000,"duration":10}`+"\n", trace, name, name, parent)
}

// Executions of spans are decided by binding, whole, and once: when they are over, or at the end.
func TestSpansByBinding(t *testing.T) {
	for bindings, want := range map[int]string{
		1:  `2 of 2 values of operation: "a" (of 1970-01-01T00:00:01.000000000Z), 1 more`,
		10: `2 of 2 values of operation: "a" (of 1970-01-01T00:00:01.000000000Z), "b"`,
	} {
		o := spansOptions(t, "", 1<<20)
		o.Properties = optionsOf(t, "", o.Options, "p: forall n in values(operation): AG(!once(operation == n))").Properties
		o.Bindings = bindings
		m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
		if err := feed(t, m, span(1, "a", "")+span(1, "b", `,"parentId":"a"`)); err != nil {
			t.Fatal(err)
		}
		if open := m.endSpans(); len(open) > 0 || len(m.outbox.held) != 1 {
			t.Fatalf("%d are open, and %d answered", len(open), len(m.outbox.held))
		}
		a := m.outbox.held[0].answer
		if !a.Final || a.Verdict != "fails" || !strings.HasPrefix(a.Bound, want) || a.Ended != "" || a.Bindings == nil || *a.Bindings.Failing != 2 {
			t.Errorf("%+v", a)
		}
	}
}

// Bounds on the times of spans are those of all clocks that agree within --skew.
func TestSpansBySkew(t *testing.T) {
	for skew, want := range map[time.Duration]string{0: "fails", 50 * time.Millisecond: "fails", 200 * time.Millisecond: "unknown"} {
		o := spansOptions(t, "", 1<<20)
		o.Properties = optionsOf(t, "", o.Options, `p: AG(once(operation == "a") -> AF[<= 400ms] once(operation == "b"))`).Properties
		o.Skew = skew
		m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
		later := strings.Replace(span(1, "b", `,"parentId":"a"`), "1000000", "1500000", 1)
		if err := feed(t, m, span(1, "a", "")+later); err != nil {
			t.Fatal(err)
		}
		m.endSpans()
		for _, x := range m.outbox.held {
			if a := x.answer; a.Verdict != want || (want == "unknown") != (a.Reason == "it depends on clocks") {
				t.Errorf("skew %s: %+v", skew, a)
			}
		}
		if len(m.outbox.held) != 1 {
			t.Errorf("%d are answered", len(m.outbox.held))
		}
	}
}

// Where the root has not ended an execution is open if the run is interrupted, and decided at the end of the inputs.
func TestSpansEnd(t *testing.T) {
	for ended, want := range map[bool]int{true: 0, false: 1} {
		m := monitorOf(t, t.Context(), spansOptions(t, "", 1<<20), new(recorder).host(t.Context()))
		if err := feed(t, m, span(1, "b", `,"parentId":"a"`)); err != nil {
			t.Fatal(err)
		}
		m.ended = ended
		open := m.endSpans()
		if len(open) != want || len(m.outbox.held) != 1-want {
			t.Errorf("ended %v: %d are open, and %d answered", ended, len(open), len(m.outbox.held))
		}
		for _, x := range m.outbox.held {
			if x.answer.Ended != "" {
				t.Errorf("the input has ended, and no silence: %s", x.answer.Ended)
			}
		}
		for _, a := range open {
			if a.Reason != "its root span has not ended" || a.Final {
				t.Errorf("%+v", a)
			}
		}
	}
}

// A document that is refused is named by its line.
func TestRefusedDocument(t *testing.T) {
	m := monitorOf(t, t.Context(), spansOptions(t, "", 1<<20), new(recorder).host(t.Context()))
	err := feed(t, m, span(1, "a", "")+"\n"+`{"traceId":"x","id":"1","name":"a"}`+"\n")
	if err == nil || !strings.HasPrefix(err.Error(), "log:3:") {
		t.Errorf("%v", err)
	}
}

// The sender of spans is told how many were refused, and why.
func TestPartialSuccess(t *testing.T) {
	m := monitorOf(t, t.Context(), spansOptions(t, "", 1<<20), new(recorder).host(t.Context()))
	for _, x := range []struct {
		invalid, late int
		why           string
	}{
		{0, 0, ""},
		{2, 0, "spans must have a trace id and a span id"},
		{0, 3, "some belong to executions that have been decided"},
		{2, 3, "spans must have a trace id and a span id; some belong to executions that have been decided"},
	} {
		go func() {
			in := <-m.exports
			in.outcome = spans.Outcome{Invalid: x.invalid, Late: x.late}
			in.reply <- nil
		}()
		refused, why, err := m.receive(t.Context(), new(receive.Export))
		if refused != x.invalid+x.late || why != x.why || err != nil {
			t.Errorf("%d, %q, %v, want %+v", refused, why, err, x)
		}
	}
}

// When properties can become final is said where it is no matter of course, or to a terminal.
func TestForetell(t *testing.T) {
	for terminal, want := range map[bool]string{
		false: "[later holds or fails once its processes have closed]",
		true:  "[plain fails at an event, holds once its processes have closed later holds or fails once its processes have closed]",
	} {
		r := new(recorder)
		h := r.host(t.Context())
		if terminal {
			h.Status = func(string) {}
		}
		m := monitorOf(t, t.Context(), optionsOf(t, "", ingest.Options{Input: "native"}, "plain: AG(x@A == 1)\nlater: AG(x@A == 1 -> AF x@B == 1)"), h)
		if m.foretell(); fmt.Sprint(r.notes) != want {
			t.Errorf("%v, want %s", r.notes, want)
		}
	}
	r := new(recorder)
	if m := monitorOf(t, t.Context(), spansOptions(t, "", 1<<20), r.host(t.Context())); m.outlooks != nil {
		t.Error("nothing is foretold before the start")
	} else if m.foretell(); len(r.notes) > 0 {
		t.Errorf("of spans: %v", r.notes)
	}
}

// Answers in the log are counted by what they answer, and acknowledged numbers are those of the last record.
func TestSurvey(t *testing.T) {
	m := monitorOf(t, t.Context(), options(t, ""), new(recorder).host(t.Context()))
	for seq := range uint64(3) {
		a := &Answer{Verdict: "fails"}
		if err := m.survey(kindAnswer, &head{Seq: seq + 1, Key: "k", Answer: a}); err != nil {
			t.Fatal(err)
		}
	}
	if m.outbox.known["k"] != 3 || m.outbox.seq != 3 || len(m.outbox.unacked) != 3 || m.status != exit.SomeFails {
		t.Errorf("%d are known, the last is %d, %d are not acknowledged, status %d", m.outbox.known["k"], m.outbox.seq, len(m.outbox.unacked), m.status)
	}
	if err := m.survey(kindAck, &head{Acks: &acks{2, 3}}); err != nil || len(m.outbox.unacked) != 1 {
		t.Errorf("%d are not acknowledged, %v", len(m.outbox.unacked), err)
	}
	if _, _, err := decode(nil); err == nil || err.Error() != "a record of the log has no head" {
		t.Error(err)
	}
}

// The command gets final answers alone, and nobody gets again what was acknowledged.
func TestConsumers(t *testing.T) {
	o := newOutbox()
	var got [consumers]chan string
	for i := range o.sinks {
		got[i] = make(chan string, 10)
		o.sinks[i] = sink.New(sink.Options{Capacity: 1 << 20, Give: func(_ context.Context, text []byte) error {
			name := "open"
			if strings.Contains(string(text), `"final":true`) {
				name = "final"
			}
			got[i] <- name
			return nil
		}})
		defer o.sinks[i].Close()
	}
	o.noted = acks{0, 1}
	for _, x := range []*item{{answer: &Answer{}}, {seq: 1, answer: &Answer{Final: true}}, {seq: 2, answer: &Answer{Final: true}}} {
		if err := o.deliver(t.Context(), x, true); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"[open final final]", "[final]"} {
		if !o.sinks[i].Flush(t.Context()) {
			t.Fatal("not all were delivered")
		}
		close(got[i])
		var all []string
		for name := range got[i] {
			all = append(all, name)
		}
		if fmt.Sprint(all) != want {
			t.Errorf("%d got %v, want %s", i, all, want)
		}
	}
}

// A run ends once all is final: lines, and spans if there were some.
func TestUntilFinal(t *testing.T) {
	const holds, fails = `{"process":"A","set":{"n":1}}` + "\n", `{"process":"A","set":{"n":2}}` + "\n"
	for _, x := range []struct {
		until, listens, open, decided bool
		lines                         string
		want                          bool
	}{
		{until: true, lines: fails, want: true},
		{until: false, lines: fails, want: false},
		{until: true, lines: holds, want: false},
		{until: true, listens: true, want: false},
		{until: true, listens: true, lines: fails, want: true},
		{until: true, listens: true, lines: fails, open: true, want: false},
		{until: true, listens: true, decided: true, want: true},
		{until: true, listens: true, decided: true, open: true, want: false},
		{until: true, listens: true, decided: true, lines: holds, want: false},
	} {
		o := optionsOf(t, "", ingest.Options{Input: "native"}, "never: AG(!(n@A > 1))")
		o.UntilFinal = x.until
		m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
		if _, err := m.executions.Of(nil, m.clock); err != nil {
			t.Fatal(err)
		}
		m.foretell()
		if x.listens {
			m.decidedSpans = x.decided
		}
		if err := feed(t, m, x.lines); err != nil {
			t.Fatal(err)
		}
		if x.open {
			s := spansOptions(t, "", 1<<20)
			f := monitorOf(t, t.Context(), s, new(recorder).host(t.Context()))
			if err := feed(t, f, span(1, "b", `,"parentId":"a"`)); err != nil {
				t.Fatal(err)
			}
			m.spans = f.spans
		}
		if got := m.over(); got != x.want {
			t.Errorf("%+v: it is over: %v", x, got)
		}
	}
}

// An execution that ends well is no failure of the run.
func TestExecutionEnds(t *testing.T) {
	r := new(recorder)
	got, status, err := watched(t, t.Context(), options(t, ""), r, line("a", 1)+`{"s":"a","closed":true}`+"\n")
	if fmt.Sprint(got) != "[a]" || status != exit.AllHold || err != nil || len(r.failed) > 0 {
		t.Errorf("%v, status %d, %v, %v", got, status, err, r.failed)
	}
}

// Of processes that share a clock more may be ordered than the lines say.
func TestSharedClock(t *testing.T) {
	for second, want := range map[string]bool{"h": true, "g": false} {
		m := monitorOf(t, t.Context(), optionsOf(t, "", ingest.Options{Input: "native"}, "p: EF(x@A == 1 && x@B == 1)"), new(recorder).host(t.Context()))
		if _, err := m.executions.Of(nil, m.clock); err != nil {
			t.Fatal(err)
		}
		m.foretell()
		at := `{"process":%q,"clock_id":%q,"set":{"x":1},"time":%d}` + "\n"
		if err := feed(t, m, fmt.Sprintf(at, "A", "h", 1)+fmt.Sprintf(at, "A", "h", 2)+fmt.Sprintf(at, "B", second, 3)); err != nil {
			t.Fatal(err)
		}
		if got := held(m); len(got) != 1 || strings.Contains(got[0], "possibly spurious: processes share a clock") != want {
			t.Errorf("%s: %q", second, got)
		}
	}
}

// A clock that processes of different executions read is shared in neither.
func TestClockOfExecutions(t *testing.T) {
	o := optionsOf(t, "", ingest.Options{Input: "native", ExecutionKey: "s"}, "p: EF(x@A == 1 && x@B == 1)")
	m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
	m.foretell()
	at := `{"s":%q,"process":%q,"clock_id":%q,"set":{"x":1},"time":1}` + "\n"
	var lines string
	for _, x := range [][3]string{
		{"one", "A", "h"}, {"one", "B", "g"}, {"two", "A", "g"}, {"two", "B", "h"}, {"three", "A", "h"}, {"three", "B", "h"},
	} {
		lines += fmt.Sprintf(at, x[0], x[1], x[2])
	}
	if err := feed(t, m, lines); err != nil {
		t.Fatal(err)
	}
	all := held(m)
	for i, shared := range []bool{false, false, true} {
		if len(all) != 3 || strings.Contains(all[i], "processes share a clock") != shared {
			t.Fatalf("%d: %q", i, all)
		}
	}
}

// That no bindings are named is no choice: --bindings 0 is refused.
func TestNoBindings(t *testing.T) {
	o := options(t, "")
	o.Bindings = 0
	if _, err := newMonitor(t.Context(), o, new(recorder).host(t.Context())); err == nil || err.Error() != "--bindings must be at least 1, not 0" {
		t.Error(err)
	}
}

// Times that are numbers count what --time-unit says.
func TestTimeUnit(t *testing.T) {
	for unit, want := range map[time.Duration]string{
		0:                "what begins with A:1 is not over by 3, but after 9s",
		time.Millisecond: "",
	} {
		o := optionsOf(t, "", ingest.Options{Input: "native"}, "p: x@A == 1 lasts <= 2s")
		o.Unit = unit
		m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
		if _, err := m.executions.Of(nil, m.clock); err != nil {
			t.Fatal(err)
		}
		m.foretell()
		at := `{"process":"A","set":{"x":%d},"time":%d}` + "\n"
		if err := feed(t, m, fmt.Sprintf(at, 1, 1)+fmt.Sprintf(at, 0, 10)); err != nil {
			t.Fatal(err)
		}
		got := held(m)
		if (len(got) == 1) != (want != "") || want != "" && !strings.Contains(got[0], want) {
			t.Errorf("%s: %q, want %q", unit, got, want)
		}
	}
}

// At the end of the inputs all executions of spans are over, and none was silent.
func TestSpansAtTheEnd(t *testing.T) {
	r := new(recorder)
	got, status, err := watched(t, t.Context(), spansOptions(t, "", 1<<20), r, span(1, "b", `,"parentId":"a"`))
	if len(got) != 1 || status != exit.AllHold || err != nil || strings.Contains(r.results.String(), "silent") {
		t.Errorf("%v, status %d, %v: %s", got, status, err, r.results.String())
	}
}

// Consumers of JSON get what formulas say as it is written.
func TestAnswerJSON(t *testing.T) {
	a := &Answer{Formula: "AG(x < 1 && y > 2)"}
	if got := string(a.json()); !strings.Contains(got, `"formula":"AG(x < 1 && y > 2)"`) {
		t.Error(got)
	}
}

// Without a log an answer leaves at once; with one it waits for a commit, which is made when nothing more arrives.
func TestMaybeCommit(t *testing.T) {
	for log, want := range map[string]bool{"": true, filepath.Join(t.TempDir(), "log"): false} {
		o := optionsOf(t, log, ingest.Options{Input: "native"}, "p: EF(x@A == 1)")
		o.Quiet = true
		m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
		if err := m.recover(); err != nil {
			t.Fatal(err)
		}
		m.outbox.add("key", &Answer{Final: true})
		if err := m.maybeCommit(false); err != nil || (len(m.outbox.held) == 0) != want {
			t.Errorf("log %q: %d wait, %v", log, len(m.outbox.held), err)
		}
		if err := m.maybeCommit(true); err != nil || len(m.outbox.held) > 0 {
			t.Errorf("log %q, idle: %d wait, %v", log, len(m.outbox.held), err)
		}
		if err := m.flush(); err != nil { // nobody reads
			t.Error(err)
		}
		if err := m.journal.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The position of a file stays before a line that is refused, so that the next run meets it again.
func TestRefusedPosition(t *testing.T) {
	const good, bad = `{"process":"A"}` + "\n", "words\n"
	for text, want := range map[string]int64{bad: -1, good + bad: int64(len(good)), good: int64(len(good))} {
		m := monitorOf(t, t.Context(), optionsOf(t, "", ingest.Options{Input: "native"}, "p: EF(x@A == 1)"), new(recorder).host(t.Context()))
		if _, err := m.executions.Of(nil, m.clock); err != nil {
			t.Fatal(err)
		}
		m.foretell()
		at := &tail.Position{File: "1", Path: "log", Offset: int64(len(text)), Line: strings.Count(text, "\n")}
		_ = m.ingest(&tail.Chunk{Source: "log", Text: []byte(text), At: at}, nil) // the position tells
		got := int64(-1)
		if p, ok := m.positions["1"]; ok {
			got = p.Offset
		}
		if got != want {
			t.Errorf("%q: read on at %d, want %d", text, got, want)
		}
	}
}

// Spans of one service are ordered by its clock, unless that is refused.
func TestSpansOfOneService(t *testing.T) {
	for refused, want := range map[bool]string{false: "fails", true: "holds"} {
		o := spansOptions(t, "", 1<<20)
		o.Properties = optionsOf(t, "", o.Options, `p: EF(once(operation == "b") && !once(operation == "a"))`).Properties
		o.NoSharedClock = refused
		m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
		of := func(line string, at int) string {
			line = strings.Replace(line, "1000000", fmt.Sprint(at), 1)
			return strings.Replace(line, `"duration"`, `"localEndpoint":{"serviceName":"x"},"duration"`, 1)
		}
		lines := span(1, "c", "") + of(span(1, "a", `,"parentId":"c"`), 1100000) + of(span(1, "b", `,"parentId":"c"`), 1200000)
		if err := feed(t, m, lines); err != nil {
			t.Fatal(err)
		}
		m.endSpans()
		if a := m.outbox.held[0].answer; len(m.outbox.held) != 1 || a.Verdict != want {
			t.Errorf("refused %v: %+v, want %s", refused, a, want)
		}
	}
}

// Of an execution of spans a person sees the run, and the page is of the first violation.
func TestSpansShown(t *testing.T) {
	o := spansOptions(t, "", 1<<20)
	o.Properties = optionsOf(t, "", o.Options, "always: EF true\nnever: AG(!once(operation == \"a\"))\nnothing: AG(!once(operation == \"c\"))").Properties
	o.JSON = false
	o.View = "page"
	var pages []string
	h := new(recorder).host(t.Context())
	h.View = func(path string, q *load.Question) error {
		pages = append(pages, path+" of "+q.Name)
		if q.Name == "one" && (!strings.Contains(q.Source, `@id == "`) || q.Formula.String() != q.Source) {
			t.Errorf("the page is of %s", q.Source)
		}
		return nil
	}
	m := monitorOf(t, t.Context(), o, h)
	if err := feed(t, m, span(1, "a", "")+span(2, "a", "")); err != nil {
		t.Fatal(err)
	}
	m.endSpans()
	shown := ""
	for _, x := range m.outbox.held {
		shown += fmt.Sprint(x.answer.Property, " ", strings.Contains(x.answer.Run, "a#1"), "; ")
	}
	if want := strings.Repeat("always true; never true; nothing false; ", 2); shown != want || fmt.Sprint(pages) != "[page of never]" {
		t.Errorf("%s, want %s; pages %q", shown, want, pages)
	}

	// Of a formula with bindings the page is of the first that fails.
	pages = nil
	o.Properties = optionsOf(t, "", o.Options, `one: forall e in events(operation == "a" && event == "start"): AG(!e)`).Properties
	m = monitorOf(t, t.Context(), o, h)
	if err := feed(t, m, span(1, "a", "")); err != nil {
		t.Fatal(err)
	}
	if m.endSpans(); fmt.Sprint(pages) != "[page of one]" {
		t.Errorf("of one binding there are %q", pages)
	}
}

// Events are counted when they come, and neither what else lines say nor what is replayed.
func TestAppliedEvents(t *testing.T) {
	o := options(t, filepath.Join(t.TempDir(), "log"))
	for _, want := range []int64{2, 0} {
		m := recovered(t, o)
		if want > 0 {
			if err := feed(t, m, line("a", 0)+line("b", 1)+`{"s":"a","closed":true}`+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		if m.applied != want {
			t.Errorf("%d events were applied, want %d", m.applied, want)
		}
		closed(t, m)
	}
}

// An execution that ends badly does not end the others; the only one ends the run.
func TestEndsBadly(t *testing.T) {
	const bad = `"process":"A","after":"nobody"}` + "\n"
	r := new(recorder)
	lines := `{"s":"a",` + bad + line("b", 0)
	got, status, err := watched(t, t.Context(), options(t, ""), r, lines)
	if !slices.Contains(got, "b") || status != exit.BadInput || err != nil || len(r.failed) != 1 || !strings.HasPrefix(r.failed[0], `execution "a": `) {
		t.Errorf("%v, status %d, %v, %q", got, status, err, r.failed)
	}
	r = new(recorder)
	_, _, err = watched(t, t.Context(), optionsOf(t, "", ingest.Options{Input: "native"}, "p: EF(n@A == 1)"), r, "{"+bad)
	if err == nil || len(r.failed) > 0 {
		t.Errorf("%v, %q", err, r.failed)
	}
}

// A compacted log keeps the exports that open executions need.
func TestNeededExports(t *testing.T) {
	o := spansOptions(t, "", 1<<20)
	m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
	body := func(trace int) []byte {
		return fmt.Appendf(nil, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"0000000000000001","name":"a"}]}]}]}`, trace)
	}
	open, err := receive.ReadExport(body(1), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.spans.Add(m.clock, open.Spans); err != nil {
		t.Fatal(err)
	}
	for trace, want := range map[int]bool{1: true, 2: false} {
		if got, needed := m.needed(kindSpans, &head{JSON: true}, body(trace), 1); needed != want || string(got) != string(body(trace)) {
			t.Errorf("trace %d is needed: %v", trace, needed)
		}
	}
}

// Metrics tell how many obligations are open.
func TestObligations(t *testing.T) {
	m := monitorOf(t, t.Context(), optionsOf(t, "", ingest.Options{Input: "native"}, "p: AG(x@A == 1 -> AF x@B == 1)"), new(recorder).host(t.Context()))
	if _, err := m.executions.Of(nil, m.clock); err != nil {
		t.Fatal(err)
	}
	m.foretell()
	at := `{"process":"A","set":{"x":%d}}` + "\n"
	if err := feed(t, m, `{"process":"B","set":{"x":0}}`+"\n"+strings.Repeat(fmt.Sprintf(at+at, 1, 0), 150)); err != nil {
		t.Fatal(err)
	}
	if n := measured(t, m.meter, `pota_open_obligations{property="p"}`, m.measure); n != 150 {
		t.Errorf("%v obligations are open, want 150", n)
	}
}

// What holds events back is told once for each reason, where half of the window is taken.
func TestTellHolding(t *testing.T) {
	o := optionsOf(t, "", ingest.Options{Input: "native"}, "p: EF(n@A == 1)")
	o.Window = 8
	r := new(recorder)
	m := monitorOf(t, t.Context(), o, r.host(t.Context()))
	if _, err := m.executions.Of(nil, m.clock); err != nil {
		t.Fatal(err)
	}
	waits := func(event string) string { return `{"process":"A","after":"` + event + `"}` + "\n" }
	for i, want := range []int{0, 1, 1} {
		lines := []string{strings.Repeat(waits("x"), 4), waits("x"), waits("x")}[i]
		if err := feed(t, m, lines); err != nil {
			t.Fatal(err)
		}
		if len(r.notes) != want {
			t.Errorf("%q, want %d notes", r.notes, want)
		}
	}
	if want := `of at most 8 events 5 are kept, as `; !strings.HasPrefix(r.notes[0], want) {
		t.Errorf("%q, want %q", r.notes, want)
	}
}

// Lines that are refused are counted, and those that are accepted are not.
func TestRefusedLines(t *testing.T) {
	m := monitorOf(t, t.Context(), optionsOf(t, "", ingest.Options{Input: "native"}, "p: EF(n@A == 1)"), new(recorder).host(t.Context()))
	if _, err := m.executions.Of(nil, m.clock); err != nil {
		t.Fatal(err)
	}
	_ = feed(t, m, `{"process":"A"}`+"\n")
	_ = feed(t, m, "words\n") // it is refused
	if n := measured(t, m.meter, "pota_lines_refused_total", func() {}); n != 1 {
		t.Errorf("%v lines are refused, want 1", n)
	}
}

// A sized journal has as many bytes that wait as it says.
type sized struct {
	volatile
	bytes int
}

func (s *sized) Pending() int  { return s.bytes }
func (s *sized) commit() error { s.bytes = 0; return nil }

// While more arrives, a commit is made once enough has come together.
func TestMuch(t *testing.T) {
	for _, x := range []struct {
		bytes, answers int
		want           bool
	}{{maxUncommitted - 1, 1, false}, {maxUncommitted, 1, true}, {1, maxHeld - 1, false}, {1, maxHeld, true}} {
		m := monitorOf(t, t.Context(), options(t, "log"), new(recorder).host(t.Context()))
		m.journal = &sized{bytes: x.bytes}
		for range x.answers {
			m.outbox.add("key", new(Answer))
		}
		if err := m.maybeCommit(false); err != nil || (len(m.outbox.held) == 0) != x.want {
			t.Errorf("%+v: %d answers are left, %v", x, len(m.outbox.held), err)
		}
	}
}

// A replay decides when as long has passed as an eighth of the deadline, to date what is pending.
func TestReplayDates(t *testing.T) {
	o := options(t, "")
	o.Deadline = idleSteps * time.Second
	m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
	for i, decides := range []bool{true, false, true} {
		m.undecided = time.Now()
		at := []time.Duration{0, time.Second, 2*time.Second + 1}[i]
		if err := m.replayLines(&head{Time: int64(time.Hour + at)}, nil); err != nil || m.undecided.IsZero() != decides {
			t.Errorf("after %s it decides: %v, %v", at, m.undecided.IsZero(), err)
		}
	}
}

// A person gets the run that shows an answer.
func TestLinesShown(t *testing.T) {
	for _, json := range []bool{false, true} {
		o := optionsOf(t, "", ingest.Options{Input: "native"}, "p: EF(n@A == 1)")
		o.JSON = json
		m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
		if _, err := m.executions.Of(nil, m.clock); err != nil {
			t.Fatal(err)
		}
		m.foretell()
		if err := feed(t, m, `{"process":"A","set":{"n":1}}`+"\n"); err != nil {
			t.Fatal(err)
		}
		if len(m.outbox.held) != 1 || m.outbox.held[0].answer.Verdict != "holds" || strings.Contains(m.outbox.held[0].answer.Run, "A:1") == json {
			t.Errorf("JSON %v: %q", json, held(m))
		}
	}
}

// Labels and times are kept where a property speaks of events.
func TestSpeaksOfEvents(t *testing.T) {
	for property, want := range map[string]bool{
		"p: EF(n@A == 1)":                                              false,
		"p: n@A == 1 lasts <= 2s":                                      true,
		"p: AG(n@A == 1 -> AF[<= 1s] n@A == 2)":                        true,
		"p: forall r in values(n): AG(!once(n == r))\nq: EF(n@A == 1)": true,
	} {
		m := monitorOf(t, t.Context(), optionsOf(t, "", ingest.Options{Input: "native"}, property), new(recorder).host(t.Context()))
		if m.speaksOfEvents != want {
			t.Errorf("%s: %v", property, m.speaksOfEvents)
		}
	}
}

// A formula that does not fit the execution is a mistake in it, and one that does not fit one of many is none.
func TestMisfit(t *testing.T) {
	r := new(recorder)
	_, status, err := watched(t, t.Context(), optionsOf(t, "", ingest.Options{Input: "native"}, "p: EF(z@A == 1)"), r, `{"process":"A"}`+"\n")
	if status != exit.BadInput || err != nil || len(r.failed) != 1 {
		t.Errorf("status %d, %v, %q", status, err, r.failed)
	}
	r = new(recorder)
	_, status, err = watched(t, t.Context(), options(t, ""), r, `{"s":"a","process":"B"}`+"\n")
	if status != exit.Undecided || err != nil || len(r.failed) > 0 {
		t.Errorf("of many: status %d, %v, %q", status, err, r.failed)
	}
}

// Who sends lines is told how many were accepted, and people are told why no more; that the run ends, or is busy, is
// no mistake.
func TestSentLines(t *testing.T) {
	for _, x := range []struct {
		reply    error
		accepted int
		told     bool
	}{
		{nil, 2, false},
		{&trace.Error{Line: 2, Msg: "wrong"}, 1, true},
		{receive.ErrEnding, 0, false},
		{receive.ErrBusy, 0, false},
	} {
		r := new(recorder)
		m := monitorOf(t, t.Context(), options(t, ""), r.host(t.Context()))
		go func() {
			for t.Context().Err() == nil {
				select {
				case a := <-m.requests:
					a.reply <- x.reply
				case <-t.Context().Done():
				}
			}
		}()
		accepted, err := m.lines(t.Context(), "name", strings.NewReader(line("a", 1)+line("a", 2)), 0)
		if accepted != x.accepted || (err == nil) != (x.reply == nil) || (len(r.notes) > 0) != x.told {
			t.Errorf("%v: %d are accepted, %v, %q", x.reply, accepted, err, r.notes)
		}
	}
}

// The log of other conditions is told by the first that differs.
func TestLogConditions(t *testing.T) {
	base := func() Options {
		o := options(t, "")
		o.Unit = time.Second
		return o
	}
	first := base()
	was := first.logConditions(nil)
	for want, change := range map[string]func(o *Options){
		"":                func(*Options) {},
		"properties":      func(o *Options) { o.Properties[0].Source = "other" },
		"--declared":      func(o *Options) { o.Declared = true },
		"--sync-size":     func(o *Options) { o.SyncSize = 2 },
		"--skew":          func(o *Options) { o.Skew = time.Second },
		"--execution-key": func(o *Options) { o.ExecutionKey = "t" },
		"--input":         func(o *Options) { o.Input = "shiviz" },
		"--regexp":        func(o *Options) { o.Regexp = "x" },
		"--map":           func(o *Options) { o.Map = "x" },
		"--skip-lines":    func(o *Options) { o.SkipLines = true },
		"--bindings":      func(o *Options) { o.Bindings++ },
		"--time-unit":     func(o *Options) { o.Unit = time.Millisecond },
	} {
		o := base()
		change(&o)
		if got := differs(was, o.logConditions(nil)); got != want {
			t.Errorf("%q differs, want %q", got, want)
		}
		if got := differs(o.logConditions(nil), was); (got == "") != (want == "") {
			t.Errorf("%s: the other way round %q differs", want, got)
		}
	}
}

// Options that do not fit together are refused, and those at their bounds are not.
func TestOptions(t *testing.T) {
	spansInput := func(o *Options) { o.Options = ingest.Options{Input: "otlp", Properties: o.Properties} }
	differ, err := syntax.Parse(`forall e in events(has(req)): exists d in events(req == e.req): d.time - e.time >= 5s`)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		change func(o *Options)
		want   string
	}{
		{func(o *Options) { o.Window, o.Bindings = 1, 1 }, ""},
		{func(o *Options) { o.Window = 0 }, "--window must be at least 1, not 0"},
		{func(o *Options) { o.Properties = nil }, "properties are missing"},
		{func(o *Options) { o.SyncSize = -1 }, "--sync-size must be at least 1, not -1"},
		{func(o *Options) { o.Deadline = -1 }, "--deadline must be positive"},
		{func(o *Options) { o.Skew = time.Second }, "--skew is only for bounds on time"},
		{func(o *Options) { o.Skew, o.Properties[0].Formula = time.Second, differ }, ""},
		{func(o *Options) { o.NoSharedClock = true }, "--no-shared-clock is only for spans"},
		{func(o *Options) { o.Grace = 1 }, "--grace is only for spans"},
		{func(o *Options) { o.Idle = 1 }, ""},
		{func(o *Options) { o.Idle, o.ExecutionKey = 1, "" }, "--idle is only for many executions"},
		{func(o *Options) { o.UntilFinal = true }, "--until-final is for one execution"},
		{func(o *Options) { o.UntilFinal, o.ExecutionKey = true, "" }, ""},
		{func(o *Options) { spansInput(o); o.NoSharedClock, o.Grace, o.Idle = true, 1, 1 }, ""},
		{func(o *Options) { spansInput(o); o.ExecutionKey = "s" }, "--input otlp and --execution-key exclude each other"},
		{func(o *Options) { spansInput(o); o.Declared = true }, "--input otlp and --declared exclude each other"},
		{func(o *Options) { spansInput(o); o.SyncSize = 1 }, "--input otlp and --sync-size exclude each other"},
		{func(o *Options) { o.Map, o.ExecutionKey, o.SyncSize = "x", "", 1 }, "--map and --sync-size exclude each other"},
		{func(o *Options) { o.SyncSize, o.Declared = 1, true }, ""},
	} {
		o := options(t, "")
		o.Grace = DefaultGrace
		x.change(&o)
		if err := o.check(); (err == nil) != (x.want == "") || err != nil && !strings.HasPrefix(err.Error(), x.want) {
			t.Errorf("%v, want %q", err, x.want)
		}
	}
	for _, x := range []struct {
		cert, key, token string
		listen           bool
		want             string
	}{
		{"", "", "", true, ""},
		{"", "", "t", false, "--tls-cert, --tls-key and --token-file are only for listeners"},
		{"c", "", "", true, "--tls-cert and --tls-key must both be given"},
		{"", "k", "", true, "--tls-cert and --tls-key must both be given"},
		{"", "", "", false, ""},
	} {
		o := Options{TLSCert: x.cert, TLSKey: x.key, TokenFile: x.token}
		if x.listen {
			o.Listen = []string{"127.0.0.1:1"}
		}
		if all, _, err := o.listeners(t.Context()); (err == nil) != (x.want == "") || err == nil && len(all) != len(o.Listen) || err != nil && !strings.HasPrefix(err.Error(), x.want) {
			t.Errorf("%+v: %v, %v", x, all, err)
		}
	}
}

// Where nothing else is named, standard input is read.
func TestPaths(t *testing.T) {
	for i, want := range []string{"[-]", "[log]", "[]"} {
		o := options(t, "")
		o.Paths = nil
		switch i {
		case 1:
			o.Paths = []string{"log"}
		case 2:
			o.Listen = []string{"127.0.0.1:1"}
		}
		if m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context())); fmt.Sprint(m.Paths) != want {
			t.Errorf("%v, want %s", m.Paths, want)
		}
	}
}

// The log has an execution where it has all answers to it.
func TestHas(t *testing.T) {
	o := newOutbox()
	o.known[keyOf(0, "a")] = 1
	if o.has("a", 2) || len(o.known) != 1 {
		t.Errorf("one of two answers is all: %v", o.known)
	}
	o.known[keyOf(1, "a")] = 1
	if !o.has("a", 2) || len(o.known) > 0 {
		t.Errorf("two of two answers are not all: %v", o.known)
	}
}

// Results that cannot be written end the run, and say so once.
func TestUnwritten(t *testing.T) {
	in, feed := io.Pipe()
	o := options(t, "")
	o.Stdin = in
	r := new(recorder)
	r.write = func([]byte) error { return errors.New("broken") }
	go func() { _, _ = io.WriteString(feed, line("a", 2)) }()
	if _, err := Run(t.Context(), o, r.host(t.Context())); err == nil || err.Error() != "writing the results: broken" {
		t.Error(err)
	}
	feed.Close()
}

// Executions are looked at while they can become idle: some are open, and end by that.
func TestIdleTimer(t *testing.T) {
	for i := range 8 {
		o := options(t, "")
		if i&1 == 0 {
			o.ExecutionKey = ""
		} else if i&2 > 0 {
			o.Idle = time.Hour
		}
		m := monitorOf(t, t.Context(), o, new(recorder).host(t.Context()))
		if i&4 > 0 {
			if _, err := m.executions.Of([]byte("a"), m.clock); err != nil {
				t.Fatal(err)
			}
		}
		if m.commitTimer() != nil {
			t.Error("there is nothing to be committed")
		}
		if got := m.idleTimer() != nil; got != (i == 7) {
			t.Errorf("%b: a timer: %v", i, got)
		}
	}
}

// Lines wait to be decided since the first that was accepted.
func TestUndecided(t *testing.T) {
	m := monitorOf(t, t.Context(), options(t, ""), new(recorder).host(t.Context()))
	var since time.Time
	for i, text := range []string{"words\n", line("a", 0), line("b", 0)} {
		_ = ingested(t, m, tail.Chunk{Source: "s", Text: []byte(text), New: i == 0}, true) // one is refused
		if m.undecided.IsZero() != (i == 0) || i == 2 && !m.undecided.Equal(since) {
			t.Errorf("%q: since %v, before %v", text, m.undecided, since)
		}
		since = m.undecided
	}
}

// A command that fails has had its answer, and that it failed is told.
func TestFailingCommand(t *testing.T) {
	r := new(recorder)
	o := options(t, "")
	o.Exec, o.Quiet = "exit 3", true
	m := monitorOf(t, t.Context(), o, r.host(t.Context()))
	m.openSinks()
	defer m.closeSinks()
	m.deliver(&item{seq: 1, answer: &Answer{Property: "p", Final: true}})
	if err := m.flush(); err != nil || m.outbox.sinks[command].Acked() != 1 || fmt.Sprint(r.notes) != "[--exec: p: exit status 3]" {
		t.Errorf("%v, %q", err, r.notes)
	}
}

// A log is compacted once it is due, and not where all of its lines are of one execution.
func TestDue(t *testing.T) {
	for _, key := range []string{"s", ""} {
		for due, want := range map[int64]bool{1 << 40: false, 0: key != ""} {
			o := options(t, filepath.Join(t.TempDir(), "log"))
			o.ExecutionKey = key
			m := recovered(t, o)
			m.journal.(*durable).due = due
			m.endedAt["x"] = 1
			if err := m.journal.compact(m); err != nil || (len(m.endedAt) == 0) != want {
				t.Errorf("key %q, due at %d bytes: compacted %v, %v", key, due, len(m.endedAt) == 0, err)
			}
			closed(t, m)
		}
	}
}
