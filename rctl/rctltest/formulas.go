package rctltest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Fragment is a part of the language of formulas.
type Fragment int

// The fragments.
const (
	Full        Fragment = iota // all operators
	WithoutNext                 // all operators but EX and AX
	Regular                     // formulas that lean slices decide, see RandomFormulaText
	Stateless                   // no temporal operators
)

// FormulaConfig says what RandomFormulaText may draw. The zero FormulaConfig
// stands for formulas of depth 3 with all operators.
type FormulaConfig struct {
	Fragment      Fragment
	Depth         int  // how deep operators may nest above atoms; 0 stands for 3
	NoQuantifiers bool // whether to leave out forall and exists
	NoAggregates  bool // whether to leave out sum, count, min and max
}

// RandomFormulaText returns the text of a random formula over the variables and channels of c. The
// parser accepts it, and it resolves on c.
//
// The fragment Regular has conjunctions of chain predicates (any boolean structure
// over the variables of one process, or over one shared variable), bounds on
// channels, and bounds x@P - y@Q <= k on differences of variables that never
// decrease; and EF, AG, EG, E[p U p && q] and E[q R p] over these.
func RandomFormulaText(r *rand.Rand, c *graphs.Computation, cfg FormulaConfig) string {
	if cfg.Depth == 0 {
		cfg.Depth = 3
	}
	w := &writer{r: r, c: c, cfg: cfg, vars: make(map[graphs.Kind][]string),
		common: make(map[graphs.Kind][]string)}
	for _, v := range c.Variables() {
		w.vars[v.Kind] = append(w.vars[v.Kind], w.reference(v))
		owners := c.VariablesNamed(v.Name)
		// Only the first owner adds the name, so that it is listed once.
		if len(owners) == c.NumProcesses() && owners[0].Process == 0 && v.Process == 0 {
			w.common[v.Kind] = append(w.common[v.Kind], v.Name)
		}
		if v.Process != graphs.Shared && rises(v) {
			w.rising = append(w.rising, v)
		}
	}
	// Depths are drawn evenly, so that shallow formulas occur as often as deep ones.
	depth := r.IntN(cfg.Depth + 1)
	if cfg.Fragment == Regular {
		return w.regular(depth)
	}
	return w.formula(depth)
}

// RandomFormula returns a random formula that is resolved on c.
func RandomFormula(r *rand.Rand, c *graphs.Computation, cfg FormulaConfig) *syntax.Formula {
	text := RandomFormulaText(r, c, cfg)
	f, err := Resolve(c, text)
	if err != nil {
		panic("this cannot happen, because only formulas over the computation are written: " +
			text + ": " + err.Error())
	}
	return f
}

// Resolve parses a formula and resolves it on c.
func Resolve(c *graphs.Computation, text string) (*syntax.Formula, error) {
	f, err := syntax.Parse(text)
	if err != nil {
		return nil, err
	}
	return syntax.Resolve(context.Background(), f, scope.Of(c))
}

// A writer writes formulas.
type writer struct {
	r   *rand.Rand
	c   *graphs.Computation
	cfg FormulaConfig

	vars map[graphs.Kind][]string // the variables, as a formula can write them
	// the names that every process has: only these resolve for quantified processes
	common map[graphs.Kind][]string
	rising []*graphs.Variable // the numbers of processes that never decrease
	bound  []string           // the quantified names in scope
	local  bool               // whether formulas are about one chain and count no messages
}

// rises reports whether a number never decreases, so that bounds on differences are regular.
func rises(v *graphs.Variable) bool {
	if v.Kind != graphs.Number {
		return false
	}
	for i := range v.Len() {
		// Value(-1) is the value before the first event.
		if v.Value(i).Compare(v.Value(i-1)) < 0 {
			return false
		}
	}
	return true
}

// reference writes a variable, with its owner unless only one process has the name, and sometimes
// even then.
func (w *writer) reference(v *graphs.Variable) string {
	if v.Process == graphs.Shared || len(w.c.VariablesNamed(v.Name)) == 1 && w.r.IntN(2) == 0 {
		return v.Name
	}
	return v.Name + "@" + w.process(v.Process)
}

// process writes the name of a process, in quotes if it needs them and sometimes if it does not.
func (w *writer) process(p int) string {
	name := w.c.Processes()[p]
	if plain := "P" + strconv.Itoa(p); name == plain && w.r.IntN(4) > 0 {
		return name
	}
	return strconv.Quote(name)
}

// pick returns one of several texts.
func (w *writer) pick(texts ...string) string { return texts[w.r.IntN(len(texts))] }

