package main

import (
	"fmt"
	"time"

	"github.com/fatih/color"

	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/syntax"
)

// printVerdict tells a person the verdict, then why.
func (d *detection) printVerdict(e *format.Execution, p syntax.Property, f *syntax.Formula, res *rctl.Result, elapsed time.Duration) {
	verdict := map[rctl.Verdict]color.Attribute{
		rctl.Holds: color.FgGreen, rctl.Fails: color.FgRed, rctl.Unknown: color.FgYellow,
	}
	fmt.Fprintf(d.out, "%-7s  %s", d.paint(res.Verdict.String(), verdict[res.Verdict], color.Bold), e.Name)
	if p.Name != "" {
		fmt.Fprintf(d.out, "  %s", d.paint(p.Name, color.Bold))
	}
	fmt.Fprintf(d.out, "  %s\n", p.Source)
	why := fmt.Sprintf("engine %s, fragment %s", d.engineOf(res), res.Class.Fragment)
	if d.person {
		why += fmt.Sprintf(", %s", elapsed.Round(100*time.Microsecond))
	}
	if res.Reason != "" {
		why = res.Reason + " (" + why + ")"
	}
	fmt.Fprintf(d.out, "         %s\n", d.paint(why, color.Faint))
	if res.Evidence == nil || !d.cli.Bool("witness") && !d.person {
		return
	}
	t := &explain.Teller{
		Of: e.Computation, Property: p.Formula, Verdict: res.Verdict, Indent: "  ", Elided: "; --json has them all",
		Paint: func(text string) string { return d.paint(text, color.Bold) },
	}
	if err := t.Tell(d.out, res.Evidence); err != nil {
		d.fail(err)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
