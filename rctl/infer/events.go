package infer

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// A sort is a condition on single events: the values of one or two fields that have few values, such
// as op == "recv" or, for spans, operation == "charge" && event == "start".
//
// A worked example: the log of a proxy assigns op and id at each event.
//
//	client   op=call id=1               op=reply id=1
//	proxy               op=relay id=1
//
// The key is id, and the sorts are op == "call", op == "relay" and op == "reply". The episode of id 1
// has all three events. Each reply has a relay in its past, so "for each id, there is no reply before
// relay" is a candidate.
type sort struct {
	fields [2]*variable // the second may be nil
	values [2]graphs.Value
}

// Bounds on sorts of events.
const (
	maxKinds = 12  // values of a field that classifies events
	maxSorts = 120 // sorts of all events
)

// text returns the condition in the syntax of formulas.
func (k sort) text() string {
	text := fmt.Sprintf("%s == %s", k.fields[0].text, k.values[0])
	if k.fields[1] != nil {
		text += fmt.Sprintf(" && %s == %s", k.fields[1].text, k.values[1])
	}
	return text
}

// words returns the condition for sentences: the values alone.
func (k sort) words() string {
	if k.fields[1] != nil {
		return k.values[1].Text() + " of " + k.values[0].String()
	}
	return k.values[0].String()
}

// sortsOf finds the keys, and the sorts of events that good runs have.
//
// In spans, start and end have no meaning without the operation, so a sort has both fields,
// and a trace is about one request, so it needs no key. In other logs, one field suffices, and
// pairs would be too many.
func (v *vocabulary) sortsOf(runs []Run) {
	var operation, event *variable
	for _, x := range v.variables {
		if x.id {
			v.keys = append(v.keys, x)
		} else if x.field && !x.many && !x.shared && !x.time() && len(x.values) <= maxKinds+1 {
			v.fields = append(v.fields, [2]*variable{x})
		}
		if x.name == "operation" {
			operation = x
		} else if x.name == "event" {
			event = x
		}
	}
	if v.spans = operation != nil && event != nil && !event.many; v.spans {
		v.keys, v.fields = nil, [][2]*variable{{operation, event}}
	}
	// A whole run is an episode only if events have no ids.
	if len(v.keys) == 0 {
		v.keys = append(v.keys, nil)
	}
	v.sortNumbers = make(map[sort]int)
	for _, r := range runs {
		v.eachSort(r.Computation, func(k sort, _ graphs.Event) {
			if _, known := v.sortNumbers[k]; !known && len(v.sorts) < maxSorts {
				v.sortNumbers[k] = len(v.sorts)
				v.sorts = append(v.sorts, k)
			}
		})
	}
}

// eachSort calls visit with the sort of each event, field by field, and process by process for each.
func (v *vocabulary) eachSort(c *graphs.Computation, visit func(k sort, e graphs.Event)) {
	for _, fields := range v.fields {
		for _, w := range c.VariablesNamed(fields[0].name) {
			for i, e := range w.Events() {
				k := sort{fields: fields}
				k.values[0] = w.Value(i)
				if fields[1] != nil {
					k.values[1] = assigned(c, fields[1], e)
				}
				if fields[1] == nil || k.values[1].Kind != graphs.NoKind {
					visit(k, e)
				}
			}
		}
	}
}

// assigned returns the value that an event assigns to a variable; if there is none, a value without a
// kind.
func assigned(c *graphs.Computation, x *variable, e graphs.Event) graphs.Value {
	if w := c.Variable(c.Process(e), x.name); w != nil {
		if i, ok := slices.BinarySearch(w.Events(), e); ok {
			return w.Value(i)
		}
	}
	return graphs.Value{}
}

// An episode holds the events with one value of a key, or those of a whole run. It lists the events of
// each sort in the order of their numbers, and hence process by process.
type episode map[int][]graphs.Event

// episodesOf divides the events of a run by a key; a nil key gives one episode. An event without a
// value of the key belongs to no episode. The time complexity of episodesOf is O(v·log v) for v events.
func (v *vocabulary) episodesOf(c *graphs.Computation, key *variable) []episode {
	var all []episode
	numbers := make(map[graphs.Value]int)
	v.eachSort(c, func(k sort, e graphs.Event) {
		number, listed := v.sortNumbers[k]
		var value graphs.Value
		if key != nil {
			value = assigned(c, key, e)
		}
		if !listed || key != nil && value.Kind == graphs.NoKind {
			return
		}
		n, known := numbers[value]
		if !known {
			n = len(all)
			numbers[value] = n
			all = append(all, make(episode))
		}
		all[n][number] = append(all[n][number], e)
	})
	return all
}

