// Package guides has the guides that pota help prints: Markdown files, one per subject, with
// commands that tests run.
package guides

import (
	"embed"
	"slices"
	"strings"
)

// texts has the files. The first line of each file has its name and, after a colon, its subject.
//
//go:embed *.md
var texts embed.FS

// Names are the names of the guides, in the order in which a newcomer would read them.
var Names = []string{
	"formulas", "recipes", "infer", "time", "conform", "traces", "mappings", "engines", "witnesses", "certificates",
	"viewer", "ci", "watching", "fleets", "simulate", "programs", "speed",
}

// Text returns a guide, or "" if there is none with that name.
func Text(name string) string {
	if !slices.Contains(Names, name) {
		return ""
	}
	text, err := texts.ReadFile(name + ".md")
	if err != nil {
		panic("this cannot happen, because the guides are part of the program: " + err.Error())
	}
	return string(text)
}

// About returns the subject of a guide.
func About(name string) string {
	heading, _, _ := strings.Cut(Text(name), "\n")
	_, about, _ := strings.Cut(heading, ": ")
	return about
}
