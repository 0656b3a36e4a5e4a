package graphs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/topo"
)

// Valid returns an error that names an invariant of Computation that c breaks, nil for none. It
// trusts nothing that c has computed.
//
// The time complexity of Valid is O(|V|+|edges| log |edges|), and O(|V|+|edges|) for each shared
// variable.
func (c *Computation) Valid() error {
	for _, invariant := range []struct {
		number int
		broken func() string
	}{
		{1, c.brokenNumbers}, {2, c.brokenMessages}, {3, c.brokenOrder},
		{5, c.brokenEdges}, {6, c.brokenMetaEvents}, {7, c.brokenCuts},
		{4, c.brokenVariables}, // needs the edges
	} {
		if why := invariant.broken(); why != "" {
			return fmt.Errorf("invariant (%d) is broken: %s", invariant.number, why)
		}
	}
	return nil
}

func (c *Computation) brokenNumbers() string {
	n := len(c.proc) - 2
	if len(c.base) != len(c.names)+1 || c.base[0] != 0 || int(c.base[len(c.names)]) != n ||
		c.proc[0] != -1 || c.proc[n+1] != -1 {
		return fmt.Sprintf("%d processes of %d events in %v", len(c.names), n, c.base)
	}
	for p, name := range c.names {
		if q, ok := c.number()[name]; !ok || q != p || len(c.number()) != len(c.names) {
			return fmt.Sprintf("process %d, %q, is called %d", p, name, q)
		}
		for k := 1; k <= c.Len(p); k++ {
			if e := c.Event(p, k); c.Process(e) != p || c.Position(e) != k {
				return fmt.Sprintf("event %d of process %d is %d, of %d", k, p, e, c.proc[e])
			}
		}
	}
	return ""
}

func (c *Computation) brokenMessages() string {
	for i, m := range c.messages {
		implied := c.proc[m.Send] == c.proc[m.Recv] && m.Send < m.Recv
		switch {
		case i > 0 && c.messages[i-1].Index > m.Index, int(m.Index) >= c.sent:
			return fmt.Sprintf("message %d of %d is out of order", m.Index, c.sent)
		case c.proc[m.Send] < 0, m.Recv == Bottom && int(m.To) >= len(c.names),
			m.Recv != Bottom && c.proc[m.Recv] != m.To:
			return fmt.Sprintf("message %d leads from %d to %d of %d", m.Index, m.Send, m.Recv,
				m.To)
		case m.Recv != Bottom && !implied && !slices.Contains(c.hard.out.Row(int(m.Send)), m.Recv):
			return fmt.Sprintf("message %d is not an edge", m.Index)
		}
	}
	return ""
}

func (c *Computation) brokenOrder() string {
	if c.derive(&given{hard: c.hard}, c.NoEvents(), c.AllEvents()).hasCycle() {
		return "happened-before has a cycle"
	}
	return ""
}

func (c *Computation) brokenVariables() string {
	if !slices.IsSortedFunc(c.vars, byProcess) {
		return "variables are out of order"
	}
	named := 0
	for name, all := range c.varsOf {
		named += len(all.vars)
		for i, v := range all.vars {
			if v.Name != name || c.Variable(v.Process, name) != v || i > 0 &&
				byProcess(all.vars[i-1], v) >= 0 {
				return fmt.Sprintf("%s of process %d is not found", name, v.Process)
			}
		}
	}
	if named != len(c.vars) {
		return fmt.Sprintf("%d variables have names, and there are %d", named, len(c.vars))
	}
	layers := c.layers()
	for _, v := range c.vars {
		for i, e := range v.events {
			if v.Value(i).Kind != v.Kind || v.Process != Shared &&
				(c.Process(e) != v.Process || i > 0 && v.events[i-1] >= e) {
				return fmt.Sprintf("assignment %d of %s is out of order, or of another type", i,
					v.Name)
			}
		}
		if v.Process == Shared && slices.ContainsFunc(layers, v.outOfOrder) {
			return fmt.Sprintf("the assignments of %s are out of order", v.Name)
		}
	}
	return ""
}

// outOfOrder reports whether one of v's assignments happened before an earlier one,
// and not in one step with it.
func (v *Variable) outOfOrder(c *Computation) bool {
	number := make(map[Event]int32, len(v.events))
	for i, e := range v.events {
		number[e] = int32(i) + 1
	}
	last := make([]int32, len(c.proc)) // the greatest number of an assignment before
	for step := range c.Steps() {
		past := c.greatestBefore(step, last)
		with := past
		for _, m := range step {
			if n := number[m]; n > 0 && n < past {
				return true
			}
			with = max(with, number[m])
		}
		for _, m := range step {
			last[m] = with
		}
	}
	return false
}

