package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// Executions of spans are kept until they are over, and then decided whole, each in the time
// of timeToDecide; when the run ends, all of them are in that of timeToFinish. They take a
// partOfMemory of what the run may take, and each of them no more than such a part of that.
const (
	usualIdle     = 30 * time.Second
	partOfMemory  = 4
	mostOfOne     = 64 << 20 // bytes
	mostDecided   = 1 << 20
	timeToDecide  = 10 * time.Second
	timeToFinish  = time.Second
	lookForSpans  = 100 * time.Millisecond // how often executions are looked at that may be over
	leastToLookAt = time.Millisecond
)

func (w *watch) idleSpans() time.Duration { return cmp.Or(w.cli.Duration("idle"), usualIdle) }

func (w *watch) bytesOfSpans() int { return int(w.budget.Bytes() / partOfMemory) }

func (w *watch) bytesOfOne() int { return min(w.bytesOfSpans()/partOfMemory, mostOfOne) }

func (w *watch) newSpans() *spans.Table {
	return spans.New(spans.Options{
		Grace: min(w.cli.Duration("grace"), w.idleSpans()), Idle: w.idleSpans(),
		Bytes: w.bytesOfSpans(), Share: w.bytesOfOne(), Over: mostDecided,
	})
}

// takeSpans makes room for spans, where there is none.
func (w *watch) takeSpans() {
	if w.spans == nil {
		w.spans = w.newSpans()
	}
}

// export is spans that are to be safe before they are acknowledged.
type export struct {
	*receive.Export
	outcome spans.Outcome
	reply   chan error
}

// export takes spans, and notes them in the journal.
func (w *watch) export(x *export) {
	var err error
	x.outcome, err = w.spans.Add(time.Now(), x.Spans)
	if err == nil && x.outcome.Taken > 0 {
		kind := someSpans
		if x.JSON {
			kind = someSpansInJSON
		}
		w.lasting.takesSpans(kind, x.Body)
	}
	w.lasting.answer(x.reply, err)
}

// add takes spans: at once, or where there is a journal when they are safe.
func (w *watch) add(ctx context.Context, all *receive.Export) (spans.Outcome, error) {
	if w.lasting == nil {
		return w.spans.Add(time.Now(), all.Spans)
	}
	x := &export{Export: all, reply: make(chan error, 1)}
	select {
	case w.exports <- x:
	case <-ctx.Done():
		return spans.Outcome{}, spans.ErrClosed
	}
	select {
	case err := <-x.reply:
		return x.outcome, err
	case <-ctx.Done():
	}
	select { // there may be a reply, too
	case err := <-x.reply:
		return x.outcome, err
	default:
		return spans.Outcome{}, spans.ErrClosed
	}
}

// receive takes spans that have arrived. Several goroutines may call it.
func (w *watch) receive(ctx context.Context, all *receive.Export) (refused int, why string, err error) {
	out, err := w.add(ctx, all)
	if err != nil {
		return 0, "", err
	}
	w.received(out)
	switch {
	case out.Invalid > 0 && out.Late > 0:
		why = "spans must have a trace id and a span id; others are of executions that have been decided"
	case out.Invalid > 0:
		why = "spans must have a trace id and a span id"
	case out.Late > 0:
		why = "they are of executions that have been decided"
	}
	return out.Invalid + out.Late, why, nil
}

// received notes what came of spans.
func (w *watch) received(out spans.Outcome) {
	w.meter.received(out)
	for _, id := range out.Told {
		w.refusals.tell("spans of execution %s came after it was decided", id)
	}
}

// A documents is a scanner of lines that are documents in a format of spans, which it keeps.
type documents struct {
	stream.Progress
	*watch
	name string // of the source
}

// Scan implements scanner: take is not called, for spans are no events yet.
func (d *documents) Scan(text []byte, _ func(int, *stream.Line) error) error {
	for line := range bytes.Lines(text) {
		if err := d.document(d.name, line, d.Lines+1); err != nil {
			return err
		}
		d.Lines++
	}
	return nil
}

