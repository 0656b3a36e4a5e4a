package infer

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
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
// In spans, start and end mean nothing without the operation, so a sort has both fields
// there, and a trace is about one request, so that it needs no key. Elsewhere one field
// suffices, and pairs would be too many.
func (v *vocabulary) sortsOf(runs []Run) {
	var groups [][]*variable // whose values together are a sort
	var operation, event *variable
	for _, x := range v.variables {
		if x.id || x.field && !x.time() && x.kinds > 1 && 2*x.passing >= x.kinds && len(v.keys) < maxKeys {
			v.keys = append(v.keys, x)
		}
		if !x.id && x.field && !x.many && !x.shared && !x.time() && len(x.values) <= maxKinds+1 {
			groups = append(groups, []*variable{x})
		}
		if x.name == "operation" {
			operation = x
		} else if x.name == "event" {
			event = x
		}
	}
	if v.spans = operation != nil && event != nil && !event.many; v.spans {
		v.keys, groups = nil, [][]*variable{{operation, event}}
	}
	// Where events have ids, those of a whole run have little to do with each other.
	if !slices.ContainsFunc(v.keys, func(x *variable) bool { return x.id }) {
		v.keys = append(v.keys, nil)
	}
	known := make(map[string]bool)
	for _, r := range runs {
		for p := range r.Computation.NumProcesses() {
			for _, fields := range groups {
				for _, values := range fieldsOfEvents(r.Computation, p, fields...) {
					if slices.Contains(values, graphs.Value{}) || len(v.sorts) == maxSorts {
						continue
					}
					k := sort{fields, values}
					if text := k.text(); !known[text] {
						known[text] = true
						v.sorts = append(v.sorts, k)
					}
				}
			}
		}
	}
}

// fieldsOfEvents returns what each event of a process assigns to some fields, a value
// without a kind for nothing.
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

// An episode is what happens to one value of a key, or in a whole run: its events of some
// sort, process by process.
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

// newStory returns the story of no episode, for n sorts.
func newStory(n int) *story {
	s := &story{with: make([]int, n), most: make([]int, n)}
	for _, all := range []*[]set{&s.before, &s.after, &s.own, &s.first, &s.gap} {
		*all = newSets(n)
		for _, each := range *all {
			fill(each)
		}
	}
	return s
}

// relations returns (1), (2), (3), (5) and (6).
func (s *story) relations() [][]set { return [][]set{s.before, s.after, s.own, s.first, s.gap} }

