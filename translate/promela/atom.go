package promela

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/pota-project/pota/rctl/diagram"
	"github.com/pota-project/pota/rctl/syntax"
)

// maxRuns bounds the decision diagram of an atom.
const maxRuns = 1 << 16

// atom returns the Boolean expression for an atom, or for a formula that one chain decides: a
// comparison of sums in Promela's integer arithmetic where that is possible, else the decision
// diagram, written out.
func (t *translator) atom(f *syntax.Formula) (string, error) {
	if f.Op == syntax.OpAtom && !syntax.OfOneChain(f) {
		if text, ok := t.sums(f.Expr); ok {
			return text, nil
		}
	}
	n, err := t.store.Formula(f, maxRuns)
	switch {
	case err != nil:
		return "", err
	case n == nil && t.ctx.Err() != nil:
		return "", t.ctx.Err()
	case n == nil:
		return "", &LimitError{fmt.Sprintf("%s has values that Promela's integers cannot hold, and too many of them to be written out", f)}
	}
	text := t.diagram(n, make(map[*diagram.Node]string))
	if len(text) > maxText {
		return "", &LimitError{strings.TrimSpace(f.String()) + " is too long in Promela"}
	}
	return text, nil
}

// sums returns a linear comparison. It returns ok = false for other atoms, and if numbers may exceed
// 32 bits.
func (t *translator) sums(e *syntax.Expr) (text string, ok bool) {
	var all []string
	for i, rel := range e.Rel {
		l, ok := t.store.Linear(e.Args[i], e.Args[i+1], rel)
		switch {
		case !ok || l.Max > math.MaxInt32:
			return "", false
		// Every sum, from 0 to Max, compares with the bound as 0 does.
		case l.Bound < 0 || l.Bound > l.Max || len(l.Terms) == 0:
			all = append(all, constant(l.Rel.Relates(cmp.Compare(0, l.Bound))))
			continue
		}
		terms := make([]string, len(l.Terms))
		for k, n := range l.Terms {
			terms[k] = t.choose(n.Chain, n.Runs)
		}
		all = append(all, fmt.Sprintf("(%s %s %d)", strings.Join(terms, " + "), l.Rel, l.Bound))
	}
	return both(all...), len(all) > 0
}

// choose returns the expression for a number that depends on how far a chain has come.
func (t *translator) choose(h *diagram.Chain, runs []diagram.Run) string {
	if len(runs) == 1 {
		return runs[0].Node.Value.String()
	}
	m := (len(runs) + 1) / 2
	return "(" + t.has(h.Event(runs[m].From)) + " -> " + t.choose(h, runs[m:]) + " : " +
		t.choose(h, runs[:m]) + ")"
}

// diagram returns the Boolean expression of a decision diagram. It is incomplete if it is longer than
// maxText.
func (t *translator) diagram(n *diagram.Node, known map[*diagram.Node]string) string {
	if n.Leaf() {
		return constant(n.Value.Bool())
	}
	if text, ok := known[n]; ok {
		return text
	}
	var parts []string
	for size, branches := 0, n.Branches(); len(branches) > 0 && size <= maxText; branches = branches[1:] {
		part := both(t.within(n.Chain, branches[0].Where), t.diagram(branches[0].Node, known))
		parts = append(parts, part)
		size += len(part)
	}
	known[n] = either(parts...)
	return known[n]
}

// within returns the condition that a chain is in one of some intervals.
func (t *translator) within(h *diagram.Chain, where []diagram.Interval) string {
	var parts []string
	for _, i := range where {
		begun, ended := yes, yes
		if i.From > h.Low {
			begun = t.has(h.Event(i.From))
		}
		if i.To < h.High {
			ended = t.hasNot(h.Event(i.To + 1))
		}
		parts = append(parts, both(begun, ended))
	}
	return either(parts...)
}
