package online

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// talking returns an execution of processes that hear of each other often, so that little is kept: x is 0 or 1, and
// y is 1 once, early.
func talking(r *rand.Rand) *graphs.Computation {
	var b graphs.Builder
	names := []string{"A", "B", "C"}[:2+r.IntN(2)]
	x, y, last := make([]*graphs.Variable, len(names)), make([]*graphs.Variable, len(names)), make([]graphs.Handle, len(names))
	for p, name := range names {
		b.Process(name)
		x[p], y[p], last[p] = b.Variable(p, "x"), b.Variable(p, "y"), graphs.NoHandle
		b.Init(x[p], graphs.Int(int64(r.IntN(2))))
		b.Init(y[p], graphs.Int(0))
	}
	alone := r.IntN(4)
	type message struct {
		send graphs.Handle
		to   int
	}
	var sent []message
	for n := range 24 {
		p := r.IntN(len(names))
		h := b.Event(p)
		if r.IntN(3) > 0 {
			b.Set(x[p], h, graphs.Int(int64(r.IntN(2))))
		}
		if r.IntN(6) == 0 || n > 6 {
			b.Set(y[p], h, graphs.Int(int64(max(0, r.IntN(2)-n/5))))
		}
		q := (p + 1 + r.IntN(len(names)-1)) % len(names)
		switch {
		case r.IntN(8) == 0 && n < 20:
			with := b.Event(q)
			b.Set(x[q], with, graphs.Int(int64(r.IntN(2))))
			b.Sync(h, with)
			last[q] = with
		case last[q] != graphs.NoHandle && r.IntN(4) >= alone:
			b.Order(last[q], h)
		}
		sent = slices.DeleteFunc(sent, func(m message) bool {
			takes := m.to == p && r.IntN(3) == 0
			if takes {
				b.Deliver(b.NewMessage(""), m.send, h, 0)
			}
			return takes
		})
		if r.IntN(2) == 0 {
			sent = append(sent, message{h, q})
		}
		last[p] = h
	}
	for _, m := range sent {
		b.Deliver(b.NewMessage(""), m.send, graphs.NoHandle, m.to)
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// What is forgotten matters for what is still to come only by the cuts that are reached.
func TestReached(t *testing.T) {
	kept, all, matters := 0, 0, 0
	for seed := range uint64(graphtest.RoundsUpTo(t, 500, 10_000)) {
		r := rand.New(rand.NewPCG(seed, 41))
		c := talking(r)
		atom := func(name string) string {
			return fmt.Sprintf("%s@%c == %d", name, 'A'+r.IntN(c.NumProcesses()), r.IntN(2))
		}
		p := atom("y")
		if r.IntN(2) == 0 {
			p = fmt.Sprintf("y@%c == 1", 'A'+r.IntN(c.NumProcesses()))
		}
		text := strings.NewReplacer("p", p, "q", atom("x"), "s", atom("x"), "u", atom("x"), "c", channel(r, c)).Replace(passing[r.IntN(len(passing))])
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		want := rctl.Fails
		if l := graphtest.NewLattice(c); rctltest.Holds(l, resolved)[l.Initial] {
			want = rctl.Holds
		}
		lines, _ := linesOf(r, c)
		m := New([]*syntax.Formula{f}, Options{Options: stream.Options{Declared: true, SyncSize: 2}})
		for _, l := range lines {
			if l.Kind == stream.Closing {
				continue
			}
			if err := m.Add(&l.Line); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if r.IntN(4) == 0 {
				continue
			}
			if _, err := m.Decide(context.Background()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if isReached(m) && len(m.props[0].root.left) > 1 {
				matters++
			}
		}
		if isReached(m) {
			kept, all = kept+m.stream.Len(), all+int(m.stream.Admitted())
		}
		if _, err := m.End(context.Background()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if a := m.Answer(0); a.Verdict != want {
			t.Fatalf("seed %d: %s: %v, want %v", seed, text, a, want)
		}
	}
	if kept >= all*3/4 || matters == 0 {
		t.Errorf("%d of %d events were kept, and %d executions have cuts", kept, all, matters)
	}
	t.Log(kept, all, matters)
}

// isReached reports whether cuts are kept of the first property.
func isReached(m *Monitor) bool {
	root := m.props[0].root
	if root == nil || root.pass == nil {
		return false
	}
	_, inner := phase(root.f)
	return inner != nil && inner.Op != syntax.OpEF
}

// Of two cuts that are reached with a process in a run of states, of which none contains the other, both matter:
// C comes to x@C == 1 by way of A, after D has gone on, or by way of B, while D need not have.
func TestReachedTwice(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "EF(x@C == 0 && E[x@A == 1 || x@B == 1 || x@C > 0 U x@C == 2 && x@D == 0])")}, Options{})
	for _, l := range []*stream.Line{
		event("D", 1, "d", ""), event("A", 1, "", "d"), event("B", 1, "", ""), event("C", 1, "", ""),
		event("B", 2, "b", ""), event("C", 1, "c", "b"), event("A", 1, "", "c"), event("B", 2, "", "c"), event("D", 1, "", "c"),
	} {
		if err := m.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if answers, err := m.Decide(t.Context()); err != nil || len(answers) > 0 || !isReached(m) || m.stream.Len() == 9 {
		t.Fatalf("%v, %v, %d events are kept", answers, err, m.stream.Len())
	}
	if err := m.Add(event("C", 2, "", "")); err != nil {
		t.Fatal(err)
	}
	if answers, err := m.Decide(t.Context()); err != nil || len(answers) != 1 || answers[0].Verdict != rctl.Holds || answers[0].Events != 10 {
		t.Errorf("%v, %v, want holds after 10 events", answers, err)
	}
}

// What all unseen cuts contain need not have what holds along a run that leads to them: A has sent two messages, of
// which B has taken the first before it heard of the second.
func TestPassage(t *testing.T) {
	m := New([]*syntax.Formula{parsed(t, "EG(transit(A, B) < 2)")}, Options{})
	first, second := event("A", 1, "m1", ""), event("A", 2, "m2", "")
	first.To, second.To = []byte("B"), []byte("B")
	hears := event("B", 2, "", "")
	hears.After = [][]byte{[]byte("A:2")}
	for _, l := range []*stream.Line{first, second, event("B", 1, "", "m1"), hears} {
		if err := m.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if answers, err := m.Decide(t.Context()); err != nil || len(answers) > 0 || m.stream.Len() != 2 {
			t.Errorf("%v, %v, %d events are kept", answers, err, m.stream.Len())
		}
		m.stream.Mark()
	}
	if answers, err := m.End(t.Context()); err != nil || len(answers) != 1 || answers[0].Verdict != rctl.Holds {
		t.Errorf("%v, %v", answers, err)
	}
}
