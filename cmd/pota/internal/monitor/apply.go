package monitor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/ingest"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/tail"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/timer"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// ingest applies a chunk, and records its accepted part. The sender of a chunk from the network
// waits for the answer through a. In other chunks a refused line ends the run, if the lines do not
// name their executions.
func (m *Monitor) ingest(c *tail.Chunk, a *arrival) error {
	if c.Note != "" {
		m.refusals.report("%s", c.Note)
		return nil
	}
	if c.Err != nil {
		return c.Err
	}
	m.tick()
	// The lag counts from the arrival, also while the chunk itself is being applied.
	if m.undecided.IsZero() {
		m.meter.waits(m.looked)
		defer func() { m.meter.waits(m.undecided) }()
	}
	// The head is made first, because a replay applies the same head and text in the same way.
	h := &head{
		Time:   time.Now().UnixNano(),
		Source: c.Source,
		Line:   c.Line,
		New:    c.New,
		Last:   c.Last,
		Sent:   a != nil,
	}
	did, err := m.apply(h, c.Text, a)
	accepted := did.Bytes
	wrong, undecided := errors.AsType[*undecidedError](err)
	if undecided && !did.Whole { // the line was accepted
		accepted += bytes.IndexByte(c.Text[accepted:], '\n') + 1
	}
	if did.Whole && err != nil && !undecided && a == nil {
		m.stopped = true // the next run reads the whole chunk again
	}
	// The chunk is recorded after it is applied, because only then the accepted part is known. Both
	// happen before the commit, so the order cannot be observed.
	m.keep(c, h, accepted, err == nil)
	if m.undecided.IsZero() && accepted > 0 {
		m.undecided = time.Now()
	}
	switch {
	// The run is being interrupted: the next run reads the rest of the chunk, or the sender sends
	// it again.
	case err == spans.ErrClosed:
		if a == nil {
			return nil
		}
		err = receive.ErrEnding
	case undecided:
		return wrong.error
	}
	if a != nil {
		m.replies = append(m.replies, reply{a.reply, err})
		return nil
	}
	if err != nil {
		// Answers that follow from the lines before the refused one are still due.
		_ = m.decide() // only the first error is reported
	}
	return err
}

// keep records the accepted part of a chunk; all says whether this is the whole chunk.
func (m *Monitor) keep(c *tail.Chunk, h *head, accepted int, all bool) {
	// The position stays before a refused line, so that the next run reads that line again.
	if c.At != nil && (accepted > 0 || all) {
		at := c.Prefix(accepted)
		h.At = &at
		m.note(&at)
	}
	// A chunk without text can still change a position, or end a source.
	if !m.stopped && (accepted > 0 || all && (c.At != nil || c.Last)) {
		m.journal.record(kindLines, h, c.Text[:accepted])
	}
}

// note records how far a file has been read.
func (m *Monitor) note(at *tail.Position) {
	if m.positions[at.File] = *at; at.Gone {
		delete(m.positions, at.File)
	}
}

// apply applies lines that arrive or are replayed, and returns how many bytes of them were accepted. See
// ingest.Source.Read.
func (m *Monitor) apply(h *head, text []byte, a *arrival) (ingest.Accepted, error) {
	if m.format.Documents() {
		accepted, err := m.documents(h, text)
		return ingest.Accepted{Bytes: accepted}, err
	}
	if len(text) == 0 && !h.Last {
		return ingest.Accepted{}, nil // the chunk has only a position
	}
	source := m.source(h, a)
	lines := ingest.Text{Lines: text, First: h.Line, Last: h.Last}
	accepted, err := source.Read(lines, &applier{m, h})
	if why := source.LowerBound(); why != "" {
		m.lower = why
	}
	if n := source.Skipped(); n > 0 {
		m.skipped[h.Source] = n
	}
	if err != nil && !failure.Is[*undecidedError](err) && !m.replaying {
		m.meter.refused.Add(1)
	}
	return accepted, err
}

