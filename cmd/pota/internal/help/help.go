// Package help prints the help of the program: the texts of its commands and flags, and its guides.
package help

import (
	"cmp"
	"embed"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pota-project/pota/cmd/pota/guides"
)

// texts has a file for each command: a line with its purpose, a line with its arguments, and
// examples after a blank line. The texts are prose, which is easier to edit in files than in Go
// literals.
//
//go:embed commands/*.txt
var texts embed.FS

// A Command is the help text of a command.
type Command struct {
	Purpose     string // one line
	Arguments   string // such as FORMULA TRACE...
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
// in backquotes, as in "output: write to `FILE`". If a flag has a different meaning for a command,
// the name of the command and a dot precede it, as in "serve.timeout: ...".
//
//go:embed flags.txt
var flagTexts string

// usages maps the text before the colon to the rest of each paragraph.
var usages = sync.OnceValue(func() map[string]string {
	all := make(map[string]string)
	for paragraph := range strings.Lines(strings.ReplaceAll(flagTexts, "\n   ", " ")) {
		name, text, _ := strings.Cut(strings.TrimSpace(paragraph), ": ")
		all[name] = text
	}
	return all
})

// Usage returns the help text of a flag of a command.
func Usage(command, flag string) string {
	text := cmp.Or(usages()[command+"."+flag], usages()[flag])
	if text == "" {
		panic("this cannot happen, because each flag has a text: " + flag)
	}
	return text
}

// Groups are the commands, by purpose. A newcomer has a purpose in mind; alphabetical order would
// mix everyday commands with rarely used ones.
var Groups = []struct {
	Heading  string
	Commands []string
}{
	{"Decide", []string{"detect", "watch", "check", "conform", "verify", "merge", "cross-check"}},
	{"Get traces", []string{"init", "map", "formats", "convert", "simulate", "demo"}},
	{"Look at traces and formulas", []string{"infer", "stats", "fix", "lint", "classify", "draw", "serve", "slice", "translate"}},
	{"About pota", []string{"help", "completion", "version"}},
}

// App returns the help of the program: an introduction, all commands, and all guides.
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

// beginning is the introduction for newcomers.
//
//go:embed beginning.txt
var beginning string

// A Flag is the help text of a flag.
type Flag struct {
	Heading string   // the heading above it; "" for the default heading
	Names   []string // without dashes, starting with the long name
	Usage   string   // with the name of the value in backquotes, if it has one
	Default string   // "" for none
	Repeats bool     // whether it may be given several times
}

// Widths of the help of a command, in columns.
const (
	maxColumns = 100
	usageFrom  = 30 // where the text of a flag begins
)

// Text returns the help of a command, with its flags under their headings. Headings and flags keep
// the order of the command.
func (c Command) Text(name string, flags []Flag) string {
	var b strings.Builder
	fmt.Fprintf(&b, "NAME:\n   pota %s - %s\n\nUSAGE:\n%s\n", name, c.Purpose,
		filled("   pota "+name+" ", "      ", "[flags] "+c.Arguments))
	if c.Description != "" {
		b.WriteString("\nDESCRIPTION:\n")
		for line := range strings.Lines(c.Description + "\n") {
			b.WriteString(strings.TrimRight("   "+line, " \n") + "\n")
		}
	}

	// Keep the order of the command, which lists the most common flags first. The library would sort
	// headings and flags.
	var headings []string
	under := make(map[string]string)
	for _, f := range flags {
		heading := cmp.Or(f.Heading, "Options")
		if under[heading] == "" {
			headings = append(headings, heading)
		}
		under[heading] += f.text()
	}
	for _, heading := range headings {
		fmt.Fprintf(&b, "\n%s:\n%s", strings.ToUpper(heading), under[heading])
	}
	return b.String()
}

// text returns the lines of a flag.
func (f Flag) text() string {
	// The usage text has the name of the value in backquotes, as in "write to `FILE`".
	value := ""
	before, rest, quoted := strings.Cut(f.Usage, "`")
	usage := f.Usage
	if name, after, ok := strings.Cut(rest, "`"); quoted && ok {
		value = " " + name
		usage = before + name + after
	}
	var names []string
	for _, name := range f.Names {
		// A short name has one dash.
		names = append(names, "--"[:min(len(name), 2)]+name)
	}
	if f.Repeats && !strings.Contains(usage, "repeated") {
		usage += "; may be repeated"
	}
	if f.Default != "" {
		usage += " (default: " + f.Default + ")"
	}

	first := "   " + strings.Join(names, ", ") + value
	indent := strings.Repeat(" ", usageFrom)
	if utf8.RuneCountInString(first)+2 > usageFrom {
		// A long name is on its own line.
		return first + "\n" + filled(indent, indent, usage) + "\n"
	}
	return filled(first+indent[len(first):], indent, usage) + "\n"
}

// filled breaks a text into lines. The first line starts with beginning, and the others are
// indented.
func filled(beginning, indent, text string) string {
	var b strings.Builder
	b.WriteString(beginning)
	column := utf8.RuneCountInString(beginning)
	for i, word := range strings.Fields(text) {
		width := utf8.RuneCountInString(word)
		switch {
		// The first word stays on the first line, no matter how long it is.
		case i == 0:
		case column+1+width > maxColumns:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}
