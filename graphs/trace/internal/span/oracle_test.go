package span

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
)

// This file states the causality of spans a second time, from the package comment, as directly as
// possible: all pairs, and a matrix of happened-before.

// pool is the spans of an execution, in order.
type pool []*Span

// related returns the span with an id to which r refers, or nil if there is none.
func related(r *Span, all pool, has func(*Span) bool) *Span {
	var some pool
	for _, c := range all {
		if has(c) {
			some = append(some, c)
		}
	}
	for _, better := range []func(c *Span) bool{
		func(c *Span) bool { return c != r },
		func(c *Span) bool {
			return r.Kind == Server && c.Kind == Client || r.Kind == Consumer && c.Kind == Producer
		},
		func(c *Span) bool { return sameClock(r, c) },
		func(c *Span) bool { return c.Kind == Server || c.Kind == Consumer },
	} {
		if slices.ContainsFunc(some, better) {
			some = slices.DeleteFunc(some, func(c *Span) bool { return !better(c) })
		}
	}
	if some == nil {
		return nil
	}
	return some[0]
}

func sameClock(r, c *Span) bool {
	return r.Resource.Service != "" && r.Resource.Service == c.Resource.Service && slices.Equal(r.Resource.Attributes, c.Resource.Attributes)
}

func parentOf(r *Span, all pool) *Span {
	half := func(c *Span) bool {
		return r.Kind == Server && c.Kind == Client && c.Trace == r.Trace && c.ID == r.ID
	}
	if p := related(r, all, half); p != nil {
		return p
	}
	return related(r, all, func(c *Span) bool { return r.Parent != 0 && c.Trace == r.Trace && c.ID == r.Parent })
}

func linkedTo(r *Span, l Link, all pool) *Span {
	return related(r, all, func(c *Span) bool { return c.Trace == l.Trace && c.ID == l.ID })
}

// sorted returns the spans in order.
func sorted(all pool) pool {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

// executions divides spans by links, until nothing changes.
func executions(all pool) []pool {
	group := make(map[TraceID]int)
	var order []TraceID
	for _, r := range all {
		if _, ok := group[r.Trace]; !ok {
			group[r.Trace] = len(order)
			order = append(order, r.Trace)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, r := range all {
			for _, l := range r.Links {
				if q := linkedTo(r, l, sorted(all)); q != nil && group[q.Trace] != group[r.Trace] {
					m := min(group[q.Trace], group[r.Trace])
					group[q.Trace], group[r.Trace] = m, m
					changed = true
				}
			}
		}
	}
	var parts []pool
	for i := range order {
		var part pool
		for _, r := range sorted(all) {
			if group[r.Trace] == i {
				part = append(part, r)
			}
		}
		if part != nil {
			parts = append(parts, part)
		}
	}
	return parts
}

// node is event k of span i: 0 is start, then come the span events, then end.
type node struct{ i, k int }

// causality returns the nodes and the pairs that are ordered directly.
func causality(all pool) ([]node, map[node][]node) {
	var nodes []node
	after := make(map[node][]node)
	number := make(map[*Span]int)
	for i, r := range all {
		number[r] = i
		for k := range len(r.Events) + 2 {
			nodes = append(nodes, node{i, k})
			if k > 0 {
				after[node{i, k - 1}] = append(after[node{i, k - 1}], node{i, k})
			}
		}
	}
	add := func(r *Span, k int, q *Span, m int) {
		from, to := node{number[r], k}, node{number[q], m}
		after[from] = append(after[from], to)
	}
	for _, r := range all {
		for _, l := range r.Links {
			if q := linkedTo(r, l, all); q != nil {
				add(q, 0, r, 0)
			}
		}
		p := parentOf(r, all)
		if p == nil {
			continue
		}
		if p.Kind == Producer && r.Kind == Consumer {
			add(p, 0, r, 0)
			continue
		}
		events := slices.Clone(p.Events)
		slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Time, b.Time) })
		forked := 0
		for k, e := range events {
			if sameClock(p, r) && e.Time != 0 && r.Start != 0 && e.Time <= r.Start {
				forked = k + 1
			}
		}
		add(p, forked, r, 0)
		if !sameClock(p, r) {
			if p.Kind == Client && r.Kind == Server && p.Status != Error {
				add(r, len(r.Events)+1, p, len(p.Events)+1)
			}
			continue
		}
		if r.End == 0 || p.End == 0 || r.End > p.End {
			continue
		}
		joined := len(p.Events) + 1
		for k := len(events); k > forked; k-- {
			if e := events[k-1]; e.Time >= r.End {
				joined = k
			}
		}
		add(r, len(r.Events)+1, p, joined)
	}
	return nodes, after
}

// closed returns the nodes that are reachable from each node.
func closed(nodes []node, after map[node][]node) map[node]map[node]bool {
	reach := make(map[node]map[node]bool)
	for _, n := range nodes {
		seen := make(map[node]bool)
		todo := slices.Clone(after[n])
		for len(todo) > 0 {
			m := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !seen[m] {
				seen[m] = true
				todo = append(todo, after[m]...)
			}
		}
		reach[n] = seen
	}
	return reach
}

func parentsHaveCycle(all pool) bool {
	for _, r := range all {
		q := r
		for range len(all) + 1 {
			if q = parentOf(q, all); q == nil {
				break
			}
		}
		if q != nil {
			return true
		}
	}
	return false
}

