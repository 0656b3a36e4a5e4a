package mermaid

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
)

// keyword starts a sequence diagram.
const keyword = "sequenceDiagram"

// others are the keywords of diagrams that are not traces. Those in everyday are also everyday
// words, so they do not prove that a text is Mermaid.
var (
	others = strings.Fields(`flowchart classDiagram stateDiagram erDiagram gantt gitGraph mindmap
		quadrantChart requirementDiagram C4Context C4Container C4Component C4Dynamic C4Deployment
		xychart kanban zenuml treemap`)
	everyday = strings.Fields(`graph pie journey timeline requirement sankey block packet
		architecture radar info`)
)

// document is the text of a file.
type document struct {
	name string
	text string
}

// Errorf returns an error at a byte offset.
func (d *document) Errorf(at int, format string, args ...any) *trace.Error {
	return trace.ErrorAt(d.name, d.text, at, format, args...)
}

// A span is the text of a diagram, text[from:to], after its keyword at offset at.
type span struct{ at, from, to int }

// find returns the sequence diagrams of a file.
func (d *document) find() ([]span, error) {
	// A file that starts with the keyword is one diagram; any other file is treated as Markdown.
	at := preamble(d.text, 0, len(d.text))
	word := firstWord(d.text[at:])
	if strings.EqualFold(word, keyword) {
		return []span{{at, at + len(word), len(d.text)}}, nil
	}
	var spans []span
	var skipped *trace.Error
	for _, f := range fences(d.text) {
		// MyST puts options before the diagram.
		f.from += len(options().FindString(d.text[f.from:f.to]))
		at := preamble(d.text, f.from, f.to)
		word := firstWord(d.text[at:f.to])
		switch {
		case strings.EqualFold(word, keyword):
			spans = append(spans, span{at, at + len(word), f.to})
		// A misspelled keyword is an error even among other diagrams, because its diagram would
		// silently be omitted.
		case nearmiss.Find(word, []string{keyword}) != "":
			return nil, d.other(at, word)
		// Other kinds of diagrams in a document are skipped, unless there is no sequence diagram at
		// all.
		case skipped == nil:
			skipped = d.other(at, word)
		}
	}
	switch {
	case len(spans) > 0:
		return spans, nil
	case skipped != nil:
		return nil, skipped
	}
	return nil, d.other(at, word)
}

// other returns the error that there is no sequence diagram.
func (d *document) other(at int, word string) *trace.Error {
	// Known kinds come first: a hint on a correctly spelled keyword would mislead.
	for _, other := range slices.Concat(others, everyday) {
		if strings.EqualFold(other, kindOf(word)) {
			return d.Errorf(at, "%s: only sequence diagrams are traces (they start with %s)", word, keyword)
		}
	}
	if at >= len(d.text) {
		return d.Errorf(at, "no diagram: expected %s", keyword)
	}
	if hint := nearmiss.Hint(word, []string{keyword}); hint != "" {
		return d.Errorf(at, "unknown diagram %q%s", word, hint)
	}
	return d.Errorf(at, "expected %s or Markdown with a fenced block of mermaid that starts with it", keyword)
}

// kindOf removes the version suffix: stateDiagram-v2 is stateDiagram.
func kindOf(word string) string {
	kind, _, _ := strings.Cut(word, "-")
	return kind
}

// Detect reports whether a file starts like a Mermaid diagram, or contains a mermaid block. It also
// accepts other kinds of diagrams, so that they get the error of this format.
func Detect(head []byte) bool {
	// Text contains no zero bytes, and regular expressions over binary files are slow.
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	text := string(head)
	word := firstWord(text[preamble(text, 0, len(text)):])
	return strings.EqualFold(word, keyword) || slices.Contains(others, kindOf(word)) || len(fences(text)) > 0
}

var word = lazy.Regexp(`^[A-Za-z0-9-]*`)

// firstWord returns the leading letters, digits and hyphens of text.
func firstWord(text string) string { return word().FindString(text) }

// preamble returns where text[from:to] begins after a byte order mark, blank lines, front matter,
// comments and directives.
func preamble(text string, from, to int) int {
	at, directives := from, from+strings.LastIndex(text[from:to], directiveEnd)
	if strings.HasPrefix(text[at:to], "\ufeff") {
		at += len("\ufeff")
	}
	at = skipSpace(text, at, to)
	at += len(frontMatter().FindString(text[at:to]))
	return skipComments(text, at, to, directives)
}

// frontMatter is YAML between two lines of three dashes. Without the second line, the dashes are
// text.
var frontMatter = lazy.Regexp(`^---[^\S\n]*\n(?:.*\n)*?[^\S\n]*---[^\S\n]*(?:\n|$)`)

func skipSpace(text string, at, to int) int {
	return to - len(strings.TrimLeft(text[at:to], " \t\r\n\f\v\u00a0"))
}

const directiveEnd = "}%%"

// skipComments skips blanks, comments and directives. The last directive ends at offset directives.
// A directive without an end mark extends to the end of its line.
func skipComments(text string, at, to, directives int) int {
	for {
		at = skipSpace(text, at, to)
		if !strings.HasPrefix(text[at:to], "%%") {
			return at
		}
		// A directive ends at the first end mark after it; at < directives shows that one exists,
		// without searching for it each time.
		if strings.HasPrefix(text[at:to], "%%{") && at < directives {
			at += strings.Index(text[at:to], directiveEnd) + len(directiveEnd)
			continue
		}
		end := strings.IndexByte(text[at:to], '\n')
		if end < 0 {
			return to
		}
		at += end + 1
	}
}

// options are the options that may begin a Markdown block in the MyST dialect.
var options = lazy.Regexp(`^([ \t]*:[\w-]+:.*\n)+`)

var fence = lazy.Regexp("^(`{3,}|~{3,}|:{3,})")

// fences returns the contents of the fenced Markdown code blocks in the language mermaid or, as in
// Mermaid's own documentation, mermaid-example. Fences are backquotes, tildes, or colons
// (:::mermaid); blocks of colons that are not mermaid are text. A block without an end extends to
// the end of the text.
func fences(text string) []span {
	var all []span
	marker := ""
	mermaid := false
	from := 0
	at := 0
	for line := range strings.Lines(text) {
		body := strings.TrimLeft(line, " \t")
		// A run of at least three equal characters opens a block, and a run of the same character
		// that is at least as long closes it.
		run := fence().FindString(body)
		rest := strings.TrimSpace(body[len(run):])
		switch {
		case run == "":
		case marker == "" && !(run[0] == '`' && strings.Contains(rest, "`")):
			language, _, _ := strings.Cut(rest, " ")
			language = strings.ToLower(strings.Trim(language, "{}"))
			mermaid = language == "mermaid" || language == "mermaid-example"
			if run[0] != ':' || mermaid {
				marker, from = run, at+len(line)
			}
		case marker != "" && run[0] == marker[0] && len(run) >= len(marker) && rest == "":
			if mermaid {
				all = append(all, span{from, from, at})
			}
			marker = ""
		}
		at += len(line)
	}
	if marker != "" && mermaid {
		all = append(all, span{from, from, len(text)})
	}
	return all
}
