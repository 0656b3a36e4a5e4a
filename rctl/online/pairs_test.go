package online

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// randomPairs returns a formula that compares events. Names around are events or values.
func randomPairs(r *rand.Rand, around []string, depth int) string {
	var events, values []string
	for _, name := range around {
		if name[0] == 'v' {
			values = append(values, name)
		} else {
			events = append(events, name)
		}
	}
	of := func(list []string) string { return list[r.IntN(len(list))] }
	text := func() string { // a number
		if len(events) == 0 {
			return fmt.Sprint(r.IntN(3))
		}
		return of(events) + []string{".n", ".n", ".time"}[r.IntN(3)]
	}
	atom := func() string {
		switch n := r.IntN(6); {
		case n < 3 && len(events) > 1:
			return of(events) + " before " + of(events)
		case n == 3 && len(events) > 0 && len(values) > 0:
			return fmt.Sprintf("%s.req == %s", of(events), of(values))
		case n == 4:
			return fmt.Sprintf("%s - %s <= %d", text(), text(), r.IntN(3)-1)
		}
		return fmt.Sprintf("%s %s %s", text(), []string{"<=", "==", "!=", ">"}[r.IntN(4)], text())
	}
	if depth == 0 {
		return atom()
	}
	if len(around) > 0 && r.IntN(3) == 0 {
		form := []string{"!(f)", "((f) && (g))", "((f) || (g))", "((f) -> (g))", "((f) <-> (g))", "AG (f)"}[r.IntN(6)]
		return strings.NewReplacer("(f)", "("+randomPairs(r, around, depth-1)+")", "(g)", "("+atom()+")").Replace(form)
	}
	word := []string{"forall", "exists"}[r.IntN(2)]
	name := fmt.Sprintf("%s%d_%d", []string{"e", "e", "e", "v"}[r.IntN(4)], len(around), depth)
	names, domain := []string{name}, "values(req)"
	if name[0] == 'v' {
		if r.IntN(3) == 0 {
			domain = `values(req where op == "a")`
		}
	} else {
		cond := []string{fmt.Sprintf("op == %q", string("abc"[r.IntN(3)])), "has(req)", "n >= 1", `@process != "P1"`}[r.IntN(4)]
		if len(around) > 0 && r.IntN(3) > 0 {
			if with := of(around); with[0] == 'v' {
				cond += " && req == " + with
			} else {
				cond += " && req == " + with + ".req"
			}
		}
		if len(events) > 0 && r.IntN(5) == 0 {
			cond += " && n >= " + of(events) + ".n"
		}
		domain = "events(" + cond + ")"
	}
	sign := ", "
	if r.IntN(5) == 0 {
		names = append(names, name+"x")
		sign = []string{", ", " != "}[r.IntN(2)]
	}
	return fmt.Sprintf("%s %s in %s: %s", word, strings.Join(names, sign), domain, randomPairs(r, append(slices.Clone(around), names...), depth-1))
}

// randomParts returns a formula with two parts that look for events after an event.
func randomParts(r *rand.Rand) string {
	part := func() string {
		after := []string{"e0 before e1", "!(e0 before e1)", "(e0 before e1 && e0.n <= e1.n)", "(e0 before e1 -> e0.n <= e1.n)"}[r.IntN(4)]
		cond := []string{"", " && req == e0.req", " && n >= e0.n"}[r.IntN(3)]
		return fmt.Sprintf("(%s e1 in events(op == %q%s): %s)", []string{"forall", "exists"}[r.IntN(2)], string("abc"[r.IntN(3)]), cond, after)
	}
	word, sign := []string{"forall", "exists"}[r.IntN(2)], []string{"&&", "||", "->", "<->"}[r.IntN(4)]
	return fmt.Sprintf("%s e0 in events(op == %q): %s %s %s", word, string("abc"[r.IntN(3)]), part(), sign, part())
}

// A soFar decides formulas on the events of a prefix, with all that may come: by the definition.
type soFar struct {
	events []occurrence
	before [][]bool
}

// A thing is what a name is bound to: an event by its number, a value, or either still to come.
type thing struct {
	event int
	value string
	comes bool
	any   bool // it comes, or is there
}

