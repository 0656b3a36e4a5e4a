package mermaid

import (
	"html"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/trace"
)

// arrowIn finds an arrow: with two heads, with a full head or none, with a cross or a point, or a
// half arrow with its head on the right or left. One dash is a solid line, two dashes are a dotted
// one.
var arrowIn = lazy.Regexp(`<<--?>>|--?>>?|--?[xX)]|--?(?:\|[/\\]|//|\\\\)|(?:[/\\]\||//|\\\\)--?`)

// entity is an entity, which # starts if it does not start a comment.
var entity = lazy.Regexp(`^#\w+;`)

// statementEnd returns where the statement at text[from:to] ends, and where the next one starts.
func statementEnd(text string, from, to int) (end, next int) {
	for i := from; i < to; i++ {
		switch text[i] {
		case '\n', ';':
			return i, i + 1
		// # begins a comment, or an entity such as #35;, which belongs to the text.
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

// plain returns a text for people, on one line.
func plain(text string) string {
	text = strings.TrimSpace(text)
	for _, prefix := range []string{"wrap:", "nowrap:"} {
		// Mermaid's line-wrapping hints are not part of the text.
		text = strings.TrimSpace(strings.TrimPrefix(text, prefix))
	}
	return strings.Join(strings.Fields(decode(lineBreak().ReplaceAllString(text, " "))), " ")
}

var entities = lazy.Regexp(`#\w+;`)

// decode replaces entities; unknown ones stay unchanged.
func decode(text string) string {
	if !strings.Contains(text, "#") {
		return text
	}
	return entities().ReplaceAllStringFunc(text, func(e string) string {
		name := e[1:]
		// Mermaid writes #9829; for the HTML entity &#9829;, and #amp; for &amp;.
		if name[0] >= '0' && name[0] <= '9' {
			name = "#" + name
		}
		if s := html.UnescapeString("&" + name); s != "&"+name {
			return s
		}
		return e
	})
}

// quote quotes a text for errors.
func quote(text string) string { return trace.Quote(strings.TrimSpace(text)) }

var (
	wordInitially = lazy.Regexp(`(?i)^initially\s+`)
	literal       = lazy.Regexp(`^(?:"[^"]*"|[\pL_][\pL\d_.-]*|[-+.\d][-+.\deE]*)`)
	separator     = lazy.Regexp(`(?i)^\s*(,|<br\s*/?>)\s*`)
	blanks        = lazy.Regexp(`^\s*`)

	// assigned is the name of a variable, without trailing dots, and one "=". Comparisons and
	// arrows in notes are text: == and => do not assign.
	assigned = lazy.Regexp(`^([\p{L}_](?:[\p{L}\p{Nd}_.]*[\p{L}\p{Nd}_])?)[ \t]*(=)(?:[^=>]|$)`)
)

// assignments reads the text of a note at a byte offset: name = value, … if it starts with a name
// and "=", otherwise no assignments.
func (p *parser) assignments(at int, text string) (initially bool, sets []Assignment, err error) {
	// Advance at and text together, so that errors have the right place.
	skip := func(n int) { at, text = at+n, text[n:] }
	skip(len(blanks().FindString(text)))
	if m := wordInitially().FindString(text); m != "" && assigned().MatchString(text[len(m):]) {
		initially = true
		skip(len(m))
	}

	// A note without an assignment is for people.
	if !assigned().MatchString(text) {
		return false, nil, nil
	}
	for {
		name := assigned().FindStringSubmatchIndex(text)
		if name == nil {
			return false, nil, p.Errorf(at, "expected name = value, not %s", quote(text))
		}
		set := Assignment{Variable: text[:name[3]], at: at}
		// Two values at once would leave the state ambiguous.
		twice := func(s Assignment) bool { return s.Variable == set.Variable }
		if slices.ContainsFunc(sets, twice) {
			return false, nil, p.Errorf(at, "%s is assigned twice", set.Variable)
		}
		skip(name[5])
		skip(len(blanks().FindString(text)))
		m := literal().FindString(text)
		set.Value = trace.ParseValue(m)
		switch {
		case strings.HasPrefix(m, `"`):
			set.Value = graphs.Str(decode(m[1 : len(m)-1]))
		case m == "" || set.Value.Kind == graphs.String && strings.ContainsRune("-+.0123456789", rune(m[0])):
			return false, nil, p.Errorf(at, "expected a number, true, false, a word or a string in quotes, not %s", quote(text))
		}
		sets = append(sets, set)
		skip(len(m))
		comma := separator().FindString(text)
		if comma == "" {
			// An unquoted value ends at a blank, so text after it is most likely due to a missing
			// quote.
			if skip(len(blanks().FindString(text))); text != "" {
				return false, nil, p.Errorf(at, "expected a comma after the value of %s, not %s (a string with blanks has quotes)", set.Variable, quote(text))
			}
			return initially, sets, nil
		}
		skip(len(comma))
	}
}
