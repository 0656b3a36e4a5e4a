package help

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fatih/color"

	"github.com/pota-project/pota/cmd/pota/guides"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl/syntax"
)

// Section returns a section of a guide. Words, which ignore case, are the beginning of its heading,
// words in the heading, or else words in the first line of its text.
func Section(guide string, words []string) (string, error) {
	wanted := strings.ToLower(strings.Join(words, " "))
	// The part before the first heading is not a section.
	parts := strings.Split(guides.Text(guide), "\n## ")[1:]
	// Prefer a heading that begins with the words to one that contains them, and that to a text.
	for _, fits := range []func(heading, lead string) bool{
		func(heading, _ string) bool { return strings.HasPrefix(heading, wanted) },
		func(heading, _ string) bool { return strings.Contains(heading, wanted) },
		func(_, lead string) bool { return strings.Contains(lead, " "+wanted) },
	} {
		for _, part := range parts {
			heading, text, _ := strings.Cut(strings.ToLower(part), "\n")
			lead, _, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
			if fits(heading, lead) {
				return "## " + strings.TrimRight(part, "\n") + "\n", nil
			}
		}
	}

	var headings []string
	for _, part := range parts {
		heading, _, _ := strings.Cut(part, "\n")
		headings = append(headings, heading)
	}
	// A misspelled word is closer to a word of a heading than to the whole heading.
	near := strings.Fields(strings.ToLower(strings.Join(headings, " ")))
	return "", exit.Usagef("the guide %s has no section %q; %s", guide, wanted, cmp.Or(
		syntax.DidYouMean(wanted, slices.Concat(headings, near)),
		"its sections are: "+strings.Join(headings, ", ")))
}

// Show prints Markdown. On a terminal, it renders the text and shows it with a pager.
func Show(c *console.Console, text string) error {
	if c.Terminal {
		text = rendered(c, text)
		if page(text) {
			return nil
		}
	}
	_, err := c.Out.WriteString(text)
	return err
}

// page shows a text with $PAGER, or with less if PAGER is not set. It reports whether it found a
// pager.
func page(text string) bool {
	words := strings.Fields(os.Getenv("PAGER"))
	if len(words) == 0 {
		words = []string{"less", "-R"}
	}
	pager := exec.Command(words[0], words[1:]...)
	// With these flags, less exits at once if the text fits on the screen, and leaves it there.
	pager.Env = append(os.Environ(), "LESS="+cmp.Or(os.Getenv("LESS"), "FRX"))
	pager.Stdout = os.Stdout
	pager.Stderr = os.Stderr
	to, err := pager.StdinPipe()
	// Most systems report a missing program here.
	if err != nil || pager.Start() != nil {
		return false
	}

	// Ctrl-C is for the pager, which must not lose its terminal. It would inherit an ignored signal,
	// so ignore it only now.
	signal.Ignore(os.Interrupt)
	plain := console.NewWriter(to)
	// A user may leave the pager early. It then stops reading, and its status has no meaning here.
	_, _ = plain.Write([]byte(text))
	_ = plain.Flush()
	_ = to.Close()
	_ = pager.Wait()
	return true
}

// item matches the beginning of a list item.
var item = lazy.Regexp(`^([*-]|\d+\.) `)

// rendered renders Markdown for a terminal: headings are bold, code is indented, tables are in
// columns, and paragraphs are filled.
func rendered(c *console.Console, text string) string {
	var b strings.Builder
	var paragraph, table []string
	code := false
	// Paragraphs and tables must be complete before they are laid out.
	flush := func() {
		if len(paragraph) > 0 {
			b.WriteString(inline(c, strings.Join(paragraph, " ")))
		}
		b.WriteString(columns(table))
		paragraph = nil
		table = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		fence := strings.HasPrefix(line, "```")
		switch {
		// Keep the lines of code, so that users can copy it.
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
		case item().MatchString(line):
			flush()
			paragraph = []string{line}
		default:
			paragraph = append(paragraph, strings.TrimSpace(line))
		}
	}
	flush()
	return b.String()
}

// inline fills a paragraph or a list item. With colours, code and bold words are painted instead of
// marked.
func inline(c *console.Console, text string) string {
	indent := strings.Repeat(" ", len(item().FindString(text)))
	text = filled("", indent, text) + "\n"
	if !c.Colours {
		return text
	}
	return marked().ReplaceAllStringFunc(text, func(mark string) string {
		if strings.HasPrefix(mark, "`") {
			return c.Paint(strings.Trim(mark, "`"), color.FgCyan)
		}
		return c.Paint(strings.Trim(mark, "*"), color.Bold)
	})
}

// marked matches code and bold words.
var marked = lazy.Regexp("`[^`]+`|\\*\\*[^*]+\\*\\*")

// columns lays out the rows of a table.
func columns(rows []string) string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		// Skip the separator below the heading.
		if !strings.HasPrefix(row, "|---") {
			fmt.Fprintf(table, "  %s\n", cells.Replace(strings.Trim(row, "| ")))
		}
	}
	_ = table.Flush() // writes to a strings.Builder never fail
	return b.String()
}

// cells separates the cells of a row by tabs, and removes Markdown marks. Bars in code are escaped.
var cells = strings.NewReplacer(" | ", "\t", `\|`, "|", "`", "", "**", "")
