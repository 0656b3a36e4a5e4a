package online

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
)

// Of many executions that are open most are quiet. Executions is an LRU cache of their monitors: an
// evicted one is loaded again by a replay of the lines of its execution. So only executions of few
// lines can be evicted, and none with an obligation, as a replay would not know since when it is
// pending.

const (
	defaultMaxLoaded = 4096
	maxReplayed      = 4 << 10 // bytes of encoded lines
	historyChunk     = 1 << 20
)

// history is the lines of an execution, while they are few, as stream.Codec writes them.
type history struct {
	full  [][]byte // chunks before the last one, so that no more than a chunk is ever copied
	last  []byte
	bytes int  // in all chunks
	long  bool // they are too many to be kept
}

// add adds a line, if all take that many bytes at most. It uses buffer to encode it.
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

// all yields the lines, none where they are too many to be kept.
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

// Prefix returns the first events of an execution, so many as have been admitted from its lines, with labels, times
// and places; nil where its lines are too many to be kept. Errors come from graphs.Builder.
//
// The time complexity of Prefix is O(length of the lines), and that of building a computation.
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

// Over reports whether all answers are final, though e has not ended, and nothing is left to
// be decided. It is not said where there is only one execution.
func (e *Execution) Over() bool { return e.Monitor == nil && !e.evicted }

// Load gives e its monitor back. An execution that is over has none. Evict must be called some time
// after it.
//
// The time complexity of Load is O(1), for an evicted execution the time of deciding its lines.
func (x *Executions) Load(e *Execution) {
	switch {
	case e.Monitor != nil && e.used != nil:
		x.loaded.MoveToBack(e.used)
	case e.Monitor != nil:
		e.used = x.loaded.PushBack(e)
	case e.evicted:
		x.attach(e)
		for l := range e.history.all {
			_ = e.Monitor.Add(l) // accepted lines are accepted again
		}
		// All lines are decided at once here, so an answer may be found sooner than it was before.
		e.replayed, _ = e.Monitor.Decide(context.Background())
	}
}

// attach gives e a monitor that knows nothing.
func (x *Executions) attach(e *Execution) {
	e.Monitor = newMonitor(x.says, x.opts)
	e.evicted = false
	e.used = x.loaded.PushBack(e)
}

// detach takes the monitor of e away. Then e is over, or evicted.
func (x *Executions) detach(e *Execution) {
	if e.used != nil {
		x.loaded.Remove(e.used)
	}
	e.Monitor = nil
	e.used = nil
}

// Evict evicts the least recently used executions beyond MaxLoaded. It calls decide for those with
// undecided lines.
func (x *Executions) Evict(decide func(*Execution) error) error {
	for x.loaded.Len() > x.opts.MaxLoaded {
		e := x.loaded.Front().Value.(*Execution)
		if e.open {
			if err := decide(e); err != nil {
				return err
			}
		}
		switch {
		case e.Monitor == nil: // it is over
		case e.history.long || e.pending():
			x.loaded.Remove(e.used) // it stays loaded, and does not count
			e.used = nil
		default:
			e.held = e.stream.Held()
			x.detach(e)
			e.evicted = true
		}
	}
	return nil
}

// pending reports whether an obligation of e is open.
func (e *Execution) pending() bool {
	for i := range e.props {
		if len(e.Monitor.Obligations(i)) > 0 {
			return true
		}
	}
	return false
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
