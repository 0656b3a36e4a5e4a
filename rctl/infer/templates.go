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
	events []eventForm   // or about events
	fill   func(*filler) // or whatever else makes its candidates
}

// A shape is what p and q of a form are: literals, or state variables by their numbers.
type shape uint8

const (
	one    shape = iota // literal p alone
	anyone              // p alone, on some process
	same                // literals of one class: on one process
	apart               // of one class: on two processes
	mixed               // of two classes, one of them a single process
	beyond              // of two classes, or of some processes of one class

	stateAndValue // literal p and variable q, both on two processes of one class
	value         // variable p alone
	twice         // variable p alone, on two processes
	values        // variables of one class: on one process
	across        // variables of one class: on two processes
	singles       // variables of single processes
	nothing       // neither p nor q
)

// A form is a template in one shape. Its texts have places for p and q:
//
//	$p $q $np $nq    literals and their negations
//	$x $y            variables
//	$p' $x'          literal and variable on a second process
//	$0               the value that the variable has at the start
//	$c $low          the bound, and its negative; $less and $more are one on a difference
//	Q                a quantifier, where the class has several processes
//	Ep Eq Np         some process has the literal; the number of these processes
//	of each some     (in braces, of sentences) words for the class, if it needs some
//
// For example, AG(Q !($p && $q)) in the shape apart becomes AG(forall i != j: !(cs@i && cs@j)).
//
// The functions fits, holds, asked and cost are those at the end of the file, shared by several
// forms. fits drops instances that say nothing before they cost anything; holds reads facts.
type form struct {
	shape   shape
	formula string
	says    string
	fits    func(f *filler, p, q int) bool // nil for all
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
	number func(g *facts, p, q int) (graphs.Value, bool) // not ok where a run has none
	worth  func(f *filler, p, q int, most graphs.Value) bool
	guess  bool // the number may be too small, so that the next larger ones are tried
}

