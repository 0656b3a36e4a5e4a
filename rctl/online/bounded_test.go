package online

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// bounded are formulas of which a window is kept, and which no prefix of the execution decides.
var bounded = []string{
	"EF(x@A > 2 && x@B > 2)", "AG(x@A < 3 || x@B < 3)", "AG(x@A > 0 -> AF x@B > 0)", "AG EF(x@A == 0 && x@B == 0)",
	"AF(x@A > 2 && x@B > 1)", "EG(x@A < 3 || x@B < 1)", "AF(x@A > 2 && x@B > 1) && AG(x@A < 3)",
	"E[x@A < 3 && x@B < 3 U x@A > 2]", "A[x@A > 2 R x@A + x@B < 5]", "A[x@A + x@B < 5 W x@A > 2]",
	"EF(x@A == 2 && x@B == 0 && EF(x@A > 2 && x@B > 1))", "AG(x@A == 1 -> AG(x@B == 1 -> AG(x@A < 3 || x@B < 3)))",
	"AF(x@A == 1 && x@B == 3) || E[x@B < 3 U x@B > 2]",
	"AG(x@A > 0 && x@B > 0 -> AF x@B == 0)", "AG(x@A > 0 || x@B > 1 -> EF(x@A == 0 && x@B == 0))", "AG((x@A == 1 -> AF x@A == 0) && (x@B == 1 -> AF x@B == 0))",
	"A[x@A + x@B < 9 U x@A > 2]", "E[x@A < 3 && x@B < 3 W x@A > 2]", "E[x@A > 2 R x@A < 3 && x@B < 3]", "EF((x@A > 2 || x@B > 2) && EF x@B == 0)",
	"AG(x@A > 1 -> AF(x@A == 0 && x@B == 0))", "EF(x@A == 1 && EG x@B == 1)", "EF(x@A == 1 && x@B == 1 && EG(x@A == 0 || x@B > 0))", "AG(x@A == 1 -> A[x@A < 3 W x@B == 1])", "AG(x@A == 1 || x@B == 1 -> A[x@A < 3 U x@B < 2])", "EF(x@A == 1 && E[x@A > 0 || x@B > 0 U x@A > 2])",
	"EG(transit(A, B) < 3)", "AF(transit(A, B) > 2 || x@A == 3)", "E[transit(A, B) < 3 && x@A < 3 U x@B > 2]", "A[x@A < 3 || x@B < 3 W transit(A, B) > 1]",
}

func parsed(t *testing.T, text string) *syntax.Formula {
	t.Helper()
	f, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func event(process string, x int, send, recv string) *stream.Line {
	l := &stream.Line{Process: []byte(process), Values: []stream.Assignment{{Name: []byte("x"), Value: graphs.Int(int64(x))}}}
	if send != "" {
		l.Send = [][]byte{[]byte(send)}
	}
	if recv != "" {
		l.Recv = [][]byte{[]byte(recv)}
	}
	return l
}

// What is kept does not grow with the execution.
func TestBounded(t *testing.T) {
	for _, text := range bounded {
		m := New([]*syntax.Formula{parsed(t, text)}, Options{Options: stream.Options{Declared: true}})
		add := func(l *stream.Line) {
			if err := m.Add(l); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		for _, p := range []string{"A", "B"} {
			l := event(p, 0, "", "")
			l.Kind = stream.Declaration
			add(l)
		}
		for i := range graphtest.RoundsUpTo(t, 1000, 1000) { // x is 0, 1, 2 in turn, and each hears of the other
			asks, answers := event("A", i%3, fmt.Sprint("to B ", i), ""), event("B", i%3, fmt.Sprint("to A ", i), fmt.Sprint("to B ", i))
			asks.To, answers.To = []byte("B"), []byte("A")
			add(asks)
			add(answers)
			add(event("A", i%3, "", fmt.Sprint("to A ", i)))
			if i%10 == 0 {
				answers, err := m.Decide(context.Background())
				if len(answers) != 0 || err != nil || m.Stream().Len() > 10 {
					t.Fatalf("%s: round %d: %v, %v, %d events are kept", text, i, answers, err, m.Stream().Len())
				}
			}
		}
	}
}

// An interval that is left in the step in which another is entered does not overlap it.
func TestTogether(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "AF(x@A == 0 && x@B == 1)")}, Options{Options: stream.Options{Declared: true}})
	for _, p := range []string{"A", "B"} {
		l := event(p, 0, "", "")
		l.Kind = stream.Declaration
		if err := m.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"A", "B"} {
		l := event(p, 1, "", "")
		l.Sync = [][]byte{[]byte("s")}
		if err := m.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if answers, err := m.Decide(context.Background()); len(answers) != 0 || err != nil {
		t.Errorf("%v, %v", answers, err)
	}
	if answers, err := m.End(context.Background()); len(answers) != 1 || answers[0].Verdict != rctl.Fails || err != nil {
		t.Errorf("%v, %v", answers, err)
	}
}

