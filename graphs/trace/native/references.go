package native

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// references matches the ids of events with the lines that mention them. An id is the text of an
// "id", or process:k, the default id of the k-th event of a process if that event has no id of its
// own.
type references struct {
	symbols symbols.Table   // the ids given or mentioned
	events  []graphs.Handle // the event of each symbol; NoHandle for an id that is only mentioned
	given   dense.Set       // the events that have their own id, and so no default id
	waiting []reference
	edges   []edgeReference
}

// A reference is an "after" with an id that no event had by then.
type reference struct {
	after  graphs.Handle
	before int32 // symbol
}

// An edgeReference is an edge line with the symbols of its ends.
type edgeReference struct {
	from, to int32
	at       place
}

// define gives event h its id.
func (r *references) define(b *graphs.Builder, h graphs.Handle, id []byte) error {
	// An empty id means that there is none.
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

// symbol returns the symbol of an id, and adds it if it was not mentioned before.
func (r *references) symbol(id []byte) int32 {
	s := r.symbols.Intern(id)
	if int(s) == len(r.events) {
		r.events = append(r.events, graphs.NoHandle)
	}
	return s
}

// after records that the event with that id happened before h.
func (r *references) after(b *graphs.Builder, h graphs.Handle, id []byte) error {
	if admission.Reserved(id) {
		return admission.AfterReserved.Broken(id)
	}
	s := r.symbol(id)
	if before := r.events[s]; before != graphs.NoHandle {
		b.Order(before, h)
	} else {
		r.waiting = append(r.waiting, reference{h, s})
	}
	return nil
}

// resolve adds the waiting references and edges to the Builder.
func (r *references) resolve(all *resolver) {
	r.resolveIDs(all)
	for _, w := range r.waiting {
		if h := r.events[w.before]; h != graphs.NoHandle {
			all.builder.Order(h, w.after)
			continue
		}
		id := r.symbols.At(w.before)
		all.refuseEvent(w.after, opAfter, id, all.unknown(admission.AfterUnknown, id, all.why))
	}
	for _, e := range r.edges {
		from, to := r.events[e.from], r.events[e.to]
		switch {
		// If both events are unknown, the first is reported.
		case from == graphs.NoHandle:
			id := r.symbols.At(e.from)
			all.refuse(e.at, opEdge, id, all.unknown(admission.FromUnknown, id, ""))
		case to == graphs.NoHandle:
			id := r.symbols.At(e.to)
			all.refuse(e.at, opEdge, id, all.unknown(admission.ToUnknown, id, ""))
		default:
			all.builder.Edge(from, to)
		}
	}
}

// resolveIDs finds the events of ids that no line gives: fictitious events, and events with a
// default id. It refuses an id of one event that is the default id of another.
func (r *references) resolveIDs(all *resolver) {
	for s, h := range r.events {
		id := r.symbols.At(int32(s))
		name, k := admission.SplitDefault(id)
		f, _ := all.event(name, k)
		if f != graphs.NoHandle && r.given.Has(int(f)) {
			f = graphs.NoHandle // others may use the default id of an event with its own id
		}
		switch {
		case h != graphs.NoHandle && f != graphs.NoHandle:
			all.refuseEvent(h, opID, id, admission.DefaultOfOther.Broken(id, k, name))
		case h != graphs.NoHandle:
		case string(id) == admission.Bottom:
			r.events[s] = graphs.BottomHandle
		case string(id) == admission.Top:
			r.events[s] = graphs.TopHandle
		default:
			r.events[s] = f
		}
	}
}

// event returns the k-th event of the process with that name, or NoHandle if there is none, and the
// number of the process, or -1 if there is none.
func (all *resolver) event(name []byte, k int64) (h graphs.Handle, process int32) {
	s := all.processes.symbols.Find(name)
	if k == 0 || s < 0 || all.processes.numbers[s] < 0 {
		return graphs.NoHandle, -1
	}
	p := all.processes.numbers[s]
	if k > int64(all.count(p)) {
		return graphs.NoHandle, p
	}
	return all.at(p, int32(k)), p
}

// unknown returns the error for an id that no event has. It explains why no event has it as its
// default id, and then why the event may be missing.
func (all *resolver) unknown(rule admission.Rule, id []byte, missing string) error {
	name, k := admission.SplitDefault(id)
	h, p := all.event(name, k)
	why := ""
	switch {
	case k == 0 || k > maxEvents:
	case h != graphs.NoHandle:
		why = admission.OwnID(k, name)
	case p < 0:
		why = fmt.Sprintf(" (and no process the name %q)", name)
	default:
		why = fmt.Sprintf(" (process %q has %s)", name, graphs.Plural(all.count(p), "event"))
	}
	return rule.Broken(id, why+missing)
}
