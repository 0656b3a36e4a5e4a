package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// ParseEach returns the field whose values have a scenario each. The text is its name, or a range of
// formulas, such as r in values(req). An error wraps a *syntax.Error about "forall RANGE: AG true", or
// tells the rule of ranges.
func ParseEach(text string) (field string, err error) {
	if text = strings.TrimSpace(text); text != "" && !strings.ContainsAny(text, " ,()\"") {
		return text, nil
	}
	formula := "forall " + text + ": AG true"
	f, err := pattern.Formulas().Parse(formula)
	if err != nil {
		return "", fmt.Errorf("%s: %w", formula, err)
	}
	q := f.Quant
	if q == nil || q.Sort() != syntax.OfValue || len(q.Names) != 1 || q.Data.Where != nil || f.Sub[0].Quant != nil {
		return "", fmt.Errorf("%s is no range over the values of a field", text)
	}
	return q.Data.Fields[0].Text, nil
}

// divide makes a view for each value of the field. A message belongs to the values that its ends assign.
//
// Example: A assigns req = 7 and sends x; B receives x without an assignment. Then x belongs to 7. If B
// assigns req = 8, x belongs to both; if B assigns 7, it belongs to 7 once.
func (k *checker) divide(ends []end) (views []*view, err error) {
	field, err := ParseEach(k.opts.Each)
	if err != nil {
		return nil, err
	}
	k.result.Each, k.result.Counts = field, make(map[string]int)
	of := make([]int, k.c.Top()+1) // the value of each event, from 1
	numbers := make(map[graphs.Value]int)
	for _, v := range k.c.VariablesNamed(field) {
		for i, e := range v.Events() {
			value := scope.Canonical(v.Value(i))
			if numbers[value] == 0 {
				views = append(views, &view{value: value.String()})
				numbers[value] = len(views)
			}
			of[e] = numbers[value]
		}
	}
	// A field that nobody assigns is a slip more likely than a trace without values.
	if len(views) == 0 {
		return nil, k.errorf("no event of the trace assigns %s, so there is no value to compare for", field)
	}

	there := false
	for _, o := range ends {
		m := k.messages[o.message]
		known := []int{0}
		for _, e := range []graphs.Event{m.send, m.recv, m.caller} {
			if n := of[e]; !slices.Contains(known, n) {
				known = append(known, n)
				views[n-1].ends = append(views[n-1].ends, o)
				there = true
			}
		}
	}
	if !there {
		return nil, k.errorf("no event that sends or receives a message of the diagram assigns %s", field)
	}
	return views, nil
}