// Once every cut still to come lies behind a state without p, E[p U q] fails, though no
// engine should say so.
func TestBarred(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "E[x@A != 1 U x@B == 3]")}, Options{})
	for _, l := range []*stream.Line{event("A", 0, "", ""), event("B", 0, "", ""), event("A", 1, "m", ""), event("B", 0, "", "m"), event("A", 0, "", "")} {
		if err := m.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	root := m.props[0].root
	root.stuck = false // nothing is decided on the open prefix
	if answers, err := m.Decide(context.Background()); len(answers) != 0 || err != nil || root.known != rctl.Fails {
		t.Errorf("%v, %v, %v", answers, err, root.known)
	}
}

// While a shared variable says that a request is answered, any process that has not heard that it is over may take
// that back, one among them that is not known yet.
func TestHeard(t *testing.T) {
	for _, declared := range []bool{false, true} {
		for _, heard := range []bool{false, true} {
			m := New([]*syntax.Formula{parsed(t, "AG(x@A == 1 -> EF done)")}, Options{Options: stream.Options{Declared: declared}})
			shared := &stream.Line{Kind: stream.Sharing, Values: []stream.Assignment{{Name: []byte("done"), Value: graphs.Boolean(true)}}}
			lines := []*stream.Line{shared}
			for _, p := range []string{"A", "B", "C"} {
				l := event(p, 0, "", "")
				l.Kind = stream.Declaration
				lines = append(lines, l)
			}
			hears := &stream.Line{Process: []byte("B"), Recv: [][]byte{[]byte("m")}}
			lines = append(lines, event("A", 1, "", ""), event("A", 0, "m", ""), hears)
			for _, p := range []string{"A", "C"} {
				lines = append(lines, &stream.Line{Kind: stream.Closing, Process: []byte(p)})
			}
			if !heard {
				hears.Recv = nil
			}
			for _, l := range lines {
				if err := m.Add(l); err != nil {
					t.Fatal(err)
				}
			}
			answers, err := m.Decide(t.Context())
			if err != nil || (len(answers) == 1 && answers[0].Verdict == rctl.Holds && answers[0].Events == 3) != (declared && heard) {
				t.Errorf("declared %t, heard %t: %v, %v", declared, heard, answers, err)
			}
		}
	}
}

// A cut that is forgotten stays found.
func TestPhases(t *testing.T) {
	for text, want := range map[string]rctl.Verdict{
		"EF(x@A == 1 && x@B == 0 && EF(x@A == 3 && x@B == 3))": rctl.Holds,
		"AG(x@A == 1 -> AG(x@B != 3))":                         rctl.Fails,
		"EF(x@A == 1 && EF(x@B == 5 && EF x@B == 3))":          rctl.Unknown,
		// There is no least cut with x@A == 1 || x@B == 0, but one with each.
		"EF((x@A == 1 || x@B == 0) && EF(x@A == 3 && x@B == 3))": rctl.Holds,
	} {
		m := New([]*syntax.Formula{parsed(t, text)}, Options{})
		lines := []*stream.Line{event("A", 1, "a", ""), event("B", 0, "b", "a"), event("A", 2, "", "b")}
		for i := range 100 {
			lines = append(lines, event("A", 2, fmt.Sprint("to B ", i), ""), event("B", 2, fmt.Sprint("to A ", i), fmt.Sprint("to B ", i)), event("A", 2, "", fmt.Sprint("to A ", i)))
		}
		lines = append(lines, event("A", 3, "", ""), event("B", 3, "", ""))
		var got Answer
		for i, l := range lines {
			if err := m.Add(l); err != nil {
				t.Fatal(err)
			}
			answers, err := m.Decide(context.Background())
			if err != nil || len(answers) == 0 && m.Bounded(0) && m.stream.Len() > 10 || len(answers) > 0 && i != len(lines)-1 {
				t.Fatalf("%s: line %d: %v, %v, %d events are kept", text, i, answers, err, m.stream.Len())
			}
			for _, got = range answers {
			}
		}
		if got.Verdict != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// A cut with p waits until there is q after it, across what is forgotten and saved, and the oldest is told first.
func TestWaiting(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "AG(x@A == 1 && x@B == 1 -> EF(x@A == 2 && x@B == 2)) && AG(x@A == 2 -> AF x@B == 3)")}, Options{})
	for i, x := range []struct {
		line *stream.Line
		want []string
	}{
		{event("A", 0, "", ""), nil}, {event("B", 0, "", ""), nil},
		{event("A", 1, "", ""), nil}, {event("B", 1, "", ""), []string{"B:2"}},
		{event("B", 2, "b", ""), []string{"B:2"}}, {event("A", 1, "a", "b"), []string{"B:2"}}, {event("B", 1, "", "a"), []string{"B:2"}},
		{event("A", 2, "", ""), []string{"B:4", "A:4"}}, {event("B", 2, "", ""), []string{"A:4"}},
		{event("B", 3, "", ""), nil},
	} {
		if err := m.Add(x.line); err != nil {
			t.Fatal(err)
		}
		answers, err := m.Decide(context.Background())
		if err != nil || len(answers) > 0 {
			t.Fatalf("%v, %v", answers, err)
		}
		var got []string
		for _, o := range m.Obligations(0) {
			got = append(got, o.Event)
			if !strings.Contains(o.Since.String(), " m=") {
				t.Errorf("after line %d: %v is not of the clock that nobody sets", i, o.Since)
			}
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("after line %d: %v, want %v", i, got, x.want)
		}
	}
}

