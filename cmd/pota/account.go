package main

import (
	"context"
	"errors"
	"strings"
)

// title names a decision: the name of the property, its formula if it has none.
func (v *decision) title() string {
	if v.property.Name != "" {
		return v.property.Name
	}
	return oneLine(v.property.Source)
}

// headline tells a verdict in a line: what was found where, or why nothing was.
func (v *decision) headline() string {
	s := v.result.Verdict.String()
	switch e := v.result.Evidence; {
	case v.result.Reason != "":
		s += ": " + v.result.Reason
	case e != nil && len(e.Run)+len(e.Children) > 0 && e.Formula.Op.IsTemporal():
		s += ": " + v.teller().Summary(e)
	}
	return oneLine(s)
}

// account tells a verdict on several lines: the formula, how it was decided, notes, and
// the run that shows it.
func (v *decision) account() string {
	var b strings.Builder
	b.WriteString(v.property.Source + "\n")
	if v.result.Reason != "" {
		b.WriteString(v.result.Reason + "\n")
	}
	b.WriteString(v.why() + "\n")
	for _, n := range v.notes {
		b.WriteString(n.String() + "\n")
	}
	if e := v.result.Evidence; e != nil {
		t := v.teller()
		t.Elided = "; pota detect --json has them all"
		t.Tell(&b, e) //nolint:errcheck // a strings.Builder takes everything
	}
	return b.String()
}

// oneLine joins the lines of text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// isLimit reports whether err says that time ran out.
func isLimit(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
