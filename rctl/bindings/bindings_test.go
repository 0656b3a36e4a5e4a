package bindings_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/syntax"
)

// shop returns the computation of a shop.
func shop(tb testing.TB, s graphtest.Shop) *graphs.Computation {
	tb.Helper()
	var text bytes.Buffer
	if err := s.Write(&text); err != nil {
		tb.Fatal(err)
	}
	source := trace.From("shop", &text)
	c, err := native.Read(context.Background(), source, trace.Options{Times: true})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// properties returns the properties of a shop.
func properties(tb testing.TB) []syntax.Property {
	tb.Helper()
	all, err := pattern.Formulas().ParseProperties(graphtest.ShopProperties)
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// check decides a property.
func check(tb testing.TB, c *graphs.Computation, p syntax.Property, opts bindings.Options) *bindings.Result {
	tb.Helper()
	got, err := bindings.Check(context.Background(), c, p.Formula, opts)
	if err != nil {
		tb.Fatalf("%s: %v", p.Name, err)
	}
	return got
}

// TestPlanted plants one mistake after the other, and finds it in that request and no other.
func TestPlanted(t *testing.T) {
	const request = 17
	plants := slices.Sorted(maps.Keys(graphtest.Plants))
	for _, plant := range append(plants, "") {
		c := shop(t, graphtest.Shop{Services: 4, Requests: 50, Planted: map[int]string{request: plant}})
		var broken []string
		for _, p := range properties(t) {
			got := check(t, c, p, bindings.Options{First: 5, Options: rctl.Options{Evidence: true}})
			if got.Verdict == rctl.Fails {
				broken = append(broken, p.Name)
			}
			if got.Total < 5 || got.Verdict == rctl.Unknown {
				t.Errorf("%s: %+v", p.Name, got)
			}
			for _, b := range got.First {
				if name := b.Text(); !about(c, b.Bound[0], request) {
					t.Errorf("%s: %s fails for %s", plant, p.Name, name)
				}
			}
			if most := 1 + len(got.First)/2; got.Decisive > most {
				t.Errorf("%s: %s fails for %s", plant, p.Name, got.Text())
			}
		}
		slices.Sort(broken)
		if !slices.Equal(broken, graphtest.Plants[plant]) {
			t.Errorf("%s breaks %q, want %q", plant, broken, graphtest.Plants[plant])
		}
	}
}

// about reports whether a name is bound to a value of a request, or to one of its events.
func about(c *graphs.Computation, b syntax.Bound, request int) bool {
	own := []string{fmt.Sprintf(`"r%d"`, request), fmt.Sprintf(`"k%d"`, request), fmt.Sprintf(`"l%d"`, request), fmt.Sprint(request)}
	e, ok := c.Lookup(b.Text)
	if !b.IsEvent || !ok {
		return slices.Contains(own, b.Text)
	}
	return slices.ContainsFunc(c.VariablesOf(c.Process(e)), func(v *graphs.Variable) bool {
		i, ok := slices.BinarySearch(v.Events(), e)
		return ok && v.Name != "version" && slices.Contains(own, v.Value(i).String())
	})
}

// BenchmarkCheck decides the properties of shops of several sizes. Each operation is on all events, so its
// time shows how the cost grows with them. Reading the trace is measured for comparison.
func BenchmarkCheck(b *testing.B) {
	for _, s := range []graphtest.Shop{
		{Services: 20, Requests: 1000},
		{Services: 20, Requests: 10_000},
		{Services: 20, Requests: 100_000},
		{Services: 20, Requests: 100_000, IDs: 10},
	} {
		c := shop(b, s)
		for _, p := range properties(b) {
			if s.IDs > 0 && p.Formula.Quant.Sort() == syntax.OfEvent {
				continue // 10,000 events of each id make a hundred million pairs
			}
			b.Run(fmt.Sprintf("requests=%d/ids=%d/%s", s.Requests, s.IDs, p.Name), func(b *testing.B) {
				for b.Loop() {
					check(b, c, p, bindings.Options{First: 10})
				}
			})
		}
	}
}

// TestShapes has bindings that look alike but for one thing, which makes two shapes of them: the order of
// their events, the process that the formula names, the events that all cuts have.
func TestShapes(t *testing.T) {
	const (
		always = -2 // all cuts have the event
		never  = -3 // no cut has it
	)
	type event struct {
		process int
		op, req string
		after   int // an event, -1 for none
	}
	for name, test := range map[string]struct {
		text   string
		events []event
		want   int // bindings that fail
	}{
		"order": {
			`forall r in values(req): AG(once(op == "b" && req == r) -> once(op == "a" && req == r))`,
			[]event{{0, "a", "r1", -1}, {1, "b", "r1", 0}, {0, "a", "r2", -1}, {1, "b", "r2", -1}}, 1,
		},
		"direction of an edge": {
			`forall r in values(req): AG(once(op == "b" && req == r) -> once(op == "a" && req == r))`,
			[]event{{0, "a", "r1", -1}, {1, "b", "r1", 0}, {1, "b", "r2", -1}, {0, "a", "r2", 2}}, 1,
		},
		"end of an edge": {
			`forall r in values(req): AG(once(op == "b" && req == r) -> once(op == "a" && req == r))`,
			[]event{{0, "a", "r1", -1}, {1, "b", "r1", 0}, {1, "b", "r1", -1}, {0, "a", "r2", -1}, {1, "b", "r2", -1}, {1, "b", "r2", 3}}, 1,
		},
		"process": {
			`forall r in values(req): AF(once(op == "a" && req == r)@P0 && once(op == "b" && req == r))`,
			[]event{{0, "a", "r1", -1}, {1, "b", "r1", -1}, {1, "a", "r2", -1}, {0, "b", "r2", -1}}, 1,
		},
		"all cuts": {
			`forall r in values(req): AG(once(op == "b" && req == r) -> once(op == "a" && req == r))`,
			[]event{{0, "a", "r1", always}, {1, "b", "r1", -1}, {0, "a", "r2", -1}, {1, "b", "r2", -1}}, 1,
		},
		"no cut": {
			`forall r in values(req): EF once(op == "a" && req == r)`,
			[]event{{0, "a", "r2", -1}, {0, "a", "r1", never}}, 1,
		},
		"two later processes": {
			`forall r in values(req): AG(once(op == "c" && req == r) -> once(op == "a" && req == r)) && AF once(op == "b" && req == r)`,
			[]event{{0, "a", "r1", -1}, {1, "b", "r1", 0}, {2, "c", "r1", 0}}, 0,
		},
		"two processes": {
			`forall r in values(req): EF(exists i != j: once(op == "a" && req == r)@i && once(op == "a" && req == r)@j)`,
			[]event{{0, "a", "r1", -1}, {1, "a", "r1", -1}, {1, "a", "r2", -1}, {1, "a", "r2", -1}}, 1,
		},
		"other processes": {
			`forall r in values(req): EF(exists i: !once(op == "a" && req == r)@i && once(req == r))`,
			[]event{{0, "a", "r1", -1}, {1, "b", "r2", -1}}, 0,
		},
	} {
		var b graphs.Builder
		for p := range 3 {
			b.NewProcess(fmt.Sprintf("P%d", p))
		}
		var handles []graphs.Handle
		for _, e := range test.events {
			h := b.Event(e.process)
			b.Set(b.Variable(e.process, "op"), h, graphs.Str(e.op))
			b.Set(b.Variable(e.process, "req"), h, graphs.Str(e.req))
			switch {
			case e.after == always:
				b.Edge(h, graphs.BottomHandle)
			case e.after == never:
				b.Edge(graphs.TopHandle, h)
			case e.after >= 0:
				b.Order(handles[e.after], h)
			}
			handles = append(handles, h)
		}
		c, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		f, err := syntax.Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := bindings.Check(context.Background(), c, f, bindings.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Decisive != test.want || got.Whole != "" || got.Shapes != 2 && test.want > 0 {
			t.Errorf("%s: %d of %d fail, in %d shapes", name, got.Decisive, got.Total, got.Shapes)
		}
	}
}

// TestKnowledge has bindings whose evidence is on part of the events. A process comes to know at an event that
// satisfies no condition, and the verdict there is that of the whole.
func TestKnowledge(t *testing.T) {
	for n := range graphtest.Rounds(t, 200) {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		var b graphs.Builder
		for _, name := range []string{"P", "Q"} {
			b.NewProcess(name)
		}
		last := []graphs.Handle{graphs.NoHandle, graphs.NoHandle}
		for i := range 4 + r.IntN(4) {
			p := r.IntN(2)
			h := b.Event(p)
			if i < 2 || r.IntN(2) == 0 {
				b.Set(b.Variable(p, "op"), h, graphs.Str([]string{"a", "b"}[i%2]))
			}
			if i > 3 && r.IntN(2) == 0 && last[1-p] != graphs.NoHandle {
				b.Order(last[1-p], h)
			}
			last[p] = h
		}
		c, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			`forall r in values(op): AG(knows Q: once(op == r))`,
			`forall r in values(op): AF(once(op == r) && !(knows Q: once(op == r)))`,
			`exists r in values(op): EF(knows Q: once(op == r))`,
			`exists r in values(op): EG !(knows P: once(op == r)@Q)`,
		} {
			f, err := syntax.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			got := check(t, c, syntax.Property{Name: text, Formula: f}, bindings.Options{First: 2, Options: rctl.Options{Evidence: true}})
			for _, one := range got.First {
				whole, resolved, err := rctl.Resolve(context.Background(), c, one.Formula)
				if err != nil {
					t.Fatal(err)
				}
				want, err := rctl.Check(context.Background(), whole, resolved, rctl.Options{})
				if err != nil || one.Result.Verdict != want.Verdict || !got.Decides(want.Verdict) {
					t.Errorf("%d: %s: %s %v, want %v, %v", n, text, one.Text(), one.Result.Verdict, want, err)
				}
			}
		}
	}
}

// TestOfProcess has atoms that depend on a process that the body binds: they are no constants of a binding.
func TestOfProcess(t *testing.T) {
	c, err := native.Read(context.Background(), trace.From("t", bytes.NewBufferString(`{"process":"P","init":{"x":0}}
{"process":"i","init":{"x":0}}
{"process":"P","time":"2026-01-01T00:00:00Z","set":{"op":"P","x":1}}
{"process":"i","time":"2026-01-01T00:00:07Z","set":{"op":"P","x":2}}
{"process":"P","time":"2026-01-01T00:00:09Z","set":{"op":"Q","x":2}}
`)), trace.Options{Times: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`forall r in values(op): exists i: once(op == r)@i lasts <= 5s`,
		`forall r in values(op): forall i: AG(once(op == r)@i -> AF[<= 3s] once(op == "Q"))`,
		`forall r in values(op): forall j: EF[>= 3s] x@j == 1`,
		`forall r in values(op): exists j: EF[>= 3s] x@j == 1`,
		`forall r in values(op): forall j: EF[>= 3s](exists k in {j}: x@k == 1)`,
		`forall r in values(op): exists j: EF[>= 3s] once(op == j)`,
		`forall r in values(op): AF((count j: once(op == j)@j && once(op == r)) >= 1)`,
	} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got := check(t, c, syntax.Property{Name: text, Formula: f}, bindings.Options{})
		whole, resolved, err := rctl.Resolve(context.Background(), c, f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := rctl.Check(context.Background(), whole, syntax.Folded(resolved), rctl.Options{})
		if err != nil || got.Verdict != want.Verdict {
			t.Errorf("%s: %v, want %v, %v", text, got.Verdict, want, err)
		}
	}
}

// TestCounted counts bindings: what several events assign together is one, and events that happen together
// are not before each other.
func TestCounted(t *testing.T) {
	var b graphs.Builder
	var handles []graphs.Handle
	for p := range 2 {
		b.NewProcess(fmt.Sprintf("P%d", p))
		for range 2 {
			h := b.Event(p)
			b.Set(b.Variable(p, "op"), h, graphs.Str("recv"))
			b.Set(b.Variable(p, "req"), h, graphs.Int(int64(p)))
			handles = append(handles, h)
		}
	}
	b.Sync(handles[0], handles[2])
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][2]int{
		`forall (r, o) in values(req, op): false`:                   {2, 2},
		`forall e != d in events(op == "recv"): !(e before d)`:      {12, 4},
		`forall r in values(req where req == 1): once(req == r)@P0`: {1, 1},
	} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := bindings.Check(context.Background(), c, f, bindings.Options{})
		if err != nil || [2]int{got.Total, got.Decisive} != want {
			t.Errorf("%s: %+v, %v, want %d", text, got, err, want)
		}
	}
}

// TestStopped ends the time before anything is decided, bindings by their events and on the whole
// computation: the answer says so, and is not that all hold.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := shop(t, graphtest.Shop{Services: 4, Requests: 50})
	for _, text := range []string{
		`forall r in values(req): AG(events(req == r) <= 100)`,
		`forall r in values(req): AG(AX once(req == r) || EF once(req == r))`,
	} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := bindings.Check(ctx, c, f, bindings.Options{})
		if err != nil || !got.Stopped || got.Verdict != rctl.Unknown || got.Reason != "0 bindings were decided" {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// TestFront has formulas that would be others with the quantifier in front: it stays where it is.
func TestFront(t *testing.T) {
	var b graphs.Builder
	b.NewProcess("P0")
	for _, req := range []string{"r1", "r1", "r2", "c", "r2"} {
		b.Set(b.Variable(0, "req"), b.Event(0), graphs.Str(req))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`true && AF forall r in values(req where req != "c"): events(req == r) == 1`,
		`AF forall r in values(req): events(req == r) == 1`,
		`E[(exists r in values(req where req != "c"): events(req == r) != 1) U once(req == "c")]`,
		`!E[(exists r in values(req where req != "c"): events(req == r) != 1) U once(req == "c")]`,
		`exists r in values(req where req != "c"): E[events(req == r) != 1 U once(req == "c")]`,
		`EG exists r in values(req where req != "c"): events(req == r) != 1`,
		`A[(forall r in values(req where req != "c"): events(req == r) != 1) R once(req == "none")]`,
		`AG((forall r in values(req): once(req == r)) -> once(req == "c"))`,
		`A[(forall r in values(req where req != "c"): events(req == r) == 1) R events(true) <= 3]`,
		`A[events(true) <= 3 W forall r in values(req where req != "c"): events(req == r) == 1]`,
	} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		wide, g, err := rctl.Resolve(context.Background(), c, f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rctl.Check(context.Background(), wide, g, rctl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		verdict := got.Verdict
		if by, err := bindings.Check(context.Background(), c, f, bindings.Options{}); err != nil || by != nil && by.Verdict != verdict {
			t.Errorf("%s is %s, and by binding %+v, %v", text, verdict, by, err)
		}
	}
}

// TestQuoted chooses a number and a string of the same text, and the string alone.
func TestQuoted(t *testing.T) {
	c, err := native.Read(context.Background(), trace.From("t", bytes.NewBufferString(`{"process":"a","set":{"req":1}}
{"process":"b","set":{"req":"1"}}
`)), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse("forall r in values(req): EF once(req == r)")
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]int{"1": 2, `"1"`: 1} {
		only := []bindings.Choice{{Name: "r", Value: value}}
		got := check(t, c, syntax.Property{Formula: f}, bindings.Options{Only: only})
		if got.Total != want || len(got.Chosen) != want-1 {
			t.Errorf("r=%s chooses %d bindings: %s", value, got.Total, got.Chosen)
		}
	}
}

// TestMixedTypes has events that nothing orders and values that do not compare: that is an error, although
// no pair of events asks for the comparison, or events are found by the value. A field of both types is unequal.
func TestMixedTypes(t *testing.T) {
	c, err := native.Read(context.Background(), trace.From("t", bytes.NewBufferString(`{"process":"a","set":{"n":1,"k":1}}
{"process":"b","set":{"n":"x"}}
`)), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, bad := range map[string]bool{
		"forall e in events(has(n)): forall d in events(has(n)): e before d -> e.n <= d.n":            true,
		"forall e in events(n == 1): forall d in events(n == 1): e before d -> e.n <= d.n":            false,
		"forall r in values(n): once(k == r)":                                                         true,
		"forall e in events(has(n)): forall d in events(k == e.n): d before e":                        true,
		`forall e in events(n == "x"): e.k != other`:                                                  true, // no variable, beside a field without a value
		"forall r in values(n): once(n == r)":                                                         false,
		"forall e in events(n == 1): forall d in events(n == 1): !(e before d) || e.n <= d.n + \"x\"": true,
	} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bindings.Check(context.Background(), c, f, bindings.Options{}); (err != nil) != bad {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestGuards has comparisons that matter only where the one before them is true, or only where it
// is false.
func TestGuards(t *testing.T) {
	type event struct{ process, at, n int }
	before := func(e, d event) bool { return e.process == d.process && e.at < d.at }
	bodies := map[string]func(e, d event) bool{
		"e before d -> e.n <= d.n": func(e, d event) bool { return !before(e, d) || e.n <= d.n },
		"e before d || e.n <= d.n": func(e, d event) bool { return before(e, d) || e.n <= d.n },
		"e before d && e.n <= d.n": func(e, d event) bool { return before(e, d) && e.n <= d.n },
		"(e.n == 1 || d.n == 2) && e.n <= d.n": func(e, d event) bool {
			return (e.n == 1 || d.n == 2) && e.n <= d.n
		},
		"e.n <= d.n -> e.n == 1 || d.n == 2 && e.n != 0": func(e, d event) bool {
			return e.n > d.n || e.n == 1 || d.n == 2 && e.n != 0
		},
		"(e.n == 1 && d.n == 1 -> e before d) && d.n <= e.n": func(e, d event) bool {
			return (e.n != 1 || d.n != 1 || before(e, d)) && d.n <= e.n
		},
	}
	for i := range graphtest.Rounds(t, 20) {
		r := rand.New(rand.NewPCG(31, uint64(i)))
		var b graphs.Builder
		var events []event
		for p := range 2 {
			b.Process(fmt.Sprintf("P%d", p))
			n := b.Variable(p, "n")
			for at := range 4 {
				e := event{p, at, r.IntN(3)}
				b.Set(n, b.Event(p), graphs.Int(int64(e.n)))
				events = append(events, e)
			}
		}
		c, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for body, holds := range bodies {
			f, err := syntax.Parse("forall e in events(has(n)): forall d in events(has(n)): " + body)
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			for _, e := range events {
				for _, d := range events {
					if !holds(e, d) {
						want++
					}
				}
			}
			got, err := bindings.Check(context.Background(), c, f, bindings.Options{})
			if err != nil || got.Decisive != want {
				t.Errorf("case %d: %s fails for %+v, want %d: %v", i, body, got, want, err)
			}
		}
	}
}
