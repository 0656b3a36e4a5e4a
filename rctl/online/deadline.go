package online

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/engine"
	known "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// What follows decides AG(p -> AF[<= d] q), alone or for each request, by the times of events.
//
// The watermark is the least time that processes have shown of which none is closed: if clocks do not run
// backwards, nothing with an earlier time comes from them any more. An event that makes p true at a has the
// deadline a+d. Once the watermark has passed that, it is known whether q was true in time, and the obligation
// is forgotten.
//
// Example: with d = 5s, gateway receives "r1" at 10 and the deadline is 15. Then db shows 14, and gateway
// 16: the watermark is 14, and db may still answer. When db shows 15.1 without an answer, the formula fails.
//
// Late is an event about p or q with a time that the watermark has passed at some decision: of a process that
// nobody had heard of, or a clock that ran backwards. It changes no answer, but is counted.
//
// Clocks that agree within ε (Options.Skew) give an event that shows t a true time of t to t+ε. Then the
// deadline is a+d+ε: what comes later is late by any clocks. What was in time by some clocks, and not by all, is
// unknown in the end.
//
// That p lasts <= d is decided likewise: q is that p is over, and only the process of p need have shown a later
// time. Where p is true at first it began with the first event of all: that it was over in time is known once all
// processes have shown a time. At the end a p that is not over has lasted until the last event of all.

// A deadline decides a formula with a bound on one execution.
type deadline struct {
	reader
	following
	form *syntax.Response
	// The verdict on the only table, or on one, where a quantifier over processes is around, that decides.
	decides rctl.Verdict
	bound   int64 // nanoseconds
	domain  trigger
	sides   [2]track // p and q

	tables []*table // the only one, or with forall i: or exists i: around one for each process
	open   []*table // those that wait for a time, or for variables

	// What processes have shown of their clocks. All tables see it, as an answer may come while any process goes on.
	shownBy  []int64 // by process, the greatest time
	first    int64   // the least time of any event
	blocker  int     // a process that has held deadlines back
	silent   int     // the processes before it have shown a time, or closed
	calendar bool    // times are those of a calendar, and no numbers
}

// A table has obligations. If it is about one process, all of them are.
type table struct {
	*deadline
	process  int  // that it is about, or of p; -1 for none
	out      bool // a quantifier does not range over it
	waiting  bool
	sides    [2]track
	requests map[graphs.Value]*request // by key; noKey where the formula has no names
	decided  hashes                    // keys of those with a verdict
	due      dense.Heap[queued]
	// Of a p that is true at first, while it is open, beside the queue; nil for none.
	start    *obligation
	frontier int64       // the greatest deadline that was decided
	failed   *obligation // the first
	depends  bool        // clocks leave an obligation open
}

// Late says which events came when a deadline had been decided that they bear on.
type Late struct {
	Count int      `json:"events"`
	First []string `json:"first"` // their ids
}

// dependsOnClocks is the reason of a verdict that differs by what clocks leave open.
const dependsOnClocks = "it depends on clocks"

const noTime = math.MaxInt64 // of what does not come

// noKey is the key of the one request of a formula without names.
var noKey = graphs.Str("")

// A track is one side, p or q: what some event makes true for good, or a predicate of a process.
type track struct {
	syntax.State
	trigger
	values map[string]graphs.Value // of the variables of the predicate
	begun  bool                    // its process has executed an event
	holds  bool
}

// A request is a binding, or all of a formula that has none.
type request struct {
	key  graphs.Value
	seen [2][]int32  // the processes with an event of each side
	only *obligation // where events make p true: the first of them
	// When q is true.
	begins  bool
	changes []flip
}

// A flip is an event that makes q true or false.
type flip struct {
	at    int64
	truth bool
	source
}

// A source is an event.
type source struct {
	process int
	nth     int64
	id      string
}

// An obligation is an event that makes p true, at a time; noTime where only an answer has come.
type obligation struct {
	*request
	source
	at     int64
	due    int64 // math.MinInt64 before and after it is queued
	events int64 // admitted by then
	since  time.Time
	past   int64 // where q is a predicate: events of its process that had happened
	// Where q is a predicate: the first event of its process that ended q after the event, 0 for none yet.
	until    int64
	answered bool // q was true when the event happened, whatever clocks say
}

