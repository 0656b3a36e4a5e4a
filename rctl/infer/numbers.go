package infer

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// has reports whether a chain has the variable of tracked number k.
func (h *chain) has(k int) bool { return h.segments[0].values[k].Kind != graphs.NoKind }

// meets reports whether two chains come to a cut where the states of both, a segment each, are bad.
func (f *facts) meets(bad func(a, b *segment) bool) bool {
	for i := range f.chains {
		for j := range i {
			found := false
			f.windows(i, j, func(a, from, to int) {
				for b := from; b <= to && !found; b++ {
					found = bad(&f.chains[i].segments[a], &f.chains[j].segments[b])
				}
			})
			if found {
				return true
			}
		}
	}
	return false
}

// unique: no two processes are in a state with the same value of a variable, such as a term.
func (f *filler) unique() {
	for p := range f.literals {
		for k, x := range f.tracked {
			l := f.literals[p]
			if x.class != f.class(p) || x.class.single || x == l.variable || !f.plain(p) || len(x.values) < 3 {
				continue
			}
			f.add(candidate{
				formula: fmt.Sprintf("AG(forall i != j%s: !(%s && %s && %s == %s))",
					x.class.over(l.variable, x), l.of("i"), l.of("j"), x.of("i"), x.of("j")),
				says:     fmt.Sprintf("no two processes%s have %s with the same %s", f.among(p), l.words(), x.text),
				literals: []int{p, p},
				key:      x,
				plain:    true,
				apart:    true,
				holds: func(g *facts) bool {
					return !g.apart[p].has(p) || !g.meets(func(a, b *segment) bool {
						return a.truth.has(p) && b.truth.has(p) && a.values[k] == b.values[k]
					})
				},
				asked: pairs(p, p),
			})
		}
	}
}

// agree: processes that have chosen a value have chosen the same.
func (f *filler) agree() {
	for k, x := range f.tracked {
		none := x.first()
		if x.class.single || none.Kind == graphs.NoKind || len(x.values) < 3 {
			continue
		}
		open := fmt.Sprintf("%s == %s", x.of("i"), none)
		f.add(candidate{
			formula: fmt.Sprintf("AG(forall i != j%s: %s || %s == %s || %s == %s)", x.class.over(x), open, x.of("j"), none, x.of("i"), x.of("j")),
			says:    fmt.Sprintf("processes whose %s is not %s have the same", x.text, none),
			key:     x,
			plain:   true,
			apart:   true,
			holds: func(g *facts) bool {
				return !g.meets(func(a, b *segment) bool {
					v, w := a.values[k], b.values[k]
					return v != none && w != none && v != w && v.Kind != graphs.NoKind && w.Kind != graphs.NoKind
				})
			},
			asked: func(g *facts) int {
				n := 0
				for i := range g.chains {
					if slices.ContainsFunc(g.chains[i].segments, func(s segment) bool {
						return s.values[k].Kind != graphs.NoKind && s.values[k] != none
					}) {
						n++
					}
				}
				return n * (n - 1) / 2
			},
		})
	}
}

// atMost: no more than k processes are in a state, with the least k.
func (f *filler) atMost() {
	for p := range f.literals {
		l := f.literals[p]
		if l.variable.class.single || !f.plain(p) {
			continue
		}
		most := 0
		for _, g := range f.good {
			most = max(most, g.most[p])
		}
		f.bounded(p, most)
	}
}

// bounded adds the candidate that at most k processes are in a state. Where another order of events than
// the recorded one has more of them, the next larger bound is tried.
func (f *filler) bounded(p, k int) {
	l := f.literals[p]
	if k < 2 || k >= l.variable.owners {
		return
	}
	f.add(candidate{
		formula:  fmt.Sprintf("AG((%s%s) <= %d)", f.forall("count", "i", p), l.of("i"), k),
		says:     fmt.Sprintf("at most %d processes%s have %s at once", k, f.among(p), l.words()),
		literals: []int{p},
		plain:    true,
		holds:    func(g *facts) bool { return g.most[p] <= k },
		asked:    func(g *facts) int { return intervals(p)(g) / (k + 1) },
	})
}

