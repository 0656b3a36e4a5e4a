package fix

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl/syntax"
)

// Rules returns what two or more orders of the fix have in common, rules that cover many orders
// first: an event of one kind comes before one of another. The kind of an event is its description
// by Describe, with numbers elided.
//
// Example: in each of 14 orders, From is labelled "release" and To "grant", the variable lock has
// the same value at both, and To is the first such grant after From in the run of the fix. Then the
// rule is: each "release" before the next "grant" of the same lock (14 times).
//
// The time complexity of Rules is O((|V|+orders) · variables of a process · log assignments) for
// each rule.
func (f *Fix) Rules() (rules []string) {
	type kinds struct{ before, after string }
	ofKind := make(map[kinds][]graphs.Edge)
	for _, o := range f.Orders {
		pair := kinds{f.kind(o.From), f.kind(o.To)}
		ofKind[pair] = append(ofKind[pair], o)
	}
	byOrders := slices.SortedFunc(maps.Keys(ofKind), func(a, b kinds) int {
		return cmp.Or(len(ofKind[b])-len(ofKind[a]), cmp.Compare(a.before, b.before), cmp.Compare(a.after, b.after))
	})
	for _, pair := range byOrders {
		orders := ofKind[pair]
		if len(orders) < 2 || pair.before == "" || pair.after == "" {
			continue
		}
		same := f.same(orders)
		text := fmt.Sprintf(`"%s" before "%s"`, pair.before, pair.after)
		if f.next(orders, same) {
			text = fmt.Sprintf(`each "%s" before the next "%s"`, pair.before, pair.after)
		}
		if same != "" {
			text += " of the same " + same
		}
		rules = append(rules, fmt.Sprintf("%s (%d times)", text, len(orders)))
	}
	return rules
}

// numbers matches the parts that kinds elide.
var numbers = lazy.Regexp(`[0-9]+`)

// kind returns the kind of an event, or "" if Describe returns "".
func (f *Fix) kind(e graphs.Event) string {
	text := f.Describe(e)
	if strings.ContainsAny(text, "0123456789") { // regular expressions are slow
		text = numbers().ReplaceAllString(text, "…")
	}
	return text
}

// Describe returns the label of an event or, if it has none, its assignments of the variables in
// the formula.
func (f *Fix) Describe(e graphs.Event) string {
	if label := f.of.c.Label(e); label != "" {
		return label
	}
	var all []string
	names := syntax.Names(f.of.keep)
	for _, v := range f.of.c.VariablesOf(f.of.c.Process(e)) {
		if i, ok := slices.BinarySearch(v.Events(), e); ok && names[v.Name] {
			all = append(all, v.Name+" = "+v.Value(i).String())
		}
	}
	return strings.Join(all, ", ")
}

// same returns the variable that has the same value at both events of each order, or "". Of several
// variables, it returns the one with the most values.
func (f *Fix) same(orders []graphs.Edge) (same string) {
	most := 1
	for _, v := range f.of.c.VariablesOf(f.of.c.Process(orders[0].From)) {
		values := make(map[string]bool)
		differ := func(o graphs.Edge) bool {
			value := f.value(v.Name, o.From)
			values[value] = true
			return value == "" || value != f.value(v.Name, o.To)
		}
		if !slices.ContainsFunc(orders, differ) && len(values) > most {
			most, same = len(values), v.Name
		}
	}
	return same
}

// next reports whether in each order, To is the first event of its kind after From, and From the
// last of its kind before To, among the events with the same value of a variable.
func (f *Fix) next(orders []graphs.Edge, same string) bool {
	before, after := f.kind(orders[0].From), f.kind(orders[0].To)
	// By value: the last event of kind before that no event of kind after has followed yet.
	last := make(map[string]graphs.Event)
	next := make(map[graphs.Edge]bool)
	for _, e := range f.Run {
		value := f.value(same, e)
		kind := f.kind(e)
		if from, ok := last[value]; ok && kind == after {
			next[graphs.Edge{From: from, To: e}] = true
			delete(last, value)
		}
		if kind == before {
			last[value] = e
		}
	}
	return !slices.ContainsFunc(orders, func(o graphs.Edge) bool { return !next[o] })
}

// value returns the value of a variable of the event's process after an event, or "" if there is
// none.
func (f *Fix) value(name string, e graphs.Event) string {
	c, p := f.of.c, f.of.c.Process(e)
	v := c.Variable(p, name)
	if v == nil || v.Skipped() {
		return ""
	}
	cut := c.NoEvents()
	cut[p] = int32(c.Position(e))
	return v.At(c, cut).String()
}
