package online

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/engine"
	known "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// This file decides a formula about data binding by binding, while its events arrive.
//
// Example: in
//
//	forall r in values(req): AG(once(op == "done" && req == r) -> once(op == "recv" && req == r))
//
// each condition names r. An event with op = "done" and req = "r7" touches only the binding of "r7": it
// fills hole 0 there. If no event of "r7" has filled hole 1 before it, the body fails for good. Then the
// binding gives an answer, and only the hash of "r7" is kept. Later events of "r7" change nothing.

// A reader holds the current event, on which conditions are evaluated.
type reader struct {
	line     *stream.Line
	position int64
}

// source returns the source through which conditions read the current event.
func (r *reader) source() known.Source {
	return known.Source{
		Field: func(_ graphs.Event, field string) (graphs.Value, bool) { return r.field(field) },
		Own: func(_ graphs.Event, what string) string {
			switch what {
			case "process":
				return string(r.line.Process)
			case "label":
				return string(r.line.Label)
			case "time":
				return strings.Trim(string(r.line.Time), `"`)
			}
			return idOf(r.line, r.position)
		},
	}
}

// field returns the value that the event assigns to a field.
func (r *reader) field(name string) (graphs.Value, bool) {
	for i := range r.line.Values {
		if string(r.line.Values[i].Name) == name {
			return r.line.Values[i].Value, true
		}
	}
	return graphs.Value{}, false
}

// A trigger defines which events touch a binding, and by which fields the binding is found.
type trigger struct {
	fields []string
	test   func(graphs.Event) bool // nil for any event
}

// trigger returns the trigger for events that assign some fields and satisfy a closed condition; nil stands for true.
func (r *reader) trigger(fields []string, cond *syntax.Formula) trigger {
	// A condition that is always true is not evaluated; most domains have only this one.
	if cond == nil || cond.Op == syntax.OpTrue {
		return trigger{fields, nil}
	}
	return trigger{fields, r.source().Test(cond)}
}

// texts returns names without their positions.
func texts(names []syntax.Name) (list []string) {
	for _, name := range names {
		list = append(list, name.Text)
	}
	return list
}

// A touching is a formula of the form forall r in values(f): body, or with exists, in which each
// condition of the body names the value: an event touches the binding of the value that it assigns. In
// forall e in events(c): body, each condition names a value that e assigns, and events with equal values share a
// binding.
type touching struct {
	histories
	reader
	ofEvents bool // whether bindings are events rather than values
	domain   trigger
	holes    []trigger
	stable   uint64 // the holes that only once(…) uses: only the first event of each process counts
}

// newTouching returns f as a touching; nil if f is not of this form.
func newTouching(f *syntax.Formula) *touching {
	t := syntax.NewTemplate(f)
	if t == nil || t.Holes() >= 64 {
		return nil
	}
	domain, keys, ok := t.Keyed()
	if !ok {
		return nil
	}
	x := &touching{
		histories: histories{template: t, body: t.Filled(nil, ^uint64(0)), decided: make(map[string]*decision)},
		ofEvents:  t.Quants[0].Sort() == syntax.OfEvent,
		stable:    ^uint64(0),
	}
	x.domain = x.trigger(domain.Fields, domain.Rest)
	for _, h := range keys {
		x.holes = append(x.holes, x.trigger(h.Fields, h.Rest))
	}
	// Expressions that count events, or use the latest one, need all of them.
	syntax.WalkExprs(x.body, func(e *syntax.Expr) {
		if e.Op != syntax.ExprEvents && e.Op != syntax.ExprBetween {
			return
		}
		for _, cond := range e.Conds {
			for n := range x.holes {
				if cond.Expr.Text == syntax.HoleName(n) {
					x.stable &^= 1 << n
				}
			}
		}
	})
	return x
}

// keyOf returns the values that the current event gives to the names. It returns ok = false if the event touches no
// binding.
func (x *reader) keyOf(t *trigger) (key graphs.Value, ok bool) {
	if len(t.fields) == 1 {
		key, ok = x.field(t.fields[0])
		return known.Canonical(key), ok && t.holds()
	}
	var all strings.Builder
	for i, field := range t.fields {
		value, ok := x.field(field)
		if !ok {
			return key, false
		}
		if i > 0 {
			all.WriteString(separator)
		}
		all.WriteString(known.Canonical(value).String())
	}
	return graphs.Str(all.String()), t.holds()
}

