package certify

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/syntax"
)

// mostListed bounds the events that a line of an argument lists.
const mostListed = 8

// Explain says in prose why no cut between two satisfies n, where rule p of a proof has been
// checked to show it, a line for each step of the argument; none for what only prepares it.
func Explain(c *graphs.Computation, n *certificate.Node, low, high graphs.Cut, p *certificate.Proof) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if p == nil {
		p = &certificate.Proof{Rule: "forced"}
	}
	holds := fmt.Sprintf("%s holds at %s", n.Not, cutText(c, low))
	if !low.Equal(high) {
		holds = fmt.Sprintf("%s holds from %s on", n.Not, cutText(c, low))
	}
	switch p.Rule {
	case "forced":
		if n.Truth != nil {
			break
		}
		path(n, make(map[int]bool), func(n *certificate.Node) {
			for i, tie := range p.Ties[n.ID] {
				switch {
				case i == mostListed:
					say("… and so on, for %d pairs of events in all.", len(p.Ties[n.ID]))
				case i < mostListed && n.Op == syntax.OpAW && n.Goal.Formula.Op == syntax.OpFalse:
					say("%s would have to come before %s, if %s for good.", c.ID(tie[1]), c.ID(tie[0]), n.Along)
				case i < mostListed:
					say("%s and %s would have to happen at once, if %s along the run.", c.ID(tie[0]), c.ID(tie[1]), n.Along)
				}
			}
		})
		say("%s: wherever %s does from there on, more has happened, or it never does.", holds, n)
	case "operands":
		switch {
		case n.Goal != nil && p.Which == 1:
			say("%s: otherwise %s would have to hold at once.", holds, n.Along)
		case n.Goal != nil:
			say("%s: no cut from there on satisfies %s.", holds, n.Goal)
		case n.Op == syntax.OpAnd && slices.ContainsFunc(n.Sub, func(s *certificate.Node) bool { return s.Formula.Equal(n.Sub[p.Which].Not.Formula) }):
			say("%s: %s and its negation cannot both hold.", holds, n.Sub[p.Which])
		case n.Op == syntax.OpEX && p.Which == 1:
			say("%s: each cut up to the next step of each process satisfies %s.", holds, n.Not.Sub[0])
		case n.Op == syntax.OpEX:
			say("%s: each cut that comes next satisfies %s.", holds, n.Not.Sub[0])
		case n.Op == syntax.OpAX:
			say("%s: the next step of %s shows it.", holds, c.Processes()[p.Which])
		}
	case "greatest":
		say("%s: from each cut up to %s a run leads there, along which %s, and goes on.", holds, cutText(c, last(c, low, p.Events)), n.Not.Along)
	case "flow":
		say("%s: events that raise the sum need others that lower it.", holds)
	case "run":
		if p.Events != nil {
			say("%s: a run comes to %s.", holds, cutText(c, last(c, low, p.Events)))
			break
		}
		steps := 0
		for _, leg := range p.Run {
			steps += int(leg[1])
		}
		say("%s: a run of %d steps shows it.", holds, steps)
	case "pass":
		first, last := p.Events[:p.Which], p.Events[p.Which:]
		say("%s: each run comes to a cut with %s and without %s, as each of the latter needs all of the former.", holds, eventsText(c, first), eventsText(c, last))
	case "look":
		say("%s: evaluated there, and at later cuts where it matters.", holds)
	}
	return lines
}

// last returns a cut with some events and all that they need.
func last(c *graphs.Computation, from graphs.Cut, events []graphs.Event) graphs.Cut {
	to := from.Clone()
	for _, e := range events {
		c.Advance(to, e)
	}
	return to
}

// path visits the formulas in n that are about runs, those below first.
func path(n *certificate.Node, done map[int]bool, visit func(*certificate.Node)) {
	if n == nil || n.Truth != nil || done[n.ID] {
		return
	}
	done[n.ID] = true
	for _, s := range append([]*certificate.Node{n.Along, n.Goal}, n.Sub...) {
		path(s, done, visit)
	}
	if n.Along != nil {
		visit(n)
	}
}

func eventsText(c *graphs.Computation, events []graphs.Event) string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = c.ID(e)
	}
	if len(names) == 0 {
		return "no events"
	}
	return graphs.List(names, mostListed)
}

func cutText(c *graphs.Computation, cut graphs.Cut) string {
	var names []string
	for p, k := range cut {
		if k > 0 {
			names = append(names, fmt.Sprintf("%s:%d", c.Processes()[p], k))
		}
	}
	if len(names) == 0 {
		return "the cut without events"
	}
	return "cut " + graphs.List(names, mostListed)
}
