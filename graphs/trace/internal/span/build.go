package span

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// Executions returns the executions of all spans, in the order of their first spans. Its errors are
// *trace.Error, or the error of ctx. The set must not be used afterwards.
//
// The time complexity of Executions is O(n·log n + attributes) for n spans, plus the complexity of
// graphs.Builder.
func (s *Set) Executions(ctx context.Context) ([]trace.Execution, error) {
	for _, r := range s.spans {
		if r.scope == nil {
			r.scope = &Origin{}
		}
		s.Origin(r.resource)
		s.Origin(r.scope)
	}
	s.index()
	var executions []trace.Execution
	w := newWorker(s)
	for _, spans := range s.groups() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := w.build(ctx, spans)
		if err != nil {
			return nil, err
		}
		first := spans[0].trace
		for _, r := range spans {
			first = min(first, r.trace)
		}
		executions = append(executions, trace.Execution{Name: s.texts[first], Computation: c})
	}
	if len(executions) == 1 {
		executions[0].Name = ""
	}
	return executions, nil
}

// A worker builds computations, one after the other.
type worker struct {
	set  *Set
	rank []int32 // by name: its rank in sorted order, builtins first

	// The rest is about the execution that is being built.
	b       *graphs.Builder
	spans   []*record
	process []string    // the name of each process
	uses    []use       // by name; those of earlier executions stay until findKinds replaces them
	number  int32       // of the execution
	sorted  []attribute // the assignments of one event
}

// A use is how an execution uses a name.
type use struct {
	execution int32 // the number of the execution
	kind      graphs.Kind
	skipped   bool             // whether the variable was declared although its values are not kept
	variable  *graphs.Variable // the variable of the process asked for last
}

func newWorker(s *Set) *worker {
	n := len(s.names.text)
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	byName := func(i, j int32) int { return strings.Compare(s.names.text[i], s.names.text[j]) }
	slices.SortFunc(order[builtin:], byName)
	w := &worker{set: s, rank: make([]int32, n), uses: make([]use, n)}
	for k, i := range order {
		w.rank[i] = int32(k)
	}
	return w
}

// build builds the computation of an execution.
func (w *worker) build(ctx context.Context, spans []*record) (*graphs.Computation, error) {
	w.b, w.spans = new(graphs.Builder), spans
	w.b.SetLowerBound("spans show only part of what happened before what")
	w.number++ // from 1, and uses begin with 0
	w.addProcesses()
	w.findKinds()
	for i, r := range spans {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		w.declare(r)
		w.assignAll(r)
	}
	if err := w.order(); err != nil {
		return nil, err
	}
	return trace.Build(w.b, func(h graphs.Handle) *trace.Error {
		i := sort.Search(len(spans), func(i int) bool { return spans[i].first > h }) - 1
		return spans[i].place.Errorf(" (parents have none, so a link is wrong)")
	})
}

// unknownService is the service of spans that do not name one.
const unknownService = "unknown_service"

// Start and End are the names of the events at which a span starts and ends.
const (
	Start = "start"
	End   = "end"
)

// addProcesses adds the processes and events.
func (w *worker) addProcesses() {
	n := 0
	for _, r := range w.spans {
		n += len(r.events) + 2
	}
	w.b.Grow(n)
	w.process = w.process[:0]
	numbers := make(map[string]int)
	for _, r := range w.spans {
		name := cmp.Or(r.resource.Service, unknownService) + "/" + r.name
		numbers[name]++
		name = fmt.Sprintf("%s#%d", name, numbers[name])
		p := w.b.Process(name)
		w.process = append(w.process, name)
		r.process = int32(p)
		w.b.SetClock(p, r.resource.same.clock)
		r.first = w.b.Event(p)
		for range len(r.events) + 1 {
			w.b.Event(p)
		}
	}
}

// last returns the event end of a span.
func (r *record) last() graphs.Handle { return r.first + graphs.Handle(len(r.events)) + 1 }

// findKinds determines the type of each variable. It visits only names that the execution uses:
// there may be as many names as executions.
func (w *worker) findKinds() {
	note := func(name int32, kind graphs.Kind) {
		u := &w.uses[name]
		if u.execution != w.number {
			*u = use{execution: w.number}
		}
		u.kind = trace.Unify(u.kind, kind)
	}
	noteAll := func(attrs []attribute) {
		for _, a := range attrs {
			note(a.name, a.value.Kind)
		}
	}
	for name, b := range builtins {
		note(int32(name), b.kind)
	}
	for _, r := range w.spans {
		noteAll(r.resource.same.attrs)
		noteAll(r.scope.same.attrs)
		noteAll(r.attrs)
		for _, e := range r.events {
			noteAll(e.attrs)
		}
	}
}

