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

// This file decides AG(p -> AF[<= d] q), alone or for each request, by the times of events.
//
// The watermark is the least of the times that the open processes have shown last: if clocks do not run backwards,
// no open process will show an earlier time. An event that makes p true at time a has the deadline a+d. Once the
// watermark has passed the deadline, it is known whether q was true in time, and the obligation is forgotten.
//
// Example: with d = 5s, gateway receives "r1" at 10 and the deadline is 15. Then db shows 14, and gateway
// 16: the watermark is 14, and db may still answer. When db shows 15.1 without an answer, the formula fails.
//
// An event about p or q is late if a deadline after its time has already been decided: its process was not known
// before, or its clock ran backwards. It changes no answer, but is counted.
//
// If clocks agree within ε (Options.Skew), an event that shows the time t has a true time from t to t+ε. Then the
// deadline is a+d+ε, because anything later is late under all possible clocks. If q was in time for some possible
// clocks, but not for all of them, the verdict is unknown at the end.
//
// "p lasts <= d" is decided in the same way: q says that p is over, and only the process of p must have shown
// a later time. If p is true initially, it began with the first event of the execution; whether it was over in time is
// known once all processes have shown a time. If p is not over at the end, it lasted until the last event.

// A deadline decides a formula with a bound on one execution.
type deadline struct {
	reader
	following
	form    *syntax.Response
	decides rctl.Verdict // a table with this verdict decides the formula
	bound   int64        // nanoseconds
	domain  trigger
	sides   [2]track // p and q

	tables []*table // one; with forall i: or exists i: around the formula, one for each process
	open   []*table // tables that wait for a time, or for variables

	// What processes have shown of their clocks, shared by all tables.
	shownBy  []int64 // by process, the greatest time
	first    int64   // the least time of any event
	blocker  int     // the process that held deadlines back last; tried first
	silent   int     // all processes before this one have shown a time, or closed
	calendar bool    // whether times are RFC 3339 times rather than numbers
}

// A table holds the obligations of a formula or, below a quantifier over processes, those of one process.
type table struct {
	*deadline
	process  int  // the process the table is about, or p's process; -1 if there is none
	out      bool // whether the process is outside the range of the quantifier
	waiting  bool // whether the table is in deadline.open
	sides    [2]track
	requests map[graphs.Value]*request // by key; noKey if the formula has no names
	decided  hashes                    // keys of requests with a verdict
	due      dense.Heap[queued]
	// the open obligation of a p that is true initially; it is not in the queue
	start    *obligation
	frontier int64       // the greatest deadline decided so far
	failed   *obligation // the first obligation that was not met; nil if there is none
	depends  bool        // whether the outcome of some obligation depends on the clocks
}

// Late lists the events that came too late for a deadline that had been decided.
type Late struct {
	Count int      `json:"events"`
	First []string `json:"first"` // the ids of the first of them, at most maxLate
}

// dependsOnClocks is the reason of a verdict that differs between possible clocks.
const dependsOnClocks = "it depends on clocks"

const noTime = math.MaxInt64 // the time of an event that never comes

// noKey is the key of the one request of a formula without names.
var noKey = graphs.Str("")

// A track is one side, p or q: either events that make it true for good, or a predicate of a process.
type track struct {
	syntax.State
	trigger
	values map[string]graphs.Value // the variables of the predicate
	begun  bool                    // whether its process has executed an event
	holds  bool
}

// A request is a binding. A formula without bindings has one request.
type request struct {
	key  graphs.Value
	seen [2][]int32  // by side, the processes that have executed an event that makes it true
	only *obligation // the obligation of the first event, if events make p true for good

	// When q is true.
	begins  bool
	changes []flip
}

// A flip is an event that changes the truth of q.
type flip struct {
	at    int64
	truth bool
	source
}

// A source identifies an event.
type source struct {
	process int
	nth     int64
	id      string
}

// An obligation is an event that makes p true, with its time; the time is noTime if only q has been seen so far.
type obligation struct {
	*request
	source
	at     int64
	due    int64     // math.MinInt64 before and after it is queued
	events int64     // how many events had been admitted by then
	since  time.Time // when p was found to be true

	// If q is a predicate: how many events of its process happened before the event, and the position of the
	// first event that ended q after it, 0 if there is none yet.
	past  int64
	until int64

	answered bool // whether q was true when the event happened, under all possible clocks
}

// A queued entry waits for its due time. It counts only if this is still the due time of its obligation.
type queued struct {
	*obligation
	due int64
}

// Before implements [dense.Heap]: the earliest due time comes first.
func (q queued) Before(other queued) bool { return q.due < other.due }

