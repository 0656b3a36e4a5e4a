package syntax

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
)

// listAll lists names after words that fit their number, "" for no name.
func listAll(only, several string, names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return only + shown(names[0])
	}
	return several + listNames(Mapped(names, shown), "and")
}

// shown returns a name as messages show it.
func shown(name string) string { return clip(nameText(name)) }

// Mapped returns the results of a function for each element, nil for nil.
func Mapped[T, U any](from []T, of func(T) U) []U {
	if from == nil {
		return nil
	}
	to := make([]U, len(from))
	for i, x := range from {
		to[i] = of(x)
	}
	return to
}

// listMost bounds how many names a message lists.
const listMost = 5

// listNames joins names for a sentence: "P1, P2 and P3". Long lists are cut short.
func listNames(names []string, word string) string {
	switch n := len(names); {
	case n == 1:
		return names[0]
	case n > listMost+1:
		return strings.Join(names[:listMost], ", ") + " " + word + " " + strconv.Itoa(n-listMost) + " more"
	default:
		return strings.Join(names[:n-1], ", ") + " " + word + " " + names[n-1]
	}
}

// maxClipped bounds the characters of text that is quoted in a message.
const maxClipped = 40

// clip makes text that is quoted in a message short and printable.
func clip(text string) string {
	printable := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, text)
	return graphs.Shorten(printable, maxClipped)
}

// DidYouMean returns a question that names the candidates nearest to a name, "" where
// none is near or too many are equally near.
func DidYouMean(name string, candidates []string) string {
	best := Nearest(name, candidates)
	if len(best) == 0 {
		return ""
	}
	return "did you mean " + listNames(Mapped(best, shown), "or") + "?"
}

// Nearest returns the one or two candidates that are nearest to a name, nil where none is
// near or more are equally near.
func Nearest(name string, candidates []string) []string {
	var best []string
	length := utf8.RuneCountInString(name)
	distance := 1 + max(1, length/3)
	for _, c := range candidates {
		longer := utf8.RuneCountInString(c) - length
		d := distance + 1
		switch {
		case strings.EqualFold(c, name):
			d = 0
		// Any letter is as near as another.
		case length <= 1 && longer+length <= 1:
			d = distance
		case max(longer, -longer) <= distance:
			d = nearmiss.Distance(name, c)
		}
		switch {
		case d < distance:
			best, distance = []string{c}, d
		case d == distance && best != nil:
			best = append(best, c)
		}
	}

	if len(best) > 2 {
		return nil
	}
	return best
}
