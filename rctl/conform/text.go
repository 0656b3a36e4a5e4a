package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/scenario"
)

// placed adds the place in the diagram, as editors read it: flow.mmd:7.
func (s *Spec) placed(at int, text string) string {
	return graphs.Printable(fmt.Sprintf("%s (%s:%d)", text, s.Name, s.lineOf(at)))
}

// arrowText shows an arrow in the syntax of Mermaid, with its place.
//
// Example: A->>B: ask (flow.mmd:7)
func (s *Spec) arrowText(i int32) string {
	a := s.Scenario.Arrows[i]
	names := s.Scenario.Diagram.Participants
	arrow := "->>"
	switch {
	case a.Kind == scenario.Lost:
		arrow = "-x"
	case a.Answers != nil:
		arrow = "-->>"
	}
	return s.placed(a.At, names[a.From]+arrow+names[a.To]+": "+a.Text)
}

// expectedText shows what the diagram has next.
func (s *Spec) expectedText(e scenario.Expected) string {
	if e.Arrow < 0 {
		n := s.Scenario.Notes[e.Note]
		return s.placed(n.At, "Note over "+s.Scenario.Diagram.Participants[n.Lifeline]+": "+n.Text)
	}
	text := s.arrowText(e.Arrow)
	if e.Phase == scenario.Receive {
		text = "the receive of " + text
	}
	return text
}

// message returns the message of an occurrence.
func (f *Finding) message(i int32) message { return f.survey.messages[f.view.ends[i].message] }

// event returns the event of an occurrence.
func (f *Finding) event(i int32) graphs.Event { return f.view.ends[i].event }

// Event describes an occurrence in words, with the event and the line of the trace.
//
// Example: B receives "ask" from A (b2, run.jsonl:12)
func (f *Finding) Event(i int32) string {
	c, e, m := f.survey.c, f.event(i), f.message(i)
	name := func(e graphs.Event) string { return c.Processes()[c.Process(e)] }
	text := name(e)
	switch {
	case m.kind == action:
		text += fmt.Sprintf(`: "%s"`, m.text)
	case m.kind == called:
		text = name(m.caller) + " calls " + text
	case m.kind == returned:
		text += " returns to " + name(m.caller)
	case f.view.ends[i].phase == scenario.Receive:
		text += fmt.Sprintf(` receives "%s" from %s`, m.text, name(m.send))
	case m.recv == graphs.Bottom:
		text += fmt.Sprintf(` sends "%s" to nobody`, m.text)
	default:
		text += fmt.Sprintf(` sends "%s" to %s`, m.text, name(m.recv))
	}
	at := c.ID(e)
	if place := c.Place(e); place.File != "" {
		at += fmt.Sprintf(", %s:%d", place.File, place.Line)
	}
	return graphs.Printable(fmt.Sprintf("%s (%s)", text, at))
}

// Summary counts the verdicts on the values in one line, and names the first that do not pass. It is ""
// without Each.
//
// Example: violated 1, unfinished 1 of 3 values of req: "r2", "r3"
func (r *Result) Summary() string {
	if r.Each == "" {
		return ""
	}
	var parts []string
	for _, v := range []scenario.Verdict{scenario.Violated, scenario.ByLuck, scenario.Unknown, scenario.Unfinished} {
		if n := r.Counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", v, n))
		}
	}
	if parts == nil {
		return fmt.Sprintf("all %s", graphs.Plural(r.Total, "value")+" of "+r.Each)
	}
	text := strings.Join(parts, ", ") + fmt.Sprintf(" of %d values of %s", r.Total, r.Each)
	var names []string
	for _, f := range r.Findings {
		names = append(names, f.Value)
	}
	if more := r.Failing - len(names); more > 0 && len(names) > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	return text
}

const (
	maxPairs = 5  // that are shown of a scenario
	maxOrder = 12 // events of another order
)

// Lines describes a finding, a line each: how far the trace goes as in the diagram, where it diverges, the
// pairs that nothing orders, and another order that would be against the diagram.
func (f *Finding) Lines() []string {
	var lines []string
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch f.Verdict {
	case scenario.Unknown:
		line("%s", f.Reason)
	case scenario.Violated:
		f.diverges(line)
	case scenario.Unfinished:
		line("%s as in the diagram, which goes on with %s", f.done(), f.expected())
	}
	pairs := f.pairs()
	for i, p := range pairs {
		if i == maxPairs {
			line("and %d more pairs", len(pairs)-maxPairs)
			break
		}
		line("nothing orders %s before %s", f.Event(p.Before), f.Event(p.After))
	}
	if f.Verdict == scenario.ByLuck {
		line("another order that causality allows: %s", f.another())
	}
	return lines
}

// pairs lists the pairs of events that nothing orders, each once: an event may be several occurrences.
func (f *Finding) pairs() []scenario.Pair {
	known := make(map[[2]graphs.Event]bool)
	var all []scenario.Pair
	for _, p := range f.Pairs {
		events := [2]graphs.Event{f.event(p.Before), f.event(p.After)}
		if !known[events] {
			known[events] = true
			all = append(all, p)
		}
	}
	return all
}

// another lists the events of another order, each once where several of its occurrences follow each
// other.
func (f *Finding) another() string {
	var ids []string
	for i, n := range f.Another {
		if e := f.event(n); i == 0 || f.event(f.Another[i-1]) != e {
			ids = append(ids, f.survey.c.ID(e))
		}
	}
	if len(ids) > maxOrder {
		ids = append(ids[:maxOrder], "…")
	}
	return graphs.Printable(strings.Join(ids, ", "))
}

// done says how much was matched.
func (f *Finding) done() string {
	n, all := len(f.Matches), len(f.view.ends)
	if n == all {
		return graphs.Plural(n, "step") + " of the trace are"
	}
	return fmt.Sprintf("%d of %s of the trace are", n, graphs.Plural(all, "step"))
}

// expected lists what the diagram has next.
func (f *Finding) expected() string {
	var all []string
	for _, e := range f.Expected {
		if text := f.survey.expectedText(e); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if all == nil {
		return "nothing"
	}
	return strings.Join(all, ", or ")
}

// diverges describes the first divergence: how far the trace was matched, and what kind of mistake comes
// next.
func (f *Finding) diverges(line func(string, ...any)) {
	line("%s as in the diagram", f.done())
	found := ""
	if f.Found >= 0 {
		found = f.Event(f.Found)
	}
	switch f.Why {
	case scenario.Missing:
		line("missing: %s; instead, %s", f.expected(), found)
	case scenario.TooMany:
		line("too many: %s; the diagram has no such message there", found)
	case scenario.Order:
		line("out of order: %s comes before %s", found, f.expected())
	case scenario.False:
		line("does not hold: %s", f.expected())
	}
}

// Details describes the result, a line each; there are none where all conforms.
func (r *Result) Details() []string {
	var all []string
	if r.Each != "" {
		all = append(all, r.Summary())
	}
	for _, f := range r.Findings {
		for _, text := range f.Lines() {
			if f.Value != "" {
				text = f.Value + ": " + text
			}
			all = append(all, text)
		}
	}
	return all
}
