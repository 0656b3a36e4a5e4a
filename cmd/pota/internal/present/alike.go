package present

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
)

// groups are groups of executions on which a property has the same result for the same reason, in
// the order of their first executions.
//
// Example: of a thousand executions, 60 fail by "P2 restarts" and then "lock@P2: true → false", 5
// fail by another shape of run, and 3 cannot be read for one reason. These form three groups, so a
// reader inspects three failures instead of 68. Executions on which the property holds are in no
// group.
type groups struct {
	list  []*group
	known map[[2]string]*group // by verdict and key
}

// A group is a verdict, or "error", on several executions.
type group struct {
	Verdict string
	Account string // the account of the first member
	Members []member

	key string
}

// A member is an execution of a group, with the file of its view; "" for none.
type member struct{ Name, View string }

// add adds an execution to the group with a key. It creates the group if there is none.
func (g *groups) add(verdict, key string, m member) *group {
	if g.known == nil {
		g.known = make(map[[2]string]*group)
	}
	of := g.known[[2]string{verdict, key}]
	if of == nil {
		of = &group{Verdict: verdict, key: key}
		g.list = append(g.list, of)
		g.known[[2]string{verdict, key}] = of
	}
	of.Members = append(of.Members, m)
	return of
}

// fail adds an execution to the group for an error.
func (g *groups) fail(name string, err error) *group {
	text := failure.Text(err)
	of := g.add("error", strings.TrimPrefix(text, graphs.Printable(name)), member{Name: name})
	of.Account = cmp.Or(of.Account, text)
	return of
}

// alike reports whether the members fail by runs of one shape.
func (g *group) alike() bool { return g.Verdict == rctl.Fails.String() && g.key != "" }

// Others states how many members follow the first. It returns "" if there are none.
func (g *group) Others() string {
	n := len(g.Members) - 1
	switch {
	case n == 0:
		return ""
	case g.key == "": // nothing is known about the runs
		return fmt.Sprintf("%d more", n)
	}
	return fmt.Sprintf("%d like it", n)
}

// shape returns a key that verdicts with one cause share: the labels and the variables of the steps
// that change something, without values, processes, and the order of steps. The shape of an unknown
// verdict is its reason. Without a run, the shape is "".
//
// Example: "retry 17" sets x@P, then "crash" sets up@Q; and "crash" sets up@R, then "retry 4" sets
// x@P. Both have the steps "crash: up" and "retry …: x".
//
// A shape takes time O(n log n) for n steps. Runs are not compared pairwise: groups look shapes up.
func (r *Record) shape() string {
	if r.Reason != "" {
		return ids().ReplaceAllString(r.Reason, "…")
	}
	var steps []string
	add := func(label string, variables []string) {
		slices.Sort(variables)
		steps = append(steps, ids().ReplaceAllString(label, "…")+"\x00"+strings.Join(variables, " "))
	}
	// The run of a record that was read is only in its line.
	if r.Origin != "" {
		var line map[string]any
		_ = json.Unmarshal(r.Text, &line) // the line has been parsed before
		writtenSteps(line["witness"], add)
		writtenSteps(line["bindings"], add)
	}
	for _, run := range r.Runs {
		outlineSteps(run, r.explainer(run).Outline(run.Evidence), add)
	}
	// Two runs with one cause may differ in the number of repetitions.
	slices.Sort(steps)
	return strings.Join(slices.Compact(steps), "\n")
}

// ids matches words with a digit, which differ from execution to execution.
var ids = lazy.Regexp(`[\pL\pN_-]*\pN[\pL\pN_-]*`)

// outlineSteps passes the steps of a level and its children to add.
func outlineSteps(run Run, l *explain.Level, add func(label string, variables []string)) {
	for s := range l.Changing() {
		var variables []string
		for _, c := range s.Changes {
			variables = append(variables, c.Variable.Name)
		}
		add(run.Computation.Label(s.Event), variables)
	}
	for _, child := range l.Children {
		outlineSteps(run, child, add)
	}
}

// writtenSteps passes the steps of all runs in a part of a line of JSON to add.
func writtenSteps(part any, add func(label string, variables []string)) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			writtenSteps(p, add)
		}
	case map[string]any:
		if set, ok := part["set"].(map[string]any); ok {
			label, _ := part["label"].(string)
			add(label, slices.Collect(maps.Keys(set)))
			return
		}
		for _, p := range part {
			writtenSteps(p, add)
		}
	}
}
