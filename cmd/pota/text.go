package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/fatih/color"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// heading prints the first line about an execution: a word, which has a colour, and what
// it is about.
func (s *session) heading(word string, about ...string) {
	shade := map[string]color.Attribute{
		"holds": color.FgGreen, "clean": color.FgGreen, "fails": color.FgRed,
		"unknown": color.FgYellow, "suspect": color.FgYellow, "flips": color.FgMagenta,
	}[word]
	fmt.Fprintf(s.out, "%s  %s\n", s.paint(fmt.Sprintf("%-7s", word), shade, color.Bold), strings.Join(about, "  "))
}

// detail prints a line below a heading.
func (s *session) detail(text string, attributes ...color.Attribute) {
	fmt.Fprintf(s.out, "         %s\n", s.paint(graphs.Printable(text), attributes...))
}

// about is the part of a heading that says what a verdict is about.
func (s *session) about(of report.Subject) []string {
	if of.Name == "" {
		return []string{graphs.Printable(of.Trace), graphs.Printable(of.Formula)}
	}
	return []string{graphs.Printable(of.Trace), s.paint(graphs.Printable(of.Name), color.Bold), graphs.Printable(of.Formula)}
}

// print prints a verdict and its reasons for people.
func (v *decision) print() {
	res := v.result
	v.heading(res.Verdict.String(), v.about(v.subject())...)
	if res.Reason != "" {
		v.detail(res.Reason, color.Faint)
	}
	if v.cli.Bool("verbose") {
		why := v.why()
		if v.person {
			why += fmt.Sprintf(", %s", v.elapsed.Round(100*time.Microsecond))
		}
		v.detail(why, color.Faint)
	}
	for _, n := range v.notes {
		v.detail(n.String(), color.FgYellow)
	}
	if v.told != nil && v.told.Witness != nil {
		v.detail("run: "+v.told.place, color.Faint)
	}
	if res.Evidence != nil && (v.cli.Bool("witness") || v.person) {
		t := v.teller()
		t.Indent, t.Elided = "  ", "; --json has them all"
		t.Paint = func(text string) string { return v.paint(text, color.Bold) }
		if err := t.Tell(v.out, res.Evidence); err != nil {
			v.fail(err)
		}
	}
	if run := v.window.text(); run != "" && v.cli.Bool("witness") {
		v.detail(run)
	} else if shown := rctl.Shown(v.property.Formula, res.Verdict); res.Evidence == nil && v.cli.Bool("witness") && shown.Op.IsTemporal() && !syntax.IsExistential(shown) && res.Verdict != rctl.Unknown {
		v.detail("no run to show: it " + res.Verdict.String() + " on all of them")
	}
	for _, o := range v.opinions {
		v.detail(o.String())
	}
}
