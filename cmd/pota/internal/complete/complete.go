// Package complete completes command lines of pota. It has the scripts for shells, and the words to
// choose from: values of flags, and arguments other than files. Shells complete files themselves.
package complete

import (
	"embed"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/decide"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/export"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/cmd/pota/internal/viewer"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/pattern"
)

// scripts call the program with the words so far, followed by Flag.
//
//go:embed pota.bash pota.zsh pota.fish
var scripts embed.FS

// Flag requests completion from the library for flags.
const Flag = "--generate-bash-completion"

// shells are the shells that have a script.
var shells = []string{"bash", "zsh", "fish"}

// Script returns the script that a shell loads.
func Script(shell string) (string, error) {
	script, err := scripts.ReadFile("pota." + shell)
	if err != nil {
		return "", exit.Unknown("script for the shell", shell, shells...)
	}
	return string(script), nil
}

// Values returns the values that a flag may have, or nil if they are files or not known. Usage is
// the help text of the flag.
func Values(flag, usage string) []string {
	switch flag {
	case "engine":
		return decide.EngineNames()
	// Only the help text of --format lists the formats that a command prints.
	case "format":
		var all []string
		for _, name := range slices.Concat(present.Formats(), viewer.SliceFormats) {
			if strings.Contains(usage, name) && !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
		return all
	case "input", "from":
		return slices.Concat([]string{format.Auto}, names(format.Formats()), names(format.Mappings()))
	case "map":
		return names(format.Mappings())
	case "to":
		return export.Languages
	// The arguments of a pattern follow the colon.
	case "property":
		var all []string
		for _, p := range pattern.All() {
			all = append(all, p.Name+":")
		}
		return all
	}
	return nil
}

// names returns the names of formats or mappings.
func names(formats []format.Format) []string {
	var all []string
	for _, f := range formats {
		all = append(all, f.Name)
	}
	return all
}

// Arguments returns possible arguments of a command other than files. Usage describes its
// arguments, and topics are the topics of help.
func Arguments(usage string, topics []string) []string {
	switch {
	case strings.Contains(usage, "GUIDE"):
		return topics
	case strings.HasPrefix(usage, shells[0]):
		return shells
	case strings.HasPrefix(usage, "MODEL"):
		var all []string
		for _, m := range simulate.Models() {
			all = append(all, m.Name)
		}
		return all
	case strings.HasSuffix(usage, "NAME]"):
		return names(format.Mappings())
	}
	return nil
}
