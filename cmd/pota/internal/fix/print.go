package fix

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/report"
)

// A record is an answer in JSON.
type record struct {
	report.Subject
	Answer string      `json:"answer"`
	Reason string      `json:"reason,omitempty"`
	Orders [][2]string `json:"orders"` // pairs of event ids, with the later event second
	Least  bool        `json:"least"`  // whether no fewer orders are enough
	Rules  []string    `json:"rules,omitempty"`
}

// record returns the answer for JSON.
func (a *answer) record() *record {
	c := a.e.Computation
	all := &record{Subject: report.SubjectOf(a.e.Name, a.property), Answer: a.word, Reason: a.reason, Orders: [][2]string{}}
	if a.word == fixed || a.word == holds {
		all.Least = a.fix.Least
		all.Rules = a.fix.Rules()
		for _, o := range a.fix.Orders {
			all.Orders = append(all.Orders, [2]string{c.ID(o.From), c.ID(o.To)})
		}
	}
	return all
}

// maxListed bounds how many orders are printed with the cuts that they prevent, since each cut
// needs a decision. An order file has all orders.
const maxListed = 10

// print prints the answer for people: a heading, the reason, the rules behind the orders, and the
// orders themselves. An order reads
//
//	l2 (expire) must wait for a3 (release)
//	    prevents the cut A:2 B:2: holds@A=true, holds@B=true
func (a *answer) print(r *job.Run) {
	out := r.Console
	present.Heading(out, a.word, present.About(out, report.SubjectOf(a.e.Name, a.property))...)
	if why := a.e.Computation.LowerBound(); why != "" {
		present.Detail(out, "possibly spurious: "+why)
	}
	switch a.word {
	case holds:
		a.reason = "it holds as it is: no order is missing"
	case fixed:
		a.reason = a.summary()
	}
	present.Detail(out, a.reason)
	if a.word != fixed {
		return
	}

	for _, rule := range a.fix.Rules() {
		present.Detail(out, "rule: "+rule)
	}

	// Names in a trace may contain control characters.
	line := func(indent, text string) { fmt.Fprintln(out.Out, indent+graphs.Printable(text)) }
	// For a formula about all processes, show only the values of the bad instance.
	x := &explain.Explainer{Of: a.about.Computation, Property: a.property.Formula, Ctx: r.Context}
	shown := rctl.Shown(a.resolved, rctl.Fails)
	for i, o := range a.fix.Orders[:len(a.prevents)] {
		values := x.Values(&rctl.Evidence{Formula: shown, Start: x.Of.Initial(), Cut: a.prevents[i]})
		line("  ", a.event(o.To)+" must wait for "+a.event(o.From))
		line("      ", a.why(i)+": "+strings.Join(values, ", "))
	}
	if n := len(a.fix.Orders) - len(a.prevents); n > 0 {
		line("  ", fmt.Sprintf("… and %d more; -o FILE writes them all", n))
	}
}

// summary states the number of missing orders, whether it is minimal, and whether the recorded
// order has them.
func (a *answer) summary() string {
	text := graphs.Plural(len(a.fix.Orders), "order") + " missing, and "
	if a.fix.Least {
		text += "no fewer will do"
	} else {
		text += "none can be left out, but fewer others may do: that took too long to find out"
	}
	switch {
	case a.fix.Recorded:
		return text + "; the recorded order was so by luck"
	case a.fix.Observed:
		return text + "; the recorded order was not so: it shows the failure itself"
	}
	return text
}

// event returns the id of an event with its label or its assignments. An id alone, such as l2, does
// not relate the event to the program.
func (a *answer) event(e graphs.Event) string {
	id := a.e.Computation.ID(e)
	if text := a.fix.Describe(e); text != "" {
		id += " (" + graphs.Shorten(text, 60) + ")"
	}
	return id
}

// cut formats a cut as the event counts of its processes, such as "A:2 B:1". It omits processes
// without an event in the cut, since a trace may have hundreds of processes.
func (a *answer) cut(cut graphs.Cut) string {
	var all []string
	for p, k := range cut {
		if k > 0 {
			all = append(all, fmt.Sprintf("%s:%d", a.e.Computation.Processes()[p], k))
		}
	}
	return cmp.Or(strings.Join(all, " "), "without events")
}
