package syntax

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/rctl/internal/abort"
)

// This file makes the hints of errors about names: suggestions for a name that does not exist. Hints
// about tokens are in suggest.go.
//
// Example: if P1 has the variable cs, a formula with P1.cs gets the message
//
//	there is no variable P1.cs (did you mean cs@P1?)

// noProcess returns the error for a name that is not that of a process.
func (r *resolver) noProcess(name Name) abort.Error {
	hint := cmp.Or(r.unquoted(name), DidYouMean(name.Text, r.processes), listAll("the only process is ", "the processes are ", r.processes))
	switch {
	case hintFor(name.Text) == "write forall" || hintFor(name.Text) == "write exists":
		hint = "of all processes, write forall i: x@i; of some, exists i: x@i"
	case utf8.RuneCountInString(name.Text) == 1:
		hint = strings.TrimSuffix("a name for any process is bound by forall "+name.Text+": … or exists "+name.Text+": …; "+hint, "; ")
	}
	return r.errorf(name.Pos, hint, "there is no process %s", name)
}

// unquoted returns a hint if the text at a name is the name of a process that needs
// quotes, such as stock-a; "" if not.
func (r *resolver) unquoted(name Name) string {
	if r.src == nil || name.Pos > len(r.src.text) {
		return ""
	}
	longest := ""
	for _, p := range r.processes {
		if !isPlain(p) && len(p) > max(len(longest), len(name.Text)) && strings.HasPrefix(r.src.text[name.Pos:], p) {
			longest = p
		}
	}

	if longest == "" {
		return ""
	}
	return "a name that is not plain is written as a string: " + clip(quote(longest))
}

// list returns the names of processes as in "P1, P2 and P3".
func (r *resolver) list(processes []int) string {
	return listNames(Mapped(processes, func(p int) string {
		if p == Shared {
			return "all (shared)"
		}
		return shown(r.processes[p])
	}), "and")
}

// meant returns a hint about operand i of a comparison, a name without a variable; "" if there is none.
func (r *resolver) meant(e *Expr, i int) string {
	arg, hint := e.Args[i], ""
	for _, k := range []int{i - 1, i + 1} {
		if k < 0 || k == len(e.Args) {
			continue
		}
		rel, other := e.Rel[min(i, k)], e.Args[k]
		bound := other.Op == ExprVar && other.Process.Text == "" && r.binds(other.Text)
		switch {
		case rel == NotEqual && r.chosen(arg) && (bound || r.chosen(other)):
			hint = "different processes are chosen where they are bound: forall " +
				arg.Text + " != " + other.Text + ": …"
		case bound || other.Op != ExprVar && r.isProcess(arg.Text):
		case r.binds(strings.SplitN(arg.Text, ".", 2)[0]):
		case rel == Equal || rel == NotEqual:
			var g *Expr
			err := r.try(func() { g = r.expr(other) })
			if err == nil && g != nil && g.Type == StringType && !strings.HasPrefix(hintFor(arg.Text), "there is no ") {
				hint = "strings are written in double quotes: " + clip(quote(arg.Text))
			}
		}
	}
	return hint
}

// chosen reports whether e is a name that is bound to a process, or that has no meaning.
func (r *resolver) chosen(e *Expr) bool {
	return r.strange(e) && hintFor(e.Text) == "" && (r.binds(e.Text) || !r.isProcess(e.Text))
}

// strange reports whether e is a bare name that is not the name of a variable.
func (r *resolver) strange(e *Expr) bool {
	return e.Op == ExprVar && e.Process.Text == "" && len(r.scope.Owners(e.Text)) == 0
}

// binds reports whether a name is bound.
func (r *resolver) binds(name string) bool { return r.meaning(name).number != unbound }

// isProcess reports whether a name stands for a process.
func (r *resolver) isProcess(name string) bool {
	if r.binds(name) {
		return true
	}
	_, ok := r.scope.LookupProcess(name)
	return ok
}

// unknown returns the error for a variable that no process has. Without a better hint, it suggests the
// nearest name.
func (r *resolver) unknown(e *Expr, hint string) abort.Error {
	name := shown(e.Text)
	if hint != "" {
		return r.errorf(e.Pos, hint, "there is no variable %s", name)
	}
	if r.binds(e.Text) {
		hint = name + " stands for a process; its variables are written x@" + name
	} else if _, ok := r.scope.LookupProcess(e.Text); ok {
		hint = name + " is a process; its variables are written x@" + name
	} else if op, rest := splitOperator(e.Text); op != "" && len(r.scope.Owners(rest)) > 0 {
		hint = "did you mean " + op + " " + shown(rest) + "?"
	} else if bound, field, ok := strings.Cut(e.Text, "."); ok && r.binds(bound) {
		hint = shown(bound) + " stands for a process; its variables are written " + shown(field) + "@" + shown(bound)
	} else if owned := r.withOwner(e.Text); owned != "" {
		hint = "did you mean " + owned + "?"
	} else if hintFor(e.Text) != "" {
		hint = hintFor(e.Text)
	} else {
		names := r.scope.VariableNames()
		hint = cmp.Or(DidYouMean(e.Text, names), listAll("the only variable is ", "the variables are ", names), "there are no variables at all")
	}

	return r.errorf(e.Pos, hint, "there is no variable %s", name)
}

// withOwner returns x@P1 for names such as P1.x, x.P1 and x_P1; "" for others.
func (r *resolver) withOwner(name string) string {
	for i, c := range name {
		if c != '.' && c != '_' {
			continue
		}
		left, right := name[:i], name[i+1:]
		for range 2 {
			if r.isProcess(left) && len(r.scope.Owners(right)) > 0 {
				return clip(nameText(right) + "@" + nameText(left))
			}
			left, right = right, left
		}
	}

	return ""
}

