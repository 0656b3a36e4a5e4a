package fix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Rule says what several orders of a fix have in common: an event of one kind before an event of
// another. The kind of an event is its label, numbers aside, or else its assignments of
// the variables in the formula.
//
// Example: in each of 14 orders, From is labelled "release" and To "grant", the variable lock has
// one value at both, and To is the first such grant after From in the run of the fix. Then the
// rule is: each "release" before the next "grant" of the same lock (14 times).
type Rule struct {
	Before, After string // kinds
	Same          string // a variable that has one value at both events, "" for none
	Next          bool   // the second is the next event of its kind, of the same value
	Orders        []int  // numbers of them in the fix
}

// String is the rule in words.
func (r Rule) String() string {
	text := r.Before + " before " + r.After
	if r.Next {
		text = "each " + r.Before + " before the next " + r.After
	}
	if r.Same != "" {
		text += " of the same " + r.Same
	}
	return fmt.Sprintf("%s (%d times)", text, len(r.Orders))
}

// Rules returns the rules of two or more orders, those of the most orders first.
//
// The time complexity of Rules is O((|V|+orders) · variables of a process · log assignments) for
// each rule.
func (f *Fix) Rules() (rules []Rule) {
	if len(f.Orders) < 2 {
		return nil
	}
	number := make(map[[2]string]int)
	for i, o := range f.Orders {
		pair := [2]string{f.kind(o.From), f.kind(o.To)}
		n, ok := number[pair]
		if !ok {
			n = len(rules)
			number[pair] = n
			rules = append(rules, Rule{Before: pair[0], After: pair[1]})
		}
		rules[n].Orders = append(rules[n].Orders, i)
	}
	rules = slices.DeleteFunc(rules, func(r Rule) bool { return len(r.Orders) < 2 || r.Before == "" || r.After == "" })
	for i := range rules {
		f.complete(&rules[i])
	}
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Compare(len(b.Orders), len(a.Orders)) })
	return rules
}

// numbers are left out of the labels of kinds.
var numbers = lazy.Regexp(`[0-9]+`)

// kind returns the kind of an event, "" for none.
func (f *Fix) kind(e graphs.Event) string {
	if label := f.of.c.Label(e); label != "" {
		return `"` + numbers().ReplaceAllString(label, "…") + `"`
	}
	return f.assigned(e, false)
}

// Describe returns the label of an event or, for want of one, its assignments of the variables in
// the formula.
func (f *Fix) Describe(e graphs.Event) string {
	return cmp.Or(f.of.c.Label(e), f.assigned(e, true))
}

// assigned tells what an event assigns, with numbers or without.
func (f *Fix) assigned(e graphs.Event, exactly bool) string {
	var all []string
	names := syntax.Names(f.of.keep)
	for _, v := range f.of.c.VariablesOf(f.of.c.Process(e)) {
		i, ok := slices.BinarySearch(v.Events(), e)
		switch {
		case !ok || !names[v.Name]:
		case exactly || v.Kind != graphs.Number:
			all = append(all, v.Name+" = "+v.Value(i).String())
		default:
			all = append(all, v.Name)
		}
	}
	return strings.Join(all, ", ")
}

// complete finds the variable that the events of each order have in common, the one of most values,
// and whether the second event is the next.
func (f *Fix) complete(r *Rule) {
	most := 1
	for _, v := range f.of.c.VariablesOf(f.of.c.Process(f.Orders[r.Orders[0]].From)) {
		values := make(map[string]bool)
		differ := func(i int) bool {
			value := f.value(v.Name, f.Orders[i].From)
			values[value] = true
			return value == "" || value != f.value(v.Name, f.Orders[i].To)
		}
		if !slices.ContainsFunc(r.Orders, differ) && len(values) > most {
			most, r.Same = len(values), v.Name
		}
	}

	last := make(map[string]graphs.Event) // of r.Before since which there was no r.After, by value
	next := make(map[graphs.Edge]bool)
	for _, e := range f.Run {
		value := f.value(r.Same, e)
		kind := f.kind(e)
		if from, ok := last[value]; ok && kind == r.After {
			next[graphs.Edge{From: from, To: e}] = true
			delete(last, value)
		}
		if kind == r.Before {
			last[value] = e
		}
	}
	r.Next = !slices.ContainsFunc(r.Orders, func(i int) bool { return !next[f.Orders[i]] })
}

// value returns the value of a variable of the process of an event, after it; "" for none.
func (f *Fix) value(name string, e graphs.Event) string {
	v := f.of.c.Variable(f.of.c.Process(e), name)
	if v == nil || v.Skipped() {
		return ""
	}
	i, found := slices.BinarySearch(v.Events(), e)
	if !found {
		i--
	}
	return v.Value(i).String()
}
