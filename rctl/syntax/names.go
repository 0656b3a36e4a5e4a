package syntax

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// listAll lists names after words that fit their number, "" for no name.
func listAll(only, several string, names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return only + shown(names[0])
	}
	return several + listNames(mapped(names, shown), "and")
}

// shown returns a name as messages show it.
func shown(name string) string { return clip(nameText(name)) }

// mapped returns the results of a function for each element.
func mapped[T, U any](from []T, of func(T) U) []U {
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
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > maxClipped {
			return b.String() + "…"
		}
		if !unicode.IsPrint(r) {
			r = '·'
		}
		b.WriteRune(r)
	}

	return b.String()
}

// DidYouMean returns a question that names the candidates nearest to a name, "" where
// none is near or too many are equally near.
func DidYouMean(name string, candidates []string) string {
	best := Nearest(name, candidates)
	if len(best) == 0 {
		return ""
	}
	return "did you mean " + listNames(mapped(best, shown), "or") + "?"
}

// Nearest returns the one or two candidates that are nearest to a name, nil where none is
// near or more are equally near.
func Nearest(name string, candidates []string) []string {
	var best []string
	distance := 1 + max(1, utf8.RuneCountInString(name)/3)
	for _, c := range candidates {
		d := distance
		if strings.EqualFold(c, name) {
			d = 0
		} else if utf8.RuneCountInString(name) > 1 || utf8.RuneCountInString(c) > 1 {
			d = editDistance(name, c, distance+1)
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

// editDistance returns how many characters have to be inserted, removed,
// replaced or swapped with their neighbour to make b of a; or some number that
// is at least limit if it is.
func editDistance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if len(s)-len(t) >= limit || len(t)-len(s) >= limit {
		return limit
	}
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}

	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}

	return rows[len(s)][len(t)]
}
