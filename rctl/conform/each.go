package conform

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/syntax"
)

// ParseEach parses the values that have a scenario each: those of a field, or a range of formulas.
//
// Examples:
//
//	req
//	r in values(req)
//	(k, c) in values(key, client where op == "put")
//
// The result is the formula "no event assigns them", for all of the range. Its instances tell the events
// that do. An error is a *syntax.Error, or tells the rule of ranges.
func ParseEach(text string) (*syntax.Formula, error) {
	if text = strings.TrimSpace(text); text != "" && !strings.ContainsAny(text, " ,()\"") {
		text = "value in values(" + strconv.Quote(text) + ")"
	}
	f, err := pattern.Formulas().Parse(forall + text + ": AG true")
	if err != nil {
		// Without the end of the formula, an error does not speak of a colon that nobody wrote.
		if _, err := pattern.Formulas().Parse(forall + text); err != nil {
			return nil, inRange(err)
		}
	}
	if err != nil || f.Quant == nil || f.Quant.Sort() != syntax.OfValue || len(f.Quant.Names) != len(f.Quant.Data.Fields) {
		return nil, fmt.Errorf("%s is no range over values", text)
	}
	q := f.Quant
	var same []*syntax.Formula
	for i, field := range q.Data.Fields {
		same = append(same, syntax.AsAtom(expr(syntax.Expr{Op: syntax.ExprCompare, Rel: []syntax.Relop{syntax.Equal}, Args: []*syntax.Expr{
			expr(syntax.Expr{Op: syntax.ExprField, Text: field.Text}),
			expr(syntax.Expr{Op: syntax.ExprValue, Text: q.Names[i].Text}),
		}})))
	}
	once := expr(syntax.Expr{Op: syntax.ExprOnce, Past: &syntax.Past{Conds: []*syntax.Formula{syntax.And(same...)}}})
	f.Sub[0] = syntax.New(syntax.OpAG, f.Pos, syntax.Not(syntax.AsAtom(once)))
	return f, nil
}

// forall makes a formula of a range. The range is the second line, so that its columns stay.
const forall = "forall\n"

// inRange returns an error about the formula with its places in the range.
func inRange(err error) error {
	wrong, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return err
	}
	moved := *wrong
	moved.Src = strings.TrimPrefix(wrong.Src, forall)
	moved.Pos = max(wrong.Pos-len(forall), 0)
	moved.Msg = strings.ReplaceAll(wrong.Msg, " at 2:", " at 1:")
	return &moved
}

// expr returns an expression as the parser makes it.
func expr(e syntax.Expr) *syntax.Expr {
	e.Owner = syntax.Unresolved
	return &e
}

// fieldsOf lists the fields of a range.
func fieldsOf(f *syntax.Formula) string {
	var all []string
	for _, field := range f.Quant.Data.Fields {
		all = append(all, field.Text)
	}
	return strings.Join(all, ", ")
}
