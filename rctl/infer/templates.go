package infer

import (
	"cmp"
	"fmt"
	"slices"
)

// A template is a form of properties.
type template struct {
	name   string
	weight int  // less is worth more, among those with the same evidence
	safety bool // a run that was cut off cannot break it for that reason
	luck   bool // that it holds in one order only is worth saying

	fill func(*filler)
}

// A candidate is a template about certain literals or variables.
type candidate struct {
	template *template
	formula  string
	says     string    // in words
	literals []int     // that it speaks of, in the order of the template
	key      *variable // that it speaks of beside them, nil for none
	cost     int       // beside the weight of the template
	plain    bool      // of states that are worth naming, such as critical and not its negation

	holds func(*facts) bool // as far as facts can say; nil where they cannot
	asked func(*facts) int  // how often a run puts it to the test
	apart bool              // it says that states of different processes exclude each other
}

// separates reports whether a run has states of different processes that a candidate keeps apart.
func (c *candidate) separates(f *facts) bool {
	return c.template.luck && c.apart && c.key == nil && len(c.literals) == 2 && pairs(c.literals[0], c.literals[1])(f) > 0
}

// A filler makes the candidates of templates.
type filler struct {
	*vocabulary
	good     []*facts
	template *template
	add      func(candidate)
}

// templates are all that there are, in the order of their explanation in the guide.
var templates = []*template{
	{name: "mutex", safety: true, luck: true, weight: 0, fill: (*filler).mutex},
	{name: "exclude", safety: true, luck: true, weight: 2, fill: (*filler).exclude},
	{name: "implies", safety: true, luck: true, weight: 2, fill: (*filler).implies},
	{name: "unique", safety: true, luck: true, weight: 0, fill: (*filler).unique},
	{name: "some", safety: true, weight: 1, fill: (*filler).some},
	{name: "named", safety: true, luck: true, weight: 1, fill: (*filler).named},
	{name: "agree", safety: true, luck: true, weight: 1, fill: (*filler).agree},
	{name: "at-most", safety: true, weight: 2, fill: (*filler).atMost},
	{name: "within", safety: true, weight: 2, fill: (*filler).within},
	{name: "ordered", safety: true, weight: 2, fill: (*filler).ordered},
	{name: "precedes", safety: true, weight: 3, fill: (*filler).precedes},
	{name: "once", safety: true, weight: 3, fill: (*filler).once},
	{name: "responds", weight: 1, fill: (*filler).responds},
	{name: "reaches", weight: 2, fill: (*filler).reaches},
	{name: "recurs", weight: 2, fill: (*filler).recurs},
}

// total adds up a number over the good runs.
func (f *filler) total(of func(*facts) int) int {
	n := 0
	for _, g := range f.good {
		n += of(g)
	}
	return n
}

// intervals returns how often a literal becomes true in a run.
func intervals(l int) func(*facts) int {
	return func(f *facts) int {
		n := 0
		for k := range f.chains {
			n += int(f.chains[k].intervals[l])
		}
		return n
	}
}

// pairs returns how many intervals of p there are beside one of q on another chain: what local order
// alone would let meet.
func pairs(p, q int) func(*facts) int {
	return func(f *facts) int {
		n, allQ := 0, 0
		for k := range f.chains {
			allQ += int(f.chains[k].intervals[q])
		}
		for k := range f.chains {
			n += int(f.chains[k].intervals[p]) * (allQ - int(f.chains[k].intervals[q]))
		}
		if p == q {
			n /= 2
		}
		return n
	}
}

// eachChain returns whether something is true of every chain.
func eachChain(is func(*chain) bool) func(*facts) bool {
	return func(f *facts) bool {
		for k := range f.chains {
			if !is(&f.chains[k]) {
				return false
			}
		}
		return true
	}
}

// class returns the class of a literal, and alike whether two have the same one.
func (f *filler) class(l int) *class  { return f.literals[l].variable.class }
func (f *filler) alike(p, q int) bool { return f.class(p) == f.class(q) }
func (f *filler) seen(l int) bool     { return f.total(intervals(l)) > 0 }
func (f *filler) plain(l int) bool    { return !f.literals[l].rest }
func (f *filler) initially(l int) bool {
	x := f.literals[l]
	for value := range x.variable.inits {
		if x.holds(value) {
			return true
		}
	}
	return false
}

// forall returns a quantifier over the processes that have the variables of some literals, "" where
// these are of single processes.
func (f *filler) forall(quantifier, names string, literals ...int) string {
	var variables []*variable
	for _, l := range literals {
		variables = append(variables, f.literals[l].variable)
	}
	k := variables[0].class
	if k.single {
		return ""
	}
	return quantifier + " " + names + k.over(variables...) + ": "
}