// Relations of sorts hold in every episode of a key, in one run or in several. They are stored as
// their counterexamples.
type relations struct {
	key   *variable // nil if episodes are whole runs
	sorts []sort
	asked []int       // how many episodes have each sort
	early []dense.Set // early[a] has b if some a has no b in its past
	lone  []dense.Set // lone[a] has b if some episode with an a has no b
	twice dense.Set   // the sorts with several events in some episode
}

// before reports whether each a has a b in its past.
func (r *relations) before(a, b int) bool { return !r.early[a].Has(b) }

// beside reports whether each episode with an a has a b.
func (r *relations) beside(a, b int) bool { return !r.lone[a].Has(b) }

// relate finds the relations of all sorts in some runs, by key k.
func (v *vocabulary) relate(k int, runs ...*facts) *relations {
	n := len(v.sorts)
	r := &relations{v.keys[k], v.sorts, make([]int, n), newSets(n), newSets(n), dense.NewSet(n)}
	for _, g := range runs {
		for _, all := range g.episodes[k] {
			r.add(g, all)
		}
	}
	return r
}

// add records the counterexamples in an episode. Later events of a process have larger pasts, so only the
// first event of each sort on a process matters; add takes time quadratic in the number of these.
func (r *relations) add(g *facts, all episode) {
	firsts := make(map[int][]graphs.Event)
	for a, events := range all {
		for i, e := range events {
			if i == 0 || g.Computation.Process(events[i-1]) != g.Computation.Process(e) {
				firsts[a] = append(firsts[a], e)
			}
		}
	}
	for a, events := range all {
		if r.asked[a]++; len(events) > 1 {
			r.twice.Add(a)
		}
		for b := range r.asked {
			without := func(e graphs.Event) bool {
				return !slices.ContainsFunc(firsts[b], func(d graphs.Event) bool { return g.before(d, e) })
			}
			if slices.ContainsFunc(firsts[a], without) {
				r.early[a].Add(b)
			}
			if len(all[b]) == 0 {
				r.lone[a].Add(b)
			}
		}
	}
}

// slowest returns the longest time, in nanoseconds, from an event of sort a to the next of sort b
// in the same episode. It returns false if there is no next event, or an event has no time.
func (f *facts) slowest(k, a, b int) (longest int64, ok bool) {
	for _, all := range f.episodes[k] {
		asked, answers := f.times(all[a]), f.times(all[b])
		if len(asked) < len(all[a]) || len(asked) > 0 && len(answers) < len(all[b]) {
			return 0, false
		}
		slices.Sort(answers)
		for _, at := range asked {
			next, _ := slices.BinarySearch(answers, at)
			if next == len(answers) {
				return 0, false
			}
			longest = max(longest, answers[next]-at)
		}
	}
	return longest, true
}

// times returns the times, in nanoseconds, of those events that have one.
func (f *facts) times(of []graphs.Event) (all []int64) {
	for _, e := range of {
		if at, known, err := f.Computation.Instant(e, time.Second); known && err == nil {
			all = append(all, at)
		}
	}
	return all
}

// An eventForm is a template about the events of an episode. Its texts have these places:
//
//	$p $q        the sorts
//	$P $Q        the sorts, with a value r of the key
//	R {each}     a quantifier over r, and words for it
//	{has} {is}   the event has a value of the key, or the same value as event e
//	$c           the bound
//
// fits selects p and q by the relations of all good runs: the same sort if alone is set, otherwise
// different sorts of the same fields. holds decides an instance by the relations of one run; if it is
// nil, the form has a bound, the longest time in good runs.
type eventForm struct {
	formula, says string
	alone         bool // whether the form is only about p
	fits          func(v *vocabulary, r *relations, p, q int) bool
	holds         func(r *relations, p, q int) bool
}

