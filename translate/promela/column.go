package promela

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A column is something that changes along a chain of events: values[i] is its
// value after the first i of them.
//
//	(1) events are between the initial and the final cut, each of them once
//	(2) values[i] and values[i+1] differ
type column[T any] struct {
	events []graphs.Event
	values []T
}

// newColumn makes a column of values that change at events, which may be before
// the initial cut, after the final one, or repeated.
func newColumn[T any](c *graphs.Computation, events []graphs.Event, value func(i int) T, same func(a, b T) bool) column[T] {
	col := column[T]{values: []T{value(0)}}
	for i, e := range events {
		n := len(col.events)
		switch {
		case !c.Has(c.Final(), e):
			return col
		case c.Has(c.Initial(), e):
			col.values[0] = value(i + 1)
			continue
		case n > 0 && col.events[n-1] == e:
			col.events, col.values = col.events[:n-1], col.values[:n]
		}
		if v := value(i + 1); !same(v, col.values[len(col.values)-1]) {
			col.events = append(col.events, e)
			col.values = append(col.values, v)
		}
	}
	return col
}

// A source is what a leaf of an expression reads: a variable, or one end of a
// channel.
type source struct {
	variable *graphs.Variable
	from, to int
	receives bool
}

// sources lists what an expression reads, in order of appearance.
func (t *translator) sources(e *syntax.Expr) ([]source, error) {
	var list []source
	var missing error
	add := func(s source) {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	var visit func(e *syntax.Expr)
	visit = func(e *syntax.Expr) {
		switch e.Op {
		case syntax.ExprVar:
			v := t.comp.Variable(e.Owner, e.Text)
			if v == nil || v.Skipped() {
				missing = &valuesError{e.Text}
				return
			}
			add(source{variable: v})
		case syntax.ExprTransit:
			add(source{from: e.FromID, to: e.ToID})
			add(source{from: e.FromID, to: e.ToID, receives: true})
		}
		for _, arg := range e.Args {
			visit(arg)
		}
		for _, sub := range e.Sub {
			syntax.Walk(sub, func(f *syntax.Formula) bool {
				if f.Op == syntax.OpAtom {
					visit(f.Expr)
				}
				return true
			})
		}
	}
	visit(e)
	return list, missing
}

// A valuesError says that a formula needs a variable whose values the reader of
// the trace was told to leave out.
type valuesError struct{ variable string }

func (e *valuesError) Error() string { return "the values of " + e.variable + " were not read" }

// column returns the values of a source; those of an end of a channel count
// messages.
func (t *translator) column(s source) column[graphs.Value] {
	same := graphs.Value.Equal
	if v := s.variable; v != nil {
		return newColumn(t.comp, v.Events(), func(i int) graphs.Value { return v.Value(i - 1) }, same)
	}
	events, recvs := t.comp.Channel(s.from, s.to)
	if s.receives {
		events = recvs
	}
	return newColumn(t.comp, events, func(i int) graphs.Value { return graphs.Int(int64(i)) }, same)
}

// reading returns the environment in which sources have the given values.
func (t *translator) reading(value func(source) graphs.Value) env {
	return func(leaf *syntax.Expr) graphs.Value {
		if leaf.Op == syntax.ExprVar {
			return value(source{variable: t.comp.Variable(leaf.Owner, leaf.Text)})
		}
		sent := value(source{from: leaf.FromID, to: leaf.ToID})
		received := value(source{from: leaf.FromID, to: leaf.ToID, receives: true})
		return graphs.Int(sent.Int64() - received.Int64())
	}
}

// at returns the environment at a cut.
func (t *translator) at(cut graphs.Cut) env {
	return t.reading(func(s source) graphs.Value {
		if s.variable != nil {
			return s.variable.At(t.comp, cut)
		}
		events, recvs := t.comp.Channel(s.from, s.to)
		if s.receives {
			events = recvs
		}
		n := int64(0)
		for _, e := range events {
			if t.comp.Has(cut, e) {
				n++
			}
		}
		return graphs.Int(n)
	})
}

// chain returns the truth of a formula that one chain decides.
func (t *translator) chain(f *syntax.Formula) (column[bool], error) {
	atoms, err := t.sourcesOf(f)
	if err != nil {
		return column[bool]{}, err
	}
	var events []graphs.Event
	for _, s := range atoms {
		events = append(events, s.variable.Events()...)
	}
	if len(atoms) > 1 { // several variables of one process
		slices.Sort(events)
		events = slices.Compact(events)
	}
	next := make(map[*graphs.Variable]int, len(atoms)) // assignments so far
	at := t.reading(func(s source) graphs.Value { return s.variable.Value(next[s.variable] - 1) })
	truth := []bool{at.holds(f)}
	for _, e := range events {
		for _, s := range atoms {
			for v := s.variable; next[v] < v.Len() && v.Event(next[v]) == e; {
				next[v]++
			}
		}
		truth = append(truth, at.holds(f))
	}
	return newColumn(t.comp, events, func(i int) bool { return truth[i] }, func(a, b bool) bool { return a == b }), nil
}

func (t *translator) sourcesOf(f *syntax.Formula) (list []source, err error) {
	syntax.Walk(f, func(g *syntax.Formula) bool {
		if g.Op == syntax.OpAtom && err == nil {
			var more []source
			more, err = t.sources(g.Expr)
			for _, s := range more {
				if !slices.Contains(list, s) {
					list = append(list, s)
				}
			}
		}
		return true
	})
	return list, err
}
