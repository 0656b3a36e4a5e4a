package infer

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
)

// A sort is a condition on single events: what they assign to one or two fields that have few values, such
// as op == "recv", or of spans operation == "charge" && event == "start".
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
	fields []*variable
	values []graphs.Value
}

// Bounds on sorts of events.
const (
	maxKinds = 12 // values of a field that says of what kind events are
	maxSorts = 120
	maxKeys  = 12
)

// text returns the condition as formulas have it.
func (k sort) text() string {
	var all []string
	for i, x := range k.fields {
		all = append(all, fmt.Sprintf("%s == %s", x.text, k.values[i]))
	}
	return strings.Join(all, " && ")
}

// words returns the condition for sentences: the values alone.
func (k sort) words() string {
	if len(k.values) == 2 {
		return k.values[1].Text() + " of " + k.values[0].String()
	}
	var all []string
	for i := range k.values {
		all = append(all, k.values[i].String())
	}
	return strings.Join(all, " ")
}

// sortsOf finds the keys, and the sorts of events that good runs have.
//
// In spans, start and end mean nothing without the operation, so a sort has both fields there, and a
// trace is about one request, so that it needs no key. Elsewhere one field suffices, and pairs would be
// too many.
func (v *vocabulary) sortsOf(runs []Run) {
	var kinds []*variable
	var operation, event *variable
	for _, x := range v.variables {
		switch {
		case x.id || x.field && !x.time() && x.kinds > 1 && 2*x.passing >= x.kinds && len(v.keys) < maxKeys:
			v.keys = append(v.keys, x)
		}
		switch {
		case x.id:
		case x.field && !x.many && !x.shared && !x.time() && len(x.values) <= maxKinds+1:
			kinds = append(kinds, x)
		}
		if x.name == "operation" {
			operation = x
		} else if x.name == "event" {
			event = x
		}
	}
	if v.spans = operation != nil && event != nil && !event.many; v.spans {
		v.keys = nil
	}
	known := make(map[string]bool)
	add := func(k sort) {
		if text := k.text(); !known[text] && len(v.sorts) < maxSorts {
			known[text] = true
			v.sorts = append(v.sorts, k)
		}
	}
	for _, r := range runs {
		for p := range r.Computation.NumProcesses() {
			if v.spans {
				of := fieldsOfEvents(r.Computation, p, operation, event)
				for _, e := range of {
					if e[0].Kind != graphs.NoKind && e[1].Kind != graphs.NoKind {
						add(sort{[]*variable{operation, event}, []graphs.Value{e[0], e[1]}})
					}
				}
				continue
			}
			for _, x := range kinds {
				for _, e := range fieldsOfEvents(r.Computation, p, x) {
					if e[0].Kind != graphs.NoKind {
						add(sort{[]*variable{x}, []graphs.Value{e[0]}})
					}
				}
			}
		}
	}
}

// fieldsOfEvents returns what each event of a process assigns to some fields, a value without a kind for
// nothing.
func fieldsOfEvents(c *graphs.Computation, p int, fields ...*variable) [][]graphs.Value {
	all := make([][]graphs.Value, c.Len(p))
	for k := range all {
		all[k] = make([]graphs.Value, len(fields))
	}
	for i, x := range fields {
		w := c.Variable(p, x.name)
		if w == nil {
			continue
		}
		for n := range w.Len() {
			all[c.Position(w.Event(n))-1][i] = w.Value(n)
		}
	}
	return all
}

// An episode is what happens to one value of a key, or in a whole run: its events of some sort, process by
// process.
type episode struct {
	events []graphs.Event
	sorts  []set   // of each event
	past   []set   // the sorts of the events that happened before each, and its own
	times  []int64 // in nanoseconds; nil where an event has none
}

// A story is the episodes of a run by one key. With sorts a and b:
//
//	(1) before[b] has a if each b has an a in its past, or is one
//	(2) after[a] has b if each episode with an a has a b
//	(3) own[b] has a if each b is an a
//	(4) with[a] counts the episodes with an a, and most[a] is how many a one of them has at most
//	(5) first[b] has a if on each process with b in an episode, an a stands before the first b
//	(6) gap[a] has b if on each process, a b stands between an a of an episode and the next a
//
// Of keys that are no ids, (1) is left out.
type story struct {
	episodes                       []*episode
	before, after, own, first, gap []set
	with, most                     []int
}

