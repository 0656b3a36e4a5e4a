package help

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

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
		heading := f.Heading
		if heading == "" {
			heading = "Options"
		}
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
