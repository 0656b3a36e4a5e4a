package infer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// A template is a kind of properties.
type template struct {
	name   string
	weight int  // less is worth more, among those with the same evidence
	safety bool // a run that was cut off cannot break it for that reason
	luck   bool // it is worth a line where it holds in one order only

	forms  []form        // about states of processes
	bounds []bound       // or about numbers of each run
	event  *eventForm    // or about events
	fill   func(*filler) // or whatever else makes its candidates
}

// A shape is the relation of p and q of a form, two literals: of their classes, and of the processes
// that they are about.
type shape uint8

const (
	one    shape = iota // p alone
	anyone              // p alone, on some process
	same                // of one class: on one process
	apart               // of one class: on two processes
	mixed               // of two classes, one of them a single process
	beyond              // of two classes, or of some processes of one class

	ofValues shape = 8  // added: p and q are variables
	andValue shape = 16 // added: q is a variable
)

// A form is a template in one shape. Its texts have places for p and q:
//
//	p@1 q@2          the literal or variable on one process, and on another
//	~p@1 ~$p         the negation of a literal
//	Q                a quantifier, where the class has several processes
//	Ep Np            some process has the literal; the number of these processes
//	$p $q            words
//	$0               the value that the variable has at the start
//	$c $low          the bound, and its negative; $less and $more are one on a difference
//	of each some     (in braces, of sentences) words for the class, if it needs some
//
// For example, AG(Q !(p@1 && q@2)) in the shape apart becomes AG(forall i != j: !(cs@i && cs@j)).
//
// The functions fits, holds, asked and cost are those at the end of the file and in numbers.go,
// shared by several forms. fits drops instances that say nothing before they cost anything; holds
// reads facts.
type form struct {
	shape   shape
	formula string
	says    string
	fits    func(p, q literal) bool
	holds   func(g *facts, p, q int) bool
	asked   func(g *facts, p, q int) int
	cost    func(f *filler, p, q int) int // nil for none
}

// A bound is a form that says that a number of each run is at most as large as in any good run.
//
// Bounds tempt to overfit: every finite log has a largest number. A bound that many runs come to,
// and none passes, looks like a limit of the program rather than an accident.
type bound struct {
	form
	number func(g *facts, p, q int) (graphs.Value, bool)         // not ok where a run has none
	worth  func(f *filler, p, q literal, most graphs.Value) bool // nil for all
	guess  bool                                                  // the number may be too small, so that the next larger ones are tried
}

// A candidate is a template about certain literals or variables.
type candidate struct {
	template *template
	form     *form        // nil where the texts are given
	p, q     literal      // of the form
	most     graphs.Value // of a bound
	formula  string       // written late, from the form, as says is
	says     string
	literals []int     // in the order of the template
	key      *variable // a variable beside them, nil for none
	cost     int       // beside the weight of the template

	holds func(*facts) bool // as far as facts can say; nil where they cannot
	asked func(*facts) int  // how often a run puts it to the test
	apart bool              // it is about different processes
	next  func() *candidate // to be tried where this one fails after all, nil for none

	fails int // good runs that break it
}