// holds reports whether the current event satisfies the condition.
func (t *trigger) holds() bool { return t.test == nil || t.test(0) }

// separator separates the values of a tuple. No value contains it, because strings are quoted.
const separator = "\x00"

// A binding is an open binding.
type binding struct {
	key       graphs.Value // the value of the name, or the text of the values of several names
	seen      []visible
	processes int32 // how many processes the events in seen belong to
	// its number in the order of binding; 0 while no event of the domain has come
	opened int
	due    int      // how many events it must have seen before it is decided again
	events []member // the events of the domain, if the bindings are events
}

// A member is an event of the domain.
type member struct {
	order int // its number in the order of binding
	id    string
}

// visible is an event that a binding sees. It has two numbers for its process: one in the execution,
// and one in the history, in which the process of the first event is 0.
type visible struct {
	process int32
	local   int32
	nth     int32 // its number among the binding's events of the process, from 1
	// the index of the process among those that the body names; -1 if it is not among them
	named  int32
	holes  uint64
	at     int64   // its position on the process in the execution
	events int64   // how many events had been admitted by then
	id     string  // "" for the default id
	knows  []int32 // how many events of each process of the history happened before or at it
}

// A history of up to maxShort events is decided at each event. A longer one is decided when it has grown by a fraction
// of 1/grown; then a bisection finds the first event that made the verdict final.
const (
	maxShort = 48
	grown    = 4
)

// A touch decides a touching formula on one execution.
type touch struct {
	*touching
	following
	open map[graphs.Value]*binding

	touches []*binding // the bindings that the current step touches
	decides hashes     // keys of events that decide the formula
}

// newTouch returns the follower of a property of m that has the form of touching.
func newTouch(m *Monitor, property int, form *touching) *touch {
	x := &touch{touching: form, open: make(map[graphs.Value]*binding), decides: newHashes()}
	x.following = m.newFollowing(property, form.template.Op, form.template.Of())
	x.names = texts(form.template.Quants[0].Names)
	return x
}

// hashes is a set of values, stored as 64-bit hashes. Among n values, some two collide with a probability of about
// n²/2⁶⁵: three in a million for ten million values.
type hashes struct {
	seed maphash.Seed
	set  map[uint64]struct{}
}

func newHashes() hashes { return hashes{maphash.MakeSeed(), make(map[uint64]struct{})} }

// maxHashes bounds how many finished bindings are remembered: about 200 MiB of hashes.
const maxHashes = 14 << 20

// has reports whether a value is in the set, up to collisions.
func (h *hashes) has(v graphs.Value) bool {
	_, ok := h.set[maphash.Comparable(h.seed, v)]
	return ok
}

// add adds a value.
func (h *hashes) add(v graphs.Value) { h.set[maphash.Comparable(h.seed, v)] = struct{}{} }

// step processes the events that are admitted together.
func (x *touch) step(events []stream.Admitted) {
	x.touches = x.touches[:0]
	for i := range events {
		// The conditions read the current event from x.
		e := &events[i]
		_, x.position = e.At()
		x.line = e.Line
		key, ok := x.keyOf(&x.domain)
		if x.ofEvents && x.domain.holds() {
			x.bindEvent(key, ok)
		} else if ok && !x.ofEvents && !x.over.has(key) {
			if b := x.touch(key); b.opened == 0 {
				x.sum.Total++
				b.opened = x.sum.Total
			}
		}
		for n := range x.holes {
			if key, ok := x.keyOf(&x.holes[n]); ok && !x.over.has(key) {
				x.see(x.touch(key), e, 1<<n)
			}
		}
	}
	// All events of the step are added before any binding is decided, because they know each other.
	for _, b := range x.touches {
		x.follow(b, events)
	}
	defer caught(&x.failure)
	for _, b := range x.touches {
		if x.open[b.key] == b && x.failure == nil {
			x.decide(b)
		}
	}
}

