package infer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// What facts and engines say of candidates is what brute force says: in all orders, and in the
// recorded one.
func TestCandidatesAreRight(t *testing.T) {
	config := graphtest.Config{Processes: 3, Events: 8, Kinds: graphtest.PlainKinds}
	seen := make(map[string][2]int)
	for i, sample := range graphtest.Samples(graphtest.Rounds(t, 60), 7, config, false) {
		all := withHolder(sample)
		run := all.Recorded()
		if run == nil {
			run = all.Order()
		}
		ordered, err := all.Ordered(slices.Values(all.RunEdges(run)))
		if err != nil {
			t.Fatal(err)
		}
		v := vocabularyOf([]Run{{Computation: all}})
		// Bounds that are taught by one order are wrong in others.
		teacher := surveyed(t, v, ordered)
		taught := allCandidates(v, teacher)
		recorded, err := surveyed(t, v, all).inOrder(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		recorded.judge = newJudge(Run{Computation: ordered}, time.Hour)
		for _, c := range []*graphs.Computation{all, ordered} {
			f := surveyed(t, v, c)
			l := graphtest.NewLattice(c)
			for _, k := range taught {
				g, err := rctltest.Resolve(c, k.formula)
				if err != nil {
					t.Fatalf("case %d: %s: %v", i, k.formula, err)
				}
				want, got := rctltest.Holds(l, g)[l.Initial], k.holds(f)
				if c == ordered && k.template.luck && k.holds(recorded) != got {
					t.Fatalf("case %d: %s is %t in the recorded order, alone %t", i, k.formula, !got, got)
				}
				if got != want {
					t.Fatalf("case %d: %s (%s): %t, not %t", i, k.formula, k.template.name, got, want)
				}
				n := seen[k.template.name]
				if want {
					n[0]++
				} else {
					n[1]++
				}
				seen[k.template.name] = n
			}
		}
	}
	for _, template := range templates() {
		if slices.Contains(aboutEvents, template.name) {
			continue
		}
		if n := seen[template.name]; graphtest.Thorough() && n[0]+n[1] == 0 {
			t.Errorf("no case has a candidate of %s", template.name)
		}
	}
}

// aboutEvents are the templates that speak of events with fields.
var aboutEvents = []string{"precedence", "response", "at-most-once", "in-time"}

// eventRun returns a run of seven events with a field that says of what kind each is, and an id.
// Processes mostly take and drop a thing in turn.
func eventRun(t *testing.T, r *rand.Rand) Run {
	var text strings.Builder
	taken := make(map[string]bool)
	var sent []int
	for n := range 7 {
		p := r.IntN(3)
		key := fmt.Sprint("r", r.IntN(3))
		thing := fmt.Sprint(p, key)
		op := []string{"take", "note"}[r.IntN(5)/4]
		if taken[thing] && r.IntN(8) > 0 {
			op = "drop"
		}
		taken[thing] = op != "drop"
		fmt.Fprintf(&text, `{"process":"p%d","time":%d,"set":{"op":%q,"req":%q}`, p, n, op, key)
		if at := r.IntN(len(sent) + 1); at < len(sent) {
			fmt.Fprintf(&text, `,"recv":"m%d"`, sent[at])
			sent = slices.Delete(sent, at, at+1)
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&text, `,"send":"m%d"`, n)
			sent = append(sent, n)
		}
		text.WriteString("}\n")
	}
	return readRun(t, "events", text.String())
}

// byForce decides a formula on all cuts of a computation.
func byForce(t *testing.T, c *graphs.Computation, text string) bool {
	t.Helper()
	f, err := syntax.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c, g, err := rctl.Resolve(t.Context(), c, f)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	l := graphtest.NewLattice(c)
	return rctltest.Holds(l, g)[l.Initial]
}

