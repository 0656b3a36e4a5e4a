// Package lazy compiles regular expressions at their first use, because a run of the program needs
// few of those that its packages declare.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns a regular expression, and compiles it in its first call.
// That function panics if text is not a regular expression.
func Regexp(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