func randomSpans(r *rand.Rand) pool {
	clock := func() uint64 {
		if r.IntN(8) == 0 {
			return 0
		}
		return uint64(1 + r.IntN(12))
	}
	traces := 1 + r.IntN(3)
	forest := r.IntN(3) > 0
	crowd := r.IntN(4) == 0 // whether many spans share an id, with children among them
	var all pool
	for i := range 1 + r.IntN(9) {
		x := &Span{
			Trace: TraceID{0, uint64(1 + r.IntN(traces))}, TraceText: "t",
			ID: ID(1 + r.IntN(12)), Kind: Kind(r.IntN(6)), Name: string(rune('a' + r.IntN(3))),
			Start: clock(), End: clock(), Status: Status(max(0, r.IntN(5)-2)), Place: jsonstream.Place{File: "f", Line: i + 1, Column: 1},
		}
		x.Resource = &Origin{Service: []string{"", "s", "s", "t"}[r.IntN(4)]}
		if r.IntN(4) == 0 {
			x.Resource.Attributes = []Attribute{{"host", graphs.Int(int64(r.IntN(2)))}}
		}
		if forest {
			x.ID = ID(i + 1)
			if r.IntN(4) == 0 && i > 0 {
				x.ID = all[i-1].ID
			}
		}
		if r.IntN(5) > 0 {
			x.Parent = ID(r.IntN(int(x.ID)))
			if r.IntN(40) == 0 {
				x.Parent = ID(1 + r.IntN(12))
			}
		}
		if crowd {
			x.Trace.Low, x.Kind, x.Resource = 1, Kind(2*r.IntN(3)), &Origin{Service: "st"[:1+r.IntN(2)]}
			x.ID, x.Parent = ID(i+1), 1
			if i < 6 {
				x.ID, x.Parent = 1, ID(max(0, r.IntN(9)-7))
			}
		}
		for range r.IntN(4) {
			x.Events = append(x.Events, Event{Time: clock(), Name: "e"})
		}
		for r.IntN(6) == 0 {
			x.Links = append(x.Links, Link{TraceID{0, uint64(1 + r.IntN(traces))}, ID(1 + r.IntN(12))})
		}
		all = append(all, x)
	}
	return all
}

func processNames(all pool) []string {
	var names []string
	count := make(map[string]int)
	for _, r := range all {
		service := cmp.Or(r.Resource.Service, "unknown_service")
		count[service+"/"+r.Name]++
		names = append(names, fmt.Sprint(service, "/", r.Name, "#", count[service+"/"+r.Name]))
	}
	return names
}

// TestCausality compares with the second statement: executions, processes, and happened-before
// between events.
func TestCausality(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	ancestors, cycles, joins, several := 0, 0, 0, 0
	n := graphtest.Rounds(t, 1000)
	for round := range n {
		all := randomSpans(r)
		s := NewSet(trace.Options{})
		for _, x := range all {
			if err := s.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Executions(context.Background())
		parts := executions(all)
		wrong := ""
		var reaches []map[node]map[node]bool
		for _, part := range parts {
			nodes, after := causality(part)
			reach := closed(nodes, after)
			reaches = append(reaches, reach)
			switch {
			case wrong != "":
			case parentsHaveCycle(part):
				wrong = "is its own ancestor"
				ancestors++
			case slices.ContainsFunc(nodes, func(n node) bool { return reach[n][n] }):
				wrong = "cycle of happened-before"
				cycles++
			}
		}
		if wrong != "" {
			var e *trace.Error
			if !errors.As(err, &e) || !strings.Contains(e.Msg, wrong) || e.Line == 0 {
				t.Fatalf("round %d: got %v, want %s\n%s", round, err, wrong, show(all))
			}
			continue
		}
		if err != nil || len(got) != len(parts) {
			t.Fatalf("round %d: %d executions, want %d: %v\n%s", round, len(got), len(parts), err, show(all))
		}
		if len(parts) > 1 {
			several++
		}
		for i, part := range parts {
			c := got[i].Computation
			if !slices.Equal(c.Processes(), processNames(part)) {
				t.Fatalf("round %d: processes %q, want %q", round, c.Processes(), processNames(part))
			}
			joins += c.NumEdges()
			compareReach(t, c, reaches[i], round, part)
		}
	}
	if ancestors < n/500 || cycles < n/500 || joins < n/4 || several < n/40 {
		t.Errorf("only %d ancestors, %d cycles, %d edges, %d times several executions", ancestors, cycles, joins, several)
	}
}

func compareReach(t *testing.T, c *graphs.Computation, want map[node]map[node]bool, round int, part pool) {
	t.Helper()
	var nodes []node
	after := make(map[node][]node)
	of := func(e graphs.Event) node { return node{c.Process(e), c.Position(e) - 1} }
	for e := graphs.Event(1); e < c.Top(); e++ {
		nodes = append(nodes, of(e))
		if c.Position(e) > 1 {
			after[of(e-1)] = append(after[of(e-1)], of(e))
		}
		for _, f := range c.Preds(e) {
			after[of(f)] = append(after[of(f)], of(e))
		}
	}
	got := closed(nodes, after)
	if len(got) != len(want) {
		t.Fatalf("round %d: %d events, want %d", round, len(got), len(want))
	}
	for n := range want {
		for m := range want {
			if got[n][m] != want[n][m] {
				t.Fatalf("round %d: %v before %v is %t, want %t\n%s", round, n, m, got[n][m], want[n][m], show(part))
			}
		}
	}
}

func show(all pool) string {
	var b strings.Builder
	for i, r := range all {
		fmt.Fprintf(&b, "%d: trace %d id %d parent %d %v %s%v %d-%d events %v links %v\n", i, r.Trace.Low, r.ID, r.Parent, r.Kind, r.Resource.Service, r.Resource.Attributes, r.Start, r.End, r.Events, r.Links)
	}
	return b.String()
}
