package infer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/syntax"
)

// A template is a kind of properties.
type template struct {
	name   string
	weight int  // smaller for better templates; it counts among candidates with the same evidence
	safety bool // whether it is a safety property, which a run cannot violate by being cut off
	luck   bool // whether it is worth a line even if it holds only in the logged order
	mutual bool // whether p and q are interchangeable in its forms
	user   bool // whether the user defined it

	forms  []form                                 // the forms about states of processes
	bounds func(p, q *variable) (low, high int64) // the range of $c in its forms
	event  *eventForm                             // the form about events
	fill   func(*filler)                          // adds its candidates, if it has no forms
}

// A shape is the relation of the slots p and q of a form: of their classes and processes.
type shape uint8

const (
	one      shape = iota // only p
	same                  // p and q of one class, on one process
	across                // like same, but of two variables
	several               // only p, in a class of several processes
	twice                 // p on two processes
	apart                 // p and q of one class, on two processes
	separate              // like apart, but of two variables
	mixed                 // p and q of two classes, one of which is a single process
	beyond                // p and q of two classes
)

// A form is a template in one shape. Its slots p and q are filled with literals, or with variables
// whose values are compared. Its texts have places for them:
//
//	p@1 q@2      the literal or variable on one process, and on another
//	~p@1 ~$p     the negation of a literal
//	∀            a quantifier, if the class has several processes
//	∃p #p        some process has the literal; the number of these processes
//	$p $q        words
//	$0           the value that the variable has at the start
//	$c $low      the bound, and its negation; $less and $more are a bound on a difference
//	{of} {each}  words for the class, if it needs some
//
// For example, AG(∀ !(p@1 && q@2)) in the shape apart becomes AG(forall i != j: !(cs@i && cs@j)).
//
// The functions p and q select the literals for the slots. holds decides an instance from facts; if it
// is nil, an engine decides.
type form struct {
	shape         shape
	p, q          func(literal) bool
	formula, says string
	holds         func(g *facts, p, q int) bool
	asked         func(g *facts, p, q int) int
}

// A candidate is a form with its slots filled, or another property that a template makes.
type candidate struct {
	template *template
	form     *form  // nil if the texts are given
	formula  string // set by write if there is a form, like says and parsed
	says     string
	parsed   *syntax.Formula
	slots    []literal // p and q, or other literals that it is about
	bound    int64
	apart    bool // whether it is about different processes

	holds func(*facts) bool // whether it holds on a run; decided sets it if facts do not suffice
	asked func(*facts) int  // how often a run puts it to the test
	fails int               // how many good runs violate it
}