// newDeadline returns the follower of a property of m with a bound on time.
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

// predicatesOf returns a formula with the predicates of a bound on time in place of the bound.
func predicatesOf(f *syntax.Formula) *syntax.Formula {
	if f.Op == syntax.OpAtom {
		return syntax.And(f.Expr.Conds...)
	}
	g := *f
	g.Sub = []*syntax.Formula{predicatesOf(f.Sub[0])}
	return &g
}

// newTable adds a table; process is -1 if it is the only one.
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

// about returns the table with the obligations of a process. It makes the tables up to it if there are none yet.
func (x *deadline) about(process int) *table {
	if x.form.Each == nil {
		return x.tables[0]
	}
	for p := len(x.tables); p <= process; p++ {
		x.newTable(p)
	}
	return x.tables[process]
}

// requestOf returns the request of a key, and creates it if there is none.
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

// assign copies the values that a line assigns to variables of the predicate.
func (v *track) assign(l *stream.Line) {
	for i := range l.Values {
		if _, ok := v.values[string(l.Values[i].Name)]; ok {
			v.values[string(l.Values[i].Name)] = l.Values[i].Value
		}
	}
}

// step processes the events that are admitted together.
func (x *deadline) step(events []stream.Admitted) {
	for i := range events {
		if x.failure = x.see(&events[i]); x.failure != nil {
			return
		}
	}
	x.advance()
}

func (x *deadline) opened() string { return "deadlines are open" }

// see processes an event.
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
	// q comes first: if one event changes both, its effect on q is in time for its effect on p.
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

// begins reports whether p is true initially and its process has executed no event yet.
func (t *table) begins() bool {
	p := &t.sides[0]
	return p.Vars != nil && p.holds && !p.begun
}

// begin makes an obligation of a p that is true initially. It counts from the first event of the execution, which
// settle finds.
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
		// Only the first event of each process counts.
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
			// An answer that happened before the event was in time.
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
		// If an obligation happened before the event that ends q, then q was true after the obligation.
		if v.Vars != nil && !v.holds {
			for _, y := range t.due.List() {
				if y.process >= 0 && y.until == 0 && y.events < t.m.stream.Admitted() && e.Counts(y.process) >= y.nth {
					y.until = at.nth
				}
			}
		}
		t.held++
		r.changes = append(r.changes, flip{now, v.Vars == nil || v.holds, at})
		// at powers of two, so amortized O(1) for each change
		if n := len(r.changes); n&(n-1) == 0 {
			t.prune(r)
		}
	}
	if p.Vars == nil && q.Vars == nil {
		// An answer without a question is kept as well: it is in time for a question that arrives later.
		t.push(t.obligation(r))
	}
}

// obligation returns an obligation of a request: a new one, or its only one if events make p true for good.
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

// note records when p was found to be true.
func (o *obligation) note(m *Monitor) {
	o.events = m.stream.Admitted()
	o.since = m.opts.Now()
}

// push queues an obligation under the time at which it can be decided.
func (t *table) push(o *obligation) {
	due := t.after(o.at)
	switch stable := t.sides[1].Vars == nil; {
	case o.at == noTime:
		due = o.changes[0].at
	// q was in time, and no event to come can change that.
	case stable && t.judge(o) == rctl.Holds:
		due = o.at
	}
	if o.due != due {
		o.due = due
		t.due.Push(queued{o, due})
	}
}

// skew returns the bound on the skew of clocks, in nanoseconds.
func (x *deadline) skew() int64 { return int64(x.m.opts.Skew) }

// after returns the time at which the deadline of an event has passed under all possible clocks.
func (x *deadline) after(at int64) int64 {
	if d := x.bound + x.skew(); d >= 0 && at < noTime-1-d {
		return at + d
	}
	return noTime - 1
}

// judge returns Holds if q came in time for an obligation under all possible clocks, Fails if under none, and Unknown
// otherwise, judging by the events so far.
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