// every is forall for one process, with the words for it.
func (f *filler) every(literals ...int) string { return f.forall("forall", "i", literals...) }

// among names the class of a literal, where it is not that of all processes.
func (f *filler) among(l int) string {
	if f.class(l).domain == "" {
		return ""
	}
	return " of " + f.class(l).words
}

// each begins a sentence about each process.
func (f *filler) each(l int) string {
	if f.class(l).single {
		return ""
	}
	return "on each process" + f.among(l) + ", "
}

// somewhere ends a sentence about some process.
func (f *filler) somewhere(l int) string {
	if f.class(l).single {
		return ""
	}
	return " on some process" + f.among(l)
}

// mutex: no two processes are in a state at once.
func (f *filler) mutex() {
	for p := range f.literals {
		if f.class(p).single || !f.plain(p) {
			continue
		}
		l := f.literals[p]
		f.add(candidate{
			formula:  fmt.Sprintf("AG(%s!(%s && %s))", f.forall("forall", "i != j", p), l.of("i"), l.of("j")),
			says:     fmt.Sprintf("no two processes%s have %s at once", f.among(p), l.words()),
			literals: []int{p, p},
			cost:     f.alone(p),
			plain:    true,
			apart:    true,
			holds:    func(g *facts) bool { return !g.apart[p].has(p) },
			asked:    pairsOrOnce(p),
		})
	}
}

// alone is the cost of a mutual exclusion that no run puts to the test: one process is in the state, and
// no other.
func (f *filler) alone(p int) int {
	if f.total(pairs(p, p)) > 0 {
		return 0
	}
	return maxWeight + 1
}

// pairsOrOnce is pairs(p, p), or where one chain alone has p, how often it becomes true there.
func pairsOrOnce(p int) func(*facts) int {
	return func(f *facts) int { return cmp.Or(pairs(p, p)(f), intervals(p)(f)) }
}

// eachPair visits the pairs of literals that may exclude each other, if not for the reason that they are
// of the same variable. One of them has to be worth naming.
func (f *filler) eachPair(visit func(p, q int)) {
	for p := range f.literals {
		for q := p + 1; q < len(f.literals); q++ {
			if f.literals[p].variable != f.literals[q].variable && (f.plain(p) || f.plain(q)) {
				visit(p, q)
			}
		}
	}
}

// exclude: two states exclude each other, on one process and on different ones.
func (f *filler) exclude() {
	f.eachPair(func(p, q int) {
		if f.plain(p) && f.plain(q) {
			f.disjoint(p, q, "!(%s && %s)", p, q, "%s and %s are not true at once")
		}
	})
	// The same variable, on different processes.
	for p := range f.literals {
		for q := p + 1; q < len(f.literals); q++ {
			if f.literals[p].variable == f.literals[q].variable && f.plain(p) && f.plain(q) && !f.class(p).single {
				f.disjointApart(p, q, "!(%s && %s)", p, q, "%s on one process excludes %s on another")
			}
		}
	}
}

// implies: a state excludes what is not another.
func (f *filler) implies() {
	f.eachPair(func(p, q int) {
		if f.plain(p) && f.plain(q) {
			return
		}
		if !f.plain(p) {
			p, q = q, p
		}
		f.disjoint(p, q, "%s -> %s", p, f.literals[q].negation, "with %s there is %s")
	})
}

// disjoint adds the candidates that say that p and q are not true at once, in words about left and
// right.
func (f *filler) disjoint(p, q int, form string, left, right int, words string) {
	a, b := f.literals[left], f.literals[right]
	switch {
	case f.class(p).single || f.class(q).single:
		// One of them needs no name, so no quantifier has to range over both classes.
		named := p
		if f.class(p).single {
			named = q
		}
		f.add(candidate{
			formula:  fmt.Sprintf("AG(%s"+form+")", f.every(named), a.of("i"), b.of("i")),
			says:     fmt.Sprintf(words, a.words(), b.words()),
			literals: []int{p, q},
			plain:    f.plain(p) && f.plain(q),
			apart:    true,
			holds:    func(g *facts) bool { return !g.apart[p].has(q) && !g.same[p].has(q) },
			asked:    pairs(p, q),
		})
	case f.alike(p, q):
		f.add(candidate{
			formula:  fmt.Sprintf("AG(%s"+form+")", f.every(p, q), a.of("i"), b.of("i")),
			says:     fmt.Sprintf(words+" on any process", a.words(), b.words()),
			literals: []int{p, q},
			plain:    f.plain(p) && f.plain(q),
			holds:    func(g *facts) bool { return !g.same[p].has(q) },
			asked: func(g *facts) int {
				return min(intervals(p)(g), intervals(q)(g))
			},
		})
		f.disjointApart(p, q, form, left, right, words+", on two processes")
	}
}

