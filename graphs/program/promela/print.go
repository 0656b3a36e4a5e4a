package promela

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// signs are how operators are written.
var signs = [...]string{
	Not: "!", Negate: "-", Complement: "~", Or: "||", And: "&&", BitOr: "|", BitXor: "^",
	BitAnd: "&", Equal: "==", NotEqual: "!=",
	Less: "<", LessEqual: "<=", Greater: ">", GreaterEqual: ">=", ShiftLeft: "<<", ShiftRight: ">>",
	Add: "+", Subtract: "-",
	Multiply: "*", Divide: "/", Modulo: "%", Len: "len", Full: "full", Empty: "empty",
	NotFull: "nfull", NotEmpty: "nempty",
	Timeout: "timeout", PidOf: "_pid", Processes: "_nr_pr", Ignore: "_",
}

// binding returns how strongly a binary operator binds, 0 for another one.
func binding(op Op) int {
	return slices.IndexFunc(levels, func(level []Op) bool { return slices.Contains(level, op) }) + 1
}

// String returns e in Promela.
func (e *Expr) String() string {
	switch b := binding(e.Op); {
	case b > 0:
		// Left-associative: on the right, an operator of the same level needs parentheses.
		operand := func(x *Expr, least int) string {
			if inner := binding(x.Op); inner > 0 && inner < least {
				return "(" + x.String() + ")"
			}
			return x.String()
		}
		return operand(e.Sub[0], b) + " " + signs[e.Op] + " " + operand(e.Sub[1], b+1)
	case e.Op == Number && e.Symbol != "":
		return e.Symbol
	case e.Op == Number:
		return strconv.Itoa(e.Value)
	case e.Op == Refer:
		return e.Ref.String()
	case e.Op == Eval:
		return "eval(" + e.Sub[0].String() + ")"
	case e.Op == Not || e.Op == Negate || e.Op == Complement:
		// --x would be read as a decrement, and !!x as a sorted send.
		if x := e.Sub[0]; binding(x.Op) > 0 || x.Op == Number && x.Value < 0 || x.Op == e.Op {
			return signs[e.Op] + "(" + x.String() + ")"
		}
		return signs[e.Op] + e.Sub[0].String()
	case e.Op == Cond:
		return fmt.Sprintf("(%s -> %s : %s)", e.Sub[0], e.Sub[1], e.Sub[2])
	case e.Op == Poll:
		return e.Ref.String() + sign("?", e.Random) + "[" + list(e.Sub) + "]"
	case e.Op == Run:
		return "run " + e.Symbol + "(" + list(e.Sub) + ")"
	case e.Ref != nil:
		return signs[e.Op] + "(" + e.Ref.String() + ")"
	}
	return signs[e.Op]
}

// sign returns the sign of a send, a receive or a poll, which is doubled if the send is sorted or
// the receive takes any message.
func sign(mark string, twice bool) string {
	if twice {
		return mark + mark
	}
	return mark
}

// joined is strings.Join for values with a String method.
func joined[T fmt.Stringer](list []T, separator string) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = x.String()
	}
	return strings.Join(texts, separator)
}

// list is a list of arguments.
func list(exprs []*Expr) string { return joined(exprs, ", ") }

// String returns r in Promela, as in a[i].f.
func (r *Ref) String() string {
	// As it was written: the same text reads as the same variable again.
	text := r.Variable.Name
	if r.Index != nil {
		text += "[" + r.Index.String() + "]"
	}
	if r.Field != nil {
		text += "." + r.Field.String()
	}
	return text
}

// String returns a label; the number of the call distinguishes labels of an inline.
func (l Label) String() string {
	if l.Call > 0 {
		return fmt.Sprintf("%s_%d", l.Name, l.Call)
	}
	return l.Name
}

// String returns s on one line; blocks are left out, except a short d_step.
func (s *Statement) String() string {
	switch s.Form {
	case Condition:
		return s.Expr.String()
	case Assign:
		return s.Ref.String() + " = " + s.Expr.String()
	case Send:
		return s.Ref.String() + sign("!", s.Sorted) + list(s.Args)
	case Receive:
		fields := list(s.Args)
		if s.Keep {
			fields = "<" + fields + ">"
		}
		return s.Ref.String() + sign("?", s.Random) + fields
	case Else:
		return "else"
	case Break:
		return "break"
	case Goto:
		return "goto " + s.Target.String()
	case Assert:
		return "assert(" + s.Expr.String() + ")"
	case Print:
		// Only printf has a format.
		if s.Text == "" {
			return "printm(" + list(s.Args) + ")"
		}
		text := s.Text
		for _, a := range s.Args {
			text += ", " + a.String()
		}
		return "printf(" + text + ")"
	case Declare:
		if s.Var.Init == nil {
			return s.Var.Name
		}
		return s.Var.Name + " = " + list(s.Var.Init)
	case stop:
		return "end"
	case join:
		return "skip"
	}
	// Labels of transitions are one line. A d_step is a single transition, so that its label says
	// what it does, unless it does too much for that.
	inside := "…"
	if s.Form == DStep {
		const most = 80
		if text := joined(s.Options[0], "; "); len(text) <= most {
			inside = text
		}
	}
	return openings[s.Form] + " " + inside + " " + closings[s.Form]
}

var (
	openings = map[Form]string{If: "if", Do: "do", Atomic: "atomic {", DStep: "d_step {",
		Block: "{"}
	closings = map[Form]string{If: "fi", Do: "od", Atomic: "}", DStep: "}", Block: "}"}
)
