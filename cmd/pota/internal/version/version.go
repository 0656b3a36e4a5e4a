// Package version returns the version of the running program, and the commit it was built from.
package version

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// Print prints the data that a bug report should have: the version, the commit, the compiler and
// the platform.
func Print(w io.Writer) {
	built := Name()
	settings := make(map[string]string)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	// A program that was built from a module proxy has no commit; its version identifies it.
	if commit := settings["vcs.revision"]; commit != "" {
		if settings["vcs.modified"] == "true" {
			commit += ", modified" // the program cannot be rebuilt from the commit
		}
		built += " (commit " + commit + ")"
	}
	fmt.Fprintf(w, "pota %s %s %s/%s\n", built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Name returns the version of the module that the program was built from.
func Name() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
