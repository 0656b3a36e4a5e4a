package present

import (
	"fmt"
	"strings"
	"time"

	"github.com/fatih/color"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/report"
)

// shades are the colours of the words in front of headings.
var shades = map[string]color.Attribute{
	"holds":      color.FgGreen,
	"conforms":   color.FgGreen,
	"by luck":    color.FgRed,
	"violated":   color.FgRed,
	"unfinished": color.FgYellow,
	"clean":      color.FgGreen,
	"fails":      color.FgRed,
	"unknown":    color.FgYellow,
	"suspect":    color.FgYellow,
	"flips":      color.FgMagenta,
}

// Heading prints the first line about an execution: a word that sums it up, and its subject.
func Heading(out *console.Console, word string, about ...string) {
	head := out.Paint(fmt.Sprintf("%-7s", word), shades[word], color.Bold)
	fmt.Fprintf(out.Out, "%s  %s\n", head, strings.Join(about, "  "))
}

// Detail prints a line below a heading.
func Detail(out *console.Console, text string, attributes ...color.Attribute) {
	fmt.Fprintf(out.Out, "         %s\n", out.Paint(graphs.Printable(text), attributes...))
}

// About returns the part of a heading that names the subject.
func About(out *console.Console, of report.Subject) []string {
	all := []string{graphs.Printable(of.Trace)}
	if of.Name != "" {
		all = append(all, out.Paint(graphs.Printable(of.Name), color.Bold))
	}
	return append(all, graphs.Printable(of.Formula))
}

// print prints a verdict and its reasons.
func (t *textReport) print(r *Record) {
	out := t.out
	if c := r.Conformance; c != nil {
		Heading(out, c.Verdict, About(out, r.Subject)...)
		for _, text := range c.Details {
			Detail(out, text)
		}
	} else {
		Heading(out, r.Verdict, About(out, r.Subject)...)
	}
	if r.Reason != "" && r.Conformance == nil {
		Detail(out, r.Reason, color.Faint)
	}
	for _, text := range []string{r.Bound, r.Margin.String()} {
		if text != "" {
			Detail(out, text)
		}
	}
	if t.options.Verbose {
		how := r.how()
		// Show times only on a terminal, since files would differ from run to run.
		if out.Terminal && r.States == nil {
			took := time.Duration(r.ElapsedMS * float64(time.Millisecond))
			how += fmt.Sprintf(", %s", took.Round(100*time.Microsecond))
		}
		Detail(out, how, color.Faint)
	}
	for _, n := range r.Notes {
		Detail(out, n.String(), color.FgYellow)
	}
	// The run of a record that was read may be long, so refer to its line.
	if r.Origin != "" && r.Witness != nil {
		Detail(out, "run: "+r.Origin, color.Faint)
	}
	// On a terminal, show the run by default. Write it to a file only on request.
	if t.options.Witness || out.Terminal {
		t.printRuns(r)
	}
	if r.View != "" {
		Detail(out, "view: "+r.View)
	}
	if text := r.part(); text != "" && t.options.Witness {
		Detail(out, text)
	} else if r.NoRun != "" {
		Detail(out, r.NoRun)
	}
	if r.Origin != "" {
		return
	}
	for _, o := range r.Engines {
		Detail(out, o.String())
	}
}

// printRuns prints the runs that show a verdict.
func (t *textReport) printRuns(r *Record) {
	out := t.out
	for _, line := range r.Margin.Moments() {
		Detail(out, line)
	}
	for _, run := range r.Runs {
		if run.Of != "" {
			Detail(out, run.Of+":")
		}
		explainer := r.explainer(run)
		explainer.Indent = "  "
		// Long runs are shortened, since nobody reads thousands of events.
		explainer.Elided = "; --witness full has them all"
		explainer.Paint = func(text string) string { return out.Paint(text, color.Bold) }
		if err := explainer.Write(out.Out, run.Evidence); err != nil {
			t.run.Fail(err)
		}
		if run.Ending != "" {
			Detail(out, run.Ending)
		}
		if found := r.missing(run); found != nil {
			fmt.Fprintln(out.Out, graphs.Printable("  what was missing: "+found.String()+" (pota fix)"))
		}
	}
}
