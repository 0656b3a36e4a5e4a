package present

import (
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
)

// format prints records. It need not keep the status or print errors: a Report does both for all
// formats.
type format interface {
	verdict(*Record)
	refused(path string, err error)
	close(exit.Status)
}

// An output is what all formats have. Alone it is the format that prints nothing.
type output struct {
	run     *job.Run
	out     *console.Console
	options Options
}

// Errors are on standard error already, and most formats have nothing to add in the end.
func (output) verdict(*Record)       {}
func (output) refused(string, error) {}
func (output) close(exit.Status)     {}

// formats are the formats that a user may name, in the order in which they are listed.
var formats = []struct {
	name string
	on   func(output) format
}{
	{Text, func(o output) format { return &textReport{output: o} }},
	{JSON, func(o output) format { return jsonLines{o} }},
	{JUnit, func(o output) format { return &junitReport{output: o} }},
	{SARIF, func(o output) format { return &sarifReport{output: o} }},
	{GitHub, func(o output) format { return annotations{o} }},
}

// Formats returns the names of the formats that a user may name.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}