// A queued obligation waits for its due time. One that is there twice counts by its present one.
type queued struct {
	*obligation
	due int64
}

// Before implements [dense.Heap]: the earliest due time comes first.
func (q queued) Before(other queued) bool { return q.due < other.due }

// newDeadline returns what decides a property of m.
func newDeadline(m *Monitor, property int, form *syntax.Response) *deadline {
	x := &deadline{form: form, first: noTime}
	x.following = m.newFollowing(property, syntax.OpForall, form.Of)
	x.names = form.Names
	x.decides = engine.VerdictOf(x.formula.Op == syntax.OpExists || form.Each == nil && form.Negated)
	x.formula = predicatesOf(x.formula)
	nanoseconds := new(big.Rat).Mul(form.Bound.Seconds(), big.NewRat(int64(time.Second), 1))
	x.bound = nanoseconds.Num().Int64()
	x.domain = x.trigger(form.Domain.Fields, form.Domain.Rest)
	for i, side := range form.Sides {
		x.sides[i] = track{State: side, trigger: x.trigger(side.Fields, side.Rest)}
	}
	if form.Each == nil {
		x.newTable(-1)
	}
	return x
}

// predicatesOf returns a formula with what a bound on time is about in its place.
func predicatesOf(f *syntax.Formula) *syntax.Formula {
	if f.Op == syntax.OpAtom {
		return syntax.And(f.Expr.Conds...)
	}
	g := *f
	g.Sub = []*syntax.Formula{predicatesOf(f.Sub[0])}
	return &g
}

// newTable adds a table, about a process where there is one for each.
func (x *deadline) newTable(process int) {
	t := &table{
		deadline: x,
		process:  process,
		sides:    x.sides,
		requests: make(map[graphs.Value]*request),
		decided:  newHashes(),
		frontier: math.MinInt64,
	}
	for i := range t.sides {
		v := &t.sides[i]
		if process >= 0 {
			v.Process = x.m.stream.Processes()[process]
			t.out = !x.form.Each.Has(v.Process)
		}
		if v.Vars == nil {
			continue
		}
		v.values = make(map[string]graphs.Value)
		zero := [...]graphs.Value{
			syntax.NumberType: graphs.Int(0),
			syntax.BoolType:   graphs.Boolean(false),
			syntax.StringType: graphs.Str(""),
		}
		for name, of := range v.Vars {
			v.values[name] = zero[of]
		}
		v.test = known.Source{
			Field: func(_ graphs.Event, name string) (graphs.Value, bool) { return v.values[name], true },
		}.Test(v.Rest)
		v.holds = v.test(0)
	}
	if t.sides[1].holds {
		t.requestOf(noKey).begins = true
	}
	x.tables = append(x.tables, t)
}

// about returns the table with the obligations of a process.
func (x *deadline) about(process int) *table {
	if x.form.Each == nil {
		return x.tables[0]
	}
	for p := len(x.tables); p <= process; p++ {
		x.newTable(p)
	}
	return x.tables[process]
}

// requestOf returns the request of a key, which is then open.
func (t *table) requestOf(key graphs.Value) *request {
	r := t.requests[key]
	if r == nil {
		r = &request{key: key}
		t.requests[key] = r
		t.held++
	}
	return r
}

// declare notes the initial values of a process.
func (x *deadline) declare(l *stream.Line) {
	p, ok := x.m.stream.Process(string(l.Process))
	if !ok {
		return
	}
	t := x.about(p)
	if t.out {
		return
	}
	for i := range t.sides {
		v := &t.sides[i]
		if v.Vars == nil || v.Process != string(l.Process) || v.begun {
			continue
		}
		v.assign(l)
		if v.holds = v.test(0); i == 1 {
			t.requestOf(noKey).begins = v.holds
		}
	}
	t.wait()
}

// assign notes what a line assigns.
func (v *track) assign(l *stream.Line) {
	for i := range l.Values {
		if _, ok := v.values[string(l.Values[i].Name)]; ok {
			v.values[string(l.Values[i].Name)] = l.Values[i].Value
		}
	}
}

// step looks at the events that are admitted together.
func (x *deadline) step(events []stream.Admitted) {
	for i := range events {
		if x.failure = x.see(&events[i]); x.failure != nil {
			return
		}
	}
	x.advance()
}

func (x *deadline) opened() string { return "deadlines are open" }

