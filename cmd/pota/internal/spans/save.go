package spans

import (
	"encoding/hex"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/pota-project/pota/graphs/stream"
)

// End takes out the open execution of an id in hexadecimal, if there is one.
func (t *Table) End(id string) (x Execution, ok bool) {
	var trace pcommon.TraceID
	if n, err := hex.Decode(trace[:], []byte(id)); err != nil || n != len(trace) {
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

// Code codes the open executions of a table, which are read into one that has none, as if all spans had
// arrived now.
func (t *Table) Code(c *stream.Codec, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*execution
	for i := range t.waiting {
		for e := t.waiting[i].Front(); e != nil; e = e.Next() {
			all = append(all, e.Value.(*execution))
		}
	}
	stream.List(c, &all, func(x **execution) {
		if c.Reading() {
			*x = &execution{last: now}
		}
		e := *x
		codeID(c, e.trace[:])
		stream.Number(c, &e.Spans)
		stream.Number(c, &e.bytes)
		c.Bool(&e.Root)
		stream.Text(c, &e.Format)
		stream.Text(c, &e.Lost)
		stream.List(c, &e.parts, func(p *text) {
			stream.Text(c, &p.data)
			c.Bool(&p.binary)
		})
		var ids []pcommon.SpanID
		for id := range e.ids {
			ids = append(ids, id)
		}
		stream.List(c, &ids, func(id *pcommon.SpanID) { codeID(c, id[:]) })
		if !c.Reading() || c.Err() != nil {
			return
		}
		e.ID = hex.EncodeToString(e.trace[:])
		if e.Lost == "" {
			e.ids = make(map[pcommon.SpanID]bool, len(ids))
			for _, id := range ids {
				e.ids[id] = true
			}
		}
		t.bytes += e.bytes
		t.open[e.trace] = t.list(e).PushBack(e)
	})
}

// LenOfID is how many bytes an id takes that Past returns.
const LenOfID = len(pcommon.TraceID{})

// Past returns the ids of executions that are over, as far as they are known, but for the first ones of
// all that have ever been, and how many have been. AddPast reads them.
func (t *Table) Past(but uint64) (ids []byte, ended uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := min(t.ended-min(but, t.ended), uint64(len(t.order))); n > 0; n-- {
		id := t.order[(uint64(t.next)+uint64(len(t.order))-n)%uint64(len(t.order))]
		ids = append(ids, id[:]...)
	}
	return ids, t.ended
}

// AddPast adds ids that Past returned, of which the last ones are the last to be over.
func (t *Table) AddPast(ids []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range slices.Chunk(ids, LenOfID) {
		t.past(pcommon.TraceID(id))
	}
}

// codeID codes an id, which always has as many bytes.
func codeID(c *stream.Codec, id []byte) {
	text := string(id)
	stream.Text(c, &text)
	copy(id, text)
}
