package spans

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs/stream"
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

// Code codes the open executions of a table. A table that reads them must have none; their spans
// count as having arrived now.
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
		codeWords(c, &e.trace.High, &e.trace.Low)
		stream.Number(c, &e.Spans)
		stream.Number(c, &e.bytes)
		c.Bool(&e.Root)
		stream.Text(c, &e.Format)
		stream.Text(c, &e.Lost)
		stream.List(c, &e.parts, func(p *text) {
			stream.Text(c, &p.data)
			c.Bool(&p.binary)
		})
		var ids []otlp.SpanID
		for id := range e.ids {
			ids = append(ids, id)
		}
		stream.List(c, &ids, func(id *otlp.SpanID) { codeWords(c, (*uint64)(id)) })
		if !c.Reading() || c.Err() != nil {
			return
		}
		e.ID = e.trace.String()
		if e.Lost == "" {
			e.ids = make(map[otlp.SpanID]bool, len(ids))
			for _, id := range ids {
				e.ids[id] = true
			}
		}
		t.bytes += e.bytes
		t.open[e.trace] = t.list(e).PushBack(e)
	})
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

// codeWords codes an id, eight bytes for each word.
func codeWords(c *stream.Codec, words ...*uint64) {
	var text []byte
	for _, w := range words {
		text = binary.BigEndian.AppendUint64(text, *w)
	}
	stream.Text(c, &text)
	if c.Err() != nil {
		return
	}
	for i, w := range words {
		*w = binary.BigEndian.Uint64(text[8*i:])
	}
}