// templates returns all that there are. What comes first stays where two say the same.
//
// Weights range from 0 for what people ask for first, such as mutual exclusion, to 3 for orders of
// states that hold in most logs. A template with luck set depends on which states meet, so another
// order may break it.
func templates() []*template {
	return []*template{
		{name: "mutex", safety: true, luck: true, weight: 0, forms: []form{
			{apart, "AG(Q !(p@1 && q@2))", "no two processes{of} have $p at once",
				plainTwice, excluded, pairsOrOnce, (*filler).alone},
		}},
		{name: "unique", safety: true, luck: true, weight: 0, forms: []form{
			{apart + andValue, "AG(Q !(p@1 && p@2 && q@1 == q@2))",
				"no two processes{of} have $p with the same $q", comparable, neverAlike, pairsOfFirst, nil},
			{apart + ofValues, "AG(Q p@1 == $0 || p@2 == $0 || p@1 != p@2)",
				"no two processes{of} have the same $p, but for $0", chosen, allDiffer, pairsOfChoices, nil},
		}},
		{name: "exclude", safety: true, luck: true, weight: 2, forms: []form{
			{same, "AG(Q !(p@1 && q@1))", "$p and $q are not true at once{on}",
				plainOfTwo, disjoint, rarer, nil},
			{apart, "AG(Q !(p@1 && q@2))", "$p on one process{of} excludes $q on another",
				plainBoth, excluded, pairs, nil},
			{mixed, "AG(Q !(p@1 && q@1))", "$p and $q are not true at once",
				plainOfTwo, separate, pairs, nil},
		}},
		{name: "implies", safety: true, luck: true, weight: 2, forms: []form{
			{same, "AG(Q p@1 -> ~q@1)", "with $p there is ~$q{on}",
				plainAndNot, disjoint, rarer, nil},
			{apart, "AG(Q p@1 -> ~q@2)", "with $p on one process{of} there is ~$q on all others",
				plainAndNot, excluded, pairs, nil},
			{mixed, "AG(Q p@1 -> ~q@1)", "with $p there is ~$q", plainAndNot, separate, pairs, nil},
		}},
		{name: "some", safety: true, weight: 1, forms: []form{
			{one, "AG(Ep)", "there is always a process{of} with $p",
				calledOfSeveral, alwaysSome, left, nil},
		}},
		{name: "named", safety: true, luck: true, weight: 1, fill: (*filler).naming},
		{name: "agree", safety: true, luck: true, weight: 1, forms: []form{
			{apart + ofValues, "AG(Q p@1 == $0 || p@2 == $0 || p@1 == p@2)",
				"processes{of} whose $p is not $0 have the same", chosen, allAgree, pairsOfChoices, nil},
		}},
		{name: "at-most", safety: true, weight: 2, bounds: []bound{
			{form{one, "AG(Np <= $c)", "at most $c processes{of} have $p at once",
				plainOfSeveral, nil, intervals, nil}, mostAtOnce, severalNotAll, true},
		}},
		{name: "within", safety: true, weight: 2, bounds: []bound{
			{form{one + ofValues, "AG(Q p@1 <= $c)", "$p is at most $c",
				numbers, nil, changes, nil}, greatest, nil, false},
			{form{one + ofValues, "AG(Q p@1 >= $low)", "$p is at least $low",
				numbers, nil, changes, counter}, leastNegated, nil, false},
		}},
		{name: "ordered", safety: true, weight: 2, bounds: []bound{
			{form{mixed + ofValues, "AG(p@1$less <= q@1$more)", "$p$less is at most $q$more",
				numbersOfTwo, nil, fewerChanges, nil}, anywhere, tells, false},
			{form{same + ofValues, "AG(Q p@1$less <= q@1$more)", "$p$less is at most $q$more",
				numbers, nil, fewerChanges, nil}, onOneChain, tells, false},
			{form{apart + ofValues, "AG(Q p@1$less <= q@2$more)",
				"$p$less is at most $q of any other process$more", numbers, nil, fewerChanges, nil}, onTwoChains, tells, false},
		}},
		{name: "in-transit", safety: true, weight: 2, fill: (*filler).inTransit},
		{name: "equation", safety: true, weight: 1, fill: (*filler).equations},
		{name: "precedence", safety: true, luck: true, weight: 1, event: &precedence},
		{name: "response", weight: 1, event: &response},
		{name: "at-most-once", safety: true, weight: 2, event: &onceEach},
		{name: "in-time", weight: maxWeight + 1, event: &inTime},
		{name: "precedes", safety: true, weight: 3, forms: []form{
			{same, "Q A[~q@1 W p@1]", "{each}there is no $q before $p",
				laterBoth, firstBefore, chainsWithSecond, nil},
			{beyond, "A[!Eq W Ep]", "there is no $q anywhere before $p",
				laterBoth, pastHas, chainsWithSecond, nil},
		}},
		{name: "monotone", safety: true, weight: 2, fill: (*filler).monotone},
		{name: "stable", safety: true, weight: 3, forms: []form{
			{one, "Q AG(p@1 -> AG(p@1))", "{each}once there is $p it stays",
				positiveLater, forGood, chainsWith, nil},
		}},
		{name: "once", safety: true, weight: 3, forms: []form{
			{one, "Q AG(p@1 -> AG(~p@1 -> AG(~p@1)))", "{each}$p comes at most once",
				positive, atMostOnce, finished, nil},
		}},
		{name: "responds", weight: 1, forms: []form{
			{same, "Q AG(p@1 -> AF(q@1))", "{each}after $p comes $q",
				following, lastBefore, pending, (*filler).delay},
			{beyond, "Q AG(p@1 -> AF(Eq))", "after $p comes $q{some}",
				followingPlain, notLost, pending, (*filler).distance},
		}},
		{name: "reaches", weight: 2, forms: []form{
			{one, "Q AF(p@1)", "{each}$p comes", later, comesOnAll, chainsWith, nil},
			{anyone, "AF(Ep)", "on some process{of} $p comes",
				laterOfSeveral, comesOnSome, once, nil},
		}},
		{name: "recurs", weight: 2, forms: []form{
			{one, "Q AG(AF(p@1))", "{each}$p comes again whatever happens",
				resting, atTheEnd, left, nil},
		}},
	}
}

