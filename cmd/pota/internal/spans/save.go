package spans

import (
	"encoding/binary"
	"slices"

	"github.com/pota-project/pota/graphs/trace/otlp"
)

// End removes and returns the open execution of an id in hexadecimal, if there is one.
func (t *Table) End(id string) (x Execution, ok bool) {
	trace, _ := ParseID(id) // no execution has the id that it is for another text
	e := t.open[trace]
	if e == nil {
		return Execution{}, false
	}
	return t.end(e), true
}

// IsOpen reports whether the execution of an id is open.
func (t *Table) IsOpen(id otlp.TraceID) bool { return t.open[id] != nil }

// lenOfID is how many bytes an id takes.
const lenOfID = 16

// Past returns the ids of the remembered executions, the first to end first. AddPast
// reads them.
func (t *Table) Past() (ids []byte) {
	for _, id := range slices.Concat(t.order[t.next:], t.order[:t.next]) {
		ids = binary.BigEndian.AppendUint64(ids, id.High)
		ids = binary.BigEndian.AppendUint64(ids, id.Low)
	}
	return ids
}

// AddPast adds ids that Past returned, in the same order.
func (t *Table) AddPast(ids []byte) {
	for id := range slices.Chunk(ids, lenOfID) {
		t.past(otlp.TraceID{
			High: binary.BigEndian.Uint64(id),
			Low:  binary.BigEndian.Uint64(id[8:]),
		})
	}
}
