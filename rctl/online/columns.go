package online

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/syntax"
)

// once(c), events(c) and between(a, b) of closed conditions are treated as variables: a line gets
// their values before it is added to the stream. Every process gets them with its first line.

// columns are these variables in an execution.
type columns struct {
	reader
	list []column
	// By process, how many of its events have arrived, followed by the value of each column.
	state map[string][]int64
	next  []int64 // the next state of the process of the current line
}

// column is one such variable.
type column struct {
	name  []byte
	op    syntax.ExprOp
	tests []func(graphs.Event) bool
}

// newColumns returns the columns of a new execution; nil if there are none.
func newColumns(list []syntax.Column) *columns {
	if len(list) == 0 {
		return nil
	}
	c := &columns{state: make(map[string][]int64)}
	for _, of := range list {
		one := column{name: []byte(of.Name()), op: of.Op}
		for _, cond := range of.Conds {
			one.tests = append(one.tests, c.source().Test(cond))
		}
		c.list = append(c.list, one)
	}
	return c
}

// value returns a number as a value of the column.
func (c *column) value(n int64) graphs.Value {
	if c.op == syntax.ExprEvents {
		return graphs.Int(n)
	}
	return graphs.Boolean(n > 0)
}

// after returns the value after the current event, given the value before it.
func (c *column) after(was int64) int64 {
	first := c.tests[0](0)
	switch {
	case first && c.op == syntax.ExprEvents:
		return was + 1
	case first:
		return 1
	case c.op == syntax.ExprBetween && c.tests[1](0):
		return 0
	}
	return was
}

// add gives a line the values of the columns. The caller must call added afterwards, which removes
// them and, if the line was accepted, updates the state.
func (c *columns) add(l *stream.Line) (added func(accepted bool)) {
	if c == nil || l.Kind != stream.Event && l.Kind != stream.Declaration {
		return func(bool) {}
	}
	was := c.state[string(l.Process)]
	begins := was == nil
	c.next = append(c.next[:0], was...)
	if begins {
		c.next = append(c.next, make([]int64, 1+len(c.list))...)
	}
	// A refused line must not count, so the state changes only when the line is accepted.
	values := l.Values
	c.line = l
	if l.Kind == stream.Event {
		c.next[0]++
		c.position = c.next[0]
	}
	all := slices.Clip(values)
	for i := range c.list {
		of := &c.list[i]
		before := c.next[1+i]
		if l.Kind == stream.Event {
			c.next[1+i] = of.after(before)
		}
		if begins || c.next[1+i] != before {
			all = append(all, stream.Assignment{Name: of.name, Value: of.value(c.next[1+i])})
		}
	}
	l.Values = all
	return func(accepted bool) {
		l.Values = values
		switch {
		case !accepted:
		case begins:
			c.state[string(l.Process)] = slices.Clone(c.next)
		default:
			copy(was, c.next)
		}
	}
}
