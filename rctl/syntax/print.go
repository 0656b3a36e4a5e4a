package syntax

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
)

// Precedences, from loose to tight. An operand that binds more loosely than its
// place requires is put in parentheses.
var precedence = [...]int{OpIff: 1, OpImplies: 2, OpOr: 3, OpAnd: 4}

const precUnary = 5 // tighter than all binary operators

const (
	precSum = iota + 1
	precTerm
	precFactor
)

// opText holds the printed form of each operator.
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
	b.put(f)
	return b.String()
}

// Brief returns the canonical form, cut short after limit characters. A quantifier over many
// processes may fill screens, and the text of shared subformulas may be exponential. The time
// complexity of Brief is O(limit + |atom|), for the longest atom.
func (f *Formula) Brief(limit int) string {
	b := printer{limit: utf8.UTFMax * (limit + 1)}
	b.put(f)
	return graphs.Shorten(b.String(), limit)
}

// A printer collects printed text, up to about limit bytes if limit is not 0.
type printer struct {
	strings.Builder
	limit int
}

// full reports whether the limit is reached, so that callers can stop early.
func (b *printer) full() bool { return b.limit > 0 && b.Len() >= b.limit }

// put writes strings, names, quantifiers, formulas and expressions, the last two without parentheses
// around them. It writes nothing for nil.
func (b *printer) put(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			b.WriteString(part)
		case Name:
			b.WriteString(part.String())
		case *Quantifier:
			printQuantifier(b, part)
		case *Formula:
			if part != nil {
				printFormula(b, part, 0, true)
			}
		case *Expr:
			if part != nil {
				printExpr(b, part, 0)
			}
		}
	}
}

// enclosed is put, with parentheses around the parts if wanted.
func (b *printer) enclosed(parentheses bool, parts ...any) {
	if parentheses {
		b.put("(")
		defer b.put(")")
	}
	b.put(parts...)
}

// String returns the expression in its canonical form.
func (e *Expr) String() string {
	var b printer
	b.put(e)
	return b.String()
}

// printFormula writes f where an operand of precedence at least prec is
// expected. tail says that the text after f cannot be mistaken for a part of f,
// so that a quantifier needs no parentheses.
func printFormula(b *printer, f *Formula, prec int, tail bool) {
	if b.full() {
		return
	}
	text := opText[f.Op]
	switch f.Op {
	case OpTrue, OpFalse:
		b.put(text)
	case OpAtom:
		b.put(f.Expr)
	case OpAnd, OpOr, OpImplies, OpIff:
		own := precedence[f.Op]
		if own < prec {
			b.put("(")
			defer b.put(")")
			tail = true
		}
		for n, sub := range f.Sub {
			if b.full() {
				return
			}
			if n > 0 {
				b.put(" ", text, " ")
			}
			wanted := own + 1
			if f.Op == OpImplies && n == 1 || f.Op == OpIff && n == 0 {
				// p -> q -> r is p -> (q -> r), p <-> q <-> r is (p <-> q) <-> r
				wanted = own
			}
			printFormula(b, sub, wanted, tail && n == len(f.Sub)-1)
		}
	case OpNot, OpEX, OpAX, OpEF, OpAF, OpEG, OpAG:
		b.put(text)
		printOperand(b, f.Op, f.Sub[0], tail)
	case OpEU, OpAU, OpER, OpAR, OpEW, OpAW: // as in E[ U ]
		b.put(text[:2], f.Sub[0], text[2:5], f.Sub[1], "]")
	case OpForall, OpExists:
		b.enclosed(!tail, text, " ", f.Quant, ": ", f.Sub[0])
	}
}

// printOperand writes the operand of a unary operator, and the space before
// it if one is needed.
func printOperand(b *printer, op Op, f *Formula, tail bool) {
	if isAtomOf(f, ExprCompare) || isAtomOf(f, ExprLasts) {
		b.put("(", f.Expr, ")")
		return
	}
	parentheses := f.Op >= OpAnd && f.Op <= OpIff || f.Quant != nil && !tail
	if op != OpNot && !parentheses {
		b.put(" ")
	}
	printFormula(b, f, precUnary, tail)
}

// isAtomOf reports whether f is an atom of an operator.
func isAtomOf(f *Formula, op ExprOp) bool { return f.Op == OpAtom && f.Expr.Op == op }

// printQuantifier writes the names of a quantifier with their domain, without the
// word before and the colon after.
func printQuantifier(b *printer, q *Quantifier) {
	between := ", "
	if q.Distinct {
		between = " != "
	}
	b.enclosed(q.Data != nil && q.Data.Tuple, joinNames(q.Names, between))
	switch {
	case q.Sort() == OfEvent:
		b.put(" in events(", q.Data.Where, ")")
	case q.Sort() == OfValue:
		b.put(" in values(", joinNames(q.Data.Fields, ", "))
		if q.Data.Where != nil {
			b.put(" where ", q.Data.Where)
		}
		b.put(")")
	case q.Glob != "":
		b.put(" in ", quote(q.Glob))
	case q.Domain != nil:
		b.put(" in {", joinNames(q.Domain, ", "), "}")
	}
	if q.Having != nil {
		b.put(" having ", joinNames(q.Having, ", "))
	}
}