// see looks at an event.
func (x *deadline) see(e *stream.Admitted) error {
	var at source
	at.process, at.nth = e.At()
	at.id = idOf(e.Line, at.nth)
	x.line, x.position = e.Line, at.nth
	now, timed := graphs.ParseTime(string(e.Line.Time), x.m.opts.Unit)
	if timed {
		for len(x.shownBy) <= at.process {
			x.shownBy = append(x.shownBy, math.MinInt64)
		}
		x.shownBy[at.process] = max(x.shownBy[at.process], now)
		x.first = min(x.first, now)
		x.calendar = bytes.IndexByte(e.Line.Time, '"') >= 0
	}
	if key, ok := x.keyOf(&x.domain); ok && x.names != nil && !x.over.has(key) {
		x.over.add(key)
		x.sum.Total++
	}
	t := x.about(at.process)
	if t.out {
		return nil
	}
	// What the event does to q is in time for what it does to p.
	for i := 1; i >= 0; i-- {
		v := &t.sides[i]
		if v.Process != "" && v.Process != string(e.Line.Process) {
			continue
		}
		key := noKey
		if v.Vars == nil {
			var ok bool
			if key, ok = x.keyOf(&v.trigger); !ok {
				continue
			}
		} else {
			if i == 0 {
				t.begin()
			}
			v.begun = true
			was := v.holds
			v.assign(e.Line)
			if v.holds = v.test(0); v.holds == was {
				continue
			}
		}
		if !timed {
			return noTimeOf(at.id)
		}
		over := t.decided.has(key)
		if now <= t.frontier && (over || x.names == nil) {
			x.late.add(at.id)
		}
		if !over {
			t.event(i, t.requestOf(key), e, at, now)
		}
	}
	t.wait()
	return nil
}

// begins reports whether p is true at first, and its process has executed no event.
func (t *table) begins() bool {
	p := &t.sides[0]
	return p.Vars != nil && p.holds && !p.begun
}

// begin notes that p is true at first, if it is: it counts from the first event of all, which settle looks for.
func (t *table) begin() {
	if t.begins() {
		t.sides[0].begun = true
		t.start = t.obligation(t.requestOf(noKey))
		t.start.process = -1
		t.start.note(t.m)
	}
}

// event notes an event that makes a side true, or a predicate false.
func (t *table) event(i int, r *request, e *stream.Admitted, at source, now int64) {
	v := &t.sides[i]
	if v.Vars == nil {
		// Of each process the first event counts.
		if slices.Contains(r.seen[i], int32(at.process)) {
			return
		}
		r.seen[i] = append(r.seen[i], int32(at.process))
	}
	p, q := &t.sides[0], &t.sides[1]
	switch {
	case i == 0 && (v.holds || v.Vars == nil):
		o := t.obligation(r)
		if now < o.at {
			o.source, o.at = at, now
			o.answered = false
			o.note(t.m)
		}
		if of, ok := t.m.stream.Process(q.Process); ok && q.Vars != nil {
			o.past = e.Counts(of)
			o.answered = o.answered || of == at.process && q.holds
		}
		for _, c := range r.changes {
			// What happened before was in time.
			if o.source == at && c.truth && q.Vars == nil && e.Counts(c.process) >= c.nth {
				o.answered = true
			}
		}
		t.push(o)
		return
	case i == 0:
		return
	case v.Vars == nil && len(r.changes) > 0:
		if now < r.changes[0].at {
			r.changes[0] = flip{now, true, at}
		}
	default:
		// q was true after what happened before its end.
		if v.Vars != nil && !v.holds {
			for _, y := range t.due.List() {
				if y.process >= 0 && y.until == 0 && y.events < t.m.stream.Admitted() && e.Counts(y.process) >= y.nth {
					y.until = at.nth
				}
			}
		}
		t.held++
		r.changes = append(r.changes, flip{now, v.Vars == nil || v.holds, at})
		if n := len(r.changes); n&(n-1) == 0 { // so the time for a change is constant
			t.prune(r)
		}
	}
	if p.Vars == nil && q.Vars == nil {
		// Of an answer without a question, too: one that comes later has it in time.
		t.push(t.obligation(r))
	}
}

