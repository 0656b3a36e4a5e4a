package bindings_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/syntax"
)

// requests returns a computation of services that pass requests on: each request is received by one, which
// asks another, and answers. Of violations requests the answer does not wait for the other.
func requests(services, count, violations int) *graphs.Computation {
	r := rand.New(rand.NewPCG(1, uint64(count)))
	var b graphs.Builder
	op := make([]*graphs.Variable, services)
	req := make([]*graphs.Variable, services)
	for p := range services {
		b.NewProcess(fmt.Sprintf("s%d", p))
		op[p], req[p] = b.Variable(p, "op"), b.Variable(p, "req")
	}
	event := func(p int, what, id string) graphs.Handle {
		h := b.Event(p)
		b.Set(op[p], h, graphs.Str(what))
		b.Set(req[p], h, graphs.Str(id))
		return h
	}
	for i := range count {
		id := fmt.Sprintf("r%d", i)
		p := r.IntN(services)
		q := (p + 1 + r.IntN(services-1)) % services
		event(p, "recv", id)
		ask := event(p, "ask", id)
		asked := event(q, "work", id)
		b.Order(ask, asked)
		done := event(q, "worked", id)
		b.Event(p)
		b.Event(q)
		if i >= violations {
			told := event(p, "told", id)
			b.Order(done, told)
		}
		event(p, "done", id)
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// about are formulas about requests, with whether the answers that do not wait break them.
var about = map[string]bool{
	`forall r in values(req): AG(once(op == "recv" && req == r) -> AF once(op == "done" && req == r))`:                                                                              false,
	`forall r in values(req): AG(once(op == "done" && req == r) -> once(op == "worked" && req == r))`:                                                                               true,
	`forall r in values(req): AG(events(op == "done" && req == r) <= 1)`:                                                                                                            false,
	`forall e in events(op == "done"): exists d in events(op == "worked" && req == e.req): d before e`:                                                                              true,
	`forall r in values(req): AG(forall i != j: !(between(op == "recv" && req == r, op == "done" && req == r)@i && between(op == "recv" && req == r, op == "done" && req == r)@j))`: false,
}

// TestRequests plants answers that do not wait, and finds these and no others.
func TestRequests(t *testing.T) {
	c := requests(5, 500, 3)
	for text, broken := range about {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := bindings.Check(context.Background(), c, f, bindings.Options{First: 10, Options: rctl.Options{Evidence: true}})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want := 0
		if broken {
			want = 3 // some may be ordered by chance
		}
		if got.Decisive > want || (got.Decisive > 0) != broken || got.Total != 500 {
			t.Errorf("%s: %d of %d decide, want %d of 500", text, got.Decisive, got.Total, want)
		}
		t.Logf("%s: %d of %d, %d visible, %d shapes %q", text, got.Decisive, got.Total, got.Visible, got.Shapes, got.Whole)
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, size := range []int{1000, 10000, 125000} {
		c := requests(20, size, 3)
		n := 0
		for text := range about {
			n++
			b.Run(fmt.Sprintf("requests=%d/%s", size, text[:60]), func(b *testing.B) {
				f, err := syntax.Parse(text)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := bindings.Check(context.Background(), c, f, bindings.Options{First: 10}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestShapes has bindings that look alike but for one thing, which makes two shapes of them: the order of
// their events, the process that the formula names, the events that all cuts have.
func TestShapes(t *testing.T) {
	const always = -2 // all cuts have the event
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
		"process": {
			`forall r in values(req): AF(once(op == "a" && req == r)@P0 && once(op == "b" && req == r))`,
			[]event{{0, "a", "r1", -1}, {1, "b", "r1", -1}, {1, "a", "r2", -1}, {0, "b", "r2", -1}}, 1,
		},
		"all cuts": {
			`forall r in values(req): AG(once(op == "b" && req == r) -> once(op == "a" && req == r))`,
			[]event{{0, "a", "r1", always}, {1, "b", "r1", -1}, {0, "a", "r2", -1}, {1, "b", "r2", -1}}, 1,
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
