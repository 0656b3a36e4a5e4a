package native

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// references matches ids of events with those who mention them. An id is the text
// of an "id", or process:k, the default id of the k-th event of a process if that
// has no id of its own.
type references struct {
	symbols symbols.Table   // ids given or mentioned
	events  []graphs.Handle // by symbol; NoHandle for an id only mentioned
	given   dense.Set       // the events that have an id
	waiting []reference
	edges   []edgeReference
}

// end is an event mentioned before it can be known: k > 0 for the k-th event of
// the process with that symbol, or else what has the id with that symbol.
type end struct{ symbol, k int32 }

// Ends at fictitious events have a k below 0.
const (
	bottomEnd = -1
	topEnd    = -2
)

// A reference is an "after" to an event that is not known yet.
type reference struct {
	after  graphs.Handle
	before end
}

// An edgeReference is an edge line.
type edgeReference struct {
	from, to end
	at       place
}

// define gives event h its id.
func (r *references) define(b *graphs.Builder, h graphs.Handle, id []byte) error {
	// An empty id is the same as none.
	if len(id) == 0 {
		return nil
	}
	s := r.symbol(id)
	if err := admission.ID(id, r.events[s] != graphs.NoHandle); err != nil {
		return err
	}
	r.events[s] = h
	r.given.Grow(int(h))
	b.SetID(h, id)
	return nil
}

// isGiven reports whether an event has an id of its own, and so no default id.
func (r *references) isGiven(h graphs.Handle) bool {
	return r.given.Has(int(h))
}

// symbol returns the symbol of an id, a new one for an id not mentioned before.
func (r *references) symbol(id []byte) int32 {
	s := r.symbols.Intern(id)
	if int(s) == len(r.events) {
		r.events = append(r.events, graphs.NoHandle)
	}
	return s
}

// after notes that the event with an id happened before h.
func (r *references) after(b *graphs.Builder, p *processes, h graphs.Handle, id []byte) error {
	if admission.Reserved(id) {
		return admission.AfterReserved.Broken(id)
	}
	e := r.end(p, id)
	switch {
	// The common case, a cause that stands above, waits for nothing.
	case e.k == 0 && r.events[e.symbol] != graphs.NoHandle:
		b.Order(r.events[e.symbol], h)
	default:
		r.waiting = append(r.waiting, reference{h, e})
	}
	return nil
}

// edge notes an edge between the events with two ids.
func (r *references) edge(p *processes, at place, from, to []byte) {
	r.edges = append(r.edges, edgeReference{r.end(p, from), r.end(p, to), at})
}

// end returns the end that an id names. An id that no event has so far and that looks like a
// default id is kept as process and position, without a copy of its text: most traces with
// many references name events so.
// Bottom and top are no ids of events; the rest depends on the ids given so far.
func (r *references) end(p *processes, id []byte) end {
	switch string(id) {
	case admission.Bottom:
		return end{k: bottomEnd}
	case admission.Top:
		return end{k: topEnd}
	}
	s := r.symbols.Find(id)
	if s < 0 || r.events[s] == graphs.NoHandle {
		if name, k := admission.SplitDefault(id); k > 0 && k <= maxEvents {
			return end{p.symbol(name), int32(k)}
		}
		s = r.symbol(id)
	}
	return end{symbol: s}
}

// resolve adds what waits to the Builder.
func (r *references) resolve(all *resolver) {
	// First, as an ambiguous id would make the errors below misleading.
	r.checkDefaults(all)
	for _, w := range r.waiting {
		h, err := r.find(all, admission.AfterUnknown, w.before)
		if err != nil {
			all.refuseEvent(w.after, opAfter, r.text(all, w.before), err)
			continue
		}
		all.builder.Order(h, w.after)
	}
	for _, e := range r.edges {
		// An edge names two events; the first that is unknown is reported.
		wrong := e.from
		from, err := r.find(all, admission.FromUnknown, e.from)
		to := from
		if err == nil {
			wrong = e.to
			to, err = r.find(all, admission.ToUnknown, e.to)
		}
		if err != nil {
			all.refuse(e.at, opEdge, r.text(all, wrong), err)
			continue
		}
		all.builder.Edge(from, to)
	}
}

// checkDefaults refuses an id that is the default id of another event.
func (r *references) checkDefaults(all *resolver) {
	for s, h := range r.events {
		if h == graphs.NoHandle {
			continue
		}
		id := r.symbols.At(int32(s))
		name, k := admission.SplitDefault(id)
		if k == 0 || k > maxEvents {
			continue
		}
		// The default id of an event with an id of its own is free for others.
		if f := all.event(name, int32(k)); f != graphs.NoHandle && f != h && !r.isGiven(f) {
			all.refuseEvent(h, opID, id, admission.DefaultOfOther.Broken(id, k, name))
		}
	}
}

// event returns the k-th event of the process with that name, NoHandle when there
// is none.
func (all *resolver) event(name []byte, k int32) graphs.Handle {
	s := all.processes.symbols.Find(name)
	if s < 0 || all.processes.numbers[s] < 0 || int(k) > all.count(all.processes.numbers[s]) {
		return graphs.NoHandle
	}
	return all.at(all.processes.numbers[s], k)
}

// find returns the event that an end names, or the error of its mention.
func (r *references) find(all *resolver, unknown admission.Rule, e end) (graphs.Handle, error) {
	switch e.k {
	case bottomEnd:
		return graphs.BottomHandle, nil
	case topEnd:
		return graphs.TopHandle, nil
	case 0:
		if h := r.events[e.symbol]; h != graphs.NoHandle {
			return h, nil
		}
		return 0, r.unknown(all, unknown, e, "")
	}

	name := all.processes.symbols.At(e.symbol)
	h := all.event(name, e.k)
	if h != graphs.NoHandle && !r.isGiven(h) {
		return h, nil
	}
	// The event has another id, or does not exist, so the text may be an id that was given later.
	if s := r.symbols.Find(r.text(all, e)); s >= 0 && r.events[s] != graphs.NoHandle {
		return r.events[s], nil
	}

	// Three causes, each with its own hint.
	switch p := all.processes.numbers[e.symbol]; {
	case h != graphs.NoHandle:
		return 0, r.unknown(all, unknown, e, admission.OwnID(int64(e.k), name))
	case p < 0:
		return 0, r.unknown(all, unknown, e, fmt.Sprintf(" (and no process the name %q)", name))
	default:
		events := graphs.Plural(all.count(p), "event")
		return 0, r.unknown(all, unknown, e, fmt.Sprintf(" (process %q has %s)", name, events))
	}
}

// unknown makes the error of a mention of no event. Where logs may be cut off, the cause is
// likely to be lost with them.
func (r *references) unknown(all *resolver, unknown admission.Rule, e end, why string) error {
	if unknown == admission.AfterUnknown {
		why += all.why
	}
	return unknown.Broken(r.text(all, e), why)
}

// text returns the id that an end was given as.
func (r *references) text(all *resolver, e end) []byte {
	if e.k > 0 {
		return admission.AppendDefault(nil, all.processes.symbols.At(e.symbol), int64(e.k))
	}
	return r.symbols.At(e.symbol)
}
