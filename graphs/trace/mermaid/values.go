package mermaid

import (
	"regexp"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

var (
	wordInitially = regexp.MustCompile(`(?i)^initially\s+`)
	bare          = regexp.MustCompile(`^[\pL_][\pL\d_.-]*`)
	number        = regexp.MustCompile(`^[-+.\d][-+.\deE]*`)
	quoted        = regexp.MustCompile(`^"[^"]*"`)
	separator     = regexp.MustCompile(`(?i)^\s*(,|<br\s*/?>)\s*`)
	equals        = regexp.MustCompile(`^\s*=`)
	blanks        = regexp.MustCompile(`^\s*`)
)

// assignments reads the text of a note at a byte offset: name = value, … if it starts with a
// name and "=", otherwise nothing.
func (p *parser) assignments(at int, text string) (initially bool, sets []assignment, err error) {
	// at and text move together, so errors have their place.
	skip := func(n int) { at, text = at+n, text[n:] }
	skip(len(blanks.FindString(text)))
	if m := wordInitially.FindString(text); m != "" && isAssignment(text[len(m):]) {
		initially = true
		skip(len(m))
	}

	// A note without an assignment is for people.
	if !isAssignment(text) {
		return false, nil, nil
	}
	for {
		n := nameLen(text)
		if n == 0 || !isAssignment(text) {
			return false, nil, p.fail(at, "expected name = value, not %s", quote(text))
		}
		set := assignment{variable: text[:n], at: at}
		// Two values at once would leave the state open.
		for _, s := range sets {
			if s.variable == set.variable {
				return false, nil, p.fail(at, "%s is assigned twice", set.variable)
			}
		}
		skip(n)
		skip(len(equals.FindString(text)))
		skip(len(blanks.FindString(text)))
		v, n := value(text)
		if n == 0 {
			return false, nil, p.fail(at, "expected a number, true, false, a word or a string in quotes, not %s", quote(text))
		}
		set.value = v
		sets = append(sets, set)
		skip(n)
		m := separator.FindString(text)
		if m == "" {
			// A value without quotes ends at a blank, so a rest is most likely a forgotten quote.
			if skip(len(blanks.FindString(text))); text != "" {
				return false, nil, p.fail(at, "expected a comma after the value of %s, not %s (a string with blanks has quotes)", set.variable, quote(text))
			}
			return initially, sets, nil
		}
		skip(len(m))
	}
}

// isAssignment reports whether text starts with a name and one "=".
func isAssignment(text string) bool {
	// Comparisons and arrows in notes are text: == and => are no assignments.
	n := nameLen(text)
	rest := strings.TrimLeft(text[n:], " \t")
	return n > 0 && strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") && !strings.HasPrefix(rest, "=>")
}

// value returns the value at the start of text, and its length, 0 for none.
func value(text string) (graphs.Value, int) {
	// Quoted first, then words, then numbers: a word cannot begin with a digit.
	if m := quoted.FindString(text); m != "" {
		return graphs.Str(decode(m[1 : len(m)-1])), len(m)
	}
	if m := bare.FindString(text); m != "" {
		return trace.ParseValue(m), len(m)
	}
	m := number.FindString(text)
	v, ok := trace.ParseNumber(m)
	if !ok {
		return graphs.Value{}, 0
	}
	return v, len(m)
}
