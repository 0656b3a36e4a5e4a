package online

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"sort"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	known "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A reader decides conditions about the event that is being looked at.
type reader struct {
	line     *stream.Line
	position int64
}

// source returns the event for conditions.
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
			return cmp.Or(string(r.line.ID), fmt.Sprintf("%s:%d", r.line.Process, r.position))
		},
	}
}

// field returns what the event assigns.
func (r *reader) field(name string) (graphs.Value, bool) {
	for i := range r.line.Values {
		if string(r.line.Values[i].Name) == name {
			return r.line.Values[i].Value, true
		}
	}
	return graphs.Value{}, false
}

// A trigger says what an event must be to touch a binding, and which.
type trigger struct {
	fields []string
	test   func(graphs.Event) bool // nil for any event
}

// A touching is a formula of the form forall r in values(f): body, or with exists, where each
// condition of the body names the value: an event touches the binding of the value that it assigns.
type touching struct {
	histories
	reader
	formula *syntax.Formula
	names   []string
	domain  trigger
	holes   []trigger
	stable  uint64 // the holes of once alone: of each process the first event counts
}

// newTouching returns the form of a formula, nil where it has another.
func newTouching(f *syntax.Formula) *touching {
	t := syntax.NewTemplate(f)
	if t == nil || t.Holes() >= 64 {
		return nil
	}
	names, keys, ok := t.Keyed()
	where := t.Quants[0].Data.Where
	if !ok || where != nil && !syntax.Closed(where) {
		return nil
	}
	x := &touching{
		histories: histories{template: t, body: t.Filled(nil, ^uint64(0)), root: new(past)},
		formula:   f,
		names:     names,
		stable:    ^uint64(0),
	}
	trigger := func(fields []string, cond *syntax.Formula) (t trigger) {
		if t.fields = fields; cond != nil && cond.Op != syntax.OpTrue {
			t.test = x.source().Test(cond)
		}
		return t
	}
	var fields []string
	for _, field := range t.Quants[0].Data.Fields {
		fields = append(fields, field.Text)
	}
	x.domain = trigger(fields, where)
	for _, h := range keys {
		x.holes = append(x.holes, trigger(h.Fields, h.Rest))
	}
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

// key returns the values that the event gives the names. It is not ok where it does not touch.
func (x *touching) key(t *trigger) (key graphs.Value, ok bool) {
	if len(t.fields) == 1 {
		key, ok = x.field(t.fields[0])
		return known.Canonical(key), ok && (t.test == nil || t.test(0))
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
	return graphs.Str(all.String()), t.test == nil || t.test(0)
}

// separator stands between the values of a tuple. None has it, as strings are quoted.
const separator = "\x00"

// A binding is one that is open.
type binding struct {
	*past
	seen      []visible
	processes int32 // of these
	opened    int   // the order in which it was bound; 0 while no event of the domain has come
	due       int   // from so many events on it is decided
}

// visible is an event that a binding sees.
type visible struct {
	process int32 // of the execution
	local   int32 // of the history
	nth     int32 // on it
	holes   uint64
	at      int64
	events  int64  // admitted by then
	id      string // "" for the default
}

// Short histories are decided at each event. Longer ones are decided when they have grown by a part, and
// then the first event that made the verdict final is looked for.
const (
	maxShort = 48
	grown    = 4
)

// A touch decides a formula of the form of touching on one execution.
type touch struct {
	*touching
	m        *Monitor
	property int
	open     map[graphs.Value]*binding
	over     hashes // of bindings with final verdicts, which no event may open again
	held     int    // visible events and bindings that are open
	bound    int    // bindings so far
	decisive int
	first    []decisive // of them, up to the limit and those of the end
	named    int        // of them in answers so far
	pending  []Answer
	failure  error

	touches []touched // by the step
	knows   []int32
}

// touched is a binding that a step touches.
type touched struct {
	key graphs.Value
	*binding
}

// decisive is a binding that decides the verdict.
type decisive struct {
	opened int
	bindings.Binding
}

// newTouch returns what decides a property of m.
func newTouch(m *Monitor, property int, form *touching) *touch {
	return &touch{
		touching: form,
		m:        m,
		property: property,
		open:     make(map[graphs.Value]*binding),
		over:     hashes{maphash.MakeSeed(), make(map[uint64]struct{})},
	}
}

// hashes is a set of values, as 64-bit hashes of them. Of n values two have one hash with a probability of
// n²/2⁶⁵: for ten million three in a million.
type hashes struct {
	seed maphash.Seed
	set  map[uint64]struct{}
}

// maxHashes bounds what is remembered of bindings that are over: about 200 MiB.
const maxHashes = 14 << 20

// has reports whether a value is there.
func (h *hashes) has(v graphs.Value) bool {
	_, ok := h.set[maphash.Comparable(h.seed, v)]
	return ok
}

// add adds a value.
func (h *hashes) add(v graphs.Value) { h.set[maphash.Comparable(h.seed, v)] = struct{}{} }

// step looks at the events that are admitted together.
func (x *touch) step(events []stream.Admitted) {
	if x.failure != nil {
		return
	}
	x.touches = x.touches[:0]
	for i := range events {
		e := &events[i]
		_, x.position = e.At()
		x.line = e.Line
		if b := x.touch(&x.domain); b != nil && b.opened == 0 {
			x.bound++
			b.opened = x.bound
		}
		for n := range x.holes {
			if b := x.touch(&x.holes[n]); b != nil {
				x.see(b, e, 1<<n)
			}
		}
	}
	// All events of the step are seen before any is decided, as they know each other.
	for _, t := range x.touches {
		x.follow(t.binding, events)
	}
	for _, t := range x.touches {
		if x.open[t.key] == t.binding && x.failure == nil {
			x.failure = x.decide(t.key, t.binding)
		}
	}
	switch most := x.m.opts.Most; {
	case x.failure != nil:
	case most > 0 && x.held > most:
		x.failure = fmt.Errorf("the window has reached its limit of %s, as %s are open", graphs.Plural(most, "event"), graphs.Plural(len(x.open), "binding"))
	case len(x.over.set) > maxHashes:
		x.failure = fmt.Errorf("%d bindings are final, and more cannot be told from new ones", len(x.over.set))
	}
	if x.failure == nil {
		return
	}
	x.open, x.over.set = nil, nil
	if x.decisive == 0 {
		x.pending = append(x.pending, Answer{Property: x.property, Final: true, Reason: reasonOf(x.failure), Events: x.m.stream.Admitted()})
	}
}

// touch returns the binding that the event touches by a trigger; nil for none, or one that is over.
func (x *touch) touch(t *trigger) *binding {
	key, ok := x.key(t)
	if !ok || x.over.has(key) {
		return nil
	}
	b := x.open[key]
	if b == nil {
		b = &binding{past: x.root}
		x.open[key] = b
		x.held++
	}
	x.touches = append(x.touches, touched{key, b})
	return b
}

// see makes an event visible to a binding by a hole.
func (x *touch) see(b *binding, e *stream.Admitted, hole uint64) {
	process, at := e.At()
	s := visible{
		process: int32(process),
		local:   -1,
		holes:   hole,
		at:      at,
		events:  x.m.stream.Admitted(),
		id:      string(x.line.ID),
	}
	for i, other := range slices.Backward(b.seen) {
		if other.process != s.process {
			continue
		}
		if s.local < 0 {
			s.local, s.nth = other.local, other.nth
		}
		switch {
		case other.at == at:
			b.seen[i].holes |= hole
			return
		case hole&x.stable&other.holes != 0:
			return // once is true there already
		case len(b.seen) > maxShort:
		default:
			continue
		}
		break
	}
	if s.local < 0 {
		s.local = b.processes
		b.processes++
	}
	s.nth++
	b.seen = append(b.seen, s)
	x.held++
}

// follow extends the history of a binding by what it sees of a step.
func (x *touch) follow(b *binding, events []stream.Admitted) {
	for n := b.length; n < len(b.seen); n++ {
		s := &b.seen[n]
		i := slices.IndexFunc(events, func(e stream.Admitted) bool {
			process, at := e.At()
			return int32(process) == s.process && at == s.at
		})
		x.knows = append(x.knows[:0], make([]int32, b.processes)...)
		left := b.processes
		for _, other := range slices.Backward(b.seen) {
			if x.knows[other.local] == 0 && events[i].Counts(int(other.process)) >= other.at {
				x.knows[other.local] = other.nth
				left--
			}
			if left == 0 {
				break
			}
		}
		named := -1
		if int(s.local) == len(b.named) {
			named = slices.Index(x.template.Named, x.m.stream.Processes()[s.process])
		}
		b.past = x.histories.follow(b.past, int(s.local), named, s.holes, x.knows)
	}
}

// decide decides a binding that a step has touched.
func (x *touch) decide(key graphs.Value, b *binding) error {
	if b.opened == 0 || b.length < b.due {
		return nil
	}
	v, err := x.settle(context.Background(), b.past)
	if err != nil || v == rctl.Unknown {
		b.due = 0
		if b.length >= maxShort {
			b.due = b.length + b.length/grown
		}
		return err
	}
	at, events := b.past, x.m.stream.Admitted()
	if b.length > maxShort {
		// A verdict once final remains so.
		n := sort.Search(b.length, func(n int) bool {
			for n+1 < b.length && b.seen[n].events == b.seen[n+1].events {
				n++ // to the end of a step
			}
			was, failure := x.settle(context.Background(), b.before(n+1))
			err = cmp.Or(err, failure)
			return was != rctl.Unknown
		})
		at, events = b.before(n+1), b.seen[n].events
	}
	if err == nil && x.decides(v) {
		err = x.found(key, b, at, events)
	}
	delete(x.open, key)
	x.held -= 1 + len(b.seen)
	x.over.add(key)
	return err
}

// decides reports whether a binding with a verdict decides the formula.
func (x *touch) decides(v rctl.Verdict) bool {
	return v == rctl.Fails && x.template.Op == syntax.OpForall || v == rctl.Holds && x.template.Op == syntax.OpExists
}

// found notes a binding that decides the formula, and answers while there are few.
func (x *touch) found(key graphs.Value, b *binding, at *past, events int64) error {
	x.decisive++
	if x.named >= maxBindings {
		return nil
	}
	a, err := x.answer(key, b, at, events)
	x.first = append(x.first, decisive{b.opened, a.Bindings.First[0]})
	x.named++
	x.pending = append(x.pending, a)
	return err
}

// maxBindings bounds the bindings that are named.
const maxBindings = 10

// answer makes the answer that a binding gives.
func (x *touch) answer(key graphs.Value, b *binding, at *past, events int64) (a Answer, err error) {
	a = Answer{Property: x.property, Verdict: rctl.Fails, Final: true, Events: events}
	if x.template.Op == syntax.OpExists {
		a.Verdict = rctl.Holds
	}
	a.Bindings = x.result(a.Verdict)
	one := bindings.Binding{Bound: x.boundTo(key)}
	a.Bindings.First = []bindings.Binding{one}
	a.Bound = one.Bound[0].Name + " = " + one.Text()
	if len(one.Bound) > 1 {
		a.Bound = one.Text()
	}
	steps, err := x.steps(context.Background(), at, x.others(b))
	for _, i := range steps {
		s := &b.seen[i]
		id := fmt.Sprintf("%s:%d", x.m.stream.Processes()[s.process], s.at)
		a.Steps = append(a.Steps, cmp.Or(s.id, id))
	}
	return a, err
}

// boundTo says what the names stand for.
func (x *touch) boundTo(key graphs.Value) []syntax.Bound {
	texts := []string{key.String()}
	if len(x.names) > 1 {
		texts = strings.Split(key.Text(), separator)
	}
	bound := make([]syntax.Bound, len(x.names))
	for i, name := range x.names {
		bound[i] = syntax.Bound{Name: name, Text: texts[i]}
	}
	return bound
}

// others returns how many processes a binding has beside those that it knows, as far as its body can
// tell them apart.
func (x *touch) others(b *binding) int {
	n := len(x.m.stream.Processes()) - int(b.processes)
	for _, name := range x.template.Named {
		p, ok := x.m.stream.Process(name)
		if ok && !slices.ContainsFunc(b.seen, func(s visible) bool { return int(s.process) == p }) {
			n--
		}
	}
	return min(max(n, 0), x.template.Names)
}

// take returns the answers since it was last called.
func (x *touch) take() []Answer {
	answers := x.pending
	x.pending = nil
	return answers
}

// finish decides the bindings that are open at the end.
func (x *touch) finish(ctx context.Context) (Answer, error) {
	all := Answer{Property: x.property, Final: true, Events: x.m.stream.Admitted()}
	if misfit := x.misfit(ctx); misfit != nil {
		all.Reason, all.Misfit = reasonOf(misfit), misfit
		return all, nil
	}
	var open []touched
	for key, b := range x.open {
		if b.opened > 0 {
			open = append(open, touched{key, b})
		}
	}
	slices.SortFunc(open, func(a, b touched) int { return a.opened - b.opened })
	unknown, why := 0, ""
	for _, t := range open {
		r, err := x.last(ctx, t.past, x.others(t.binding))
		switch {
		case err != nil:
			return all, err
		case r.Verdict == rctl.Unknown:
			unknown++
			why = r.Reason
		case x.decides(r.Verdict):
			x.decisive++
			x.first = append(x.first, decisive{t.opened, bindings.Binding{Bound: x.boundTo(t.key)}})
			if x.decisive == 1 { // else there is an answer with a run
				a, err := x.answer(t.key, t.binding, t.past, all.Events)
				if err != nil {
					return all, err
				}
				all.Steps = a.Steps
			}
		}
	}
	switch {
	case x.decisive == 0 && unknown > 0:
		all.Reason = fmt.Sprintf("%s of %d are not decided: %s", graphs.Plural(unknown, "binding"), x.bound, why)
	case x.decisive > 0 == (x.template.Op == syntax.OpForall):
		all.Verdict = rctl.Fails
	default:
		all.Verdict = rctl.Holds
	}
	slices.SortFunc(x.first, func(a, b decisive) int { return a.opened - b.opened })
	all.Bindings = x.result(all.Verdict)
	for _, d := range x.first[:min(len(x.first), maxBindings)] {
		all.Bindings.First = append(all.Bindings.First, d.Binding)
	}
	all.Bound = boundOf(all.Bindings)
	return all, nil
}

// result returns how many bindings there are.
func (x *touch) result(v rctl.Verdict) *bindings.Result {
	return &bindings.Result{Verdict: v, Op: x.template.Op, Total: x.bound, Decisive: x.decisive, Of: x.template.Of()}
}

// boundOf says what bindings say of a verdict.
func boundOf(r *bindings.Result) string {
	if r.Total == 0 {
		return "there are no " + r.Of
	}
	return r.Text()
}

// misfit returns the mistake in the formula that the fields of the execution show, as a recorded trace
// with all of them would; nil for none.
func (x *touch) misfit(ctx context.Context) error {
	var b graphs.Builder
	for _, name := range x.m.stream.Processes() {
		b.Event(b.NewProcess(name))
	}
	for owner, name := range x.m.stream.Variables {
		example := map[graphs.Kind]graphs.Value{graphs.Number: graphs.Int(1), graphs.Bool: graphs.Boolean(true), graphs.String: graphs.Str("")}
		b.Set(b.Variable(owner, name), graphs.Handle(max(owner, 0)), example[x.m.stream.Kind(owner, name)])
	}
	c, err := b.Build()
	if err != nil {
		return err
	}
	_, err = syntax.Resolve(ctx, x.formula, known.Of(c))
	return err
}
