package promela

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// mostRows bounds the combinations of values that are written out for an atom.
const mostRows = 4096

// atom returns the Boolean expression for an atom over several chains: Promela's
// integer arithmetic where all numbers are within 32 bits, else the combinations of
// values that satisfy it, written out.
func (t *translator) atom(e *syntax.Expr) (string, error) {
	reads, err := t.sources(e)
	if err != nil {
		return "", err
	}
	if text, ok := t.truth(e); ok {
		return text, nil
	}
	return t.table(e, reads)
}

// truth returns a Boolean expression; it is not ok where arithmetic will not do.
func (t *translator) truth(e *syntax.Expr) (string, bool) {
	switch e.Op {
	case syntax.ExprBool:
		return strconv.FormatBool(e.Bool), true
	case syntax.ExprVar:
		col := t.column(source{variable: t.comp.Variable(e.Owner, e.Text)})
		truth := column[bool]{events: col.events}
		for _, v := range col.values {
			truth.values = append(truth.values, v.Bool())
		}
		return t.blocks(truth), true
	case syntax.ExprCompare:
		list := make([]string, len(e.Rel))
		for i, rel := range e.Rel {
			text, ok := t.relation(e.Args[i], rel, e.Args[i+1])
			if !ok {
				return "", false
			}
			list[i] = text
		}
		return both(list...), true
	}
	return "", false
}

func (t *translator) relation(x *syntax.Expr, rel syntax.Relop, y *syntax.Expr) (string, bool) {
	switch x.Type {
	case syntax.NumberType:
		a, ok := t.number(x)
		b, alsoOK := t.number(y)
		return fmt.Sprintf("(%s %s %s)", a.text, rel, b.text), ok && alsoOK
	case syntax.BoolType:
		a, ok := t.truth(x)
		b, alsoOK := t.truth(y)
		same := either(both(a, b), both(negate(a), negate(b)))
		if rel == syntax.NotEqual {
			same = negate(same)
		}
		return same, ok && alsoOK
	}
	return "", false
}

// A number is an integer expression and what is known of its value.
type number struct {
	text   string
	lo, hi int64
}

// within reports whether n is an int of Promela. A factor of two is left for the
// intermediate results of sums.
func (n number) within() bool {
	return n.lo >= math.MinInt32/2 && n.hi <= math.MaxInt32/2 && len(n.text) <= mostText
}

func (t *translator) number(e *syntax.Expr) (number, bool) {
	switch e.Op {
	case syntax.ExprNumber:
		n := number{fmt.Sprint(e.Int), e.Int, e.Int}
		if e.Int < 0 {
			n.text = "(" + n.text + ")"
		}
		return n, !e.IsFloat && n.within()
	case syntax.ExprVar:
		return t.integers(source{variable: t.comp.Variable(e.Owner, e.Text)})
	case syntax.ExprTransit:
		sent, ok := t.integers(source{from: e.FromID, to: e.ToID})
		received, alsoOK := t.integers(source{from: e.FromID, to: e.ToID, receives: true})
		return minus(sent, received), ok && alsoOK
	case syntax.ExprCount:
		sum := number{text: "0"}
		for _, f := range e.Sub {
			text, err := t.state(f)
			if err != nil {
				return number{}, false
			}
			sum = plus(sum, number{"(" + text + " -> 1 : 0)", 0, 1})
		}
		return sum, sum.within()
	}
	args := make([]number, len(e.Args))
	for i, arg := range e.Args {
		var ok bool
		if args[i], ok = t.number(arg); !ok {
			return number{}, false
		}
	}
	n := args[0]
	switch e.Op {
	case syntax.ExprNeg:
		n = minus(number{text: "0"}, n)
	case syntax.ExprSub:
		n = minus(n, args[1])
	case syntax.ExprMul:
		n = times(n, args[1])
	case syntax.ExprAdd, syntax.ExprSum:
		for _, m := range args[1:] {
			n = plus(n, m)
		}
	case syntax.ExprMin:
		n = extreme(args, "<")
	case syntax.ExprMax:
		n = extreme(args, ">")
	}
	return n, n.within()
}

// integers returns the value of a source, if all its values are small integers.
func (t *translator) integers(s source) (number, bool) {
	col := t.column(s)
	n := number{"", math.MaxInt64, math.MinInt64}
	for _, v := range col.values {
		if v.Kind != graphs.Number || v.Float {
			return number{}, false
		}
		n.lo, n.hi = min(n.lo, v.Int64()), max(n.hi, v.Int64())
	}
	if !n.within() {
		return number{}, false
	}
	n.text = choose(t, col, func(v graphs.Value) string {
		if v.Int64() < 0 {
			return "(" + v.String() + ")"
		}
		return v.String()
	})
	return n, n.within()
}

func plus(a, b number) number {
	return number{"(" + a.text + " + " + b.text + ")", a.lo + b.lo, a.hi + b.hi}
}

func minus(a, b number) number {
	return number{"(" + a.text + " - " + b.text + ")", a.lo - b.hi, a.hi - b.lo}
}

func times(a, b number) number {
	corners := []int64{a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}
	return number{"(" + a.text + " * " + b.text + ")", slices.Min(corners), slices.Max(corners)}
}

// extreme returns the least or the greatest of several numbers. Each level of the
// tree writes its operands twice, so that the text has the square of the length of
// the operands.
func extreme(args []number, better string) number {
	if len(args) == 1 {
		return args[0]
	}
	a, b := extreme(args[:len(args)/2], better), extreme(args[len(args)/2:], better)
	n := number{fmt.Sprintf("((%s %s %s) -> %s : %s)", a.text, better, b.text, a.text, b.text), min(a.lo, b.lo), max(a.hi, b.hi)}
	return n
}

// table writes an atom out: for each combination of values of what it reads but
// the last, those values of the last that satisfy it.
func (t *translator) table(e *syntax.Expr, reads []source) (string, error) {
	columns := make([]column[graphs.Value], len(reads))
	distinct := make([][]graphs.Value, len(reads))
	rows := 1
	for i, s := range reads {
		columns[i] = t.column(s)
		for _, v := range columns[i].values {
			if !slices.ContainsFunc(distinct[i], v.Equal) {
				distinct[i] = append(distinct[i], v)
			}
		}
		if rows *= len(distinct[i]); rows > mostRows {
			return "", &LimitError{fmt.Sprintf("%s has values beyond the integers of Promela, and too many of them to be written out", e)}
		}
	}
	now := make(map[source]graphs.Value, len(reads))
	at := t.reading(func(s source) graphs.Value { return now[s] })
	var fill func(i int) string
	fill = func(i int) string {
		if i == len(reads)-1 {
			truth := column[bool]{events: columns[i].events}
			for _, v := range columns[i].values {
				now[reads[i]] = v
				truth.values = append(truth.values, at.value(e).Bool())
			}
			return t.blocks(truth)
		}
		var list []string
		for _, v := range distinct[i] {
			now[reads[i]] = v
			rest := fill(i + 1)
			if rest == no {
				continue
			}
			is := column[bool]{events: columns[i].events}
			for _, w := range columns[i].values {
				is.values = append(is.values, w.Equal(v))
			}
			list = append(list, both(t.blocks(is), rest))
		}
		return either(list...)
	}
	text := fill(0)
	if len(text) > mostText {
		return "", &LimitError{strings.TrimSpace(e.String()) + " is too long in Promela"}
	}
	return text, nil
}
