package main

import (
	"strings"

	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

func (v *decision) subject() report.Subject {
	return subjectOf(v.execution.Name, v.property)
}

// subjectOf is a property on a trace.
func subjectOf(trace string, p syntax.Property) report.Subject {
	return report.Subject{Trace: trace, Name: p.Name, Formula: p.Source}
}

// jsonLines prints an object a line.
type jsonLines struct{ silence }

func (jsonLines) fork() presentation { return jsonLines{} }

func (jsonLines) decision(v *decision) {
	switch {
	case v.told != nil:
		v.out.Write(v.told.text) //nolint:errcheck // Flush tells
		v.out.WriteByte('\n')    //nolint:errcheck // Flush tells
		return
	case v.result != nil:
		if err := v.report().Write(v.out); err != nil {
			v.fail(err)
		}
	}
	if v.err != nil {
		v.printError(v.subject(), v.err)
	}
}

func (jsonLines) refusal(d *detection, trace string, err error) {
	d.printError(report.Subject{Trace: trace}, err)
}

func (jsonLines) end(d *detection) {
	if d.part != nil {
		d.printJSON(shardLine{d.part.String(), d.number, mapOf(d.properties, titled)}, "")
	}
}

// An errorLine says of a trace, or a property on it, why there is no verdict.
type errorLine struct {
	report.Subject
	Error string `json:"error"`
}

// printError prints why there is no verdict as JSON.
func (s *session) printError(of report.Subject, err error) {
	s.printJSON(errorLine{of, headOf(err)}, "")
}

// headOf is the first line of what an error says.
func headOf(err error) string {
	text, _, _ := strings.Cut(errorText(err), "\n")
	return text
}

// titled is a property with its name.
func titled(p syntax.Property) string { return subjectOf("", p).Title() }

func (v *decision) report() *report.Line {
	var notes []report.Note
	for _, n := range v.notes {
		notes = append(notes, report.Note{Kind: n.Kind, Text: n.Text})
	}
	var teller *explain.Teller
	if v.result.Evidence != nil {
		teller = v.teller()
	}
	l := report.New(v.subject(), v.execution.Computation, v.result, v.engineOf(v.result), v.elapsed, teller, notes)
	if v.opinions != nil {
		l.Engines = v.opinions
	}
	if w := v.window; w != nil {
		if l.Stats = w.sizes; w.cut != nil {
			l.Witness = report.NewPartWitness(v.result.Verdict, w.cut, w.steps, partly)
		}
	}
	return l
}
