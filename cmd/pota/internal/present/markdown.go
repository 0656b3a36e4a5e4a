package present

import (
	_ "embed" // the template
	"fmt"
	"strings"
	"sync"
	"text/template"

	"github.com/pota-project/pota/graphs"
)

//go:embed digest.md
var markdownText string

// markdown is the template of documents for GitHub and similar sites. It puts names, formulas and
// accounts of failures in code, so that nothing in them is interpreted as markup.
var markdown = sync.OnceValue(func() *template.Template {
	known := template.FuncMap{"code": code, "fence": fence}
	return template.Must(template.New("digest").Funcs(known).Parse(markdownText))
})

// code returns Markdown that shows text literally, even in a table.
func code(text string) string {
	text = graphs.Printable(text)
	if text != "" && !strings.ContainsAny(text, "`|") {
		return "`" + text + "`"
	}
	var b strings.Builder
	// Character references are never markup.
	for _, r := range text {
		fmt.Fprintf(&b, "&#%d;", r)
	}
	return "<code>" + b.String() + "</code>"
}

// fence returns a code block of Markdown. Its fence is longer than any in the text, which could
// otherwise end the block.
func fence(text string) string {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark + "\n" + strings.TrimRight(text, "\n") + "\n" + mark
}
