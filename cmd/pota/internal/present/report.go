package present

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// The formats.
const (
	Text   = "text"
	JSON   = "json"
	JUnit  = "junit"
	SARIF  = "sarif"
	GitHub = "github"
	Silent = "" // prints nothing
)

// Formats are the formats that a user may name.
var Formats = []string{Text, JSON, JUnit, SARIF, GitHub}

// Options say what is printed.
type Options struct {
	Format  string
	Witness bool // print runs that show verdicts
	Verbose bool // name engine and fragment
	All     bool // of several executions, list all verdicts and errors

	Properties []syntax.Property // that are decided
	Shard      *report.Shard     // the last line of JSON, nil for none
	Version    string            // of the program
}

// IsReport reports whether the format is one of continuous integration.
func (o Options) IsReport() bool {
	return o.Format == JUnit || o.Format == SARIF || o.Format == GitHub
}

// NeedsNames reports whether the format describes runs to people, by labels and names of
// messages. Terminal says whether results go to one.
func (o Options) NeedsNames(terminal bool) bool {
	return o.IsReport() || o.Format == Text && (o.Witness || terminal)
}

// NeedsEvidence reports whether the format prints runs.
func (o Options) NeedsEvidence(terminal bool) bool {
	return o.Format == JSON || o.NeedsNames(terminal)
}

// ListsFirst returns how many of several executions the format lists one by one, whatever their
// verdicts are alike in.
func (o Options) ListsFirst() int {
	if o.Format == Text {
		return maxListed
	}
	return 0
}

// A Reporter takes what came of decisions, in order.
type Reporter interface {
	Verdict(*Record)
	Refused(path string, err error)      // a trace cannot be read
	Problem(execution string, err error) // something is wrong with an execution that is decided
	Close()                              // prints what comes after all records
}

// format prints records.
type format interface {
	verdict(*Record)
	refused(path string, err error)
	close(exit.Status)
}

// A Report is a Reporter that prints.
type Report struct {
	run    *job.Run
	out    *console.Console
	format format
	errors errorList
}

// New returns a report that prints to out. Errors go to the console of the run, and the status
// of the run is worsened.
func New(r *job.Run, out *console.Console, o Options) *Report {
	p := &Report{run: r, out: out, errors: errorList{run: r, all: o.All}}
	switch o.Format {
	case Text:
		p.format = &textReport{run: r, out: out, options: o}
	case JSON:
		p.format = &jsonLines{run: r, out: out, shard: o.Shard}
	case JUnit:
		p.format = &junitReport{run: r, out: out, options: o}
	case SARIF:
		p.format = &sarifReport{run: r, out: out, options: o}
	case GitHub:
		p.format = &annotations{out: out, options: o}
	case Silent:
		p.format = silence{}
	default:
		panic("this cannot happen, because formats are checked before: " + o.Format)
	}
	return p
}

// Verdict implements Reporter.
func (p *Report) Verdict(r *Record) {
	if r.Err != nil {
		p.errors.add(r.Subject.Trace, r.Err)
	}
	switch {
	case r.Sweep != nil:
		p.run.Worsen(r.Sweep.Status())
	case r.Line != nil:
		p.run.Worsen(StatusOf(r.Line.Outcome()))
	}
	p.format.verdict(r)
	p.run.Flush(p.out)
}

// Refused implements Reporter.
func (p *Report) Refused(path string, err error) {
	p.errors.add(path, err)
	p.format.refused(path, err)
}

// Invalid is Refused for formulas that cannot be parsed. What is wrong with each is printed.
func (p *Report) Invalid(err error) {
	p.run.Fail(err)
	for _, err := range failure.All(err) {
		if of, ok := errors.AsType[*failure.FormulaError](err); ok {
			p.format.refused(of.Source(), err)
		}
	}
}

// Problem implements Reporter.
func (p *Report) Problem(execution string, err error) { p.errors.add(execution, err) }

// Close implements Reporter.
func (p *Report) Close() {
	p.format.close(p.run.Status)
	p.errors.close()
	p.run.Flush(p.out)
}

// silence prints nothing.
type silence struct{}

func (silence) verdict(*Record)       {}
func (silence) refused(string, error) {}
func (silence) close(exit.Status)     {}

// An errorList prints what is wrong with traces and executions. Where several have the same
// error, it is printed of the first, and the others are named in a line at the end.
type errorList struct {
	run   *job.Run
	all   bool                // print each
	texts []string            // without the name, in the order in which they came
	names map[string][]string // of what has the error, by text
}

func (l *errorList) add(name string, err error) {
	if l.names == nil {
		l.names = make(map[string][]string)
	}
	text := strings.TrimPrefix(failure.Text(err), graphs.Printable(name))
	names := l.names[text]
	if len(names) == 0 || l.all {
		l.texts = append(l.texts, text)
		l.run.Fail(err)
	}
	if len(names) == 0 || names[len(names)-1] != name {
		l.names[text] = append(names, name)
	}
}

func (l *errorList) close() {
	for _, text := range l.texts {
		others := l.names[text][1:]
		if len(others) == 0 || l.all {
			continue
		}
		for i := range others {
			others[i] = graphs.Printable(others[i])
		}
		first, _, _ := strings.Cut(strings.TrimLeft(text, ": "), "\n")
		fmt.Fprintf(l.run.Console.Err, "pota: %d more with the same error (%s): %s\n", len(others), first, strings.Join(others, ", "))
	}
}