// wait returns the least and the greatest time from an obligation until q is true, for clocks that agree within skew;
// noTime if q never is. See Stretches in package clocks.
func (o *obligation) wait(skew int64) (least, most int64) {
	least = noTime
	truth, begin := o.begins, int64(math.MinInt64)
	stretch := func(end int64, past, lasts bool) {
		switch {
		case past: // the stretch ended before the event
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
		// All changes come after the beginning.
		lasts := o.process < 0 && !c.truth || o.until > 0 && c.nth == o.until
		if stretch(c.at, c.nth <= o.past, lasts); lasts {
			return least, most // q was true after the event
		}
		truth, begin = c.truth, c.at
	}
	stretch(noTime, false, true)
	return least, most
}

// at returns the greatest time that a process has shown; math.MinInt64 if it has shown none.
func (x *deadline) at(process int) int64 {
	if process >= 0 && process < len(x.shownBy) {
		return x.shownBy[process]
	}
	return math.MinInt64
}

// passed reports whether all open processes that can answer have shown a time after due, and at least one process has.
func (t *table) passed(due int64) bool {
	s := t.m.stream
	if t.form.Lasts {
		if t.form.Rel == syntax.Less {
			due-- // p must be over before due
		}
		p := t.owner()
		if p < 0 || t.closed() {
			p = t.latest() // now p lasts until the end of the execution
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

// latest returns the process that has shown the greatest time.
func (x *deadline) latest() (latest int) {
	for p, at := range x.shownBy {
		if at > x.shownBy[latest] {
			latest = p
		}
	}
	return latest
}

// wait adds a table to the open ones if it may be decided without an event of its process: if an obligation is
// open, if its process may never have an event, or if its process lacks variables.
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
		// A formula without names has one answer, and one process may decide it.
		if x.names == nil && t.failed != nil && t.verdict() == x.decides && t.fits() {
			x.pending, x.done = []Answer{t.answer()}, true
			x.tables, x.open = nil, nil
			return
		}
		t.waiting = false
		t.wait()
	}
}

// owner returns the process a table is about, or p's process; -1 while there is none.
func (t *table) owner() int {
	if p, ok := t.m.stream.Process(t.sides[0].Process); ok {
		t.process = p
	}
	return t.process
}

// closed reports whether the owner has closed.
func (t *table) closed() bool { p := t.owner(); return p >= 0 && t.m.stream.Closed(p) }

// settle decides the obligations of a table with deadlines that have passed.
func (t *table) settle() {
	if t.begins() && t.closed() {
		t.begin() // its process has no event
	}
	if o := t.start; o != nil {
		o.at = t.first
		o.due = t.after(o.at)
		// Even if it was in time, an earlier first event may still come.
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

// early reports whether an event earlier than the first one may still come, because some open process has shown no
// time yet.
func (x *deadline) early() bool {
	for s := x.m.stream; x.silent < len(s.Processes()); x.silent++ {
		if x.at(x.silent) == math.MinInt64 && !s.Closed(x.silent) {
			return true
		}
	}
	return false
}

// decide decides an obligation and forgets it.
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

// prune forgets the changes of q that no obligation needs, be it open or still to come.
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
		return // most are still needed, and moving them costs more than another attempt later
	}
	r.begins = r.changes[n].truth
	r.changes = slices.Clone(r.changes[n+1:])
	t.held -= n + 1
}

// fits reports whether the quantifier ranges over the process of a table, which must have certain variables.
func (t *table) fits() bool {
	return t.form.Each == nil || !t.out && !slices.ContainsFunc(t.form.Each.Having, func(name syntax.Name) bool {
		return t.m.stream.Kind(t.process, name.Text) == graphs.NoKind
	})
}

// verdict returns the verdict that follows from the obligations of a table so far.
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

// answer returns the answer of a table, for a formula without names.
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

// shown returns the binding of a decisive obligation.
func (x *deadline) shown(o *obligation) decisive {
	d := decisive{order: x.sum.Decisive, bound: boundTo(x.names, o.key), reason: x.reason(o)}
	if o.id != "" {
		d.steps = []string{o.id}
	}
	return d
}

// reason returns a text with an obligation and its deadline.
func (x *deadline) reason(o *obligation) string {
	event := cmp.Or(o.id, "the beginning")
	// The deadline has the format of the events' times.
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

// compare orders obligations as they occur in the stream.
func (o *obligation) compare(other *obligation) int {
	return cmp.Or(cmp.Compare(o.events, other.events), cmp.Compare(o.at, other.at), cmp.Compare(o.process, other.process))
}

// unmet returns the open obligations that have not been answered in time, in the order of the stream.
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

// finish decides the obligations that are open at the end.
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
		x.about(p) // for processes without any line of their own
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

// String lists the first late events.
func (l Late) String() string {
	text := strings.Join(l.First, ", ")
	if l.Count > len(l.First) {
		text += ", …"
	}
	return text
}

// maxLate bounds how many late events are named.
const maxLate = 10

// add counts a late event, and names it if it is one of the first.
func (l *Late) add(id string) {
	if l.Count++; l.Count <= maxLate {
		l.First = append(slices.Clip(l.First), id)
	}
}
