package online

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// An act is what a process does: it begins, with x or without, assigns x, or closes.
type act struct {
	kind    stream.Kind
	process int
	x       int64 // none where the process begins without x
	joins   bool  // the event happened after all before it
}

const none = 99

// small is an execution of a few processes by their acts.
type small []act

// build makes the computation of the acts.
func (s small) build(t *testing.T) *graphs.Computation {
	var b graphs.Builder
	has := make(map[int]*graphs.Variable)
	last := make(map[int]graphs.Handle)
	variable := func(process int) *graphs.Variable {
		if has[process] == nil {
			has[process] = b.Variable(process, "x")
			b.Init(has[process], graphs.Int(0))
		}
		return has[process]
	}
	for _, a := range s {
		b.Process(string(rune('A' + a.process)))
		switch {
		case a.kind == stream.Declaration && a.x != none:
			b.Init(variable(a.process), graphs.Int(a.x))
		case a.kind == stream.Event:
			h := b.Event(a.process)
			b.Set(variable(a.process), h, graphs.Int(a.x))
			for p, before := range last {
				if a.joins && p != a.process {
					b.Order(before, h)
				}
			}
			last[a.process] = h
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// line returns an act as a line; counts has the events before of each process.
func (a act) line(counts []int) *stream.Line {
	l := &stream.Line{Kind: a.kind, Process: []byte{byte('A' + a.process)}}
	if a.kind != stream.Closing && a.x != none {
		l.Values = []stream.Assignment{{Name: []byte("x"), Value: graphs.Int(a.x)}}
	}
	for p, n := range counts {
		if a.joins && p != a.process && n > 0 {
			l.After = append(l.After, fmt.Appendf(nil, "%c:%d", 'A'+p, n))
		}
	}
	return l
}

// extensions calls visit for each extension of s by at most two processes and so many events, until visit returns
// false. Events that do not happen after each other come in one order only.
func (s small) extensions(events int, visit func(small) bool) bool {
	known, closed := 0, make(map[int]bool)
	first := len(s)
	for _, a := range s {
		known = max(known, a.process+1)
		closed[a.process] = closed[a.process] || a.kind == stream.Closing
	}
	var extend func(s small, processes, left int) bool
	extend = func(s small, processes, left int) bool {
		if !visit(s) {
			return false
		}
		if left == 0 {
			return true
		}
		for p := range processes {
			last := s[len(s)-1]
			for _, joins := range []bool{false, true} {
				others := slices.ContainsFunc(s, func(a act) bool { return a.kind == stream.Event && a.process != p })
				sorted := len(s) == first || last.kind != stream.Event || last.joins || p >= last.process
				if closed[p] || joins && !others || !joins && !sorted {
					continue
				}
				for x := range int64(2) {
					if !extend(append(s[:len(s):len(s)], act{stream.Event, p, x, joins}), processes, left-1) {
						return false
					}
				}
			}
		}
		return true
	}
	begins := []int64{none, -1, 1}
	if !extend(s, known, events) {
		return false
	}
	for i, x := range begins {
		one := append(s[:len(s):len(s)], act{stream.Declaration, known, x, false})
		if !extend(one, known+1, events) {
			return false
		}
		for _, y := range begins[i:] {
			if !extend(append(one[:len(one):len(one)], act{stream.Declaration, known + 1, y, false}), known+2, events) {
				return false
			}
		}
	}
	return true
}

// joining are properties that processes may join.
var joining = []string{
	"AG(forall i != j having x: !(x@i == 1 && x@j == 1))",
	"AG(forall i: x@i != 1)",
	"AG(forall i having x: x@i == 0)",
	"forall i: AG(x@i != 1)",
	"forall i having x: EF(x@i == 1)",
	"AG(forall i having x: x@i == 1 -> AF(x@i == 0))",
	"EF(exists i having x: x@i == 1)",
	"EF(exists i != j: x@i == 1 && x@j == 1)",
	"exists i: EF(x@i == 1)",
	"exists i having x: AG(x@i == 0)",
	"AG(exists i: x@i == 0)",
	"AG(exists i having x: x@i == 1)",
	"EF(forall i: x@i == 1)",
	"EF(forall i having x: x@i == 0)",
	"AF(exists i having x: x@i == 1)",
	"AF(forall i: x@i == 1)",
	"EG(forall i: x@i != 1)",
	"EG(exists i: x@i == 0)",
	"AG((count i having x: x@i == 1) <= 1)",
	"AG((count i: x@i == 1) < 1)",
	"EF((count i having x: x@i == 1) >= 2)",
	"EF(2 <= (count i: x@i == 1) + 1)",
	"AG((count i: x@i == 1) == 0)",
	"AG(3 - (count i: x@i == 1) > 2)",
	"EF((count i having x: x@i == 1) == 1)",
	"AG((count i having x: x@i == 1) != 1)",
	"EF((count i having x: x@i == 0) != 0)",
	"AG((max i having x: x@i) < 1)",
	"EF((max i: x@i) >= 1)",
	"EF((min i: x@i) >= 0)",
	"AG((min i having x: x@i) >= 0)",
	"AG((sum i: x@i) <= 1)",
	"EF((sum i: 1) >= 3)",
	"AG(forall i in {A, B}: x@i != 1)",
	"EF((count i in {A, B}: x@i == 1) >= 1)",
	"AG((sum i in {A, B}: x@i) <= 1)",
	"AG(forall i in {A, B} having x: x@i != 1)",
	"AF(exists i in {A, B}: x@i == 1)",
	`AG(forall i in "A*": x@i != 1)`,
	`EF(exists i in "*": x@i == 1)`,
	"EX(exists i: x@i == 1)",
	"AX(forall i: x@i != 1)",
	"EF(x@A == 1 && (exists i != j: x@i == 1 && x@j == 1))",
	"AG((forall i: x@i != 1) || x@A == 1)",
	"!(exists i having x: EF(x@i == 1))",
	"EF(exists i: x@i == 1) && AG(forall i having x: x@i >= 0)",
	"EF(exists i: x@i == 1) || AG(forall i having x: x@i >= 0)",
	"(exists i: EF(x@i == 1)) -> AG(x@A != 1)",
	"(exists i: EF(x@i == 1)) <-> EF(x@A == 1)",
	"AG(x@A == 1 -> (exists i: AF(x@i == 0)))",
	"E[x@A == 0 U (exists i having x: x@i == 1)]",
	"A[(exists i having x: x@i == 1) R x@A == 0]",
	"AG(x@A == 0)",
	"AF(x@A == 1 && x@B == 1)",
	"EG(x@A == 0 || x@B == 0)",
	"AG(x@A == 1 -> EF(x@B == 1))",
}

// verdicts returns the verdicts that all extensions of s have, and which are open, as extensions differ; Unknown are
// also those of formulas that fit no extension. Those that are final are not looked at.
func (s small) verdicts(t *testing.T, formulas []*syntax.Formula, final []rctl.Verdict, events int) (all []rctl.Verdict, open []bool) {
	all, open = slices.Clone(final), make([]bool, len(formulas))
	s.extensions(events, func(s small) bool {
		c := s.build(t)
		scope := rctl.Scope(c)
		var l *graphtest.Lattice
		undecided := false
		for i, f := range formulas {
			if open[i] || final[i] != rctl.Unknown {
				continue
			}
			undecided = true
			f, err := syntax.Resolve(t.Context(), f, scope)
			if err != nil {
				continue // it does not fit
			}
			if l == nil {
				l = graphtest.NewLattice(c)
			}
			v := rctl.Fails
			if rctltest.Holds(l, f)[l.Initial] {
				v = rctl.Holds
			}
			if open[i] = all[i] == v.Not(); all[i] == rctl.Unknown {
				all[i] = v
			}
		}
		return undecided
	})
	for i := range all {
		if open[i] {
			all[i] = rctl.Unknown
		}
	}
	return all, open
}

// A verdict is final at the first prefix of which all extensions have it.
func TestJoining(t *testing.T) {
	begin := func(process int, x int64) act { return act{stream.Declaration, process, x, false} }
	event := func(process int, x int64) act { return act{stream.Event, process, x, false} }
	joined := func(process int, x int64) act { return act{stream.Event, process, x, true} }
	closes := func(process int) act { return act{stream.Closing, process, none, false} }
	executions := []small{
		{begin(0, 0), begin(1, none), event(0, 1), event(1, 1)},
		{begin(0, 0), begin(1, 0), event(0, 1), closes(0), joined(1, 1), closes(1)},
		{begin(0, 1), closes(0), begin(1, 0), closes(1)},
		{begin(0, 0), event(0, 1), event(0, 0), begin(1, 0), joined(1, 1), begin(2, 1)},
	}
	// Three events take minutes: -full tries them.
	events := 2 + graphtest.RoundsUpTo(t, 0, 1)
	switch {
	case testing.Short():
		executions = executions[:1]
	case !graphtest.Thorough():
		executions = executions[:2]
	}
	var formulas []*syntax.Formula
	for _, text := range joining {
		formulas = append(formulas, parsed(t, text))
	}
	tally := make(map[string]int)
	for n, whole := range executions {
		final := make([]rctl.Verdict, len(joining))
		monitors := make([]*Monitor, len(joining))
		for i := range joining {
			monitors[i] = New(formulas[i:i+1], Options{})
		}
		counts, closed := make([]int, 4), 0
		for k, a := range whole {
			all, _ := whole[:k+1].verdicts(t, formulas, final, events)
			line := a.line(counts)
			switch a.kind {
			case stream.Event:
				counts[a.process]++
			case stream.Closing:
				closed++
			}
			for i, text := range joining {
				final[i] = all[i]
				add(t, monitors[i], line)
				if _, err := monitors[i].Decide(t.Context()); err != nil {
					t.Fatal(err)
				}
				got := monitors[i].Answer(0).Verdict
				if w := expected(t, formulas[i], got); got != rctl.Unknown && (w == AtEnd || w == Closed && closed == 0) {
					t.Errorf("execution %d, after %d lines: %s %v, expected %v", n, k+1, text, got, w)
				}
				if got != final[i] {
					t.Errorf("execution %d, after %d lines: %s: %v, want %v", n, k+1, text, got, final[i])
					final[i] = got
				}
			}
		}
		for _, v := range final {
			tally[v.String()]++
		}
	}
	t.Log(tally, len(joining))
	if slices.Contains([]int{tally["holds"], tally["fails"], tally["unknown"]}, 0) {
		t.Error("some verdict is of no property")
	}
}

// expected tells when a formula is expected to have a verdict for good.
func expected(t *testing.T, f *syntax.Formula, v rctl.Verdict) When {
	o, err := Expect(f, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	if v == rctl.Holds {
		return o.Holds
	}
	return o.Fails
}

// randomFormula returns a formula about x of A, B and the names that are bound.
func randomFormula(r *rand.Rand, depth int, names string) string {
	sub := func() string { return randomFormula(r, depth-1, names) }
	process := func() string { return string(names[r.IntN(len(names))]) }
	domain := func(name string) string {
		return name + []string{"", " having x", " in {A, B}", ` in "B*"`}[r.IntN(4)]
	}
	name := string(rune('i' + len(names) - 2))
	rel := []string{"<", "<=", "==", "!=", ">=", ">"}[r.IntN(6)]
	switch n := r.IntN(12); {
	case depth == 0 && n < 6:
		return fmt.Sprintf("x@%s %s %d", process(), rel, r.IntN(2))
	case depth == 0 && n < 9:
		return fmt.Sprintf("(count %s: x@%s == %d) %s %d", domain(name), name, r.IntN(2), rel, r.IntN(3))
	case depth == 0:
		return fmt.Sprintf("%d - (%s %s: x@%s) %s x@%s", r.IntN(2), []string{"sum", "max", "min"}[r.IntN(3)], domain(name), name, rel, process())
	case n < 4:
		quantifier := []string{"forall", "exists"}[r.IntN(2)]
		if len(names) < 4 && r.IntN(3) == 0 {
			next := string(name[0] + 1)
			return fmt.Sprintf("(%s %s != %s: %s)", quantifier, name, domain(next), randomFormula(r, depth-1, names+name+next))
		}
		return fmt.Sprintf("(%s %s: %s)", quantifier, domain(name), randomFormula(r, depth-1, names+name))
	case n < 9:
		return fmt.Sprintf("%s(%s)", []string{"EF", "AG", "AF", "EG", "EX", "AX", "!"}[r.IntN(7)], sub())
	case n < 10:
		return fmt.Sprintf("%s[%s %s %s]", []string{"A", "E"}[r.IntN(2)], sub(), []string{"U", "R", "W"}[r.IntN(3)], sub())
	}
	return fmt.Sprintf("(%s %s %s)", sub(), []string{"&&", "||", "->", "<->"}[r.IntN(4)], sub())
}

// No extension has another verdict than the final one, whatever the formula is.
func TestJoiningRandom(t *testing.T) {
	final := make(map[string]int)
	for seed := range uint64(graphtest.Rounds(t, 20)) {
		r := rand.New(rand.NewPCG(seed, 61))
		whole := small{{stream.Declaration, 0, int64(r.IntN(2)), false}, {stream.Declaration, 1, []int64{0, 1, none}[r.IntN(3)], false}}
		for range r.IntN(3) {
			whole = append(whole, act{stream.Event, r.IntN(2), int64(r.IntN(2)), r.IntN(2) == 0})
		}
		if closes := r.IntN(4); closes < 2 {
			whole = append(whole, act{stream.Closing, closes, none, false})
		}
		var formulas []*syntax.Formula
		for range 60 {
			f, err := syntax.Parse(randomFormula(r, 1+r.IntN(3), "AB"))
			if err != nil {
				t.Fatal(err)
			}
			formulas = append(formulas, f)
		}
		m := New(formulas, Options{})
		counts := make([]int, 2)
		for _, a := range whole {
			add(t, m, a.line(counts))
			if a.kind == stream.Event {
				counts[a.process]++
			}
		}
		if _, err := m.Decide(t.Context()); err != nil {
			t.Fatal(err)
		}
		skip := make([]rctl.Verdict, len(formulas))
		for i := range formulas {
			if m.Answer(i).Verdict == rctl.Unknown {
				skip[i] = rctl.Holds
			}
		}
		all, open := whole.verdicts(t, formulas, skip, 2)
		for i, v := range all {
			if got := m.Answer(i).Verdict; got != rctl.Unknown && (open[i] || v == got.Not()) {
				t.Errorf("seed %d: %v: %s: %v, and extensions say %v", seed, whole, formulas[i], got, v)
			} else if got != rctl.Unknown {
				final[got.String()]++
			}
		}
	}
	t.Log(final)
	if len(final) < 2 {
		t.Error("some verdict is never final")
	}
}