// storyOf finds the story of a key, of the whole run for nil. The time complexity of storyOf is
// O(n·v·log v) for n processes, and episodes with v events in all.
func (f *facts) storyOf(key *variable) *story {
	n := len(f.sorts)
	s := &story{episodes: f.episodesOf(key), with: make([]int, n), most: make([]int, n)}
	for _, all := range []*[]set{&s.before, &s.after, &s.own, &s.first, &s.gap} {
		*all = newSets(n)
		for _, each := range *all {
			fill(each)
		}
	}
	for _, one := range s.episodes {
		if key == nil || key.id {
			f.remember(one)
		}
		s.alternate(f.comp, one)
		count := make([]int, n)
		all := newSet(n)
		for i := range one.events {
			all.union(one.sorts[i])
			one.sorts[i].each(func(b int) {
				count[b]++
				s.before[b].intersect(one.past[i])
				s.own[b].intersect(one.sorts[i])
			})
		}
		for a, m := range count {
			if m > 0 {
				s.with[a]++
				s.most[a] = max(s.most[a], m)
				s.after[a].intersect(all)
			}
		}
	}
	return s
}

// alternate finds what stands before, and between, the events of an episode on each process.
func (s *story) alternate(c *graphs.Computation, one *episode) {
	var seen set
	since := make([]set, len(s.gap)) // what stands after the last event of each sort, nil for none
	for i, e := range one.events {
		sorts := one.sorts[i]
		if i == 0 || c.Process(e) != c.Process(one.events[i-1]) {
			seen = newSet(len(s.gap))
			clear(since)
		}
		sorts.each(func(a int) {
			if since[a] == nil {
				s.first[a].intersect(seen)
			} else {
				s.gap[a].intersect(since[a])
			}
		})
		seen.union(sorts)
		for _, after := range since {
			if after != nil {
				after.union(sorts)
			}
		}
		sorts.each(func(a int) { since[a] = newSet(len(s.gap)) })
	}
}

// remember adds the events of each process to the pasts of all events of an episode.
//
// The invariant: events of an episode stand process by process, in the order of each process. So
// those of a process are one piece, and those in the past of an event are a prefix of the piece. until
// has the sorts of each prefix, and a binary search finds the right one.
func (f *facts) remember(one *episode) {
	c := f.comp
	for piece := one.events; len(piece) > 0; {
		from := len(one.events) - len(piece)
		p := c.Process(piece[0])
		var until []set // the sorts of the events up to each
		for len(until) < len(piece) && c.Process(piece[len(until)]) == p {
			all := slices.Clone(one.sorts[from+len(until)])
			if len(until) > 0 {
				all.union(until[len(until)-1])
			}
			until = append(until, all)
		}
		for i, e := range one.events {
			before := int(f.rows[e][p])
			if c.Process(e) == p {
				before = c.Position(e)
			}
			n, _ := slices.BinarySearchFunc(piece[:len(until)], before, func(d graphs.Event, before int) int {
				return c.Position(d) - before - 1
			})
			if n > 0 {
				one.past[i].union(until[n-1])
			}
		}
		piece = piece[len(until):]
	}
}

// episodesOf collects the events of some sort by the value that they assign to a key.
//
// An event without a sort, or without a value of the key, belongs to no episode.
func (f *facts) episodesOf(key *variable) []*episode {
	c := f.comp
	fields := []*variable{key}
	if key == nil {
		fields = nil
	}
	at := make(map[*variable]int)
	for _, k := range f.sorts {
		for _, x := range k.fields {
			if !slices.Contains(fields, x) {
				at[x] = len(fields)
				fields = append(fields, x)
			}
		}
	}
	var all []*episode
	by := make(map[graphs.Value]*episode)
	for p := range c.NumProcesses() {
		for k, assigned := range fieldsOfEvents(c, p, fields...) {
			sorts := newSet(len(f.sorts))
			some := false
			for n, of := range f.sorts {
				is := true
				for i, x := range of.fields {
					is = is && assigned[at[x]] == of.values[i]
				}
				if is {
					sorts.add(n)
					some = true
				}
			}
			var value graphs.Value
			if key != nil {
				value = assigned[0]
			}
			if !some || key != nil && value.Kind == graphs.NoKind {
				continue
			}
			one := by[value]
			if one == nil {
				one = &episode{times: []int64{}}
				by[value] = one
				all = append(all, one)
			}
			one.add(c, c.Event(p, k+1), sorts)
		}
	}
	return all
}

