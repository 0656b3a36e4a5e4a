package online

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// declared returns a monitor of one formula on the processes A and B, with x 0 in each.
func declared(t *testing.T, formula string, opts Options) *Monitor {
	t.Helper()
	opts.Declared = true
	m := New([]*syntax.Formula{parsed(t, formula)}, opts)
	for _, p := range []string{"A", "B"} {
		l := event(p, 0, "", "")
		l.Kind = stream.Declaration
		add(t, m, l)
	}
	return m
}

func add(t *testing.T, m *Monitor, lines ...*stream.Line) {
	t.Helper()
	for _, l := range lines {
		if err := m.Add(l); err != nil {
			t.Fatal(err)
		}
	}
}

// decide expects no answer yet.
func decide(t *testing.T, m *Monitor) {
	t.Helper()
	if answers, err := m.Decide(t.Context()); len(answers) != 0 || err != nil {
		t.Fatal(answers, err)
	}
}

// Of many obligations the oldest are listed, and the last one with how many there were
// between.
func TestObligationsAreLimited(t *testing.T) {
	for _, requests := range []int{99, 100, 101, 150} {
		m := declared(t, "AG(x@A == 1 -> AF x@B == 1)", Options{})
		for range requests {
			add(t, m, event("A", 1, "", ""), event("A", 0, "", ""))
		}
		decide(t, m)
		list := m.Obligations(0)
		listed, more := min(requests, 100), max(requests-100, 0)
		if len(list) != listed {
			t.Fatalf("%d requests: %d are listed, not %d", requests, len(list), listed)
		}
		for i, o := range list[:listed-1] {
			if want := fmt.Sprint("A:", 2*i+1); o.Event != want || o.More != 0 {
				t.Fatalf("%d requests: obligation %d is %s and %d more, not %s", requests, i, o.Event, o.More, want)
			}
		}
		last := list[listed-1]
		if want := fmt.Sprint("A:", 2*requests-1); last.Event != want || last.More != more {
			t.Errorf("%d requests: the last is %s and %d more, not %s and %d", requests, last.Event, last.More, want, more)
		}
	}
}

// A request that is taken back in the step in which it is made asks for nothing: no cut
// contains a part of a step.
func TestObligationWithinStep(t *testing.T) {
	request := event("A", 1, "", "")
	request.Sync = [][]byte{[]byte("first")}
	back := event("A", 0, "", "")
	back.Sync = [][]byte{[]byte("last")}
	partner := event("B", 0, "", "")
	partner.Sync = [][]byte{[]byte("first"), []byte("last")}

	m := declared(t, "AG(x@A == 1 -> AF x@B == 1)", Options{})
	add(t, m, request, partner, back)
	for _, p := range []string{"A", "B"} {
		add(t, m, &stream.Line{Kind: stream.Closing, Process: []byte(p)})
	}
	answers, err := m.Decide(t.Context())
	if err != nil || len(answers) != 1 || answers[0].Verdict.String() != "holds" {
		t.Error(answers, err, m.Obligations(0))
	}
}

// The reason why a window is full is the form of the formula where most of the window are
// events that it keeps, and otherwise what holds events back.
func TestWhyTheWindowIsFull(t *testing.T) {
	const limit = 20
	for kept := 2; kept < limit-1; kept++ {
		m := declared(t, "AF(x@A + x@B > 500)", Options{Most: limit})
		for i := range kept {
			add(t, m, event("A", i%7, "", ""))
		}
		add(t, m, event("B", 1, "", "m"))
		for m.Stream().Held() < limit {
			add(t, m, event("B", 1, "", ""))
		}
		answers, err := m.Decide(t.Context())
		if err != nil || len(answers) != 1 {
			t.Fatal(answers, err)
		}
		want := `of process "B" waits for message "m"`
		if 2*kept > limit {
			want = "all events that change the variables of such a formula are kept"
		}
		if reason := answers[0].Reason; !strings.Contains(reason, want) {
			t.Errorf("%d events are kept of %d: %s", kept, limit, reason)
		}
	}
}

