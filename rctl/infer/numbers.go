package infer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// unique: no two processes are in a state with the same value of a variable, such as a term or the
// name of a lock; or have the same value, but for the one that all begin with.
//
// For example, leaders of Raft: AG(forall i != j: !(leader@i && leader@j && term@i == term@j)).
// Two leaders at once are fine, as long as the terms differ.
func (f *filler) unique() {
	for p, l := range f.literals {
		for k, x := range f.tracked {
			if x.class != l.variable.class || x.class.single || x == l.variable || l.rest || len(x.values) < 3 {
				continue
			}
			f.add(&candidate{
				formula: fmt.Sprintf("AG(%s!(%s && %s && %s == %s))",
					x.class.quantifier("forall", "i != j", l.variable, x), l.of("i"), l.of("j"), x.of("i"), x.of("j")),
				says:     fmt.Sprintf("no two processes%s have %s with the same %s", x.class.of, l.words(), x.text),
				literals: []int{p, p},
				key:      x,
				apart:    true,
				holds: func(g *facts) bool {
					return excluded(g, p, p) || !g.beside(func(_ *chain, a *segment, _ *chain, b *segment) bool {
						return a.truth.has(p) && b.truth.has(p) && a.codes[k] == b.codes[k]
					})
				},
				asked: func(g *facts) int { return pairs(g, p, p) },
			})
		}
	}
	f.chosen("AG(%s%s == %s || %[4]s == %[3]s || %[2]s != %[4]s)", "no two processes%s have the same %s, but for %s",
		func(a, b int32) bool { return a == b })
}

// agree: processes that have chosen a value have chosen the same.
//
// For example, consensus: the first value, such as "", stands for undecided.
func (f *filler) agree() {
	f.chosen("AG(%s%s == %s || %[4]s == %[3]s || %[2]s == %[4]s)", "processes%s whose %s is not %s have the same",
		func(a, b int32) bool { return a != b })
}

// chosen adds candidates about the values of two processes that have left the one that all begin
// with. The formula has places for a quantifier, the value of a process, the first value, and that
// of another process; the sentence for the class, the variable and the first value.
func (f *filler) chosen(formula, says string, bad func(a, b int32) bool) {
	for k, x := range f.tracked {
		none := x.first()
		if x.class.single || none.Kind == graphs.NoKind || len(x.values) < 3 {
			continue
		}
		is := func(g *facts, s *segment) bool {
			value := g.value(s, k)
			return value.Kind != graphs.NoKind && value != none
		}
		f.add(&candidate{
			formula: fmt.Sprintf(formula, x.class.quantifier("forall", "i != j", x), x.of("i"), none, x.of("j")),
			says:    fmt.Sprintf(says, x.class.of, x.text, none),
			key:     x,
			apart:   true,
			holds: func(g *facts) bool {
				return !g.beside(func(_ *chain, a *segment, _ *chain, b *segment) bool {
					return bad(a.codes[k], b.codes[k]) && is(g, a) && is(g, b)
				})
			},
			asked: func(g *facts) int {
				n := g.count(func(h *chain) int {
					return min(1, len(slices.DeleteFunc(g.values(h, k), func(x graphs.Value) bool { return x == none })))
				})
				return n * (n - 1) / 2
			},
		})
	}
}

// atMost: no more than k processes are in a state, with the least k.
func (f *filler) atMost() {
	for p, l := range f.literals {
		if l.variable.class.single || l.rest {
			continue
		}
		k := 0
		for _, g := range f.good {
			_, most := g.tally(p)
			k = max(k, most)
		}
		if c := f.bounded(f.template, p, k); c != nil {
			f.add(c)
		}
	}
}

// bounded returns the candidate that at most k processes are in a state, nil where that is
// one or all of them. Where another order of events than the recorded one has more, the
// next larger bound is tried.
func (f *filler) bounded(t *template, p, k int) *candidate {
	l := f.literals[p]
	if k < 2 || k >= l.variable.owners {
		return nil
	}
	return &candidate{
		template: t,
		formula:  fmt.Sprintf("AG((%s%s) <= %d)", f.quantifier("count", "i", p), l.of("i"), k),
		says:     fmt.Sprintf("at most %d processes%s have %s at once", k, l.variable.class.of, l.words()),
		literals: []int{p},
		holds: func(g *facts) bool {
			_, most := g.tally(p)
			return most <= k
		},
		asked: func(g *facts) int { return intervals(g, p, p) / (k + 1) },
		next:  func() *candidate { return f.bounded(t, p, k+1) },
	}
}

// support counts how many good runs come to the most that any has, and returns that.
func (f *filler) support(of func(*facts) (graphs.Value, bool)) (most graphs.Value, runs int) {
	for _, g := range f.good {
		x, ok := of(g)
		switch {
		case !ok:
		case runs == 0 || x.Compare(most) > 0:
			most, runs = x, 1
		case x.Equal(most):
			runs++
		}
	}
	return most, runs
}

