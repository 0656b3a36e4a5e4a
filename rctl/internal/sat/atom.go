package rctl

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A satAtom is a Boolean expression that relates several chains. It is a function
// of the classes of its columns.
type satAtom struct {
	expr    *syntax.Expr
	program *program
	columns []*satColumn // at least two, each of several classes and of a chain of its own
	sources [][]satSource
	slots   []satSlot
	env     []graphs.Value

	// Where there are two columns of numbers and the expression can only become
	// false as the first goes up its order and true as the second does, these
	// are their scales: classes from the best to the worst, from the worst to
	// the best.
	monotone bool
	scales   [2]satScale
}

// satSlot holds the counts that make the length of a channel.
type satSlot struct{ sent, received int64 }

// A satScale goes through the classes of a column by value, up or down.
type satScale struct {
	column *satColumn
	down   bool
}

// class returns the i-th class.
func (o satScale) class(i int) int32 {
	if o.down {
		i = len(o.column.sorted) - 1 - i
	}
	return o.column.sorted[i]
}

func (o satScale) len() int { return len(o.column.sorted) }

func (o satScale) reversed() satScale { return satScale{o.column, !o.down} }

// readAtom takes an expression apart by chains. The columns are empty where it is
// constant, one where a single chain decides it.
func (b *satBuilder) readAtom(e *syntax.Expr) (*satAtom, error) {
	prog, err := compile(b.comp, &syntax.Formula{Op: syntax.OpAtom, Expr: e})
	if err != nil {
		return nil, err
	}
	a := &satAtom{expr: e, program: prog, env: prog.env(), slots: make([]satSlot, len(prog.slots))}
	byChain := make(map[satChain]int)
	var parts [][]*satColumn
	var sources [][]satSource
	for i, slot := range prog.slots {
		for _, s := range sourcesOf(slot, i) {
			h, ok := s.chainOf(b.comp)
			if !ok {
				continue
			}
			k := b.column(h, s)
			if len(k.tuples) == 1 {
				a.set([]satSource{s}, k.tuples[0])
				continue
			}
			g, ok := byChain[h]
			if !ok {
				g = len(parts)
				byChain[h] = g
				parts, sources = append(parts, nil), append(sources, nil)
			}
			parts[g] = append(parts[g], k)
			sources[g] = append(sources[g], s)
		}
	}
	a.sources = sources
	for _, columns := range parts {
		a.columns = append(a.columns, joinColumns(columns))
	}
	a.findScales(b.comp)
	return a, nil
}

// sourcesOf returns what the value of a slot is made of.
func sourcesOf(s slot, i int) []satSource {
	if s.variable != nil {
		return []satSource{{variable: s.variable, slot: i}}
	}
	return []satSource{{events: s.sends, slot: i, sign: 1}, {events: s.recvs, slot: i, sign: -1}}
}

// set gives the slots of the program what a column's sources have in one class.
func (a *satAtom) set(sources []satSource, tuple []graphs.Value) {
	for i, s := range sources {
		switch s.sign {
		case 0:
			a.env[s.slot] = tuple[i]
		case 1:
			a.slots[s.slot].sent = tuple[i].Int64()
		case -1:
			a.slots[s.slot].received = tuple[i].Int64()
		}
	}
}

// holds evaluates the expression for the classes that were set last.
func (a *satAtom) holds() bool {
	for i, s := range a.program.slots {
		if s.variable == nil {
			a.env[i] = graphs.Int(a.slots[i].sent - a.slots[i].received)
		}
	}
	return a.program.holds(a.env)
}

// setClass sets the values of column i to those of a class.
func (a *satAtom) setClass(i int, class int32) {
	a.set(a.sources[i], a.columns[i].tuples[class])
}

// cases returns in how many ways the classes can be combined.
func (a *satAtom) cases() float64 {
	n := 1.0
	for _, k := range a.columns {
		n *= float64(len(k.tuples))
	}
	return n
}

// constant reports whether the expression has the same truth in all cases, and
// which. The error is that of ctx.
func (a *satAtom) constant(ctx context.Context) (truth, ok bool, err error) {
	var seen [2]bool
	look := func() {
		if a.holds() {
			seen[1] = true
		} else {
			seen[0] = true
		}
	}
	var combine func(columns []int)
	combine = func(columns []int) {
		if len(columns) == 0 {
			look()
			return
		}
		for class := range int32(len(a.columns[columns[0]].tuples)) {
			if len(columns) > 1 && err == nil {
				err = ctx.Err()
			}
			if err != nil || seen[0] && seen[1] {
				return
			}
			a.setClass(columns[0], class)
			combine(columns[1:])
		}
	}
	if a.monotone {
		// The worst case, then the best.
		for _, ends := range [][2]int{{a.scales[0].len() - 1, 0}, {0, a.scales[1].len() - 1}} {
			a.setClass(0, a.scales[0].class(ends[0]))
			a.setClass(1, a.scales[1].class(ends[1]))
			look()
		}
	} else {
		combine(a.byCases())
	}
	return seen[1], seen[0] != seen[1], err
}