func (c *Computation) brokenEdges() string {
	compare := func(e, f Edge) int {
		return cmp.Or(cmp.Compare(e.From, f.From), cmp.Compare(e.To, f.To))
	}
	want := slices.AppendSeq(c.softEdges(), c.hard.edges())
	want = slices.DeleteFunc(want, func(e Edge) bool {
		return c.proc[e.From] == c.proc[e.To] && e.From <= e.To
	})
	slices.SortFunc(want, compare)
	want = slices.Compact(want)
	var got []Edge
	for e, f := range c.succ.All() {
		got = append(got, Edge{Event(e), f})
	}
	back := slices.Collect(bothWays{in: c.pred}.edges())
	backInOrder := slices.IsSortedFunc(back,
		func(e, f Edge) int { return cmp.Or(cmp.Compare(e.To, f.To), cmp.Compare(e.From, f.From)) })
	slices.SortFunc(back, compare)
	if !slices.Equal(got, want) || !slices.Equal(back, want) ||
		!backInOrder {
		return fmt.Sprintf("edges %v there and %v back, not %v", got, back, want)
	}
	return ""
}

// brokenMetaEvents compares the meta-events with the strongly connected components that gonum finds
// between ⊥ and ⊤, and searches for an edge to one with a greater number.
func (c *Computation) brokenMetaEvents() string {
	size := 0
	for _, component := range topo.TarjanSCC(directed{c: c}) {
		var group []Event
		for _, n := range component {
			group = append(group, Event(n.ID()))
		}
		slices.Sort(group)
		for _, e := range group {
			if !slices.Equal(c.Step(e), group) {
				return fmt.Sprintf("%s is of %v, and its component is %v", c.ID(e), c.Step(e),
					group)
			}
		}
		size += len(group)
	}
	if c.meta == nil {
		return ""
	}
	if c.members.Size() != size {
		return fmt.Sprintf("%d events are in meta-events, of %d", c.members.Size(), size)
	}
	for _, e := range slices.AppendSeq(c.processOrder(), bothWays{in: c.pred}.edges()) {
		if c.meta[e.To] > c.meta[e.From] {
			return fmt.Sprintf("%s leads to %s, of a greater meta-event", c.ID(e.From), c.ID(e.To))
		}
	}
	return ""
}

// processOrder lists the edges from events to the next ones of their processes.
func (c *Computation) processOrder() []Edge {
	var list []Edge
	for e := Event(1); e < c.Top(); e++ {
		if c.proc[e+1] == c.proc[e] {
			list = append(list, Edge{e, e + 1})
		}
	}
	return list
}

// brokenCuts compares the initial cut with the events that reach ⊥, and the final cut with those
// that ⊤ reaches.
func (c *Computation) brokenCuts() string {
	if c.empty == c.initial.Within(c.final) && !slices.Contains(c.edges, Edge{c.Top(), Bottom}) {
		return fmt.Sprintf("from %v to %v, empty: %v", c.initial, c.final, c.empty)
	}
	g := c.Directed()
	in, out := reached(g.To, Bottom), reached(g.From, c.Top())
	switch {
	case out[Bottom] && !c.empty:
		return "⊤ reaches ⊥, and the computation is not empty"
	case c.empty:
		return ""
	case !c.Consistent(c.initial) || !c.Consistent(c.final):
		return fmt.Sprintf("from %v to %v, which are not both consistent", c.initial, c.final)
	}
	for e := Event(1); e < c.Top(); e++ {
		switch {
		case in[e] && !c.Has(c.initial, e):
			return fmt.Sprintf("%s reaches ⊥, and the initial cut is %v", c.ID(e), c.initial)
		case out[e] == c.Has(c.final, e):
			return fmt.Sprintf("⊤ reaches %s: %v, and the final cut is %v", c.ID(e), out[e],
				c.final)
		}
	}
	return ""
}

// reached returns the vertices that a search from e finds.
func reached(next func(id int64) graph.Nodes, e Event) map[Event]bool {
	found := map[Event]bool{e: true}
	for todo := []Event{e}; len(todo) > 0; todo = todo[1:] {
		for nodes := next(int64(todo[0])); nodes.Next(); {
			if f := Event(nodes.Node().ID()); !found[f] {
				found[f] = true
				todo = append(todo, f)
			}
		}
	}
	return found
}

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
				for _, e := range c.members.Row(int(n - 1 - k)) {
					turned.Add(e)
				}
				turned.End()
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
				for _, e := range row {
					joined.Add(e)
				}
				joined.End()
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
