package certify

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/syntax"
)

// maxListed bounds the events that a line of an argument lists, and maxAlike the lines about
// a formula and a rule.
const (
	maxListed = 8
	maxAlike  = 3
)

// An Argument says in prose what a proof shows.
type Argument struct {
	// How many steps Add has seen, including those without a line.
	comp  *graphs.Computation
	steps int
	// The steps listed so far, in the order of Add.
	said  []sentence
	kinds map[kind]*alike
	plain string // a step that needs no reason
}

// A sentence is the text about a step.
type sentence struct {
	step int
	text string
}

// A kind identifies the steps by one rule about one formula.
type kind struct {
	node int
	rule string
}

// alike summarizes the steps of a kind: how many there are, and the last one if it is not listed.
type alike struct {
	n         int
	node      *node
	low, high graphs.Cut
	proof     *proof
	step      int
}

// NewArgument returns an argument about c without steps.
func NewArgument(c *graphs.Computation) *Argument {
	return &Argument{comp: c, kinds: make(map[kind]*alike)}
}

// Add notes that no cut between two satisfies n, as rule p of a proof has been checked to show.
func (a *Argument) Add(n *certificate.Node, low, high graphs.Cut, p *certificate.Proof) {
	// Steps count from 1, and number the lines for sorting only.
	a.steps++
	if p == nil {
		p = &proof{Rule: "forced"}
	}
	// Constants would fill an argument with lines that explain nothing; the last one is kept in
	// case there is no other.
	if n.Formula.Op == syntax.OpFalse || n.Not.Formula.Op == syntax.OpFalse {
		a.plain = a.claim(n.Not, low, high) + " by definition."
		return
	}

	k := kind{n.ID, p.Rule}
	all := a.kinds[k]
	if all == nil {
		all = new(alike)
		a.kinds[k] = all
	}

	if all.n++; all.n <= maxAlike {
		a.ties(n, p)
		a.said = append(a.said, sentence{a.steps, a.line(n, low, high, p)})
		return
	}

	// From the fourth on, only the last is kept, in buffers that are reused: memory is bounded by
	// the number of kinds, not of steps.
	all.node = n
	all.proof = p
	all.step = a.steps
	all.low, all.high = append(all.low[:0], low...), append(all.high[:0], high...)
}

// Lines returns a line for each step, with steps before those that depend on them. If there are many
// steps by one rule about one formula, it lists the first ones and the last, and counts all.
func (a *Argument) Lines() []string {
	said := slices.Clone(a.said)
	for _, all := range a.kinds {
		if all.n <= maxAlike {
			continue
		}
		text := a.line(all.node, all.low, all.high, all.proof)
		// If exactly one step is left over, it is the last and needs no count.
		if all.n > maxAlike+1 {
			text = fmt.Sprintf("… and so on, for %d cases in all. The last: %s", all.n, text)
		}
		said = append(said, sentence{all.step, text})
	}

	if len(said) == 0 && a.plain != "" {
		return []string{a.plain}
	}
	// Maps have no order. The sort restores that of the steps, and is stable for the lines of one
	// step.
	slices.SortStableFunc(said, func(s, t sentence) int { return cmp.Compare(s.step, t.step) })
	var lines []string
	for _, s := range said {
		lines = append(lines, s.text)
	}
	return lines
}

// line says that no cut between two satisfies n, and why.
func (a *Argument) line(n *node, low, high graphs.Cut, p *proof) string {
	return a.claim(n.Not, low, high) + ": " + a.reason(n, low, high, p)
}

// claim says that n holds at all cuts between two.
func (a *Argument) claim(n *node, low, high graphs.Cut) string {
	text := textOf(n) + " holds"
	// A negation that holds reads better as its operand that fails.
	if denied(n) {
		text = textOf(n.Not) + " fails"
	}
	switch {
	case low.Equal(high):
		return text + " at " + cutText(a.comp, low)
	case high.Equal(a.comp.Final()):
		return text + " from " + cutText(a.comp, low) + " on"
	}
	return text + " from " + cutText(a.comp, low) + " to " + cutText(a.comp, high)
}

// denied reports whether the text about n says that its negation fails.
func denied(n *node) bool { return n.Truth == nil && n.Formula.Op == syntax.OpNot }

// ties returns the pairs of events in a proof by rule forced.
func (a *Argument) ties(n *node, p *proof) {
	line := func(format string, args ...any) {
		a.said = append(a.said, sentence{a.steps, fmt.Sprintf(format, args...)})
	}
	// A formula that occurs several times in n has one ID and is visited once.
	path(n, make(map[int]bool), func(n *node) {
		for i, tie := range p.Ties[n.ID] {
			first, other := a.comp.ID(tie[0]), a.comp.ID(tie[1])
			switch {
			case i == maxListed:
				line("… and so on, for %d pairs of events in all.", len(p.Ties[n.ID]))
			case i < maxListed && n.Op == syntax.OpAW && n.Goal.Formula.Op == syntax.OpFalse:
				line("For %s to hold for good, %s would have to happen before %s.", textOf(n.Along), other, first)
			case i < maxListed:
				line("For %s to hold all along a run, %s and %s would have to happen at once.", textOf(n.Along), first, other)
			}
		}
	})
}