// templates returns all templates. Of equivalent candidates, that of the first template is kept.
//
// Weights range from 0 for the most wanted properties, such as mutual exclusion, to 3 for orders of
// states that hold in most logs. A template with luck set depends on which states can be at one cut,
// so another order may violate it.
func templates() []*template {
	return []*template{
		{name: "mutex", safety: true, luck: true, weight: 0, forms: []form{
			{twice, plain, plain, "AG(∀ !(p@1 && p@2))", "no two processes{of} have $p at once", excluded, pairsOrOnce},
		}},
		{name: "unique", safety: true, luck: true, weight: 0, forms: []form{
			{separate, plain, comparable, "AG(∀ !(p@1 && p@2 && q@1 == q@2))",
				"no two processes{of} have $p with the same $q", neverAlike, pairsOrOnce},
			{twice, chosen, chosen, "AG(∀ p@1 == $0 || p@2 == $0 || p@1 != p@2)",
				"no two processes{of} have the same $p, but for $0", nil, changes},
		}},
		{name: "exclude", safety: true, luck: true, mutual: true, weight: 2, forms: []form{
			{across, plain, plain, "AG(∀ !(p@1 && q@1))", "{each}$p and $q are not true at once", disjoint, rarer},
			{apart, plain, plain, "AG(∀ !(p@1 && q@2))", "$p on one process{of} excludes $q on another", excluded, pairs},
			{mixed, plain, plain, "AG(∀ !(p@1 && q@1))", "$p and $q are not true at once", nowhere, pairs},
		}},
		{name: "implies", safety: true, luck: true, weight: 2, forms: []form{
			{across, plain, rests, "AG(∀ p@1 -> ~q@1)", "{each}with $p there is ~$q", disjoint, rarer},
			{separate, plain, rests, "AG(∀ p@1 -> ~q@2)", "with $p on one process{of} there is ~$q on all others", excluded, pairs},
			{mixed, plain, rests, "AG(∀ p@1 -> ~q@1)", "with $p there is ~$q", nowhere, pairs},
		}},
		{name: "some", safety: true, weight: 1, forms: []form{
			{several, called, called, "AG(∃p)", "there is always a process{of} with $p", nil, left},
		}},
		{name: "named", safety: true, luck: true, weight: 1, fill: (*filler).naming},
		{name: "agree", safety: true, luck: true, weight: 1, forms: []form{
			{twice, chosen, chosen, "AG(∀ p@1 == $0 || p@2 == $0 || p@1 == p@2)",
				"processes{of} whose $p is not $0 have the same", nil, changes},
		}},
		{name: "at-most", safety: true, weight: 2, bounds: fewer, forms: []form{
			{several, plain, plain, "AG(#p <= $c)", "at most $c processes{of} have $p at once", nil, intervals},
		}},
		{name: "within", safety: true, weight: 2, bounds: largest, forms: []form{
			{one, number, number, "AG(∀ p@1 <= $c)", "$p is at most $c", nil, changes},
		}},
		{name: "at-least", safety: true, weight: maxWeight + 1, bounds: least, forms: []form{
			{one, number, number, "AG(∀ p@1 >= $low)", "$p is at least $low", nil, changes},
		}},
		{name: "ordered", safety: true, weight: 2, bounds: difference, forms: []form{
			{mixed, number, number, "AG(∀ p@1$less <= q@1$more)", "$p$less is at most $q$more", nil, changes},
			{same, number, number, "AG(∀ p@1$less <= q@1$more)", "$p$less is at most $q$more", nil, changes},
			{apart, number, number, "AG(∀ p@1$less <= q@2$more)",
				"$p$less is at most $q of any other process$more", nil, changes},
		}},
		{name: "in-transit", safety: true, weight: 2, fill: (*filler).inTransit},
		{name: "equation", safety: true, weight: 1, fill: (*filler).equations},
		{name: "precedence", safety: true, luck: true, weight: 1, event: &precedence},
		{name: "response", weight: 1, event: &response},
		{name: "at-most-once", safety: true, weight: 2, event: &onceEach},
		{name: "in-time", weight: maxWeight + 1, event: &inTime},
		{name: "precedes", safety: true, weight: 3, forms: []form{
			{same, fresh, fresh, "∀ A[~q@1 W p@1]", "{each}there is no $q before $p", firstBefore, rarer},
			{beyond, fresh, fresh, "A[!∃q W ∃p]", "there is no $q anywhere before $p", nil, rarer},
		}},
		{name: "monotone", safety: true, weight: 2, fill: (*filler).monotone},
		{name: "stable", safety: true, weight: 3, forms: []form{
			{one, fresh, fresh, "∀ AG(p@1 -> AG(p@1))", "{each}once there is $p it stays", nil, intervals},
		}},
		{name: "once", safety: true, weight: 3, forms: []form{
			{one, plain, plain, "∀ AG(p@1 -> AG(~p@1 -> AG(~p@1)))", "{each}$p comes at most once", nil, intervals},
		}},
		{name: "responds", weight: 1, forms: []form{
			{same, plain, called, "∀ AG(p@1 -> AF(q@1))", "{each}after $p comes $q", lastBefore, pending},
			{beyond, plain, plain, "∀ AG(p@1 -> AF(∃q))", "after $p comes $q", nil, intervals},
		}},
		{name: "reaches", weight: 2, forms: []form{
			{one, fresh, fresh, "∀ AF(p@1)", "{each}$p comes", nil, intervals},
			{several, fresh, fresh, "AF(∃p)", "on some process{of} $p comes", nil, intervals},
		}},
		{name: "recurs", weight: 2, forms: []form{
			{one, resting, resting, "∀ AG(AF(p@1))", "{each}$p comes again whatever happens", nil, left},
		}},
	}
}

