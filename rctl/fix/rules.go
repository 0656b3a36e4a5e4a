package fix

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A Rule says what several orders of a fix have in common: an event of one kind before an event of
// another. The kind of an event is its label, numbers aside, or else what it assigns of the
// variables in the formula.
//
// Example: in each of 14 orders, Before is labelled "release" and After "grant", both assign the
// variable lock, with one value, and After is the first such grant after Before in the run of the
// fix. Then the rule is: each "release" before the next "grant" of the same lock (14 times).
type Rule struct {
	Before, After string // kinds
	Same          string // a variable that has one value at both events, "" for none
	Next          bool   // After is the next event of its kind, of the same value
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
// The time complexity of Rules is O(orders·variables + |V| + assignments).
func (f *Fix) Rules() []Rule {
	if len(f.Orders) < 2 {
		return nil
	}
	k := &kinds{f, make(map[graphs.Event]string)}
	for _, v := range f.Of.Variables() {
		if f.about[v.Name] {
			k.assigning(v)
		}
	}
	var rules []Rule
	number := make(map[[2]string]int)
	for i, o := range f.Orders {
		pair := [2]string{k.of(o.Before), k.of(o.After)}
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
		k.complete(&rules[i])
	}
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Compare(len(b.Orders), len(a.Orders)) })
	return rules
}

// Assigned tells what an event assigns of the variables in the formula, "" for nothing.
func (f *Fix) Assigned(e graphs.Event) string {
	k := &kinds{f, make(map[graphs.Event]string)}
	for _, v := range f.Of.Variables() {
		if i, ok := slices.BinarySearch(v.Events(), e); ok && f.about[v.Name] && v.Process != graphs.Shared {
			k.note(v, i, true)
		}
	}
	return k.at[e]
}

// kinds knows the kinds of events.
type kinds struct {
	*Fix
	at map[graphs.Event]string // what an event assigns
}

// assigning notes what events assign a variable.
func (k *kinds) assigning(v *graphs.Variable) {
	for i := range v.Events() {
		k.note(v, i, v.Kind != graphs.Number)
	}
}

// note adds an assignment, with its value or without.
func (k *kinds) note(v *graphs.Variable, i int, value bool) {
	text := v.Name
	if value {
		text += " = " + v.Value(i).String()
	}
	e := v.Event(i)
	if before := k.at[e]; before != "" {
		text = before + ", " + text
	}
	k.at[e] = text
}

// digits are left out of the labels of kinds.
var digits = regexp.MustCompile(`[0-9]+`)

// of returns the kind of an event, "" for none.
func (k *kinds) of(e graphs.Event) string {
	if label := k.Of.Label(e); label != "" {
		return `"` + digits.ReplaceAllString(label, "…") + `"`
	}
	return k.at[e]
}

// complete finds the variable that the events of each order have in common, the one of most values,
// and whether the second event is the next.
func (k *kinds) complete(r *Rule) {
	most := 1
	for _, name := range k.names() {
		values := make(map[string]bool)
		for _, i := range r.Orders {
			before, after := k.value(name, k.Orders[i].Before), k.value(name, k.Orders[i].After)
			if before == "" || before != after {
				values = nil
				break
			}
			values[before] = true
		}
		if len(values) > most {
			most, r.Same = len(values), name
		}
	}

	place := make([]int, k.Of.Top()+1)
	of := make(map[string][]int) // places of events like After, by value
	for i, e := range k.Run {
		place[e] = i
		if k.of(e) == r.After {
			value := k.value(r.Same, e)
			of[value] = append(of[value], i)
		}
	}
	r.Next = !slices.ContainsFunc(r.Orders, func(i int) bool {
		o := k.Orders[i]
		all := of[k.value(r.Same, o.After)]
		next, _ := slices.BinarySearch(all, place[o.Before]+1)
		return next == len(all) || all[next] != place[o.After]
	})
}

// names returns the names of the variables that the formula does not speak of.
func (k *kinds) names() (names []string) {
	for _, v := range k.Of.Variables() {
		if v.Process != graphs.Shared && !k.about[v.Name] {
			names = append(names, v.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// value returns the value of a variable on the process of an event, after it; "" for none.
func (k *kinds) value(name string, e graphs.Event) string {
	if name == "" {
		return ""
	}
	v := k.Of.Variable(k.Of.Process(e), name)
	if v == nil || v.Skipped() {
		return ""
	}
	i, found := slices.BinarySearch(v.Events(), e)
	if !found {
		i--
	}
	return v.Value(i).String()
}
