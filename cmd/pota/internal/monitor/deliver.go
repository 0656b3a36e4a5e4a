package monitor

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/online"
)

// deliver delivers an answer and waits for the consumers. The next run delivers the answers that they do not get.
func (m *Monitor) deliver(x *item) {
	m.meter.answers.Of(x.answer.Verdict).Add(1)
	if err := m.outbox.deliver(m.patience, x, m.JSON); err != nil {
		m.undelivered = true
	}
}

// dirty reports whether anything waits for a commit.
func (m *Monitor) dirty() bool {
	return m.journal.Pending()+len(m.replies)+len(m.outbox.held) > 0 || m.outbox.acks() != m.outbox.noted
}

// maybeCommit makes a group commit: once no input has been waiting for as long as the last commit
// took, or once enough is uncommitted.
func (m *Monitor) maybeCommit(idle bool) error {
	// After a failed commit, nothing can become safe any more.
	if m.stopped || !m.dirty() {
		return nil
	}
	begun := time.Now()
	if m.since.IsZero() {
		m.since = begun
	}
	// Without a log a commit costs nothing, so answers are delivered at once.
	much := m.Log == "" || m.journal.Pending() >= maxUncommitted || len(m.outbox.held) >= maxHeld
	if !much && (!idle || begun.Sub(m.since) < m.took) {
		return nil
	}
	err := m.commit()
	m.since = time.Time{}
	m.took = time.Since(begun)
	return err
}

// commit commits the records and answers so far. Then it replies to senders, and delivers the
// answers, in this order, because senders must not wait for a slow consumer.
func (m *Monitor) commit() error {
	// Senders must not wait forever, even if their lines are not safe.
	if m.stopped || !m.dirty() {
		m.reply(receive.ErrEnding)
		return nil
	}
	// The acknowledgements are read once, because consumers continue while the commit is written.
	acks := m.outbox.acks()
	if acks != m.outbox.noted {
		m.journal.record(kindAck, &head{Acks: &acks}, nil)
	}
	held := m.outbox.held
	for _, x := range held {
		m.journal.record(kindAnswer, &head{Seq: x.seq, Key: x.key, Answer: x.answer}, nil)
	}
	err := m.journal.commit()
	m.reply(err)
	if err != nil {
		m.stopped = true
		return err
	}
	// Answers may be forgotten only now that the log has their acknowledgements.
	m.outbox.note(acks)
	m.outbox.held = nil
	// Answers join unacked before the delivery, so that a compaction keeps all of them.
	m.outbox.unacked = append(m.outbox.unacked, held...)
	for _, x := range held {
		m.deliver(x)
	}
	return m.journal.compact(m)
}

// reply answers the waiting senders of lines and spans. If the commit failed, they must send all of them again,
// including those before a refused one.
func (m *Monitor) reply(failed error) {
	for _, r := range m.replies {
		// They may be on the disk or not, so they must be sent again.
		if failed != nil {
			r.err = receive.ErrEnding
		}
		r.to <- r.err
	}
	m.replies = m.replies[:0]
}

// flush waits until consumers have all answers. Once the run is interrupted, it does not wait for long.
func (m *Monitor) flush() error {
	if s := m.outbox.sinks[reader]; s != nil && !m.closed {
		// A write error explains more than the number of undelivered answers.
		all := s.Flush(m.patience)
		select {
		case err := <-s.Failed():
			return m.unwritten(err)
		default:
		}
		switch {
		case all && !m.undelivered:
		case m.Log != "": // the log has the answers, unacknowledged
			return fmt.Errorf("writing the results: %w: the next run delivers the final ones that are left", errUnread)
		default:
			return fmt.Errorf("writing the results: %w, and the last of them are lost", errUnread)
		}
	}
	if s := m.outbox.sinks[command]; s != nil && !s.Flush(m.patience) {
		m.Note(fmt.Sprintf("--exec: the command has not got %d answers", s.Waiting()))
	}
	return nil
}

// closeSinks ends the delivery. It kills a running command and waits for it, because the process must not
// outlive the run. It does not wait for a reader, which might never read.
func (m *Monitor) closeSinks() {
	for i, s := range m.outbox.sinks {
		if s == nil {
			continue
		}
		s.Close()
		if i == command {
			<-s.Done()
		}
	}
}

// reportOpen delivers the answers on spans and lines that are still open. They are not kept in the log.
func (m *Monitor) reportOpen(spans []*Answer) error {
	for _, a := range spans {
		m.status = exit.Worst(m.status, exit.Undecided)
		m.deliver(&item{answer: a})
	}
	for e := range m.executions.All {
		m.executions.Load(e)
		// The execution of lines exists even if all input was spans.
		onlySpans := e.Name == "" && e.Stream().Admitted() == 0 && (len(m.Listen) > 0 || !m.spans.None())
		if e.Over() || onlySpans {
			continue
		}
		for i := range m.Properties {
			if x := e.Answer(i); !x.Final {
				m.found(e, x, "")
			}
		}
		if err := m.executions.Evict(m.decideOne); err != nil {
			return err
		}
	}
	return nil
}

// answerTo returns an answer without a verdict to a property of an execution.
func (m *Monitor) answerTo(property int, execution string) *Answer {
	p := m.Properties[property]
	formula := strings.Join(strings.Fields(p.Source), " ")
	return &Answer{Execution: execution, Property: cmp.Or(p.Name, formula), Formula: formula}
}

// foretell notes when each property can hold or fail for good. It shows plain outlooks only on a terminal.
func (m *Monitor) foretell() {
	names := make(map[string][]string)
	for i, p := range m.Properties {
		outlook, err := online.Expect(p.Formula, m.Declared, m.Skew)
		text := outlook.String()
		if err != nil {
			text = err.Error()
		}
		m.outlooks = append(m.outlooks, text)
		// Executions of spans are decided as a whole, when they are over.
		if !m.format.Documents() && (err != nil || m.Status != nil || !outlook.Plain()) {
			names[text] = append(names[text], m.answerTo(i, "").Property)
		}
	}
	for _, text := range m.outlooks {
		if list := names[text]; list != nil && !m.Quiet {
			m.Note(fmt.Sprintf("%s %s", graphs.Printable(graphs.List(list, maxNamed)), text))
		}
		delete(names, text)
	}
}

// maxNamed is how many properties are named in one note.
const maxNamed = 10
