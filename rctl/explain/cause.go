package explain

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// An Unordered is a pair of events that causality leaves in any order, but only After before
// Before leads to the state that was found: with the order Before, After no cut has After and the
// values from before Before.
type Unordered struct {
	Before graphs.Event // not in the cut: it changes a value there
	After  graphs.Event // in the cut
}

// causes says in sentences whether the verdict shows in the recorded order, and which order is
// missing.
func (t *Explainer) causes(l *Level) []string {
	var all []string
	switch r := l.Recorded; {
	case r == nil:
	case !r.Observed:
		all = append(all, "predicted: not in the recorded order, but in another one that causality allows")
	default:
		text := "observed: in the recorded order, too"
		if from := t.time(r.From); from != "" {
			text += ", from " + from
		}
		if to := t.time(r.To); to != "" {
			text += " until " + to
		}
		all = append(all, text)
	}
	if u := l.Unordered; u != nil {
		all = append(all, "nothing orders "+t.described(l, u.After)+" after "+t.described(l, u.Before))
	}
	return all
}

// time returns the time of an event as the trace has it, "" for none.
func (t *Explainer) time(e graphs.Event) string {
	if e == graphs.Bottom {
		return ""
	}
	return unquoted(t.Of.Time(e))
}

// described returns the id of an event, and its label or what it changes.
func (t *Explainer) described(l *Level, e graphs.Event) string {
	text := t.Of.Label(e)
	if text == "" {
		step := l.step(e)
		text = step.Text()
	}
	if text == "" {
		return t.Of.ID(e)
	}
	return t.Of.ID(e) + " (" + shortened(text) + ")"
}

// maxNext bounds the events that are tried as the one that should have come first.
const maxNext = 16

// unordered finds the pair of events with the order that would have excluded the state at the end
// of evidence for EF or EU. About is what makes its operand true. It is nil where each such pair is
// ordered.
//
// After is the last change of a value at the cut or, where that has no label and events with labels of
// their own led to it, the last of those. Of several pairs that is returned which comes last in the
// recorded order; where that has none of them, in the order of events.
func (t *Explainer) unordered(e *rctl.Evidence, about *syntax.Formula) *Unordered {
	if e.Formula.Op != syntax.OpEF && e.Formula.Op != syntax.OpEU || len(e.Run) == 0 {
		return nil
	}
	state := &syntax.Formula{Op: syntax.OpTrue}
	for _, f := range syntax.Conjuncts(about) {
		if syntax.IsPropositional(f) {
			state = syntax.And(state, f)
		}
	}
	c := t.Of
	holds, err := atoms.Compile(c, state)
	if err != nil || !holds.At(e.Cut, holds.Env()) {
		return nil
	}

	var last, next []graphs.Event
	for _, v := range newInterest(c, state).variables {
		i := v.Last(c, e.Cut)
		j := i + 1
		for j < v.Len() && v.Value(j) == v.Value(i) {
			j++
		}
		if j < v.Len() && c.Has(c.Final(), v.Event(j)) {
			next = append(next, v.Event(j))
		}
		for i >= 0 && v.Value(i) == v.Value(i-1) {
			i--
		}
		if i >= 0 && !c.Has(e.Start, v.Event(i)) {
			last = append(last, v.Event(i))
		}
	}

	recorded := make(map[graphs.Event]int)
	for i, f := range c.Recorded() {
		recorded[f] = i + 1
	}
	slices.SortFunc(next, func(f, g graphs.Event) int { return cmp.Or(recorded[g]-recorded[f], int(f-g)) })
	reversed := slices.Clone(e.Run)
	slices.Reverse(reversed)
	count, _ := labels(c, e.Run)
	env := holds.Env()
	var found *Unordered
	for _, before := range next[:min(len(next), maxNext)] {
		past, ok := c.Above(c.Initial(), before)
		if !ok || holds.At(e.Cut.Join(past), env) {
			continue
		}
		// No cut has these and not before, where before comes first.
		free := func(f graphs.Event) bool { return !c.Has(past, f) }
		inTime := func(f graphs.Event) bool { return recorded[before] <= recorded[f] }
		i := slices.IndexFunc(reversed, func(f graphs.Event) bool { return slices.Contains(last, f) && free(f) })
		if i < 0 {
			continue
		}
		after := reversed[i]
		if led, _ := c.Above(c.Initial(), after); c.Label(after) == "" {
			named := func(f graphs.Event) bool {
				return count[c.Label(f)] == 1 && c.Has(led, f) && free(f) && inTime(f) == inTime(after)
			}
			if i := slices.IndexFunc(reversed, named); i >= 0 {
				after = reversed[i]
			}
		}
		if inTime(after) {
			return &Unordered{before, after}
		}
		if found == nil {
			found = &Unordered{before, after}
		}
	}
	return found
}
