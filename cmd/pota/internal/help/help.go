// Package help has what the program says of itself: the texts of its commands, the list of its
// guides, and what is wrong with a flag.
package help

import (
	"cmp"
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/pota-project/pota/cmd/pota/guides"
	"github.com/pota-project/pota/cmd/pota/internal/command"
	"github.com/pota-project/pota/rctl/syntax"
)

// texts has a file for each command: a line with its purpose, a line with its arguments, and
// after a blank line examples. They are files, because they are prose: nobody should have to read
// them as literals of Go.
//
//go:embed commands/*.txt
var texts embed.FS

// Of returns a command with the texts of its name.
func Of(name string) *command.Command {
	content, err := texts.ReadFile("commands/" + name + ".txt")
	if err != nil {
		panic("this cannot happen, because each command has a text: " + err.Error())
	}
	purpose, rest, _ := strings.Cut(string(content), "\n")
	arguments, description, _ := strings.Cut(rest, "\n")
	return &command.Command{
		Name:        name,
		Purpose:     purpose,
		Arguments:   arguments,
		Description: strings.Trim(description, "\n"),
	}
}

// flagTexts has a paragraph for each flag: its name, after that of a command where it is for that one
// alone, a colon, and what it does, with the name of its value in backquotes.
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
// alphabet would mix what is used each day with what is used once.
var Groups = []struct {
	Heading  string
	Commands []string
}{
	{"Decide", []string{"detect", "watch", "check", "verify", "merge", "cross-check"}},
	{"Get traces", []string{"init", "map", "formats", "convert", "simulate", "demo"}},
	{"Look at traces and formulas", []string{"stats", "lint", "classify", "draw", "serve", "slice", "translate"}},
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

// badValue matches the error of package flag about a number or a duration.
var badValue = regexp.MustCompile(`^invalid value (".*") for flag -(\S+): parse error$`)

// FlagMistake explains an error of package flag about some flags, with the remedy.
func FlagMistake(err error, flags []*command.Flag) string {
	// The library names neither the flag as it was written nor what it takes.
	if m := badValue.FindStringSubmatch(err.Error()); m != nil {
		kind := "a whole number"
		if _, period := command.FindFlag(flags, m[2]).Default.(time.Duration); period {
			kind = "a duration with its unit, such as 5ms or 1.5s"
		}
		return fmt.Sprintf("--%s must be %s, not %s", m[2], kind, m[1])
	}
	// The text of the library is the only sign of an unknown flag: it has no type for it.
	flag, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !ok {
		return err.Error()
	}
	// No flag has these characters, but formulas have.
	if strings.ContainsAny(flag, "@( ") {
		return strings.TrimSpace(flag) +
			" is no flag; a formula that begins with - stands in parentheses, or after --"
	}
	msg := "there is no flag " + flag
	// A slip of the keyboard is the most common reason.
	if meant := nearest(flags, strings.TrimLeft(flag, "-")); meant != "" {
		msg += "; did you mean " + command.Dashed(meant) + "?"
	}
	return msg
}

// nearest returns the name that a wrong one may mean, "" for none: a long name that begins with it,
// or else a similar one.
func nearest(flags []*command.Flag, wrong string) string {
	var names []string
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		if strings.HasPrefix(f.Names[0], wrong) {
			return f.Names[0]
		}
		names = append(names, f.Names...)
	}
	return append(syntax.Nearest(wrong, names), "")[0]
}
