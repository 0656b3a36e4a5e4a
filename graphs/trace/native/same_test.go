package native

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// describe lists all that a trace says of a computation, happened-before as its
// transitive closure: two computations that read the same are the same trace. It
// is for small ones.
func describe(c *graphs.Computation) string {
	var b strings.Builder
	for p, name := range c.Processes() {
		fmt.Fprintf(&b, "process %q: %d events\n", name, c.Len(p))
	}
	for e := graphs.Event(1); e < c.Top(); e++ {
		fmt.Fprintf(&b, "event %q %v %q %s\n", c.ID(e), c.HasID(e), c.Label(e), c.Time(e))
	}
	for _, v := range c.Variables() {
		if v.Kind == graphs.NoKind {
			continue
		}
		fmt.Fprintf(&b, "variable %q of %d: %v", v.Name, v.Process, v.Init)
		for i, e := range v.Events() {
			fmt.Fprintf(&b, ", %d: %v", e, v.Value(i))
		}
		b.WriteByte('\n')
	}
	describeMessages(&b, c)
	for _, e := range c.Edges() {
		fmt.Fprintf(&b, "edge %d %d\n", e.From, e.To)
	}
	var ties []string
	for _, t := range c.Syncs() {
		t := slices.Sorted(slices.Values(t))
		ties = append(ties, fmt.Sprintf("sync %v\n", t))
	}
	slices.Sort(ties)
	b.WriteString(strings.Join(ties, ""))
	for e, past := range closure(c) {
		fmt.Fprintf(&b, "past of %d: %v\n", e+1, past)
	}
	fmt.Fprintf(&b, "cuts from %v to %v, empty %v\n", c.Initial(), c.Final(), c.Empty())
	return b.String()
}

func describeMessages(b *strings.Builder, c *graphs.Computation) {
	var lines []string
	for _, m := range c.Messages() {
		lines = append(lines, fmt.Sprintf("message %q from %d to %d at %d\n", c.MessageName(m.Index), m.Send, m.To, m.Recv))
	}
	slices.Sort(lines)
	fmt.Fprintf(b, "%d messages\n%s", c.NumMessages(), strings.Join(lines, ""))
}

// closure returns the past of each event in order.
func closure(c *graphs.Computation) [][]graphs.Event {
	all := make([][]graphs.Event, c.NumEvents())
	for e := range all {
		seen := make(map[graphs.Event]bool)
		var visit func(f graphs.Event)
		visit = func(f graphs.Event) {
			before := slices.Clone(c.Preds(f))
			if c.Position(f) > 1 {
				before = append(before, f-1)
			}
			for _, g := range before {
				if !seen[g] {
					seen[g] = true
					visit(g)
				}
			}
		}
		visit(graphs.Event(e + 1))
		for f := graphs.Event(1); f < c.Top(); f++ {
			if seen[f] {
				all[e] = append(all[e], f)
			}
		}
	}
	return all
}

// differ lists the lines that only one of two descriptions has.
func differ(want, got string) string {
	var b strings.Builder
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range w {
		if !slices.Contains(g, line) {
			fmt.Fprintf(&b, "want %s\n", line)
		}
	}
	for _, line := range g {
		if !slices.Contains(w, line) {
			fmt.Fprintf(&b, "got  %s\n", line)
		}
	}
	return b.String()
}
