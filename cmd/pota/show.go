package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/syntax"
)

// showing are the patterns of --show: VARIABLE@PROCESS, VARIABLE for that of all
// processes, or PROCESS.VARIABLE, with * and ? in each.
type showing []string

func showingOf(text string) (showing, error) {
	if text == "" {
		return nil, nil
	}
	var all showing
	for _, p := range strings.Split(text, ",") {
		p = strings.TrimSpace(p)
		if _, err := path.Match(p, ""); p == "" || err != nil {
			return nil, usagef("--show takes variables such as 'holder@lock,term@*', not %q", text)
		}
		all = append(all, p)
	}
	return all, nil
}

// shows reports whether one of the patterns matches a variable.
func (s showing) shows(c *graphs.Computation, v *graphs.Variable) bool {
	for _, p := range s {
		if matches(p, c, v) {
			return true
		}
	}
	return false
}

func matches(pattern string, c *graphs.Computation, v *graphs.Variable) bool {
	glob := func(pattern, name string) bool {
		// Other than in path.Match, * stands for any text.
		ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
		return ok
	}
	name, process, at := strings.Cut(strings.ReplaceAll(pattern, `"`, ""), "@")
	owner := ""
	if v.Process != graphs.Shared {
		owner = c.Processes()[v.Process]
	}
	if at {
		return glob(name, v.Name) && v.Process != graphs.Shared && glob(process, owner)
	}
	return glob(name, v.Name) || v.Process != graphs.Shared && glob(name, owner+"."+v.Name)
}

// unmatched returns an error for a pattern that matches no variable.
func (s showing) unmatched(e *format.Execution) error {
	for _, p := range s {
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