// add adds an event with its sorts.
func (one *episode) add(c *graphs.Computation, e graphs.Event, sorts set) {
	one.events = append(one.events, e)
	one.sorts = append(one.sorts, sorts)
	one.past = append(one.past, slices.Clone(sorts))
	at, known, err := c.Instant(e, time.Second)
	if !known || err != nil {
		one.times = nil
	} else if one.times != nil {
		one.times = append(one.times, at)
	}
}

// slowest returns the longest time, in nanoseconds, from an event of sort a to the next of sort b in the
// same episode. It is not ok where there is none, or an event has no time.
func (s *story) slowest(a, b int) (longest int64, ok bool) {
	for _, one := range s.episodes {
		for i := range one.events {
			if !one.sorts[i].has(a) {
				continue
			}
			next, found := int64(0), false
			for j := range one.events {
				if one.times != nil && one.sorts[j].has(b) && one.times[j] >= one.times[i] {
					if took := one.times[j] - one.times[i]; !found || took < next {
						next, found = took, true
					}
				}
			}
			if !found {
				return 0, false
			}
			longest, ok = max(longest, next), true
		}
	}
	return longest, ok
}

// about calls visit for each key, and for none: with the stories of the good runs. It also passes
// the texts for a formula about each value of the key.
func (f *filler) about(visit func(k int, forall, is, each string)) {
	if len(f.sorts) == 0 {
		return
	}
	ids := false
	for k, key := range f.keys {
		if !key.id {
			continue
		}
		ids = true
		visit(k, "forall r in values("+key.text+"): ", " && "+key.text+" == r", "for each "+key.text+", ")
	}
	// Where events have keys, those of a whole run have little to do with each other. A trace of spans is
	// about one request.
	if f.spans || !ids {
		visit(len(f.keys), "", "", "")
	}
}

// always reports whether a relation of two sorts holds in all good runs, and some has the second one.
func (f *filler) always(k int, of func(*story) []set, a, b int) bool {
	for _, g := range f.good {
		if !of(g.stories[k])[b].has(a) {
			return false
		}
	}
	return true
}

func pastOf(s *story) []set { return s.before }

func followersOf(s *story) []set { return s.after }

// direct reports whether no third sort stands between two that are related.
//
// For example, from call ≤ relay ≤ reply follows call ≤ reply, so that line would say nothing new.
// This is the transitive reduction of the relation, with sorts that are related both ways taken as
// one.
func (f *filler) direct(k int, of func(*story) []set, a, b int) bool {
	for m := range f.sorts {
		if m == a || m == b || !f.always(k, of, a, m) || !f.always(k, of, m, b) {
			continue
		}
		// Sorts that are related both ways are one: the first of them stands for all.
		if !f.always(k, of, m, a) && !f.always(k, of, b, m) || m < min(a, b) {
			return false
		}
	}
	return true
}

// eachPair calls visit for pairs of sorts that are not of the same events.
func (f *filler) eachPair(k int, visit func(a, b int)) {
	for a := range f.sorts {
		for b := range f.sorts {
			if a != b && f.told(k, a) > 0 && f.told(k, b) > 0 && !slices.ContainsFunc(f.good, func(g *facts) bool {
				return g.stories[k].with[b] > 0 && g.stories[k].own[b].has(a)
			}) {
				visit(a, b)
			}
		}
	}
}

// told counts the episodes with a sort in all good runs.
func (f *filler) told(k, a int) int {
	n := 0
	for _, g := range f.good {
		n += g.stories[k].with[a]
	}
	return n
}