var (
	precedence = eventForm{
		formula: "R AG(once($P) -> once($Q))",
		says:    "{each}there is no $p before $q",
		fits: func(_ *vocabulary, r *relations, p, q int) bool {
			// Without a key, an order that only the log shows may be chance.
			return r.before(p, q) && r.direct(r.before, p, q) || !r.before(p, q) && r.key != nil
		},
		holds: (*relations).before,
	}
	response = eventForm{
		formula: "R AG(once($P) -> AF(once($Q)))",
		says:    "{each}after $p comes $q",
		fits: func(_ *vocabulary, r *relations, p, q int) bool {
			switch {
			case r.before(p, q):
				return false // q comes before p in any case
			case r.beside(p, q) && r.before(q, p):
				// A sort in between responds to p, and q responds to it.
				return r.direct(r.before, q, p)
			}
			return !r.beside(p, q) || r.direct(r.beside, p, q)
		},
		holds: (*relations).beside,
	}
	onceEach = eventForm{
		formula: "R AG(events($P) <= 1)",
		says:    "{each}there is at most one $p",
		alone:   true,
		fits:    func(*vocabulary, *relations, int, int) bool { return true },
		holds:   func(r *relations, p, _ int) bool { return !r.twice.Has(p) },
	}
	// inTime needs sorts that are related both ways: each q has a p in its past, and each p has a q in
	// its episode. In whole runs, the next event of a sort need not belong to this one; in spans, only
	// the start and the end of one operation do.
	inTime = eventForm{
		formula: "forall e in events($p{has}): exists d in events($q{is}): 0 <= d.time - e.time <= $c",
		says:    "{each}after $p comes $q within $c",
		fits: func(v *vocabulary, r *relations, p, q int) bool {
			whole := r.key == nil && (!v.spans || v.sorts[p].values[0] != v.sorts[q].values[0])
			return r.beside(p, q) && r.before(q, p) && !whole
		},
	}
)

// direct reports whether there is no third sort between two related ones.
//
// For example, call ≤ relay ≤ reply implies call ≤ reply, so that line would be redundant. This is the
// transitive reduction of the relation, in which sorts that are related both ways count as one.
func (r *relations) direct(related func(a, b int) bool, p, q int) bool {
	for m, asked := range r.asked {
		other := m != p && m != q && r.sorts[m].fields == r.sorts[p].fields
		if asked == 0 || !other || !related(p, m) || !related(m, q) {
			continue
		}
		// Of sorts that are related both ways, the first represents all.
		if !related(q, m) && !related(m, p) || m < min(p, q) {
			return false
		}
	}
	return true
}

// events makes the candidates of a template about events, for sorts that occur in good runs.
func (f *filler) events(form *eventForm) {
	for k := range f.keys {
		r := f.related[k]
		for q := range f.sorts {
			for p := range f.sorts {
				asked := r.asked[p] > 0 && r.asked[q] > 0 && f.sorts[p].fields == f.sorts[q].fields
				if asked && (p == q) == form.alone && form.fits(f.vocabulary, r, p, q) {
					f.event(form, k, p, q)
				}
			}
		}
	}
}

// event adds the candidate of a form about two sorts.
func (f *filler) event(form *eventForm, k, p, q int) {
	c := &candidate{
		holds: func(g *facts) bool { return form.holds(g.relations[k], p, q) },
		asked: func(g *facts) int { return g.relations[k].asked[p] },
	}
	bound := ""
	if form.holds == nil {
		most := int64(0)
		for _, g := range f.good {
			n, ok := g.slowest(k, p, q)
			if !ok {
				return
			}
			most = max(most, n)
		}
		bound = big.NewRat(most, int64(time.Second)).FloatString(9) // exact
		bound = strings.TrimRight(strings.TrimRight(bound, "0"), ".") + "s"
		c.holds = func(g *facts) bool {
			n, ok := g.slowest(k, p, q)
			return ok && n <= most
		}
	}
	a, b := f.sorts[p], f.sorts[q]
	places := []string{"$p", a.text(), "$q", b.text(), "$c", bound}
	value, each := "", ""
	if f.keys[k] != nil {
		key := f.keys[k].text
		value, each = " && "+key+" == r", "for each "+key+", "
		places = append(places, "R ", "forall r in values("+key+"): ", "{has}", " && has("+key+")", "{is}", " && "+key+" == e."+key)
	}
	places = append(places, "$P", a.text()+value, "$Q", b.text()+value, "R ", "", "{has}", "", "{is}", "")
	c.formula = strings.NewReplacer(places...).Replace(form.formula)
	c.says = strings.NewReplacer("{each}", each, "$p", a.words(), "$q", b.words(), "$c", bound).Replace(form.says)
	f.add(c)
}
