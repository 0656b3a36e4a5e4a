package monitor

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/ingest"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/wal"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/graphs/trace/otlp"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl/report"
)

// recover opens the log, and applies the input that the process before this one had accepted.
func (m *Monitor) recover() error {
	if m.Log == "" {
		return nil
	}
	log, err := wal.Open(m.Log)
	if err == nil {
		m.journal = &durable{Log: log, due: minCompacted}
		err = m.recoverFrom(log)
	}
	if err != nil {
		m.stopped = true
		return fmt.Errorf("the write-ahead log in %s: %w", m.Log, err)
	}
	if err := m.decide(); err != nil {
		return err
	}
	// It is not known how far the delivery got, so these answers are marked as repeated.
	for _, x := range m.outbox.unacked {
		again := *x.answer
		again.Repeated = true
		m.deliver(&item{seq: x.seq, answer: &again})
	}
	return nil
}

// recoverFrom reads the log twice: first it checks all records and collects answers and positions, then
// it replays the input.
func (m *Monitor) recoverFrom(log *wal.Log) error {
	begun := false
	// First all records are checked, so that a damaged log leads to no answer at all.
	torn, err := log.Recover(func(r wal.Record) error {
		h, _, err := decode(r.Data)
		if err == nil && !begun && kind(r.Type) != kindState {
			err = wal.ErrDamaged
		}
		begun = true
		if err != nil {
			return err
		}
		return m.survey(kind(r.Type), h)
	})
	if err != nil {
		return err
	}
	if torn > 0 {
		m.Note(fmt.Sprintf("the write-ahead log in %s ends in a commit that was not finished: its %d bytes are cut off; nothing in them was acknowledged", m.Log, torn))
	}
	if !begun {
		m.journal.record(kindState, &head{State: &state{Conditions: m.conditions}}, nil)
		return m.journal.commit()
	}
	if err := m.replay(log); err != nil {
		return err
	}
	m.outbox.note(m.outbox.noted)
	return nil
}

// survey notes the answers and positions in a record.
func (m *Monitor) survey(k kind, h *head) error {
	switch {
	// No version of this program writes a record that has a correct checksum but lacks its content.
	case k == kindState && h.State == nil, k == kindAnswer && h.Answer == nil, k == kindAck && h.Acks == nil:
		return wal.ErrDamaged
	case k == kindState:
		if name := differs(h.State.Conditions, m.conditions); name != "" {
			return fmt.Errorf("it is not of the same %s: use another directory, or remove this one", name)
		}
		m.status = exit.Worst(m.status, exit.Status(h.State.Status))
		m.outbox.seq = h.State.Seq
		m.outbox.noted = h.State.Acks
		maps.Copy(m.outbox.known, h.State.Emitted)
		maps.Copy(m.positions, h.State.Positions)
	case k == kindAnswer:
		if h.Key != "" { // otherwise State.Emitted counts it
			m.outbox.known[h.Key]++
		}
		m.outbox.seq = h.Seq
		m.outbox.unacked = append(m.outbox.unacked, &item{seq: h.Seq, key: h.Key, answer: h.Answer})
		verdict, _ := report.ParseVerdict(h.Answer.Verdict) // this package wrote it
		m.status = exit.Worst(m.status, present.StatusOf(verdict))
	case k == kindAck:
		m.outbox.note(*h.Acks)
	case h.At != nil:
		m.note(h.At)
	}
	return nil
}

// differs returns the name of the first condition that has changed; "" if none has.
func differs(was, is []condition) string {
	for i, c := range is {
		if i >= len(was) || was[i] != c {
			return c.Name
		}
	}
	if len(was) > len(is) {
		return was[len(is)].Name
	}
	return ""
}

// replay applies the records of the log.
func (m *Monitor) replay(log *wal.Log) error {
	m.replaying = true
	// The process before this one may have had more memory, and acknowledged input must not be refused now.
	m.spans.Bound(math.MaxInt)
	if m.single() {
		if _, err := m.executions.Of(nil, m.clock); err != nil {
			return err
		}
	}
	files := make(map[string]bool)
	// The second pass replays the input in its order.
	err := log.Read(func(r wal.Record) error {
		h, body, err := decode(r.Data)
		if err != nil {
			return err
		}
		m.replayed = r.Seq
		if h.At != nil {
			files[h.Source] = true // other sources are connections, which are gone
		}
		return m.replayOne(kind(r.Type), h, bytes.Clone(body))
	})
	m.replaying = false
	maps.DeleteFunc(m.sources, func(name string, _ *ingest.Source) bool { return !files[name] })
	m.spans.Bound(m.spansMemory())
	return err
}