// joinNames returns names with a separator.
func joinNames(names []Name, between string) string {
	return strings.Join(Mapped(names, Name.String), between)
}

// nameText returns a name in the syntax of formulas: plain names bare, others in quotes.
func nameText(name string) string {
	if isPlain(name) {
		return name
	}
	return quote(name)
}

// exprText holds the printed words and symbols of expressions.
var exprText = [...]string{
	ExprNeg: "-", ExprAdd: "+", ExprSub: "-", ExprMul: "*",
	ExprSum: "sum", ExprCount: "count", ExprMin: "min", ExprMax: "max",
	ExprOnce: "once", ExprEvents: "events", ExprBetween: "between",
}

// printExpr writes e where an operand of precedence at least prec is expected, in
// parentheses if it binds more loosely.
func printExpr(b *printer, e *Expr, prec int) {
	owner := ""
	if e.Process.Text != "" {
		owner = "@" + e.Process.String()
	}
	switch e.Op {
	case ExprNumber:
		b.put(numberText(e))
	case ExprString:
		b.put(quote(e.Text))
	case ExprBool:
		b.put(strconv.FormatBool(e.Bool))
	case ExprVar:
		text := nameText(e.Text)
		channel := strings.TrimSuffix(strings.TrimPrefix(e.Text, length+"("), ")")
		if isPlain(channel) && e.Text == length+"("+channel+")" || isColumn(e.Text) {
			text = e.Text
		}
		b.put(text, owner)
	case ExprTransit:
		b.put("transit(", e.From, ", ", e.To, ")")
	case ExprSum, ExprCount, ExprMin, ExprMax:
		b.enclosed(prec > 0, exprText[e.Op], " ", e.Quant, ": ", e.Form, e.Term)
	case ExprOnce, ExprEvents, ExprBetween:
		b.put(exprText[e.Op], "(", e.Conds[0])
		for _, cond := range e.Conds[1:] {
			b.put(", ", cond)
		}
		b.put(")", owner)
	case ExprKnows:
		b.put("(knows ", e.Process, ": ", e.Conds[0], ")")
	case ExprHappened:
		b.put(e.Event.Text)
	case ExprBefore:
		b.put(e.Event.Text, " before ", e.Other.Text)
	case ExprOf:
		b.put(e.Event.Text, ".", e.Text)
	case ExprWithin, ExprResponse, ExprTogether, ExprLasts:
		printBounded(b, e)
	case ExprValue:
		b.put(e.Text)
	case ExprField:
		b.put(nameText(e.Text))
	case ExprOwn:
		b.put("@", e.Text)
	case ExprHas:
		b.put("has(", ownText(e.Text), ")")
	case ExprNeg:
		b.put("-")
		printExpr(b, e.Args[0], precFactor)
	case ExprAdd, ExprSub, ExprMul, ExprCompare:
		printOperation(b, e, prec)
	}
}

// printOperation writes operands with operators between them.
func printOperation(b *printer, e *Expr, prec int) {
	own := map[ExprOp]int{ExprAdd: precSum, ExprSub: precSum, ExprMul: precTerm}[e.Op]
	if own < prec {
		b.put("(")
		defer b.put(")")
	}
	for n, arg := range e.Args {
		switch {
		case n == 0:
			printExpr(b, arg, max(own, precSum))
			continue
		case e.Op == ExprCompare:
			b.put(" ", e.Rel[n-1].String(), " ")
		default:
			b.put(" ", exprText[e.Op], " ")
		}
		printExpr(b, arg, own+1)
	}
}

// printBounded writes an operator with a bound.
func printBounded(b *printer, e *Expr) {
	bound := e.Rel[0].String() + " " + numberText(e.Args[0])
	switch last := e.Conds[len(e.Conds)-1]; e.Op {
	case ExprLasts:
		b.enclosed(last.Op != OpAtom || isAtomOf(last, ExprCompare) || isAtomOf(last, ExprLasts), last)
		b.put(" ", lasts, " ", bound)
	case ExprTogether:
		b.put("EF[", bound, "]")
		printOperand(b, OpEF, last, false)
	case ExprWithin:
		b.put("AF[", bound, "]")
		printOperand(b, OpAF, last, false)
	case ExprResponse:
		b.put("AG(")
		printFormula(b, e.Conds[0], precedence[OpImplies]+1, false)
		b.put(" -> AF[", bound, "]")
		printOperand(b, OpAF, last, false)
		b.put(")")
	}
}

// numberText returns text that Parse reads back as the same number of the same kind.
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