// support counts how many good runs come to the most that any has, and returns that.
func support(good []*facts, of func(*facts) (graphs.Value, bool)) (most graphs.Value, runs int) {
	for _, g := range good {
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

// enough reports whether a bound was met by so many runs that it is no chance.
func (f *filler) enough(runs int) bool {
	return 2*runs >= len(f.good) && (runs > 1 || len(f.good) == 1)
}

// within: a number has a least and a greatest value.
func (f *filler) within() {
	for k, x := range f.tracked {
		if x.kind != graphs.Number {
			continue
		}
		for _, side := range []struct {
			sign  int64
			rel   string
			words string
		}{{1, "<=", "most"}, {-1, ">=", "least"}} {
			extreme := func(g *facts) (graphs.Value, bool) { return g.extreme(k, side.sign) }
			most, runs := support(f.good, extreme)
			if !f.enough(runs) {
				continue
			}
			bound := most.Mul(graphs.Int(side.sign))
			quantifier := ""
			if !x.class.single {
				quantifier = "forall i" + x.class.over(x) + ": "
			}
			cost := 0
			if bound.Equal(graphs.Int(0)) {
				cost = 2 // counts are never negative
			}
			f.add(candidate{
				cost:    cost,
				formula: fmt.Sprintf("AG(%s%s %s %s)", quantifier, x.of("i"), side.rel, bound),
				says:    fmt.Sprintf("%s is at %s %s", x.text, side.words, bound),
				key:     x,
				plain:   true,
				holds: func(g *facts) bool {
					v, ok := extreme(g)
					return !ok || v.Compare(most) <= 0
				},
				asked: func(g *facts) int { return g.changes(k) },
			})
		}
	}
}

// extreme returns the greatest value of a variable, or with the sign -1 the greatest of its negative.
func (f *facts) extreme(k int, sign int64) (most graphs.Value, ok bool) {
	for i := range f.chains {
		for s := range f.chains[i].segments {
			x := f.chains[i].segments[s].values[k]
			if x.Kind != graphs.Number {
				continue
			}
			if x = x.Mul(graphs.Int(sign)); !ok || x.Compare(most) > 0 {
				most, ok = x, true
			}
		}
	}
	return most, ok
}

// changes counts how often a variable changes.
func (f *facts) changes(k int) int {
	n := 0
	for i := range f.chains {
		h := &f.chains[i]
		for s := 1; s < len(h.segments); s++ {
			if h.segments[s].values[k] != h.segments[s-1].values[k] {
				n++
			}
		}
	}
	return n
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
					f.difference(k, m, true, "AG(forall i"+x.class.over(x, y)+": %s)", x.of("i"), y.of("i"))
				}
				f.difference(k, m, false, "AG(forall i != j"+x.class.over(x, y)+": %s)", x.of("i"), y.of("j"))
			case k == m:
			case x.class.single && y.class.single:
				f.difference(k, m, false, "AG(%s)", x.text, y.text)
			}
		}
	}
}

// difference adds the candidate that x is at most y and a constant: on one chain or on two.
func (f *filler) difference(k, m int, same bool, form, x, y string) {
	largest := func(g *facts) (graphs.Value, bool) { return g.largest(k, m, same) }
	most, runs := support(f.good, largest)
	// A bound that the values have alone says nothing of their difference.
	high, _ := support(f.good, func(g *facts) (graphs.Value, bool) { return g.extreme(k, 1) })
	low, _ := support(f.good, func(g *facts) (graphs.Value, bool) { return g.extreme(m, -1) })
	if !f.enough(runs) || most.Float || most.Compare(high.Add(low)) >= 0 {
		return
	}
	c := most.Int64()
	text := fmt.Sprintf("%s <= %s", x, y)
	says := fmt.Sprintf("%s is at most %s", f.tracked[k].text, f.tracked[m].text)
	switch {
	case c > 0:
		text += fmt.Sprintf(" + %d", c)
		says += fmt.Sprintf(" + %d", c)
	case c < 0:
		text = fmt.Sprintf("%s + %d <= %s", x, -c, y)
		says += fmt.Sprintf(" - %d", -c)
	}
	if !same && !f.tracked[k].class.single {
		says += " of any other process"
	}
	f.add(candidate{
		formula: fmt.Sprintf(form, text),
		says:    says,
		key:     f.tracked[k],
		plain:   c == 0 || c == 1,
		apart:   false,
		holds: func(g *facts) bool {
			v, ok := largest(g)
			return !ok || v.Compare(most) <= 0
		},
		asked: func(g *facts) int { return min(g.changes(k), g.changes(m)) },
	})
}

