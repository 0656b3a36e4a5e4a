package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/report"
)

// A presentation prints decisions in one format.
type presentation interface {
	// decision prints what came of one property on one execution.
	decision(v *decision)
	// refusal prints that a trace could not be read. The error has been reported.
	refusal(d *detection, trace string, err error)
	// forPeople reports whether runs are described for people, who want to see labels.
	forPeople(d *detection) bool
	// end prints what comes after all decisions.
	end(d *detection)

	// fork returns a presentation for a trace that is decided beside others, and
	// join takes what it holds. Forks are joined in the order of the traces.
	fork() presentation
	join(*detection, presentation)
}

// presentationOf returns the presentation that the flags ask for.
func presentationOf(c *cli.Context) (presentation, error) {
	name := c.String("format")
	switch {
	case c.Bool("json") && c.IsSet("format") && name != "json":
		return nil, usagef("--json and --format %s exclude each other: choose one", name)
	case c.Bool("quiet") && c.IsSet("format") && !c.Bool("json"):
		return nil, usagef("--quiet prints nothing, --format %s does: choose one", name)
	case c.Bool("quiet"):
		return silence{}, nil
	case c.Bool("json"):
		name = "json"
	}
	presentations := map[string]presentation{
		"text": new(textReport), "json": jsonLines{}, "junit": new(junitReport), "sarif": new(sarifReport), "github": annotations{},
	}
	show, ok := presentations[name]
	if !ok {
		return nil, unknown("format", name, "text", "json", "junit", "sarif", "github")
	}
	return show, nil
}

// silence prints nothing. Presentations that print each decision at once embed it.
type silence struct{}

func (silence) decision(*decision)                {}
func (silence) refusal(*detection, string, error) {}
func (silence) forPeople(*detection) bool         { return false }
func (silence) end(*detection)                    {}
func (s silence) fork() presentation              { return s }
func (silence) join(*detection, presentation)     {}

// A note is what a reader should know beside a verdict.
type note struct {
	Kind string `json:"kind"`
	Text string `json:"text"`

	within bounds // of a remedy: the bounds of clock skew at which the verdict is another
}

// The kinds of notes.
const (
	noteSpurious = report.Spurious
	noteRemedy   = report.Remedy
	noteVacuous  = report.Vacuous
	noteAssumed  = report.Assumed
)

func (n note) String() string { return n.label() + ": " + n.Text }

// label is what the kind is called.
func (n note) label() string {
	if n.Kind == noteSpurious {
		return "possibly spurious"
	}
	return n.Kind
}

// assumptions are what verdicts rest on in addition to the trace.
func assumptions(c *cli.Context) []note {
	var all []note
	if path := c.String("order"); path != "" {
		all = append(all, note{Kind: noteAssumed, Text: "the order in " + path})
	}
	if skew := c.String("skew"); skew != "" {
		all = append(all, note{Kind: noteAssumed, Text: "clocks agree within " + skew})
	}
	return all
}

// lowerBound returns why the verdict is possibly spurious, "" if it is not.
func (v *decision) lowerBound() string {
	i := slices.IndexFunc(v.notes, func(n note) bool { return n.Kind == noteSpurious })
	if i < 0 {
		return ""
	}
	return v.notes[i].Text
}

// title is the name of the property, or its formula if it has no name.
func (v *decision) title() string {
	if v.property.Name != "" {
		return v.property.Name
	}
	return oneLine(v.property.Source)
}

// headline is the verdict in one line: what was found where, or why nothing was.
func (v *decision) headline() string {
	s := v.result.Verdict.String()
	switch e := v.result.Evidence; {
	case v.result.Reason != "":
		s += ": " + v.result.Reason
	case e != nil && len(e.Run)+len(e.Children) > 0 && e.Formula.Op.IsTemporal():
		s += ": " + v.teller().Summary(e)
	case v.window.text() != "":
		s += ": " + v.window.text()
	default:
		s += ": " + v.property.Source
	}
	return oneLine(s)
}

// account is the verdict in several lines: the formula, how it was decided, notes, and the
// run that shows it.
func (v *decision) account() string {
	var b strings.Builder
	b.WriteString(v.property.Source + "\n")
	if v.result.Reason != "" {
		b.WriteString(v.result.Reason + "\n")
	}
	if v.cli.Bool("verbose") {
		b.WriteString(v.why() + "\n")
	}
	for _, n := range v.notes {
		b.WriteString(n.String() + "\n")
	}
	if v.told != nil {
		b.WriteString("result: " + v.told.place + "\n")
	}
	if e := v.result.Evidence; e != nil {
		t := v.teller()
		t.Elided = "; pota detect --json has them all"
		t.Tell(&b, e) //nolint:errcheck // a strings.Builder takes everything
	}
	if run := v.window.text(); run != "" {
		b.WriteString(run + "\n")
	}
	return b.String()
}

// why says how the verdict was reached.
func (v *decision) why() string {
	engine := v.engineOf(v.result)
	if v.told != nil {
		engine = v.told.Engine
	}
	return fmt.Sprintf("engine %s, fragment %s", engine, v.result.Class.Fragment)
}

// teller returns what describes the evidence.
func (v *decision) teller() *explain.Teller {
	t := &explain.Teller{
		Of: v.execution.Computation, Property: v.property.Formula, Source: v.property.Source, Verdict: v.result.Verdict,
		Ctx: v.ctx, Full: v.full,
	}
	if v.showing != nil {
		t.Show = func(x *graphs.Variable) bool { return v.showing.shows(t.Of, x) }
	}
	return t
}

// oneLine joins the lines of text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
