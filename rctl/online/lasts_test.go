package online

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// longest returns how long h@P0 is true at the longest in some events in the order of their times, -1 for never; while
// P0 may go on, as far as its own events show.
func longest(all []stamped, begins, closed bool) int {
	most, since, holds := -1, 0, begins
	first, last := 1000, -1
	for _, e := range all {
		first, last = min(first, e.at), max(last, e.at)
	}
	if holds {
		since = first
	}
	for _, e := range all {
		if e.process != 0 {
			continue
		}
		if holds {
			most = max(most, e.at-since)
		}
		if e.h && !holds {
			since, most = e.at, max(most, 0)
		}
		holds = e.h
	}
	if holds && closed && last >= 0 {
		most = max(most, last-since)
	}
	return most
}

// TestLasts compares how long a state lasts with the definition at each prefix of streams, and at the end with pota
// detect: a stretch that is too long is final at once.
func TestLasts(t *testing.T) {
	early, ends := 0, 0
	for seed := range uint64(graphtest.RoundsUpTo(t, 2000, 5000)) {
		r := rand.New(rand.NewPCG(seed, 359))
		all := stampedStream(r, 0, r.IntN(2))
		bound, strict, negated := 1+r.IntN(6), r.IntN(2) == 0, r.IntN(2) == 0
		text := fmt.Sprintf("h@P0 lasts %s %ds", map[bool]string{true: "<", false: "<="}[strict], bound)
		if negated {
			text = fmt.Sprintf("EF[%s %ds] h@P0", map[bool]string{true: ">=", false: ">"}[strict], bound)
		}
		if r.IntN(3) == 0 {
			text, negated = "!("+text+")", !negated
		}
		tooLong := func(all []stamped, begins, closed bool) bool {
			n := longest(all, begins, closed)
			return n > bound || strict && n == bound
		}
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		m := New([]*syntax.Formula{f}, Options{})
		if len(m.following) != 1 {
			t.Fatalf("%s is not decided by deadlines", text)
		}
		begins := [3]bool{r.IntN(3) == 0}
		add := func(l *stream.Line) []Answer {
			if err := m.Add(l); err != nil {
				t.Fatal(err)
			}
			answers, err := m.Decide(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return answers
		}
		for p := range begins {
			add(&stream.Line{
				Kind:    stream.Declaration,
				Process: fmt.Appendf(nil, "P%d", p),
				Values:  []stream.Assignment{{Name: []byte("h"), Value: graphs.Boolean(begins[p])}},
			})
		}
		// P0 closes at a random moment after its last event.
		lastOf := 0
		for i, e := range all {
			if e.process == 0 {
				lastOf = i + 1
			}
		}
		closes := lastOf + r.IntN(len(all)-lastOf+1)
		violated := rctl.Fails
		if negated {
			violated = rctl.Holds
		}
		answered := false
		for i := range len(all) + 1 {
			var answers []Answer
			if i == closes && r.IntN(4) > 0 {
				answers = add(&stream.Line{Kind: stream.Closing, Process: []byte("P0")})
				if want := tooLong(all[:i], begins[0], true); len(answers) > 0 != (want && !answered) {
					t.Fatalf("seed %d: %s: %v after %v and the end of P0, want %v", seed, text, answers, all[:i], want)
				}
				answered = answered || len(answers) > 0
			}
			if i == len(all) {
				break
			}
			answers = add(stampedLine(all, i))
			p, _ := m.stream.Process("P0")
			want := tooLong(all[:i+1], begins[0], m.stream.Closed(p))
			if len(answers) > 0 != (want && !answered) || len(answers) > 0 && answers[0].Verdict != violated {
				t.Fatalf("seed %d: %s: %v after %v, want %v", seed, text, answers, all[:i+1], want)
			}
			answered = answered || len(answers) > 0
		}
		if answered {
			early++
		}
		if _, err := m.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, g, err := rctl.Resolve(t.Context(), whole(t, all, begins), f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := rctl.Check(t.Context(), c, g, rctl.Options{})
		if got := m.Answer(0); err != nil || got.Verdict != want.Verdict || got.Verdict == violated != tooLong(all, begins[0], true) {
			t.Fatalf("seed %d: %s of %v, %v: %v at the end, want %v (%v)", seed, text, begins, all, got, want, err)
		}
		if !answered {
			ends++
		}
	}
	if early < 100 || ends < 100 {
		t.Errorf("%d were final before the end, %d were not", early, ends)
	}
}

// What lasts too long is named with the time by which it had to be over, and with how long it took once that is known.
func TestLastsReason(t *testing.T) {
	for closes, want := range map[int]string{
		9: "what begins with 0 is not over by 6, but after 8s",
		8: "what begins with 0 is not over by 6",
	} {
		m := New([]*syntax.Formula{parsed(t, "h@P0 lasts <= 5s")}, Options{})
		all := []stamped{{at: 1, h: true, from: -1}, {at: closes, h: closes == 8, from: -1}}
		for i := range all {
			if err := m.Add(stampedLine(all, i)); err != nil {
				t.Fatal(err)
			}
		}
		if open := m.Obligations(0); len(open) > 1 {
			t.Errorf("open are %v", open)
		}
		if _, err := m.Decide(t.Context()); err != nil || m.Answer(0).Reason != want {
			t.Errorf("%q, %v, want %q", m.Answer(0).Reason, err, want)
		}
	}
}

// What lasts too long by some clocks, and not by others, is unknown, also where it is decided at the end.
func TestLastsByClocks(t *testing.T) {
	for text, want := range map[string]rctl.Verdict{
		"h@P0 lasts <= 5s": rctl.Unknown,
		"h@P0 lasts <= 9s": rctl.Holds,
		"h@P0 lasts >= 7s": rctl.Unknown,
		"h@P0 lasts >= 4s": rctl.Holds,
		"h@P0 lasts >= 8s": rctl.Fails,
	} {
		m := New([]*syntax.Formula{parsed(t, text)}, Options{Skew: time.Second})
		all := []stamped{{at: 1, h: true, from: -1}, {at: 7, from: -1}}
		for i := range all {
			if err := m.Add(stampedLine(all, i)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.End(t.Context()); err != nil || m.Answer(0).Verdict != want || (want == rctl.Unknown) != (m.Answer(0).Reason == dependsOnClocks) {
			t.Error(text, m.Answer(0), err)
		}
	}
}

// TestEach compares a formula about each process with the formulas about one that it stands for, at each prefix and at
// the end.
func TestEach(t *testing.T) {
	early, ends := 0, 0
	for seed := range uint64(graphtest.RoundsUpTo(t, 1600, 5000)) {
		r := rand.New(rand.NewPCG(seed, 360))
		all := stampedStream(r, 0, r.IntN(2))
		sides := []string{"h@i", "!h@i", `op@i == "a"`, `once(op == "b")@i`, "(h@i && op@i != \"c\")"}
		body := fmt.Sprintf("AG(%s -> AF[<= %ds] %s)", sides[r.IntN(5)], 1+r.IntN(5), sides[r.IntN(5)])
		if n := r.IntN(6); n < 3 {
			body = fmt.Sprintf([]string{"%s lasts <= %ds", "EF[>= %[2]ds] %[1]s", "%s lasts < %ds"}[n], sides[r.IntN(3)], 1+r.IntN(5))
		}
		word := []string{"forall", "exists"}[r.IntN(2)]
		having := r.IntN(2)
		n := 3 // processes with h
		list := r.IntN(4)
		in := []string{"", " in {P1, P0}", ` in "P?"`, ` in "*0"`}[list]
		f := parsed(t, word+" i"+in+[]string{": ", " having h: "}[having]+body)
		if having == 1 && r.IntN(2) == 0 {
			n = 2
		}
		skew := time.Duration(r.IntN(2)*r.IntN(3)) * time.Second
		m := New([]*syntax.Formula{f}, Options{Skew: skew})
		var one []*Monitor
		for p := range min(n, []int{3, 2, 3, 1}[list]) {
			g := parsed(t, strings.ReplaceAll(body, "@i", fmt.Sprint("@P", p)))
			one = append(one, New([]*syntax.Formula{g}, Options{Skew: skew}))
		}
		if len(m.following) != 1 || len(one[0].following) != 1 {
			continue // both are decided at the end
		}
		decides := engine.VerdictOf(word == "exists")
		check := func(what string, end bool) {
			t.Helper()
			want, open := decides.Not(), false
			for p := range one {
				v := one[p].Answer(0).Verdict
				if v == decides {
					want = decides
				}
				open = open || v == rctl.Unknown
			}
			if want != decides && (!end || open) {
				want = rctl.Unknown
			}
			if got := m.Answer(0); got.Verdict != want {
				t.Fatalf("seed %d: %s of %v, %s: %v, want %v", seed, f, all, what, got, want)
			}
		}
		add := func(l *stream.Line) {
			for _, m := range append(one, m) {
				if err := m.Add(l); err != nil {
					t.Fatal(err)
				}
				if _, err := m.Decide(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			check(string(l.Process), false)
		}
		for p := range 3 {
			l := &stream.Line{Kind: stream.Declaration, Process: fmt.Appendf(nil, "P%d", p)}
			l.Values = []stream.Assignment{
				{Name: []byte("h"), Value: graphs.Boolean(r.IntN(3) == 0)},
				{Name: []byte("op"), Value: graphs.Str(string("abc"[r.IntN(3)]))},
			}
			l.Values = l.Values[(p+3-n)/3:]
			add(l)
		}
		for i := range all {
			l := stampedLine(all, i)
			if all[i].process == n {
				l.Values = l.Values[:2]
			}
			add(l)
		}
		for p := range 3 {
			if r.IntN(2) == 0 {
				add(&stream.Line{Kind: stream.Closing, Process: fmt.Appendf(nil, "P%d", p)})
			}
		}
		if m.Final() {
			early++
		} else {
			ends++
		}
		for _, m := range append(one, m) {
			if _, err := m.End(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		check("at the end", true)
	}
	if early < 50 || ends < 50 {
		t.Errorf("%d were final before the end, %d were not", early, ends)
	}
}

// Late events of all processes are counted together, in whatever answer comes at the end.
func TestEachLate(t *testing.T) {
	for last, want := range map[bool]rctl.Verdict{false: rctl.Holds, true: rctl.Fails} {
		m := New([]*syntax.Formula{parsed(t, "exists i: AG(h@i -> AF[<= 2s] !h@i)")}, Options{})
		var all []stamped
		for _, at := range []int{1, 2, 10} {
			for p := range 2 {
				all = append(all, stamped{process: p, at: at, h: at == 1, from: -1})
			}
		}
		all = append(all, stamped{process: 1, at: 2, h: true, from: -1})
		for p := range 2 {
			all = append(all, stamped{process: p, at: 3 + p, h: last && p == 0, from: -1})
		}
		for i := range all {
			if err := m.Add(stampedLine(all, i)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.End(t.Context()); err != nil || m.Answer(0).Verdict != want || m.Answer(0).Late.Count == 0 {
			t.Errorf("%+v, %v, want %v; late are %v", m.Answer(0), err, want, m.Late(0))
		}
	}
}

// A process that no quantifier ranges over has no obligations.
func TestEachOutside(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "forall i in {P0}: AG(!h@i -> AF[<= 5s] h@i)")}, Options{})
	for p := range 2 {
		l := stampedLine([]stamped{{process: p, h: p == 0, from: -1}}, 0)
		l.Kind, l.ID, l.Time = stream.Declaration, nil, nil
		add(t, m, l)
	}
	add(t, m, stampedLine([]stamped{{at: 1, h: true, from: -1}}, 0), closing("P1"))
	decide(t, m)
	if open := m.Obligations(0); len(open) > 0 {
		t.Errorf("open are %v", open)
	}
}

// What is still to be decided is not forgotten, though another process has shown no time.
func TestLastsBeside(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "h@P0 lasts <= 98s")}, Options{Skew: time.Second})
	for p := range 2 {
		add(t, m, &stream.Line{Kind: stream.Declaration, Process: fmt.Appendf(nil, "P%d", 1-p)})
	}
	var all []stamped
	for i := range 22 {
		all = append(all, stamped{at: 5*i + i/21*25, h: i%2 == 0, from: -1}) // the last stretch is longer
		add(t, m, stampedLine(all, i))
		decide(t, m)
	}
	if answers, err := m.End(t.Context()); err != nil || len(answers) != 1 || answers[0].Verdict != rctl.Holds {
		t.Error(answers, err)
	}
}

// What is true at first may have begun before its process showed a time: it is decided once all have shown one.
func TestLastsFromTheBeginning(t *testing.T) {
	for first, want := range map[int]rctl.Verdict{3: rctl.Fails, 4: rctl.Holds} {
		m := New([]*syntax.Formula{parsed(t, "h@P0 lasts <= 2s")}, Options{})
		for p := range 2 {
			l := stampedLine([]stamped{{process: p, h: p == 0, from: -1}}, 0)
			l.Kind, l.ID, l.Time = stream.Declaration, nil, nil
			add(t, m, l)
		}
		all := []stamped{{at: 6, from: -1}, {at: 10, from: -1}, {process: 1, at: first, from: -1}}
		for i := range all {
			decide(t, m)
			add(t, m, stampedLine(all, i))
		}
		answers, err := m.Decide(t.Context())
		if early := len(answers) > 0; err != nil || early != (want == rctl.Fails) {
			t.Errorf("first at %d: %v, %v", first, answers, err)
		}
		if x := m.following[0].of.(*deadline); len(x.open) > 0 || x.held > 2 {
			t.Errorf("first at %d: %d tables are open, and %d held", first, len(x.open), x.held)
		}
		if _, err := m.End(t.Context()); err != nil || m.Answer(0).Verdict != want {
			t.Errorf("first at %d: %v, %v, want %v", first, m.Answer(0), err, want)
		}
	}
}

// Where a process of a list never comes, no deadline passes by the end.
func TestEachMissing(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "forall i in {P0, P1}: AG(h@i -> AF[<= 5s] !h@i)")}, Options{})
	add(t, m, stampedLine([]stamped{{at: 1, h: true, from: -1}}, 0))
	decide(t, m)
	if answers, err := m.End(t.Context()); err != nil || len(answers) != 1 || answers[0].Misfit == nil || answers[0].Verdict != rctl.Unknown {
		t.Error(answers, err)
	}
}

// A deadline that passes as a process closes has passed, whatever comes before the next decision.
func TestClosingPasses(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "AG(h@P0 -> AF[<= 3s] h@P1)")}, Options{})
	all := []stamped{{at: 1, h: true, from: -1}, {process: 2, at: 8, from: -1}, {process: 1, at: 2, h: true, from: -1}}
	add(t, m, stampedLine(all, 0), stampedLine(all, 1), closing("P0"), stampedLine(all, 2))
	if answers, err := m.Decide(t.Context()); err != nil || len(answers) != 1 || answers[0].Verdict != rctl.Fails || answers[0].Events != 2 {
		t.Error(answers, err)
	}
}

// A process may be declared when the other one has begun: what is true there at first answers at once.
func TestAnsweredFromTheBeginning(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "AG(h@P0 -> AF[<= 2s] h@P1)")}, Options{})
	all := []stamped{{process: 0, at: 1, h: false, from: -1}, {process: 1, at: 9, h: true, from: -1}, {process: 0, at: 9, h: false, from: -1}}
	for i, p := range []int{0, 1} {
		l := stampedLine([]stamped{{process: p, h: true, from: -1}}, 0)
		l.Kind, l.ID, l.Time = stream.Declaration, nil, nil
		add(t, m, l, stampedLine(all, i))
		decide(t, m)
	}
	add(t, m, stampedLine(all, 2))
	if answers, err := m.End(t.Context()); err != nil || len(answers) != 1 || answers[0].Verdict != rctl.Holds {
		t.Error(answers, err)
	}
}
