package graphs

import (
	"slices"
	"strings"
	"testing"
)

// whole returns a computation with something of everything.
func whole(t *testing.T) *Computation {
	t.Helper()
	var b Builder
	p, q, r := b.Process("P"), b.Process("Q"), b.Process("R")
	p1, p2, p3 := b.Event(p), b.Event(p), b.Event(p)
	q1, q2, q3 := b.Event(q), b.Event(q), b.Event(q)
	r1, r2, r3 := b.Event(r), b.Event(r), b.Event(r)
	b.Deliver(b.NewMessage(""), p2, q2, -1)
	b.Deliver(b.NewMessage(""), q2, NoHandle, r)
	b.Sync(q2, r2)
	b.Order(r1, q1)
	b.Edge(p3, p2)
	b.Edge(p1, BottomHandle)
	b.Edge(TopHandle, r3)
	for i, h := range []Handle{p1, p3} {
		b.Set(b.Variable(p, "x"), h, Int(int64(i)))
	}
	for i, h := range []Handle{r1, q1, q3} {
		b.Set(b.Variable(Shared, "s"), h, Int(int64(i)))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Valid notices each invariant that is broken.
func TestValid(t *testing.T) {
	if err := whole(t).Valid(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		number string
		what   string
		spoil  func(c *Computation)
	}{
		{"(1)", "an event of another process", func(c *Computation) { c.proc[3] = 1 }},
		{"(1)", "a process under another name", func(c *Computation) { c.number()["P"] = 2 }},
		{"(2)", "messages out of order", func(c *Computation) { c.messages[0].Index = 1; c.messages[1].Index = 0 }},
		{"(2)", "a message without an edge", func(c *Computation) { c.messages[0].Send = 1 }},
		{"(2)", "a message to another process", func(c *Computation) { c.messages[0].To = 2 }},
		{"(3)", "a cycle of happened-before", func(c *Computation) { c.hard = c.bothWaysOf(c.hard.edges(), slices.Values([]Edge{{5, 2}})) }},
		{"(4)", "variables out of order", func(c *Computation) { c.vars[0], c.vars[1] = c.vars[1], c.vars[0] }},
		{"(4)", "a variable under another name", func(c *Computation) { c.vars[1].Name = "y" }},
		{"(4)", "assignments of a process out of order", func(c *Computation) { c.vars[1].events[0] = 3 }},
		{"(4)", "assignments of a shared variable out of order", func(c *Computation) { c.vars[0].permute([]int{1, 0, 2}) }},
		{"(5)", "an edge too many", func(c *Computation) {
			c.succ = c.bothWaysOf(bothWays{in: c.pred}.edges(), slices.Values([]Edge{{1, 9}})).out
		}},
		{"(5)", "edges back that do not fit", func(c *Computation) { c.pred = c.succ }},
		{"(5)", "an edge too few", func(c *Computation) { c.edges = append(c.edges, Edge{1, 9}) }},
		{"(6)", "no meta-events", func(c *Computation) { c.meta = nil }},
		{"(6)", "an event in another meta-event", func(c *Computation) { c.meta[1] = c.meta[9] }},
		{"(6)", "numbers of meta-events along the edges", func(c *Computation) {
			n := int32(c.members.Len())
			var turned rows
			for k := range n {
				turned.Append(c.members.Row(int(n - 1 - k))...)
			}
			for e := range c.meta {
				c.meta[e] = n - 1 - c.meta[e]
			}
			c.members = turned
		}},
		{"(6)", "a meta-event of events that do not reach each other", func(c *Computation) {
			c.findMetaEvents()
			k, l := c.meta[1], c.meta[7]
			var joined rows
			for i := range int32(c.members.Len()) {
				row := c.members.Row(int(i))
				switch i {
				case k:
					row = nil
				case l:
					row = []Event{1, 7}
				}
				joined.Append(row...)
			}
			c.meta[1], c.members = l, joined
		}},
		{"(7)", "an initial cut without a forced event", func(c *Computation) { c.initial = c.NoEvents() }},
		{"(7)", "a final cut with an event that is kept out", func(c *Computation) { c.final = c.AllEvents() }},
		{"(7)", "a final cut that is not the greatest", func(c *Computation) { c.final = c.initial.Clone() }},
		{"(7)", "an empty computation", func(c *Computation) { c.empty = true }},
		{"(7)", "a computation that is not empty", func(c *Computation) { c.edges = append(c.edges, Edge{c.Top(), Bottom}) }},
	} {
		c := whole(t)
		test.spoil(c)
		if err := c.Valid(); err == nil || !strings.Contains(err.Error(), test.number) {
			t.Errorf("%s: %v, not invariant %s", test.what, err, test.number)
		}
	}
}
