package online

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
)

// Most of many open executions are quiet. Executions is an LRU cache of their monitors: an evicted
// monitor is loaded again by a replay of the lines of its execution. So only executions with few lines
// can be evicted, and none with an obligation, because a replay would not know since when it is pending.

const (
	defaultMaxLoaded = 4096
	maxReplayed      = 4 << 10 // bytes of encoded lines
	historyChunk     = 1 << 20
)

// history has the lines of an execution, as stream.Codec writes them, while they are few.
type history struct {
	full  [][]byte // the chunks before the last one; chunks bound how much append copies
	last  []byte
	bytes int  // the number of bytes in all chunks
	long  bool // whether the lines were too many, and were dropped
}

// add adds a line, unless the lines would then exceed most bytes; in that case it drops them all. It uses buffer to
// encode the line.
func (h *history) add(buffer *stream.Codec, l *stream.Line, most int) {
	if h.long {
		return
	}
	buffer.Truncate(0)
	buffer.Line(l)
	line := buffer.Bytes()
	if h.bytes+len(line) > most {
		*h = history{long: true}
		return
	}
	h.bytes += len(line)
	if h.bytes > historyChunk && cap(h.last)-len(h.last) < len(line) {
		h.full = append(h.full, h.last)
		h.last = make([]byte, 0, historyChunk)
	}
	h.last = append(h.last, line...)
}

// all yields the lines, or none if they were too many to be kept.
func (h *history) all(yield func(*stream.Line) bool) {
	var l stream.Line
	for _, chunk := range append(slices.Clip(h.full), h.last) {
		for c := stream.NewReader(chunk); len(c.Bytes()) > 0; {
			if c.Line(&l); !yield(&l) {
				return
			}
		}
	}
}

// Prefix returns the given number of first events of an execution, with labels, times and places; nil if the lines were
// too many to be kept. Errors come from graphs.Builder.
//
// The time complexity of Prefix is O(length of the lines), plus the time of building a computation.
func (x *Executions) Prefix(e *Execution, events int64) (*graphs.Computation, error) {
	opts := x.opts.Options
	opts.Counted, opts.Released = nil, nil
	s := stream.New(opts)
	s.SetView(stream.View{Whole: true, Everything: true, AnyChannel: true})
	for l := range e.history.all {
		if l.Kind == stream.Event && s.Admitted() >= events {
			break
		}
		_ = s.Add(l) // it was accepted
	}
	if s.Admitted() != events {
		return nil, nil
	}
	w, err := s.Window(s.Marks()[s.Mark()], false)
	if err != nil {
		return nil, err
	}
	return w.Computation, nil
}

// Over reports whether nothing remains to be decided on e, because all its answers are final, although it has not
// ended. A single unnamed execution is never over.
func (e *Execution) Over() bool { return e.Monitor == nil && !e.evicted }

// Load gives e its monitor back, unless e is over. Evict must be called some time after it.
//
// The time complexity of Load is O(1), or the time of deciding its lines for an evicted execution.
func (x *Executions) Load(e *Execution) {
	switch {
	case e.Monitor != nil && e.used != nil:
		x.loaded.MoveToBack(e.used)
	case e.Monitor != nil:
		e.used = x.loaded.PushBack(e)
	case e.evicted:
		x.attach(e)
		for l := range e.history.all {
			_ = e.Monitor.Add(l) // lines that were accepted once are accepted again
		}
		// Here all lines are decided at once, so an answer may be found earlier than before.
		e.replayed, _ = e.Monitor.Decide(context.Background())
	}
}

// attach gives e a new monitor.
func (x *Executions) attach(e *Execution) {
	e.Monitor = newMonitor(x.says, x.opts)
	e.evicted = false
	e.used = x.loaded.PushBack(e)
}

// detach drops the monitor of e, which is then over or evicted.
func (x *Executions) detach(e *Execution) {
	if e.used != nil {
		x.loaded.Remove(e.used)
	}
	e.Monitor = nil
	e.used = nil
}

// Evict evicts the least recently used executions in excess of MaxLoaded. It calls decide for those with
// undecided lines.
func (x *Executions) Evict(decide func(*Execution) error) error {
	for x.loaded.Len() > x.opts.MaxLoaded {
		e := x.loaded.Front().Value.(*Execution)
		if e.open {
			if err := decide(e); err != nil {
				return err
			}
		}
		stays := e.history.long // or has an open obligation
		for i := range x.says.list {
			stays = stays || len(e.Obligations(i)) > 0
		}
		switch {
		case e.Monitor == nil: // it is over
		case stays:
			x.loaded.Remove(e.used) // it stays loaded and no longer counts
			e.used = nil
		default:
			e.held = e.stream.Held()
			x.detach(e)
			e.evicted = true
		}
	}
	return nil
}

// Kept returns how much counts towards the limit of the window, as [stream.Stream.Held] does.
func (e *Execution) Kept() int {
	switch {
	case e.Monitor != nil:
		return e.stream.Held()
	case e.evicted:
		return e.held
	}
	return 0
}

// Obligations lists the open obligations of a property, as [Monitor.Obligations] does; none if e is
// evicted or over.
func (e *Execution) Obligations(property int) []Obligation {
	if e.Monitor == nil {
		return nil
	}
	return e.Monitor.Obligations(property)
}
