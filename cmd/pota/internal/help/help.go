// Package help writes the help of the program: the texts of its commands and flags, and its
// guides.
package help

import (
	"cmp"
	"embed"
	"fmt"
	"strings"
	"sync"

	"github.com/pota-project/pota/cmd/pota/guides"
)

// texts has a file for each command: a line with its purpose, a line with its arguments, and
// after a blank line examples. They are files, because they are prose: nobody should have to read
// them as literals of Go.
//
//go:embed commands/*.txt
var texts embed.FS

// A Command is what the help says of a command.
type Command struct {
	Purpose     string // one line
	Arguments   string // as in FORMULA TRACE...
	Description string
}

// Of returns the text of a command.
func Of(command string) Command {
	content, err := texts.ReadFile("commands/" + command + ".txt")
	if err != nil {
		panic("this cannot happen, because each command has a text: " + err.Error())
	}
	purpose, rest, _ := strings.Cut(string(content), "\n")
	arguments, description, _ := strings.Cut(rest, "\n")
	return Command{purpose, arguments, strings.Trim(description, "\n")}
}

// flagTexts has a paragraph for each flag: its name, a colon, and a text with the name of its value
// in backquotes, as in "output: write to `FILE`". The name of a command and a point precede a flag
// with another meaning there, as in "serve.timeout: ...".
//
//go:embed flags.txt
var flagTexts string

// usages has the paragraphs by what precedes their colons.
var usages = sync.OnceValue(func() map[string]string {
	all := make(map[string]string)
	for paragraph := range strings.Lines(strings.ReplaceAll(flagTexts, "\n   ", " ")) {
		name, text, _ := strings.Cut(strings.TrimSpace(paragraph), ": ")
		all[name] = text
	}
	return all
})

// Usage returns what a flag of a command does.
func Usage(command, flag string) string {
	text := cmp.Or(usages()[command+"."+flag], usages()[flag])
	if text == "" {
		panic("this cannot happen, because each flag has a text: " + flag)
	}
	return text
}

// Groups are the commands, by what they are for. A newcomer looks for a purpose; the order of the
// alphabet would mix commands of each day with those that one needs once.
var Groups = []struct {
	Heading  string
	Commands []string
}{
	{"Decide", []string{"detect", "watch", "check", "conform", "verify", "merge", "cross-check"}},
	{"Get traces", []string{"init", "map", "formats", "convert", "simulate", "demo"}},
	{"Look at traces and formulas", []string{"infer", "stats", "fix", "lint", "classify", "draw", "serve", "slice", "translate"}},
	{"About pota", []string{"help", "completion", "version"}},
}

// App returns the help of the program: what to begin with, all commands, and all guides.
func App() string {
	var b strings.Builder
	b.WriteString(beginning)
	for _, g := range Groups {
		fmt.Fprintf(&b, "\n%s:\n", strings.ToUpper(g.Heading))
		for _, name := range g.Commands {
			fmt.Fprintf(&b, "   %-12s  %s\n", name, Of(name).Purpose)
		}
	}
	b.WriteString("\nGUIDES (pota help GUIDE, or pota help GUIDE SECTION):\n")
	for _, name := range guides.Names {
		fmt.Fprintf(&b, "   %-12s  %s\n", name, guides.About(name))
	}
	return b.String()
}

// beginning is what a newcomer reads first.
//
//go:embed beginning.txt
var beginning string
