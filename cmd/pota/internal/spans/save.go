package spans

import (
	"encoding/binary"
	"slices"

	"github.com/pota-project/pota/graphs/trace/otlp"
)

// End removes and returns the open execution of an id in hexadecimal, if there is one.
func (t *Table) End(id string) (x Execution, ok bool) {
	trace, ok := ParseID(id)
	if !ok {
		return Execution{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.open[trace]
	if e == nil {
		return Execution{}, false
	}
	return t.end(e), true
}

// IsOpen reports whether the execution of an id is open.
func (t *Table) IsOpen(id otlp.TraceID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open[id] != nil
}

// LenOfID is how many bytes an id takes that Past returns.
const LenOfID = 16

// Past returns the ids of the remembered executions, without the first ones of all that have
// ended, and the number of all. AddPast reads the ids.
func (t *Table) Past(but uint64) (ids []byte, ended uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := min(t.ended-min(but, t.ended), uint64(len(t.order))); n > 0; n-- {
		id := t.order[(uint64(t.next)+uint64(len(t.order))-n)%uint64(len(t.order))]
		ids = binary.BigEndian.AppendUint64(ids, id.High)
		ids = binary.BigEndian.AppendUint64(ids, id.Low)
	}
	return ids, t.ended
}

// AddPast adds ids that Past returned, in the order in which the executions ended.
func (t *Table) AddPast(ids []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range slices.Chunk(ids, LenOfID) {
		t.past(otlp.TraceID{
			High: binary.BigEndian.Uint64(id),
			Low:  binary.BigEndian.Uint64(id[8:]),
		})
	}
}
