package sat

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// An order lists the classes of a column of numbers by value, up or down.
// The place of a class in it is counted from 0.
type order struct {
	column *column
	down   bool
}

func (o order) len() int { return len(o.column.sorted) }

func (o order) reversed() order { return order{o.column, !o.down} }

// mirrored turns a place into a rank, and a rank into a place.
func (o order) mirrored(i int) int {
	if o.down {
		return o.len() - 1 - i
	}
	return i
}

// class returns the class at a place.
func (o order) class(place int) int32 { return o.column.sorted[o.mirrored(place)] }

// place returns the place of run i.
func (o order) place(run int) int { return o.mirrored(int(o.column.rank[o.column.class[run]])) }

// rises reports whether the place never gets lower from one run to the next.
func (o order) rises() bool {
	if o.down {
		return o.column.falls
	}
	return o.column.rises
}

// findOrders sets the orders, if the atom is a comparison with some.
func (a *atom) findOrders(c *graphs.Computation) {
	if len(a.columns) != 2 || a.expr.Op != syntax.ExprCompare || len(a.expr.Rel) != 1 {
		return
	}
	// Of each column: does the left side minus the right one grow with it?
	var trends [2]trend
	for i, k := range a.columns {
		if !k.numbers() {
			return
		}
		// A slot that is the only one of its chain to change makes variables and channels follow it.
		// So other channels of the same process do not matter.
		s := &a.predicate.Slots[a.slots[i][0]]
		reads := func(e *syntax.Expr) trend {
			switch {
			case e.Op == syntax.ExprVar && c.Variable(e.Owner, e.Text) == s.Variable:
				return up
			case e.Op != syntax.ExprTransit || s.Variable != nil:
				return level
			case !s.Received && e.FromID == s.From:
				return up
			case s.Received && e.ToID == s.To:
				return down
			}
			return level
		}
		t := trendOf(a.expr.Args[0], reads).plus(trendOf(a.expr.Args[1], reads).reversed())
		switch a.expr.Rel[0] {
		case syntax.Less, syntax.LessEqual:
			t = t.reversed()
		case syntax.Greater, syntax.GreaterEqual:
		default:
			return
		}
		if t != up && t != down {
			return
		}
		trends[i] = t
	}
	if !atoms.KeepsOrder(c, a.expr) {
		return
	}
	a.monotone = true
	for i, k := range a.columns {
		k.sort()
		// The first goes from what makes the atom true to what makes it false.
		a.orders[i] = order{k, (trends[i] == down) != (i == 0)}
	}
}

// An implication says that if the first column has reached place first of its order,
// the second has reached place second of its own.
type implication struct{ first, second int }

// implications lists what a monotone atom, or its negation, amounts to, given the
// orders that fit; a second that is past the end of the order forbids the first.
func (a *atom) implications(negated bool) (orders [2]order, list []implication) {
	orders = a.orders
	if negated {
		orders[0], orders[1] = orders[0].reversed(), orders[1].reversed()
	}
	j := 0
	for i := range orders[0].len() {
		a.setClass(0, orders[0].class(i))
		before := j
		for ; j < orders[1].len(); j++ {
			a.setClass(1, orders[1].class(j))
			if a.holds() != negated {
				break
			}
		}
		if j > before {
			list = append(list, implication{i, j})
		}
		if j == orders[1].len() {
			break
		}
	}
	return orders, list
}

// advances reports whether the atom is monotone and it, or its negation, asks for
// events of its second column where there are some of the first, and nothing else.
func (a *atom) advances(negated bool) bool {
	if !a.monotone {
		return false
	}
	for _, o := range a.orders {
		if negated {
			o = o.reversed()
		}
		if !o.rises() {
			return false
		}
	}
	return true
}

// A trend says how a value changes as one slot grows.
type trend uint8

const (
	level trend = iota
	up
	down
	unclear
)

func (t trend) reversed() trend { return [...]trend{level, down, up, unclear}[t] }

// plus returns the trend of a sum, unclear if its parts go different ways.
func (t trend) plus(u trend) trend {
	switch {
	case t == level || t == u:
		return u
	case u == level:
		return t
	}
	return unclear
}

// times returns the trend of a product with a number. t is the number's sign: up, down
// or level for zero.
func (t trend) times(u trend) trend {
	switch t {
	case up:
		return u
	case down:
		return u.reversed()
	}
	return level
}

// trendOf returns the trend of an expression. Rounding keeps trends where atoms.KeepsOrder
// says so.
func trendOf(e *syntax.Expr, reads func(e *syntax.Expr) trend) trend {
	switch e.Op {
	case syntax.ExprNumber, syntax.ExprString, syntax.ExprBool:
		return level
	case syntax.ExprVar, syntax.ExprTransit:
		return reads(e)
	case syntax.ExprNeg:
		return trendOf(e.Args[0], reads).reversed()
	case syntax.ExprAdd, syntax.ExprSum, syntax.ExprMin, syntax.ExprMax:
		t := level
		for _, arg := range e.Args {
			t = t.plus(trendOf(arg, reads))
		}
		return t
	case syntax.ExprSub:
		return trendOf(e.Args[0], reads).plus(trendOf(e.Args[1], reads).reversed())
	case syntax.ExprMul:
		for i, arg := range e.Args {
			if sign := signOf(arg); sign != unclear {
				return sign.times(trendOf(e.Args[1-i], reads))
			}
		}
	}
	return unclear
}

// signOf returns up for a positive number, down for a negative one, level for zero, and
// unclear for other expressions.
func signOf(e *syntax.Expr) trend {
	switch {
	case e.Op == syntax.ExprNeg:
		return signOf(e.Args[0]).reversed()
	case e.Op != syntax.ExprNumber:
		return unclear
	case e.Int > 0 || e.Float > 0:
		return up
	case e.Int < 0 || e.Float < 0:
		return down
	}
	return level
}
