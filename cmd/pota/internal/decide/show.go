package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/syntax"
)

// Showing has the patterns of --show: VARIABLE@PROCESS, VARIABLE for all processes, or
// PROCESS.VARIABLE. Each part may contain * and ?.
type Showing []string

// parseShowing reads patterns separated by commas. It returns nil for an empty text.
func parseShowing(text string) (Showing, error) {
	if text == "" {
		return nil, nil
	}
	var all Showing
	for _, p := range strings.Split(text, ",") {
		if p = strings.TrimSpace(p); p == "" {
			return nil, exit.Usagef("--show takes variables such as 'holder@lock,term@*', not %q", text)
		}
		all = append(all, p)
	}
	return all, nil
}

// shows returns a function that reports whether one of the patterns matches a variable. It returns
// nil if there are no patterns.
func (s Showing) shows(c *graphs.Computation) func(*graphs.Variable) bool {
	if s == nil {
		return nil
	}
	return func(v *graphs.Variable) bool {
		return slices.ContainsFunc(s, func(pattern string) bool { return matches(pattern, c, v) })
	}
}

// matches reports whether a pattern of --show matches a variable. It ignores quotes, since users
// copy names from formulas.
//
// Example: holder@lock matches holder of lock, term@* the term of every process, and lock.* all
// variables of lock. A shared variable has no process, so no pattern with @ matches it.
func matches(pattern string, c *graphs.Computation, v *graphs.Variable) bool {
	pattern = strings.ReplaceAll(pattern, `"`, "")
	names := []string{v.Name}
	if v.Process != graphs.Shared {
		owner := c.Processes()[v.Process]
		names = append(names, owner+"."+v.Name)
		if strings.Contains(pattern, "@") {
			names = []string{v.Name + "@" + owner}
		}
	}
	return slices.ContainsFunc(names, func(name string) bool { return trace.Match(pattern, name, true) })
}

// unmatched returns an error for a pattern that matches no variable.
func (s Showing) unmatched(e *format.Execution) error {
	for _, p := range s {
		// Collect the names that the user may have meant.
		found := false
		var names []string
		for _, v := range e.Computation.Variables() {
			found = found || matches(p, e.Computation, v)
			names = append(names, v.Name)
		}
		if !found {
			hint := syntax.DidYouMean(p, names)
			if hint != "" {
				hint = " (" + hint + ")"
			}
			return fmt.Errorf("%s: --show %s matches no variable%s", e.Name, p, hint)
		}
	}
	return nil
}
