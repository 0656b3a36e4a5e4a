package explain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// section has processes that enter a section, stay for an event and leave.
func section(t *testing.T, n int) *graphs.Computation {
	t.Helper()
	b := new(graphs.Builder)
	for p := range n {
		v := b.Variable(b.Process(fmt.Sprintf("P%d", p+1)), "cs")
		b.Init(v, graphs.Boolean(false))
		b.Set(v, b.Event(p), graphs.Boolean(true))
		b.Event(p)
		b.Set(v, b.Event(p), graphs.Boolean(false))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func explained(t *testing.T, c *graphs.Computation, text string) (string, *explain.Explainer, *rctl.Evidence) {
	t.Helper()
	f, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g, err := syntax.Resolve(context.Background(), f, rctl.Scope(c))
	if err != nil {
		t.Fatal(err)
	}
	res, err := rctl.Check(context.Background(), c, g, rctl.Options{Evidence: true})
	if err != nil || res.Evidence == nil {
		t.Fatalf("%s: %v, %v", text, res, err)
	}
	explainer := &explain.Explainer{Of: c, Property: f, Indent: "> "}
	var b strings.Builder
	if err := explainer.Write(&b, res.Evidence); err != nil {
		t.Fatal(err)
	}
	return b.String(), explainer, res.Evidence
}

func TestTell(t *testing.T) {
	for _, test := range []struct{ formula, want string }{
		{"AG(forall i != j: !(cs@i && cs@j))", `> cs is true at P1 and P2 after 2 events
> nothing orders P1:3 (cs: true → false) before P2:1 (cs: false → true)
> AG forall i != j: !(cs@i && cs@j) fails with i = P1, j = P2: a run of 2 events to this cut
>     1  P1:1    cs: false → true
>     2  P2:1    cs: false → true
>     –  P1:3    not yet: cs: true → false
> cut P1:1 P2:1 P3:0
>     cs@P1 = true   cs@P2 = true
`},
		{"EG(count i: cs@i) <= 1", `> a run of 9 events keeps to (count i: cs@i) <= 1 until its end
> EG((count i: cs@i) <= 1) holds: a run of 9 events to the end
`},
		{"EF true", `> it is so at the initial cut
> EF true holds: at this cut already
> cut P1:0 P2:0 P3:0
`},
		{"EX(exists i: cs@i)", `> cs is true at P1 after 1 event
> EX exists i: cs@i holds with i = P1: one event to this cut
>     1  P1:1    cs: false → true
> cut P1:1 P2:0 P3:0
>     cs@P1 = true
`},
	} {
		got, _, _ := explained(t, section(t, 3), test.formula)
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got\n%swant\n%s", test.formula, got, test.want)
		}
	}
}

func TestLabels(t *testing.T) {
	b := new(graphs.Builder)
	v := b.Variable(b.Process("P"), "x")
	b.Init(v, graphs.Int(0))
	for i, label := range []string{"restart\n\x1b", "", strings.Repeat("é", 61)} {
		h := b.Event(0)
		b.Set(v, h, graphs.Int(int64(i+1)))
		b.SetLabel(h, label)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	got, _, _ := explained(t, c, "EF(x == 3)")
	want := `> x is 3 at P after 3 events
> EF(x == 3) holds: a run of 3 events to this cut
>     1  P:1    x: 0 → 1  "restart\n\x1b"
>     2  P:2    x: 1 → 2
>     3  P:3    x: 2 → 3  "` + strings.Repeat("é", 60) + `…"
> cut P:3
>     x@P = 3
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Long runs and large cuts are cut short, and say by how much.
func TestLong(t *testing.T) {
	var all []string
	for p := range 30 {
		all = append(all, fmt.Sprintf("cs@P%d", p+1))
	}
	got, explainer, evidence := explained(t, section(t, 30), "EF("+strings.Join(all[:25], " && ")+")")
	if !strings.Contains(got, "and 1 more") || !strings.Contains(got, "… 13 processes more") && !strings.Contains(got, "… 18 processes more") {
		t.Errorf("got\n%s", got)
	}
	if steps := explainer.Explain(evidence).Steps; len(steps) != 15 || steps[14].Number != 25 || steps[14].Text() != "cs: false → true" {
		t.Errorf("steps %v", steps)
	}
	got, _, _ = explained(t, section(t, 45), "EF((count i: cs@i) >= 45)")
	if !strings.Contains(got, "…   30 events left out, 30 of which change something\n") {
		t.Errorf("got\n%s", got)
	}
	_, explainer, evidence = explained(t, section(t, 2), "AG(forall i != j: !(cs@i && cs@j))")
	if s := explainer.Summary(evidence); s != "cs is true at P1 and P2 after 2 events, with i = P1, j = P2; nothing orders P1:3 (cs: true → false) before P2:1 (cs: false → true)" {
		t.Error(s)
	}
}

// A reason is one sentence, whatever the formula.
func TestReason(t *testing.T) {
	for formula, want := range map[string]string{
		"EF(cs@P1 && EF(cs@P2 && !cs@P1))": "cs is true at P1 after 1 event, and then cs is false at P1 and cs is true at P2 after 3 events",
		"EF cs@P1 && EF cs@P2":             "cs is true at P1 after 1 event, and in another run cs is true at P2 after 1 event",
		"AF(cs@P1 && cs@P2)":               "a run of 6 events never reaches cs@P1 && cs@P2",
		"EX EX cs@P1":                      "a run of 1 event, and then cs is true at P1 after 1 event",
		"EF(!cs@P1 && EF(!cs@P1))":         "cs is false at P1 at the initial cut, and then cs is false at P1 there",
		"EF(cs@P1 && AG(!cs@P2))":          "cs is true at P1 after 4 events, and from there on, every run keeps to !cs@P2",
	} {
		_, explainer, evidence := explained(t, section(t, 2), formula)
		if l := explainer.Outline(evidence); l.Reason != want || l.Causes[0] != want {
			t.Errorf("%s: %s, want %s", formula, l.Reason, want)
		}
	}
}

// The events since which a state is what it is are the last changes of each process.
func TestCulprits(t *testing.T) {
	c := section(t, 3)
	_, explainer, evidence := explained(t, c, "EF(cs@P1 && !cs@P2 && EF cs@P2)")
	var ids []string
	for _, e := range explainer.Outline(evidence).Culprits {
		ids = append(ids, c.ID(e))
	}
	if got := strings.Join(ids, " "); got != "P1:1" {
		t.Errorf("culprits %s", got)
	}
	l := explainer.Outline(evidence)
	for v, want := range map[rctl.Verdict]string{
		rctl.Fails:   "mutex fails: " + l.Reason,
		rctl.Unknown: "mutex is unknown",
	} {
		if got := explain.Headline(syntax.Property{Name: "mutex"}, v, l); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	f, err := syntax.Parse("AG cs@P1")
	if err != nil {
		t.Fatal(err)
	}
	long := syntax.Property{Source: strings.Repeat("x\n", 50), Formula: f}
	if got := explain.Headline(long, rctl.Holds, nil); got != strings.Repeat("x ", 40)+"… holds on all runs" {
		t.Errorf("%q", got)
	}
}

// What does not show in names of a trace is escaped, so that it neither breaks lines
// nor speaks to a terminal.
func TestHidden(t *testing.T) {
	b := new(graphs.Builder)
	v := b.Variable(b.Process("P\x1b[31m\t"), "x")
	b.Init(v, graphs.Int(0))
	h := b.Event(0)
	b.SetID(h, []byte("é\n\u202e"))
	b.Set(v, h, graphs.Int(1))
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	got, explainer, evidence := explained(t, c, "EF(x == 1)")
	const want = `> x is 1 at P\x1b[31m\t after 1 event
> EF(x == 1) holds: one event to this cut
>     1  é\n\u202e  P\x1b[31m\t  x: 0 → 1
> cut P\x1b[31m\t:1
>     x@P\x1b[31m\t = 1
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := explainer.Summary(evidence), `x is 1 at P\x1b[31m\t after 1 event`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// messages has P send to Q by way of R, while S does something else: x of P, then y of Q.
func messages(t *testing.T) *graphs.Computation {
	t.Helper()
	b := new(graphs.Builder)
	p, q, r, other := b.Process("P"), b.Process("Q"), b.Process("R"), b.Process("S")
	x, y, z := b.Variable(p, "x"), b.Variable(q, "y"), b.Variable(other, "z")
	for _, v := range []*graphs.Variable{x, y, z} {
		b.Init(v, graphs.Int(0))
	}
	set, send := b.Event(p), b.Event(p)
	forward := b.Event(r)
	recv, done := b.Event(q), b.Event(q)
	b.Set(x, set, graphs.Int(1))
	b.Set(y, done, graphs.Int(1))
	b.Set(z, b.Event(other), graphs.Int(1))
	b.Deliver(b.NewMessage("first"), send, forward, -1)
	b.Deliver(b.NewMessage("second"), forward, recv, -1)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The messages that lead to a step are told, all events where that is asked, and
// variables that are to be shown.
func TestLinks(t *testing.T) {
	c := messages(t)
	_, explainer, evidence := explained(t, c, "EF(y == 1 && z == 1)")
	rows := func() string {
		var b strings.Builder
		for _, s := range explainer.Explain(evidence).Steps {
			fmt.Fprintf(&b, "%s %s\n", c.ID(s.Event), s.Text())
		}
		return b.String()
	}
	const linked = "P:2 sends \"first\" to R\nR:1 receives \"first\" from P, sends \"second\" to Q\nQ:1 receives \"second\" from R\nQ:2 y: 0 → 1\nS:1 z: 0 → 1\n"
	if got := sorted(rows()); got != sorted(linked) {
		t.Errorf("got\n%swant\n%s", got, linked)
	}
	explainer.Full = true
	if got := sorted(rows()); got != sorted(linked+"P:1 \n") {
		t.Errorf("in full:\n%s", got)
	}
	explainer.Full = false
	explainer.Show = func(v *graphs.Variable) bool { return v.Name == "x" }
	if got := sorted(rows()); got != sorted(linked+"P:1 x: 0 → 1\n") {
		t.Errorf("with x:\n%s", got)
	}
	if got := explainer.Summary(evidence); !strings.Contains(got, "x@P = 1, y@Q = 1, z@S = 1") {
		t.Error(got)
	}
}

func sorted(lines string) string {
	all := strings.Split(lines, "\n")
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// What no run can show is told where it begins to hold.
func TestRemarks(t *testing.T) {
	c := section(t, 2)
	for _, test := range []struct{ formula, want string }{
		{"EF(cs@P1 && !EF(cs@P2))", "EF cs@P2 fails: from here on, no run reaches cs@P2"},
		{"EF(cs@P1 && AG(!cs@P2))", "AG !cs@P2 holds: from here on, every run keeps to !cs@P2"},
		{"EF(cs@P2 && AF(!cs@P2))", "AF !cs@P2 holds: from here on, every run reaches !cs@P2"},
		{"EF(cs@P2 && !EG(cs@P2))", "EG cs@P2 fails: from here on, no run keeps to cs@P2"},
		{"EF(cs@P2 && AX(cs@P1 || cs@P2))", "AX(cs@P1 || cs@P2) holds: every event leads from here to cs@P1 || cs@P2"},
		{"EF(cs@P1 && (exists i: !cs@i && !EF(cs@i)))", "EF cs@i fails: from here on, no run reaches cs@i"},
		{"AG(forall i: cs@i -> EF(cs@i && cs@P1))", "EF(cs@i && cs@P1) fails: from here on, no run reaches cs@i && cs@P1"},
		{"EF(cs@P1 && (cs@P2 || AG(!cs@P1)))", ""},
	} {
		_, explainer, evidence := explained(t, c, test.formula)
		if got := strings.Join(explainer.Explain(evidence).Remarks, "; "); got != test.want {
			t.Errorf("%s: %q, want %q", test.formula, got, test.want)
		}
	}
}

// What levels and remarks claim is true, by brute force, where they claim it.
func TestClaimsAreTrue(t *testing.T) {
	asked := map[string]string{
		"no run reaches ": "!EF(%s)", "no run keeps to ": "!EG(%s)", "no event leads from here to ": "!EX(%s)",
		"every run keeps to ": "AG(%s)", "every run reaches ": "AF(%s)", "every event leads from here to ": "AX(%s)",
	}
	told, n := make(map[string]int), graphtest.Rounds(t, 2000)
	for i := range n {
		r := rand.New(rand.NewPCG(51, uint64(i)))
		c := graphtest.Random(r, graphtest.Config{Processes: 3, Events: 9, Kinds: graphtest.AllKinds})
		if c.Empty() {
			continue
		}
		text := fmt.Sprintf([]string{"EF(%s && %s)", "AG(%s || %s)", "E[%s U %s]", "A[%s R %s]"}[r.IntN(4)], enginetest.Nested(r, c, r.IntN(2)), enginetest.Nested(r, c, 1+r.IntN(2)))
		property, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		resolved := func(text string) *syntax.Formula {
			f, err := rctltest.Resolve(c, text)
			if err != nil {
				t.Fatalf("case %d: %v", i, err)
			}
			return f
		}
		res, err := rctl.Check(context.Background(), c, resolved(text), rctl.Options{Evidence: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Evidence == nil {
			continue
		}
		l := graphtest.NewLattice(c)
		check := func(claim string, want bool, cut graphs.Cut) {
			if rctltest.Holds(l, resolved(claim))[l.Index(cut)] != want {
				t.Fatalf("case %d: %s: %s at %v is not %t", i, text, claim, cut, want)
			}
		}
		var visit func(level *explain.Level)
		visit = func(level *explain.Level) {
			check(level.Formula.String(), level.Verdict == rctl.Holds, level.Evidence.Start)
			for _, remark := range level.Remarks {
				claim, reason, _ := strings.Cut(remark, ": ")
				end := strings.LastIndexByte(claim, ' ')
				check(claim[:end], claim[end+1:] == "holds", level.Evidence.Cut)
				reason = strings.TrimPrefix(reason, "from here on, ")
				for words, form := range asked {
					if what, ok := strings.CutPrefix(reason, words); ok {
						told[words]++
						check(fmt.Sprintf(form, what), true, level.Evidence.Cut)
					}
				}
			}
			for _, child := range level.Children {
				visit(child)
			}
		}
		visit((&explain.Explainer{Of: c, Property: property}).Explain(res.Evidence))
	}
	for words := range asked {
		if told[words] < n/400 {
			t.Errorf("%s: only %d times in %d", words, told[words], n)
		}
	}
}

// Of a long run the end is told, and the last change of each variable.
func TestEndFirst(t *testing.T) {
	b := new(graphs.Builder)
	once, often := b.Variable(b.Process("P"), "once"), b.Variable(b.Process("Q"), "often")
	b.Init(once, graphs.Int(0))
	b.Init(often, graphs.Int(0))
	first := b.Event(0)
	b.Set(once, first, graphs.Int(1))
	for i := range 500 {
		h := b.Event(1)
		b.Set(often, h, graphs.Int(int64(i+1)))
		if i == 0 {
			b.Order(first, h)
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	got, _, _ := explained(t, c, "EF(once == 1 && often == 500)")
	for _, want := range []string{
		"holds: a run of 501 events to this cut\n>     1    P:1    once: 0 → 1\n>     …    486 events left out, 486 of which change something\n>     488  Q:487",
		"\n>     501  Q:500    often: 499 → 500\n> cut",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}

// An instance is named that is true along a whole run.
func TestInstanceAlong(t *testing.T) {
	c := section(t, 3)
	_, explainer, evidence := explained(t, c, "AF(forall i in {P2, P3}: cs@i)")
	l := explainer.Explain(evidence)
	if !l.Evidence.Whole || l.Verdict != rctl.Fails || len(l.Bindings) > 1 {
		t.Errorf("%v %v", l.Verdict, l.Bindings)
	}
	b := new(graphs.Builder)
	for p := range 3 {
		v := b.Variable(b.Process(fmt.Sprintf("P%d", p+1)), "cs")
		b.Init(v, graphs.Boolean(p == 1))
		h := b.Event(p)
		b.Set(v, h, graphs.Boolean(true))
		if p == 2 {
			b.Set(v, b.Event(p), graphs.Boolean(false))
		}
	}
	stays, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	_, explainer, evidence = explained(t, stays, "EG(exists i: cs@i)")
	if l := explainer.Explain(evidence); len(l.Bindings) != 1 || l.Bindings[0] != (explain.Binding{Name: "i", Process: "P2"}) {
		t.Errorf("%v", l.Bindings)
	}
}
