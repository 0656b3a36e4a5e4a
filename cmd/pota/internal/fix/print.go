package fix

import (
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
	Answer   string   `json:"answer"`
	Reason   string   `json:"reason,omitempty"`
	Least    *bool    `json:"least,omitempty"`    // no fewer orders will do
	Recorded *bool    `json:"recorded,omitempty"` // the orders go along the recorded one
	Observed bool     `json:"observed,omitempty"` // the recorded order shows the failure, too
	Orders   []missed `json:"orders,omitempty"`
	Rules    []rule   `json:"rules,omitempty"`
}

// A missed order has the cut that it prevents, as counts of events, where that was sought.
type missed struct {
	Before   report.Event       `json:"before"`
	After    report.Event       `json:"after"`
	Prevents *report.Cut[int32] `json:"prevents,omitempty"`
}

// A rule is in words, with the numbers of its orders, from 1.
type rule struct {
	Text   string `json:"rule"`
	Orders []int  `json:"orders"`
}

// record returns the answer for JSON.
func (a *answer) record() record {
	c := a.e.Computation
	all := record{Subject: report.SubjectOf(a.e.Name, a.property), Answer: a.word, Reason: a.reason}
	if a.word != fixed {
		return all
	}
	all.Least = &a.fix.Least
	all.Recorded = &a.fix.Recorded
	all.Observed = a.fix.Bad
	for i, o := range a.fix.Orders {
		m := missed{Before: report.EventOf(c, o.Before), After: report.EventOf(c, o.After)}
		if i < maxPrevented {
			m.Prevents = &report.Cut[int32]{Processes: c.Processes(), Counts: a.fix.Prevented(i)}
		}
		all.Orders = append(all.Orders, m)
	}
	for _, r := range a.fix.Rules() {
		numbers := make([]int, len(r.Orders))
		for i, k := range r.Orders {
			numbers[i] = k + 1
		}
		all.Rules = append(all.Rules, rule{r.String(), numbers})
	}
	return all
}

// maxListed bounds the orders that are printed. An order file has them all.
const maxListed = 10

// print prints the answer for people: in words first, then order by order.
func (a *answer) print(r *job.Run) {
	out := r.Console
	about := []string{graphs.Printable(a.e.Name)}
	if a.property.Name != "" {
		about = append(about, graphs.Printable(a.property.Name))
	}
	present.Heading(out, a.word, append(about, graphs.Printable(a.property.Source))...)
	if why := a.e.Computation.LowerBound(); why != "" && a.word != unknown {
		present.Detail(out, "possibly spurious: "+why)
	}
	switch a.word {
	case holds:
		present.Detail(out, "it holds as it is: no order is missing")
		return
	case infeasible, unknown:
		present.Detail(out, a.reason)
		return
	}
	present.Detail(out, a.summary())
	for _, rule := range a.fix.Rules() {
		present.Detail(out, "rule: "+rule.String())
	}
	for i, o := range a.fix.Orders {
		if i == maxListed {
			fmt.Fprintf(out.Out, "  … and %d more; -o FILE writes them all\n", len(a.fix.Orders)-i)
			break
		}
		fmt.Fprintf(out.Out, "  %s must wait for %s\n", graphs.Printable(a.id(o.After)), graphs.Printable(a.id(o.Before)))
		cut := a.fix.Prevented(i)
		text := "prevents the cut " + a.cut(cut)
		if values := a.values(r, cut); values != "" {
			text += ": " + values
		}
		fmt.Fprintf(out.Out, "      %s\n", graphs.Printable(text))
	}
}

// summary says how many orders were missing, how good that is, and whether the order that was seen
// has them.
func (a *answer) summary() string {
	n := len(a.fix.Orders)
	text := graphs.Plural(n, "order") + " missing, and "
	switch {
	case a.fix.Least:
		text += "no fewer will do"
	case n == 1:
		text += "a smaller number was not ruled out"
	default:
		text += "none of them can be left out; whether fewer others will do was not found out"
	}
	switch {
	case a.fix.Recorded:
		text += "; the recorded order has "
	case a.fix.Bad:
		text += "; the recorded order shows the failure itself, and does not have "
	default:
		return text
	}
	if n == 1 {
		return text + "it"
	}
	return text + "them all"
}

// values writes what the formula speaks of at a cut.
func (a *answer) values(r *job.Run, cut graphs.Cut) string {
	c := a.about.Computation
	x := &explain.Explainer{Of: c, Property: a.property.Formula, Source: a.property.Source, Ctx: r.Context}
	all := x.Values(&rctl.Evidence{Formula: a.shown, Start: c.Initial(), Cut: cut})
	return strings.Join(all, ", ")
}
