// Package version names the version of the running program, and the commit it was built from.
package version

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// Print prints what a report of a bug should have: the version, the commit, the compiler
// and the platform.
func Print(w io.Writer) {
	built := Name()
	if c := commit(); c != "" {
		built += " (commit " + c + ")"
	}
	fmt.Fprintf(w, "pota %s %s %s/%s\n", built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commit returns the commit of the checkout that the program was built in, marked if files had
// been changed. It is "" if the program was built from a module of a proxy: its version says it.
func commit() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	// Such a program cannot be built again from the commit.
	if revision != "" && settings["vcs.modified"] == "true" {
		revision += ", modified"
	}
	return revision
}

// Name returns the version of the module that the program was built from.
func Name() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
