// Package nearmiss finds the known word nearest to a misspelt one.
package nearmiss

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Find returns the word of words nearest to got, or "" if none is near. A word is near at a
// distance of at most max(1, a third of its length). Case is ignored.
//
// The time complexity of Find is O(len(got)·total length of words).
func Find(got string, words []string) string {
	const longest = 64
	best, at := "", longest
	got = strings.ToLower(got)
	if utf8.RuneCountInString(got) > longest {
		return ""
	}
	for _, w := range words {
		d := Distance(got, strings.ToLower(w))
		if d < at && d <= max(1, len(w)/3) {
			best, at = w, d
		}
	}
	return best
}

// Hint returns the end of a message about an unknown word: " (did you mean …?)", or "" if no word
// is near.
func Hint(got string, words []string) string {
	if near := Find(got, words); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// HintOrList returns Hint, or " (known are …)" with all words if none is near.
func HintOrList(got string, words []string) string {
	if hint := Hint(got, words); hint != "" {
		return hint
	}
	return " (known are " + strings.Join(words, ", ") + ")"
}

// Distance returns the least number of insertions, deletions, replacements of a rune and swaps of
// neighbours that turn one word into the other.
//
// The time complexity of Distance is O(len(from)·len(to)).
func Distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	before := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		spare := before
		before, last = last, row
		row = spare
	}
	return last[len(b)]
}