// formula writes a formula of any kind.
func (w *writer) formula(depth int) string {
	if depth <= 0 {
		return w.atom()
	}
	if w.cfg.Fragment != Stateless && w.r.IntN(2) == 0 {
		return w.temporal(depth)
	}
	// Depth falls by one or two, so that operands differ in depth.
	sub := func() string { return "(" + w.formula(depth-1-w.r.IntN(2)) + ")" }
	switch w.r.IntN(9) {
	case 0, 1:
		return w.pick("!", "not ") + sub()
	case 2, 3:
		return sub() + w.pick(" && ", " and ") + sub()
	case 4, 5:
		return sub() + w.pick(" || ", " or ") + sub()
	case 6:
		return sub() + " -> " + sub()
	case 7:
		return sub() + " <-> " + sub()
	}
	// Three names are bound at most, as each multiplies the formula by the number of processes.
	if w.cfg.NoQuantifiers || len(w.bound) > 2 {
		return sub() + " && " + sub() + " && " + sub()
	}
	return w.quantified(depth)
}

// temporal writes an operator over runs. Depth is left for its operands.
func (w *writer) temporal(depth int) string {
	sub := func() string { return "(" + w.formula(depth-1-w.r.IntN(2)) + ")" }
	// EX and AX come last, so that a smaller n leaves them out.
	n := 14
	if w.cfg.Fragment == WithoutNext {
		n = 12
	}
	switch k := w.r.IntN(n); {
	case k < 6:
		return w.pick("EF ", "AF ", "EG ", "AG ") + sub()
	case k < 12:
		return w.pick("E", "A") + "[" + sub() + w.pick(" U ", " R ", " W ") + sub() + "]"
	}
	return w.pick("EX ", "AX ") + sub()
}

// quantified writes forall or exists over one name or two, perhaps different ones.
func (w *writer) quantified(depth int) string {
	names := []string{"i", "j", "k", "l"}[len(w.bound):]
	names = names[:1+w.r.IntN(2)]
	between := ", "
	if len(names) > 1 && w.r.IntN(2) == 0 {
		between = " != "
	}
	domain := w.domain()
	w.bound = append(w.bound, names...)
	body := w.formula(depth - 1)
	w.bound = w.bound[:len(w.bound)-len(names)]
	return w.pick("forall ", "exists ") + strings.Join(names, between) + domain + ": " + body
}

// atom writes a formula without operators of the logic.
func (w *writer) atom() string {
	switch k := w.r.IntN(12); {
	case k == 0:
		return w.pick("true", "false")
	case k < 4:
		if v := w.variable(graphs.Bool); v != "" {
			return w.pick("", "!") + v
		}
	case k < 6:
		if v := w.variable(graphs.String); v != "" {
			return w.equality(v, w.variable(graphs.String),
				strconv.Quote(w.pick(graphtest.Strings...)))
		}
	case k == 6:
		if v := w.variable(graphs.Bool); v != "" {
			return w.equality(v, w.variable(graphs.Bool), w.pick("true", "false"))
		}
	case k < 9 && !w.local:
		return fmt.Sprintf("%s %s %d", w.channel(), w.relation(), w.r.IntN(3))
	}
	if !w.cfg.NoAggregates && w.r.IntN(4) == 0 {
		return w.aggregate(1+w.r.IntN(2)) + " " + w.relation() + " " + w.sum(w.r.IntN(2))
	}
	text := w.sum(1+w.r.IntN(2)) + " " + w.relation() + " " + w.sum(w.r.IntN(2))
	if w.r.IntN(4) == 0 {
		text += " " + w.relation() + " " + w.sum(w.r.IntN(2))
	}
	return text
}

// equality compares a with b or, mostly, with a constant.
func (w *writer) equality(a, b, constant string) string {
	// Two of three comparisons are with a constant: equal variables are rare.
	if w.r.IntN(3) > 0 {
		b = constant
	}
	return a + w.pick(" == ", " != ", " = ") + b
}

// relation returns a relation between numbers.
func (w *writer) relation() string { return w.pick("<", "<=", "==", "!=", ">=", ">") }

// variable writes a variable of kind k, or "" if there is none.
func (w *writer) variable(k graphs.Kind) string {
	if names := w.common[k]; len(names) > 0 && len(w.bound) > 0 && w.r.IntN(3) > 0 {
		return w.pick(names...) + "@" + w.pick(w.bound...)
	}
	if len(w.vars[k]) == 0 {
		return ""
	}
	return w.pick(w.vars[k]...)
}

// channel writes the number of messages in transit between two processes, often two that exchange
// some.
func (w *writer) channel() string {
	end := func() string {
		if len(w.bound) > 0 && w.r.IntN(2) == 0 {
			return w.pick(w.bound...)
		}
		return w.process(w.r.IntN(w.c.NumProcesses()))
	}
	from, to := end(), end()
	// A channel without messages makes its atom constant, so half of the atoms name a channel with
	// messages.
	if messages := w.c.Messages(); len(messages) > 0 && w.r.IntN(2) == 0 {
		if m := messages[w.r.IntN(len(messages))]; m.To >= 0 {
			from, to = w.process(w.c.Process(m.Send)), w.process(int(m.To))
		}
	}
	return "transit(" + from + ", " + to + ")"
}

