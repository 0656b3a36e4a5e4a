package promela

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// maxRows bounds the combinations of values that are written out for an atom.
const maxRows = 4096

// atom returns the Boolean expression for an atom over several chains: Promela's
// integer arithmetic where all numbers are within 32 bits, else the combinations of
// values that satisfy it, written out.
func (t *translator) atom(e *syntax.Expr) (string, error) {
	p, err := atoms.Compile(t.comp, syntax.AsAtom(e))
	if err != nil {
		return "", err
	}
	if text, ok := t.truth(e); ok {
		return text, nil
	}
	return t.table(e, p)
}

// truth returns a Boolean expression; it is not ok where arithmetic will not do.
func (t *translator) truth(e *syntax.Expr) (string, bool) {
	switch e.Op {
	case syntax.ExprBool, syntax.ExprVar:
		text, err := t.chain(syntax.AsAtom(e))
		return text, err == nil
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

// relation returns a comparison of two expressions of one type.
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

// A number is an integer expression with bounds on its value.
type number struct {
	text   string
	lo, hi int64
}

// within reports whether n is an int of Promela. A factor of two is left for the
// intermediate results of sums.
func (n number) within() bool {
	return n.lo >= math.MinInt32/2 && n.hi <= math.MaxInt32/2 && len(n.text) <= maxText
}

// number returns an expression of integers; it is not ok if an intermediate result may
// not fit.
func (t *translator) number(e *syntax.Expr) (number, bool) {
	switch e.Op {
	case syntax.ExprNumber:
		n := number{fmt.Sprint(e.Int), e.Int, e.Int}
		if e.Int < 0 {
			n.text = "(" + n.text + ")"
		}
		return n, !e.IsFloat && n.within()
	case syntax.ExprVar:
		return t.integers(atoms.Slot{Variable: t.comp.Variable(e.Owner, e.Text)})
	case syntax.ExprTransit:
		sends, recvs := atoms.Channel{From: e.FromID, To: e.ToID}.Ends(t.comp)
		sent, ok := t.integers(sends)
		received, alsoOK := t.integers(recvs)
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
			if n = plus(n, m); !n.within() {
				return number{}, false
			}
		}
	case syntax.ExprMin:
		n = extreme(args, "<")
	case syntax.ExprMax:
		n = extreme(args, ">")
	}
	return n, n.within()
}

// column returns the values of a slot.
func (t *translator) column(s atoms.Slot) atoms.Column[graphs.Value] {
	return atoms.Along(s.Term(t.comp)).Between(t.comp)
}

// integers returns the value of a slot, if all its values are small integers.
func (t *translator) integers(s atoms.Slot) (number, bool) {
	col := t.column(s)
	n := number{"", math.MaxInt64, math.MinInt64}
	for _, v := range col.Values {
		if v.Kind != graphs.Number || v.Float {
			return number{}, false
		}
		n.lo, n.hi = min(n.lo, v.Int64()), max(n.hi, v.Int64())
	}
	if !n.within() {
		return number{}, false
	}
	n.text = t.choose(col, func(v graphs.Value) string {
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
	return number{fmt.Sprintf("((%s %s %s) -> %s : %s)", a.text, better, b.text, a.text, b.text), min(a.lo, b.lo), max(a.hi, b.hi)}
}

// table writes an atom out: for each combination of values of all slots but the last,
// the values of the last that satisfy it.
func (t *translator) table(e *syntax.Expr, p *atoms.Predicate) (string, error) {
	// Bound the size before anything is written.
	columns := make([]atoms.Column[graphs.Value], len(p.Slots))
	distinct := make([][]graphs.Value, len(p.Slots))
	rows := 1
	for i, s := range p.Slots {
		columns[i] = t.column(s)
		for _, v := range columns[i].Values {
			if !slices.Contains(distinct[i], v) { // 1e16, a float, is added otherwise than the whole number
				distinct[i] = append(distinct[i], v)
			}
		}
		if rows *= len(distinct[i]); rows > maxRows {
			return "", &LimitError{fmt.Sprintf("%s has values that Promela's integers cannot hold, and too many of them to be written out", e)}
		}
	}
	env := p.Env()
	// where returns the condition that the i-th column has one of some values.
	where := func(i int, among func(v graphs.Value) bool) string {
		truth := atoms.Column[bool]{Events: columns[i].Events}
		for _, v := range columns[i].Values {
			truth.Values = append(truth.Values, among(v))
		}
		return t.blocks(truth)
	}
	var fill func(i int) string
	fill = func(i int) string {
		if i == len(columns)-1 {
			return where(i, func(v graphs.Value) bool {
				env[i] = v
				return p.Of(env)
			})
		}
		var list []string
		for _, v := range distinct[i] {
			env[i] = v
			if rest := fill(i + 1); rest != no {
				list = append(list,
					both(where(i, func(w graphs.Value) bool { return w == v }), rest))
			}
		}
		return either(list...)
	}
	text := fill(0)
	if len(text) > maxText {
		return "", &LimitError{strings.TrimSpace(e.String()) + " is too long in Promela"}
	}
	return text, nil
}
