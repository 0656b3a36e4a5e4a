package present

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// formats are the formats that a user may name, in the order of lists.
var formats = []struct {
	name string
	on   func(output) format
}{
	{Text, func(o output) format { return &textReport{output: o} }},
	{JSON, func(o output) format { return &jsonLines{output: o} }},
	{JUnit, func(o output) format { return &junitReport{output: o} }},
	{SARIF, func(o output) format { return &sarifReport{output: o} }},
	{GitHub, func(o output) format { return annotations{o} }},
	{Markdown, func(o output) format { return &digest{output: o, template: markdown(), maxBytes: maxSummary} }},
	{HTML, func(o output) format { return &digest{output: o, template: pages().Lookup("digest")} }},
}

// Formats returns the names of the formats that a user may name.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Choose checks the format against the options that imply a format, and sets it accordingly.
// FormatGiven says whether the user named the format.
func (o *Options) Choose(formatGiven bool) error {
	o.All = o.All || o.Verbose
	switch {
	// Two flags that choose different formats are a mistake; neither takes precedence.
	case o.JSON && formatGiven && o.Format != JSON:
		return exit.Usagef("--json and --format %s exclude each other: choose one", o.Format)
	case o.Quiet && formatGiven && !o.JSON:
		return exit.Usagef("--quiet prints nothing, --format %s does: choose one", o.Format)
	case o.Quiet:
		o.Format = Silent
	case o.JSON:
		o.Format = JSON
	case !slices.Contains(Formats(), o.Format):
		return exit.Unknown("format", o.Format, Formats()...)
	}
	return nil
}

// A Report is a Reporter that prints.
type Report struct {
	// Certificates has a line for each verdict with a certificate. They are kept until the end, since
	// the file is written with all of them or not at all.
	Certificates bytes.Buffer

	run    *job.Run
	out    *console.Console
	format format

	// Many traces of one program tend to have the same mistake. It is printed once, and the other
	// traces are named in a line at the end, unless all errors are to be listed.
	errors groups
	all    bool
}

// New returns a report that prints to out. Its errors go to the console of the run, and it worsens
// the status of the run.
func New(r *job.Run, out *console.Console, o Options) *Report {
	// No format is called Silent, so it leaves the one that prints nothing.
	to := output{run: r, out: out, options: o}
	p := &Report{run: r, out: out, format: to, all: o.All}
	for _, known := range formats {
		if known.name == o.Format {
			p.format = known.on(to)
		}
	}
	return p
}

// Verdict implements Reporter.
func (p *Report) Verdict(r *Record) {
	_, _ = p.Certificates.Write(r.Certificate) // writes to a bytes.Buffer never fail
	if r.Err != nil {
		of := p.errors.fail(r.Subject.Trace, r.Err)
		n := len(of.Members)
		if n == 1 || p.all {
			p.run.Fail(r.Err)
		}
		// Several properties may have the same error on one execution.
		if n > 1 && of.Members[n-2].Name == r.Subject.Trace {
			of.Members = of.Members[:n-1]
		}
	}
	switch {
	// A sweep replaces the verdict. After an error, it has no verdicts.
	case r.Sweep != nil:
		p.run.Worsen(r.Sweep.Status())
	case r.Verdict != "":
		p.run.Worsen(StatusOf(r.Outcome()))
	}
	p.format.verdict(r)
	// A reader at the other end of a pipe may be waiting for this verdict.
	p.run.Flush(p.out)
}

// Invalid reports formulas that cannot be parsed, with the error for each.
func (p *Report) Invalid(err error) {
	p.run.Fail(err)
	for _, err := range failure.All(err) {
		// Other errors have no place that a report could show.
		if of, ok := errors.AsType[*syntax.PropertyError](err); ok {
			p.format.verdict(Unread(of.Source(), err))
		}
	}
}

// Close prints the output that follows all records.
func (p *Report) Close() {
	p.format.close(p.run.Status)
	// The names of further traces come last, since they are long, and the verdicts are more important.
	for _, of := range p.errors.list {
		// The first name was printed with the error.
		var others []string
		for _, m := range of.Members[1:] {
			others = append(others, graphs.Printable(m.Name))
		}
		if others != nil && !p.all {
			first, _, _ := strings.Cut(strings.TrimLeft(of.key, ": "), "\n")
			fmt.Fprintf(p.run.Console.Err, "pota: %d more with the same error (%s): %s\n", len(others), first, strings.Join(others, ", "))
		}
	}
	p.run.Flush(p.out)
}