// kleene returns the verdict on a formula; unknown while what is still to come may matter.
func (x *soFar) kleene(f *syntax.Formula, env map[string]thing) rctl.Verdict {
	sub := func(i int) rctl.Verdict { return x.kleene(f.Sub[i], env) }
	join := func(a, b rctl.Verdict, decides rctl.Verdict) rctl.Verdict {
		switch {
		case a == decides || b == decides:
			return decides
		case a == rctl.Unknown || b == rctl.Unknown:
			return rctl.Unknown
		}
		return decides.Not()
	}
	switch f.Op {
	case syntax.OpNot:
		return sub(0).Not()
	case syntax.OpAnd:
		return join(sub(0), sub(1), rctl.Fails)
	case syntax.OpOr:
		return join(sub(0), sub(1), rctl.Holds)
	case syntax.OpImplies:
		return join(sub(0).Not(), sub(1), rctl.Holds)
	case syntax.OpIff:
		if a, b := sub(0), sub(1); a != rctl.Unknown && b != rctl.Unknown {
			return engine.VerdictOf(a == b)
		}
		return rctl.Unknown
	case syntax.OpAG:
		return sub(0)
	case syntax.OpForall, syntax.OpExists:
		return x.over(f, 0, env)
	}
	return x.compare(f.Expr, env)
}

// over binds the names of a quantifier from one on.
func (x *soFar) over(f *syntax.Formula, n int, env map[string]thing) rctl.Verdict {
	q := f.Quant
	if n == len(q.Names) {
		return x.kleene(f.Sub[0], env)
	}
	decides := engine.VerdictOf(f.Op == syntax.OpExists)
	sum := decides.Not()
	for _, t := range x.domain(q, env) {
		same := slices.ContainsFunc(q.Names[:n], func(other syntax.Name) bool { return !t.comes && env[other.Text] == t })
		if q.Distinct && same {
			continue
		}
		env[q.Names[n].Text] = t
		in := rctl.Holds
		if q.Sort() == syntax.OfEvent {
			for _, part := range syntax.Conjuncts(q.Data.Where) {
				in = min(in, x.satisfies(part, t, env))
				if x.satisfies(part, t, env) == rctl.Fails {
					in = rctl.Fails
					break
				}
			}
		}
		v := x.over(f, n+1, env)
		if in == rctl.Fails {
			continue
		}
		if (in == rctl.Unknown || t.comes) && v == decides {
			v = rctl.Unknown // it need not come
		}
		if v == decides {
			sum = v
		} else if v == rctl.Unknown && sum != decides {
			sum = v
		}
	}
	delete(env, q.Names[n].Text)
	return sum
}

// domain lists what a name may be bound to, as far as its condition is not asked, and what is to come. Of events with
// a value that is still to come nothing is known.
func (x *soFar) domain(q *syntax.Quantifier, env map[string]thing) (all []thing) {
	if q.Sort() == syntax.OfEvent {
		for _, part := range syntax.Conjuncts(q.Data.Where) {
			_, key := syntax.KeyOf(part)
			if key != nil && (key.Op == syntax.ExprOf && env[key.Event.Text].comes || key.Op == syntax.ExprValue && env[key.Text].comes) {
				return []thing{{event: -3, comes: true, any: true}}
			}
		}
	}
	for i := range x.events {
		t := thing{event: i}
		if q.Sort() == syntax.OfValue {
			t = thing{event: -1, value: x.events[i].req}
			if t.value == "" || q.Data.Where != nil && x.events[i].op != "a" || slices.Contains(all, t) {
				continue
			}
		}
		all = append(all, t)
	}
	return append(all, thing{event: -2, comes: true})
}

// satisfies decides a conjunct of a domain; what is to come satisfies what is about it alone.
func (x *soFar) satisfies(part *syntax.Formula, t thing, env map[string]thing) rctl.Verdict {
	if t.comes {
		if !syntax.Closed(part) {
			// A value of an event that has none is that of none to come.
			if _, key := syntax.KeyOf(part); key != nil && key.Op == syntax.ExprOf && !env[key.Event.Text].comes && x.events[env[key.Event.Text].event].req == "" {
				return rctl.Fails
			}
			return rctl.Unknown
		}
		return rctl.Holds
	}
	e := &x.events[t.event]
	if part.Expr.Op == syntax.ExprHas {
		return engine.VerdictOf(e.req != "")
	}
	left, right := part.Expr.Args[0], part.Expr.Args[1]
	switch left.Text {
	case "op":
		return engine.VerdictOf(e.op == right.Text)
	case "process":
		return engine.VerdictOf(string(e.line.Process) != right.Text)
	case "req":
		want := env[right.Text]
		if right.Op == syntax.ExprOf {
			want = env[right.Event.Text]
			if !want.comes {
				want.value = x.events[want.event].req
			}
		}
		if want.comes {
			return rctl.Unknown
		}
		return engine.VerdictOf(e.req != "" && e.req == want.value)
	}
	if right.Op == syntax.ExprNumber {
		return engine.VerdictOf(e.n >= int(right.Int))
	}
	other := env[right.Event.Text]
	if other.comes {
		return rctl.Unknown
	}
	return engine.VerdictOf(e.n >= x.events[other.event].n)
}

