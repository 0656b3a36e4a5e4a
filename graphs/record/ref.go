package record

import "strconv"

// A Ref names an event, for After. The zero Ref names none.
type Ref struct {
	process  *Process
	position int
	id       string // of its own; "" for process:k
}

// EventID returns a Ref to the event with an id that String returned where it was recorded.
func EventID(id string) Ref { return Ref{id: id} }

// IsZero reports whether r names no event.
func (r Ref) IsZero() bool { return r == Ref{} }

// String returns the id of the event, "" for none.
func (r Ref) String() string {
	switch {
	case r.id != "":
		return r.id
	case r.process == nil:
		return ""
	}
	return r.process.name + ":" + strconv.Itoa(r.position)
}

// appendTo appends the id as JSON.
func (r Ref) appendTo(b []byte) []byte {
	if r.id != "" {
		return appendString(b, r.id)
	}
	b = append(b, r.process.quoted...)
	b = strconv.AppendInt(append(b, ':'), int64(r.position), 10)
	return append(b, '"')
}

// of reports whether the event is one of p.
func (r Ref) of(p *Process) bool { return p != nil && r.process == p }