// enough reports whether so many runs met a bound: one alone may have done so by chance.
func (f *filler) enough(runs int) bool {
	return 2*runs >= len(f.good) && (runs > 1 || len(f.good) == 1)
}

// bound adds the candidate that a number of each run is at most as large as in any good run, where
// enough of these come to that. Write returns the texts for a bound, "" for one that says nothing.
//
// Bounds tempt to overfit: every finite log has a largest number. A bound that many runs come to,
// and none passes, looks like a limit of the program rather than an accident.
func (f *filler) bound(c candidate, of func(*facts) (graphs.Value, bool), write func(most graphs.Value) (formula, says string)) {
	most, runs := f.support(of)
	if !f.enough(runs) {
		return
	}
	c.formula, c.says = write(most)
	if c.formula == "" {
		return
	}
	c.holds = func(g *facts) bool {
		v, ok := of(g)
		return !ok || v.Compare(most) <= 0
	}
	f.add(&c)
}

// within: a number has a least and a greatest value.
func (f *filler) within() {
	for k, x := range f.tracked {
		if x.kind != graphs.Number {
			continue
		}
		// A least value is the greatest one of the negated numbers: one walk serves both bounds.
		for _, sign := range []int64{1, -1} {
			words := []string{"<=", "most"}
			if sign < 0 {
				words = []string{">=", "least"}
			}
			c := candidate{key: x, asked: func(g *facts) int { return g.changes(k) }}
			if least, _ := f.support(func(g *facts) (graphs.Value, bool) { return g.extreme(k, sign) }); least.Equal(graphs.Int(0)) {
				c.cost = 2 // counts are never negative
			}
			f.bound(c, func(g *facts) (graphs.Value, bool) { return g.extreme(k, sign) },
				func(most graphs.Value) (formula, says string) {
					bound := most.Mul(graphs.Int(sign))
					return fmt.Sprintf("AG(%s%s %s %s)", x.class.quantifier("forall", "i", x), x.of("i"), words[0], bound),
						fmt.Sprintf("%s is at %s %s", x.text, words[1], bound)
				})
		}
	}
}

// monotone: a number of few values never falls.
func (f *filler) monotone() {
	for k, x := range f.tracked {
		if x.kind != graphs.Number || x.many || len(x.values) < 3 || len(x.values) > maxValues+1 {
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
					return !slices.IsSortedFunc(g.values(&h, k), graphs.Value.Compare)
				})
			},
			asked: func(g *facts) int { return g.changes(k) },
		})
	}
}

// extreme returns the greatest value of a variable, or with the sign -1 the
// greatest of its negative.
func (f *facts) extreme(k int, sign int64) (most graphs.Value, ok bool) {
	for i := range f.chains {
		for _, x := range f.values(&f.chains[i], k) {
			if x = x.Mul(graphs.Int(sign)); !ok || x.Compare(most) > 0 {
				most, ok = x, true
			}
		}
	}
	return most, ok
}

// changes counts how often a variable changes.
func (f *facts) changes(k int) int {
	return f.count(func(h *chain) int {
		return max(0, len(slices.Compact(f.values(h, k)))-1)
	})
}

// ordered: one number is at most another and a constant, the least that does.
func (f *filler) ordered() {
	for k, x := range f.tracked {
		for m, y := range f.tracked {
			if x.kind != graphs.Number || y.kind != graphs.Number {
				continue
			}
			switch {
			case x.class == y.class && !x.class.single:
				if k != m {
					f.difference(k, m, true, x.class.quantifier("forall", "i", x, y), "i", "")
				}
				f.difference(k, m, false, x.class.quantifier("forall", "i != j", x, y), "j", " of any other process")
			case k != m && x.class.single && y.class.single:
				f.difference(k, m, false, "", "", "")
			}
		}
	}
}

// difference adds the candidate that x is at most y and a constant: on one chain or on two.
func (f *filler) difference(k, m int, same bool, quantifier, second, of string) {
	x, y := f.tracked[k], f.tracked[m]
	// A bound that the values have alone says nothing of their difference.
	high, _ := f.support(func(g *facts) (graphs.Value, bool) { return g.extreme(k, 1) })
	low, _ := f.support(func(g *facts) (graphs.Value, bool) { return g.extreme(m, -1) })
	c := candidate{key: x, asked: func(g *facts) int { return min(g.changes(k), g.changes(m)) }}
	f.bound(c, func(g *facts) (graphs.Value, bool) { return g.largest(k, m, same) },
		func(most graphs.Value) (formula, says string) {
			if most.Float || most.Compare(high.Add(low)) >= 0 {
				return "", ""
			}
			less, more := "", ""
			if d := most.Int64(); d < 0 {
				less = fmt.Sprintf(" + %d", -d)
			} else if d > 0 {
				more = fmt.Sprintf(" + %d", d)
			}
			return fmt.Sprintf("AG(%s%s%s <= %s%s)", quantifier, x.of("i"), less, y.of(second), more),
				fmt.Sprintf("%s%s is at most %s%s%s", x.text, less, y.text, of, more)
		})
}

