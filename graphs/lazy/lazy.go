// Package lazy makes regular expressions at their first use: a run of the program needs few of
// those that its packages have.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns a regular expression, which is made once. It panics
// where the text is none.
func Regexp(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