// disjointApart adds the candidate that p on one process excludes q on another of the class.
func (f *filler) disjointApart(p, q int, form string, left, right int, words string) {
	a, b := f.literals[left], f.literals[right]
	f.add(candidate{
		formula:  fmt.Sprintf("AG(%s"+form+")", f.forall("forall", "i != j", p, q), a.of("i"), b.of("j")),
		says:     fmt.Sprintf(words, a.words(), b.words()),
		literals: []int{p, q},
		plain:    f.plain(p) && f.plain(q),
		apart:    true,
		holds:    func(g *facts) bool { return !g.apart[p].has(q) },
		asked:    pairs(p, q),
	})
}

// some: there is always a process in a state.
func (f *filler) some() {
	for p := range f.literals {
		if f.class(p).single || !f.plain(p) && f.literals[p].relation == unequal {
			continue
		}
		l := f.literals[p]
		f.add(candidate{
			formula:  fmt.Sprintf("AG(%s%s)", f.forall("exists", "i", p), l.of("i")),
			says:     fmt.Sprintf("there is always a process%s with %s", f.among(p), l.words()),
			literals: []int{p},
			plain:    f.plain(p),
			holds:    func(g *facts) bool { return g.fewest[p] > 0 },
			asked:    intervals(l.negation),
		})
	}
}

// precedes: one state comes before another.
func (f *filler) precedes() {
	for p := range f.literals {
		for q := range f.literals {
			a, b := f.literals[p], f.literals[q]
			if p == q || f.initially(p) || f.initially(q) || a.variable == b.variable && a.relation == b.relation && a.relation == unequal {
				continue
			}
			if f.alike(p, q) && !f.class(p).single {
				f.add(candidate{
					formula:  fmt.Sprintf("%sA[%s W %s]", f.every(p, q), f.literals[b.negation].of("i"), a.of("i")),
					says:     fmt.Sprintf("%sthere is no %s before %s", f.each(p), b.words(), a.words()),
					literals: []int{p, q},
					plain:    f.plain(p) && f.plain(q),
					holds: eachChain(func(h *chain) bool {
						return h.first[q] < 0 || h.first[p] >= 0 && h.first[p] <= h.first[q]
					}),
					asked: chainsWith(q),
				})
				continue
			}
			f.add(candidate{
				formula:  fmt.Sprintf("A[!%s W %s]", f.any("j", q), f.any("i", p)),
				says:     fmt.Sprintf("there is no %s anywhere before %s", b.words(), a.words()),
				literals: []int{p, q},
				plain:    f.plain(p) && f.plain(q),
				apart:    true,
				holds:    func(g *facts) bool { return g.past[q].has(p) },
				asked:    chainsWith(q),
			})
		}
	}
}

// any is a literal of some process, in parentheses.
func (f *filler) any(name string, l int) string {
	return "(" + f.forall("exists", name, l) + f.literals[l].of(name) + ")"
}

// chainsWith returns on how many chains a literal is true somewhere.
func chainsWith(l int) func(*facts) int {
	return func(f *facts) int {
		n := 0
		for k := range f.chains {
			if f.chains[k].first[l] >= 0 {
				n++
			}
		}
		return n
	}
}

// once: a state does not come back.
func (f *filler) once() {
	for p := range f.literals {
		l := f.literals[p]
		if !f.plain(p) || l.relation == unequal {
			continue
		}
		not := f.literals[l.negation].of("i")
		f.add(candidate{
			formula:  fmt.Sprintf("%sAG(%s -> AG(%s -> AG(%s)))", f.every(p), l.of("i"), not, not),
			says:     fmt.Sprintf("%s%s comes at most once", f.each(p), l.words()),
			literals: []int{p},
			plain:    true,
			holds:    eachChain(func(h *chain) bool { return h.intervals[p] <= 1 }),
			asked: func(g *facts) int {
				n := 0
				for k := range g.chains {
					if h := &g.chains[k]; h.last[p] >= 0 && int(h.last[p])+1 < len(h.segments) {
						n++
					}
				}
				return n
			},
		})
	}
}

