package native

import (
	"fmt"
	"strconv"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

const bottom, top = "⊥", "⊤"

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

type reference struct {
	after  graphs.Handle
	before end
}

type edgeReference struct {
	from, to end
	at       place
}

// define gives event h its id.
func (r *references) define(b *graphs.Builder, h graphs.Handle, id []byte) string {
	switch string(id) {
	case "":
		return ""
	case bottom, top:
		return fmt.Sprintf("the id %q is reserved", id)
	}
	s := r.symbol(id)
	if r.events[s] != graphs.NoHandle {
		return fmt.Sprintf("two events have the id %q", id)
	}
	r.events[s] = h
	r.given.Grow(int(h))
	b.SetID(h, id)
	return ""
}

func (r *references) isGiven(h graphs.Handle) bool {
	return r.given.Has(int(h))
}

func (r *references) symbol(id []byte) int32 {
	s := r.symbols.Intern(id)
	if int(s) == len(r.events) {
		r.events = append(r.events, graphs.NoHandle)
	}
	return s
}

// after notes that the event with an id happened before h.
func (r *references) after(b *graphs.Builder, p *processes, h graphs.Handle, id []byte) string {
	e := r.end(p, id)
	switch {
	case e.k < 0:
		return fmt.Sprintf("%s cannot be in \"after\" (only edges name it)", id)
	case e.k == 0 && r.events[e.symbol] != graphs.NoHandle:
		b.Order(r.events[e.symbol], h)
	default:
		r.waiting = append(r.waiting, reference{h, e})
	}
	return ""
}

// edge notes an edge between the events with two ids.
func (r *references) edge(p *processes, at place, from, to []byte) {
	r.edges = append(r.edges, edgeReference{r.end(p, from), r.end(p, to), at})
}

func (r *references) end(p *processes, id []byte) end {
	switch string(id) {
	case bottom:
		return end{k: bottomEnd}
	case top:
		return end{k: topEnd}
	}
	s := r.symbols.Find(id)
	if s < 0 || r.events[s] == graphs.NoHandle {
		if name, k := stream.SplitDefault(id); k > 0 && k <= mostEvents {
			return end{p.symbol(name), int32(k)}
		}
		s = r.symbol(id)
	}
	return end{symbol: s}
}

// resolve adds what waits to the Builder.
func (r *references) resolve(all *resolver) {
	r.checkDefaults(all)
	for _, w := range r.waiting {
		h, why := r.find(all, w.before)
		if why != "" {
			all.refuse(all.places.of(w.after), text(opAfter, r.text(all, w.before)), "after an unknown event: %s%s", why, all.lost)
			continue
		}
		all.builder.Order(h, w.after)
	}
	for _, e := range r.edges {
		from, why := r.find(all, e.from)
		if why != "" {
			all.refuse(e.at, text(opEdge, r.text(all, e.from)), "an edge from an unknown event: %s", why)
			continue
		}
		to, why := r.find(all, e.to)
		if why != "" {
			all.refuse(e.at, text(opEdge, r.text(all, e.to)), "an edge to an unknown event: %s", why)
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
		name, k := stream.SplitDefault(id)
		if k == 0 || k > mostEvents {
			continue
		}
		if f := all.event(name, int32(k)); f != graphs.NoHandle && f != h && !r.isGiven(f) {
			all.refuse(all.places.of(h), text(opID, id), "the id %q is the default id of another event, event %d of process %q", id, k, name)
		}
	}
}

// event returns the k-th event of the process with that name, NoHandle when there
// is none.
func (all *resolver) event(name []byte, k int32) graphs.Handle {
	s := all.processes.symbols.Find(name)
	if s < 0 || all.processes.numbers[s] < 0 || int(k) > all.builder.Count(int(all.processes.numbers[s])) {
		return graphs.NoHandle
	}
	return all.at(all.processes.numbers[s], k)
}

// find returns the event that an end means, or why there is none.
func (r *references) find(all *resolver, e end) (h graphs.Handle, why string) {
	switch {
	case e.k == bottomEnd:
		return graphs.BottomHandle, ""
	case e.k == topEnd:
		return graphs.TopHandle, ""
	case e.k == 0:
		if h := r.events[e.symbol]; h != graphs.NoHandle {
			return h, ""
		}
		return 0, fmt.Sprintf("no event has the id %q", r.symbols.At(e.symbol))
	}
	name := all.processes.symbols.At(e.symbol)
	h = all.event(name, e.k)
	if h != graphs.NoHandle && !r.isGiven(h) {
		return h, ""
	}
	id := r.text(all, e)
	if s := r.symbols.Find(id); s >= 0 && r.events[s] != graphs.NoHandle {
		return r.events[s], ""
	}
	why = fmt.Sprintf("no event has the id %q", id)
	switch p := all.processes.numbers[e.symbol]; {
	case h != graphs.NoHandle:
		why += fmt.Sprintf(" (event %d of process %q has an id of its own)", e.k, name)
	case p < 0:
		why += fmt.Sprintf(" (and no process the name %q)", name)
	default:
		why += fmt.Sprintf(" (process %q has %s)", name, graphs.Plural(all.builder.Count(int(p)), "event"))
	}
	return 0, why
}

// text returns the id that an end was given as.
func (r *references) text(all *resolver, e end) []byte {
	if e.k > 0 {
		return strconv.AppendInt(append(append([]byte(nil), all.processes.symbols.At(e.symbol)...), ':'), int64(e.k), 10)
	}
	return r.symbols.At(e.symbol)
}
