package infer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// The following functions select variables whose values are compared in a slot.

// comparable reports whether the value of a variable, such as a term or the name of a lock, may
// distinguish processes in a state. For example, leaders of Raft: AG(forall i != j: !(leader@i &&
// leader@j && term@i == term@j)). Two leaders at once are fine if their terms differ.
func comparable(l literal) bool { return l.relation == itself && len(l.variable.values) > 2 }

// chosen reports whether a variable has the same value at every start, such as "" for undecided, and
// then others.
func chosen(l literal) bool { return comparable(l) && l.variable.first().Kind != graphs.NoKind }

func number(l literal) bool { return l.relation == itself && l.variable.number() }

func (v *variable) number() bool { return v.kind == graphs.Number && v.whole }

// neverAlike reports whether no two processes with literal p have the same value of variable k at one
// cut. It visits each pair of segments that can be at one cut, O(n·s + pairs), until it finds such a
// pair.
func neverAlike(g *facts, p, k int) bool {
	alike := false
	for i, x := range g.chains {
		for j, y := range g.chains[:i] {
			g.windows(i, j, func(a, from, to int) bool {
				for b := from; b <= to && !alike; b++ {
					alike = x.segments[a].truth.Has(p) && y.segments[b].truth.Has(p) && x.value(a, k) == y.value(b, k)
				}
				return !alike
			})
		}
	}
	return !alike
}

// The following functions return the range of the bound of a form. The lowest bound is of no
// interest: at most one process is mutual exclusion, and a variable that is at most its least value
// never changes.

func fewer(p, _ *variable) (low, high int64)   { return 1, int64(p.owners) - 1 }
func largest(p, _ *variable) (low, high int64) { return p.low, p.high }
func least(p, _ *variable) (low, high int64)   { return -p.high, -p.low }

// difference returns the range of a bound on p - q. The largest difference of any two of their values
// is excluded, because it says nothing about their relation.
func difference(p, q *variable) (low, high int64) { return p.low - q.high, p.high - q.low - 1 }

// maxInTransit is the largest bound on messages in transit that is tried; a larger one is probably
// just the number of messages sent.
const maxInTransit = 3

// maxEnds bounds the processes of a run for formulas about messages, which mention each pair of
// processes.
const maxEnds = 16

// channels reports whether formulas may be about messages.
func (f *filler) channels() bool {
	return !slices.ContainsFunc(f.good, func(g *facts) bool { return g.Computation.NumProcesses() > maxEnds })
}

// inTransit adds the candidate that at most k messages are in transit from one process to another, for
// the least k.
func (f *filler) inTransit() {
	if !f.channels() {
		return
	}
	f.least(0, maxInTransit, func(k int64) *candidate {
		return &candidate{
			formula: fmt.Sprintf("AG(forall i != j: transit(i, j) <= %d)", k),
			says:    fmt.Sprintf("at most %s in transit from one process to another", graphs.Plural(k, "message")),
			asked:   func(g *facts) int { return g.Computation.NumMessages() },
		}
	})
}

// monotone adds the candidates that a number never decreases, for variables with few values.
func (f *filler) monotone() {
	for k, x := range f.states {
		if !x.number() || x.many || len(x.values) < 3 || len(x.values) > maxValues+1 {
			continue
		}
		var each []string
		for _, value := range x.sorted()[1:] {
			each = append(each, fmt.Sprintf("AG(%s >= %s -> AG(%[1]s >= %[2]s))", x.of("i"), value))
		}
		f.add(&candidate{
			formula: x.class.quantifier("forall", "i", x) + strings.Join(each, " && "),
			says:    x.text + " never falls",
			slots:   []literal{f.itself(k)},
			asked:   func(g *facts) int { return changes(g, k, k) },
		})
	}
}

// naming adds the candidates that a variable always names a process in a given state.
func (f *filler) naming() {
	for k, y := range f.states {
		for _, l := range f.literals {
			x := l.variable
			if !y.names || x.class.single || x == y || !y.class.single && y.class != x.class {
				continue
			}
			var each []string
			for _, value := range y.sorted() {
				if name := value.Text(); x.class.members[member{0, name}] {
					each = append(each, fmt.Sprintf("(%s == %s -> %s)", y.of("i"), value, l.of(syntax.Name{Text: name}.String())))
				}
			}
			if len(each) < 2 {
				continue
			}
			f.add(&candidate{
				formula: fmt.Sprintf("AG(%s%s)", y.class.quantifier("forall", "i", y), strings.Join(each, " && ")),
				says:    fmt.Sprintf("%s names a process with %s", y.text, l.words()),
				slots:   []literal{l, f.itself(k)},
				asked:   func(g *facts) int { return changes(g, k, k) },
			})
		}
	}
}