// breaks returns how many of some runs violate a candidate.
func (c *candidate) breaks(runs []*facts) (n int) {
	for _, r := range runs {
		if !c.holds(r) {
			n++
		}
	}
	return n
}

// separates reports whether a run has states of different processes that a candidate keeps apart.
func (c *candidate) separates(f *facts) bool {
	if c.form == nil || !c.apart || !c.template.luck {
		return false
	}
	p, q := c.slots[0], c.slots[len(c.slots)-1]
	return q.relation != itself && pairs(f, p.number, q.number) > 0
}

// A filler makes the candidates of templates.
type filler struct {
	ctx context.Context // the filler stops when it is done
	*vocabulary
	definitions *syntax.Definitions // the definitions that formulas may use
	good        []*facts
	templates   []*template
	template    *template    // the template that is being filled
	related     []*relations // the relations of sorts in all good runs, for each key
	add         func(*candidate)
}

// fillAll makes the candidates of all templates.
func (f *filler) fillAll() {
	for k := range f.keys {
		f.related = append(f.related, f.relate(k, f.good...))
	}
	for _, f.template = range f.templates {
		for i := range f.template.forms {
			f.instances(&f.template.forms[i])
		}
		if f.template.event != nil {
			f.events(f.template.event)
		}
		if f.template.fill != nil {
			f.template.fill(f)
		}
	}
}

// instances makes the candidates of a form.
//
// It tries all pairs of literals, O(k²) for k literals. An instance that facts decide mostly costs a
// constant number of bit tests per run.
func (f *filler) instances(k *form) {
	instances := 0
	for _, p := range f.slots {
		for _, q := range f.slots {
			if f.ctx.Err() != nil || f.template.user && instances == maxInstances {
				return
			}
			if !k.p(p) || !k.q(q) || !k.shape.relates(p, q) || f.template.mutual && p.number >= q.number {
				continue
			}
			instances++
			if f.template.bounds == nil {
				f.add(f.instance(k, p, q, 0))
				continue
			}
			low, high := f.template.bounds(p.variable, q.variable)
			f.least(low, high, func(bound int64) *candidate { return f.instance(k, p, q, bound) })
		}
	}
}

// relates reports whether p and q have the shape.
func (s shape) relates(p, q literal) bool {
	x, y := p.variable, q.variable
	alike, single := x.class == y.class, x.class.single
	switch s {
	case one:
		return p == q
	case several, twice:
		return p == q && !single
	case same:
		return alike && p != q
	case across:
		return alike && x != y
	case apart:
		return alike && !single
	case separate:
		return alike && !single && x != y
	case mixed:
		return !alike && (single || y.class.single)
	}
	return !alike
}

// instance returns the candidate of a form about p and q.
func (f *filler) instance(k *form, p, q literal, bound int64) *candidate {
	c := &candidate{form: k, slots: []literal{p, q}, bound: bound, apart: k.shape > across}
	c.asked = func(g *facts) int { return k.asked(g, p.number, q.number) }
	if k.holds != nil {
		c.holds = func(g *facts) bool { return k.holds(g, p.number, q.number) }
	}
	if p == q {
		c.slots = c.slots[:1]
	}
	return c
}

