package record

import "strconv"

// A Ref names an event, for After. The zero Ref names none.
type Ref struct {
	process  *Process
	position int
	more     *more // nil when an event has neither id nor clock
}

type more struct {
	id    string // of its own; "" for process:k
	clock clock  // its own, nil when there is none
}

// EventID returns a Ref to the event with an id that String returned where it was recorded.
func EventID(id string) Ref {
	if id == "" {
		return Ref{}
	}
	return Ref{more: &more{id: id}}
}

// IsZero reports whether r names no event.
func (r Ref) IsZero() bool { return r.process == nil && r.more == nil }

// String returns the id of the event, "" for none.
func (r Ref) String() string {
	switch {
	case r.more != nil && r.more.id != "":
		return r.more.id
	case r.process == nil:
		return ""
	}
	return r.process.name + ":" + strconv.Itoa(r.position)
}

// appendTo appends the id as JSON.
func (r Ref) appendTo(b []byte) []byte {
	if r.more != nil && r.more.id != "" {
		return appendString(b, r.more.id)
	}
	b = append(b, r.process.quoted...)
	b = strconv.AppendInt(append(b, ':'), int64(r.position), 10)
	return append(b, '"')
}

// of reports whether the event is one of p.
func (r Ref) of(p *Process) bool { return p != nil && r.process == p }