// storyOf finds the story of a key, of the whole run for nil. The time complexity of storyOf is
// O(n·v·log v) for n processes, and episodes with v events in all.
func (f *facts) storyOf(key *variable) *story {
	n := len(f.sorts)
	s := newStory(n)
	s.episodes = f.episodesOf(key)
	for _, one := range s.episodes {
		if key == nil || key.id {
			f.remember(one)
		}
		count := make([]int, n)
		all, seen := newSet(n), newSet(n)
		since := make([]set, n) // what stands after the last event of each sort on its process, nil for none
		for i, e := range one.events {
			if i > 0 && f.comp.Process(e) != f.comp.Process(one.events[i-1]) {
				clear(seen)
				clear(since)
			}
			all.union(one.sorts[i])
			one.sorts[i].each(func(b int) {
				count[b]++
				s.before[b].intersect(one.past[i])
				s.own[b].intersect(one.sorts[i])
				if since[b] == nil {
					s.first[b].intersect(seen)
				} else {
					s.gap[b].intersect(since[b])
				}
			})
			seen.union(one.sorts[i])
			for b, after := range since {
				if one.sorts[i].has(b) {
					since[b] = newSet(n)
				} else if after != nil {
					after.union(one.sorts[i])
				}
			}
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

// remember adds the events of each process to the pasts of all events of an episode.
//
// The invariant: events of an episode stand process by process, in the order of each process. So
// those of a process are one piece, and those in the past of an event are a prefix of the piece.
// until has the sorts of each prefix, and a binary search finds the right one.
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

// slowest returns the longest time, in nanoseconds, from an event of sort a to the next of sort b
// in the same episode. It is not ok where there is none, or an event has no time. The time
// complexity of slowest is O(v·log v) for episodes with v events in all.
func (s *story) slowest(a, b int) (longest int64, ok bool) {
	for _, one := range s.episodes {
		var answers []int64
		for i, at := range one.times {
			if one.sorts[i].has(b) {
				answers = append(answers, at)
			}
		}
		slices.Sort(answers)
		for i, sorts := range one.sorts {
			if !sorts.has(a) {
				continue
			}
			if one.times == nil {
				return 0, false
			}
			next, _ := slices.BinarySearch(answers, one.times[i])
			if next == len(answers) {
				return 0, false
			}
			longest, ok = max(longest, answers[next]-one.times[i]), true
		}
	}
	return longest, ok
}

// An eventForm is a template about the events of an episode. Its texts have the
// places $p and $q for sorts.
type eventForm struct {
	formula, says string
	single        bool                                    // about p alone
	fits          func(s *story, p, q int, key bool) bool // in the story of all good runs; nil for all
	holds         func(s *story, p, q int) bool
}

var (
	precedence = eventForm{
		formula: "AG(once($p) -> once($q))",
		says:    "there is no $p before $q",
		fits: func(s *story, p, q int, key bool) bool {
			// In whole runs, what comes first once may do so by chance.
			return s.before[p].has(q) && direct(s.before, p, q) || !s.before[p].has(q) && key
		},
		holds: func(s *story, p, q int) bool { return s.before[p].has(q) },
	}
	response = eventForm{
		formula: "AG(once($p) -> AF(once($q)))",
		says:    "after $p comes $q",
		fits: func(s *story, p, q int, _ bool) bool {
			// What was there before follows anyway.
			return !s.before[p].has(q) && (!s.after[p].has(q) || direct(s.after, p, q))
		},
		holds: func(s *story, p, q int) bool { return s.after[p].has(q) },
	}
	onceEach = eventForm{
		formula: "AG(events($p) <= 1)",
		says:    "there is at most one $p",
		single:  true,
		holds:   func(s *story, p, _ int) bool { return s.most[p] <= 1 },
	}
)

// direct reports whether no third sort stands between two that are related.
//
// For example, from call ≤ relay ≤ reply follows call ≤ reply, so that line would say nothing new.
// This is the transitive reduction of the relation, with sorts that are related both ways taken as
// one.
func direct(related []set, p, q int) bool {
	for m := range related {
		if m == p || m == q || !related[p].has(m) || !related[m].has(q) {
			continue
		}
		// Sorts that are related both ways are one: the first of them stands for all.
		if !related[q].has(m) && !related[m].has(p) || m < min(p, q) {
			return false
		}
	}
	return true
}

// common returns the story of all good runs together by a key.
func (f *filler) common(k int) *story {
	s := newStory(len(f.sorts))
	ours := s.relations()
	for _, g := range f.good {
		t := g.stories[k]
		for i, all := range t.relations() {
			for p := range all {
				ours[i][p].intersect(all[p])
			}
		}
		for p, n := range t.with {
			s.with[p] += n
		}
	}
	return s
}

// pairs calls visit for the pairs of sorts that good runs have, and that are not of
// the same events: by each id, or with the key nil where there is none. Each comes
// with the story of all good runs.
func (f *filler) pairs(visit func(k int, key *variable, s *story, p, q int)) {
	if len(f.sorts) == 0 {
		return
	}
	for k, key := range f.keys {
		if key != nil && !key.id {
			continue
		}
		s := f.common(k)
		for q := range f.sorts {
			for p := range f.sorts {
				if s.with[p] > 0 && s.with[q] > 0 && (p == q || !s.own[p].has(q)) {
					visit(k, key, s, p, q)
				}
			}
		}
	}
}

// events makes the candidates of a template about events.
func (f *filler) events(form *eventForm) {
	f.pairs(func(k int, key *variable, s *story, p, q int) {
		if (p == q) != form.single || form.fits != nil && !form.fits(s, p, q, key != nil) {
			return
		}
		var forall, is, each string
		if key != nil {
			forall = "forall r in values(" + key.text + "): "
			is = " && " + key.text + " == r"
			each = "for each " + key.text + ", "
		}
		text := strings.NewReplacer("$p", f.sorts[p].text()+is, "$q", f.sorts[q].text()+is)
		words := strings.NewReplacer("$p", f.sorts[p].words(), "$q", f.sorts[q].words())
		f.add(&candidate{
			formula: forall + text.Replace(form.formula),
			says:    each + words.Replace(form.says),
			holds:   func(g *facts) bool { return form.holds(g.stories[k], p, q) },
			asked:   func(g *facts) int { return g.stories[k].with[p] },
		})
	})
}

// inTime: an event of one sort is followed by one of another within a time, the least that does.
//
// The sorts must be related both ways: each q has a p in its past, each p a q in its episode. The
// bound is the slowest answer of the good runs, exact to the nanosecond. In whole runs, the next
// event of a sort need not belong to this one; in spans, how long an operation takes says enough.
func (f *filler) inTime() {
	f.pairs(func(k int, key *variable, s *story, p, q int) {
		if p == q || !s.after[p].has(q) || !s.before[q].has(p) ||
			key == nil && (!f.spans || f.sorts[p].values[0] != f.sorts[q].values[0]) {
			return
		}
		longest := int64(0)
		for _, g := range f.good {
			d, ok := g.stories[k].slowest(p, q)
			if !ok && g.stories[k].with[p] > 0 {
				return
			}
			longest = max(longest, d)
		}
		within := strings.TrimRight(strings.TrimRight(big.NewRat(longest, int64(time.Second)).FloatString(9), "0"), ".") + "s"
		var keyed, equal, each string
		if key != nil {
			keyed, equal = fmt.Sprintf(" && has(%s)", key.text), fmt.Sprintf(" && %s == e.%[1]s", key.text)
			each = "for each " + key.text + ", "
		}
		f.add(&candidate{
			formula: fmt.Sprintf("forall e in events(%s%s): exists d in events(%s%s): 0 <= d.time - e.time <= %s",
				f.sorts[p].text(), keyed, f.sorts[q].text(), equal, within),
			says: fmt.Sprintf("%safter %s comes %s within %s", each, f.sorts[p].words(), f.sorts[q].words(), within),
			holds: func(g *facts) bool {
				d, ok := g.stories[k].slowest(p, q)
				return g.stories[k].with[p] == 0 || ok && d <= longest
			},
			asked: func(g *facts) int { return g.stories[k].with[p] },
		})
	})
}
