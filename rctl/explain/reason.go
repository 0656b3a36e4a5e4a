package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// maxDepth bounds the levels in a reason, and maxFacts bounds the variables and channels of one
// state.
const (
	maxDepth = 3
	maxFacts = 12
)

// reason states the conclusion of the evidence of a level in one sentence.
//
// Examples: "cs is true at P1 and P3 after 6 events"; for AG(req@A -> AF ack@A), "req is true at A
// after 3 events, and then a run of 9 events never reaches ack@A".
func (t *Explainer) reason(l *Level, depth int) string {
	e := l.Evidence
	if depth > maxDepth {
		return "…"
	}
	text, between := "", ", and then "
	switch n := len(e.Run); {
	// Several runs are needed, and each shows a part.
	case n == 0 && len(e.Children) > 0 && !e.Formula.Op.IsTemporal():
		between = ", and in another run "
	case e.Whole && e.Formula.Op != syntax.OpEF && e.Formula.Op != syntax.OpEX:
		run := "a run of " + graphs.Plural(n, "event")
		switch f := l.Formula; {
		case f.Op == syntax.OpAF && l.Verdict == rctl.Fails:
			return run + " never reaches " + Abbreviate(f.Sub[0])
		case f.Op == syntax.OpEG && l.Verdict == rctl.Holds:
			return run + " keeps to " + Abbreviate(f.Sub[0]) + " until its end"
		}
		return run + " to the end shows it"
	default:
		text = t.facts(l)
		switch {
		case n > 0 && text != "":
			text += " after " + graphs.Plural(n, "event")
		case n > 0:
			text = "a run of " + graphs.Plural(n, "event")
		case depth == 0:
			text = cmp.Or(text, "it is so") + " at the initial cut"
		default:
			text = cmp.Or(text, "it is so") + " there"
		}
	}
	add := func(before, more string) {
		if text != "" {
			text += before
		}
		text += more
	}
	for _, remark := range l.Remarks {
		if _, follows, ok := strings.Cut(remark, ": "+fromHere); ok {
			add(", and ", "from there on"+follows)
		}
	}
	for i, child := range l.Children {
		if i == maxDepth {
			add(between, "…")
			break
		}
		add(between, t.reason(child, depth+1))
	}
	return text
}

// facts describes the state at the cut of a level by its values or, if there are many, by its
// formula. It returns "" for a state without values.
func (t *Explainer) facts(l *Level) string {
	state := propositional(l.state)
	in := l.about.of(state)
	if len(in.variables)+len(in.channels) > maxFacts {
		return Abbreviate(state) + " is true"
	}
	// A value that several processes share is given once: "role is leader at n2 and n5".
	var values, places []string
	at := make(map[string][]string)
	for _, v := range in.variables {
		text := v.At(t.Of, l.Evidence.Cut).String()
		if s, err := strconv.Unquote(text); err == nil && word().MatchString(s) {
			text = s
		}
		value := v.Name + " is " + text
		if _, known := at[value]; !known {
			values = append(values, value)
		}
		name := ""
		if v.Process != graphs.Shared {
			name = t.Of.Processes()[v.Process]
		}
		at[value] = append(at[value], name)
	}

	// So are processes that share several values: "role is leader and term is 1 at n2 and n5".
	of := make(map[string][]string)
	for _, value := range values {
		place := listed(at[value])
		if of[place] == nil {
			places = append(places, place)
		}
		of[place] = append(of[place], value)
	}
	var all []string
	for _, place := range places {
		text := listed(of[place])
		if place != "" {
			text += " at " + place
		}
		all = append(all, text)
	}
	for _, v := range in.values(l.Evidence.Start, l.Evidence.Cut, maxFacts)[len(in.variables):] {
		all = append(all, fmt.Sprintf("%s is %s", v.Name, v.Value))
	}
	return listed(all)
}

// word matches a text that needs no quotes in a sentence.
var word = lazy.Regexp(`^[\pL_][\pL\pN_.:-]*$`)