// reason says why no cut between two satisfies n, by rule p.
func (a *Argument) reason(n *node, low, high graphs.Cut, p *proof) string {
	c := a.comp
	// The refuted formula is n, but the claim is about its negation, so the words are exchanged:
	// to refute n is to say that n.Not cannot fail.
	otherwise := "for it to fail"
	if denied(n.Not) {
		otherwise = "for it to hold"
	}
	switch p.Rule {
	case "forced":
		switch {
		case n.Truth != nil && low.Equal(high):
			return "the values there show it."
		case low.Equal(high):
			return otherwise + ", events would be needed that have not happened, or never do."
		case high.Equal(c.Final()):
			return otherwise + ", events would be needed that never happen."
		}
		return otherwise + ", events would be needed that have not happened by then."
	case "operands":
		switch {
		case n.Goal != nil && p.Which == 1:
			return fmt.Sprintf("otherwise %s would have to hold from the start.", textOf(n.Along))
		case n.Goal != nil:
			return fmt.Sprintf("no cut from there on satisfies %s.", textOf(n.Goal))
		case n.Op == syntax.OpOr:
			return "each of its operands does."
		case n.Op == syntax.OpAnd && slices.ContainsFunc(n.Sub, func(s *node) bool { return s.Formula.Equal(n.Sub[p.Which].Not.Formula) }):
			return fmt.Sprintf("%s and its negation cannot both hold.", textOf(n.Sub[p.Which]))
		case n.Op == syntax.OpAnd:
			return fmt.Sprintf("%s is enough, and holds.", textOf(n.Sub[p.Which].Not))
		case n.Op == syntax.OpEX && p.Which == 1:
			return fmt.Sprintf("each cut up to the next step of each process satisfies %s.", textOf(n.Not.Sub[0]))
		case n.Op == syntax.OpEX && low.Equal(c.Final()):
			return "no cut comes next."
		case n.Op == syntax.OpEX:
			return fmt.Sprintf("each cut that comes next satisfies %s.", textOf(n.Not.Sub[0]))
		}
		return fmt.Sprintf("the next step of %s shows it.", c.Processes()[p.Which])
	case "split":
		if len(p.Events) > 1 {
			return fmt.Sprintf("it does however many of %s have happened.", eventsText(c, p.Events))
		}
		return fmt.Sprintf("it does whether %s has happened or not.", eventsText(c, p.Events))
	case "flow":
		if len(p.Flow) == 0 {
			return "all that the processes change the sum by is not enough for anything else."
		}
		return "what the processes change the sum by is not enough for anything else, as events that take it further need others that take it back."
	case "run":
		return "a run leads to " + runText(c, n.Not, low, p)
	case "pass":
		first, last := p.Events[:p.Which], p.Events[p.Which:]
		return fmt.Sprintf("each run comes to a cut with %s and without %s, as each of the latter needs all of the former. At each such cut %s holds.",
			eventsText(c, first), eventsText(c, last), textOf(n.Not.Goal))
	}

	return "the cuts from there on that matter were looked at one by one."
}

// runText says where the run of a proof that n holds leads, and what holds along it.
func runText(c *graphs.Computation, n *node, from graphs.Cut, p *proof) string {
	// The events of a hop lead to a cut; a run adds its legs, processes with a number of steps.
	to, _ := c.Above(from, p.Events...)
	for _, leg := range p.Run {
		for range leg[1] {
			c.Advance(to, c.Event(int(leg[0]), int(to[leg[0]])+1))
		}
	}

	text := cutText(c, to)
	if n.Along.Formula.Op != syntax.OpTrue {
		text += " along which " + textOf(n.Along) + " holds"
	}
	switch {
	case p.Which == 1:
		return text + ", from where on the same was shown."
	case n.Op == syntax.OpEW && to.Equal(c.Final()) && (len(p.Of) == 0 || p.Of[0] == nil):
		return text + ", to the end."
	}
	return text + ", and " + textOf(n.Goal) + " holds there."
}

// textOf returns the formula of a node.
func textOf(n *node) string {
	// Negation normal form without redundant parentheses, at most 200 bytes: a line of prose has
	// to stay readable.
	if n.Truth != nil {
		return syntax.Tidy(syntax.NNF(n.Formula)).Brief(200)
	}
	return n.String()
}

// path visits the formulas in n that are about runs, subformulas first.
func path(n *node, done map[int]bool, visit func(*node)) {
	if n == nil || n.Truth != nil || done[n.ID] {
		return
	}
	// Marked before the operands, so each node is visited once: linear in the size of the
	// formula.
	done[n.ID] = true
	for _, s := range append([]*node{n.Along, n.Goal}, n.Sub...) {
		path(s, done, visit)
	}
	if n.Along != nil {
		visit(n)
	}
}

// eventsText returns the ids of events, the first few of them.
func eventsText(c *graphs.Computation, events []graphs.Event) string {
	if len(events) == 0 {
		return "no events"
	}
	return graphs.List(syntax.Mapped(events, c.ID), maxListed)
}

// cutText returns how many events of each process a cut has.
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
	return "cut " + graphs.List(names, maxListed)
}