// sum writes a number. Constants are small, floats multiples of a quarter, so
// that machine arithmetic is exact.
func (w *writer) sum(depth int) string {
	if depth <= 0 || w.r.IntN(3) == 0 {
		switch v := w.variable(graphs.Number); {
		case w.r.IntN(4) == 0 || v == "":
			return w.constant()
		case !w.local && w.r.IntN(12) == 0:
			return w.channel()
		case !w.cfg.NoAggregates && len(w.bound) < 3 && w.r.IntN(16) == 0:
			return w.aggregate(0)
		default:
			return v
		}
	}
	switch w.r.IntN(6) {
	case 0, 1:
		return w.sum(depth-1) + " + " + w.sum(depth-1)
	case 2, 3:
		return w.sum(depth-1) + " - (" + w.sum(depth-1) + ")"
	case 4:
		return "(" + w.sum(depth-1) + ") * (" + w.sum(depth-1) + ")"
	}
	return "-(" + w.sum(depth-1) + ")"
}

// constant writes a small number.
func (w *writer) constant() string {
	if w.r.IntN(6) == 0 {
		return w.pick("0.5", "1.25", "-0.75", "2.5")
	}
	return strconv.Itoa(w.r.IntN(6) - 1)
}

// aggregate writes a sum, count, min or max in parentheses.
func (w *writer) aggregate(depth int) string {
	if len(w.bound) > 3 {
		return w.constant()
	}
	name := []string{"a", "b", "c", "d"}[len(w.bound)]
	word := w.pick("sum ", "count ", "sum ", "count ", "min ", "max ")
	head := word + name + w.domain() + ": "
	// The body has no temporal operators.
	inner := *w
	inner.bound = append(inner.bound, name)
	inner.cfg.Fragment = Stateless
	if word == "count " {
		return "(" + head + inner.formula(depth) + ")"
	}
	return "(" + head + inner.sum(depth) + ")"
}

// domain writes the domain of a quantifier, "" most of the time.
func (w *writer) domain() string {
	switch w.r.IntN(5) {
	case 0:
		return ` in "*"`
	case 1:
		return " in {" + w.process(w.r.IntN(w.c.NumProcesses())) + ", " +
			w.process(w.r.IntN(w.c.NumProcesses())) + "}"
	}
	return ""
}

// regular writes a formula of the fragment Regular.
func (w *writer) regular(depth int) string {
	if depth <= 0 {
		return w.regularAtom()
	}
	sub := func() string { return "(" + w.regular(depth-1-w.r.IntN(2)) + ")" }
	switch w.r.IntN(8) {
	case 0, 1:
		return sub() + " && " + sub()
	case 2:
		return sub() + " && " + sub() + " && " + sub()
	case 3:
		return "EF " + sub()
	case 4:
		return "AG " + sub()
	case 5:
		return "EG " + sub()
	case 6:
		// The goal repeats p: this form of until is the one with a lean slice.
		p := sub()
		return "E[" + p + " U " + p + " && " + sub() + "]"
	}
	return "E[" + sub() + " R " + sub() + "]"
}

// regularAtom writes a predicate that has a lean slice.
func (w *writer) regularAtom() string {
	switch k := w.r.IntN(8); {
	case k == 0:
		return fmt.Sprintf("%s %s %d", w.channel(), w.pick("<=", "<", ">=", ">"), w.r.IntN(3))
	case k == 1 && len(w.rising) > 0:
		v, u := w.rising[w.r.IntN(len(w.rising))], w.rising[w.r.IntN(len(w.rising))]
		return fmt.Sprintf("%s - %s %s %d", w.reference(v), w.reference(u), w.pick("<=", "<"),
			w.r.IntN(5)-1)
	case k == 2:
		// false makes a whole conjunction trivial, so it is drawn seldom.
		return w.pick("true", "true", "true", "false")
	}
	return w.chain()
}

// chain writes a predicate of one chain: a boolean structure of atoms over the
// variables of one process, or over one shared variable.
func (w *writer) chain() string {
	vars := w.c.Variables()
	if len(vars) == 0 {
		return "true"
	}
	first := vars[w.r.IntN(len(vars))]
	// A writer with the variables of one chain cannot write about any other.
	one := &writer{r: w.r, c: w.c, vars: make(map[graphs.Kind][]string), local: true,
		cfg: FormulaConfig{Fragment: Stateless, NoQuantifiers: true, NoAggregates: true}}
	for _, v := range vars {
		if v == first || v.Process == first.Process && v.Process != graphs.Shared {
			one.vars[v.Kind] = append(one.vars[v.Kind], one.reference(v))
		}
	}
	return one.formula(w.r.IntN(3))
}
