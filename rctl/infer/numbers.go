package infer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// Which variables a form about values is worth filling with.

// comparable: two processes in a state may be told apart by the value of a variable, such as a term
// or the name of a lock. For example, leaders of Raft: AG(forall i != j: !(leader@i && leader@j &&
// term@i == term@j)). Two leaders at once are fine, as long as the terms differ.
func comparable(p, q literal) bool {
	return !p.rest && p.variable != q.variable && q.variable.valued && len(q.variable.values) > 2
}

// chosen: all begin with one value, such as "" for undecided, and leave it for others.
func chosen(p, q literal) bool {
	return p == q && p.variable.valued && len(p.variable.values) > 2 && p.variable.first().Kind != graphs.NoKind
}

func (v *variable) number() bool { return v.valued && v.kind == graphs.Number }

func numbers(p, q literal) bool { return p.variable.number() && q.variable.number() }

func numbersOfTwo(p, q literal) bool {
	return numbers(p, q) && p.variable.class.single && q.variable.class.single
}

// What facts say of values.

// neverAlike reports whether no two processes are in a state with the same value.
func neverAlike(g *facts, p, k int) bool {
	in := func(h *chain, s int) bool { return h.segments[s].truth.Has(p) && h.variables[k] != nil }
	return excluded(g, p, p) || !g.beside(func(x *chain, a int, y *chain, b int) bool {
		return in(x, a) && in(y, b) && x.value(a, k) == y.value(b, k)
	})
}

// allDiffer and allAgree compare the values of processes that have left the first one.
func allDiffer(g *facts, k, _ int) bool { return !g.choose(k, true) }
func allAgree(g *facts, k, _ int) bool  { return !g.choose(k, false) }

// choose reports whether two processes that have left the first value are at a cut with alike
// values, or with others.
func (f *facts) choose(k int, alike bool) bool {
	return f.beside(func(x *chain, a int, y *chain, b int) bool {
		return f.hasChosen(x, a, k) && f.hasChosen(y, b, k) && (x.value(a, k) == y.value(b, k)) == alike
	})
}

func (f *facts) hasChosen(h *chain, s, k int) bool {
	return h.variables[k] != nil && h.value(s, k) != f.states[k].first()
}

// How often a run puts values to the test.

func pairsOfFirst(g *facts, p, _ int) int { return pairs(g, p, p) }

// pairsOfChoices counts the pairs of chains that have left the first value.
func pairsOfChoices(g *facts, k, _ int) int {
	n := g.count(func(h *chain) int {
		for s := range h.segments {
			if g.hasChosen(h, s, k) {
				return 1
			}
		}
		return 0
	})
	return n * (n - 1) / 2
}

// changes counts how often a variable changes.
func changes(g *facts, k, _ int) int {
	return g.count(func(h *chain) int { return max(0, len(slices.Compact(h.history(k)))-1) })
}

func fewerChanges(g *facts, k, m int) int { return min(changes(g, k, k), changes(g, m, m)) }

// The numbers of bounds, and which bounds are worth a line.

func mostAtOnce(g *facts, p, _ int) (graphs.Value, bool) {
	_, most := g.tally(p)
	return graphs.Int(int64(most)), true
}

// severalNotAll: one is mutual exclusion, and all are no bound.
func severalNotAll(_ *filler, p, _ literal, most graphs.Value) bool {
	return most.Int64() > 1 && most.Int64() < int64(p.variable.owners)
}

func greatest(g *facts, k, _ int) (graphs.Value, bool) { return g.extreme(k, 1) }

func leastNegated(g *facts, k, _ int) (graphs.Value, bool) { return g.extreme(k, -1) }

// extreme returns the greatest value of a variable, or with the sign -1 the greatest of its
// negative.
func (f *facts) extreme(k int, sign int64) (most graphs.Value, ok bool) {
	for _, h := range f.chains {
		for _, x := range h.history(k) {
			if x = x.Mul(graphs.Int(sign)); !ok || x.Compare(most) > 0 {
				most, ok = x, true
			}
		}
	}
	return most, ok
}

// counter is the cost of a least value of 0: counts are never negative.
func counter(f *filler, k, _ int) int {
	least, _ := f.support(func(g *facts) (graphs.Value, bool) { return g.extreme(k, -1) })
	if least.Equal(graphs.Int(0)) {
		return 2
	}
	return 0
}

func onOneChain(g *facts, k, m int) (graphs.Value, bool) {
	return g.largest(k, m, func(i, j int) bool { return i == j })
}

func onTwoChains(g *facts, k, m int) (graphs.Value, bool) {
	return g.largest(k, m, func(i, j int) bool { return i != j })
}

func anywhere(g *facts, k, m int) (graphs.Value, bool) {
	return g.largest(k, m, func(int, int) bool { return true })
}

// tells: a bound that the values have alone says nothing of their difference.
func tells(f *filler, x, y literal, most graphs.Value) bool {
	high, _ := f.support(func(g *facts) (graphs.Value, bool) { return g.extreme(x.number, 1) })
	low, _ := f.support(func(g *facts) (graphs.Value, bool) { return g.extreme(y.number, -1) })
	return !most.Float && most.Compare(high.Add(low)) < 0
}