// listed joins words as "a", "a and b", or "a, b and c".
func listed(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// propositional returns the conjuncts of a formula without temporal operators.
func propositional(f *syntax.Formula) *syntax.Formula {
	state := &syntax.Formula{Op: syntax.OpTrue}
	for _, part := range syntax.Conjuncts(f) {
		if syntax.IsPropositional(part) {
			state = syntax.And(state, part)
		}
	}
	return state
}

// culprits returns the events that made the state at the cut of evidence: for each process, the
// last one that changed the state, in the order of the run.
func (t *Explainer) culprits(l *Level) []graphs.Event {
	last, _ := l.about.of(propositional(l.state)).around(l.Evidence)
	of := make(map[int]graphs.Event)
	for _, e := range last {
		p := t.Of.Process(e)
		of[p] = max(of[p], e)
	}
	var all []graphs.Event
	for _, e := range l.Evidence.Run {
		if of[t.Of.Process(e)] == e {
			all = append(all, e)
		}
	}
	return slices.Clip(all)
}

// Headline returns the first sentence about a verdict on a property: the name of the property, or
// its text if it has no name, the verdict, and the reason. The level is nil if no run shows the
// verdict.
func Headline(property syntax.Property, v rctl.Verdict, l *Level) string {
	name := property.Name
	if name == "" {
		name = graphs.Shorten(strings.Join(strings.Fields(property.Source), " "), maxTitle)
	}
	text := name + " " + v.String()
	switch {
	case v == rctl.Unknown:
		text = name + " is " + v.String()
	case l != nil:
		text += ": " + l.Reason
	case OnAllRuns(property.Formula, v):
		text += " on all runs"
	}
	return graphs.Printable(text)
}

// OnAllRuns reports whether a verdict is about all runs, so that no single run shows it.
func OnAllRuns(f *syntax.Formula, v rctl.Verdict) bool {
	shown := rctl.Shown(f, v)
	return v != rctl.Unknown && shown.Op.IsTemporal() && !syntax.IsExistential(shown)
}

// maxTitle bounds the length of a formula that stands for the name of a property, in characters.
const maxTitle = 80

// An Unordered is a pair of events that causality leaves unordered, although only the order After,
// Before leads to the state that was found: with the order Before, After, no cut has both After
// and the values that Before replaces.
type Unordered struct {
	Before graphs.Event // not in the cut; replaces a value of the state there
	After  graphs.Event // in the cut
}

// causes says in sentences what the evidence amounts to, whether the recorded order shows it, and
// which order is missing.
func (t *Explainer) causes(l *Level) []string {
	all := []string{l.Reason}
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
		all = append(all, "nothing orders "+t.described(l, u.Before)+" before "+t.described(l, u.After))
	}
	return all
}

// time returns the time of an event as the trace gives it, or "" if it has none.
func (t *Explainer) time(e graphs.Event) string {
	if e == graphs.Bottom {
		return ""
	}
	return unquoted(t.Of.Time(e))
}

// described returns the id of an event with its label, or with its changes if it has no label.
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

// maxNext bounds how many events are tried as the one that should have come first.
const maxNext = 16

// unordered finds a pair of events whose order would have excluded the state at the end of evidence
// for EF or EU. It returns nil if there is no such pair.
//
// Example: two processes write x and y, and the state x = 1, y = 1 is wrong. P1:3 (After) set x to
// 1, and P2:5 (Before) would have set y to 2. Had a message led from P2:5 to P1:3, no cut would
// have both x = 1 and y = 1.
//
// After is the last change of a value at the cut. If it has no label, and events with unique labels
// led to it, the last of those takes its place. Of several pairs, unordered returns the one that
// comes last in the recorded order or, if that is not known, in the order of events.
func (t *Explainer) unordered(l *Level) *Unordered {
	e := l.Evidence
	if e.Formula.Op != syntax.OpEF && e.Formula.Op != syntax.OpEU || len(e.Run) == 0 {
		return nil
	}
	state := propositional(l.state)
	c := t.Of
	holds, err := atoms.Compile(c, state)
	if err != nil || !holds.At(e.Cut, holds.Env()) {
		return nil
	}

	last, next := l.about.of(state).around(e)
	recorded := make(map[graphs.Event]int)
	for i, f := range c.Recorded() {
		recorded[f] = i + 1
	}
	slices.SortFunc(next, func(f, g graphs.Event) int { return cmp.Or(recorded[g]-recorded[f], int(f-g)) })
	count, _ := labels(c, e.Run)
	env := holds.Env()
	var found *Unordered
	for _, before := range next[:min(len(next), maxNext)] {
		past, ok := c.Above(c.Initial(), before)
		if !ok || holds.At(e.Cut.Join(past), env) {
			continue
		}
		// With the order before, f, no cut has f but not before, for a free f.
		free := func(f graphs.Event) bool { return !c.Has(past, f) }
		inTime := func(f graphs.Event) bool { return recorded[before] <= recorded[f] }
		after, ok := latest(e.Run, func(f graphs.Event) bool { return slices.Contains(last, f) && free(f) })
		if !ok {
			continue
		}
		// A label says more than a value, and a unique label identifies its event.
		if led, _ := c.Above(c.Initial(), after); c.Label(after) == "" {
			named := func(f graphs.Event) bool {
				return count[c.Label(f)] == 1 && c.Has(led, f) && free(f) && inTime(f) == inTime(after)
			}
			if f, ok := latest(e.Run, named); ok {
				after = f
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

// around returns the changes of the variables that lie next to the cut of evidence: the last ones
// on its run, and the first ones after the cut. The former set the values of the state at the cut,
// the latter replace them.
func (in *interest) around(e *rctl.Evidence) (last, next []graphs.Event) {
	c := in.c
	for _, v := range in.variables {
		i := v.Last(c, e.Cut)
		j := i + 1
		// An assignment of the same value is not a change.
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
	return last, next
}

// latest returns the last event of a run for which is returns true.
func latest(run []graphs.Event, is func(graphs.Event) bool) (e graphs.Event, ok bool) {
	for _, e := range slices.Backward(run) {
		if is(e) {
			return e, true
		}
	}
	return graphs.Bottom, false
}
