package start

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/inspect"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/syntax"
)

// A proposal is a suggested property.
type proposal struct{ name, formula, says string }

// maxKinds bounds how many values a variable has if its values are kinds of events, such as "sent"
// and "received". A variable with more values is data.
const maxKinds = 12

// Common names of values and variables.
var (
	leading = lazy.Regexp(`(?i)^"(leader|leading|primary|master|active)"$`)
	terms   = lazy.Regexp(`(?i)^"?(current_?)?(term|epoch|view|ballot)"?$`)
)

// propose returns properties that the variables of a computation suggest by their names and
// values: for a variable role with the value "leader" on several processes, mutual exclusion
// of leaders; for an id such as request, a response to each, with an order, at most once;
// for a boolean that several processes write, mutual exclusion; for one of a single process,
// that it becomes false again.
//
// The properties are only suggestions: propose does not check whether they hold, and does not know
// whether they should.
func propose(c *graphs.Computation) []proposal {
	var all []proposal
	add := func(name, shape string, args ...string) {
		p, _ := pattern.Find(shape)
		// A name that cannot occur in formulas, such as one with a line end, gives no property.
		if formula, err := p.Apply(args...); err == nil {
			all = append(all, proposal{name, formula, p.Sentence})
		}
	}
	variables := inspect.Variables(c, maxKinds)
	// With terms, there may be two leaders, one after the other.
	term := slices.IndexFunc(variables, func(v inspect.Variable) bool {
		return terms().MatchString(v.Name) && len(v.Written) > 1
	})
	notBoolean := func(value string) bool { return value != "true" && value != "false" }
	for _, v := range variables {
		name := written(v.Name)
		role := slices.IndexFunc(v.Values, leading().MatchString)
		switch {
		case role >= 0 && term >= 0 && len(v.Written) > 1:
			add("one-"+v.Name, "unique", name, v.Values[role], written(variables[term].Name))
		case role >= 0 && len(v.Written) > 1:
			add("one-"+v.Name, "mutex", name+" == "+v.Values[role])
		case v.ID:
			first, last := kinds(c, v.Name, variables)
			if first != "" {
				add("answered-"+v.Name, "response", name, first, last)
				add("asked-"+v.Name, "precedence", name, first, last)
				add("once-"+v.Name, "at-most-once", name, last)
			}
		case v.More || slices.ContainsFunc(v.Values, notBoolean):
			// The meaning of other variables is not known.
		case len(v.Written) > 1:
			add("one-"+v.Name, "mutex", name)
		// A single process cannot violate mutual exclusion, but it may begin a phase and never end it.
		default:
			add("ends-"+v.Name, "responds", v.Written[0], "!"+v.Written[0])
		}
	}
	return all
}

// written returns a name in the form for formulas.
func written(name string) string { return (&syntax.Expr{Op: syntax.ExprVar, Text: name}).String() }

// kinds returns conditions on the first and the last event of most values of an id. Kinds of events
// are the values of a variable that has few values. The conditions are "" if there is no such
// variable, or if most values of the id have only one event.
func kinds(c *graphs.Computation, id string, variables []inspect.Variable) (first, last string) {
	ids := assigned(c, id)
	events := c.Recorded()
	if events == nil {
		events = c.Order()
	}
	best := 0
	for _, v := range variables {
		if v.ID || v.More || len(v.Values) < 2 || !strings.HasPrefix(v.Values[0], `"`) {
			continue
		}
		kind := assigned(c, v.Name)
		// Only an event that assigns both belongs to an id and has a kind.
		begin, end := make(map[string]string), make(map[string]string)
		for _, e := range events {
			x, k := ids[e], kind[e]
			if x == "" || k == "" {
				continue
			}
			if begin[x] == "" {
				begin[x] = k
			}
			end[x] = k
		}
		// Choose the variable with kinds for the most ids. Events of one kind need no order.
		from, to := usual(v.Values, begin), usual(v.Values, end)
		if len(begin) > best && from != to {
			best = len(begin)
			first = fmt.Sprintf("%s == %s", written(v.Name), from)
			last = fmt.Sprintf("%s == %s", written(v.Name), to)
		}
	}
	return first, last
}

// assigned returns the values that events assign to a variable of any process.
func assigned(c *graphs.Computation, name string) map[graphs.Event]string {
	values := make(map[graphs.Event]string)
	for _, v := range c.VariablesNamed(name) {
		for i := range v.Len() {
			values[v.Event(i)] = v.Value(i).String()
		}
	}
	return values
}

// usual returns the most frequent value. Among equally frequent values, it returns the first in
// values.
func usual(values []string, of map[string]string) string {
	// Search the list, which has an order, unlike the map.
	count := make(map[string]int)
	for _, value := range of {
		count[value]++
	}
	return slices.MaxFunc(values, func(a, b string) int { return count[a] - count[b] })
}
