package spans

import (
	"encoding/hex"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/pota-project/pota/graphs/stream"
)

// mostSaved is how many ids of executions that are over Code codes, the last ones.
const mostSaved = 1 << 16

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

// Code codes a table, which is read into one that is empty, as if all spans had arrived now.
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
	over := append(append([]pcommon.TraceID(nil), t.order[t.next:]...), t.order[:t.next]...)
	over = over[max(0, len(over)-mostSaved):]
	stream.List(c, &over, func(id *pcommon.TraceID) { codeID(c, id[:]) })
	if c.Reading() {
		for _, id := range over {
			t.past(id)
		}
	}
}

// codeID codes an id, which always has as many bytes.
func codeID(c *stream.Codec, id []byte) {
	text := string(id)
	stream.Text(c, &text)
	copy(id, text)
}