// obligation returns the obligation of a request, a new one where each event that makes p true has its own.
func (t *table) obligation(r *request) *obligation {
	if r.only != nil {
		return r.only
	}
	o := &obligation{request: r, at: noTime, due: math.MinInt64}
	t.held++
	if t.sides[0].Vars == nil {
		r.only = o
	}
	return o
}

// note notes when it was known that p is true.
func (o *obligation) note(m *Monitor) {
	o.events = m.stream.Admitted()
	o.since = m.opts.Now()
}

// push queues an obligation by the time at which it can be decided.
func (t *table) push(o *obligation) {
	due := t.after(o.at)
	switch stable := t.sides[1].Vars == nil; {
	case o.at == noTime:
		due = o.changes[0].at
	// No event to come can change that it was in time.
	case stable && t.judge(o) == rctl.Holds:
		due = o.at
	}
	if o.due != due {
		o.due = due
		t.due.Push(queued{o, due})
	}
}

// skew returns the bound on the skew of clocks.
func (x *deadline) skew() int64 { return int64(x.m.opts.Skew) }

// after returns the time at which the deadline of an event has passed by all clocks.
func (x *deadline) after(at int64) int64 {
	if d := x.bound + x.skew(); d >= 0 && at < noTime-1-d {
		return at + d
	}
	return noTime - 1
}

// judge returns Holds if q came in time for an obligation by all clocks, as far as is known, and Fails if by none.
func (x *deadline) judge(o *obligation) rctl.Verdict {
	least, most := o.wait(x.skew())
	if o.answered {
		least, most = 0, 0
	}
	within := func(wait int64) bool {
		return wait != noTime && x.form.Rel.Relates(cmp.Compare(wait, x.bound))
	}
	switch {
	case within(least) && within(most):
		return rctl.Holds
	case within(least) || within(most):
		return rctl.Unknown
	}
	return rctl.Fails
}

// wait returns how long it takes from an obligation until q is true, at the least and at the most as clocks go that
// agree within a bound: see package clocks, of stretches of q.
func (o *obligation) wait(skew int64) (least, most int64) {
	least = noTime
	truth, begin := o.begins, int64(math.MinInt64)
	stretch := func(end int64, past, lasts bool) {
		switch {
		case past: // it ended before
		case truth && least == noTime && (lasts || end > o.at-skew):
			least = 0
			if begin > o.at {
				least = max(0, begin-o.at-skew)
			}
		case !truth && (begin == math.MinInt64 || begin <= o.at+skew):
			d := end
			if end != noTime {
				d = end + skew - max(o.at, begin)
			}
			most = max(most, d)
		}
	}
	for _, c := range o.changes {
		// All changes are after the beginning.
		lasts := o.process < 0 && !c.truth || o.until > 0 && c.nth == o.until
		if stretch(c.at, c.nth <= o.past, lasts); lasts {
			return least, most // it was true after the event
		}
		truth, begin = c.truth, c.at
	}
	stretch(noTime, false, true)
	return least, most
}

// at returns the time that a process has shown.
func (x *deadline) at(process int) int64 {
	if process >= 0 && process < len(x.shownBy) {
		return x.shownBy[process]
	}
	return math.MinInt64
}

// passed reports whether all processes that may go on, and can answer, have shown a later time, and some process has.
func (t *table) passed(due int64) bool {
	s := t.m.stream
	if t.form.Lasts {
		if t.form.Rel == syntax.Less {
			due-- // it is over before
		}
		p := t.owner()
		if p < 0 || t.closed() {
			p = t.latest() // p is not over before the end
		}
		return t.at(p) > due
	}
	holds := func(p int) bool { return t.at(p) <= due && !s.Closed(p) }
	n := len(s.Processes())
	if t.blocker < n && holds(t.blocker) {
		return false
	}
	some := s.Fixed()
	for p := range n {
		if holds(p) {
			t.blocker = p
			return false
		}
		some = some || t.at(p) > due
	}
	return some
}

// latest returns a process that has shown the greatest time.
func (x *deadline) latest() (latest int) {
	for p, at := range x.shownBy {
		if at > x.shownBy[latest] {
			latest = p
		}
	}
	return latest
}

// wait notes that a table may be decided without an event of its process, if it may: because an obligation is open,
// its process may have no event at all, or lacks variables.
func (t *table) wait() {
	waits := t.due.Len() > 0 || t.begins() || t.start != nil || t.failed != nil && !t.fits()
	if waits && !t.waiting {
		t.waiting = true
		t.deadline.open = append(t.deadline.open, t)
	}
}