// A candidate is a template about certain literals or variables.
type candidate struct {
	template *template
	form     *form        // nil where the texts are given
	p, q     int          // of the form
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
			{apart, "AG(Q !($p && $q))", "no two processes{of} have $p at once", equals, excluded, pairsOrOnce, (*filler).alone},
		}},
		{name: "unique", safety: true, luck: true, weight: 0, forms: []form{
			{stateAndValue, "AG(Q !($p && $p' && $x == $x'))", "no two processes{of} have $p with the same $x", comparable, neverAlike, pairsOfFirst, nil},
			{twice, "AG(Q $x == $0 || $x' == $0 || $x != $x')", "no two processes{of} have the same $x, but for $0", chosen, allDiffer, pairsOfChoices, nil},
		}},
		{name: "exclusive", safety: true, luck: true, weight: 0, events: []eventForm{exclusion}},
		{name: "exclude", safety: true, luck: true, weight: 2, forms: []form{
			{same, "AG(Q !($p && $q))", "$p and $q are not true at once{on}", bothPlain, disjoint, rarer, nil},
			{apart, "AG(Q !($p && $q))", "$p on one process{of} excludes $q on another", bothPlainAnywhere, excluded, pairs, nil},
			{mixed, "AG(Q !($p && $q))", "$p and $q are not true at once", bothPlain, separate, pairs, nil},
		}},
		{name: "implies", safety: true, luck: true, weight: 2, forms: []form{
			{same, "AG(Q $p -> $nq)", "with $p there is $nq{on}", onePlain, disjoint, rarer, nil},
			{apart, "AG(Q $p -> $nq)", "with $p on one process{of} there is $nq on all others", onePlain, excluded, pairs, nil},
			{mixed, "AG(Q $p -> $nq)", "with $p there is $nq", onePlain, separate, pairs, nil},
		}},
		{name: "some", safety: true, weight: 1, forms: []form{
			{one, "AG(Ep)", "there is always a process{of} with $p", several, alwaysSome, left, nil},
		}},
		{name: "named", safety: true, luck: true, weight: 1, fill: (*filler).naming},
		{name: "agree", safety: true, luck: true, weight: 1, forms: []form{
			{twice, "AG(Q $x == $0 || $x' == $0 || $x == $x')", "processes{of} whose $x is not $0 have the same", chosen, allAgree, pairsOfChoices, nil},
		}},
		{name: "at-most", safety: true, weight: 2, bounds: []bound{
			{form{one, "AG((Np) <= $c)", "at most $c processes{of} have $p at once", plainOfSeveral, nil, intervals, nil}, mostAtOnce, severalNotAll, true},
		}},
		{name: "within", safety: true, weight: 2, bounds: []bound{
			{form{value, "AG(Q $x <= $c)", "$x is at most $c", numbers, nil, changes, nil}, greatest, nil, false},
			{form{value, "AG(Q $x >= $low)", "$x is at least $low", numbers, nil, changes, counter}, leastNegated, nil, false},
		}},
		{name: "ordered", safety: true, weight: 2, bounds: []bound{
			{form{values, "AG(Q $x$less <= $y$more)", "$x$less is at most $y$more", numbers, nil, fewerChanges, nil}, onOneChain, tells, false},
			{form{across, "AG(Q $x$less <= $y$more)", "$x$less is at most $y of any other process$more", numbers, nil, fewerChanges, nil}, onTwoChains, tells, false},
			{form{singles, "AG($x$less <= $y$more)", "$x$less is at most $y$more", numbers, nil, fewerChanges, nil}, anywhere, tells, false},
		}},
		{name: "in-transit", safety: true, weight: 2, bounds: []bound{
			{form{nothing, "AG(forall i != j: transit(i, j) <= $c)", "at most $messages in transit from one process to another", nil, nil, messages, nil}, crowd, few, false},
		}},
		{name: "equation", safety: true, weight: 1, fill: (*filler).equations},
		{name: "precedence", safety: true, luck: true, weight: 1, events: []eventForm{precedence}},
		{name: "response", weight: 1, events: []eventForm{response}},
		{name: "at-most-once", safety: true, weight: 2, events: []eventForm{onceEach}},
		{name: "in-time", weight: maxWeight + 1, events: []eventForm{inTime}},
		{name: "precedes", safety: true, weight: 3, forms: []form{
			{same, "Q A[$nq W $p]", "{each}there is no $q before $p", begun, firstBefore, chainsWithSecond, nil},
			{beyond, "A[!Eq W Ep]", "there is no $q anywhere before $p", begun, pastHas, chainsWithSecond, nil},
		}},
		{name: "monotone", safety: true, weight: 2, fill: (*filler).monotone},
		{name: "stable", safety: true, weight: 3, forms: []form{
			{one, "Q AG($p -> AG($p))", "{each}once there is $p it stays", laterValue, forGood, chainsWith, nil},
		}},
		{name: "once", safety: true, weight: 3, forms: []form{
			{one, "Q AG($p -> AG($np -> AG($np)))", "{each}$p comes at most once", plainValue, atMostOnce, finished, nil},
		}},
		{name: "responds", weight: 1, forms: []form{
			{same, "Q AG($p -> AF($q))", "{each}after $p comes $q", following, lastBefore, pending, (*filler).delay},
			{beyond, "Q AG($p -> AF(Eq))", "after $p comes $q{some}", followingPlain, notLost, pending, (*filler).distance},
		}},
		{name: "reaches", weight: 2, forms: []form{
			{one, "Q AF($p)", "{each}$p comes", later, comesOnAll, chainsWith, nil},
			{anyone, "AF(Ep)", "on some process{of} $p comes", laterOnSome, comesOnSome, once, nil},
		}},
		{name: "recurs", weight: 2, forms: []form{
			{one, "Q AG(AF($p))", "{each}$p comes again whatever happens", resting, atTheEnd, left, nil},
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
	user     *Templates       // nil for none
	related  map[int]*pairing // of sorts, by the number of the key
	add      func(*candidate)
}

// A literal has a class; two are alike if they have the same one. It is
// seen if it is true somewhere.
func (f *filler) class(l int) *class  { return f.literals[l].variable.class }
func (f *filler) alike(p, q int) bool { return f.class(p) == f.class(q) }
func (f *filler) seen(l int) bool     { return f.total(l, intervals) > 0 }
func (f *filler) plain(l int) bool    { return !f.literals[l].rest }

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
	f.related = make(map[int]*pairing)
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
		for i := range f.template.events {
			f.episodes(&f.template.events[i])
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
	n, m := len(f.literals), len(f.literals)
	if k.shape >= stateAndValue {
		m = len(f.states)
	}
	if k.shape > stateAndValue {
		n = m
	}
	if k.shape == nothing {
		n, m = 1, 1
	}
	for p := range n {
		if k.shape <= stateAndValue && !f.seen(p) {
			continue
		}
		for q := range m {
			if k.shape <= beyond && !f.seen(q) || !f.shaped(k.shape, p, q) || k.fits != nil && !k.fits(f, p, q) {
				continue
			}
			if b == nil {
				f.add(f.instance(k, p, q))
				continue
			}
			most, runs := f.support(func(g *facts) (graphs.Value, bool) { return b.number(g, p, q) })
			// One run alone may have come to a bound by chance.
			enough := 2*runs >= len(f.good) && (runs > 1 || len(f.good) == 1)
			if c := f.atMost(b, p, q, most); c != nil && (enough || b.guess) {
				f.add(c)
			}
		}
	}
}

// instance returns the candidate of a form about p and q.
func (f *filler) instance(k *form, p, q int) *candidate {
	c := &candidate{
		form:  k,
		p:     p,
		q:     q,
		apart: k.shape != one && k.shape != same,
		holds: func(g *facts) bool { return k.holds(g, p, q) },
		asked: func(g *facts) int { return k.asked(g, p, q) },
	}
	switch {
	case k.shape <= anyone:
		c.literals = []int{p}
	case k.shape <= beyond:
		c.literals = []int{p, q}
	case k.shape == stateAndValue:
		c.literals, c.key = []int{p, p}, f.states[q]
	case k.shape < nothing:
		c.key = f.states[p]
	}
	return c
}

// shaped reports whether p and q have a shape.
func (f *filler) shaped(s shape, p, q int) bool {
	var x, y *variable
	switch {
	case s == one, s == anyone, s == nothing:
		return p == q
	case s <= beyond:
		x, y = f.literals[p].variable, f.literals[q].variable
	case s == stateAndValue:
		x, y = f.literals[p].variable, f.states[q]
	default:
		x, y = f.states[p], f.states[q]
	}
	alike, single := x.class == y.class, x.class.single
	switch s {
	case same:
		return alike && p != q
	case apart, across:
		return alike && !single
	case mixed:
		return !alike && (single || y.class.single)
	case beyond:
		return !alike || !single && p != q
	case stateAndValue:
		return alike && !single && x != y
	case twice:
		return p == q && !single
	case values:
		return p != q && alike && !single
	case singles:
		return p != q && single && y.class.single
	}
	return p == q // value
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

// atMost returns the candidate that a number is at most as large as that, nil where this is not
// worth a line.
func (f *filler) atMost(b *bound, p, q int, most graphs.Value) *candidate {
	if b.worth != nil && !b.worth(f, p, q, most) {
		return nil
	}
	c := f.instance(&b.form, p, q)
	c.most = most
	c.holds = func(g *facts) bool {
		n, ok := b.number(g, p, q)
		return !ok || n.Compare(most) <= 0
	}
	if b.guess {
		// It takes more to come to a larger bound.
		c.asked = func(g *facts) int { return b.asked(g, p, q) / int(most.Int64()+1) }
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
		c.cost = c.form.cost(f, c.p, c.q)
	}
	shape := c.form.shape
	names, second := "i", "i"
	if shape == apart || shape == stateAndValue || shape == twice || shape == across {
		names, second = "i != j", "j"
	}
	var inFormula, inWords []string
	put := func(place, formula, words string) {
		inFormula, inWords = append(inFormula, place, formula), append(inWords, place, words)
	}
	var about []*variable // with processes that the formula is quantified over
	if shape <= stateAndValue {
		p, q := c.literals[0], c.literals[len(c.literals)-1]
		a, b := f.literals[p], f.literals[q]
		put("Np", f.quantifier("count", "i", p)+a.of("i"), "")
		put("Ep", "("+f.quantifier("exists", "i", p)+a.of("i")+")", "")
		put("Eq", "("+f.quantifier("exists", "j", q)+b.of("j")+")", "")
		put("$p'", a.of(second), "")
		put("$p", a.of("i"), a.words())
		put("$q", b.of(second), b.words())
		put("$np", f.literals[a.negation].of("i"), "")
		put("$nq", f.literals[b.negation].of(second), f.literals[b.negation].words())
		about = []*variable{a.variable}
		if shape == same || shape == apart {
			about = append(about, b.variable)
		} else if shape == mixed && a.variable.class.single {
			about = []*variable{b.variable}
		}
		some := " on some process"
		if b.variable.class.single {
			some = ""
		}
		put("{some}", "", some)
	}
	if shape >= stateAndValue && shape < nothing {
		x, y := f.states[c.q], f.states[c.q]
		if shape > stateAndValue {
			x = f.states[c.p]
		}
		put("$x'", x.of(second), "")
		put("$x", x.of("i"), x.text)
		put("$y", y.of(second), y.text)
		put("$0", x.first().String(), x.first().String())
		about = append(about, x, y)
	}
	if about != nil {
		class := about[0].class
		put("Q ", class.quantifier("forall", names, about...), "")
		put("{of}", "", class.of)
		each, on := "on each process"+class.of+", ", " on any process"+class.of
		if class.single {
			each, on = "", ""
		}
		put("{each}", "", each)
		put("{on}", "", on)
	}
	if c.most.Kind == graphs.Number {
		put("$c", c.most.String(), c.most.String())
		low := c.most.Mul(graphs.Int(-1)).String()
		put("$low", low, low)
		less, more := "", ""
		if d := c.most.Int64(); d < 0 {
			less = fmt.Sprintf(" + %d", -d)
		} else if d > 0 {
			more = fmt.Sprintf(" + %d", d)
		}
		put("$less", less, less)
		put("$more", more, more)
		put("$messages", "", graphs.Plural(c.most.Int64(), "message"))
	}
	c.formula = strings.NewReplacer(inFormula...).Replace(c.form.formula)
	c.says = strings.NewReplacer(inWords...).Replace(c.form.says)
}

// quantifier returns a quantifier over the processes that have the variables of some literals, ""
// where these are of single processes.
func (f *filler) quantifier(quantifier, names string, literals ...int) string {
	var variables []*variable
	for _, l := range literals {
		variables = append(variables, f.literals[l].variable)
	}
	return variables[0].class.quantifier(quantifier, names, variables...)
}

// Which literals a form is worth filling with.

func equals(f *filler, p, q int) bool { return p == q && f.plain(p) }

func bothPlain(f *filler, p, q int) bool {
	return f.literals[p].variable != f.literals[q].variable && bothPlainAnywhere(f, p, q)
}

func bothPlainAnywhere(f *filler, p, q int) bool { return p < q && f.plain(p) && f.plain(q) }

func onePlain(f *filler, p, q int) bool {
	return f.literals[p].variable != f.literals[q].variable && f.plain(p) && !f.plain(q)
}

func several(f *filler, p, _ int) bool {
	return !f.class(p).single && (f.plain(p) || f.literals[p].relation != unequal)
}

func plainOfSeveral(f *filler, p, _ int) bool { return !f.class(p).single && f.plain(p) }

func begun(f *filler, p, q int) bool {
	return !f.initially(p) && !f.initially(q) && f.literals[p].relation != unequal && f.literals[q].relation != unequal
}

func plainValue(f *filler, p, _ int) bool { return f.plain(p) && f.literals[p].relation != unequal }

func laterValue(f *filler, p, q int) bool { return plainValue(f, p, q) && !f.initially(p) }

// following: little follows from the state that all begin with. Of several values, each is left for
// another some time.
func following(f *filler, p, q int) bool {
	return plainValue(f, p, q) && f.literals[q].relation != unequal
}

func followingPlain(f *filler, p, q int) bool { return following(f, p, q) && f.plain(q) }

func later(f *filler, p, _ int) bool {
	return !f.initially(p) && (f.plain(p) || f.literals[p].relation != unequal)
}

func laterOnSome(f *filler, p, q int) bool { return later(f, p, q) && !f.class(p).single }

// resting: that other states are reached says as much.
func resting(f *filler, p, _ int) bool { return !f.plain(p) && f.literals[p].relation != unequal }

// initially reports whether a literal is true at the start of some process.
func (f *filler) initially(l int) bool {
	for value := range f.literals[l].variable.inits {
		if f.literals[l].holds(value) {
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