// declare sets the labels, times and places of the events of a span.
func (w *worker) declare(r *record) {
	opts := &w.set.opts
	// Shared clocks order events by their times, even if times are not kept.
	timed := opts.KeepTimes() || r.resource.same.clock != ""
	var place graphs.Place
	if opts.Places {
		place = graphs.Place{File: r.place.File, Line: r.place.Line, Record: "span " + r.id.String()}
	}
	event := func(h graphs.Handle, nanoseconds uint64, label string) {
		if opts.Names {
			w.b.SetLabel(h, label)
		}
		if opts.Places {
			w.b.SetPlace(h, place)
		}
		switch {
		case !timed || nanoseconds == 0: // 0 is unknown
		case nanoseconds <= maxInstant:
			w.b.SetInstant(h, int64(nanoseconds))
		default:
			t := time.Unix(int64(nanoseconds/second), int64(nanoseconds%second)).UTC()
			w.b.SetTime(h, t.Format(`"2006-01-02T15:04:05.000000000Z07:00"`))
		}
	}
	start := Start
	if opts.Names {
		start += w.missing(r)
	}
	event(r.first, r.start, start)
	for i, e := range r.events {
		event(r.first+1+graphs.Handle(i), e.time, cmp.Or(e.name, "event"))
	}
	event(r.last(), r.end, End)
}

// maxInstant is the end of the year 2261, in nanoseconds since 1970.
const maxInstant = 9_214_646_400 * second

// clockKeys are resource attributes that identify the clock of its spans, the best ones first.
var clockKeys = []string{
	"host.id", "host.name", "hostname", "k8s.node.name", "k8s.pod.uid", "k8s.pod.name", "container.id", "service.instance.id",
}

// clockOf names the clock of an origin. Without any of the attributes in clockKeys, equal resources
// that name a service share a clock. Without a service, the name is "".
func clockOf(o *Origin) string {
	for _, key := range clockKeys {
		for _, a := range o.Attributes {
			if text := a.Value.Text(); a.Key == key && a.Value.Kind == graphs.String && text != "" {
				return key + " " + text
			}
		}
	}
	if o.Service == "" {
		return ""
	}
	return strings.TrimSuffix("service "+o.key(), ",") // key ends in a comma if there are no attributes
}

// missing returns the part of the label of start that names parents and links missing from the
// input.
func (w *worker) missing(r *record) string {
	var missing []string
	if r.parent != 0 && w.set.parent(r) == nil {
		missing = append(missing, "parent "+w.set.odd.text(r.parent))
	}
	for _, l := range r.links {
		if w.set.linked(r, l) == nil {
			missing = append(missing, "link "+w.set.odd.trace(l.Trace)+" "+w.set.odd.text(l.ID))
		}
	}
	if missing == nil {
		return ""
	}
	return " (not here: " + strings.Join(missing, ", ") + ")"
}

// assignAll adds the variables of a span.
func (w *worker) assignAll(r *record) {
	w.begin(r, true, Start)
	w.add(kindName, graphs.Str(r.kind.String()))
	w.addTime(startedName, r.start)
	w.assign(r, r.first)
	if w.set.names.keep[statusName] {
		w.b.Init(w.variable(r, statusName), graphs.Str(Unset.String()))
	}
	for i, e := range r.events {
		w.sorted = append(w.sorted[:0], attribute{eventName, graphs.Str(e.name)})
		w.sorted = append(w.sorted, e.attrs...)
		w.assign(r, r.first+1+graphs.Handle(i))
	}
	w.begin(r, false, End)
	w.add(statusName, graphs.Str(r.status.String()))
	if r.message != "" {
		w.add(messageName, graphs.Str(r.message))
	}
	w.addTime(endedName, r.end)
	if r.start != 0 && r.end != 0 {
		w.add(durationName, graphs.Float((float64(r.end)-float64(r.start))/second))
	}
	w.assign(r, r.last())
}

// begin sets sorted to the assignments that the events start and end of a span have in common. Both
// events carry the attributes of the span, so that a condition on a single event can use them.
func (w *worker) begin(r *record, active bool, event string) {
	w.sorted = append(w.sorted[:0], r.resource.same.attrs...)
	w.sorted = append(w.sorted, r.scope.same.attrs...)
	w.sorted = append(w.sorted, r.attrs...)
	w.add(activeName, graphs.Boolean(active))
	w.add(operationName, graphs.Str(r.name))
	w.add(serviceName, graphs.Str(cmp.Or(r.resource.Service, unknownService)))
	w.add(eventName, graphs.Str(event))
}