// Messages that are lost are forgotten when there are many, the oldest first; what receives one of these waits.
func TestLost(t *testing.T) {
	const most = 16
	m := New([]*syntax.Formula{parsed(t, "AG(x@A < 3 || x@B < 3)")}, Options{Options: stream.Options{Lost: most}})
	for i := range 1000 {
		for _, l := range []*stream.Line{event("A", i%3, fmt.Sprint("lost ", i), ""), event("A", 0, fmt.Sprint("b", i), ""), event("B", 1, fmt.Sprint("a", i), fmt.Sprint("b", i)), event("A", 1, "", fmt.Sprint("a", i))} {
			if err := m.Add(l); err != nil {
				t.Fatal(err)
			}
		}
		if n := m.stream.Unsettled(); n > most {
			t.Fatalf("%d messages are under way", n)
		}
	}
	for i, id := range []string{"lost 998", "lost 1"} {
		if err := m.Add(event("C", 0, "", id)); err != nil || m.stream.Waiting(2) != (i == 1) {
			t.Errorf("%s: %v, waits: %v", id, err, m.stream.Waiting(2))
		}
	}
	answers, err := m.End(context.Background())
	if err != nil || len(answers) != 1 || answers[0].Verdict != rctl.Unknown || !strings.Contains(answers[0].Reason, "so long ago that it is forgotten") {
		t.Error(answers, err)
	}
}