// What facts say of candidates about events, and of those that another run teaches, is what brute
// force says of the formula: in all orders, and in the recorded one.
func TestEventCandidatesAreRight(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 36))
	seen := make(map[string]*[2]int)
	for _, name := range aboutEvents {
		seen[name] = new([2]int)
	}
	for i := range graphtest.Rounds(t, 800) {
		runs := []Run{eventRun(t, r), eventRun(t, r)}
		v := vocabularyOf(runs)
		teacher := surveyed(t, v, recordedOrder(runs[0].Computation))
		for _, c := range []*graphs.Computation{runs[0].Computation, recordedOrder(runs[0].Computation), runs[1].Computation} {
			f := surveyed(t, v, c)
			for _, k := range allCandidates(v, teacher) {
				n := seen[k.template.name]
				if n == nil {
					continue
				}
				want := byForce(t, c, k.formula)
				if got := k.holds(f); got != want {
					t.Fatalf("case %d: %s: %t, not %t", i, k.formula, got, want)
				}
				if want {
					n[0]++
				} else {
					n[1]++
				}
			}
		}
	}
	for name, n := range seen {
		t.Logf("%s: %d hold, %d fail", name, n[0], n[1])
		if n[0] == 0 || n[1] == 0 {
			t.Errorf("%s: %d hold, %d fail", name, n[0], n[1])
		}
	}
}

// All lines that are shown of small runs are what brute force says.
func TestShownLinesAreRight(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 36))
	lines := 0
	for range graphtest.Rounds(t, 160) {
		good, bad := []Run{eventRun(t, r), eventRun(t, r)}, eventRun(t, r)
		res := Infer(t.Context(), good, []Run{bad}, Options{Lines: 1000, Timeout: time.Hour})
		fails := func(f *Finding, runs ...*graphs.Computation) bool {
			return slices.ContainsFunc(runs, func(c *graphs.Computation) bool { return !byForce(t, c, f.Text) })
		}
		names := make(map[string]bool)
		for _, f := range slices.Concat(res.Breaks, res.Luck, res.Held) {
			if names[f.Name] {
				t.Errorf("two lines are called %s", f.Name)
			}
			names[f.Name] = true
		}
		one, two := good[0].Computation, good[1].Computation
		for _, f := range slices.Concat(res.Breaks, res.Held) {
			if fails(f, one, two) {
				t.Errorf("%s fails on a good run", f.Text)
			}
		}
		for _, f := range res.Breaks {
			if !fails(f, bad.Computation) {
				t.Errorf("%s holds on the bad run", f.Text)
			}
		}
		for _, f := range res.Luck {
			if !fails(f, one, two) || fails(f, recordedOrder(one), recordedOrder(two)) {
				t.Errorf("%s is not luck", f.Text)
			}
		}
		lines += len(res.Breaks) + len(res.Luck) + len(res.Held)
	}
	t.Logf("%d lines", lines)
	if lines == 0 {
		t.Error("no line is shown")
	}
}

// surveyed returns the facts of a computation.
func surveyed(t *testing.T, v *vocabulary, c *graphs.Computation) *facts {
	t.Helper()
	f, err := survey(t.Context(), v, Run{Computation: c}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// withHolder adds a variable of the first process with names of processes.
func withHolder(s graphtest.Sample) *graphs.Computation {
	c := s.Computation
	names := c.Processes()
	var events []graphs.Event
	var values []graphs.Value
	for k := range c.Len(0) {
		events = append(events, c.Event(0, k+1))
		values = append(values, graphs.Str(names[s.Rand.IntN(len(names))]))
	}
	return c.WithVariables([]*graphs.Variable{graphs.NewVariable(0, "holder", graphs.Str(""), events, values)})
}

// allCandidates returns the candidates that facts teach.
func allCandidates(v *vocabulary, teacher *facts) []*candidate {
	var all []*candidate
	f := &filler{
		ctx: context.Background(), vocabulary: v, good: []*facts{teacher},
		templates: templates(), definitions: pattern.Formulas(),
	}
	f.add = func(c *candidate) {
		c.template = f.template
		f.decided(c)
		f.write(c)
		all = append(all, c)
	}
	f.fillAll()
	return all
}
