package help

import (
	"cmp"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/pota-project/pota/cmd/pota/guides"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/rctl/syntax"
)

// Section returns the section of a guide that begins with its heading. Words are the heading, its
// beginning, or words in it, in any case.
func Section(guide string, words []string) (string, error) {
	wanted := strings.ToLower(strings.Join(words, " "))
	var sections, headings []string
	for part := range strings.SplitSeq(guides.Text(guide), "\n## ") {
		heading, _, _ := strings.Cut(part, "\n")
		sections = append(sections, "## "+strings.TrimRight(part, "\n")+"\n")
		headings = append(headings, heading)
	}
	// What precedes the first heading is no section.
	sections, headings = sections[1:], headings[1:]

	for _, fits := range []func(heading, wanted string) bool{strings.HasPrefix, strings.Contains} {
		if i := slices.IndexFunc(headings, func(h string) bool { return fits(strings.ToLower(h), wanted) }); i >= 0 {
			return sections[i], nil
		}
	}
	near := strings.Fields(strings.ToLower(strings.Join(headings, " ")))
	return "", exit.Usagef("the guide %s has no section %q; %s", guide, wanted, cmp.Or(
		syntax.DidYouMean(wanted, slices.Concat(headings, near)),
		"its sections are: "+strings.Join(headings, ", ")))
}

// Show prints Markdown: as it is, or on a terminal as a person reads it, with a pager.
func Show(c *console.Console, text string) error {
	if !c.Terminal {
		_, err := c.Out.WriteString(text)
		return err
	}
	if shown, err := page(rendered(c, text)); shown {
		return err
	}
	_, err := c.Out.WriteString(rendered(c, text))
	return err
}

// page shows a text with $PAGER, or less where that is not set. It reports whether there was one.
func page(text string) (bool, error) {
	words := strings.Fields(cmp.Or(os.Getenv("PAGER"), "less -R"))
	path, err := exec.LookPath(words[0])
	if err != nil {
		return false, nil
	}
	pager := exec.Command(path, words[1:]...)
	// A text that fits on the screen needs no pager: less ends then, and leaves it there.
	pager.Env = append(os.Environ(), "LESS="+cmp.Or(os.Getenv("LESS"), "FRX"))
	pager.Stdout = os.Stdout
	pager.Stderr = os.Stderr
	to, err := pager.StdinPipe()
	if err != nil {
		return false, nil
	}
	if err := pager.Start(); err != nil {
		return false, nil
	}
	// Ctrl-C is for the pager, which must not lose its terminal.
	signal.Ignore(os.Interrupt)
	plain := console.NewWriter(to)
	// A pager that is left early reads no more.
	_, _ = plain.Write([]byte(text))
	_ = plain.Flush()
	_ = to.Close()
	return true, pager.Wait()
}

// item matches the beginning of an item of a list.
var item = regexp.MustCompile(`^([*-]|\d+\.) `)

// rendered lays out Markdown for a terminal: headings are bold, code is indented, tables are in
// columns, and paragraphs are filled.
func rendered(c *console.Console, text string) string {
	var b strings.Builder
	var paragraph, table []string
	code := false
	flush := func() {
		if len(paragraph) > 0 {
			b.WriteString(inline(c, strings.Join(paragraph, " ")))
		}
		b.WriteString(columns(c, table))
		paragraph, table = nil, nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence:
			flush()
			code = !code
		case code:
			b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
		case strings.HasPrefix(line, "#"):
			flush()
			b.WriteString(c.Paint(strings.TrimLeft(line, "# "), color.Bold) + "\n")
		case strings.HasPrefix(line, "|"):
			table = append(table, line)
		case line == "":
			flush()
			b.WriteString("\n")
		case item.MatchString(line):
			flush()
			paragraph = []string{line}
		default:
			paragraph = append(paragraph, strings.TrimSpace(line))
		}
	}
	flush()
	return b.String()
}

// inline fills a paragraph or an item of a list. Where they are painted, code and what is bold lose
// their marks.
func inline(c *console.Console, text string) string {
	indent := strings.Repeat(" ", len(item.FindString(text)))
	isCode, isBold := false, false
	return painted("", indent, text, func(word string) (string, int) {
		if !c.Colours {
			return word, utf8.RuneCountInString(word)
		}
		shown, width := "", 0
		for i, piece := range strings.Split(word, "`") {
			isCode = isCode != (i > 0)
			for j, part := range strings.Split(piece, "**") {
				isBold = isBold != (j > 0 && !isCode)
				width += utf8.RuneCountInString(part)
				switch {
				case part == "":
				case isCode:
					shown += c.Paint(part, color.FgCyan)
				case isBold:
					shown += c.Paint(part, color.Bold)
				default:
					shown += part
				}
			}
		}
		return shown, width
	}) + "\n"
}

// columns lays out the rows of a table. The last column is filled.
func columns(c *console.Console, rows []string) string {
	var cells [][]string
	var widths []int
	for _, row := range rows {
		if strings.HasPrefix(row, "|---") {
			continue
		}
		var parts []string
		for i, part := range strings.Split(strings.Trim(row, "| "), " | ") {
			part = plainCell.Replace(strings.TrimSpace(part))
			parts = append(parts, part)
			widths = append(widths, 0)
			widths[i] = max(widths[i], utf8.RuneCountInString(part))
		}
		cells = append(cells, parts)
	}

	var b strings.Builder
	for r, parts := range cells {
		last := len(parts) - 1
		line := "  "
		for i, part := range parts[:last] {
			line += part + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(part)+2)
		}
		indent := strings.Repeat(" ", utf8.RuneCountInString(line))
		if len(indent) > maxColumns*2/3 {
			// What is left of the line would be too narrow.
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			indent = "        "
			line = indent
		}
		line = filled(line, indent, parts[last])
		if r == 0 {
			line = c.Paint(line, color.Bold)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// plainCell takes the marks from a cell, and the escapes of bars in code.
var plainCell = strings.NewReplacer("`", "", "**", "", `\|`, "|")