// largest returns the largest difference between two variables at any cut, on such chains. The time
// complexity of largest is O(n·s) for n chains with s segments in all.
func (f *facts) largest(k, m int, such func(i, j int) bool) (most graphs.Value, ok bool) {
	note := func(x, y graphs.Value) {
		if d := x.Sub(y); !ok || d.Compare(most) > 0 {
			most, ok = d, true
		}
	}
	for j := range f.chains {
		y := f.chains[j].history(m)
		for i := range f.chains {
			if y == nil || !such(i, j) || f.chains[i].variables[k] == nil {
				continue
			}
			x := f.chains[i].history(k)
			if i == j {
				for s := range x {
					note(x[s], y[s])
				}
				continue
			}
			// rising has the segments of the window that are less than all later ones: the first is
			// the least. Windows never go back, so each segment comes and goes once.
			var rising []int
			next := 0
			f.windows(i, j, func(a, from, to int) bool {
				for ; next <= to; next++ {
					for len(rising) > 0 && y[rising[len(rising)-1]].Compare(y[next]) >= 0 {
						rising = rising[:len(rising)-1]
					}
					rising = append(rising, next)
				}
				for rising[0] < from {
					rising = rising[1:]
				}
				note(x[a], y[rising[0]])
				return true
			})
		}
	}
	return most, ok
}

// inTransit: no more than k messages are under way from one process to another, with the least k.
func (f *filler) inTransit() {
	most, runs := f.support((*facts).crowd)
	if !f.enough(runs) || most.Int64() > maxInTransit {
		return
	}
	f.add(&candidate{
		formula: fmt.Sprintf("AG(forall i != j: transit(i, j) <= %s)", most),
		says:    fmt.Sprintf("at most %s in transit from one process to another", graphs.Plural(most.Int64(), "message")),
		holds: func(g *facts) bool {
			n, ok := g.crowd()
			return !ok || n.Compare(most) <= 0
		},
		asked: func(g *facts) int { return g.comp.NumMessages() },
	})
}

// maxInTransit is the largest bound of messages in transit that is not just how many there were.
const maxInTransit = 3

// maxChannels bounds the processes of formulas about messages, because these have each pair of them.
const maxChannels = 32

// crowd returns the most messages in transit from one process to another. It is not ok where there
// are no messages, or too many processes. The time complexity of crowd is O(n²+messages) for n
// processes.
//
// It holds for all cuts: a message is in transit with as many others as possible at the least cut
// with its send. Of the sends up to there, those with a receipt in the past of this send are gone.
func (f *facts) crowd() (most graphs.Value, ok bool) {
	c := f.comp
	if c.NumMessages() == 0 || c.NumProcesses() > maxChannels {
		return most, false
	}
	n := 0
	for q := range c.NumProcesses() {
		for p := range c.NumProcesses() {
			if p == q {
				continue
			}
			sends, receives := c.Channel(p, q)
			came := 0
			for i, e := range sends {
				for came < len(receives) && f.before(receives[came], e) {
					came++
				}
				n = max(n, i+1-came)
			}
		}
	}
	return graphs.Int(int64(n)), true
}

// monotone: a number of few values never falls.
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
			key:     x,
			holds: func(g *facts) bool {
				return !slices.ContainsFunc(g.chains, func(h chain) bool {
					return !slices.IsSortedFunc(h.history(k), graphs.Value.Compare)
				})
			},
			asked: func(g *facts) int { return changes(g, k, k) },
		})
	}
}

// naming: a variable names a process that is in a state.
func (f *filler) naming() {
	for k, y := range f.states {
		for p, l := range f.literals {
			x := l.variable
			if !y.valued || !y.names || x.class.single || x == y || !y.class.single && y.class != x.class {
				continue
			}
			var each []string
			var names []graphs.Value
			for _, value := range y.sorted() {
				if name := value.Text(); x.class.members[name] {
					names = append(names, value)
					each = append(each, fmt.Sprintf("(%s == %s -> %s)", y.of("i"), value, l.of(quoted(name))))
				}
			}
			if len(names) < 2 {
				continue
			}
			f.add(&candidate{
				formula:  fmt.Sprintf("AG(%s%s)", y.class.quantifier("forall", "i", y), strings.Join(each, " && ")),
				says:     fmt.Sprintf("%s names a process with %s", y.text, l.words()),
				literals: []int{p},
				key:      y,
				holds:    func(g *facts) bool { return g.follow(k, p, names) },
				asked: func(g *facts) int {
					return g.count(func(h *chain) int {
						all := h.history(k)
						others := func(x graphs.Value) bool { return !slices.Contains(names, x) }
						return len(slices.DeleteFunc(all, others))
					})
				},
			})
		}
	}
}

// follow reports whether the processes that a variable names, of those with some names, have p.
//
// A chain may name its own process, so that a segment is compared with itself, too.
func (f *facts) follow(k, p int, names []graphs.Value) bool {
	wrong := func(x *chain, a int, y *chain, b int) bool {
		name := x.value(a, k)
		return y.process != graphs.Shared && !y.segments[b].truth.Has(p) && slices.Contains(names, name) && name.Text() == y.name
	}
	for i := range f.chains {
		h := &f.chains[i]
		for s := range h.segments {
			if wrong(h, s, h, s) {
				return false
			}
		}
	}
	return !f.beside(func(x *chain, a int, y *chain, b int) bool { return wrong(x, a, y, b) || wrong(y, b, x, a) })
}
