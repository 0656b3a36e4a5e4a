// Package help writes the help of the program: the texts of its commands and flags, and its
// guides.
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

// A Flag is what the help says of a flag.
type Flag struct {
	Heading string   // it stands under, "" for the usual one
	Names   []string // without dashes, the long one first
	Usage   string   // with the name of the value in backquotes, if it has one
	Default string   // "" for none
	Repeats bool     // may be given several times
}

// Widths of the help of a command, in columns.
const (
	maxColumns = 100
	usageFrom  = 30 // where the text of a flag begins
)

// Text returns the help of a command with its flags under their headings. Headings and flags are in
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

	// The library would sort headings and flags; here they come as the command lists them, the most
	// usual first.
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
	// The usage has the name of the value in backquotes: "write to `FILE`".
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
		// A long name has a line of its own.
		return first + "\n" + filled(indent, indent, usage) + "\n"
	}
	return filled(first+indent[len(first):], indent, usage) + "\n"
}

// filled breaks a text into lines: the first one goes on from a beginning, the others are indented.
func filled(beginning, indent, text string) string {
	var b strings.Builder
	b.WriteString(beginning)
	column := utf8.RuneCountInString(beginning)
	for i, word := range strings.Fields(text) {
		width := utf8.RuneCountInString(word)
		switch {
		// The first word has its place, however long it is.
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