// largest returns the largest difference between two variables at any cut: on one chain, or on two.
// The time complexity of largest is O(n·s) for n chains with s segments in all.
func (f *facts) largest(k, m int, same bool) (most graphs.Value, ok bool) {
	note := func(x, y graphs.Value) {
		if d := x.Sub(y); !ok || d.Compare(most) > 0 {
			most, ok = d, true
		}
	}
	alone := f.count(func(h *chain) int { return min(1, len(f.values(h, k))+len(f.values(h, m))) }) == 1
	for j := range f.chains {
		y := f.values(&f.chains[j], m)
		for i := range f.chains {
			x := f.values(&f.chains[i], k)
			switch {
			case x == nil || y == nil || (i == j) != (same || alone):
			case i == j:
				for s := range x {
					note(x[s], y[s])
				}
			default:
				// rising has the segments of the window that are less than all later ones: the
				// first is the least. Windows never go back, so each segment comes and goes once.
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
	}
	return most, ok
}

// value returns the value of a tracked variable in a segment, one without a kind where the
// chain has no such variable.
func (f *facts) value(s *segment, k int) graphs.Value { return f.coded[k].values[s.codes[k]] }

// values returns the values of a tracked variable by segment, nil where the
// chain has no such variable.
func (f *facts) values(h *chain, k int) []graphs.Value {
	if h.segments[0].codes[k] == 0 {
		return nil
	}
	all := make([]graphs.Value, len(h.segments))
	for s := range all {
		all[s] = f.value(&h.segments[s], k)
	}
	return all
}

// inTransit: no more than k messages are under way from one process to another, with the least k.
func (f *filler) inTransit() {
	c := candidate{asked: func(g *facts) int { return g.comp.NumMessages() }}
	f.bound(c, (*facts).crowd, func(most graphs.Value) (formula, says string) {
		if most.Int64() > maxInTransit {
			return "", ""
		}
		return fmt.Sprintf("AG(forall i != j: transit(i, j) <= %s)", most),
			fmt.Sprintf("at most %s in transit from one process to another", graphs.Plural(most.Int64(), "message"))
	})
}

// maxInTransit is the largest bound of messages in transit that is not just how many there were.
const maxInTransit = 3

// maxChannels bounds the processes of formulas about messages, because
// these have each pair of them.
const maxChannels = 32

// crowd returns the most messages in transit from one process to another. It is not ok where
// there are no messages, or too many processes. The time complexity of crowd is
// O(n²+messages) for n processes.
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
				for came < len(receives) && int32(c.Position(receives[came])) <= f.rows[e][q] {
					came++
				}
				n = max(n, i+1-came)
			}
		}
	}
	return graphs.Int(int64(n)), true
}

// named: a variable names a process that is in a state.
func (f *filler) named() {
	for k, y := range f.tracked {
		for p, l := range f.literals {
			x := l.variable
			if !y.names || x.class.single || x == y || !y.class.single && y.class != x.class {
				continue
			}
			var each []string
			var values []graphs.Value
			for _, value := range y.sorted() {
				if name := value.Text(); x.class.members[name] {
					values = append(values, value)
					each = append(each, fmt.Sprintf("(%s == %s -> %s)", y.of("i"), value, l.of(quoted(name))))
				}
			}
			if len(values) < 2 {
				continue
			}
			f.add(&candidate{
				formula:  fmt.Sprintf("AG(%s%s)", y.class.quantifier("forall", "i", y), strings.Join(each, " && ")),
				says:     fmt.Sprintf("%s names a process with %s", y.text, l.words()),
				literals: []int{p},
				key:      y,
				holds:    func(g *facts) bool { return g.follow(k, p, values) },
				asked: func(g *facts) int {
					return g.count(func(h *chain) int {
						others := slices.DeleteFunc(g.values(h, k), func(x graphs.Value) bool { return slices.Contains(values, x) })
						return len(g.values(h, k)) - len(others)
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
	wrong := func(by *segment, h *chain, of *segment) bool {
		name := f.value(by, k)
		return h.process != graphs.Shared && !of.truth.has(p) && slices.Contains(names, name) && name.Text() == h.name
	}
	for i := range f.chains {
		h := &f.chains[i]
		if slices.ContainsFunc(h.segments, func(s segment) bool { return wrong(&s, h, &s) }) {
			return false
		}
	}
	return !f.beside(func(x *chain, a *segment, y *chain, b *segment) bool { return wrong(a, y, b) || wrong(b, x, a) })
}
