package conform

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/scenario"
)

// Mermaid draws a finding as a sequence diagram of the same participants: the messages that were matched, and
// a note in a red box of what is wrong, on the lifeline where the trace diverges.
//
// The text can be read again by graphs/trace/mermaid.
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
		// Mermaid has one line for both ends: it is drawn at the receive, if there is one.
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

// diagramText returns text that ends no statement of Mermaid.
func diagramText(text string) string {
	return strings.NewReplacer("#", "#35;", ";", "#59;", "\n", " ").Replace(graphs.Printable(text))
}

// Picture draws a finding as a space-time diagram. The events of Run are numbered, and orders of the diagram
// without a cause in the trace are dashed.
func (f *Finding) Picture() draw.Picture {
	p := draw.Picture{Of: f.of.c, Title: f.Verdict.String() + ": " + f.of.Name, Run: f.Run()}
	edges := f.Missing()
	// With these orders the picture is of another computation: its layout goes by them.
	for _, edge := range edges {
		p.Missing = append(p.Missing, draw.Missing{Edge: edge, Why: "so the diagram says"})
	}
	if c, err := f.of.c.Ordered(slices.Values(edges)); err == nil {
		p.Of = c
	}
	return p
}

// Missing returns the orders of the diagram that happened-before lacks. With them, the trace would
// conform, or be a beginning that had to be so.
func (f *Finding) Missing() (edges []graphs.Edge) {
	for _, pair := range f.pairs() {
		edges = append(edges, f.edge(pair))
	}
	return edges
}

// Run returns a run of the events that were matched, with all that happened before these. If the trace
// violates the diagram, the run ends at the divergence.
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

// Arrows returns the arrow that each matched event stands for, with its place in the diagram. An event
// that receives and sends has several.
func (f *Finding) Arrows() map[graphs.Event]string {
	all := make(map[graphs.Event]string)
	for _, m := range f.Matches {
		e, text := f.event(m.Occurrence), f.of.arrowText(m.Arrow)
		if known := all[e]; known != "" && known != text {
			text = known + "; " + text
		}
		all[e] = text
	}
	return all
}