// separates reports whether a run has states of different processes that a candidate keeps apart.
func (c *candidate) separates(f *facts) bool {
	return c.template.luck && c.apart && c.key == nil && len(c.literals) == 2 && pairs(f, c.literals[0], c.literals[1]) > 0
}

// A filler makes the candidates of templates.
type filler struct {
	ctx context.Context // when it is done, no more candidates are made
	*vocabulary
	good     []*facts
	template *template
	user     *Templates   // nil for none
	related  []*relations // of sorts in all good runs, by key
	add      func(*candidate)
}

// total adds up a number about a literal over the good runs.
func (f *filler) total(l int, of func(g *facts, p, _ int) int) int {
	n := 0
	for _, g := range f.good {
		n += of(g, l, l)
	}
	return n
}

// fillAll makes the candidates of all templates.
func (f *filler) fillAll() {
	all := templates()
	for k := range f.keys {
		f.related = append(f.related, f.relate(k, f.good...))
	}
	if f.user != nil {
		all = append(all, f.user.templates...)
	}
	for _, f.template = range all {
		if f.ctx.Err() != nil {
			return
		}
		for i := range f.template.forms {
			f.instances(&f.template.forms[i], nil)
		}
		for i := range f.template.bounds {
			f.instances(&f.template.bounds[i].form, &f.template.bounds[i])
		}
		if f.template.event != nil {
			f.events(f.template.event)
		}
		if f.template.fill != nil {
			f.template.fill(f)
		}
	}
}

// instances makes the candidates of a form, or of a bound.
//
// It tries all pairs of literals, O(k²) for k literals; each instance then costs a constant number
// of bit tests per run.
func (f *filler) instances(k *form, b *bound) {
	var values []literal
	for n, x := range f.states {
		values = append(values, literal{variable: x, relation: itself, number: n, negation: n})
	}
	ps, qs := f.literals, f.literals
	if k.shape >= ofValues {
		qs = values
	}
	if k.shape >= ofValues && k.shape < andValue {
		ps = values
	}
	for _, p := range ps {
		for _, q := range qs {
			if !k.shape.relates(p, q) || !k.fits(p, q) {
				continue
			}
			if b == nil {
				f.add(f.instance(k, p, q))
				continue
			}
			most, runs := f.support(func(g *facts) (graphs.Value, bool) { return b.number(g, p.number, q.number) })
			if c := f.atMost(b, p, q, most); c != nil && (f.enough(runs) || b.guess) {
				f.add(c)
			}
		}
	}
}