// add adds an assignment to sorted.
func (w *worker) add(name int32, x graphs.Value) { w.sorted = append(w.sorted, attribute{name, x}) }

// addTime adds a time in seconds, unless it is not known.
func (w *worker) addTime(name int32, nanoseconds uint64) {
	if nanoseconds != 0 {
		w.add(name, graphs.Float(float64(nanoseconds)/second))
	}
}

const second = 1e9 // nanoseconds

// variable returns the variable of a span. It asks the builder only once per span and name.
func (w *worker) variable(r *record, name int32) *graphs.Variable {
	u := &w.uses[name]
	if u.variable == nil || u.variable.Process != int(r.process) {
		u.variable = w.b.Variable(int(r.process), w.set.names.text[name])
	}
	return u.variable
}

// assign adds the assignments in sorted, which it sorts by name. Of several to one variable, the
// last counts.
func (w *worker) assign(r *record, h graphs.Handle) {
	byName := func(a, b attribute) int { return int(w.rank[a.name] - w.rank[b.name]) }
	slices.SortStableFunc(w.sorted, byName)
	for i, a := range w.sorted {
		if i+1 < len(w.sorted) && w.sorted[i+1].name == a.name {
			continue
		}
		u := &w.uses[a.name]
		if !w.set.names.keep[a.name] {
			if !u.skipped {
				u.skipped = true
				w.b.Skip(w.variable(r, a.name), u.kind)
			}
			continue
		}
		if a.value.Kind != u.kind {
			a.value = graphs.Str(a.value.String())
		}
		w.b.Set(w.variable(r, a.name), h, a.value)
	}
}

// order adds the causality between spans.
func (w *worker) order() error {
	parents := make([]int32, len(w.spans)) // the parent's index, -1 if there is none
	for i, r := range w.spans {
		parents[i] = -1
		if p := w.set.parent(r); p != nil {
			parents[i] = p.process
			w.b.SetParent(int(r.process), int(p.process))
			w.orderParent(p, r)
		}
		for _, l := range r.links {
			if q := w.set.linked(r, l); q != nil {
				w.b.Order(q.first, r.first)
			}
		}
	}
	if cycle := findCycle(parents); cycle != nil {
		var names []string
		for _, i := range cycle {
			names = append(names, w.process[i])
		}
		const most = 8
		if len(names) > most {
			names = append(names[:most], fmt.Sprintf("… (%d more)", len(cycle)-most))
		}
		r := w.spans[cycle[0]]
		around := strings.Join(append(names, names[0]), " → ")
		return r.place.Errorf("the span %s is its own ancestor: %s", w.set.odd.text(r.id), around)
	}
	return nil
}

// orderParent adds the causality between p and its child r.
func (w *worker) orderParent(p, r *record) {
	same := sameService(p, r)
	if p.kind == Producer && r.kind == Consumer {
		w.b.Order(p.first, r.first)
		return
	}
	from := 0 // how many events of p are no later than r.start; start is not counted
	if same && r.start != 0 {
		from = sort.Search(len(p.events), func(i int) bool { return p.events[i].time > r.start })
		if from > 0 && p.events[from-1].time == 0 {
			from = 0
		}
	}
	w.b.Order(p.first+graphs.Handle(from), r.first)
	switch {
	case same && r.end != 0 && p.end != 0 && r.end <= p.end:
		to := sort.Search(len(p.events), func(i int) bool { return p.events[i].time >= r.end })
		w.b.Order(r.last(), p.first+graphs.Handle(max(to, from))+1)
	case !same && p.kind == Client && r.kind == Server && p.status != Error:
		w.b.Order(r.last(), p.last())
	}
}

// findCycle returns a cycle, in which each span is the parent of the next one, or nil if there is
// none. It starts with the first span of the cycle.
func findCycle(parents []int32) []int32 {
	seen := make([]int32, len(parents)) // the number of the walk that visited the span, from 1
	for i := range parents {
		at := int32(i)
		for at >= 0 && seen[at] == 0 {
			seen[at] = int32(i) + 1
			at = parents[at]
		}
		if at < 0 || seen[at] != int32(i)+1 {
			continue
		}
		first := at
		for k := parents[at]; k != at; k = parents[k] {
			first = min(first, k)
		}
		cycle := []int32{first}
		for k := parents[first]; k != first; k = parents[k] {
			cycle = append(cycle, k)
		}
		slices.Reverse(cycle[1:])
		return cycle
	}
	return nil
}