// least adds the candidate with the least bound in low, …, high that makes it hold on all good
// runs, if there is one above low.
//
// Bounds are prone to overfitting: every finite log has a largest number. A bound that many runs
// reach, and none exceeds, looks like a limit of the program rather than an accident.
func (f *filler) least(low, high int64, with func(bound int64) *candidate) {
	broken := func(bound int64) int { return f.decided(with(bound)).breaks(f.good) }
	if low >= high || broken(high) > 0 {
		return
	}
	lowest := low
	for low < high {
		if middle := low + (high-low)/2; broken(middle) > 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if high > lowest && f.enough(broken(high-1)) {
		f.add(with(high))
	}
}

// enough reports whether enough runs reached a bound: a single one of several may be chance.
func (f *filler) enough(runs int) bool {
	return 2*runs >= len(f.good) && (runs > 1 || len(f.good) == 1)
}

// decided makes the judge decide a candidate if facts cannot. On a run with an odd chain they never
// can, because they take the other of two known values for a negation.
func (f *filler) decided(c *candidate) *candidate {
	known := c.holds
	c.holds = func(g *facts) bool {
		if known != nil && !slices.ContainsFunc(g.chains, func(h chain) bool { return h.odd }) {
			return known(g)
		}
		f.write(c)
		return g.judge.decide(f.ctx, c.parsed) == rctl.Holds
	}
	return c
}

// write sets the texts of a candidate. Texts cost more than facts, and most instances fail on some run,
// so only the candidates that remain get them.
func (f *filler) write(c *candidate) {
	if c.parsed != nil {
		return
	}
	if c.form != nil {
		places := f.places(c)
		c.formula, c.says = places.Replace(c.form.formula), places.Replace(c.form.says)
	}
	var err error
	if c.parsed, err = f.definitions.Parse(c.formula); err != nil {
		panic(fmt.Sprintf("this cannot happen, because templates make formulas: %s: %v", c.formula, err))
	}
}

// places returns a replacer for the places of a form.
func (f *filler) places(c *candidate) *strings.Replacer {
	p, q := c.slots[0], c.slots[len(c.slots)-1]
	var places []string
	put := func(place, text string) { places = append(places, place, text) }
	for i, l := range []literal{p, q} {
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
		put("∃"+name, "("+l.variable.class.quantifier("exists", process, l.variable)+l.of(process)+")")
		put("#"+name, "("+l.variable.class.quantifier("count", process, l.variable)+l.of(process)+")")
	}

	x, y := p.variable, q.variable
	names, class := "i", x.class
	if s := c.form.shape; s == twice || s == apart || s == separate {
		names = "i != j"
	}
	switch {
	case c.form.shape == beyond:
		put("∀ ", class.quantifier("forall", names, x))
	case class == y.class:
		put("∀ ", class.quantifier("forall", names, x, y))
	default: // one of them is a single process
		put("∀ ", class.quantifier("forall", names, x)+y.class.quantifier("forall", names, y))
	}
	// The first of two equal places wins, so that single processes get no words.
	if class.single {
		put("{each}", "")
	}
	put("{of}", class.of)
	put("{each}", "on each process"+class.of+", ")
	put("$0", x.first().String())

	put("$c", fmt.Sprint(c.bound))
	put("$low", fmt.Sprint(-c.bound))
	less, more := "", ""
	if c.bound < 0 {
		less = fmt.Sprintf(" + %d", -c.bound)
	} else if c.bound > 0 {
		more = fmt.Sprintf(" + %d", c.bound)
	}
	put("$less", less)
	put("$more", more)
	return strings.NewReplacer(places...)
}

// The following functions select literals for a slot. A literal at rest is the common initial state,
// or a negation. It is called something if it is not written with !=.

func condition(l literal) bool { return l.relation != itself }
func plain(l literal) bool     { return condition(l) && !l.rest }
func rests(l literal) bool     { return condition(l) && l.rest }
func called(l literal) bool    { return plain(l) || resting(l) }
func resting(l literal) bool   { return rests(l) && l.relation != unequal }
func fresh(l literal) bool     { return called(l) && !l.initial() }

// initial reports whether a literal is true at the start of some process.
func (l literal) initial() bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(l.variable.inits)), l.holds)
}

// The following functions decide forms from facts.

func excluded(g *facts, p, q int) bool { return !g.apart[p].Has(q) }
func disjoint(g *facts, p, q int) bool { return !g.same[p].Has(q) }
func nowhere(g *facts, p, q int) bool  { return excluded(g, p, q) && disjoint(g, p, q) }

// firstBefore reports whether on each chain no q comes before the first p, and lastBefore whether on
// each chain the last q does not end before the last p.
func firstBefore(g *facts, p, q int) bool {
	return !slices.ContainsFunc(g.chains, func(h chain) bool {
		return h.first(q) >= 0 && (h.first(p) < 0 || h.first(p) > h.first(q))
	})
}