// source returns the source that lines belong to.
func (m *Monitor) source(h *head, a *arrival) *ingest.Source {
	// The next process reuses the names of connections, so a connection keeps its source itself.
	if a != nil {
		if a.source == nil {
			a.source = m.format.NewSource(h.Source)
		}
		return a.source
	}
	s := m.sources[h.Source]
	// In a replay, a new connection may have the name of an earlier one.
	if s == nil || h.New {
		s = m.format.NewSource(h.Source)
		m.sources[h.Source] = s
	}
	if h.Last {
		delete(m.sources, h.Source)
	}
	return s
}

// An applier applies the lines of a chunk.
type applier struct {
	*Monitor
	*head
}

// Apply implements ingest.Applier. A stream.LateError is about earlier lines. In a file it refuses
// this line. Over the network the earlier lines have been acknowledged, so the open answers become
// unknown instead.
func (x *applier) Apply(number int, l *stream.Line) error {
	m := x.Monitor
	if m.shows() {
		l.Place = graphs.Place{File: x.Source, Line: number}
	} else if !m.speaksOfEvents {
		l.Label, l.Time = nil, nil
	}
	e, err := m.executions.Add(l, m.clock)
	if x.Sent && failure.Is[*stream.LateError](err) {
		err = nil
	}
	if err == nil && l.Kind == stream.Event && !m.replaying {
		m.applied++
		m.meter.events.Add(1)
	}
	switch {
	case err != nil:
		return err
	// Lines of an execution that is over change nothing and are not checked.
	case e == nil || e.Over() && l.Kind != stream.Ending:
		return nil
	case l.Kind == stream.Ending || m.ExecutionKey != "" && e.Stream().Complete():
		err = m.endExecution(e, "")
	// The window has grown large: decide now, so that it can shrink.
	case e.Due():
		err = m.decideOne(e)
	}
	if err == nil {
		err = m.executions.Evict(m.decideOne)
	}
	if err != nil {
		err = &undecidedError{err}
	}
	return err
}

// Refuse implements ingest.Applier. In a file with an execution key, the other executions go on. A
// replay skips refused lines that were accepted when they arrived: their executions were already
// over, so the lines had no effect.
func (x *applier) Refuse(execution string, wrong *trace.Error) bool {
	m := x.Monitor
	alone := m.ExecutionKey != "" && !x.Sent
	if failure.Is[*undecidedError](wrong) || !m.replaying && (!alone || execution == "") {
		return false
	}
	if !alone || m.replaying && !slices.Contains(x.Refused, execution) {
		return true
	}
	if !m.replaying {
		x.Refused = append(x.Refused, execution)
		m.meter.refused.Add(1)
		m.mistakes.report("%s", graphs.Printable(wrong.Error()))
	}
	m.status = exit.Worst(m.status, exit.BadInput)
	// A refused line can be the first of its execution, which then exists, with unknown answers.
	e, _ := m.executions.Of([]byte(execution), m.clock) // e is nil if the execution has ended
	late, ok := errors.AsType[*stream.LateError](wrong)
	switch {
	case e == nil:
	case ok:
		m.giveUp(e, late.Error())
	default:
		m.executions.Load(e)
		_ = m.decideOne(e) // if it fails, it gives up the execution itself
		m.giveUp(e, fmt.Sprintf("line %d of %s was refused", wrong.Line, x.Source))
	}
	return true
}

// An undecidedError says why accepted lines cannot be decided. The last line is not to blame.
type undecidedError struct{ error }

func (e *undecidedError) Unwrap() error { return e.error }

// decide decides all executions with undecided lines.
func (m *Monitor) decide() error {
	// The duration of this decision determines how long the next lines wait to be decided together.
	begun := time.Now()
	m.undecided = time.Time{}
	defer m.meter.waits(m.undecided)
	for e := range m.executions.Open {
		if err := m.decideOne(e); err != nil {
			return err
		}
	}
	m.deciding = time.Since(begun)
	return nil
}

