package present

import (
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// The formats.
const (
	Text     = "text"
	JSON     = "json"
	JUnit    = "junit"
	SARIF    = "sarif"
	GitHub   = "github"
	Markdown = "markdown"
	HTML     = "html"
	Silent   = "" // prints nothing
)

// Options choose a format and its details.
type Options struct {
	Format  string
	Witness bool // print runs that show verdicts
	Verbose bool // name engine and fragment
	JSON    bool // stands for the format, as Quiet does for Silent
	Quiet   bool
	All     bool // of several executions, list all verdicts and errors

	Properties []syntax.Property // that are decided
	Shard      *report.Shard     // the last line of JSON, nil for none
	Version    string            // of the program
	Output     string            // the file of the report, "" for standard output
}

// IsReport reports whether the format is one of continuous integration.
func (o Options) IsReport() bool {
	return o.Format != Text && o.Format != JSON && o.Format != Silent
}

// CountsCuts reports whether the format says how many cuts executions have.
func (o Options) CountsCuts() bool { return o.Format == Markdown || o.Format == HTML }

// maxListed bounds the verdicts on a property that text lists, and the names in a line.
const maxListed = 10

// NeedsEvidence reports whether the format prints runs. Terminal says whether results go to one.
func (o Options) NeedsEvidence(terminal bool) bool {
	return o.Format == JSON || o.IsReport() || o.Format == Text && (o.Witness || terminal)
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
type Reporter interface{ Verdict(*Record) }

// format prints records. It need not keep the status or print errors: a Report does both for all
// formats.
type format interface {
	verdict(*Record)
	close(exit.Status)
}

// An output is what all formats have. Alone it is the format that prints nothing.
type output struct {
	run     *job.Run
	out     *console.Console
	options Options
}

// Errors are on standard error already, and most formats have nothing to add in the end.
func (output) verdict(*Record)   {}
func (output) close(exit.Status) {}