func lastBefore(g *facts, p, q int) bool {
	return !slices.ContainsFunc(g.chains, func(h chain) bool { return h.last(p) > h.last(q) })
}

// The following functions count how often a run puts a form to the test.

// count adds up a number over the chains.
func (f *facts) count(of func(h *chain) int) int {
	n := 0
	for k := range f.chains {
		n += of(&f.chains[k])
	}
	return n
}

// intervals returns how often a literal becomes true, and left how often it is left.
func intervals(g *facts, p, _ int) int {
	return g.count(func(h *chain) int { return len(h.intervals[p]) })
}

func left(g *facts, p, _ int) int { return intervals(g, g.literals[p].negation, 0) }

func rarer(g *facts, p, q int) int { return min(intervals(g, p, p), intervals(g, q, q)) }

// pairs counts the pairs of an interval of p and an interval of q on another chain. By local order
// alone, the two could be at one cut.
//
// For example, with 2 intervals of p on one chain and 3 of q on another, only messages keep 6 pairs
// apart. The more pairs there are, the less likely is chance.
func pairs(g *facts, p, q int) int {
	all := intervals(g, q, q)
	n := g.count(func(h *chain) int { return len(h.intervals[p]) * (all - len(h.intervals[q])) })
	if p == q {
		n /= 2
	}
	return n
}

// pairsOrOnce returns pairs or, if only one chain has p, how often p becomes true there.
func pairsOrOnce(g *facts, p, _ int) int { return cmp.Or(pairs(g, p, p), intervals(g, p, p)) }

// pending returns how often p becomes true, or 0 if q is always true with p.
func pending(g *facts, p, q int) int {
	if !g.same[p].Has(g.literals[q].negation) {
		return 0 // p implies q
	}
	return intervals(g, p, p)
}

// changes counts how often the state variable k changes.
func changes(g *facts, k, _ int) int {
	return g.count(func(h *chain) int {
		n := 0
		for s := 1; s < len(h.segments); s++ {
			if h.value(s, k) != h.value(s-1, k) {
				n++
			}
		}
		return n
	})
}

// definition matches the head of a definition, with its parameters.
var definition = lazy.Regexp(`(?m)^\s*define\s+([\pL_][\pL\pN_.]*)\s*\(([^)]*)\)`)

// Templates are definitions with parameters, which stand for conditions on one process:
//
//	define handover(p, q) = AG(p -> A[p U q])
//
// Its instances are forall i: handover(p, q), for conditions p and q on process i.
type Templates struct {
	definitions *syntax.Definitions
	templates   []*template
}

// maxInstances bounds the instances of a user's template, because engines decide each instance on
// each run.
const maxInstances = 300

// ParseTemplates parses a file of definitions as templates. Errors begin with the place in the file,
// like those of package syntax.
func ParseTemplates(text string) (*Templates, error) {
	t := &Templates{definitions: pattern.Formulas()}
	if _, err := t.definitions.ParseProperties(text); err != nil {
		return nil, err
	}
	for _, m := range definition().FindAllStringSubmatchIndex(text, -1) {
		name, k := text[m[2]:m[3]], form{shape: one, p: plain, q: plain, asked: intervals}
		k.formula, k.says = "∀ "+name+"(p@1)", name+" of $p"
		n := 1 + strings.Count(text[m[4]:m[5]], ",")
		if n > 2 {
			line, column := 1+strings.Count(text[:m[2]], "\n"), m[2]-strings.LastIndexByte(text[:m[2]], '\n')
			return nil, fmt.Errorf("%d:%d: template %s has %d parameters; at most 2 are filled with conditions",
				line, column, name, n)
		}
		if n == 2 {
			k.shape, k.q = same, condition
			k.formula, k.says = "∀ "+name+"(p@1, q@1)", name+" of $p, $q"
		}
		// A mistake in a body shows only when the definition is used.
		if _, err := t.definitions.Parse(name + "(true" + strings.Repeat(", true", n-1) + ")"); err != nil {
			return nil, err
		}
		t.templates = append(t.templates, &template{name: name, safety: true, luck: true, user: true, weight: 1, forms: []form{k}})
	}
	return t, nil
}
