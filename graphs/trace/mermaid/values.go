package mermaid

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/trace"
)

var (
	wordInitially = lazy.Regexp(`(?i)^initially\s+`)
	bare          = lazy.Regexp(`^[\pL_][\pL\d_.-]*`)
	number        = lazy.Regexp(`^[-+.\d][-+.\deE]*`)
	quoted        = lazy.Regexp(`^"[^"]*"`)
	separator     = lazy.Regexp(`(?i)^\s*(,|<br\s*/?>)\s*`)
	blanks        = lazy.Regexp(`^\s*`)

	// assigned is the name of a variable, without dots at its end, and one "=". Comparisons and
	// arrows in notes are text: == and => are no assignments.
	assigned = lazy.Regexp(`^([\p{L}_](?:[\p{L}\p{Nd}_.]*[\p{L}\p{Nd}_])?)[ \t]*(=)(?:[^=>]|$)`)
)

// assignments reads the text of a note at a byte offset: name = value, … if it starts with a
// name and "=", otherwise nothing.
func (p *parser) assignments(at int, text string) (initially bool, sets []Assignment, err error) {
	// at and text move together, so errors have their place.
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
		m := assigned().FindStringSubmatchIndex(text)
		if m == nil {
			return false, nil, p.fail(at, "expected name = value, not %s", quote(text))
		}
		set := Assignment{Variable: text[:m[3]], at: at}
		// Two values at once would leave the state open.
		twice := func(s Assignment) bool { return s.Variable == set.Variable }
		if slices.ContainsFunc(sets, twice) {
			return false, nil, p.fail(at, "%s is assigned twice", set.Variable)
		}
		skip(m[5])
		skip(len(blanks().FindString(text)))
		v, n := value(text)
		if n == 0 {
			return false, nil, p.fail(at, "expected a number, true, false, a word or a string in quotes, not %s", quote(text))
		}
		set.Value = v
		sets = append(sets, set)
		skip(n)
		comma := separator().FindString(text)
		if comma == "" {
			// A value without quotes ends at a blank, so a rest is most likely a forgotten quote.
			if skip(len(blanks().FindString(text))); text != "" {
				return false, nil, p.fail(at, "expected a comma after the value of %s, not %s (a string with blanks has quotes)", set.Variable, quote(text))
			}
			return initially, sets, nil
		}
		skip(len(comma))
	}
}

// value returns the value at the start of text, and its length, 0 for none.
func value(text string) (graphs.Value, int) {
	// Quoted first, then words, then numbers: a word cannot begin with a digit.
	if m := quoted().FindString(text); m != "" {
		return graphs.Str(decode(m[1 : len(m)-1])), len(m)
	}
	if m := bare().FindString(text); m != "" {
		return trace.ParseValue(m), len(m)
	}
	m := number().FindString(text)
	v, ok := trace.ParseNumber(m)
	if !ok {
		return graphs.Value{}, 0
	}
	return v, len(m)
}
