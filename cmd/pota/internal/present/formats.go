package present

import (
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/job"
)

// formats are the formats that a user may name, in the order in which they are listed.
var formats = []struct {
	name string
	make func(r *job.Run, out *console.Console, o Options) format
}{
	{Text, newText},
	{JSON, newJSON},
	{JUnit, newJUnit},
	{SARIF, newSARIF},
	{GitHub, newGitHub},
}

// Formats returns the names of the formats that a user may name.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}