// compare decides an atom.
func (x *soFar) compare(e *syntax.Expr, env map[string]thing) rctl.Verdict {
	if e.Op == syntax.ExprBefore {
		a, b := env[e.Event.Text], env[e.Other.Text]
		switch {
		case b.comes || a.any:
			return rctl.Unknown
		case a.comes:
			return rctl.Fails
		}
		return engine.VerdictOf(x.before[b.event][a.event] && !x.before[a.event][b.event])
	}
	var number func(e *syntax.Expr) (int, bool)
	number = func(e *syntax.Expr) (int, bool) {
		switch e.Op {
		case syntax.ExprNumber:
			return int(e.Int), true
		case syntax.ExprNeg:
			n, ok := number(e.Args[0])
			return -n, ok
		case syntax.ExprSub:
			a, ok := number(e.Args[0])
			b, too := number(e.Args[1])
			return a - b, ok && too
		}
		t := env[e.Event.Text]
		switch {
		case t.comes:
			return 0, false
		case e.Text == "time":
			return x.events[t.event].at, true
		}
		return x.events[t.event].n, true
	}
	if left := e.Args[0]; left.Op == syntax.ExprOf && left.Text == "req" {
		a, b := env[left.Event.Text], env[e.Args[1].Text]
		if a.comes || b.comes {
			return rctl.Unknown
		}
		return engine.VerdictOf(x.events[a.event].req != "" && x.events[a.event].req == b.value)
	}
	a, ok := number(e.Args[0])
	b, too := number(e.Args[1])
	if !ok || !too {
		return rctl.Unknown
	}
	d := a - b
	return engine.VerdictOf(map[syntax.Relop]bool{syntax.LessEqual: d <= 0, syntax.Equal: d == 0, syntax.NotEqual: d != 0, syntax.Greater: d > 0}[e.Rel[0]])
}

// TestPairsByDefinition compares verdicts with the definition at each prefix, with what a recorded trace says of that and
// of every later prefix, and with that of all at the end.
func TestPairsByDefinition(t *testing.T) {
	n := graphtest.RoundsUpTo(t, 1500, 5000)
	finals := make(map[rctl.Verdict]int)
	forgotten := 0
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 331))
		var f *syntax.Formula
		for f == nil {
			text := randomPairs(r, nil, 2+r.IntN(2))
			if r.IntN(4) == 0 {
				text = randomParts(r)
			}
			g, err := syntax.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if to, _ := front(g); to != nil {
				f = g
			}
		}
		all := randomStream(r)
		for i := range all {
			e := &all[i]
			e.n, e.at = r.IntN(3), r.IntN(4)
			e.line.Time = fmt.Append(nil, e.at)
			e.line.Values = append(e.line.Values, stream.Assignment{Name: []byte("n"), Value: graphs.Int(int64(e.n))})
		}
		order := shuffled(r, all)
		m := New([]*syntax.Formula{f}, Options{Options: stream.Options{SyncSize: 2}})
		if len(m.following) == 1 {
			if _, ok := m.following[0].of.(*touch); ok {
				continue
			}
		}
		x := m.following[0].of.(*pairs)
		fail := func(format string, args ...any) {
			t.Helper()
			var lines []string
			for _, i := range order {
				e := &all[i]
				lines = append(lines, fmt.Sprintf("%d: %s %s(%s) n=%d at %d sync %s after %v", i, e.line.Process, e.op, e.req, e.n, e.at, e.line.Sync, e.before))
			}
			t.Fatalf("seed %d: %s\n%s\n%s", seed, f, strings.Join(lines, "\n"), fmt.Sprintf(format, args...))
		}
		var final rctl.Verdict
		compare := func(in []bool) {
			want, err := bindings.Check(t.Context(), prefixOf(t, all, in), f, bindings.Options{})
			if err != nil {
				fail("%v", err)
			}
			if final != rctl.Unknown && want.Verdict != final {
				fail("of %v it is %v, not %v", in, want.Verdict, final)
			}
			if x.ended && (m.Answer(0).Verdict != want.Verdict || x.sum.Total != want.Total || x.sum.Decisive != want.Decisive) {
				fail("at the end %v, %d of %d; recorded %v, %d of %d", m.Answer(0), x.sum.Decisive, x.sum.Total, want.Verdict, want.Decisive, want.Total)
			}
		}
		for k, i := range order {
			if err := m.Add(&all[i].line); err != nil {
				fail("line %d: %v", k, err)
			}
			answers, err := m.Decide(t.Context())
			if err != nil {
				fail("line %d: %v", k, err)
			}
			in := admitted(all, order, k+1)
			w := newWorld(all, in, "", func(*occurrence) bool { return true })
			want := (&soFar{w.events, w.before}).kleene(f, map[string]thing{})
			if want == engine.VerdictOf(x.sum.Op == syntax.OpForall) {
				want = rctl.Unknown // bindings may come
			}
			if got := m.Answer(0); got.Verdict != want {
				fail("after %d lines %v, by the definition %v", k+1, got, want)
			}
			if len(answers) > 0 && final == rctl.Unknown {
				final = answers[0].Verdict
				finals[final]++
			}
			compare(in)
		}
		for _, s := range x.slots {
			for _, l := range s.lists {
				forgotten += l.gone
			}
		}
		if _, err := m.End(t.Context()); err != nil {
			fail("%v", err)
		}
		compare(admitted(all, order, len(order)))
	}
	if finals[rctl.Holds] < n/20 || finals[rctl.Fails] < n/20 || forgotten < n/100 {
		t.Errorf("of %d too few verdicts were final, or events forgotten: %v, %d", n, finals, forgotten)
	}
}