func (x *touch) opened() string { return graphs.Plural(len(x.open), "binding") + " are open" }

// bindEvent makes the current event a binding. If it does not assign the fields of the key, no event touches the
// binding.
func (x *touch) bindEvent(key graphs.Value, ok bool) {
	x.sum.Total++
	e := member{x.sum.Total, idOf(x.line, x.position)}
	if !ok {
		key = graphs.Value{}
	}
	if x.over.has(key) {
		if x.decides.has(key) {
			v := engine.VerdictOf(x.template.Op == syntax.OpExists)
			x.note(v, x.m.stream.Admitted(), func() decisive { return x.shownEvent(e, []string{e.id}) })
		}
		return
	}
	b := x.touch(key)
	b.opened = cmp.Or(b.opened, e.order)
	b.events = append(b.events, e)
	x.held++
}

// touch returns the binding of a key, and creates it if there is none.
func (x *touch) touch(key graphs.Value) *binding {
	b := x.open[key]
	if b == nil {
		b = &binding{key: key}
		x.open[key] = b
		x.held++
	}
	x.touches = append(x.touches, b)
	return b
}

// see makes an event visible to a binding through a hole, unless the event cannot matter because the hole is already
// true for good.
func (x *touch) see(b *binding, e *stream.Admitted, hole uint64) {
	process, at := e.At()
	local, nth := int32(-1), int32(0)
	for i, other := range slices.Backward(b.seen) {
		if other.process != int32(process) {
			continue
		}
		if local < 0 {
			local, nth = other.local, other.nth
		}
		if other.at == at {
			b.seen[i].holes |= hole
			return
		}
		if hole&x.stable&other.holes != 0 {
			return // once(…) is already true there
		}
		if len(b.seen) > maxShort {
			// adding the event once more changes no verdict, and a longer search would be slow
			break
		}
	}
	if local < 0 {
		local = b.processes
		b.processes++
	}
	b.seen = append(b.seen, visible{
		process: int32(process),
		local:   local,
		nth:     nth + 1,
		named:   int32(slices.Index(x.template.Named, x.m.stream.Processes()[process])),
		holes:   hole,
		at:      at,
		events:  x.m.stream.Admitted(),
		id:      string(x.line.ID),
	})
	x.held++
}

// follow finds which events of a binding are known to those of the current step.
func (x *touch) follow(b *binding, events []stream.Admitted) {
	for n := len(b.seen) - 1; n >= 0 && b.seen[n].knows == nil; n-- {
		s := &b.seen[n]
		i := slices.IndexFunc(events, func(e stream.Admitted) bool {
			process, at := e.At()
			return int32(process) == s.process && at == s.at
		})
		// The latest known event of a process stands for all before it.
		s.knows = make([]int32, b.processes)
		left := b.processes
		for _, other := range slices.Backward(b.seen) {
			if s.knows[other.local] == 0 && events[i].Counts(int(other.process)) >= other.at {
				s.knows[other.local] = other.nth
				left--
			}
			if left == 0 {
				break
			}
		}
	}
}

// decide decides a binding that a step has touched.
func (x *touch) decide(b *binding) {
	n := len(b.seen)
	if b.opened == 0 || n < b.due {
		return
	}
	v := x.settle(b.seen)
	if v == rctl.Unknown {
		b.due = 0
		if n >= maxShort {
			b.due = n + n/grown
		}
		return
	}
	at, events := b.seen, x.m.stream.Admitted()
	if n > maxShort {
		at = x.first(b.seen)
		events = at[len(at)-1].events
	}
	x.noteAll(b, v, events, at)
	// Only the hash of its key is kept.
	delete(x.open, b.key)
	x.held -= 1 + len(b.seen) + len(b.events)
	x.over.add(b.key)
	if x.ofEvents && x.sum.Decides(v) {
		x.decides.add(b.key)
	}
}

