package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// manPage returns a man page (groff, section 1) with the text of --help: of the program,
// then of each command, then the guides.
func manPage(app *cli.App) string {
	var b strings.Builder
	// A line that begins with a point or a quote is a request; \& before it prevents that.
	escape := strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")
	text := func(s string) string {
		s = escape.Replace(strings.TrimSpace(s))
		if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
			s = `\&` + s
		}
		return s
	}
	verbatim := func(s string) { fmt.Fprintf(&b, ".nf\n%s\n.fi\n", text(s)) }
	flags := func(all []cli.Flag) {
		for _, f := range all {
			d, ok := f.(cli.DocGenerationFlag)
			if !ok {
				continue
			}
			usage := d.GetUsage()
			value := ""
			if _, after, ok := strings.Cut(usage, "`"); ok {
				value, _, _ = strings.Cut(after, "`")
			}
			head := strings.Join(dashed(f), ", ")
			if d.TakesValue() {
				head += " " + value
			}
			if d.GetDefaultText() != "" && d.TakesValue() {
				usage += " (default: " + d.GetDefaultText() + ")"
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", text(head), text(strings.ReplaceAll(usage, "`", "")))
		}
	}
	fmt.Fprintf(&b, ".TH POTA 1\n.SH NAME\npota \\- %s\n.SH SYNOPSIS\n", text(app.Usage))
	verbatim(app.UsageText)
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n.SH COMMANDS\n", text(app.Description))
	for _, c := range app.VisibleCommands() {
		fmt.Fprintf(&b, ".SS pota %s\n%s.\n", text(c.Name+" [flags] "+c.ArgsUsage), text(c.Usage))
		if c.Description != "" {
			b.WriteString(".PP\n")
			verbatim(c.Description)
		}
		flags(c.VisibleFlags())
	}
	b.WriteString(".SH EXIT STATUS\n.TP\n0\nEvery formula holds on every trace.\n.TP\n1\nSome formula fails.\n.TP\n2\nBad usage or bad input.\n.TP\n3\nUndecided.\n")
	b.WriteString(".SH GUIDES\n")
	for _, name := range guides {
		fmt.Fprintf(&b, ".TP\n.B pota help %s\n%s\n", text(name), text(aboutGuide(name)))
	}
	return b.String()
}