// advance decides the obligations with deadlines that have passed.
func (x *deadline) advance() {
	open := x.open
	x.open = open[:0]
	for _, t := range open {
		t.settle()
		// Without names there is one answer; with a quantifier around, one process may decide it.
		if x.names == nil && t.failed != nil && t.verdict() == x.decides && t.fits() {
			x.pending, x.done = []Answer{t.answer()}, true
			x.tables, x.open = nil, nil
			return
		}
		t.waiting = false
		t.wait()
	}
}

// owner returns the process that a table is about, or the one of p; -1 while there is none.
func (t *table) owner() int {
	if p, ok := t.m.stream.Process(t.sides[0].Process); ok {
		t.process = p
	}
	return t.process
}

// closed reports whether that process has closed.
func (t *table) closed() bool { p := t.owner(); return p >= 0 && t.m.stream.Closed(p) }

// settle decides the obligations of a table with deadlines that have passed.
func (t *table) settle() {
	if t.begins() && t.closed() {
		t.begin() // it has no event
	}
	if o := t.start; o != nil {
		o.at = t.first
		o.due = t.after(o.at)
		// If it was in time, it may still have begun earlier.
		if t.passed(o.due) && (t.judge(o) == rctl.Fails || !t.early()) {
			t.start = nil
			t.decide(o)
		}
	}
	for t.due.Len() > 0 {
		next := t.due.List()[0]
		if next.due != next.obligation.due {
			t.due.Pop()
			continue
		}
		if !t.passed(next.due) {
			break
		}
		t.due.Pop()
		t.decide(next.obligation)
	}
}

// early reports whether there may be an event before the first one: of a process that has shown no time.
func (x *deadline) early() bool {
	for s := x.m.stream; x.silent < len(s.Processes()); x.silent++ {
		if x.at(x.silent) == math.MinInt64 && !s.Closed(x.silent) {
			return true
		}
	}
	return false
}

// decide decides an obligation, and forgets it.
func (t *table) decide(o *obligation) {
	due := o.due
	o.due = math.MinInt64
	t.held--
	if o.at != noTime {
		t.frontier = max(t.frontier, due)
		v := t.judge(o)
		t.depends = t.depends || v == rctl.Unknown
		if v == rctl.Fails && t.failed == nil {
			t.failed = o
		}
		if t.names != nil {
			t.note(v, t.m.stream.Admitted(), func() decisive { return t.shown(o) })
		}
	}
	if t.sides[0].Vars == nil {
		delete(t.requests, o.key)
		t.held -= 1 + len(o.changes)
		t.decided.add(o.key)
		return
	}
	t.prune(o.request)
}

// prune forgets what q was before all obligations that are open or to come.
func (t *table) prune(r *request) {
	if len(r.changes) < 16 || t.begins() || t.start != nil {
		return
	}
	from := t.at(t.owner())
	if t.closed() {
		from = noTime
	}
	for _, o := range t.due.List() {
		from = min(from, o.at)
	}
	n := 0
	for n+1 < len(r.changes) && r.changes[n+1].at+t.skew() < from {
		n++
	}
	if n < len(r.changes)/2 {
		return // most are needed: the next look is cheaper than to move them
	}
	r.begins = r.changes[n].truth
	r.changes = slices.Clone(r.changes[n+1:])
	t.held -= n + 1
}

// fits reports whether the process of a table is one that a quantifier ranges over, and has the variables that it asks for.
func (t *table) fits() bool {
	return t.form.Each == nil || !t.out && !slices.ContainsFunc(t.form.Each.Having, func(name syntax.Name) bool {
		return t.m.stream.Kind(t.process, name.Text) == graphs.NoKind
	})
}

// verdict returns the verdict that follows from all obligations of a table so far.
func (t *table) verdict() (v rctl.Verdict) {
	switch {
	case t.failed != nil:
		v = rctl.Fails
	case !t.depends:
		v = rctl.Holds
	}
	if t.form.Negated {
		return v.Not()
	}
	return v
}

// answer returns that of a table, where there are no names.
func (t *table) answer() Answer {
	a := t.final()
	a.Verdict = t.verdict()
	if t.failed != nil {
		d := t.shown(t.failed)
		a.Steps, a.Reason = d.steps, d.reason
	} else if a.Verdict == rctl.Unknown {
		a.Reason = dependsOnClocks
	}
	return a
}

