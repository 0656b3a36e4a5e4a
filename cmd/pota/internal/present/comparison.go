package present

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
)

// ErrDisagree is the error of engines that decide differently.
var ErrDisagree = errors.New("engines disagree, so pota has a bug; --json shows what each says")

// A Comparison has the results of several engines for a formula on one trace or program.
type Comparison struct {
	Trace   string           `json:"trace"`
	Formula string           `json:"formula"`
	Verdict string           `json:"verdict"`
	Reason  string           `json:"reason,omitempty"` // why no engine ran
	Agree   bool             `json:"agree"`
	Engines []report.Opinion `json:"engines"`
}

// NewComparison returns a comparison without opinions.
func NewComparison(trace, formula string) *Comparison {
	return &Comparison{
		Trace:   trace,
		Formula: formula,
		Verdict: rctl.Unknown.String(),
		Agree:   true,
		Engines: []report.Opinion{},
	}
}

// Add adds an opinion.
func (c *Comparison) Add(o report.Opinion) {
	// An engine without an answer contradicts no other.
	unknown := rctl.Unknown.String()
	if o.Verdict != unknown {
		c.Agree = c.Agree && (c.Verdict == unknown || c.Verdict == o.Verdict)
		c.Verdict = o.Verdict
	}
	c.Engines = append(c.Engines, o)
}

// Comparisons prints comparisons, and worsens the status of a run if engines disagree or do not
// answer.
type Comparisons struct {
	Run    *job.Run
	JSON   bool
	Source string // the text of the formula
}

// Add prints a comparison.
func (p Comparisons) Add(c *Comparison) {
	switch {
	case !c.Agree:
		p.Run.Worsen(exit.SomeFails)
		fmt.Fprintf(p.Run.Console.Err, "pota: %s: engines disagree, so one of them has a bug\n", graphs.Printable(c.Trace))
	case c.Verdict == rctl.Unknown.String():
		p.Run.Worsen(exit.Undecided)
	}
	if p.JSON {
		p.Run.JSON(p.Run.Console.Out, c, "")
	} else {
		p.print(c)
	}
}

// Refused reports why no engine ran.
func (p Comparisons) Refused(name string, err error) {
	p.Run.Fail(err)
	switch {
	case !p.JSON:
	// At a limit, no engine ran, but the line is still a comparison.
	case failure.IsLimit(err):
		c := NewComparison(name, p.Source)
		c.Reason = err.Error()
		p.Run.JSON(p.Run.Console.Out, c, "")
	default:
		r := report.Record{Subject: report.Subject{Trace: name, Formula: p.Source}, Error: failure.Head(err)}
		if err := r.Write(p.Run.Console.Out); err != nil {
			p.Run.Fail(err)
		}
	}
}

// print prints a comparison as a table.
func (p Comparisons) print(c *Comparison) {
	out := p.Run.Console.Out
	agreement := "all that answered agree: " + c.Verdict
	switch {
	case !c.Agree:
		agreement = "ENGINES DISAGREE"
	case c.Verdict == rctl.Unknown.String():
		agreement = "none answered"
	}
	fmt.Fprintf(out, "%s  %s\n%s\n", graphs.Printable(c.Trace), graphs.Printable(c.Formula), agreement)

	// Names of engines differ in length.
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, o := range c.Engines {
		notes := o.Reason
		// Only SPIN reports states and memory.
		if o.States > 0 {
			notes = strings.TrimSpace(notes + " " + graphs.Plural(int(o.States), "state"))
		}
		if o.Memory > 0 {
			notes += fmt.Sprintf(", %.0f MB", float64(o.Memory)/1e6)
		}
		fmt.Fprintf(w, "  %s\t%s\t%.3f s\t%s\n", o.Engine, o.Verdict, o.ElapsedMS/1000, graphs.Printable(notes))
	}
	if err := w.Flush(); err != nil {
		p.Run.Fail(err)
	}
}
