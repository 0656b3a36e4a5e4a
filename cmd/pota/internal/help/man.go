package help

import (
	"fmt"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/command"
)

// roff escapes text for a man page: a backslash begins an escape, and a point or an apostrophe at
// the beginning of a line a request. The first character of a line is one that has no width.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)
}

// Man returns all that the help says of a program and its commands as a man page of section 1,
// that of commands, in the macros of man(7).
func Man(program *command.Command, commands []*command.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".nh\n.TH %s 1\n\n.SH NAME\n%[1]s \\- %[2]s\n\n", program.Name, program.Purpose)
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s %s\n\n.SH DESCRIPTION\n%s\n\n.SH GLOBAL OPTIONS\n",
		program.Name, program.Arguments, roff(program.Description))
	manFlags(&b, append([]*command.Flag{command.Help}, program.Flags...))
	b.WriteString(".SH COMMANDS\n")
	for _, c := range commands {
		names := append([]string{c.Name}, c.Aliases...)
		fmt.Fprintf(&b, ".SH %s\n%s\n.PP\n\\fBpota %s\\fP [flags] %s\n", strings.Join(names, ", "),
			roff(c.Purpose), roff(c.Name), roff(c.Arguments))
		// Examples are lines that must not be filled.
		if c.Description != "" {
			fmt.Fprintf(&b, ".PP\n.EX\n%s\n.EE\n", roff(c.Description))
		}
		manFlags(&b, c.Flags)
	}
	return b.String()
}

// manFlags writes flags in paragraphs, with the names of their values bold.
func manFlags(b *strings.Builder, flags []*command.Flag) {
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		sign := ""
		if f.TakesValue() {
			sign = `=""`
		}
		escaped := *f
		escaped.Usage = roff(f.Usage)
		text, _ := usage(&escaped, func(name string) string { return `\fB` + name + `\fR` })
		// Names are not escaped: a dash stays one that can be copied.
		fmt.Fprintf(b, ".PP\n\\fB%s\\fP%s: %s\n", strings.Join(f.Dashed(), ", "), sign, text)
	}
}
