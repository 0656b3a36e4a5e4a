package online

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
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
// time. At the end a p that is not over has lasted until the last event of all.

// A deadline decides a formula with a bound on one execution.
type deadline struct {
	reader
	following
	formula *syntax.Formula
	form    *syntax.Response
	bound   int64 // nanoseconds
	domain  trigger
	sides   [2]track // p and q

	open    map[graphs.Value]*request // by key; the zero value where the formula has no names
	counted hashes                    // keys in the domain
	due     queue

	*watermark
	start    *obligation // of a p that is true at first; nil for none
	frontier int64       // the greatest deadline that was decided

	failed  []*obligation // the first
	depends int           // obligations that clocks leave open
}

// A watermark has what processes have shown of their clocks.
type watermark struct {
	shown    []int64 // by process, the greatest time
	first    int64   // the least time of any event
	blocker  int     // a process that has held deadlines back
	calendar bool    // times are those of a calendar, and no numbers
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
	at       int64
	due      int64
	events   int64 // admitted by then
	since    time.Time
	past     int64 // where q is a predicate: events of its process that had happened
	answered bool  // q was true when the event happened, whatever clocks say
	done     bool
}

// A queue has obligations with the earliest due time first. One that is there twice counts by its due time.
type queue []queued

type queued struct {
	*obligation
	due int64
}

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due < q[j].due }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(queued)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// newDeadline returns what decides a property of m, alone or beside others that see the same times.
func newDeadline(m *Monitor, property int, form *syntax.Response, times *watermark) *deadline {
	x := &deadline{
		watermark: times,
		following: following{
			m:        m,
			property: property,
			over:     newHashes(),
			sum:      bindings.Result{Op: syntax.OpForall, Of: form.Of},
		},
		formula:  m.says.formulas[property],
		form:     form,
		open:     make(map[graphs.Value]*request),
		counted:  newHashes(),
		frontier: math.MinInt64,
	}
	nanoseconds := new(big.Rat).Mul(form.Bound.Seconds(), big.NewRat(int64(time.Second), 1))
	x.bound = nanoseconds.Num().Int64()
	trigger := func(k syntax.Keys) trigger { return trigger{k.Fields, x.source().Test(k.Rest)} }
	if form.Names != nil {
		x.domain = trigger(form.Domain)
	}
	for i := range x.sides {
		v := &x.sides[i]
		v.State = form.Sides[i]
		if v.trigger = trigger(v.Keys); v.Vars == nil {
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
	if x.sides[1].holds {
		x.requestOf(noKey).begins = true
	}
	return x
}

// requestOf returns the request of a key, which is then open.
func (x *deadline) requestOf(key graphs.Value) *request {
	r := x.open[key]
	if r == nil {
		r = &request{key: key}
		x.open[key] = r
		x.held++
	}
	return r
}

// declare notes the initial values of a process.
func (x *deadline) declare(l *stream.Line) {
	for i := range x.sides {
		v := &x.sides[i]
		if v.Vars == nil || v.Process != string(l.Process) || v.begun {
			continue
		}
		v.assign(l)
		if v.holds = v.test(0); i == 1 {
			x.requestOf(noKey).begins = v.holds
		}
	}
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
		if x.failure == nil {
			x.failure = x.see(&events[i])
		}
	}
	x.advance()
	if x.failure == nil {
		x.failure = x.limit(func() string { return "deadlines" }, max(len(x.counted.set), len(x.over.set)))
	}
	if x.failure != nil {
		x.open, x.due = nil, nil
		x.giveUp(x.verdict(rctl.Unknown))
	}
}

// see looks at an event.
func (x *deadline) see(e *stream.Admitted) error {
	at := source{}
	at.process, at.nth = e.At()
	at.id = idOf(e)
	x.line, x.position = e.Line, at.nth
	now, timed := graphs.ParseTime(string(e.Line.Time), x.m.opts.Unit)
	if timed {
		x.show(at.process, now, bytes.IndexByte(e.Line.Time, '"') >= 0)
	}
	if key, ok := x.keyOf(&x.domain); ok && x.form.Names != nil && !x.counted.has(key) {
		x.counted.add(key)
		x.sum.Total++
	}
	for i := range x.sides {
		v := &x.sides[i]
		key := noKey
		if v.Process != "" && v.Process != string(e.Line.Process) {
			continue
		}
		if v.Vars == nil {
			var ok bool
			if key, ok = x.keyOf(&v.trigger); !ok {
				continue
			}
		} else {
			if was := x.turn(i); v.holds == was {
				continue
			}
		}
		if !timed {
			return noTimeOf(at.id)
		}
		over := x.over.has(key)
		if now <= x.frontier && (over || x.form.Names == nil) {
			x.late.add(at.id)
		}
		if over {
			continue
		}
		x.event(i, x.requestOf(key), e, at, now)
	}
	return nil
}

// turn has a side see what the event assigns, and returns whether it was true before.
func (x *deadline) turn(i int) (was bool) {
	v := &x.sides[i]
	if i == 0 {
		x.begin()
	}
	v.begun = true
	was = v.holds
	v.assign(x.line)
	v.holds = v.test(0)
	return was
}

// begins reports whether p is true at first, and its process has executed no event.
func (x *deadline) begins() bool {
	p := &x.sides[0]
	return p.Vars != nil && p.holds && !p.begun
}

// begin notes that p is true at first, if it is: it counts from the first event of all.
func (x *deadline) begin() {
	if x.begins() && x.first != noTime {
		x.sides[0].begun = true
		x.start = x.oblige(x.requestOf(noKey), source{process: -1}, x.first)
	}
}

// show notes the time of an event.
func (x *watermark) show(process int, now int64, calendar bool) {
	for len(x.shown) <= process {
		x.shown = append(x.shown, math.MinInt64)
	}
	x.shown[process] = max(x.shown[process], now)
	x.first = min(x.first, now)
	x.calendar = calendar
}

// event notes an event that makes a side true, or a predicate false.
func (x *deadline) event(i int, r *request, e *stream.Admitted, at source, now int64) {
	v := &x.sides[i]
	if v.Vars == nil {
		// Of each process the first event counts.
		if slices.Contains(r.seen[i], int32(at.process)) {
			return
		}
		r.seen[i] = append(r.seen[i], int32(at.process))
	}
	switch {
	case i == 0 && v.holds || i == 0 && v.Vars == nil:
		o := x.oblige(r, at, now)
		if q, ok := x.m.stream.Process(x.sides[1].Process); ok && x.sides[1].Vars != nil {
			o.past = e.Counts(q)
		}
		for _, c := range r.changes {
			// What happened before was in time.
			if o.source == at && c.truth && x.sides[1].Vars == nil && e.Counts(c.process) >= c.nth {
				o.answered = true
			}
		}
	case i == 0:
	case v.Vars == nil && len(r.changes) > 0:
		if now < r.changes[0].at {
			r.changes[0] = flip{now, true, at}
		}
	default:
		// An event that happened before q ended at the same time was answered.
		if v.Vars != nil && !v.holds {
			for _, y := range x.due {
				if y.at == now && y.events < x.m.stream.Admitted() && y.process >= 0 && e.Counts(y.process) >= y.nth {
					y.answered = true
				}
			}
		}
		x.held++
		r.changes = append(r.changes, flip{now, v.Vars == nil || v.holds, at})
	}
	x.schedule(r)
}

// oblige notes that p is true from an event on.
func (x *deadline) oblige(r *request, at source, now int64) *obligation {
	o := r.only
	if o == nil {
		o = &obligation{request: r, at: noTime, due: math.MinInt64}
		x.held++
	}
	if x.sides[0].Vars == nil {
		r.only = o
	}
	if now < o.at {
		o.source, o.at = at, now
		o.answered = false
		o.events = x.m.stream.Admitted()
		o.since = x.m.opts.Now()
	}
	if r.only == nil {
		x.push(o)
	}
	return o
}

// schedule finds when a request is decided that has one obligation at most.
func (x *deadline) schedule(r *request) {
	if x.sides[0].Vars != nil {
		return
	}
	if r.only == nil {
		// An answer without a question: one that comes later has it in time.
		if len(r.changes) == 0 || x.sides[1].Vars != nil {
			return
		}
		r.only = &obligation{request: r, at: noTime, due: math.MinInt64}
		x.held++
	}
	x.push(r.only)
}

// push queues an obligation by the time at which it can be decided.
func (x *deadline) push(o *obligation) {
	due := x.after(o.at)
	switch stable := x.sides[1].Vars == nil; {
	case o.at == noTime:
		due = o.changes[0].at
	// No event to come can change that it was in time.
	case stable && x.judge(o) == rctl.Holds:
		due = o.at
	}
	if o.due != due {
		o.due = due
		heap.Push(&x.due, queued{o, due})
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
		most = 0
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
	switch {
	case o.process >= 0:
	case o.begins:
		return 0, 0
	case len(o.changes) > 0:
		d := o.changes[0].at - o.at
		return max(0, d-skew), max(0, d+skew)
	}
	least = noTime
	truth, begin := o.begins, int64(math.MinInt64)
	stretch := func(end int64, past bool) {
		switch {
		case past: // it ended before
		case truth && least == noTime && (end == noTime || end >= o.at-skew):
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
		stretch(c.at, c.nth <= o.past)
		truth, begin = c.truth, c.at
	}
	stretch(noTime, false)
	return least, most
}

// passed reports whether all processes that may go on, and can answer, have shown a later time, and some process has.
func (x *deadline) passed(due int64) bool {
	shown := func(p int) int64 {
		if p < len(x.shown) {
			return x.shown[p]
		}
		return math.MinInt64
	}
	s := x.m.stream
	holds := func(p int) bool { return shown(p) <= due && !s.Closed(p) }
	if x.form.Lasts && x.form.Rel == syntax.Less {
		due-- // it is over before
	}
	if p, ok := s.Process(x.sides[0].Process); ok && x.form.Lasts && !s.Closed(p) {
		return shown(p) > due
	}
	n := len(s.Processes())
	if x.form.Lasts { // p is not over before the end
		return n > 0 && shown(x.latest()) > due
	}
	if x.blocker < n && holds(x.blocker) {
		return false
	}
	some := s.Fixed()
	for p := range n {
		if holds(p) {
			x.blocker = p
			return false
		}
		some = some || shown(p) > due
	}
	return some
}

// latest returns a process that has shown the greatest time.
func (x *watermark) latest() (latest int) {
	for p, at := range x.shown {
		if at > x.shown[latest] {
			latest = p
		}
	}
	return latest
}

// advance decides the obligations with deadlines that have passed.
func (x *deadline) advance() {
	if p, ok := x.m.stream.Process(x.sides[0].Process); ok && x.m.stream.Closed(p) {
		x.begin() // it has no event
	}
	if o := x.start; o != nil && !o.done && x.first < o.at {
		o.at = x.first
		x.push(o)
	}
	for x.failure == nil && len(x.due) > 0 {
		next := x.due[0]
		if next.done || next.due != next.obligation.due {
			heap.Pop(&x.due)
			continue
		}
		if !x.passed(next.due) {
			break
		}
		heap.Pop(&x.due)
		x.frontier = max(x.frontier, next.due)
		x.decide(next.obligation)
	}
	x.answer()
}

// decide decides an obligation, and forgets it.
func (x *deadline) decide(o *obligation) {
	o.done = true
	x.held--
	if o.at != noTime {
		switch x.judge(o) {
		case rctl.Fails:
			x.sum.Decisive++
			if len(x.failed) < x.m.opts.Bindings {
				x.failed = append(x.failed, o)
			}
		case rctl.Unknown:
			x.depends++
		}
	}
	if x.sides[0].Vars == nil {
		delete(x.open, o.key)
		x.held -= 1 + len(o.changes)
		x.over.add(o.key)
		return
	}
	x.prune(o.request)
}

// prune forgets what q was before all obligations that are open or to come.
func (x *deadline) prune(r *request) {
	if len(r.changes) < 16 {
		return
	}
	from := int64(noTime)
	for p := range x.m.stream.Processes() {
		if p < len(x.shown) && !x.m.stream.Closed(p) {
			from = min(from, x.shown[p])
		}
	}
	for _, o := range x.due {
		from = min(from, o.at)
	}
	n := 0
	for n+1 < len(r.changes) && r.changes[n+1].at < from-x.skew() {
		n++
	}
	if n < len(r.changes)/2 {
		return // most are needed: the next look is cheaper than to move them
	}
	r.begins = r.changes[n].truth
	r.changes = slices.Clone(r.changes[n+1:])
	x.held -= n + 1
}

// answer adds answers about the obligations that were not met.
func (x *deadline) answer() {
	for _, o := range x.failed[x.answered:] {
		x.answered++
		a := x.verdict(rctl.Fails, o)
		if a.Bindings != nil {
			a.Bound = named(x.form.Names, a.Bindings)
		}
		x.pending = append(x.pending, a)
	}
}

// verdict returns the verdict that follows from all obligations so far, and names some of those that were not met.
func (x *deadline) verdict(v rctl.Verdict, failed ...*obligation) Answer {
	if x.form.Negated {
		v = v.Not()
	}
	a := x.final()
	a.Verdict = v
	a.Late = x.late
	if len(failed) > 0 {
		a.Reason = x.reason(failed[0])
		if id := failed[0].id; id != "" {
			a.Steps = []string{id}
		}
	}
	if x.form.Names != nil {
		sum := x.sum
		sum.Verdict = v
		for _, o := range failed {
			sum.First = append(sum.First, bindings.Binding{Bound: boundTo(x.form.Names, o.key)})
		}
		a.Bindings = &sum
	}
	return a
}

// reason names an obligation and its deadline.
func (x *deadline) reason(o *obligation) string {
	event := cmp.Or(o.id, "the beginning")
	deadline := x.time(o.at + min(x.bound, noTime-max(0, o.at)))
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

// time writes a time as events show it.
func (x *deadline) time(at int64) string {
	if x.calendar {
		return time.Unix(0, at).UTC().Format(time.RFC3339Nano)
	}
	number := new(big.Rat).SetFrac64(at, int64(x.m.opts.Unit))
	digits, _ := number.FloatPrec()
	return number.FloatString(digits)
}

// obligations lists the open obligations, the oldest first.
func (x *deadline) obligations() []Obligation { return listed(x.unmet()) }

// listed lists some of the open obligations, which are in the order of the stream.
func listed(open []*obligation) (all []Obligation) {
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
func (x *deadline) unmet() (all []*obligation) {
	for _, o := range x.due {
		if !o.done && o.due == o.obligation.due && o.at != noTime && x.judge(o.obligation) != rctl.Holds {
			all = append(all, o.obligation)
		}
	}
	slices.SortFunc(all, (*obligation).compare)
	return all
}

// finish decides the obligations that are open at the end.
func (x *deadline) finish(ctx context.Context) (Answer, error) {
	for i, cond := range bodyOf(x.formula).Expr.Conds {
		if x.sides[i].Vars == nil {
			continue
		}
		if err := x.m.misfit(ctx, cond); err != nil {
			a := x.verdict(rctl.Unknown)
			a.Reason, a.Misfit = reasonOf(err), err
			return a, nil
		}
	}
	return x.last(), nil
}

// last is finish for a formula that fits.
func (x *deadline) last() Answer {
	x.begin()
	if r := x.open[noKey]; x.form.Lasts && r != nil && x.first != noTime {
		p := x.latest()
		r.changes = append(r.changes, flip{x.shown[p], true, source{process: p, nth: math.MaxInt64}})
	}
	for _, o := range x.unmet() {
		x.decide(o)
	}
	var a Answer
	switch {
	case x.sum.Decisive > 0:
		a = x.verdict(rctl.Fails, x.failed...)
	case x.depends > 0:
		a = x.verdict(rctl.Unknown)
		a.Reason = dependsOnClocks
	default:
		a = x.verdict(rctl.Holds)
	}
	if a.Bindings != nil {
		a.Bound = boundOf(a.Bindings)
	}
	return a
}

// bodyOf returns the part of a response without the quantifier, or the negation.
func bodyOf(f *syntax.Formula) *syntax.Formula {
	if f.Op != syntax.OpAtom {
		return f.Sub[0]
	}
	return f
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
