package conform

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/scenario"
	"github.com/pota-project/pota/graphs/trace/mermaid"
)

// Mermaid draws a finding as a sequence diagram with the same participants: the matched messages,
// and a note in a red box that says what is wrong, on the lifeline where the trace diverges.
//
// graphs/trace/mermaid can read the text.
func (f *Finding) Mermaid() string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	for lane, name := range f.of.Scenario.Diagram.Participants {
		fmt.Fprintf(&b, "    participant p%d as %s\n", lane, diagramText(name))
	}
	for _, match := range f.Matches {
		a, m := f.of.Scenario.Arrows[match.Arrow], f.message(match.Occurrence)
		line := "->>"
		if m.recv == graphs.Bottom {
			line = "-x"
		}
		// Mermaid has one line for both ends, which is drawn at the receive, if there is one.
		if phase := f.view.ends[match.Occurrence].phase; phase == scenario.Receive || m.recv == graphs.Bottom || m.kind == action {
			fmt.Fprintf(&b, "    p%d%sp%d: %s\n", a.From, line, a.To, diagramText(`"`+m.text+`"`))
		}
	}
	at := 0
	for _, e := range f.Divergence() {
		at = bits.TrailingZeros64(f.of.lanes[f.of.c.Process(e)])
	}
	text := diagramText(strings.Join(f.Lines(), "; "))
	fmt.Fprintf(&b, "    rect rgb(255, 220, 220)\n    Note over p%d: %s\n    end\n", at, text)
	return b.String()
}

// diagramText returns text that does not end a Mermaid statement.
func diagramText(text string) string {
	return strings.NewReplacer("#", "#35;", ";", "#59;", "\n", " ").Replace(graphs.Printable(text))
}

// Picture draws a finding as a space-time diagram. The events of Run are numbered, and orders of
// the diagram without a cause in the trace are dashed.
func (f *Finding) Picture() draw.Picture {
	p := draw.Picture{Of: f.of.c, Title: f.Verdict.String() + ": " + f.of.Name, Run: f.Run()}
	edges := f.Missing()
	// These orders change the computation, and the layout follows the changed one.
	for _, edge := range edges {
		p.Missing = append(p.Missing, draw.Missing{Edge: edge, Why: "so the diagram says"})
	}
	if c, err := f.of.c.Ordered(slices.Values(edges)); err == nil {
		p.Of = c
	}
	return p
}

// Missing returns the orders of the diagram that happened-before lacks. With them, the trace would
// conform, or be a beginning that conforms in every order.
func (f *Finding) Missing() (edges []graphs.Edge) {
	for _, pair := range f.pairs() {
		edges = append(edges, f.edge(pair))
	}
	return edges
}

// Run returns a run of the matched events, with everything that happened before them. If the trace
// violates the diagram, the run ends where nothing more can be matched.
func (f *Finding) Run() (run []graphs.Event) {
	c := f.of.c
	cut := c.Initial()
	for _, m := range f.Matches {
		next, _ := c.Above(cut, f.event(m.Occurrence))
		run = append(run, c.Topological(cut, next)...)
		cut = next
	}
	return run
}

// Divergence returns the first event that cannot be matched, if there is one.
func (f *Finding) Divergence() []graphs.Event {
	if f.Verdict != scenario.Violated || f.Found < 0 {
		return nil
	}
	return []graphs.Event{f.event(f.Found)}
}

// Arrows returns the arrow that each matched event stands for, with its place in the diagram. An
// event that receives and sends has several.
func (f *Finding) Arrows() map[graphs.Event]string {
	all := make(map[graphs.Event]string)
	for _, m := range f.Matches {
		e, text := f.event(m.Occurrence), f.of.placed(f.of.Scenario.Arrows[m.Arrow].Statement)
		if known := all[e]; known != "" && known != text {
			text = known + "; " + text
		}
		all[e] = text
	}
	return all
}

// placed formats a statement of the diagram with its place, in a form that editors recognize.
//
// Example: A->>B: ask (flow.mmd:7)
func (s *Spec) placed(st *mermaid.Statement) string {
	return graphs.Printable(fmt.Sprintf("%s (%s:%d)", st.Source, s.Name, s.lineOf(st.At)))
}