// responds: one state is followed by another.
func (f *filler) responds() {
	for p := range f.literals {
		for q := range f.literals {
			a, b := f.literals[p], f.literals[q]
			// Little follows from the state that all begin with, and what is not another state is
			// mostly the case.
			if p == q || a.relation == unequal || !f.plain(p) {
				continue
			}
			// Of several values, each is left for another some time.
			if b.relation == unequal {
				continue
			}
			plain := f.plain(p)
			if f.alike(p, q) {
				f.add(candidate{
					formula:  fmt.Sprintf("%sAG(%s -> AF(%s))", f.every(p, q), a.of("i"), b.of("i")),
					says:     fmt.Sprintf("%safter %s comes %s", f.each(p), a.words(), b.words()),
					literals: []int{p, q},
					plain:    plain,
					cost:     f.delay(p, q),
					holds:    eachChain(func(h *chain) bool { return h.last[p] <= h.last[q] }),
					asked:    f.pending(p, q),
				})
			}
			if f.plain(q) && b.relation != unequal && (!f.alike(p, q) || !f.class(p).single) {
				f.add(candidate{
					formula:  fmt.Sprintf("%sAG(%s -> AF%s)", f.every(p), a.of("i"), f.any("j", q)),
					says:     fmt.Sprintf("after %s comes %s%s", a.words(), b.words(), f.somewhere(q)),
					literals: []int{p, q},
					plain:    plain,
					apart:    true,
					cost:     1 + f.delay(p, p),
					holds:    func(g *facts) bool { return !g.lost[q].has(p) },
					asked:    f.pending(p, q),
				})
			}
		}
	}
}

// delay is the cost of a response that mostly does not come before it is asked for again, or that was asked
// for once only: then it may be chance that it comes.
func (f *filler) delay(p, q int) int {
	asked, answered := 0, 0
	for _, g := range f.good {
		for k := range g.chains {
			h := &g.chains[k]
			open, was := false, false
			for s := range h.segments {
				at := h.segments[s].truth
				if at.has(p) && !was {
					asked++
					open = true
				}
				if was = at.has(p); open && at.has(q) {
					answered++
					open = false
				}
			}
		}
	}
	switch {
	case 10*answered < 9*asked:
		return 3
	case asked < 2*f.total(chainsWith(p)):
		return 2 // each process was asked about once
	}
	return 0
}

// pending returns how often p becomes true where q is not.
func (f *filler) pending(p, q int) func(*facts) int {
	not := f.literals[q].negation
	return func(g *facts) int {
		if f.alike(p, q) && !g.same[p].has(not) {
			return 0 // p has q already
		}
		return intervals(p)(g)
	}
}

// reaches: every process, or some process, comes to a state.
func (f *filler) reaches() {
	for p := range f.literals {
		l := f.literals[p]
		if f.initially(p) || l.relation == unequal && l.rest {
			continue
		}
		f.add(candidate{
			formula:  fmt.Sprintf("%sAF(%s)", f.every(p), l.of("i")),
			says:     fmt.Sprintf("%s%s comes", f.each(p), l.words()),
			literals: []int{p},
			plain:    f.plain(p),
			holds:    f.all(p, func(h *chain) bool { return h.first[p] >= 0 }),
			asked:    chainsWith(p),
		})
		if !f.class(p).single {
			f.add(candidate{
				formula:  fmt.Sprintf("AF%s", f.any("i", p)),
				says:     fmt.Sprintf("some process comes to %s", l.words()),
				literals: []int{p},
				plain:    f.plain(p),
				apart:    true,
				holds:    func(g *facts) bool { return chainsWith(p)(g) > 0 },
				asked:    func(*facts) int { return 1 },
			})
		}
	}
}

// recurs: whatever happens, a state comes again.
func (f *filler) recurs() {
	for p := range f.literals {
		l := f.literals[p]
		// Other states are ends: that they are reached says as much.
		if !l.rest || l.relation == unequal {
			continue
		}
		f.add(candidate{
			formula:  fmt.Sprintf("%sAG(AF(%s))", f.every(p), l.of("i")),
			says:     fmt.Sprintf("%s%s comes again whatever happens", f.each(p), l.words()),
			literals: []int{p},
			plain:    f.plain(p),
			holds:    f.all(p, func(h *chain) bool { return int(h.last[p])+1 == len(h.segments) }),
			asked:    intervals(l.negation),
		})
	}
}

// all returns whether something is true of each chain with the variable of a literal.
func (f *filler) all(p int, is func(*chain) bool) func(*facts) bool {
	l := f.literals[p]
	return eachChain(func(h *chain) bool {
		// A chain has the variable if the literal or its negation is true somewhere.
		return h.first[p] < 0 && h.first[l.negation] < 0 || is(h)
	})
}

// candidates fills all templates.
func candidates(v *vocabulary, good []*facts) []*candidate {
	var all []*candidate
	known := make(map[string]bool)
	for _, t := range templates {
		f := &filler{vocabulary: v, good: good, template: t}
		f.add = func(c candidate) {
			// What no run puts to the test holds for nothing.
			if known[c.formula] || slices.ContainsFunc(c.literals, func(l int) bool { return !f.seen(l) }) {
				return
			}
			known[c.formula] = true
			c.template = t
			all = append(all, &c)
		}
		t.fill(f)
	}
	return all
}
