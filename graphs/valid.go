package graphs

import (
	"cmp"
	"fmt"
	"slices"

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

// brokenMetaEvents compares the meta-events with the strongly connected components
// that gonum finds between ⊥ and ⊤, and looks for an edge to one of a greater number.
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

// brokenCuts compares the initial cut with what reaches ⊥, and the final cut with
// what ⊤ reaches.
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