// findScales sets scales, if the expression is a comparison of that kind.
func (a *satAtom) findScales(c *graphs.Computation) {
	if len(a.columns) != 2 || a.expr.Op != syntax.ExprCompare || len(a.expr.Rel) != 1 {
		return
	}
	for i, k := range a.columns {
		if len(a.sources[i]) != 1 || !k.numbers() {
			return
		}
	}
	var trends [2]trend
	for i := range trends {
		reads := readsOf(c, a.sources[i][0])
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
	a.monotone = true
	for i, k := range a.columns {
		k.sort()
		a.scales[i] = satScale{k, trends[i] == down}
	}
	a.scales[0] = a.scales[0].reversed()
}

// A trend is what becomes of a value as one of its sources grows.
type trend uint8

const (
	level trend = iota
	up
	down
	unclear
)

func (t trend) reversed() trend { return [...]trend{level, down, up, unclear}[t] }

func (t trend) plus(u trend) trend {
	switch {
	case t == level || t == u:
		return u
	case u == level:
		return t
	}
	return unclear
}

// readsOf tells how an operand of an expression follows a source.
func readsOf(c *graphs.Computation, s satSource) func(e *syntax.Expr) trend {
	return func(e *syntax.Expr) trend {
		switch {
		case e.Op == syntax.ExprVar && c.Variable(e.Owner, e.Text) == s.variable:
			return up
		case e.Op != syntax.ExprTransit || s.variable != nil:
			return level
		case s.sign > 0 && e.FromID == c.Process(s.events[0]):
			return up
		case s.sign < 0 && e.ToID == c.Process(s.events[0]):
			return down
		}
		return level
	}
}

// trendOf returns the trend of an expression. Rounding keeps trends.
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
		if t := signOf(e.Args[0]); t != unclear {
			return t.times(trendOf(e.Args[1], reads))
		}
		if t := signOf(e.Args[1]); t != unclear {
			return t.times(trendOf(e.Args[0], reads))
		}
	}
	return unclear
}

// signOf returns the trend of the products of a number with something that
// grows; it is unclear for what is no number.
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

// times returns the trend of a product with a number of that sign.
func (t trend) times(u trend) trend {
	switch t {
	case up:
		return u
	case down:
		return u.reversed()
	}
	return level
}

// A stair says that where the first column has come to place first of its scale,
// the second has come to place second of its own.
type stair struct{ first, second int }

// stairs lists what a monotone atom, or its negation, asks for, given the scales
// that fit; a second that is past the end of the scale forbids the first.
func (a *satAtom) stairs(negated bool) (scales [2]satScale, steps []stair) {
	scales = a.scales
	if negated {
		scales[0], scales[1] = scales[0].reversed(), scales[1].reversed()
	}
	j := 0
	for i := range scales[0].len() {
		a.setClass(0, scales[0].class(i))
		before := j
		for ; j < scales[1].len(); j++ {
			a.setClass(1, scales[1].class(j))
			if a.holds() != negated {
				break
			}
		}
		if j > before {
			steps = append(steps, stair{i, j})
		}
		if j == scales[1].len() {
			break
		}
	}
	return scales, steps
}

// byCases orders the numbers of the columns by how many classes they have.
func (a *satAtom) byCases() []int {
	order := make([]int, len(a.columns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(len(a.columns[i].tuples), len(a.columns[j].tuples)) })
	return order
}

// atomParts returns comparisons with one relational operator each whose
// conjunction is e, nil where e has no more than one.
func atomParts(e *syntax.Expr) []*syntax.Expr {
	if e.Op != syntax.ExprCompare || len(e.Rel) < 2 {
		return nil
	}
	var parts []*syntax.Expr
	for i, rel := range e.Rel {
		part := *e
		part.Args, part.Rel = e.Args[i:i+2:i+2], []syntax.Relop{rel}
		parts = append(parts, &part)
	}
	return parts
}

// halves returns the two inequalities whose conjunction says that two numbers are
// equal, where the expression says that they are or are not and the columns have
// so many values that inequalities may be cheaper.
func (a *satAtom) halves() []*syntax.Expr {
	e := a.expr
	if len(a.columns) != 2 || e.Op != syntax.ExprCompare || len(e.Rel) != 1 || a.cases() < manyCases {
		return nil
	}
	if e.Rel[0] != syntax.Equal && e.Rel[0] != syntax.NotEqual || !a.columns[0].numbers() || !a.columns[1].numbers() {
		return nil
	}
	atMost, atLeast := *e, *e
	atMost.Rel, atLeast.Rel = []syntax.Relop{syntax.LessEqual}, []syntax.Relop{syntax.GreaterEqual}
	return []*syntax.Expr{&atMost, &atLeast}
}

// manyCases is from how many cases on an equality is taken apart, mostCases how
// many an atom may have and allCases a formula.
const (
	manyCases = 1 << 10
	mostCases = 1 << 22
	allCases  = 1 << 26
)

func tooManyCases(e *syntax.Expr, n float64) error {
	return &unfitError{fmt.Sprintf("the values in %s can be combined in %.0f ways", e, n)}
}