// A window is worth looking at when it has grown to thrice what was left of it, and to
// 4,096 events at least; with a limit, no later than when it reaches that.
func TestDue(t *testing.T) {
	for _, limit := range []int{0, 10_000} {
		m := declared(t, "AF(x@A + x@B > 500)", Options{Most: limit})
		due := minWindow
		for i := range due {
			if m.Due() {
				t.Fatalf("limit %d: it is due after %d events", limit, i)
			}
			add(t, m, event("A", i%3, "", ""))
		}
		if !m.Due() {
			t.Errorf("limit %d: it is not due after %d events", limit, due)
		}
		decide(t, m)
		held := m.Stream().Held()
		if held != due {
			t.Fatalf("limit %d: %d events are kept", limit, held)
		}
		next := 3 * held
		if limit > 0 {
			next = min(next, limit)
		}
		for i := held; i < next; i++ {
			if m.Due() {
				t.Fatalf("limit %d: it is due again after %d events", limit, i)
			}
			add(t, m, event("A", i%3, "", ""))
		}
		if !m.Due() {
			t.Errorf("limit %d: it is not due after %d events", limit, next)
		}
	}
}

// A formula needs all events where it has a part that is not a predicate of one process.
func TestUnbounded(t *testing.T) {
	for formula, want := range map[string]bool{
		"EF(x@A == 1 && EG x@B == 1)":                        true,
		"EF(x@A == 1 && x@A + x@B == 2 && EG x@B == 1)":      false,
		"EF(x@A == 1 && EG(x@A + x@B < 9))":                  false,
		"EF(x@A == 1 && transit(A, B) > 1 && EG x@B == 1)":   false,
		"EF(x@A == 1 && E[x@A + x@B < 9 U x@B == 3])":        false,
		"EF(x@A == 1 && E[x@A > 0 || x@B > 0 U x@A > 2])":    true,
		"AG(x@A == 1 -> AF(x@A == 0 && x@B == 0))":           true,
		"AG(x@A + x@B == 1 -> AF(x@A == 0 && x@B == 0))":     false,
		"AG(x@A == 1 -> AF x@B == 1)":                        true,
		"AG(x@A + x@B == 1 -> AF x@B == 1)":                  false,
		"AG(x@A == 1 -> AF(x@B == 1 && x@A + x@B == 3))":     false,
		"EF(x@A == 1 && x@B == 0 && EF(x@A > 2 && x@B > 1))": true,
		"EF(x@A + x@B == 1 && EF(x@A > 2 && x@B > 1))":       false,
	} {
		m := declared(t, formula, Options{})
		for i := range 30 {
			sent := fmt.Sprint("m", i)
			to := event("A", i%3, sent, "")
			to.To = []byte("B")
			add(t, m, to, event("B", i%2, "", sent))
		}
		decide(t, m)
		if m.Bounded(0) != want {
			t.Errorf("%s: bounded %t", formula, m.Bounded(0))
		}
		if want == (m.Stream().Len() > 40) {
			t.Errorf("%s: %d events are kept", formula, m.Stream().Len())
		}
	}
}

// A shared variable is changed by all processes, and its answer stays open while one goes on.
func TestSharedAnswer(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "AG(x@A == 1 -> AF done)")}, Options{Options: stream.Options{Declared: true}})
	add(t, m, &stream.Line{Kind: stream.Sharing, Values: []stream.Assignment{{Name: []byte("done"), Value: graphs.Boolean(false)}}})
	for _, p := range []string{"A", "B"} {
		l := event(p, 0, "", "")
		l.Kind = stream.Declaration
		add(t, m, l)
	}
	add(t, m, event("A", 1, "", ""), &stream.Line{Kind: stream.Closing, Process: []byte("A")})
	decide(t, m)
	if list := m.Obligations(0); len(list) != 1 || list[0].Event != "A:1" {
		t.Error(list)
	}
	add(t, m, &stream.Line{Kind: stream.Closing, Process: []byte("B")})
	if answers, err := m.Decide(t.Context()); err != nil || len(answers) != 1 || answers[0].Verdict.String() != "fails" {
		t.Error(answers, err)
	}
}

