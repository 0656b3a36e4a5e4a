package syntax

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Precedences, from loose to tight. An operand that binds more loosely than its
// place requires is put in parentheses.
var precedence = [...]int{OpIff: 1, OpImplies: 2, OpOr: 3, OpAnd: 4}

const precUnary = 5

const (
	precSum = iota + 1
	precTerm
	precFactor
)

// opText holds the operators as they are printed.
var opText = [...]string{
	OpTrue: "true", OpFalse: "false", OpAtom: "", OpNot: "!", OpAnd: "&&", OpOr: "||", OpImplies: "->", OpIff: "<->",
	OpEX: "EX", OpAX: "AX", OpEF: "EF", OpAF: "AF", OpEG: "EG", OpAG: "AG",
	OpEU: "E[ U ]", OpAU: "A[ U ]", OpER: "E[ R ]", OpAR: "A[ R ]", OpEW: "E[ W ]", OpAW: "A[ W ]",
	OpForall: "forall", OpExists: "exists",
}

// String returns the operator in the syntax of formulas: &&, EF, E[ U ].
func (op Op) String() string {
	if int(op) < len(opText) && op != OpAtom {
		return opText[op]
	}
	return "Op(" + strconv.Itoa(int(op)) + ")"
}

// pathText returns the text before and between the operands of E[p U q] and its like.
func (op Op) pathText() (before, between string) {
	text := opText[op]
	return text[:2], text[2:5]
}

// String returns the type's name with its article: "a number".
func (t Type) String() string {
	return [...]string{UnknownType: "a value of unknown type", NumberType: "a number", BoolType: "a Boolean", StringType: "a string"}[t]
}

// String returns the formula in its canonical form: ASCII operators with one space around
// binary ones, and only the parentheses that are needed. Two more pairs are kept for the
// reader: around a comparison below a unary operator, as in AG(x == 1), and around an
// aggregate, as in (count i: cs@i) <= 1. Parse reads it back as an equal formula. Two formulas
// are equal if and only if their canonical forms are.
//
// A shared subformula is printed wherever it is used.
func (f *Formula) String() string {
	var b printer
	printFormula(&b, f, 0, true)
	return b.String()
}

// Brief returns the canonical form, cut short after limit characters. A quantifier over many
// processes may fill screens, and the text of shared subformulas may be exponential. The time
// complexity of Brief is O(limit + |atom|), for the longest atom.
func (f *Formula) Brief(limit int) string {
	b := printer{limit: utf8.UTFMax * (limit + 1)}
	printFormula(&b, f, 0, true)
	text := []rune(b.String())
	if len(text) > limit {
		return string(text[:limit]) + "…"
	}
	return string(text)
}

// A printer is text that is being written, up to limit bytes of it where that is not 0.
type printer struct {
	strings.Builder
	limit int
}

// full reports whether enough text was written, so that callers stop early.
func (b *printer) full() bool { return b.limit > 0 && b.Len() >= b.limit }

// String returns the expression in its canonical form.
func (e *Expr) String() string {
	var b printer
	printExpr(&b, e, 0)
	return b.String()
}

// printFormula writes f where an operand of precedence at least prec is
// expected. tail says that the text that follows cannot be taken for a part of
// f, so that a quantifier needs no parentheses.
func printFormula(b *printer, f *Formula, prec int, tail bool) {
	if b.full() {
		return
	}
	parens := false
	switch f.Op {
	case OpTrue, OpFalse:
		b.WriteString(opText[f.Op])
	case OpAtom:
		printExpr(b, f.Expr, 0)
	case OpAnd, OpOr, OpImplies, OpIff:
		own := precedence[f.Op]
		if parens = own < prec; parens {
			b.WriteByte('(')
			tail = true
		}
		for n, sub := range f.Sub {
			if b.full() {
				return
			}
			if n > 0 {
				b.WriteString(" " + opText[f.Op] + " ")
			}
			wanted := own + 1
			if f.Op == OpImplies && n == 1 || f.Op == OpIff && n == 0 {
				// p -> q -> r is p -> (q -> r), p <-> q <-> r is (p <-> q) <-> r
				wanted = own
			}
			printFormula(b, sub, wanted, tail && n == len(f.Sub)-1)
		}
	case OpNot, OpEX, OpAX, OpEF, OpAF, OpEG, OpAG:
		b.WriteString(opText[f.Op])
		printOperand(b, f.Op, f.Sub[0], tail)
	case OpEU, OpAU, OpER, OpAR, OpEW, OpAW:
		before, between := f.Op.pathText()
		b.WriteString(before)
		printFormula(b, f.Sub[0], 0, true)
		b.WriteString(between)
		printFormula(b, f.Sub[1], 0, true)
		b.WriteByte(']')
	case OpForall, OpExists:
		if parens = !tail; parens {
			b.WriteByte('(')
		}
		b.WriteString(opText[f.Op] + " ")
		printQuantifier(b, f.Quant)
		b.WriteString(": ")
		printFormula(b, f.Sub[0], 0, true)
	}

	if parens {
		b.WriteByte(')')
	}
}

// printOperand writes the operand of a unary operator, and the space before
// it where one is needed.
func printOperand(b *printer, op Op, f *Formula, tail bool) {
	if f.Op == OpAtom && (f.Expr.Op == ExprCompare || f.Expr.Op == ExprLasts) {
		b.WriteByte('(')
		printExpr(b, f.Expr, 0)
		b.WriteByte(')')
		return
	}
	if op != OpNot && !startsWithParen(f, tail) {
		b.WriteByte(' ')
	}
	printFormula(b, f, precUnary, tail)
}

