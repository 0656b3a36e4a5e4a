package smv

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/diagram"
	"github.com/pota-project/pota/rctl/syntax"
)

// longest is how long the text of a formula may become.
const longest = 1 << 26

// formula returns f as text that binds more tightly than any operator.
func (m *model) formula(f *syntax.Formula) (string, error) {
	if text, ok := m.formulas[f]; ok {
		return text, nil
	}
	text, err := m.make(f)
	if err == nil && len(text) > longest {
		err = &Error{Atom: f.String(), Pos: f.Pos, Reason: "its weak untils double its length until it is too long"}
	}
	if err == nil {
		m.formulas[f] = text
	}
	return text, err
}

// make writes a formula that has no text yet.
func (m *model) make(f *syntax.Formula) (string, error) {
	if f.Op == syntax.OpAtom || syntax.OfOneChain(f) {
		return m.state(f)
	}
	sub := make([]string, len(f.Sub))
	for i, g := range f.Sub {
		var err error
		if sub[i], err = m.formula(g); err != nil {
			return "", err
		}
	}
	switch f.Op {
	case syntax.OpNot:
		return "!" + sub[0], nil
	case syntax.OpAnd:
		return "(" + join("&", sub) + ")", nil
	case syntax.OpOr:
		return "(" + join("|", sub) + ")", nil
	}
	pattern, known := patterns[f.Op]
	if !known {
		panic("this cannot happen, because a resolved formula has no quantifiers: " + f.String())
	}
	if len(sub) == 1 {
		return fmt.Sprintf(pattern, sub[0]), nil
	}
	return fmt.Sprintf(pattern, sub[0], sub[1]), nil
}

// patterns say how operators are written; see The end in the package's doc.
var patterns = map[syntax.Op]string{
	syntax.OpImplies: "(%s -> %s)",
	syntax.OpIff:     "(%s <-> %s)",
	syntax.OpEX:      "(!final & EX %s)",
	syntax.OpAX:      "(final | AX %s)",
	syntax.OpEF:      "(EF %s)",
	syntax.OpAF:      "(AF %s)",
	syntax.OpEG:      "(EG %s)",
	syntax.OpAG:      "(AG %s)",
	syntax.OpEU:      "E [%s U %s]",
	syntax.OpAU:      "A [%s U %s]",
	syntax.OpER:      "!A [!%s U !%s]",
	syntax.OpAR:      "!E [!%s U !%s]",
	syntax.OpEW:      "(E [%[1]s U %[2]s] | EG %[1]s)",
	syntax.OpAW:      "!E [!%[2]s U (!%[1]s & !%[2]s)]",
}

// state returns an atom, or a formula that one chain decides: as a diagram if that is
// small, or else as sums if it is linear, or else as a large diagram.
func (m *model) state(f *syntax.Formula) (string, error) {
	n, err := m.store.Formula(f, min(small, m.limit))
	if err == nil && n == nil {
		if text, ok := m.sums(f.Expr); ok {
			name := fmt.Sprintf("a%d", len(m.defines))
			m.defines = append(m.defines, define{"", comment(f.String())}, define{name, text})
			return name, nil
		}
		n, err = m.store.Formula(f, m.limit)
	}
	var missing *atoms.ValuesError
	switch {
	case errors.As(err, &missing):
		return "", &Error{missing.Variable, missing.Pos, "its values were not read"}
	case err != nil:
		return "", err
	case n == nil:
		return "", &Error{Atom: f.String(), Pos: f.Expr.Pos, Reason: fmt.Sprintf("it is not linear over integers, and its values make a decision diagram of more than %d runs", m.limit)}
	}
	if _, known := m.nodes[n]; !known && !n.Leaf() {
		m.defines = append(m.defines, define{"", comment(f.String())})
	}
	return m.diagram(n), nil
}

func truth(b bool) string { return strings.ToUpper(strconv.FormatBool(b)) }

// diagram returns the name of the definition of n, a diagram with truth values for
// leaves.
func (m *model) diagram(n *diagram.Node) string {
	if n.Leaf() {
		return truth(n.Value.Bool())
	}
	if name, ok := m.nodes[n]; ok {
		return name
	}
	var parts []string
	for _, branch := range n.Branches() {
		if branch.Node.Leaf() && !branch.Node.Value.Bool() {
			continue
		}
		where := m.within(n.Chain, branch.Where)
		if !branch.Node.Leaf() {
			where = fmt.Sprintf("((%s) & %s)", where, m.diagram(branch.Node))
		}
		parts = append(parts, where)
	}
	name := fmt.Sprintf("d%d", len(m.defines))
	m.nodes[n] = name
	m.defines = append(m.defines, define{name, join("|", parts)})
	return name
}

// within says that a chain is in one of some intervals, which must not cover the whole chain.
func (m *model) within(h *diagram.Chain, where []diagram.Interval) string {
	var parts []string
	for _, i := range where {
		var ends []string
		if i.From > h.Low {
			ends = append(ends, m.happened(h.Event(i.From)))
		}
		if i.To < h.High {
			ends = append(ends, "!("+m.happened(h.Event(i.To+1))+")")
		}
		if h.Process != graphs.Shared && len(ends) == 2 && i.From == i.To {
			ends = []string{m.counter(h.Process) + " = " + m.count(h.Process, i.From)}
		}
		parts = append(parts, strings.Join(ends, " & "))
	}
	return join("|", parts)
}

// term is a function of a chain as a word of some width.
type term struct {
	node  *diagram.Node
	width int
}

var relations = map[syntax.Relop]string{
	syntax.Less: "<", syntax.LessEqual: "<=", syntax.Equal: "=",
	syntax.NotEqual: "!=", syntax.GreaterEqual: ">=", syntax.Greater: ">",
}

// sums returns a linear comparison, or several in a row, as sums of words that are wide enough for
// the greatest sum. It returns ok = false for other atoms.
func (m *model) sums(e *syntax.Expr) (text string, ok bool) {
	var all []string
	for i, rel := range e.Rel {
		l, ok := m.store.Linear(e.Args[i], e.Args[i+1], rel)
		switch {
		case !ok:
			return "", false
		// Every sum, from 0 to Max, compares with the bound as 0 does.
		case l.Bound < 0 || l.Bound > l.Max || len(l.Terms) == 0:
			all = append(all, truth(l.Rel.Relates(cmp.Compare(0, l.Bound))))
			continue
		}
		width := bits.Len64(uint64(l.Max))
		var terms []string
		for _, t := range l.Terms {
			terms = append(terms, m.term(term{t, width}))
		}
		all = append(all, fmt.Sprintf("(%s %s %s)", join("+", terms), relations[l.Rel], word(width, l.Bound)))
	}
	return join("&", all), len(all) > 0
}

// term returns the name of what defines a function of a chain.
func (m *model) term(t term) string {
	if name, ok := m.terms[t]; ok {
		return name
	}
	var b strings.Builder
	b.WriteString("case ")
	runs := t.node.Runs
	for i := len(runs) - 1; i > 0; i-- {
		fmt.Fprintf(&b, "%s : %s; ", m.happened(t.node.Chain.Event(runs[i].From)),
			word(t.width, runs[i].Node.Value.Int64()))
	}
	fmt.Fprintf(&b, "TRUE : %s; esac", word(t.width, runs[0].Node.Value.Int64()))
	name := fmt.Sprintf("v%d", len(m.defines))
	m.terms[t] = name
	m.defines = append(m.defines, define{name, b.String()})
	return name
}
