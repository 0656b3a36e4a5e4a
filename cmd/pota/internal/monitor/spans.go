package monitor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// Executions of spans are kept until they are over, and then decided as a whole. The decision of each may take
// decideTimeout; when the run is interrupted, those of all remaining ones together may take endTimeout.
const (
	defaultIdle = 30 * time.Second
	// All spans together may use 1/memoryShare of the memory, and those of one execution 1/memoryShare of that.
	memoryShare = 4

	maxOfOne      = 64 << 20 // how many bytes the spans of one execution may use
	maxPast       = 1 << 20  // how many executions of spans that are over are remembered
	decideTimeout = 10 * time.Second
	// the interval at which it is checked which executions are over
	spansInterval  = 100 * time.Millisecond
	minInterval    = time.Millisecond
	exportPatience = 10 * time.Second
)

// spansIdle is how long an execution without a root may be silent.
func (m *Monitor) spansIdle() time.Duration { return cmp.Or(m.Idle, defaultIdle) }

// spansMemory is how many bytes the spans of open executions may use. The rest is for decisions, made one at a time.
func (m *Monitor) spansMemory() int { return int(m.Memory / memoryShare) }

// export holds spans that must be safe before they are acknowledged.
type export struct {
	*receive.Export
	outcome spans.Outcome
	reply   chan error
}

// export adds spans, and records them in the log.
func (m *Monitor) export(x *export) {
	var err error
	// The table accepts either all spans of a request or none, so the whole body is kept.
	x.outcome, err = m.spans.Add(time.Now(), x.Spans)
	if err == nil && x.outcome.Taken > 0 {
		m.journal.record(kindSpans, &head{JSON: x.JSON}, x.Body)
	}
	m.replies = append(m.replies, reply{x.reply, err})
}

// receive adds spans that have arrived. Several goroutines may call it.
func (m *Monitor) receive(ctx context.Context, all *receive.Export) (refused int, why string, err error) {
	x := &export{Export: all, reply: make(chan error, 1)}
	// If the loop waits for a slow consumer, the exporter is asked to try again.
	switch err = hand(ctx, m.exports, x, x.reply, exportPatience); err {
	case nil:
	case receive.ErrBusy:
		return 0, "", spans.ErrFull
	case receive.ErrEnding:
		return 0, "", spans.ErrClosed
	default:
		return 0, "", err
	}
	m.received(x.outcome)
	// OTLP reports refused spans as a partial success.
	if x.outcome.Invalid > 0 {
		why = "spans must have a trace id and a span id; "
	}
	if x.outcome.Late > 0 {
		why += "some belong to executions that have been decided"
	}
	return x.outcome.Invalid + x.outcome.Late, strings.TrimSuffix(why, "; "), nil
}

// received counts spans, and reports late ones. Several goroutines may call it.
func (m *Monitor) received(out spans.Outcome) {
	m.meter.received(out)
	for _, id := range out.Unreported {
		m.refusals.report("spans of execution %s came after it was decided", id)
	}
}

// documents adds the spans in lines that are documents, and returns how many bytes of the text were
// accepted. Errors are *trace.Error, or spans.ErrClosed.
func (m *Monitor) documents(h *head, text []byte) (accepted int, err error) {
	number := h.Line
	for line := range bytes.Lines(text) {
		number++
		if err = m.document(h.Source, line, number); err != nil {
			break
		}
		accepted += len(line)
	}
	if failure.Is[*trace.Error](err) {
		m.meter.refused.Add(1)
	}
	return accepted, err
}

// document adds the spans in a line; one that is refused changes nothing.
func (m *Monitor) document(name string, line []byte, number int) error {
	// Blank lines are not documents.
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil
	}
	var pieces []*split.Piece
	err := m.format.Document(name, line, number, func(p *split.Piece) error {
		if _, ok := spans.ParseID(p.Key); !ok {
			return &trace.Error{File: name, Line: number, Msg: fmt.Sprintf("%s is not an id of a trace of 32 hexadecimal digits: pota detect reads the whole file", trace.Quote(p.Name))}
		}
		pieces = append(pieces, p)
		return nil
	})
	if e, ok := err.(*trace.Error); ok {
		e.File = name
		if errors.Is(err, io.ErrUnexpectedEOF) {
			e.Msg += "; a document must be in one line: pota detect reads one of several when it is complete"
		}
	}
	if err != nil {
		return err
	}
	for _, p := range pieces {
		if err := m.addPiece(p); err != nil {
			return err
		}
	}
	return nil
}

// addPiece adds the spans of a piece. If there is no room for them, it waits until other executions are over.
func (m *Monitor) addPiece(p *split.Piece) error {
	now := time.Now()
	if m.replaying {
		now = m.clock // executions wait again for their ends
	}
	out, err := m.spans.AddPiece(now, p)
	// Unlike a sender, a file cannot be asked to try again later.
	for err == spans.ErrFull {
		m.decideOver()
		select {
		case <-time.After(minInterval):
		case <-m.ctx.Done():
			return spans.ErrClosed
		}
		out, err = m.spans.AddPiece(time.Now(), p)
	}
	if err == nil && !m.replaying {
		m.received(out)
	}
	return err
}

// spansTimer fires when executions may be over, however much else arrives.
func (m *Monitor) spansTimer() <-chan time.Time {
	if open, _ := m.spans.Len(); open == 0 {
		return nil
	}
	return time.After(time.Until(m.spansDue))
}