// largest returns the largest difference between two variables at any cut: on one chain, or on two.
// The time complexity of largest is O(n·s·log s) for n chains with s segments in all.
func (f *facts) largest(k, m int, same bool) (most graphs.Value, ok bool) {
	note := func(x, y graphs.Value) {
		if x.Kind != graphs.Number || y.Kind != graphs.Number {
			return
		}
		if d := x.Sub(y); !ok || d.Compare(most) > 0 {
			most, ok = d, true
		}
	}
	for j := range f.chains {
		h := &f.chains[j]
		if same || h.has(k) && h.has(m) && f.alone(k, m) {
			for s := range h.segments {
				note(h.segments[s].values[k], h.segments[s].values[m])
			}
		}
		if same || !h.has(m) {
			continue
		}
		lows := tableOf(len(h.segments), func(s int) graphs.Value { return h.segments[s].values[m] }, lower)
		for i := range f.chains {
			if i == j || !f.chains[i].has(k) {
				continue
			}
			f.windows(i, j, func(a, from, to int) {
				left, right := lows.cover(from, to)
				note(f.chains[i].segments[a].values[k], lower(left, right))
			})
		}
	}
	return most, ok
}

// alone reports whether one chain has both variables, and no other has either.
func (f *facts) alone(k, m int) bool {
	n := 0
	for i := range f.chains {
		if f.chains[i].has(k) || f.chains[i].has(m) {
			n++
		}
	}
	return n == 1
}

func lower(a, b graphs.Value) graphs.Value {
	if a.Kind == graphs.Number && b.Kind == graphs.Number && b.Compare(a) < 0 {
		return b
	}
	return a
}

// named: a variable names the process that is in a state.
func (f *filler) named() {
	for k, y := range f.tracked {
		if !y.names {
			continue
		}
		for p := range f.literals {
			if l := f.literals[p]; l.variable.class.single || l.variable == y || !y.class.single && y.class != l.variable.class {
				continue
			}
			f.names(k, p, -1)
			for g := range f.literals {
				guard := f.literals[g]
				if guard.variable.kind == graphs.Bool && f.plain(g) && guard.variable.class == y.class && !y.class.single {
					f.names(k, p, g)
				}
			}
		}
	}
}

// names adds the candidate that a variable, where a guard holds beside it, names a process in a state;
// guard is -1 for none.
func (f *filler) names(k, p, guard int) {
	y, l := f.tracked[k], f.literals[p]
	var each []string
	var values []graphs.Value
	for _, value := range y.sorted() {
		if !l.variable.class.members[value.Text()] {
			continue
		}
		values = append(values, value)
		condition := fmt.Sprintf("%s == %s", y.of("i"), value)
		if guard >= 0 {
			condition = f.literals[guard].of("i") + " && " + condition
		}
		each = append(each, fmt.Sprintf("(%s -> %s)", condition, l.of(quoted(value.Text()))))
	}
	if len(values) < 2 {
		return
	}
	quantifier, says := "", y.text
	if !y.class.single {
		quantifier = "forall i" + y.class.over(y) + ": "
	}
	if guard >= 0 {
		if y.class.having {
			return
		}
		says += " with " + f.literals[guard].words()
	}
	text := each[0]
	for _, e := range each[1:] {
		text += " && " + e
	}
	cost := 0
	if guard >= 0 {
		cost = 1
	}
	said := func(s *segment) bool { return guard < 0 || s.truth.has(guard) }
	f.add(candidate{
		formula:  fmt.Sprintf("AG(%s%s)", quantifier, text),
		says:     fmt.Sprintf("%s names a process with %s", says, l.words()),
		literals: []int{p},
		key:      y,
		cost:     cost,
		plain:    f.plain(p),
		holds: func(g *facts) bool {
			for i := range g.chains {
				if !g.chains[i].has(k) {
					continue
				}
				for _, value := range values {
					if !g.follows(i, value.Text(), func(s *segment) bool { return s.values[k] == value && said(s) }, p) {
						return false
					}
				}
			}
			return true
		},
		asked: func(g *facts) int {
			n := 0
			for i := range g.chains {
				for s := range g.chains[i].segments {
					if at := &g.chains[i].segments[s]; slices.Contains(values, at.values[k]) && said(at) {
						n++
					}
				}
			}
			return n
		},
	})
}

// follows reports whether the named chain has p wherever chain i is in a state with a condition.
func (f *facts) follows(i int, name string, is func(*segment) bool, p int) bool {
	for j := range f.chains {
		h := &f.chains[j]
		if h.name != name || h.process == graphs.Shared {
			continue
		}
		all := true
		if i == j {
			for s := range h.segments {
				all = all && (!is(&h.segments[s]) || h.segments[s].truth.has(p))
			}
			return all
		}
		f.windows(i, j, func(a, from, to int) {
			if !is(&f.chains[i].segments[a]) {
				return
			}
			for b := from; b <= to && all; b++ {
				all = h.segments[b].truth.has(p)
			}
		})
		return all
	}
	return false
}
