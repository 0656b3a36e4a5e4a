package help

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pota-project/pota/cmd/pota/internal/command"
)

// Widths of the help of a command, in columns.
const (
	maxColumns = 100
	usageFrom  = 30 // where the text of a flag begins
)

// Text returns the help of a command with its flags, which stand under their headings in the order
// in which they come.
func Text(c *command.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "NAME:\n   pota %s - %s\n\nUSAGE:\n%s\n", c.Name, c.Purpose,
		filled("   pota "+c.Name+" ", "      ", "[flags] "+c.Arguments))
	if c.Description != "" {
		b.WriteString("\nDESCRIPTION:\n")
		for line := range strings.Lines(c.Description + "\n") {
			b.WriteString(strings.TrimRight("   "+line, " \n") + "\n")
		}
	}

	// Headings and flags come as the command lists them, the most usual first.
	var headings []string
	under := make(map[string]string)
	for _, f := range c.Flags {
		if f.Hidden {
			continue
		}
		heading := cmp.Or(f.Heading, "Options")
		if under[heading] == "" {
			headings = append(headings, heading)
		}
		under[heading] += flagText(f)
	}
	for _, heading := range headings {
		fmt.Fprintf(&b, "\n%s:\n%s", strings.ToUpper(heading), under[heading])
	}
	return b.String()
}

// usage returns what a flag does, with its value in words that are marked, and the name of the
// value, which stands in backquotes in the text of a flag.
func usage(f *command.Flag, mark func(string) string) (text, value string) {
	text = f.Usage
	before, rest, _ := strings.Cut(text, "`")
	// The usage has the name of the value, so that it can speak of it.
	if name, after, ok := strings.Cut(rest, "`"); ok {
		value = name
		text = before + mark(name) + after
	}
	if f.Repeats() && !strings.Contains(text, "repeated") {
		text += "; may be repeated"
	}
	// A flag without a value is off by default, and a default of zero is in the usage in words.
	fallback := fmt.Sprint(f.Default)
	if f.TakesValue() && !f.Repeats() && !slices.Contains([]string{"", "0", "0s"}, fallback) {
		text += " (default: " + fallback + ")"
	}
	return text, value
}

// flagText returns the lines of a flag.
func flagText(f *command.Flag) string {
	usage, value := usage(f, func(name string) string { return name })
	if value != "" {
		value = " " + value
	}
	first := "   " + strings.Join(f.Dashed(), ", ") + value
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
