package fix

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// locks returns a computation of two clients that take one of two locks in turns, rounds times,
// with nothing to order them. Labelled says whether events have labels.
func locks(t *testing.T, rounds int, labelled bool) *graphs.Computation {
	t.Helper()
	var b graphs.Builder
	var cs, lock [2]*graphs.Variable
	for p := range 2 {
		b.Process(fmt.Sprintf("C%d", p))
		cs[p], lock[p] = b.Variable(p, "cs"), b.Variable(p, "lock")
		b.Init(cs[p], graphs.Boolean(false))
		b.Init(lock[p], graphs.Int(0))
	}
	now := int64(0)
	for k := range rounds {
		for p := range 2 {
			for _, in := range []bool{true, false} {
				e := b.Event(p)
				b.Set(cs[p], e, graphs.Boolean(in))
				b.Set(lock[p], e, graphs.Int(int64(k%2)))
				now++
				b.SetInstant(e, now)
				if labelled {
					b.SetLabel(e, fmt.Sprintf(map[bool]string{true: "grant %d", false: "release %d"}[in], now))
				}
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// missing finds a fix for a formula.
func missing(t *testing.T, c *graphs.Computation, text string, opts Options) (*Fix, error) {
	t.Helper()
	f, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	_, f, err = rctl.Resolve(t.Context(), c, f)
	if err != nil {
		t.Fatal(err)
	}
	return Missing(t.Context(), c, f, opts)
}

// Orders of one kind form a rule, with the value that both events have.
func TestRules(t *testing.T) {
	const mutex = "AG(forall i != j: !(cs@i && cs@j))"
	for _, test := range []struct {
		labelled   bool
		formula    string
		want, line string
	}{
		// From one client to the other, and back to the first, with the other lock.
		{true, mutex, `[each "release …" before the next "grant …" (5 times)]`, "C1:1 must wait for C0:2, and 4 orders more"},
		{false, mutex, `[each "cs = false" before the next "cs = true" (5 times)]`, "C1:1 must wait for C0:2, and 4 orders more"},
		{false, "AG(forall i != j: !(cs@i && cs@j && lock@i == lock@j && lock@i == 1))",
			"", "C1:3 must wait for C0:4"},
		{true, "AG(forall i != j: !(cs@i && cs@j)) && AG(true)", `[each "release …" before the next "grant …" (5 times)]`, "C1:1 must wait for C0:2, and 4 orders more"},
	} {
		fix, err := missing(t, locks(t, 3, test.labelled), test.formula, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !fix.Recorded || !fix.Least || fix.String() != test.line {
			t.Errorf("%s: %s, recorded %v, least %v", test.formula, fix, fix.Recorded, fix.Least)
		}
		if got := fix.Rules(); fmt.Sprint(got) != test.want && (test.want != "" || got != nil) {
			t.Errorf("%s: %v, want %s", test.formula, got, test.want)
		}
	}

	c := locks(t, 4, true)
	fix := &Fix{Run: c.Recorded(), of: &search{c: c, keep: new(syntax.Formula)}}
	for _, pair := range [][2]int{{0, 1}, {2, 3}, {4, 5}} { // releases of C0 before grants of C1
		fix.Orders = append(fix.Orders, graphs.Edge{From: c.Event(0, pair[0]+2), To: c.Event(1, pair[1])})
	}
	const want = `[each "release …" before the next "grant …" of the same lock (3 times)]`
	if got := fmt.Sprint(fix.Rules()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	fix.Orders[2].To = c.Event(1, 7)
	if got := fmt.Sprint(fix.Rules()); got != `["release …" before "grant …" (3 times)]` {
		t.Error(got)
	}
}

// Quick gives up if the recorded run has a bad cut or is unknown, or if the trace is large.
func TestQuick(t *testing.T) {
	const mutex = "AG(!(cs@C0 && cs@C1))"
	quick := Options{Quick: true, Steps: 100}
	if fix, err := missing(t, locks(t, 5, true), mutex, quick); err != nil || len(fix.Orders) != 9 {
		t.Errorf("%v, %v", fix, err)
	}
	for name, refused := range map[string]struct {
		rounds  int
		formula string
	}{"observed": {5, "AG(!cs@C0)"}, "large": {200, mutex}, "many rounds": {40, "AG(!(cs@C0 && cs@C1 && lock@C0 + lock@C1 == 1) && !(cs@C0 && lock@C1 == 1 && lock@C0 == 0 && cs@C1))"}} {
		if fix, err := missing(t, locks(t, refused.rounds, true), refused.formula, quick); !errors.Is(err, ErrNotQuick) {
			t.Errorf("%s: %v, %v", name, fix, err)
		}
	}
}

// If there are many processes, orders are between those in the formula, if possible.
func TestManyProcesses(t *testing.T) {
	const n = 400
	var b graphs.Builder
	shared, _ := b.Share("turn")
	b.Init(shared, graphs.Int(0))
	var x [n]*graphs.Variable
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
		x[p] = b.Variable(p, "x")
		b.Init(x[p], graphs.Int(0))
	}
	now := int64(0)
	set := func(p int, v *graphs.Variable, value int64) {
		e := b.Event(p)
		b.Set(v, e, graphs.Int(value))
		now++
		b.SetInstant(e, now)
	}
	for p := range n {
		set(p, x[p], 1)
	}
	set(0, shared, 1)
	set(n-1, x[n-1], 2)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for formula, want := range map[string]string{
		// P1 sets x after P0 in the recorded order, but for no reason.
		"AG(x@P1 == 0 || x@P0 == 1)":       "P1:1 must wait for P0:1",
		"AG(x@P399 <= 1 || turn == 1)":     "P399:2 must wait for P0:2",
		"AG(turn == 0 || x@P398 == 1)":     "P0:2 must wait for P398:1",
		"AG(x@P5 == 0 || x@P3 + x@P4 > 1)": "P5:1 must wait for P3:1, and 1 order more",
	} {
		fix, err := missing(t, c, formula, Options{})
		if err != nil || fix.String() != want {
			t.Errorf("%s: %v, %v, want %s", formula, fix, err, want)
		}
	}

	// Via other processes, fewer orders could suffice.
	fix, err := missing(t, c, "AG(!(x@P1 == 1 && x@P0 == 0))", Options{AnyOrder: true})
	if err != nil || len(fix.Orders) != 1 || fix.Least {
		t.Errorf("%v, least %v, %v", fix, fix.Least, err)
	}
}