// precedence: no event of one sort happens before one of another.
func (f *filler) precedence() {
	f.about(func(k int, forall, is, each string) {
		f.eachPair(k, func(a, b int) {
			always := f.always(k, pastOf, a, b)
			if always && !f.direct(k, pastOf, a, b) || !always && forall == "" {
				return // in whole runs, what comes first once may do so by chance
			}
			f.add(&candidate{
				formula: fmt.Sprintf("%sAG(once(%s%s) -> once(%s%s))", forall, f.sorts[b].text(), is, f.sorts[a].text(), is),
				says:    fmt.Sprintf("%sthere is no %s before %s", each, f.sorts[b].words(), f.sorts[a].words()),
				holds:   func(g *facts) bool { return g.stories[k].before[b].has(a) },
				asked:   func(g *facts) int { return g.stories[k].with[b] },
			})
		})
	})
}

// response: an event of one sort is followed by one of another.
func (f *filler) response() {
	f.about(func(k int, forall, is, each string) {
		f.eachPair(k, func(b, a int) {
			if f.always(k, pastOf, b, a) || f.always(k, followersOf, b, a) && !f.direct(k, followersOf, b, a) {
				return // it was there before
			}
			f.add(&candidate{
				formula: fmt.Sprintf("%sAG(once(%s%s) -> AF(once(%s%s)))", forall, f.sorts[a].text(), is, f.sorts[b].text(), is),
				says:    fmt.Sprintf("%safter %s comes %s", each, f.sorts[a].words(), f.sorts[b].words()),
				holds:   func(g *facts) bool { return g.stories[k].after[a].has(b) },
				asked:   func(g *facts) int { return g.stories[k].with[a] },
			})
		})
	})
}

// onceEach: there is at most one event of a sort.
func (f *filler) onceEach() {
	f.about(func(k int, forall, is, each string) {
		for a := range f.sorts {
			f.add(&candidate{
				formula: fmt.Sprintf("%sAG(events(%s%s) <= 1)", forall, f.sorts[a].text(), is),
				says:    fmt.Sprintf("%sthere is at most one %s", each, f.sorts[a].words()),
				holds:   func(g *facts) bool { return g.stories[k].most[a] <= 1 },
				asked:   func(g *facts) int { return g.stories[k].with[a] },
			})
		}
	})
}

// inTime: an event of one sort is followed by one of another within a time, the least that does.
//
// The sorts must be related both ways: each b has an a in its past, each a a b in its episode. The
// bound is the slowest answer of the good runs, exact to the nanosecond.
func (f *filler) inTime() {
	f.about(func(k int, forall, is, each string) {
		if forall == "" && !f.spans {
			return // in whole runs, the next event of a sort need not belong to this one
		}
		f.eachPair(k, func(b, a int) {
			if !f.always(k, followersOf, b, a) || !f.always(k, pastOf, a, b) {
				return
			}
			if f.spans && f.sorts[a].values[0] != f.sorts[b].values[0] {
				return // how long operations take says as much
			}
			longest := int64(0)
			for _, g := range f.good {
				d, ok := g.stories[k].slowest(a, b)
				if !ok && g.stories[k].with[a] > 0 {
					return
				}
				longest = max(longest, d)
			}
			bound := new(big.Rat).SetFrac64(longest, int64(time.Second))
			text := strings.TrimRight(strings.TrimRight(bound.FloatString(9), "0"), ".") + "s"
			keyed, equal := "", ""
			if forall != "" {
				keyed, equal = fmt.Sprintf(" && has(%s)", f.keys[k].text), fmt.Sprintf(" && %s == e.%[1]s", f.keys[k].text)
			}
			f.add(&candidate{
				formula: fmt.Sprintf("forall e in events(%s%s): exists d in events(%s%s): 0 <= d.time - e.time <= %s",
					f.sorts[a].text(), keyed, f.sorts[b].text(), equal, text),
				says: fmt.Sprintf("%safter %s comes %s within %s", each, f.sorts[a].words(), f.sorts[b].words(), text),
				holds: func(g *facts) bool {
					d, ok := g.stories[k].slowest(a, b)
					return g.stories[k].with[a] == 0 || ok && d <= longest
				},
				asked: func(g *facts) int { return g.stories[k].with[a] },
			})
		})
	})
}
