package present

import (
	"slices"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
)

// formats are the formats that a user may name, in the order in which they are listed.
var formats = []struct {
	name string
	on   func(output) format
}{
	{Text, func(o output) format { return &textReport{output: o} }},
	{JSON, func(o output) format { return &jsonLines{output: o} }},
	{JUnit, func(o output) format { return &junitReport{output: o} }},
	{SARIF, func(o output) format { return &sarifReport{output: o} }},
	{GitHub, func(o output) format { return annotations{o} }},
	{Markdown, newMarkdown},
	{HTML, newHTML},
}

// Formats returns the names of the formats that a user may name.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Choose checks the format against the options that stand for one, and takes what they say.
// FormatGiven says that the user named the format.
func (o *Options) Choose(formatGiven bool) error {
	o.All = o.All || o.Verbose
	switch {
	// Two flags that choose different formats are a mistake, not an order of preference.
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