// shown says which obligation was not met.
func (x *deadline) shown(o *obligation) decisive {
	d := decisive{order: x.sum.Decisive, bound: boundTo(x.names, o.key), reason: x.reason(o)}
	if o.id != "" {
		d.steps = []string{o.id}
	}
	return d
}

// reason names an obligation and its deadline.
func (x *deadline) reason(o *obligation) string {
	event := cmp.Or(o.id, "the beginning")
	// The deadline is written as events show times.
	zero := "0"
	if x.calendar {
		zero = `"1970-01-01T00:00:00Z"`
	}
	due := time.Duration(o.at + min(x.bound, noTime-max(0, o.at)))
	deadline := strings.Trim(graphs.AddTime(zero, due, x.m.opts.Unit), `"`)
	least, _ := o.wait(0)
	if x.form.Lasts {
		text := fmt.Sprintf("what begins with %s is not over by %s", event, deadline)
		if least != noTime {
			text += fmt.Sprintf(", but after %s", time.Duration(least))
		}
		return text
	}
	text := fmt.Sprintf("nothing by %s answers %s", deadline, event)
	if least != noTime && least > 0 {
		text += fmt.Sprintf(", but %s after it something does", time.Duration(least))
	}
	return text
}

// obligations lists the open obligations, the oldest first.
func (x *deadline) obligations() (all []Obligation) {
	var open []*obligation
	for _, t := range x.open {
		open = append(open, t.unmet()...)
	}
	slices.SortStableFunc(open, (*obligation).compare)
	for _, o := range open[:min(len(open), maxListed)] {
		all = append(all, Obligation{Event: o.id, Events: o.events, Since: o.since})
	}
	if more := len(open) - len(all); more > 0 {
		all[len(all)-1].More = more
	}
	return all
}

// compare orders obligations as the stream has them.
func (o *obligation) compare(other *obligation) int {
	return cmp.Or(cmp.Compare(o.events, other.events), cmp.Compare(o.at, other.at), cmp.Compare(o.process, other.process))
}

// unmet returns the obligations that are open and not answered in time, in the order of the stream.
func (t *table) unmet() (all []*obligation) {
	for _, o := range t.due.List() {
		if o.due == o.obligation.due && o.at != noTime && t.judge(o.obligation) != rctl.Holds {
			all = append(all, o.obligation)
		}
	}
	if t.start != nil && t.judge(t.start) != rctl.Holds {
		all = append(all, t.start)
	}
	slices.SortFunc(all, (*obligation).compare)
	return all
}

// finish decides what is open at the end.
func (x *deadline) finish(context.Context) (Answer, error) {
	x.ended = true
	if x.names != nil {
		t := x.tables[0]
		t.finish()
		a := x.concluded()
		if t.verdict() == rctl.Unknown {
			a.Verdict, a.Reason = rctl.Unknown, dependsOnClocks
		}
		return a, nil
	}
	for p := range x.m.stream.Processes() {
		x.about(p) // one that nobody has heard of before
	}
	all := x.final()
	all.Verdict = x.decides.Not()
	for _, t := range x.tables {
		if !t.fits() {
			continue
		}
		t.finish()
		switch a := t.answer(); a.Verdict {
		case x.decides:
			return a, nil
		case rctl.Unknown:
			all = a
		}
	}
	return all, nil
}

// finish decides the obligations of a table that are open at the end.
func (t *table) finish() {
	t.begin()
	t.settle()
	if r := t.requests[noKey]; t.form.Lasts && r != nil && t.first != noTime {
		p := t.latest()
		r.changes = append(r.changes, flip{t.shownBy[p], true, source{process: p, nth: math.MaxInt64}})
	}
	for _, o := range t.unmet() {
		t.decide(o)
	}
}

// String lists the first.
func (l Late) String() string {
	text := strings.Join(l.First, ", ")
	if l.Count > len(l.First) {
		text += ", …"
	}
	return text
}

// maxLate bounds the late events that are named.
const maxLate = 10

// add counts an event, and names it while there are few.
func (l *Late) add(id string) {
	if l.Count++; l.Count <= maxLate {
		l.First = append(slices.Clip(l.First), id)
	}
}
