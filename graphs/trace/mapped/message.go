package mapped

import "github.com/pota-project/pota/graphs/trace/internal/symbols"

// end is where a message is sent, received or lost.
type end struct {
	key, event   int32
	line, column int32
	to           int32 // of a send: a name, -1 for none
	pattern      bool  // of a send: to is a pattern
	kind         endKind
}

// endKind tells what happens to a message at an end.
type endKind uint8

const (
	sent endKind = iota
	received
	mayBeUnsent // it is received; without a send, the event is like others
	lost
)

// traffic is what events send, receive and lose.
type traffic struct {
	keys         symbols.Table // of messages
	sends, recvs []end
}

// messages notes what an event sends, receives and loses.
func (a *adding) messages(e int32, r *messages) {
	if !r.when.holds(a.row, a.text) {
		return
	}
	var does [3]bool
	for i, s := range r.sides {
		does[i] = s != nil && s.when.holds(a.row, a.text)
	}
	// Most lines neither send nor receive.
	if does == [3]bool{} {
		return
	}
	if r.loop < 0 {
		a.ends(e, r, does, a.s.line, a.row)
		return
	}
	l := &a.s.loops[r.loop]
	for rows := a.rows(l); len(rows) > 0; rows = rows[l.frame.size:] {
		a.ends(e, r, does, l.frame, rows[:l.frame.size])
	}
}

// ends adds the ends of messages in one row.
func (a *adding) ends(e int32, r *messages, does [3]bool, f *frame, row []value) {
	for i, s := range r.sides {
		if !does[i] || !s.where.holds(row, a.text) {
			continue
		}
		x := a.end(e, r.kind, s, f, row)
		if s.kind == sent {
			a.sends = append(a.sends, x)
		} else {
			a.recvs = append(a.recvs, x)
		}
	}
}

// keyField appends a field of a key. Where several formats meet, some have no numbers, so all
// fields are texts.
func (a *adding) keyField(key []byte, v value) []byte {
	if v.kind != numberKind || len(a.m.sources) == 1 {
		return v.canonical(key, a.text)
	}
	return append(v.canonical(append(key, '"'), a.text), '"')
}

// end returns one end of a message.
func (a *adding) end(e, kind int32, s *side, f *frame, row []value) end {
	// The number of the kind is part of the key; kinds share one table.
	key := append(a.scratch[:0], byte(kind), byte(kind>>8))
	at := a.line.from
	x := end{event: e, line: a.line.number, to: -1, kind: s.kind}
	for i, slot := range s.key {
		v := row[slot]
		if v.kind == absentKind {
			a.wrong(v, "the key of a message is missing: there is no %s", f.pointers[slot])
			return x // with its event, as a Scanner hands on those before
		}
		if i == 0 {
			at = v.start()
		}
		// Values end with a zero byte, which no canonical form has, so keys of several fields are
		// unambiguous.
		key = append(a.keyField(key, v), 0)
	}
	a.scratch = key
	a.finds(s.part)
	x.column = a.column(at)
	x.key = a.keys.Intern(key)
	if s.to != nil && a.optional("the receiver", s.to, f, row) {
		x.to, x.pattern = a.name(a.scratch), s.to.isPattern()
	}
	return x
}