// decideOver decides executions that are over. It starts no further one after spansInterval, so that many such
// executions do not delay other work.
func (m *Monitor) decideOver() {
	wait := time.Duration(0) // how long until an execution may be over
	defer func() {
		m.spansDue = time.Now().Add(min(max(wait, minInterval), spansInterval))
	}()
	for begun := time.Now(); time.Since(begun) < spansInterval; {
		x, left, ok := m.spans.Over(time.Now())
		if !ok {
			wait = left
			return
		}
		m.decideSpans(&x)
	}
}

// decideSpans decides an execution that is over.
func (m *Monitor) decideSpans(x *spans.Execution) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.ctx), decideTimeout)
	defer cancel()
	// After an interruption the decision has less time.
	defer context.AfterFunc(m.ctx, func() { time.AfterFunc(endTimeout, cancel) })()
	m.decideWhole(ctx, x)
}

// endSpans decides the executions with an ended root, or all of them after the end of the inputs,
// and returns the open answers on the others.
func (m *Monitor) endSpans() (open []*Answer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.ctx), endTimeout)
	defer cancel()
	for _, x := range m.spans.Close() {
		reason := "its root span has not ended"
		switch {
		case m.ended:
			m.decideSpans(&x)
			continue
		// Late children may be missing, as after its grace.
		case x.Root && ctx.Err() == nil:
			m.decideWhole(ctx, &x)
			continue
		case x.Root:
			reason = "there was no time left to decide it"
		}
		for i := range m.Properties {
			a := m.answerTo(i, x.ID)
			a.Verdict = openVerdict
			a.Reason = reason
			open = append(open, a)
		}
	}
	return open
}

// decideWhole decides all properties on an execution of spans.
func (m *Monitor) decideWhole(ctx context.Context, x *spans.Execution) {
	if !m.replaying && !m.stopped {
		m.journal.record(kindSpansOver, &head{Execution: x.ID}, nil)
	}
	m.decidedSpans = true
	// A replay need not decide an execution again if the log has its answers.
	if m.outbox.has(x.ID, len(m.Properties)) { // all answers are known
		return
	}
	c, err := x.Computation(ctx, trace.Options{Variables: m.Variables, Names: true})
	if err == nil && !m.NoSharedClock {
		c, _, err = clocks.Shared(ctx, c) // as package format does
	}
	for i, p := range m.Properties {
		a := m.answerTo(i, x.ID)
		a.Final = true
		if !x.Root && !m.ended {
			a.Ended = fmt.Sprintf("silent for %s", m.spansIdle())
		}
		verdict := rctl.Unknown
		if err != nil {
			a.Reason = graphs.Printable(err.Error())
		} else {
			verdict = m.decideOn(ctx, c, p, a)
		}
		a.Verdict = verdict.String()
		m.status = exit.Worst(m.status, present.StatusOf(verdict))
		m.emit(i, a)
	}
	m.outbox.forget(x.ID, len(m.Properties))
}

// decideOn decides a property on a computation, and fills in the answer.
func (m *Monitor) decideOn(ctx context.Context, c *graphs.Computation, p syntax.Property, a *Answer) rctl.Verdict {
	a.Events = report.Size(c.NumEvents())
	w := online.DecideWhole(ctx, c, p.Formula, bindings.Options{
		Options: rctl.Options{Cores: 1, MaxMemory: m.EngineMemory},
		First:   m.Bindings,
		Times:   scope.Times{Unit: m.Unit},
	}, m.Skew)
	if w.Misfit != nil {
		a.Reason = graphs.Printable(w.Misfit.Error())
		return rctl.Unknown
	}
	a.Reason = w.Reason
	if w.Verdict != rctl.Unknown && !w.Sound {
		a.Lower = c.LowerBound()
	}
	a.show(&w.Answer, c.Processes())
	if w.Evidence != nil {
		if m.shows() {
			var text strings.Builder // writing to it never fails
			t := explain.Explainer{Of: w.Computation, Property: w.Formula, Resolved: w.Resolved, Source: p.Source, Ctx: ctx, Indent: "  "}
			_ = t.Write(&text, w.Evidence)
			a.Run = text.String() // as pota detect --witness prints it
		}
		if w.Bindings != nil { // the evidence is of one binding, and so is the page
			c, p.Formula = w.Computation, w.Formula
			p.Source = p.Formula.String()
		}
		m.save(ctx, c, p, w.Verdict)
	}
	return w.Verdict
}

// save writes the page of --view about the first violation.
func (m *Monitor) save(ctx context.Context, c *graphs.Computation, p syntax.Property, v rctl.Verdict) {
	if m.Options.View == "" || v != rctl.Fails {
		return
	}
	c, f, err := rctl.Resolve(ctx, c, p.Formula)
	if err != nil {
		return // a formula about too many values has no page, or the context has ended
	}
	q := &load.Question{
		Execution: &format.Execution{Name: "the execution so far", Computation: c, Unit: m.Unit},
		Property:  p,
		Resolved:  f,
	}
	if err := m.Host.View(m.Options.View, q); err != nil {
		m.status = exit.Worst(m.status, m.Fail(fmt.Errorf("--view: %w", err)))
	}
	m.Options.View = ""
}