// decideOne decides one execution. If an engine fails and there may be other executions, it gives
// up this one.
func (m *Monitor) decideOne(e *online.Execution) error {
	err := m.executions.Decide(context.WithoutCancel(m.ctx), e, func(e *online.Execution, a online.Answer) {
		m.found(e, a, "")
	})
	if e.Over() {
		return err
	}
	m.reportHolding(e)
	if err == nil || m.ExecutionKey == "" {
		return err
	}
	// The cause may be a limit of this process that a replay would not hit.
	m.failExecution(e, err)
	h := &head{Execution: e.Name, How: err.Error(), GivenUp: true}
	m.journal.record(kindEnd, h, nil)
	m.giveUp(e, h.How)
	return nil
}

// failExecution reports an error about one of many executions. The others go on, but the status of
// the run becomes that of the error.
func (m *Monitor) failExecution(e *online.Execution, err error) {
	m.status = exit.Worst(m.status, m.Fail(fmt.Errorf("execution %q: %w", e.Name, err)))
}

// reportHolding notes why events are kept, once half of the window is used.
func (m *Monitor) reportHolding(e *online.Execution) {
	s := e.Stream()
	if s.Held() <= m.Window/2 {
		return
	}
	// Each reason is noted once, not at each event.
	hold, ok := s.Holds()
	if !ok || hold.Why == m.holding[e] {
		return
	}
	m.holding[e] = hold.Why
	remedy := ""
	if hold.Silent {
		remedy = fmt.Sprintf("; if it has ended, send {\"process\":%q,\"closed\":true}", hold.Process)
	}
	most := graphs.Plural(m.Window, "event")
	m.Note(fmt.Sprintf("of at most %s %d are kept, as %s%s", most, s.Held(), hold.Why, remedy))
}

// end makes all answers final.
func (m *Monitor) end() error {
	m.ended = true
	e := m.executions.Find("")
	// An empty input is far more often a mistake than an execution without a process.
	if e != nil && m.single() && m.spans.None() && len(e.Stream().Processes()) == 0 {
		return errors.New("a trace without a process: no source had a line of one")
	}
	if m.format.Documents() && m.spans.None() {
		return fmt.Errorf("no span: no source had one in a document of %s", m.format.Name())
	}
	for e := range m.executions.All {
		if err := m.endExecution(e, ""); err != nil {
			return err
		}
	}
	return nil
}

// endExecution makes all answers on an execution final. How describes how it ended, if the
// execution did not say so itself.
func (m *Monitor) endExecution(e *online.Execution, how string) error {
	defer m.forget(e)
	m.executions.Load(e)
	decided := e.Monitor // nil if all answers were final before
	err := m.executions.End(context.WithoutCancel(m.ctx), e, func(e *online.Execution, a online.Answer) {
		m.found(e, a, how)
	})
	for i := range m.Properties {
		if decided == nil || m.replaying {
			break
		}
		if late := decided.Late(i); late.Count > 0 {
			m.refusals.report("%s: %s came too late for deadlines that had been decided, and changed no answer: %s",
				graphs.Printable(m.answerTo(i, e.Name).Property),
				graphs.Plural(late.Count, "event"), graphs.Printable(late.String()))
		}
	}
	// An error about one of many executions must not end the others.
	if err == nil || m.ExecutionKey == "" {
		return err
	}
	m.failExecution(e, err)
	return nil
}

// giveUp ends an execution, and makes its open answers unknown for a reason.
func (m *Monitor) giveUp(e *online.Execution, reason string) {
	defer m.forget(e)
	m.executions.GiveUp(e, reason, func(e *online.Execution, a online.Answer) { m.found(e, a, "") })
}

// forget forgets an execution that has ended.
func (m *Monitor) forget(e *online.Execution) {
	delete(m.reminded, e)
	delete(m.holding, e)
	m.outbox.forget(e.Name, len(m.Properties))
	// The number of the record that ended it: the one being replayed, or otherwise the next one.
	m.endedAt[e.Name] = m.journal.Next()
	if m.replaying {
		m.endedAt[e.Name] = m.replayed
	}
}

