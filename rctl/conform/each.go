package conform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// ParseEach parses the values that have one scenario each: those of a field, or a range of
// formulas.
//
// Examples:
//
//	req
//	r in values(req)
//	(k, c) in values(key, client where op == "put")
//
// The result is the formula "no event assigns them" for all values of the range. Its instances name
// the events that do. An error wraps a *syntax.Error about "forall RANGE: AG true", or says that
// the range is not over values.
func ParseEach(text string) (*syntax.Formula, error) {
	if text = strings.TrimSpace(text); text != "" && !strings.ContainsAny(text, " ,()\"") {
		text = "value in values(" + strconv.Quote(text) + ")"
	}
	formula := "forall " + text + ": AG true"
	f, err := pattern.Formulas().Parse(formula)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", formula, err)
	}
	q := f.Quant
	if q == nil || q.Sort() != syntax.OfValue || len(q.Names) != len(q.Data.Fields) {
		return nil, fmt.Errorf("%s is no range over values", text)
	}
	// Fields may have any name here, even one that the syntax of formulas does not allow.
	var same []*syntax.Formula
	for i, field := range q.Data.Fields {
		equal := syntax.Expr{Op: syntax.ExprCompare, Owner: syntax.Unresolved, Rel: []syntax.Relop{syntax.Equal}}
		equal.Args = []*syntax.Expr{expr(syntax.ExprField, field.Text), expr(syntax.ExprValue, q.Names[i].Text)}
		same = append(same, syntax.AsAtom(&equal))
	}
	once := expr(syntax.ExprOnce, "")
	once.Past = &syntax.Past{Conds: []*syntax.Formula{syntax.And(same...)}}
	f.Sub[0] = syntax.New(syntax.OpAG, f.Pos, syntax.Not(syntax.AsAtom(once)))
	return f, nil
}

// expr returns an expression as the parser would make it.
func expr(op syntax.ExprOp, text string) *syntax.Expr {
	return &syntax.Expr{Op: op, Text: text, Owner: syntax.Unresolved}
}

// divide makes a view for each value. A message belongs to the values that its ends assign.
//
// Example: A assigns req = 7 and sends x; B receives x without an assignment. Then x belongs to 7.
// If B assigns req = 8, x belongs to both; if B also assigns 7, x belongs to 7 once.
func (k *checker) divide(ends []end) (views []*view, err error) {
	asked, err := ParseEach(k.opts.Each)
	if err != nil {
		return nil, err
	}
	var fields []string
	known := scope.Of(k.c)
	// A field that nobody assigns is more likely a typo than a trace without values.
	for _, field := range asked.Quant.Data.Fields {
		if fields = append(fields, field.Text); known.FieldTypes(field.Text) == nil {
			return nil, k.errorf("no event of the trace assigns %s, so there is no value to compare for", field.Text)
		}
	}
	k.result.Each, k.result.Counts = strings.Join(fields, ", "), make(map[string]int)
	// The formula of --each has an instance for each value. The events of an instance are those
	// that assign the value.
	of := make([]int, k.c.Top()+1) // by event: the value it assigns, from 1; 0 if it assigns none
	t := syntax.NewTemplate(asked)
	err = t.Each(k.ctx, known, func(at *syntax.Instance) error {
		var names []string
		for _, bound := range t.Bound(at.Numbers) {
			names = append(names, bound.Text)
		}
		value := strings.Join(names, ", ")
		if len(names) > 1 {
			value = "(" + value + ")"
		}
		views = append(views, &view{value: value})
		for _, e := range at.Holes[0] {
			of[e] = len(views)
		}
		return nil
	})
	if k.ctx.Err() != nil {
		return nil, k.ctx.Err()
	}
	if err != nil {
		return nil, k.errorf("forall %s: %v", k.opts.Each, err)
	}
	if len(views) == 0 {
		return nil, k.errorf("there is no value in %s to compare for", k.opts.Each)
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
		return nil, k.errorf("no event that sends or receives a message of the diagram assigns %s", k.result.Each)
	}
	return views, nil
}