// Where clocks may be off, the difference of two times is no final verdict before the end, and what
// depends on clocks is unknown then.
func TestPairsBySkew(t *testing.T) {
	for _, test := range []struct {
		bound       string
		skew        time.Duration
		shown, last rctl.Verdict
	}{
		{"<= 5s", 0, rctl.Fails, rctl.Fails},
		{"<= 5s", time.Second, rctl.Unknown, rctl.Fails},
		{"<= 5s", 3 * time.Second, rctl.Unknown, rctl.Unknown},
		{"<= 9s", time.Second, rctl.Unknown, rctl.Holds},
	} {
		f := parsed(t, `forall e in events(op == "a"): forall d in events(op == "b"): d.time - e.time `+test.bound)
		o, err := Expect(f, false, test.skew)
		if err != nil || (o.Fails == AtEvent) != (test.skew == 0) {
			t.Errorf("%s, skew %s: %s, %v", f, test.skew, o, err)
		}
		m := New([]*syntax.Formula{f}, Options{Skew: test.skew})
		for op, at := range []string{"1", "8"} {
			l := &stream.Line{Process: fmt.Appendf(nil, "P%d", op), Time: []byte(at)}
			l.Values = []stream.Assignment{{Name: []byte("op"), Value: graphs.Str("ab"[op : op+1])}}
			if err := m.Add(l); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.Decide(t.Context()); err != nil || m.Answer(0).Verdict != test.shown {
			t.Errorf("%s, skew %s: %v, %v, want %v", f, test.skew, m.Answer(0), err, test.shown)
		}
		_, err = m.End(t.Context())
		if a := m.Answer(0); err != nil || a.Verdict != test.last || (a.Reason == dependsOnClocks) != (test.last == rctl.Unknown) {
			t.Errorf("%s, skew %s: %v, %v at the end, want %v", f, test.skew, a, err, test.last)
		}
	}
}

// Values of types that do not fit give no verdict, as on a recorded trace they are a mistake.
func TestPairsOfTypes(t *testing.T) {
	for body, fits := range map[string]bool{
		"d.n == e.n":                    false,
		`e.n == 1 && d.n == "x"`:        true,
		"d.n >= d.op":                   false,
		"d.n - e.n <= 2":                false,
		"d.time - e.n <= 2":             true,
		"d.time - d.n <= 2":             false,
		"d.ok && e.n + 1 <= 2":          true,
		"d.ok -> e.n":                   false,
		"!e.ok && !(d.missing - 1 < 3)": true,
	} {
		f := parsed(t, `forall e in events(op == "a"): exists d in events(op == "b"): `+body)
		var b graphs.Builder
		m := New([]*syntax.Formula{f}, Options{})
		for p, n := range []graphs.Value{graphs.Int(1), graphs.Str("x")} {
			name := fmt.Sprint("P", p)
			l := &stream.Line{Process: []byte(name), Time: []byte("1")}
			l.Values = []stream.Assignment{
				{Name: []byte("op"), Value: graphs.Str("ab"[p : p+1])},
				{Name: []byte("n"), Value: n},
				{Name: []byte("ok"), Value: graphs.Boolean(p == 1)},
			}
			e := b.Event(b.Process(name))
			b.SetTime(e, "1")
			for _, a := range l.Values {
				b.Set(b.Variable(p, string(a.Name)), e, a.Value)
			}
			if err := m.Add(l); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		want, err := bindings.Check(t.Context(), c, f, bindings.Options{})
		if got := m.Answer(0); (err == nil) != fits || (got.Verdict == rctl.Unknown) == fits || fits && got.Verdict != want.Verdict {
			t.Errorf("%s: %+v; recorded %+v, %v", f, got, want, err)
		}
	}
}
