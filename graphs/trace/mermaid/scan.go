package mermaid

import (
	"html"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/trace"
)

// arrowIn finds an arrow: those with two heads, the whole ones, those that end in a cross or a
// point, and half ones with the head at the right or at the left. One dash is a full line, two are a
// dotted one.
var arrowIn = lazy.Regexp(`<<--?>>|--?>>?|--?[xX)]|--?(?:\|[/\\]|//|\\\\)|(?:[/\\]\||//|\\\\)--?`)

// sends returns what an arrow says.
func sends(text string) Arrow {
	switch {
	case text[0] == '<':
		return Both
	case text[0] != '-':
		return back
	case strings.ContainsAny(text, "xX"):
		return Lost
	}
	return Forth
}

// entity is what # starts other than a comment.
var entity = lazy.Regexp(`^#\w+;`)

// statementEnd returns where the statement at text[from:to] ends, and where the next one
// starts.
func statementEnd(text string, from, to int) (end, next int) {
	for i := from; i < to; i++ {
		switch text[i] {
		case '\n', ';':
			return i, i + 1
		// # begins a comment, or an entity such as #35; that belongs to the text.
		case '#':
			if n := len(entity().FindString(text[i:to])); n > 0 {
				i += n - 1
				continue
			}
			next := strings.IndexByte(text[i:to], '\n')
			if next < 0 {
				return i, to
			}
			return i, i + next + 1
		}
	}

	return to, to
}

var lineBreak = lazy.Regexp(`(?i)\s*<br\s*/?>\s*`)

// plain returns a text for people on one line.
func plain(text string) string {
	text = strings.TrimSpace(text)
	for _, prefix := range []string{"wrap:", "nowrap:"} {
		// Mermaid's hints at line breaks are no text.
		text = strings.TrimSpace(strings.TrimPrefix(text, prefix))
	}
	return strings.Join(strings.Fields(decode(lineBreak().ReplaceAllString(text, " "))), " ")
}

var entities = lazy.Regexp(`#\w+;`)

// decode replaces entities; unknown ones stay.
func decode(text string) string {
	if !strings.Contains(text, "#") {
		return text
	}
	return entities().ReplaceAllStringFunc(text, func(e string) string {
		name := e[1:]
		// Mermaid writes #9829; for what HTML writes as &#9829;, and #amp; for &amp;.
		if name[0] >= '0' && name[0] <= '9' {
			name = "#" + name
		}
		if s := html.UnescapeString("&" + name); s != "&"+name {
			return s
		}
		return e
	})
}

// quote returns what an error shows of a text.
func quote(text string) string { return trace.Quote(strings.TrimSpace(text)) }