// What holds at the final cut alone is said by two operators, one for all cuts and one for
// some cut.
func TestIsLast(t *testing.T) {
	for formula, want := range map[string]bool{
		"AG EF(x@A == 1)": true, "EG AF(x@A == 1)": true, "EF AG(x@A == 1)": true, "AF EG(x@A == 1)": true,
		"AG AF(x@A == 1)": true, "AG AG(x@A == 1)": false, "AG EG(x@A == 1)": false, "EF AF(x@A == 1)": false,
		"EF EF(x@A == 1)": false, "AX EF(x@A == 1)": false, "AG EX(x@A == 1)": false, "AG(x@A == 1)": false,
		"AG EF(EF(x@A == 1))": false,
	} {
		if isLast(parsed(t, formula)) != want {
			t.Errorf("%s: not %t", formula, want)
		}
	}
}

// A property is looked at again if it was resolved, or found not to fit, since it was decided.
func TestFresh(t *testing.T) {
	root := new(part)
	for _, c := range []struct {
		p    property
		want bool
	}{
		{property{}, false},
		{property{root: root}, true},
		{property{root: root, decided: true}, false},
		{property{root: root, decided: true, misfit: new(Answer)}, true},
		{property{misfit: new(Answer)}, true},
		{property{root: root, misfit: new(Answer), answer: Answer{Final: true}}, false},
	} {
		m := &Monitor{props: []*property{&c.p}}
		if m.fresh() != c.want {
			t.Errorf("%+v: not %t", c.p, c.want)
		}
	}
}

// What has given up is forgotten, whoever decided by looking at each event.
func TestGivenUpIsForgotten(t *testing.T) {
	for _, formula := range []string{
		"forall r in values(x): AG(once(x == r)@A -> AF once(x == r)@B)",
		"AG(x@A >= 1 -> AF[<= 5s] x@B >= 1)",
		"forall a in events(x > 0): exists b in events(x < 0): a before b",
	} {
		m := declared(t, formula, Options{Most: 3})
		var kept func() bool
		switch x := m.following[0].of.(type) {
		case *touch:
			kept = stillThere(x)
		case *deadline:
			kept = stillThere(x)
		case *pairs:
			kept = stillThere(x)
		}
		for x := range 4 {
			add(t, m, event("A", x+1, "", ""))
		}
		if answers, err := m.Decide(t.Context()); err != nil || len(answers) != 1 || answers[0].Reason == "" {
			t.Errorf("%s: %v, %v", formula, answers, err)
		}
		if runtime.GC(); kept() {
			t.Errorf("%s: all is kept", formula)
		}
		runtime.KeepAlive(m)
	}
}

// stillThere returns what reports whether a value is still reachable.
func stillThere[T any](x *T) func() bool {
	w := weak.Make(x)
	return func() bool { return w.Value() != nil }
}

// What q was is forgotten as the clock of p goes on, though p is never true; and once its process has closed.
func TestChangesAreForgotten(t *testing.T) {
	for _, closes := range []bool{false, true} {
		m := New([]*syntax.Formula{parsed(t, "AG(x@A == 1 -> AF[<= 5s] x@B == 1)")}, Options{Most: 100})
		at := func(process string, x, at int) *stream.Line {
			l := event(process, x, "", "")
			l.Time = fmt.Append(nil, at)
			return l
		}
		add(t, m, at("A", 0, 0))
		if closes {
			add(t, m, closing("A"))
		}
		for i := range 1000 {
			add(t, m, at("B", i%2, i))
			if !closes && i%10 == 0 {
				add(t, m, at("A", 0, i))
			}
		}
		decide(t, m)
		if !closes {
			add(t, m, at("B", 0, 1000), at("A", 1, 1001), at("A", 0, 1002), at("B", 0, 1010))
		}
		want := engine.VerdictOf(closes)
		if _, err := m.End(t.Context()); err != nil || m.Answer(0).Verdict != want {
			t.Errorf("closes %v: %v, %v, want %v", closes, m.Answer(0), err, want)
		}
	}
}