// splitOperator splits names such as EFready, written without a space.
func splitOperator(name string) (op, rest string) {
	if len(name) > 2 && tokens()[name[:2]].kind == tokTemporal {
		return name[:2], name[2:]
	}
	return "", ""
}

// notOwner returns the error for a variable that process p does not have.
func (r *resolver) notOwner(e *Expr, p int) abort.Error {
	name, process := shown(e.Text), shown(r.processes[p])
	owners := r.scope.Owners(e.Text)
	bound := r.meaning(e.Process.Text)
	switch {
	case len(owners) == 0:
		if op, rest := splitOperator(e.Text); op != "" && len(r.scope.Owners(rest)) > 0 {
			return r.errorf(e.Pos, "did you mean "+op+" "+shown(rest)+"@"+shown(e.Process.Text)+"?",
				"there is no variable %s", name)
		}
		var own []string
		for _, v := range r.scope.VariableNames() {
			if _, ok := r.scope.Variable(p, v); ok {
				own = append(own, v)
			}
		}
		hint := cmp.Or(DidYouMean(e.Text, own), DidYouMean(e.Text, r.scope.VariableNames()), listAll("the only variable of "+process+" is ", "the variables of "+process+" are ", own))
		return r.errorf(e.Pos, hint, "there is no variable %s", name)
	case owners[0] == Shared:
		return r.errorf(e.Pos, "write "+name+" alone", "%s is shared, not a variable of %s", name,
			process)
	case bound.quant != nil:
		// Leaving out processes without the variable would be wrong: a request that was never answered
		// has no answer.
		hint := `processes without it need a value at the start, by "init" or in mappings "initial"; of events, write once(` +
			name + " == …)@" + shown(e.Process.Text)
		return r.errorf(e.Pos, hint, "%s ranges over %s, which has no variable %s", e.Process.Text,
			process, name)
	}

	verb := "have"
	if len(owners) == 1 {
		verb = "has"
	}
	return r.errorf(e.Pos, "", "%s has no variable %s; %s %s it", process, name, r.list(owners),
		verb)
}

// mixedTypes returns the error for comparing operand i with the next one, in a comparison e as written
// and g resolved.
func (r *resolver) mixedTypes(e, g *Expr, i, pos int) abort.Error {
	left, right := g.Args[i], g.Args[i+1]
	leftText, rightText := clip(e.Args[i].String()), clip(e.Args[i+1].String())
	hint := ""
	_, notNumber := strconv.ParseFloat(right.Text, 64)
	switch {
	case left.Type == BoolType && left.Op == ExprVar:
		hint = "write " + leftText + " or !" + leftText
	case right.Type == BoolType && right.Op == ExprVar:
		hint = "write " + rightText + " or !" + rightText
	case right.Type == StringType && right.Op == ExprString && notNumber == nil:
		hint = "numbers are written without quotes"
	case left.Type == StringType && e.Args[i+1].Op == ExprNumber:
		hint = "strings are written in double quotes"
	}
	return r.errorf(pos, hint, "%s is %s and %s is %s: they cannot be compared", leftText,
		left.Type, rightText, right.Type)
}

// listAll lists names after only or several, depending on their number; "" if there are none.
func listAll(only, several string, names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return only + shown(names[0])
	}
	return several + listNames(Mapped(names, shown), "and")
}

// shown returns the form of a name in messages.
func shown(name string) string { return clip(nameText(name)) }

// Mapped returns the results of a function for each element; nil for a nil slice.
func Mapped[T, U any](from []T, of func(T) U) []U {
	if from == nil {
		return nil
	}
	to := make([]U, len(from))
	for i, x := range from {
		to[i] = of(x)
	}
	return to
}

// listMost bounds how many names a message lists.
const listMost = 5

// listNames joins names for a sentence: "P1, P2 and P3". Long lists are cut short.
func listNames(names []string, word string) string {
	switch n := len(names); {
	case n == 1:
		return names[0]
	case n > listMost+1:
		return strings.Join(names[:listMost], ", ") + " " + word + " " + strconv.Itoa(n-listMost) + " more"
	default:
		return strings.Join(names[:n-1], ", ") + " " + word + " " + names[n-1]
	}
}

// maxClipped bounds the characters of text that is quoted in a message.
const maxClipped = 40

// clip shortens text for a message, and makes it printable.
func clip(text string) string {
	printable := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, text)
	return graphs.Shorten(printable, maxClipped)
}

// DidYouMean returns a question that names the candidates nearest to a name; "" if none is
// near or too many are equally near.
func DidYouMean(name string, candidates []string) string {
	best := Nearest(name, candidates)
	if len(best) == 0 {
		return ""
	}
	return "did you mean " + listNames(Mapped(best, shown), "or") + "?"
}

// Nearest returns the one or two candidates that are nearest to a name; nil if none is near
// or more than two are equally near.
func Nearest(name string, candidates []string) []string {
	var best []string
	length := utf8.RuneCountInString(name)
	distance := 1 + max(1, length/3)
	for _, c := range candidates {
		longer := utf8.RuneCountInString(c) - length
		d := distance + 1
		switch {
		case strings.EqualFold(c, name):
			d = 0
		// A single letter is equally near to any other.
		case length <= 1 && longer+length <= 1:
			d = distance
		case max(longer, -longer) <= distance:
			d = nearmiss.Distance(name, c)
		}
		switch {
		case d < distance:
			best, distance = []string{c}, d
		case d == distance && best != nil:
			best = append(best, c)
		}
	}

	if len(best) > 2 {
		return nil
	}
	return best
}