// replayOne applies a record.
func (m *Monitor) replayOne(k kind, h *head, body []byte) error {
	switch k {
	case kindState:
		for _, name := range h.State.Ended {
			m.executions.AddEnded(name)
		}
		for _, name := range h.State.Over {
			m.executions.AddOver(name, m.clock)
		}
	case kindPast:
		m.spans.AddPast(body)
	case kindLines:
		return m.replayLines(h, body)
	case kindSpans:
		export, err := receive.ReadExport(body, h.JSON)
		if err == nil {
			_, err = m.spans.Add(m.clock, export.Spans)
		}
		return err
	case kindSpansOver:
		if x, ok := m.spans.End(h.Execution); ok {
			m.decideSpans(&x)
		}
	case kindEnd:
		switch e := m.executions.Find(h.Execution); {
		case e == nil: // its own lines had ended it before
		case h.GivenUp:
			m.giveUp(e, h.How)
		default:
			return m.endExecution(e, h.How)
		}
	}
	return nil
}

// replayLines applies lines. With a deadline, it decides about as often as the process before did, so
// that obligations get similar dates.
func (m *Monitor) replayLines(h *head, text []byte) error {
	at := m.looked.Add(time.Unix(0, h.Time).Sub(m.looked.Round(0))) // with a monotonic clock
	if m.Deadline > 0 && at.Sub(m.arrived) > m.Deadline/idleSteps {
		if err := m.decide(); err != nil {
			return err
		}
	}
	m.arrived = at
	did, err := m.apply(h, text, nil)
	if undecided, ok := errors.AsType[*undecidedError](err); ok {
		return undecided.error
	}
	if did.Whole && h.Sent { // only the last line was refused
		err = nil
	}
	return err
}

// minCompacted is the size in bytes below which a log is not compacted, because its replay is fast.
const minCompacted = 4 << 20

// compact implements journal. Its time complexity is O(length of the log), amortized O(1) for each record.
func (d *durable) compact(m *Monitor) error {
	// The lines of a single execution are needed as long as it lasts.
	if d.Size() < d.due || m.single() && m.spans.None() {
		return nil
	}
	s := m.state()
	// Records that are still needed are copied in their order; everything else is in the state.
	err := d.Rewrite(func(add func(uint8, ...[]byte)) error {
		put := func(k kind, h *head, body []byte) { add(uint8(k), h.encode(), body) }
		put(kindState, &head{State: s}, nil)
		put(kindPast, &head{}, m.spans.Past())
		for _, x := range m.outbox.unacked {
			put(kindAnswer, &head{Seq: x.seq, Answer: x.answer}, nil)
		}
		return d.Read(func(r wal.Record) error {
			h, body, err := decode(r.Data)
			if err != nil {
				return err
			}
			if body, needed := m.needed(kind(r.Type), h, body, r.Seq); needed {
				h.At = nil // the state has a later position, which an old one must not overwrite
				put(kind(r.Type), h, body)
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("the write-ahead log cannot be compacted: %w", err)
	}
	// The new log has no lines of executions that have ended.
	clear(m.endedAt)
	d.due = max(minCompacted, 2*d.Size())
	return nil
}

// state returns the state that a compacted log begins with.
func (m *Monitor) state() *state {
	s := &state{
		Conditions: m.conditions,
		Status:     int(m.status),
		Seq:        m.outbox.seq,
		Acks:       m.outbox.noted,
		Emitted:    maps.Clone(m.outbox.known),
		Positions:  m.positions,
		Ended:      slices.Collect(m.executions.Ended),
	}
	for e := range m.executions.All {
		// The lines of an execution that is over are dropped, so a replay must find its name here.
		if e.Name != "" && e.Over() {
			s.Over = append(s.Over, e.Name)
			continue
		}
		for i := range m.Properties {
			key := keyOf(i, e.Name)
			if n := m.outbox.emitted[key]; n > 0 {
				s.Emitted[key] += n
			}
		}
	}
	return s
}

// needed returns the part of a body that open executions need, and whether there is one.
func (m *Monitor) needed(k kind, h *head, body []byte, number uint64) ([]byte, bool) {
	switch {
	case k == kindSpans:
		export, err := receive.ReadExport(body, h.JSON)
		return body, err == nil && slices.ContainsFunc(export.Spans, func(s *otlp.Span) bool { return m.spans.IsOpen(s.Trace) })
	case k != kindLines:
		return nil, false
	case m.format.Documents():
		body = linesOf(body, m.hasOpenSpans)
	case m.ExecutionKey != "":
		body = linesOf(body, func(line []byte) bool {
			name := native.ExecutionOf(line, m.ExecutionKey)
			e := m.executions.Find(name)
			ended, ok := m.endedAt[name]
			return e != nil && name != "" && !e.Over() && (!ok || number > ended)
		})
	}
	return body, len(body) > 0
}

// linesOf returns the lines of a text that are needed.
func linesOf(text []byte, needed func(line []byte) bool) (some []byte) {
	for line := range bytes.Lines(text) {
		if needed(line) {
			some = append(some, line...)
		}
	}
	return some
}

// hasOpenSpans reports whether a document has spans of an open execution.
func (m *Monitor) hasOpenSpans(line []byte) bool {
	open := false
	// There is no error, because the document was accepted before.
	_ = m.format.Document("", bytes.TrimSpace(line), 1, func(p *split.Piece) error {
		id, ok := spans.ParseID(p.Key)
		open = open || ok && m.spans.IsOpen(id)
		return nil
	})
	return open
}