// relates reports whether p and q have the shape.
func (s shape) relates(p, q literal) bool {
	alike, single := p.variable.class == q.variable.class, p.variable.class.single
	switch s % ofValues {
	case one, anyone:
		return p == q
	case same:
		return alike && p != q
	case apart:
		return alike && !single
	case mixed:
		return !alike && (single || q.variable.class.single)
	}
	return !alike || !single && p != q // beyond
}

// instance returns the candidate of a form about p and q.
func (f *filler) instance(k *form, p, q literal) *candidate {
	c := &candidate{
		form:     k,
		p:        p,
		q:        q,
		literals: []int{p.number, q.number},
		apart:    k.shape%ofValues != one && k.shape%ofValues != same,
		holds:    func(g *facts) bool { return k.holds(g, p.number, q.number) },
		asked:    func(g *facts) int { return k.asked(g, p.number, q.number) },
	}
	switch {
	case k.shape >= andValue:
		c.literals, c.key = c.literals[:1], q.variable
	case k.shape >= ofValues:
		c.literals, c.key = nil, p.variable
	case k.shape <= anyone:
		c.literals = c.literals[:1]
	}
	return c
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

// enough reports whether so many runs came to a bound: one alone may have done so by chance.
func (f *filler) enough(runs int) bool {
	return 2*runs >= len(f.good) && (runs > 1 || len(f.good) == 1)
}

// atMost returns the candidate that a number is at most as large as that, nil where this is not
// worth a line.
func (f *filler) atMost(b *bound, p, q literal, most graphs.Value) *candidate {
	if b.worth != nil && !b.worth(f, p, q, most) {
		return nil
	}
	c := f.instance(&b.form, p, q)
	c.most = most
	c.holds = func(g *facts) bool {
		n, ok := b.number(g, p.number, q.number)
		return !ok || n.Compare(most) <= 0
	}
	if b.guess {
		// It takes more to come to a larger bound.
		c.asked = func(g *facts) int { return b.asked(g, p.number, q.number) / int(most.Int64()+1) }
		c.next = func() *candidate {
			next := f.atMost(b, p, q, most.Add(graphs.Int(1)))
			if next != nil {
				next.template = c.template
				f.write(next)
			}
			return next
		}
	}
	return c
}

// write gives a candidate its texts and its cost.
//
// They are for candidates that stay only: most instances break on some run, and both would take
// longer than to look at the facts.
func (f *filler) write(c *candidate) {
	if c.form == nil {
		return
	}
	if c.form.cost != nil {
		c.cost = c.form.cost(f, c.p.number, c.q.number)
	}
	var places []string
	put := func(place, text string) { places = append(places, place, text) }
	for i, l := range []literal{c.p, c.q} {
		name, process := "pq"[i:i+1], "ij"[i:i+1]
		not := l
		if l.relation != itself {
			not = f.literals[l.negation]
		}
		put("$"+name, l.words())
		put("~$"+name, not.words())
		put(name+"@1", l.of("i"))
		put(name+"@2", l.of("j"))
		put("~"+name+"@1", not.of("i"))
		put("~"+name+"@2", not.of("j"))
		put("E"+name, "("+l.variable.class.quantifier("exists", process, l.variable)+l.of(process)+")")
		put("N"+name, "("+l.variable.class.quantifier("count", process, l.variable)+l.of(process)+")")
	}

	x, y := c.p.variable, c.q.variable
	names, class := "i", x.class
	if c.form.shape%ofValues == apart {
		names = "i != j"
	}
	switch {
	case c.form.shape == beyond:
		put("Q ", class.quantifier("forall", names, x))
	case class == y.class:
		put("Q ", class.quantifier("forall", names, x, y))
	default: // one of them is a single process
		put("Q ", class.quantifier("forall", names, x)+y.class.quantifier("forall", names, y))
	}
	// The first of equal places counts, so that single processes get no words.
	if class.single {
		put("{each}", "")
		put("{on}", "")
	}
	if y.class.single {
		put("{some}", "")
	}
	put("{of}", class.of)
	put("{each}", "on each process"+class.of+", ")
	put("{on}", " on any process"+class.of)
	put("{some}", " on some process")
	put("$0", x.first().String())

	put("$c", c.most.String())
	put("$low", c.most.Mul(graphs.Int(-1)).String())
	less, more := "", ""
	if d := c.most.Int64(); d < 0 {
		less = fmt.Sprintf(" + %d", -d)
	} else if d > 0 {
		more = fmt.Sprintf(" + %d", d)
	}
	put("$less", less)
	put("$more", more)
	c.formula = strings.NewReplacer(places...).Replace(c.form.formula)
	c.says = strings.NewReplacer(places...).Replace(c.form.says)
}

// Which literals a form is worth filling with.

func plainTwice(p, q literal) bool     { return !p.rest && p == q }
func plainOfSeveral(p, _ literal) bool { return !p.rest && !p.variable.class.single }
func plainBoth(p, q literal) bool      { return !p.rest && !q.rest && p.number < q.number }
func plainOfTwo(p, q literal) bool     { return plainBoth(p, q) && p.variable != q.variable }
func plainAndNot(p, q literal) bool    { return !p.rest && q.rest && p.variable != q.variable }
func positive(p, _ literal) bool       { return !p.rest && p.relation != unequal }
func positiveLater(p, q literal) bool  { return positive(p, q) && !p.initial() }

// called: other states are worth naming, and the one that all begin with is if it has a name.
func called(p, _ literal) bool { return !p.rest || p.relation != unequal }

func calledOfSeveral(p, q literal) bool { return called(p, q) && !p.variable.class.single }
func later(p, q literal) bool           { return called(p, q) && !p.initial() }
func laterOfSeveral(p, q literal) bool  { return later(p, q) && !p.variable.class.single }

func laterBoth(p, q literal) bool {
	return !p.initial() && !q.initial() && p.relation != unequal && q.relation != unequal
}

// following: little follows from the state that all begin with. Of several values, each is left for
// another some time.
func following(p, q literal) bool      { return positive(p, q) && q.relation != unequal }
func followingPlain(p, q literal) bool { return following(p, q) && !q.rest }

// resting: that other states are reached says as much.
func resting(p, _ literal) bool { return p.rest && p.relation != unequal }

// initial reports whether a literal is true at the start of some process.
func (l literal) initial() bool {
	for value := range l.variable.inits {
		if l.holds(value) {
			return true
		}
	}
	return false
}

// What facts say of a form.

func excluded(g *facts, p, q int) bool    { return !g.apart[p].Has(q) }
func disjoint(g *facts, p, q int) bool    { return !g.same[p].Has(q) }
func separate(g *facts, p, q int) bool    { return excluded(g, p, q) && disjoint(g, p, q) }
func comesOnSome(g *facts, p, _ int) bool { return chainsWith(g, p, p) > 0 }

func alwaysSome(g *facts, p, _ int) bool {
	fewest, _ := g.tally(p)
	return fewest > 0
}

func firstBefore(g *facts, p, q int) bool {
	return g.all(p, func(h *chain) bool { return h.first(q) < 0 || h.first(p) >= 0 && h.first(p) <= h.first(q) })
}

func lastBefore(g *facts, p, q int) bool {
	return g.all(p, func(h *chain) bool { return h.last(p) <= h.last(q) })
}

func atMostOnce(g *facts, p, _ int) bool {
	return g.all(p, func(h *chain) bool { return len(h.intervals[p]) <= 1 })
}

func forGood(g *facts, p, q int) bool {
	return g.all(p, func(h *chain) bool { return h.first(p) < 0 || h.last(p)+1 == len(h.segments) }) && atMostOnce(g, p, q)
}

func comesOnAll(g *facts, p, _ int) bool {
	return g.all(p, func(h *chain) bool { return h.ever.Has(p) })
}

func atTheEnd(g *facts, p, _ int) bool {
	return g.all(p, func(h *chain) bool { return h.atEnd(p) })
}

// all reports whether something is true of each chain with the variable of a literal.
func (f *facts) all(p int, is func(*chain) bool) bool {
	not := f.literals[p].negation
	return !slices.ContainsFunc(f.chains, func(h chain) bool {
		// A chain has the variable if the literal or its negation is true somewhere.
		return (h.ever.Has(p) || h.ever.Has(not)) && !is(&h)
	})
}

// How often a run puts a form to the test.

// count adds up a number over the chains.
func (f *facts) count(of func(h *chain) int) int {
	n := 0
	for k := range f.chains {
		n += of(&f.chains[k])
	}
	return n
}

func once(*facts, int, int) int { return 1 }

// intervals returns how often a literal becomes true, and left how often it is left.
func intervals(g *facts, p, _ int) int {
	return g.count(func(h *chain) int { return len(h.intervals[p]) })
}

func left(g *facts, p, _ int) int { return intervals(g, g.literals[p].negation, 0) }

func rarer(g *facts, p, q int) int { return min(intervals(g, p, p), intervals(g, q, q)) }

// pairs returns how many intervals of p there are beside one of q on another chain: what local
// order alone would let meet.
//
// For example, with 2 intervals of p on one chain and 3 of q on another, 6 pairs are kept apart by
// messages alone. The more there are, the less likely is chance.
func pairs(g *facts, p, q int) int {
	all := intervals(g, q, q)
	n := g.count(func(h *chain) int { return len(h.intervals[p]) * (all - len(h.intervals[q])) })
	if p == q {
		n /= 2
	}
	return n
}

// pairsOrOnce is pairs, or where one chain alone has p, how often it becomes true there.
func pairsOrOnce(g *facts, p, _ int) int { return cmp.Or(pairs(g, p, p), intervals(g, p, p)) }

// chainsWith returns on how many chains a literal is true somewhere.
func chainsWith(g *facts, p, _ int) int {
	return g.count(func(h *chain) int { return min(len(h.intervals[p]), 1) })
}

func chainsWithSecond(g *facts, _, q int) int { return chainsWith(g, q, q) }

// finished counts the chains that p is over on.
func finished(g *facts, p, _ int) int {
	return g.count(func(h *chain) int {
		if h.ever.Has(p) && !h.atEnd(p) {
			return 1
		}
		return 0
	})
}

// pending returns how often p becomes true where q is not.
func pending(g *facts, p, q int) int {
	x, y := g.literals[p], g.literals[q]
	if x.variable.class == y.variable.class && !g.same[p].Has(y.negation) {
		return 0 // p has q already
	}
	return intervals(g, p, p)
}

// What makes a form worth less.

// alone is the cost of a mutual exclusion that no run puts to the test: one process is
// in the state, and no other.
func (f *filler) alone(p, _ int) int {
	if f.total(p, pairs) > 0 {
		return 0
	}
	return maxWeight + 1
}

// delay is the cost of a response that mostly does not come before it is asked for again, or that
// was asked for once only: then it may come by chance.
func (f *filler) delay(p, q int) int {
	asked := f.total(p, intervals)
	answered := 0
	for _, g := range f.good {
		answered += g.answered(p, q)
	}
	switch {
	case 10*answered < 9*asked:
		return 3
	case asked < 2*f.total(p, chainsWith):
		return 2 // each process was asked about once
	}
	return 0
}

// distance is the cost of a response on another process.
func (f *filler) distance(p, _ int) int { return 1 + f.delay(p, p) }
