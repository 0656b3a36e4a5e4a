package main

import (
	"fmt"
	"time"

	"github.com/fatih/color"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
)

// textLines tells a person the verdict, then why.
type textLines struct{ silence }

func (textLines) fork() presentation { return textLines{} }

func (textLines) tells(d *detection) bool { return d.cli.Bool("witness") || d.person }

func (textLines) decision(v *decision) {
	res, p := v.result, v.property
	if res == nil {
		return
	}
	verdict := map[rctl.Verdict]color.Attribute{
		rctl.Holds: color.FgGreen, rctl.Fails: color.FgRed, rctl.Unknown: color.FgYellow,
	}
	fmt.Fprintf(v.out, "%-7s  %s", v.paint(res.Verdict.String(), verdict[res.Verdict], color.Bold), v.execution.Name)
	if p.Name != "" {
		fmt.Fprintf(v.out, "  %s", v.paint(p.Name, color.Bold))
	}
	fmt.Fprintf(v.out, "  %s\n", p.Source)
	why := v.why()
	if v.person {
		why += fmt.Sprintf(", %s", v.elapsed.Round(100*time.Microsecond))
	}
	if res.Reason != "" {
		why = res.Reason + " (" + why + ")"
	}
	fmt.Fprintf(v.out, "         %s\n", v.paint(why, color.Faint))
	for _, n := range v.notes {
		fmt.Fprintf(v.out, "         %s\n", v.paint(n.String(), color.FgYellow))
	}
	if res.Evidence != nil && v.show.tells(v.detection) {
		t := v.teller()
		t.Indent, t.Elided = "  ", "; --json has them all"
		t.Paint = func(text string) string { return v.paint(text, color.Bold) }
		if err := t.Tell(v.out, res.Evidence); err != nil {
			v.fail(err)
		}
	}
	v.printOpinions(v.opinions)
}

// why says how the verdict was come by.
func (v *decision) why() string {
	return fmt.Sprintf("engine %s, fragment %s", v.engineOf(v.result), v.result.Class.Fragment)
}

// teller tells the evidence of a decision.
func (v *decision) teller() *explain.Teller {
	return &explain.Teller{Of: v.execution.Computation, Property: v.property.Formula, Verdict: v.result.Verdict}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