// document keeps the spans in a line, and notes it in the journal; one that is refused changes
// nothing. Where there is no room for them it waits, until executions are over that have some.
// Errors are *trace.Error, or spans.ErrClosed.
func (w *watch) document(name string, line []byte, number int) error {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil
	}
	var pieces []*split.Piece
	err := split.Document(w.format, name, line, number, func(p *split.Piece) error {
		if !spans.IsID(p.Key) {
			return &trace.Error{Line: number, Msg: fmt.Sprintf("%s is not an id of a trace of 32 hexadecimal digits: pota detect reads the whole file", trace.Quote(p.Name))}
		}
		pieces = append(pieces, p)
		return nil
	})
	if e, ok := err.(*trace.Error); ok && strings.HasSuffix(e.Msg, "ends too soon") {
		e.Msg += "; a document must be in one line: pota detect reads one of several when it is complete"
	}
	if err != nil {
		return err
	}
	taken := false
	for _, p := range pieces {
		out, err := w.spans.AddPiece(time.Now(), p)
		for err == spans.ErrFull {
			w.overSpans()
			select {
			case <-time.After(leastToLookAt):
			case <-w.ctx.Done():
				return spans.ErrClosed
			}
			out, err = w.spans.AddPiece(time.Now(), p)
		}
		if err != nil {
			return err
		}
		if !w.lasting.replays() {
			w.received(out)
		}
		taken = taken || out.Taken > 0
	}
	if taken {
		w.lasting.takesSpans(someDocument, line)
	}
	return nil
}

// lookAtSpans returns when the open executions are to be looked at, however much else arrives.
func (w *watch) lookAtSpans() <-chan time.Time {
	if w.spans == nil {
		return nil
	}
	return time.After(time.Until(w.overAt))
}

// overSpans decides executions that are over, for no longer than lookForSpans and one of them.
func (w *watch) overSpans() {
	wait := time.Duration(0) // until one may be over
	defer func() { w.overAt = time.Now().Add(min(max(wait, leastToLookAt), lookForSpans)) }()
	for begun := time.Now(); time.Since(begun) < lookForSpans; {
		x, left, ok := w.spans.Over(time.Now())
		if !ok {
			wait = left
			return
		}
		w.decideSpans(&x)
	}
}

// decideSpans decides an execution that is over.
func (w *watch) decideSpans(x *spans.Execution) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), timeToDecide)
	defer cancel()
	defer context.AfterFunc(w.ctx, func() { time.AfterFunc(timeToFinish, cancel) })()
	w.execution(ctx, x)
}

// endSpans decides the executions whose root has ended, or all where nothing more can come, and
// returns the answers on the others, which are open.
func (w *watch) endSpans() (open []told) {
	if w.spans == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), timeToFinish)
	defer cancel()
	for _, x := range w.spans.Close() {
		if w.ended {
			w.decideSpans(&x)
			continue
		}
		reason := "its root span has not ended"
		if x.Root {
			if ctx.Err() == nil {
				w.execution(ctx, &x)
				continue
			}
			reason = "there was no time left to decide it"
		}
		for i := range w.properties {
			t := w.about(i)
			t.Execution, t.Verdict, t.Reason = x.ID, "open", reason
			open = append(open, t)
		}
	}
	return open
}

// execution decides all properties on an execution of spans.
func (w *watch) execution(ctx context.Context, x *spans.Execution) {
	w.lasting.takesSpans(spansOver, []byte(x.ID))
	w.decidedSpans = true
	c, err := x.Computation(ctx, trace.Options{Variables: w.names, Names: true})
	for i, p := range w.properties {
		t := w.about(i)
		t.Execution, t.Final = x.ID, true
		if !x.Root && !w.ended {
			t.Ended = fmt.Sprintf("silent for %s", w.idleSpans())
		}
		verdict, reason := rctl.Unknown, ""
		if err == nil {
			verdict, reason = w.whole(ctx, c, p.Formula, &t)
		} else {
			reason = errorText(err)
		}
		t.Verdict, t.Reason = verdict.String(), reason
		w.status = worst(w.status, statusOf(verdict))
		w.show(&t)
	}
}

// whole decides a property on a computation, and fills in what it tells.
func (w *watch) whole(ctx context.Context, c *graphs.Computation, property *syntax.Formula, t *told) (rctl.Verdict, string) {
	t.Events = int64(c.NumEvents())
	f, err := syntax.Resolve(ctx, property, rctl.Scope(c))
	if err != nil {
		return rctl.Unknown, graphs.Printable(err.Error())
	}
	result, err := rctl.Check(ctx, c, f, rctl.Options{Evidence: true, Cores: 1, MaxMemory: w.budget.Memory(1)})
	if err != nil {
		return rctl.Unknown, errorText(err)
	}
	if result.Verdict != rctl.Unknown && !rctl.Sound(f, result.Verdict) {
		t.Lower = c.LowerBound()
	}
	if e := result.Evidence; e != nil {
		t.Cut = &report.Cut[int64]{Processes: c.Processes()}
		for _, n := range e.Cut {
			t.Cut.Counts = append(t.Cut.Counts, int64(n))
		}
		t.Steps = mapOf(e.Run, c.ID)
	}
	return result.Verdict, result.Reason
}