// startsWithParen reports whether f is put into parentheses as the operand of
// a unary operator.
func startsWithParen(f *Formula, tail bool) bool {
	switch f.Op {
	case OpAnd, OpOr, OpImplies, OpIff:
		return true
	case OpForall, OpExists:
		return !tail
	}
	return false
}

// printQuantifier writes the names of a quantifier with their domain, without the
// word before and the colon after.
func printQuantifier(b *printer, q *Quantifier) {
	between := ", "
	if q.Distinct {
		between = " != "
	}
	if q.Data != nil && q.Data.Tuple {
		b.WriteByte('(')
		printNames(b, q.Names, between)
		b.WriteByte(')')
	} else {
		printNames(b, q.Names, between)
	}
	switch {
	case q.Data != nil:
		b.WriteString(" in ")
		printData(b, q.Data)
	case q.Glob != "":
		b.WriteString(" in " + quote(q.Glob))
	case q.Domain != nil:
		b.WriteString(" in {")
		printNames(b, q.Domain, ", ")
		b.WriteByte('}')
	}

	if q.Having != nil {
		b.WriteString(" having ")
		printNames(b, q.Having, ", ")
	}
}

// printNames writes names with a separator.
func printNames(b *printer, names []Name, between string) {
	for n, name := range names {
		if n > 0 {
			b.WriteString(between)
		}
		b.WriteString(nameText(name.Text))
	}
}

// nameText returns a name in the syntax of formulas: plain names bare, others in quotes.
func nameText(name string) string {
	if isPlain(name) {
		return name
	}
	return quote(name)
}

// printExpr writes e where an operand of precedence at least prec is expected, in
// parentheses if it binds more loosely.
func printExpr(b *printer, e *Expr, prec int) {
	own := precFactor
	switch e.Op {
	case ExprSum, ExprCount, ExprMin, ExprMax:
		printAggregate(b, e, prec)
	case ExprNumber:
		b.WriteString(numberText(e))
	case ExprString:
		b.WriteString(quote(e.Text))
	case ExprBool:
		b.WriteString(strconv.FormatBool(e.Bool))
	case ExprVar:
		channel := strings.TrimSuffix(strings.TrimPrefix(e.Text, length+"("), ")")
		if isPlain(channel) && e.Text == length+"("+channel+")" || isColumn(e.Text) {
			b.WriteString(e.Text)
		} else {
			b.WriteString(nameText(e.Text))
		}
		if e.Process.Text != "" {
			b.WriteString("@" + nameText(e.Process.Text))
		}
	case ExprTransit:
		b.WriteString("transit(" + nameText(e.From.Text) + ", " + nameText(e.To.Text) + ")")
	case ExprOnce, ExprEvents, ExprBetween, ExprKnows, ExprHappened, ExprBefore, ExprOf:
		printPast(b, e)
	case ExprWithin, ExprResponse, ExprTogether, ExprLasts:
		printBounded(b, e)
	case ExprValue:
		b.WriteString(e.Text)
	case ExprField:
		b.WriteString(nameText(e.Text))
	case ExprOwn:
		b.WriteString("@" + e.Text)
	case ExprHas:
		b.WriteString("has(" + ownText(e.Text) + ")")
	case ExprNeg:
		b.WriteByte('-')
		printExpr(b, e.Args[0], precFactor)
	case ExprAdd, ExprSub:
		own = precSum
	case ExprMul:
		own = precTerm
	case ExprCompare:
		own = 0
	}
	if own == precFactor {
		return
	}
	if own < prec {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}

	for n, arg := range e.Args {
		switch {
		case e.Op == ExprCompare && n == 0:
			printExpr(b, arg, precSum)
		case e.Op == ExprCompare:
			b.WriteString(" " + e.Rel[n-1].String() + " ")
			printExpr(b, arg, precSum)
		case n == 0:
			printExpr(b, arg, own)
		default:
			b.WriteString(" " + arithmeticText[e.Op] + " ")
			printExpr(b, arg, own+1)
		}
	}
}

// arithmeticText holds the arithmetic operators as they are printed.
var arithmeticText = [...]string{ExprNeg: "-", ExprAdd: "+", ExprSub: "-", ExprMul: "*"}

// aggregateText holds the aggregates as they are printed.
var aggregateText = [...]string{ExprSum: "sum", ExprCount: "count", ExprMin: "min", ExprMax: "max"}

// printAggregate writes an aggregate, as an operand in parentheses.
func printAggregate(b *printer, e *Expr, prec int) {
	if prec > 0 {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}

	b.WriteString(aggregateText[e.Op] + " ")
	printQuantifier(b, e.Quant)
	b.WriteString(": ")
	if e.Op == ExprCount {
		printFormula(b, e.Form, 0, true)
	} else {
		printExpr(b, e.Term, 0)
	}
}

// numberText returns a number as text that is read back as the same number of the
// same kind.
func numberText(e *Expr) string {
	switch {
	case e.Text != "": // a duration
		return e.Text
	case !e.IsFloat:
		return strconv.FormatInt(e.Int, 10)
	}
	text := strconv.FormatFloat(e.Float, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") && !math.IsInf(e.Float, 0) && !math.IsNaN(e.Float) {
		text += ".0"
	}
	return text
}
