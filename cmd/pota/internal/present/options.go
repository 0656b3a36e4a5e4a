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
	Silent   = "" // print nothing
)

// Options choose a format and its details.
type Options struct {
	Format  string
	Witness bool // print runs that show verdicts
	Verbose bool // name engine and fragment
	JSON    bool // selects the format JSON, as Quiet selects Silent
	Quiet   bool
	All     bool // list all verdicts and errors, even for several executions

	Properties []syntax.Property // the properties that are decided
	Shard      *report.Shard     // the last line of JSON; nil for none
	Version    string            // the version of the program
	Output     string            // the file of the report; "" for standard output
}

// IsReport reports whether the format is a report rather than text or JSON lines.
func (o Options) IsReport() bool {
	return o.Format != Text && o.Format != JSON && o.Format != Silent
}

// CountsCuts reports whether the format includes the number of cuts of executions.
func (o Options) CountsCuts() bool { return o.Format == Markdown || o.Format == HTML }

// maxListed bounds how many verdicts on a property text lists, and how many names a line has.
const maxListed = 10

// NeedsEvidence reports whether the format prints runs. Terminal says whether results go to a
// terminal.
func (o Options) NeedsEvidence(terminal bool) bool {
	return o.Format == JSON || o.IsReport() || o.Format == Text && (o.Witness || terminal)
}

// ListsFirst returns how many of several executions the format lists one by one, at most.
func (o Options) ListsFirst() int {
	if o.Format == Text {
		return maxListed
	}
	return 0
}

// A Reporter receives the records of decisions, in order.
type Reporter interface{ Verdict(*Record) }

// A format prints records. It need not keep the status or print errors, since a Report does both
// for all formats.
type format interface {
	verdict(*Record)
	close(exit.Status)
}

// An output is the common part of all formats. By itself, it is the format that prints nothing.
type output struct {
	run     *job.Run
	out     *console.Console
	options Options
}

// Errors are already on standard error, and most formats have nothing to print at the end.
func (output) verdict(*Record)   {}
func (output) close(exit.Status) {}