// Events that wait for what does not come count towards the limit of the window, and so do messages in
// transit that a formula counts, also where all answers are final. It is told what holds things back.
func TestWaitingIsLimited(t *testing.T) {
	with := func(l *stream.Line, f func(*stream.Line)) *stream.Line { f(l); return l }
	after := with(event("A", 1, "", ""), func(l *stream.Line) { l.After = [][]byte{[]byte("B:9")} })
	behind := with(event("B", 1, "", ""), func(l *stream.Line) { l.After = [][]byte{[]byte("A:1")} })
	sync := with(event("A", 1, "", ""), func(l *stream.Line) { l.Sync = [][]byte{[]byte("s")} })
	to := with(event("A", 0, "#", ""), func(l *stream.Line) { l.To = []byte("B") })
	for _, x := range []struct {
		formula string
		first   *stream.Line
		then    *stream.Line // # in the id of what it sends is a number
		why     string       // the reason why the limit is reached; "" for a formula that is final before
	}{
		{"EF(x@A == 3 && x@B == 1)", event("A", 1, "", "m"), event("A", 1, "", ""), `event 1 of process "A" waits for message "m", whose send has not come`},
		{"AF(x@A + x@B > 5)", event("A", 1, "", "m"), event("A", 1, "", ""), `event 1 of process "A" waits for message "m", whose send has not come`},
		{"EF(x@A == 3 && x@B == 1)", event("A", 1, "", "m"), behind, `event 1 of process "A" waits for message "m", whose send has not come`},
		{"EF(x@A == 3 && x@B == 1)", after, event("A", 1, "", ""), `event 1 of process "A" waits for event "B:9", which has not come`},
		{"EF(x@A == 3 && x@B == 1)", sync, event("A", 1, "", ""), `event 1 of process "A" waits for sync "s", which other processes can still join`},
		{"EF(x@A == 3 && x@B == 1)", event("A", 1, "", ""), event("B", 1, "", ""), `process "A" has been silent since event 1`},
		{"AF(x@A + x@B > 500)", event("A", 1, "", ""), event("B", 1, "", ""), `all events that change the variables of such a formula are kept`},
		{"EF(x@B == 0)", event("A", 1, "", "m"), event("A", 1, "", ""), ""},
		{"AG(transit(A, B) < 1000)", to, to, "so many messages are in transit that a formula counts"},
	} {
		m := New([]*syntax.Formula{parsed(t, x.formula)}, Options{Most: 16, Options: stream.Options{Declared: true}})
		var answers []Answer
		for _, p := range []string{"A", "B"} {
			x := stream.Assignment{Name: []byte("x"), Value: graphs.Int(0)}
			if err := m.Add(&stream.Line{Kind: stream.Declaration, Process: []byte(p), Values: []stream.Assignment{x}}); err != nil {
				t.Fatal(err)
			}
		}
		if x.then == to { // else B is silent
			if err := m.Add(&stream.Line{Kind: stream.Closing, Process: []byte("B")}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 100 {
			l := *x.then
			if i == 0 {
				l = *x.first
			}
			if len(l.Send) > 0 && string(l.Send[0]) == "#" {
				l.Send = [][]byte{fmt.Append(nil, i)}
			}
			if err := m.Add(&l); err != nil {
				t.Fatal(err)
			}
			more, err := m.Decide(t.Context())
			if answers = append(answers, more...); err != nil || m.stream.Held() >= 16 || m.stream.Waiting(0) && m.stream.Held() == 0 {
				t.Fatalf("%s: line %d: %v, %d are held", x.formula, i, err, m.stream.Held())
			}
		}
		want := "the window has reached its limit of 16 events, as " + x.why
		if x.why == "" {
			want = ""
		}
		if len(answers) != 1 || answers[0].Reason != want {
			t.Errorf("%s: %v, want %s", x.formula, answers, want)
		}
	}
}

// What came before the past of an event was forgotten is decided, and nothing after it.
func TestForgottenPast(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "EF(x@A == 1)"), parsed(t, "EF(x@A == 2)")}, Options{})
	for _, l := range []*stream.Line{event("A", 1, "", ""), event("A", 2, "", "")} {
		if err := m.Add(l); err != nil {
			t.Fatal(err)
		}
		if m.stream.GivenUp() == nil {
			m.stream.GiveUp(errors.New("it is forgotten"))
		}
	}
	if !m.Due() {
		t.Error("it is not due")
	}
	answers, err := m.Decide(context.Background())
	if err != nil || len(answers) != 2 || answers[0].Verdict != rctl.Holds || answers[1].Verdict != rctl.Unknown || !m.Final() || m.Due() {
		t.Error(answers, err)
	}
	if m.stream.GivenUp() == nil || !m.Final() {
		t.Error("it is not known any more")
	}
}

// The clocks of events that no property sees are forgotten, while properties are open and after it.
func TestUnseenClocks(t *testing.T) {
	defer func(least int) { minClocks = least }(minClocks)
	minClocks = 1000
	m := New([]*syntax.Formula{parsed(t, "EF(x@A == 1)")}, Options{})
	if err := m.Add(&stream.Line{Kind: stream.Declaration, Process: []byte("A"), Values: []stream.Assignment{{Name: []byte("x"), Value: graphs.Int(0)}}}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 * minClocks {
		if i == minClocks {
			if err := m.Add(event("A", 1, "", "")); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Decide(context.Background()); err != nil || !m.Final() {
				t.Fatal(err)
			}
		}
		l := &stream.Line{Process: []byte{byte('C' + i%2)}, Send: [][]byte{fmt.Append(nil, i)}}
		if i > 0 {
			l.Recv = [][]byte{fmt.Append(nil, i-1)}
		}
		if err := m.Add(l); err != nil {
			t.Fatal(err)
		}
		if m.Due() {
			if _, err := m.Decide(context.Background()); err != nil {
				t.Fatal(err)
			}
			if n := m.stream.Clocks(); n > 0 {
				t.Fatalf("%d counts are kept", n)
			}
		}
	}
}