// noteAll notes the verdict on a value or, if bindings are events, on each event that assigns it.
func (x *touch) noteAll(b *binding, v rctl.Verdict, events int64, at []visible) {
	if !x.ofEvents {
		x.note(v, events, func() decisive { return x.shown(b, at) })
	}
	for _, e := range b.events {
		x.note(v, events, func() decisive { return x.shownEvent(e, x.shown(b, at).steps) })
	}
}

// shownEvent returns a decisive event with the events that show the verdict.
func (x *touch) shownEvent(e member, steps []string) decisive {
	bound := []syntax.Bound{{Name: x.names[0], Text: e.id, IsEvent: true}}
	return decisive{order: e.order, bound: bound, steps: steps}
}

// first returns the shortest prefix of a history with a final verdict. It uses bisection, because a final
// verdict stays final.
func (x *touch) first(seen []visible) []visible {
	until := func(n int) []visible {
		// A prefix has all events of a step or none.
		for n+1 < len(seen) && seen[n].events == seen[n+1].events {
			n++
		}
		return seen[:n+1]
	}
	n := sort.Search(len(seen), func(n int) bool { return x.settle(until(n)) != rctl.Unknown })
	return until(n)
}

// shown returns a decisive binding with the events of a run that shows the verdict after a history. It leaves the
// events out if no such run is found.
func (x *touch) shown(b *binding, at []visible) (d decisive) {
	d = decisive{order: b.opened, bound: boundTo(x.names, b.key)}
	defer caught(&x.failure)
	for _, i := range x.run(at, x.others(b)) {
		s := &b.seen[i]
		d.steps = append(d.steps, cmp.Or(s.id, fmt.Sprintf("%s:%d", x.m.stream.Processes()[s.process], s.at)))
	}
	return d
}

// boundTo returns the values that a key binds the names to.
func boundTo(names []string, key graphs.Value) []syntax.Bound {
	texts := []string{key.String()}
	if len(names) > 1 {
		texts = strings.Split(key.Text(), separator)
	}
	bound := make([]syntax.Bound, len(names))
	for i, name := range names {
		bound[i] = syntax.Bound{Name: name, Text: texts[i]}
	}
	return bound
}

// others returns how many processes there are in addition to those in a binding's computation, up to the number that
// its body can distinguish.
func (x *touch) others(b *binding) int {
	// Processes that the body names are already in the computation.
	n := len(x.m.stream.Processes()) - int(b.processes)
	for _, name := range x.template.Named {
		p, ok := x.m.stream.Process(name)
		if ok && !slices.ContainsFunc(b.seen, func(s visible) bool { return int(s.process) == p }) {
			n--
		}
	}
	return min(max(n, 0), x.template.Names)
}

// finish decides the bindings that are open at the end.
func (x *touch) finish(ctx context.Context) (_ Answer, err error) {
	defer caught(&err)
	x.ended = true
	// Bindings that were touched but are not in the domain do not count.
	open := slices.Collect(maps.Values(x.open))
	open = slices.DeleteFunc(open, func(b *binding) bool { return b.opened == 0 })
	slices.SortFunc(open, func(a, b *binding) int { return a.opened - b.opened })
	for _, b := range open {
		r := x.last(ctx, b.seen, x.others(b))
		if r.Verdict == rctl.Unknown {
			x.sum.Unknown += max(1, len(b.events))
			x.sum.Reason = r.Reason
		}
		x.noteAll(b, r.Verdict, 0, b.seen)
	}
	return x.concluded(), x.failure
}

// misfit returns why a formula does not fit the fields of the execution, as it would for a recorded trace; nil
// if it fits.
func (m *Monitor) misfit(ctx context.Context, f *syntax.Formula) error {
	// Only the types of variables matter, so a computation with one event of each process will do.
	var b graphs.Builder
	for _, name := range m.stream.Processes() {
		b.SetTime(b.Event(b.NewProcess(name)), "0")
	}
	for owner, name := range m.stream.Variables {
		b.Set(b.Variable(owner, name), graphs.Handle(max(owner, 0)), graphs.Zero(m.stream.Kind(owner, name)))
	}
	c, err := b.Build()
	if err != nil {
		return err
	}
	_, err = syntax.Resolve(ctx, f, known.Of(c))
	return err
}
