package infer

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// A sort is a condition on single events: what they assign to one or two fields that have few
// values, such as op == "recv", or of spans operation == "charge" && event == "start".
//
// A worked example: the log of a proxy assigns op and id at each event.
//
//	client   op=call id=1               op=reply id=1
//	proxy               op=relay id=1
//
// The key is id, the sorts are op == "call", op == "relay" and op == "reply". The episode of id 1
// has the three events. Each reply has a relay in its past, so "for each id, there is no reply
// before relay" is a candidate.
type sort struct {
	fields [2]*variable // the second may be nil
	values [2]graphs.Value
}

// Bounds on sorts of events.
const (
	maxKinds = 12 // values of a field that says of what kind events are
	maxSorts = 120
	maxKeys  = 12
)

// text returns the condition as formulas have it.
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
// In spans, start and end mean nothing without the operation, so a sort has both fields
// there, and a trace is about one request, so that it needs no key. Elsewhere one field
// suffices, and pairs would be too many.
func (v *vocabulary) sortsOf(runs []Run) {
	var operation, event *variable
	for _, x := range v.variables {
		if x.id || x.field && !x.time() && x.kinds > 1 && 2*x.passing >= x.kinds && len(v.keys) < maxKeys {
			v.keys = append(v.keys, x)
		}
		if !x.id && x.field && !x.many && !x.shared && !x.time() && len(x.values) <= maxKinds+1 {
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
	// Where events have ids, those of a whole run have little to do with each other.
	if !slices.ContainsFunc(v.keys, func(x *variable) bool { return x.id }) {
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

// eachSort calls visit with the sorts of all events, process by process.
func (v *vocabulary) eachSort(c *graphs.Computation, visit func(k sort, e graphs.Event)) {
	for p := range c.NumProcesses() {
		for _, fields := range v.fields {
			for _, e := range assigns(c, p, fields[0]) {
				k := sort{fields: fields}
				all := true
				for i, x := range fields {
					if x != nil {
						k.values[i] = assigned(c, p, x, e)
						all = all && k.values[i].Kind != graphs.NoKind
					}
				}
				if all {
					visit(k, e)
				}
			}
		}
	}
}

// assigns returns the events of a process that assign a variable.
func assigns(c *graphs.Computation, p int, x *variable) []graphs.Event {
	if w := c.Variable(p, x.name); w != nil {
		return w.Events()
	}
	return nil
}

// assigned returns what an event of a process assigns to a variable, a value without a kind for
// nothing.
func assigned(c *graphs.Computation, p int, x *variable, e graphs.Event) graphs.Value {
	if i, ok := slices.BinarySearch(assigns(c, p, x), e); ok {
		return c.Variable(p, x.name).Value(i)
	}
	return graphs.Value{}
}

// eventsOf returns the events of each sort, process by process, in the order of each. The time
// complexity of eventsOf is O(v·log v) for v events.
func (v *vocabulary) eventsOf(c *graphs.Computation) [][]graphs.Event {
	all := make([][]graphs.Event, len(v.sorts))
	v.eachSort(c, func(k sort, e graphs.Event) {
		if n, known := v.sortNumbers[k]; known {
			all[n] = append(all[n], e)
		}
	})
	return all
}

// A story has the events of each sort in a run, by the episodes of one key: what happens to each
// value of the key, or in the whole run.
type story [][]episode

// An episode has its events of one sort, in the order of their numbers: process by process.
type episode struct {
	number int // of the value of the key
	events []graphs.Event
	firsts []graphs.Event // of each process
}

// storyOf divides the events of each sort by a key, nil for none. An event without a value of the
// key belongs to no episode.
func storyOf(c *graphs.Computation, events [][]graphs.Event, key *variable) story {
	s := make(story, len(events))
	numbers := make(map[graphs.Value]int)
	for k, all := range events {
		at := make(map[int]int) // by number, the place in the story
		for _, e := range all {
			var value graphs.Value
			if key != nil {
				if value = assigned(c, c.Process(e), key, e); value.Kind == graphs.NoKind {
					continue
				}
			}
			if _, known := numbers[value]; !known {
				numbers[value] = len(numbers)
			}
			number := numbers[value]
			if _, known := at[number]; !known {
				at[number] = len(s[k])
				s[k] = append(s[k], episode{number: number})
			}
			one := &s[k][at[number]]
			if n := len(one.events); n == 0 || c.Process(one.events[n-1]) != c.Process(e) {
				one.firsts = append(one.firsts, e)
			}
			one.events = append(one.events, e)
		}
		slices.SortFunc(s[k], func(x, y episode) int { return cmp.Compare(x.number, y.number) })
	}
	return s
}

// all reports whether something is true of each episode with an event of sort a: of these events,
// and of those of sort b.
func (s story) all(a, b int, is func(as, bs episode) bool) bool {
	others := s[b]
	for _, as := range s[a] {
		for len(others) > 0 && others[0].number < as.number {
			others = others[1:]
		}
		var bs episode
		if len(others) > 0 && others[0].number == as.number {
			bs = others[0]
		}
		if !is(as, bs) {
			return false
		}
	}
	return true
}

// What is so in a story, of two sorts.

// preceded: each a has a b in its past, or is one. Later events of a process have larger pasts, so
// the first ones decide.
func preceded(g *facts, s story, a, b int) bool {
	return s.all(a, b, func(as, bs episode) bool {
		return !slices.ContainsFunc(as.firsts, func(e graphs.Event) bool {
			// Mostly its own process has one. To look at all of them would take the square.
			i, _ := slices.BinarySearch(bs.firsts, e+1)
			own := i > 0 && g.before(bs.firsts[i-1], e)
			return !own && !slices.ContainsFunc(bs.firsts, func(d graphs.Event) bool { return g.before(d, e) })
		})
	})
}

// followed: each episode with an a has a b.
func followed(_ *facts, s story, a, b int) bool {
	return s.all(a, b, func(_, bs episode) bool { return len(bs.events) > 0 })
}

// included: each a is a b.
func included(_ *facts, s story, a, b int) bool {
	return s.all(a, b, func(as, bs episode) bool {
		return !slices.ContainsFunc(as.events, func(e graphs.Event) bool {
			_, is := slices.BinarySearch(bs.events, e)
			return !is
		})
	})
}

// single: no episode has two of a.
func single(_ *facts, s story, a, b int) bool {
	return s.all(a, b, func(as, _ episode) bool { return len(as.events) == 1 })
}

// inTurn: on each process of an episode, a and b come in turn, a first.
func inTurn(g *facts, s story, a, b int) bool {
	return followed(g, s, b, a) && s.all(a, b, func(as, bs episode) bool {
		_, inTurn := sections(g.comp, as, bs)
		return inTurn
	})
}

// apartAlways: no two processes are in a section from a to b at once.
func apartAlways(g *facts, s story, a, b int) bool {
	return s.all(a, b, func(as, bs episode) bool {
		all, _ := sections(g.comp, as, bs)
		return !g.overlap(all)
	})
}

// slowest returns the longest time, in nanoseconds, from an event of sort a to the next of sort b
// in the same episode. It is not ok where one has none, or an event has no time.
func slowest(g *facts, s story, a, b int) (longest int64, ok bool) {
	ok = s.all(a, b, func(as, bs episode) bool {
		asked, known := g.times(as)
		answers, all := g.times(bs)
		slices.Sort(answers)
		for _, at := range asked {
			next, _ := slices.BinarySearch(answers, at)
			if next == len(answers) {
				return false
			}
			longest = max(longest, answers[next]-at)
		}
		return known && all
	})
	return longest, ok
}

// times returns the times of events, and whether all have one.
func (f *facts) times(of episode) (all []int64, known bool) {
	for _, e := range of.events {
		at, known, err := f.comp.Instant(e, time.Second)
		if !known || err != nil {
			return nil, false
		}
		all = append(all, at)
	}
	return all, true
}

// An eventForm is a template about the events of an episode. Its texts have these places:
//
//	$p $q        the sorts
//	$P $Q        the sorts, with a value r of the key
//	R {each}     a quantifier over r, and words for it
//	{has} {is}   there is a value of the key, or the same as at event e
//	$c           the bound
type eventForm struct {
	formula, says string
	alone         bool // about p alone
	keyed         bool // about each key there is, even if it is no id; else about ids, or whole runs
	fits          func(f *filler, r *pairing, p, q int) bool
	holds         func(g *facts, s story, p, q int) bool
	asked         func(g *facts, s story, p, q int) int                 // nil for the episodes with p
	number        func(g *facts, s story, p, q int) (ns int64, ok bool) // of a bound, in place of holds
}

var (
	precedence = eventForm{
		formula: "R AG(once($P) -> once($Q))",
		says:    "{each}there is no $p before $q",
		fits: func(_ *filler, r *pairing, p, q int) bool {
			// In whole runs, what comes first once may do so by chance.
			return r.before[p].Has(q) && direct(r.before, p, q) || !r.before[p].Has(q) && r.key != nil
		},
		holds: preceded,
	}
	response = eventForm{
		formula: "R AG(once($P) -> AF(once($Q)))",
		says:    "{each}after $p comes $q",
		fits: func(_ *filler, r *pairing, p, q int) bool {
			switch {
			case r.before[p].Has(q):
				return false // what was there before follows anyway
			case r.after[p].Has(q) && r.before[q].Has(p):
				return direct(r.before, q, p) // what stands between is an answer to the one, and asks for the other
			}
			return !r.after[p].Has(q) || direct(r.after, p, q)
		},
		holds: followed,
	}
	onceEach = eventForm{
		formula: "R AG(events($P) <= 1)",
		says:    "{each}there is at most one $p",
		alone:   true,
		holds:   single,
	}
	// inTime: the least time that good runs keep, exact to the nanosecond. The sorts must be related
	// both ways: each q has a p in its past, each p a q in its episode. In whole runs, the next
	// event of a sort need not belong to this one; in spans, how long an operation takes says enough.
	inTime = eventForm{
		formula: "forall e in events($p{has}): exists d in events($q{is}): 0 <= d.time - e.time <= $c",
		says:    "{each}after $p comes $q within $c",
		fits: func(f *filler, r *pairing, p, q int) bool {
			whole := r.key == nil && (!f.spans || f.sorts[p].values[0] != f.sorts[q].values[0])
			return r.after[p].Has(q) && r.before[q].Has(p) && !whole
		},
		number: slowest,
	}
	// exclusion: for each value of a key, no two processes are in a section of it at once. For
	// example, locks by name: a takes k1 and drops it, b takes k2 beside that, and k1 when a has
	// dropped it. Each process takes and drops a lock in turn, so take and drop are the ends of
	// sections; they may meet for different locks.
	exclusion = eventForm{
		formula: "R AG(forall i != j: !(between($P, $Q)@i && between($P, $Q)@j))",
		says:    "{each}no two processes are between $p and $q at once",
		keyed:   true,
		fits: func(f *filler, r *pairing, p, q int) bool {
			of := func(g *facts) bool { return !inTurn(g, g.stories[r.k], p, q) }
			isKey := f.sorts[p].fields[0] == r.key || f.sorts[q].fields[0] == r.key
			return !isKey && !slices.ContainsFunc(f.good, of)
		},
		holds: apartAlways,
		asked: func(g *facts, s story, p, q int) int {
			n := 0
			s.all(p, q, func(as, bs episode) bool {
				all, _ := sections(g.comp, as, bs)
				n += pairsOf(all)
				return true
			})
			return n
		},
	}
)

// A pairing relates sorts as all good runs do.
type pairing struct {
	k   int       // number of the key
	key *variable // nil for whole runs
	// by p, has q: there is a q in the past of each p, or in its episode, or it is one
	before, after, own []dense.Set
}

// relate returns the pairing of the sorts by a key.
func (f *filler) relate(k int) *pairing {
	all := func(is func(g *facts, s story, a, b int) bool) []dense.Set {
		sets := newSets(len(f.sorts))
		for a := range f.sorts {
			for b := range f.sorts {
				if !slices.ContainsFunc(f.good, func(g *facts) bool { return !is(g, g.stories[k], a, b) }) {
					sets[a].Add(b)
				}
			}
		}
		return sets
	}
	return &pairing{k, f.keys[k], all(preceded), all(followed), all(included)}
}

// direct reports whether no third sort stands between two that are related.
//
// For example, from call ≤ relay ≤ reply follows call ≤ reply, so that line would say nothing new.
// This is the transitive reduction of the relation, with sorts that are related both ways taken as
// one.
func direct(related []dense.Set, p, q int) bool {
	for m := range related {
		if m == p || m == q || !related[p].Has(m) || !related[m].Has(q) {
			continue
		}
		// Sorts that are related both ways are one: the first of them stands for all.
		if !related[q].Has(m) && !related[m].Has(p) || m < min(p, q) {
			return false
		}
	}
	return true
}

// episodes makes the candidates of a template about events: for pairs of sorts that good runs have,
// and that are not of the same events.
func (f *filler) episodes(form *eventForm) {
	for k, key := range f.keys {
		if len(f.sorts) == 0 || form.keyed && key == nil || !form.keyed && key != nil && !key.id {
			continue
		}
		if f.related[k] == nil {
			f.related[k] = f.relate(k)
		}
		r := f.related[k]
		has := func(p int) bool {
			return slices.ContainsFunc(f.good, func(g *facts) bool { return len(g.stories[k][p]) > 0 })
		}
		for q := range f.sorts {
			for p := range f.sorts {
				if (p == q) == form.alone && has(p) && has(q) && (p == q || !r.own[p].Has(q)) &&
					(form.fits == nil || form.fits(f, r, p, q)) {
					f.event(form, r, p, q)
				}
			}
		}
	}
}

// event adds the candidate of a form about two sorts.
func (f *filler) event(form *eventForm, r *pairing, p, q int) {
	c := &candidate{
		holds: func(g *facts) bool { return form.holds(g, g.stories[r.k], p, q) },
		asked: func(g *facts) int { return len(g.stories[r.k][p]) },
	}
	if form.asked != nil {
		c.asked = func(g *facts) int { return form.asked(g, g.stories[r.k], p, q) }
	}
	bound := ""
	if form.number != nil {
		most := int64(0)
		for _, g := range f.good {
			n, ok := form.number(g, g.stories[r.k], p, q)
			if !ok {
				return
			}
			most = max(most, n)
		}
		bound = big.NewRat(most, int64(time.Second)).FloatString(9)
		bound = strings.TrimRight(strings.TrimRight(bound, "0"), ".") + "s"
		c.holds = func(g *facts) bool {
			n, ok := form.number(g, g.stories[r.k], p, q)
			return ok && n <= most
		}
	}
	a, b := f.sorts[p], f.sorts[q]
	places := []string{"$p", a.text(), "$q", b.text(), "$c", bound}
	value, each := "", ""
	if r.key != nil {
		key := r.key.text
		value, each = " && "+key+" == r", "for each "+key+", "
		places = append(places, "R ", "forall r in values("+key+"): ", "{has}", " && has("+key+")", "{is}", " && "+key+" == e."+key)
	}
	if form.keyed {
		c.key, c.apart = r.key, true
	}
	places = append(places, "$P", a.text()+value, "$Q", b.text()+value, "R ", "", "{has}", "", "{is}", "")
	c.formula = strings.NewReplacer(places...).Replace(form.formula)
	c.says = strings.NewReplacer("{each}", each, "$p", a.words(), "$q", b.words(), "$c", bound).Replace(form.says)
	f.add(c)
}
