package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// Keys describe the events that fill a hole under a binding: they assign to each field the value of the
// name with the same index, and satisfy the rest.
type Keys struct {
	Fields []string // one for each name of the quantifier in front of the body
	Rest   *Formula // a condition without bound names
}

// Keyed returns the keys that map an event to the bindings to which it is visible: those of the domain
// and of each hole. Two bindings of events see the same events if they assign the same values to the
// fields that conditions read. ok is false if an event may be visible to bindings of values that it
// does not assign.
func (t *Template) Keyed() (domain Keys, holes []Keys, ok bool) {
	q := t.Quants[0]
	if events := q.Sort() == OfEvent; t.Why != "" || len(t.Quants) > 1 || len(t.atoms) > 0 || events && len(q.Names) > 1 {
		return domain, nil, false
	}
	text := func(n Name) string { return n.Text }
	domain = Keys{Fields: Mapped(q.Data.Fields, text), Rest: cmp.Or(q.Data.Where, &Formula{Op: OpTrue})}
	names := Mapped(q.Names, text)
	if q.Sort() == OfEvent {
		names = fieldsOf(names[0], t.holes)
		domain.Fields = names
	}
	if len(names) != len(domain.Fields) || len(names) == 0 || !Closed(domain.Rest) {
		return domain, nil, false
	}
	for _, h := range t.holes {
		keys, ok := keysOf(h.cond, names)
		if !ok {
			return domain, nil, false
		}
		holes = append(holes, keys)
	}
	return domain, holes, true
}

// fieldsOf lists the fields of a bound event that conditions read.
func fieldsOf(event string, holes []hole) (fields []string) {
	for _, h := range holes {
		if h.cond == nil { // the event itself
			return nil
		}
		WalkExprs(h.cond, func(e *Expr) {
			if e.Op == ExprOf && e.Event.Text == event && !slices.Contains(fields, e.Text) {
				fields = append(fields, e.Text)
			}
		})
	}
	return fields
}

// Closed reports whether a condition depends only on the fields of its event. It must not mention
// bound names, or times, which need exact arithmetic.
func Closed(cond *Formula) bool {
	return !Mentions(cond, func(e *Expr) bool { return isBound(e) || isOwnTime(e) })
}

// A Column is a variable of each process. Its value is that of once, events or between of closed
// conditions, for the events of the process so far.
type Column struct {
	Op    ExprOp
	Conds []*Formula
}

// Name returns the name of the variable.
func (c *Column) Name() string { return ColumnName(c.Op, c.Conds) }

// Columns replaces the operators about events in f by columns. It returns ok = false if f depends on
// data in another way, or has once or between inside of an expression.
func Columns(f *Formula) (g *Formula, columns []Column, ok bool) {
	other := func(e *Expr) bool {
		switch e.Op {
		case ExprOnce, ExprEvents, ExprBetween:
			return slices.ContainsFunc(e.Conds, func(c *Formula) bool { return !Closed(c) })
		}
		return e.Past != nil || isBound(e)
	}
	if f.speaks(other, (*Quantifier).ofData) {
		return nil, nil, false
	}
	c := columner{seen: make(map[string]bool)}
	g = f.withAtoms(c.atom)
	return g, c.list, !c.odd
}

// A columner replaces operators about events by columns.
type columner struct {
	list []Column
	seen map[string]bool // the names of the columns in list
	odd  bool            // whether once or between is an operand, which no number can replace
}

// anyProcess is a name that no formula can contain.
const anyProcess = "some process"

// OfColumn reports whether Columns has made a quantifier, over the processes with a column.
func OfColumn(q *Quantifier) bool { return q.Names[0].Text == anyProcess }

// Counts reports whether a variable is a column with a number of events.
func Counts(e *Expr) bool { return strings.HasPrefix(e.Text, "events(") }

// column returns the column of an operator, as a variable of the process that the returned quantifier
// binds. The quantifier ranges over the processes with the column.
func (c *columner) column(e *Expr) (*Expr, *Quantifier) {
	column := Column{e.Op, e.Conds}
	name := column.Name()
	if !c.seen[name] {
		c.seen[name] = true
		c.list = append(c.list, column)
	}
	process := Name{anyProcess, e.Pos}
	quant := &Quantifier{Names: []Name{process}, Having: []Name{{name, e.Pos}}}
	if e.Process.Text != "" {
		quant.Domain = []Name{e.Process}
	}
	return &Expr{Op: ExprVar, Text: name, Process: process, Owner: Unresolved, Pos: e.Pos}, quant
}

// atom returns the replacement of an atom.
func (c *columner) atom(f *Formula) *Formula {
	if f.Expr.Op == ExprOnce || f.Expr.Op == ExprBetween {
		v, quant := c.column(f.Expr)
		return &Formula{Op: OpExists, Quant: quant, Sub: []*Formula{AsAtom(v)}, Pos: f.Pos}
	}
	g := new(*f)
	g.Expr = c.expr(f.Expr)
	return g
}

// expr returns the replacement of an expression.
func (c *columner) expr(e *Expr) *Expr {
	switch e.Op {
	case ExprOnce, ExprBetween:
		c.odd = true
		return e
	case ExprEvents:
		v, quant := c.column(e)
		sum := newExpr(ExprSum, e.Pos)
		sum.Aggregate = &Aggregate{Quant: quant, Term: v}
		return sum
	}
	return e.with(c.expr, func(f *Formula) *Formula { return f.withAtoms(c.atom) })
}
