package stream

import (
	"slices"
	"sort"
	"strings"

	"github.com/pota-project/pota/graphs/admission"
)

// A reference names an event by its place if it is known, and otherwise by its id. An entry of a clock names it by
// byCount and its default id, because clocks count all events, whatever their ids are.
type reference struct {
	id string // "" if the place is known
	place
}

// byCount is a prefix that no id has, because it is not UTF-8.
const byCount = "\xff"

// A waiter is an event whose reference number i is to an event that is not admitted.
type waiter struct {
	event *pending
	i     int
}

// own records which events of a process have an id of their own rather than the default one. Old events count as such
// if this has been forgotten: they cannot be named by default ids.
type own struct {
	// positions at which events begin to have an id of their own and stop having one, alternating
	turns []int64
	from  int64 // the position from which turns are remembered
}

// maxTurns is how many turns are remembered at least. It is even.
const maxTurns = 1 << 10

// add notes whether the event at pos, the next one, has an id of its own. Only changes take
// memory, because most processes give ids always or never.
func (o *own) add(pos int64, own bool) {
	if own == (len(o.turns)%2 > 0) {
		return
	}
	if o.turns = append(o.turns, pos); len(o.turns) >= 2*maxTurns {
		o.turns = slices.Delete(o.turns, 0, maxTurns)
		o.from = o.turns[0]
	}
}

// has reports whether the event at pos has an id of its own.
func (o *own) has(pos int64) bool {
	return pos < o.from || sort.Search(len(o.turns), func(i int) bool { return o.turns[i] > pos })%2 > 0
}

// isOwn reports whether an id is given and is not the default id of the event at a place.
func (s *Stream) isOwn(id string, at place) bool {
	if id == "" {
		return false
	}
	return !admission.IsDefault([]byte(id), s.names[at.process], at.pos)
}

// hasOwn reports whether event k of process p, which has arrived, has an id of its own.
func (s *Stream) hasOwn(p int32, k int64) bool {
	x := &s.processes[p]
	if k <= x.admitted {
		return x.own.has(k)
	}
	e := x.queue[k-x.admitted-1]
	return s.isOwn(e.id, e.place)
}

// position returns the place that a default id stands for, if its event has arrived. The event may have another id.
func (s *Stream) position(id []byte) (at place, ok bool) {
	name, k := admission.SplitDefault(id)
	p, ok := s.number[string(name)]
	return place{p, k}, ok && k > 0 && k <= s.processes[p].arrived()
}

// withDefault returns the place of the event that has a default id, if it has arrived.
func (s *Stream) withDefault(id []byte) (at place, ok bool) {
	at, ok = s.position(id)
	return at, ok && !s.hasOwn(at.process, at.pos)
}

// whyNot returns why a default id does not name its event; "" if there is no such event. Certain is false if the
// stream has forgotten whether the event has an id of its own.
func (s *Stream) whyNot(id string) (why string, certain bool) {
	at, ok := s.position([]byte(id))
	switch {
	case !ok:
		return "", true
	case at.pos < s.processes[at.process].own.from:
		return "", false
	}
	return admission.OwnID(at.pos, s.names[at.process]), true
}

// mistakable refuses an id that is the default id of another event, whichever of the two comes first.
func (s *Stream) mistakable(l *Line, pos int64) error {
	if len(l.ID) == 0 {
		if s.alike.now == nil {
			return nil
		}
		s.key = admission.AppendDefault(s.key[:0], string(l.Process), pos)
		if _, is := s.alike.Find(s.key); is {
			return admission.DefaultOfOther.Broken(s.key, pos, l.Process)
		}
		return nil
	}
	if _, is := s.withDefault(l.ID); is {
		name, k := admission.SplitDefault(l.ID)
		return admission.DefaultOfOther.Broken(l.ID, k, name)
	}
	return nil
}

// place returns the admitted event with an id. It returns ok = false if there is none.
func (s *Stream) place(id []byte) (place, bool) {
	if at, ok := s.events.Find(id); ok {
		return at, true
	}
	at, ok := s.withDefault(id)
	return at, ok && at.pos <= s.processes[at.process].admitted
}

// reference returns a reference to the event with an id, by its place if it is admitted.
func (s *Stream) reference(id []byte) reference {
	if at, ok := s.place(id); ok {
		return reference{place: at}
	}
	return reference{id: string(id)}
}

// counted returns a reference to the last event that an entry of a clock counts.
func (s *Stream) counted(c Count) reference {
	if p, ok := s.number[string(c.Process)]; ok && c.Events <= s.processes[p].admitted {
		return reference{place: place{p, c.Events}}
	}
	return reference{id: string(admission.AppendDefault([]byte(byCount), string(c.Process), c.Events))}
}

// refer adds a reference to e, which then waits if the event it refers to is not admitted.
func (s *Stream) refer(e *pending, r reference) {
	if r.id != "" {
		e.missing++
	}
	e.after = append(e.after, r)
}

// calls returns the ids by which references name an event; some may be "".
func (s *Stream) calls(e *pending) [3]string {
	count := string(admission.AppendDefault([]byte(byCount), s.names[e.process], e.pos))
	all := [...]string{e.id, count[len(byCount):], count}
	if s.isOwn(e.id, e.place) || e.id == all[1] {
		all[1] = ""
	}
	return all
}

// awaited reports whether another event waits for e, because of a message of e or a reference to it.
func (s *Stream) awaited(e *pending) bool {
	if slices.ContainsFunc(e.sends, func(m *message) bool { return len(m.waiting) > 0 }) {
		return true
	}
	if len(s.waiting) == 0 {
		return false
	}
	all := s.calls(e)
	return slices.ContainsFunc(all[:], func(id string) bool { return len(s.waiting[id]) > 0 })
}

// announce releases the events that wait for an id of e.
func (s *Stream) announce(e *pending) {
	if len(s.waiting) == 0 {
		return
	}
	for _, id := range s.calls(e) {
		waiting := s.waiting[id]
		delete(s.waiting, id)
		for _, w := range waiting {
			w.event.after[w.i] = reference{place: e.place}
			s.release(w.event)
		}
	}
}

// byID returns the queued event that a reference names; nil if there is none.
func (s *Stream) byID(id string) *pending {
	if e := s.arrived[id]; e != nil {
		return e
	}
	find := s.withDefault
	if count, ok := strings.CutPrefix(id, byCount); ok {
		id = count
		find = s.position
	}
	at, ok := find([]byte(id))
	if !ok {
		return nil
	}
	p := &s.processes[at.process]
	return p.queue[at.pos-p.admitted-1]
}