// message returns the message of an occurrence.
func (f *Finding) message(i int32) message { return f.of.messages[f.view.ends[i].message] }

// event returns the event of an occurrence.
func (f *Finding) event(i int32) graphs.Event { return f.view.ends[i].event }

// edge returns the events of a pair.
func (f *Finding) edge(p scenario.Pair) graphs.Edge {
	return graphs.Edge{From: f.event(p.Before), To: f.event(p.After)}
}

// Event describes an occurrence in words, with the event and the line of the trace.
//
// Example: B receives "ask" from A (b2, run.jsonl:12)
func (f *Finding) Event(i int32) string {
	c := f.of.c
	e, m := f.event(i), f.message(i)
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

// Details describes the result, one line per item. There are none if everything conforms.
func (r *Result) Details() (all []string) {
	if r.Each != "" {
		all = append(all, r.summary())
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

// summary counts the verdicts on the values in one line, and names the first values that do not
// pass.
//
// Example: violated 1, unfinished 1 of 3 values of req: "r2", "r3"
func (r *Result) summary() string {
	var parts, names []string
	for v := scenario.Violated; v > scenario.Conforms; v-- {
		if n := r.Counts[v.String()]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", v, n))
		}
	}
	if parts == nil {
		return fmt.Sprintf("all %s of %s", graphs.Plural(r.total, "value"), r.Each)
	}
	for _, f := range r.Findings {
		names = append(names, f.Value)
	}
	if more := r.failing - len(names); more > 0 && len(names) > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	text := fmt.Sprintf("%s of %d values of %s: %s", strings.Join(parts, ", "), r.total, r.Each, strings.Join(names, ", "))
	return strings.TrimSuffix(text, ": ")
}

const (
	maxPairs = 5  // how many pairs of a scenario to show
	maxOrder = 12 // how many events of another order to show
)

// Lines describes a finding, one line per item: how far the trace follows the diagram, where it
// diverges, the pairs that nothing orders, and another order that would violate the diagram.
func (f *Finding) Lines() (lines []string) {
	done := fmt.Sprintf("%d of %s of the trace are as in the diagram", len(f.Matches), graphs.Plural(len(f.view.ends), "step"))
	switch f.Verdict {
	case scenario.Unknown:
		lines = []string{f.Reason}
	case scenario.Violated:
		lines = []string{done, f.divergence()}
	case scenario.Unfinished:
		lines = []string{done + ", which goes on with " + f.expected()}
	}
	pairs := f.pairs()
	more := len(pairs) - maxPairs
	for _, p := range pairs[:min(len(pairs), maxPairs)] {
		lines = append(lines, fmt.Sprintf("nothing orders %s before %s", f.Event(p.Before), f.Event(p.After)))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more pairs", more))
	}
	if f.Verdict == scenario.ByLuck {
		var ids []string
		for _, n := range f.Another {
			ids = append(ids, f.of.c.ID(f.event(n)))
		}
		// An event may be several consecutive occurrences.
		another := graphs.Printable(graphs.List(slices.Compact(ids), maxOrder))
		lines = append(lines, "another order that causality allows: "+another)
	}
	return lines
}

// pairs lists the pairs of events that nothing orders, each once: an event may be several
// occurrences.
func (f *Finding) pairs() (all []scenario.Pair) {
	known := make(map[graphs.Edge]bool)
	for _, p := range f.Pairs {
		if edge := f.edge(p); !known[edge] {
			known[edge] = true
			all = append(all, p)
		}
	}
	return all
}

// divergence describes the first divergence.
func (f *Finding) divergence() string {
	expected := f.expected()
	if f.Why == scenario.False {
		return "does not hold: " + expected
	}
	found := f.Event(f.Found)
	switch f.Why {
	case scenario.Missing:
		return "missing: " + expected + "; instead, " + found
	case scenario.TooMany:
		return "too many: " + found + "; the diagram has no such message there"
	}
	return "out of order: " + found + " comes before " + expected
}

// expected names the next steps of the diagram.
func (f *Finding) expected() string {
	var all []string
	for _, e := range f.Expected {
		text := f.of.placed(e.Statement)
		if e.Receive {
			text = "the receive of " + text
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if all == nil {
		return "nothing"
	}
	return strings.Join(all, ", or ")
}
