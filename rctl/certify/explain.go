package certify

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/syntax"
)

// mostListed bounds the events that a line of an argument lists, and mostAlike the lines that
// differ only in the cuts that they are about.
const (
	mostListed = 8
	mostAlike  = 3
)

// An Argument says in prose what a proof shows, a line for each step.
type Argument struct {
	Lines []string

	comp   *graphs.Computation
	reason string // of the last line, and for what
	alike  int    // how many steps it is of
}

// NewArgument returns one about c that has no steps yet.
func NewArgument(c *graphs.Computation) *Argument { return &Argument{comp: c} }

// Add says why no cut between two satisfies n, where rule p of a proof has been checked to show
// it; nothing of what only prepares it. Of steps that follow each other, and are cases of the
// same, the first are listed, and all are counted.
func (a *Argument) Add(n *certificate.Node, low, high graphs.Cut, p *certificate.Proof) {
	c := a.comp
	line := func(format string, args ...any) {
		a.Lines, a.reason = append(a.Lines, fmt.Sprintf(format, args...)), ""
	}
	if p == nil {
		p = &certificate.Proof{Rule: "forced"}
	}
	holds := fmt.Sprintf("%s holds at %s", n.Not, cutText(c, low))
	if !low.Equal(high) {
		holds = fmt.Sprintf("%s holds from %s on", n.Not, cutText(c, low))
	}
	say := func(format string, args ...any) {
		why := fmt.Sprintf(format, args...)
		reason := n.Not.String() + why
		if reason != a.reason {
			a.alike = 0
		}
		switch a.alike++; {
		case a.alike <= mostAlike:
			line("%s: %s", holds, why)
		case a.alike > mostAlike+1:
			a.Lines = a.Lines[:len(a.Lines)-1]
			fallthrough
		default:
			line("… and so on, for %d cases in all: %s", a.alike, why)
		}
		a.reason = reason
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
					line("… and so on, for %d pairs of events in all.", len(p.Ties[n.ID]))
				case i < mostListed && n.Op == syntax.OpAW && n.Goal.Formula.Op == syntax.OpFalse:
					line("%s would have to come before %s, if %s for good.", c.ID(tie[1]), c.ID(tie[0]), n.Along)
				case i < mostListed:
					line("%s and %s would have to happen at once, if %s along the run.", c.ID(tie[0]), c.ID(tie[1]), n.Along)
				}
			}
		})
		say("wherever %s does from there on, more has happened, or it never does.", n)
	case "operands":
		switch {
		case n.Goal != nil && p.Which == 1:
			say("otherwise %s would have to hold at once.", n.Along)
		case n.Goal != nil:
			say("no cut from there on satisfies %s.", n.Goal)
		case n.Op == syntax.OpAnd && slices.ContainsFunc(n.Sub, func(s *certificate.Node) bool { return s.Formula.Equal(n.Sub[p.Which].Not.Formula) }):
			say("%s and its negation cannot both hold.", n.Sub[p.Which])
		case n.Op == syntax.OpEX && p.Which == 1:
			say("each cut up to the next step of each process satisfies %s.", n.Not.Sub[0])
		case n.Op == syntax.OpEX:
			say("each cut that comes next satisfies %s.", n.Not.Sub[0])
		case n.Op == syntax.OpAX:
			say("the next step of %s shows it.", c.Processes()[p.Which])
		}
	case "greatest":
		say("from each cut up to %s a run leads there, along which %s, and goes on.", cutText(c, last(c, low, p.Events)), n.Not.Along)
	case "flow":
		say("events that raise the sum need others that lower it.")
	case "run":
		if p.Events != nil {
			say("a run comes to %s.", cutText(c, last(c, low, p.Events)))
			break
		}
		steps := 0
		for _, leg := range p.Run {
			steps += int(leg[1])
		}
		say("a run of %d steps shows it.", steps)
	case "pass":
		first, last := p.Events[:p.Which], p.Events[p.Which:]
		say("each run comes to a cut with %s and without %s, as each of the latter needs all of the former.", eventsText(c, first), eventsText(c, last))
	case "look":
		say("evaluated there, and at later cuts where it matters.")
	}
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
