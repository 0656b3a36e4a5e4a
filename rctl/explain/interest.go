package explain

import (
	"fmt"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// interest holds the variables and channels that a formula mentions.
type interest struct {
	*mentions
	variables []*graphs.Variable
	known     map[*graphs.Variable]bool // the set of variables
	channels  []channel
}

// A channel is a pair of processes with the events that send and receive.
type channel struct {
	from, to     int
	sends, recvs []graphs.Event
}

// mentions finds the variables and channels that formulas mention. Each level of evidence for
// EF(p1 && EF(p2 && …)) asks about an operand of the level before, so the mentions below a temporal
// operator are found once and kept.
type mentions struct {
	c     *graphs.Computation
	below map[*syntax.Formula]*interest
	// for a shared variable, the index of the assignment that each event makes
	sets map[*graphs.Variable]map[graphs.Event]int
}

// of returns the variables and channels of a resolved formula and the variables in beside, ordered
// by process. Variables of one process keep the order of the formula.
func (m *mentions) of(f *syntax.Formula, beside ...*graphs.Variable) *interest {
	in := *m.inOrder(f)
	in.variables = slices.Clone(in.variables)
	for _, v := range beside {
		if !in.known[v] {
			in.variables = append(in.variables, v)
		}
	}
	slices.SortStableFunc(in.variables, func(v, w *graphs.Variable) int { return v.Process - w.Process })
	return &in
}

// inOrder is like of, in the order of the formula.
func (m *mentions) inOrder(f *syntax.Formula) *interest {
	if in := m.below[f]; in != nil {
		return in
	}
	in := &interest{mentions: m, known: make(map[*graphs.Variable]bool)}
	m.below[f] = in
	syntax.Walk(f, func(g *syntax.Formula) bool {
		if g.Op == syntax.OpAtom {
			syntax.WalkExpr(g.Expr, func(e *syntax.Expr) {
				switch e.Op {
				case syntax.ExprVar:
					in.add(m.c.Variable(e.Owner, e.Text))
				case syntax.ExprTransit:
					sends, recvs := m.c.Channel(e.FromID, e.ToID)
					in.join(channel{e.FromID, e.ToID, sends, recvs})
				}
			})
		}
		if g == f || !g.Op.IsTemporal() {
			return true
		}
		below := m.inOrder(g)
		for _, v := range below.variables {
			in.add(v)
		}
		for _, ch := range below.channels {
			in.join(ch)
		}
		return false
	})
	return in
}

// add adds a variable.
func (in *interest) add(v *graphs.Variable) {
	if v != nil && !in.known[v] {
		in.known[v] = true
		in.variables = append(in.variables, v)
	}
}

// join adds a channel.
func (in *interest) join(ch channel) {
	if !slices.ContainsFunc(in.channels, func(of channel) bool { return of.from == ch.from && of.to == ch.to }) {
		in.channels = append(in.channels, ch)
	}
}

// assignment returns the index of the assignment to v that an event makes. It returns ok = false if
// the event does not assign v.
func (m *mentions) assignment(v *graphs.Variable, e graphs.Event) (i int, ok bool) {
	if v.Process != graphs.Shared {
		return slices.BinarySearch(v.Events(), e)
	}
	if m.sets[v] == nil {
		m.sets[v] = make(map[graphs.Event]int, v.Len())
		for i, e := range v.Events() {
			m.sets[v][e] = i
		}
	}
	i, ok = m.sets[v][e]
	return i, ok
}

// A Change is a change of a variable's value by an event.
type Change struct {
	Variable *graphs.Variable
	From, To graphs.Value
}

// changing yields the index of each event of a run, with the changes that the event makes to the
// variables in the formula. The slice of changes is reused: callers must not keep it.
//
// The time complexity of changing is O(|run| log assignments) for each variable of a process.
func (in *interest) changing(run []graphs.Event) iter.Seq2[int, []Change] {
	// first returns the index of the first variable of a process, or of the first shared one.
	first := func(p int) int {
		i, _ := slices.BinarySearchFunc(in.variables, p, func(v *graphs.Variable, p int) int { return v.Process - p })
		return i
	}
	return func(yield func(int, []Change) bool) {
		var all []Change
		for at, event := range run {
			all = all[:0]
			for _, p := range []int{graphs.Shared, in.c.Process(event)} {
				for _, v := range in.variables[first(p):first(p+1)] {
					// A float in place of an equal whole number is a change: it affects sums.
					if i, ok := in.assignment(v, event); ok && v.Value(i-1) != v.Value(i) {
						all = append(all, Change{v, v.Value(i - 1), v.Value(i)})
					}
				}
			}
			if !yield(at, all) {
				return
			}
		}
	}
}

// traffic describes what an event does to the channels that the formula mentions.
func (in *interest) traffic(event graphs.Event) []string {
	var parts []string
	add := func(does string, p int, events []graphs.Event, other int) {
		if p != in.c.Process(event) {
			return
		}
		// The events are sorted, and each occurs once per message.
		first, _ := slices.BinarySearch(events, event)
		next, _ := slices.BinarySearch(events, event+1)
		if next > first {
			parts = append(parts, fmt.Sprintf(does, graphs.Plural(next-first, "message"), in.c.Processes()[other]))
		}
	}
	for _, ch := range in.channels {
		add("sends %s to %s", ch.from, ch.sends, ch.to)
		add("receives %s from %s", ch.to, ch.recvs, ch.from)
	}
	return parts
}

// A Value is the value of a variable, or the number of messages in a channel, at a cut.
type Value struct {
	Name  string // holds@A, or transit(A, B)
	Value graphs.Value
}

// values returns the values at a cut. If there are more than limit, variables that were assigned
// since start come first.
func (in *interest) values(start, cut graphs.Cut, limit int) []Value {
	variables := in.variables
	if len(variables) > limit {
		variables = slices.Clone(variables)
		unchanged := func(v *graphs.Variable) int {
			if v.Last(in.c, start) == v.Last(in.c, cut) {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(variables, func(v, w *graphs.Variable) int { return unchanged(v) - unchanged(w) })
	}

	names := in.c.Processes()
	var values []Value
	for _, v := range variables {
		name := v.Name
		if v.Process != graphs.Shared {
			name += "@" + names[v.Process]
		}
		values = append(values, Value{name, v.At(in.c, cut)})
	}
	for _, ch := range in.channels {
		n := atoms.Count(in.c, ch.sends, cut) - atoms.Count(in.c, ch.recvs, cut)
		name := fmt.Sprintf("transit(%s, %s)", names[ch.from], names[ch.to])
		values = append(values, Value{name, graphs.Int(int64(n))})
	}

	return values
}

// maxValues bounds how many values of a cut are listed.
const maxValues = 24

// valueTexts returns the first maxValues values as text, and the number of the rest.
func valueTexts(values []Value) []string {
	var all []string
	for _, v := range values[:min(len(values), maxValues)] {
		all = append(all, fmt.Sprintf("%s = %s", v.Name, v.Value))
	}
	if n := len(values) - maxValues; n > 0 {
		all = append(all, fmt.Sprintf("and %d more", n))
	}
	return all
}

// valueLines returns values as lines, several to a line.
func valueLines(values []Value) []string {
	var lines []string
	for _, v := range valueTexts(values) {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last]+v) <= 90 {
			lines[last] += "   " + v
		} else {
			lines = append(lines, v)
		}
	}
	return lines
}