// found emits an answer of package online. A formula that does not fit is an error of the user only if
// there is a single execution; if there are many, it may fit others.
func (m *Monitor) found(e *online.Execution, x online.Answer, how string) {
	// The status covers all answers, including those already in the log.
	m.status = exit.Worst(m.status, present.StatusOf(x.Verdict))
	if x.Misfit != nil && m.ExecutionKey == "" && !m.replaying {
		m.status = exit.Worst(m.status, m.Fail(m.Misfit(m.Properties[x.Property], x.Misfit)))
	}
	var open []pending
	for _, o := range e.Obligations(x.Property) {
		open = append(open, pendingOf(&o, time.Since(o.Since)))
	}
	a := m.answer(e, x, open, how)
	m.emit(x.Property, a)
	if !a.Final || x.Cut == nil || a.known || !m.shows() {
		return
	}
	// The run that shows the verdict is searched for in the whole prefix, unless it has too many lines.
	c, _ := m.executions.Prefix(e, x.Events)
	if c == nil {
		return
	}
	// The two verdicts can differ only if the formula does not fit the whole prefix.
	b := *a
	if m.decideOn(context.WithoutCancel(m.ctx), c, m.Properties[x.Property], &b) == x.Verdict {
		a.Run = b.Run
	}
}

// answer converts an answer of package online.
func (m *Monitor) answer(e *online.Execution, x online.Answer, open []pending, how string) *Answer {
	a := m.answerTo(x.Property, e.Name)
	a.Ended = how
	a.Verdict = x.Verdict.String()
	a.Final = x.Final
	a.Reason = x.Reason
	a.Events = report.Size(x.Events)
	a.Pending = open
	if !x.Final {
		a.Verdict = openVerdict
		a.Reason = cmp.Or(a.Reason, m.outlooks[x.Property])
		a.Events = report.Size(e.Stream().Admitted())
	}
	why := m.lower
	f := e.Formula(x.Property)
	switch {
	case why != "" || e.Monitor == nil:
	case e.Stream().SharesClock():
		why = sharedClock
	case e.Stream().EndedTimers() > 0 && !syntax.AboutCuts(f):
		why = timer.Inexact
	}
	// More order could only remove global states, and that cannot change a sound verdict.
	if x.Final && !rctl.Sound(f, x.Verdict) {
		a.Lower = why
	}
	var processes []string
	if x.Cut != nil {
		processes = e.Stream().Processes()
	}
	a.show(&x, processes)
	return a
}

// sharedClock is the reason why the order is a lower bound if processes share a clock. Events of the other
// process with earlier times may still come, so a stream cannot be ordered by that clock.
const sharedClock = "processes share a clock, and pota watch does not order their events by it, as pota detect does"

// emit delivers an open answer at once. It holds a final answer until the next commit, unless the log has
// it already.
func (m *Monitor) emit(property int, a *Answer) {
	if a.Final {
		a.known = !m.outbox.add(keyOf(property, a.Execution), a)
		return
	}
	// Open answers are never kept: a later one replaces them.
	if !m.replaying {
		m.deliver(&item{answer: a})
	}
}

// remind emits an open answer for each property with obligations older than the deadline.
func (m *Monitor) remind(now time.Time) {
	for e := range m.executions.All {
		for i := range m.Properties {
			if late := m.overdue(e, i, now); late != nil {
				x := e.Answer(i)
				x.Reason = fmt.Sprintf("overdue for more than %s", m.Deadline)
				m.emit(i, m.answer(e, x, late, ""))
			}
		}
	}
}

// overdue returns the overdue obligations of a property that have not been reported yet.
func (m *Monitor) overdue(e *online.Execution, property int, now time.Time) (late []pending) {
	for _, o := range e.Obligations(property) {
		warned := m.reminded[e]
		age := now.Sub(o.Since)
		// Obligations arise in order, so the last reported one stands for all before it.
		if age <= m.Deadline || warned != nil && !o.Since.After(warned[property]) {
			continue
		}
		if warned == nil {
			warned = make([]time.Time, len(m.Properties))
			m.reminded[e] = warned
		}
		late = append(late, pendingOf(&o, age))
		warned[property] = o.Since
	}
	return late
}
