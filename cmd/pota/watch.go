package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

func (s *session) watchCommand() *cli.Command {
	return s.command(0, -1, cli.Command{
		Name:      "watch",
		Usage:     "decide properties while the events of an execution arrive",
		ArgsUsage: "-f PROPERTIES [SOURCE...] | --property PATTERN [SOURCE...]",
		Description: "A SOURCE is a log in the native format that grows, a directory of such logs,\n" +
			"or - for standard input, which is also meant where there is none; all are of one\n" +
			"execution, unless --execution-key says of which each line is. Logs are followed,\n" +
			"also when they are rotated or truncated; --input names another format of their\n" +
			"lines, and --map says what they mean.\n\n" +
			"Exit status: 0 every property holds, 1 some fails, 2 bad usage or input, 3 some is\n" +
			"open or undecided.\n\n" +
			"   program | pota watch -f properties.txt\n" +
			"   pota watch --json --until-final -f properties.txt logs/",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "properties", Aliases: []string{"f"}, Usage: "decide the formulas of `FILE`, one `name: formula` a line"},
			&cli.StringSliceFlag{Name: "property", Aliases: []string{"p"}, Usage: "decide a `PATTERN` such as mutex:cs, or of the file that -f names only the property of that name; may be repeated"},
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each answer"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print nothing: the exit status is the answer"},
			&cli.BoolFlag{Name: "until-final", Usage: "end when all answers are final"},
			&cli.BoolFlag{Name: "to-end", Usage: "read files up to their ends, and do not wait for more"},
			&cli.BoolFlag{Name: "declared", Usage: "the processes and variables declared before the first event are all that there will be, so that formulas about all processes can be decided"},
			&cli.IntFlag{Name: "sync-size", Usage: "every sync has `N` events; else one is complete when no process can join it any more"},
			&cli.DurationFlag{Name: "deadline", Usage: "of AG(p -> AF q), tell what has waited for q longer than `TIME`; it is no verdict"},
			&cli.StringFlag{Name: "execution-key", Usage: "lines are of many executions, each named by the key `FIELD` of the line"},
			&cli.DurationFlag{Name: "idle", Usage: "an execution of which nothing has come for `TIME` has ended"},
			&cli.StringFlag{Name: "journal", Usage: "make what is taken safe in the directory `DIR`, and go on from there after the program was killed"},
			&cli.StringFlag{Name: "input", Value: format.Native, Usage: "lines are of `FORMAT`: native, shiviz, or documents of otlp, stdouttrace, jaeger or zipkin"},
			&cli.StringFlag{Name: "regexp", Usage: "ShiViz: find events with `REGEXP`, which has the groups clock, host and event; further groups become variables"},
			&cli.StringSliceFlag{Name: "assign", Usage: "ShiViz: assign the named groups of `REGEXP` where it matches an event's text (may be repeated)"},
			&cli.StringFlag{Name: "map", Usage: "lines are of logs that `MAPPING` describes, a file or one that pota formats lists (pota help mappings)"},
			&cli.BoolFlag{Name: "skip-lines", Usage: "skip the lines of a log that do not fit its mapping"},
			&cli.IntFlag{Name: "window", Value: 1 << 20, Usage: "give up on properties that need more than `N` events to be kept"},
		}, listenFlags(), operateFlags(), limitFlags(0)[1:]),
		Action: s.watching,
	})
}

// A watch is a run of pota watch.
type watch struct {
	*session
	cli        *cli.Context
	properties []syntax.Property
	executions *online.Executions
	key        string // that names the execution of a line, "" where all lines are of one

	open   time.Time     // when the first line came that is not decided, zero for none
	took   time.Duration // the last decision
	clock  time.Time     // by which executions are idle
	looked time.Time     // at the clock
	lower  string        // why the causality of some source is a lower bound

	overdue map[*online.Execution][]time.Time // when the last obligation of a property arose that was told
	holds   map[*online.Execution]string      // what was told to hold back events

	format  string          // of the lines
	mapping *mapped.Mapping // that describes them, nil for none
	known   settled         // of them, nil for native ones and documents
	spans   *spans.Table    // executions of which spans arrive, nil where none can
	overAt  time.Time       // when they are looked at again
	exports chan *export    // spans that are to be in the journal

	ended        bool            // all inputs have
	decidedSpans bool            // some execution of spans was decided
	names        map[string]bool // of the variables that properties speak of
	meter        *meter
	refusals     sparing  // of what strangers send
	mistakes     sparing  // of the inputs that are named
	hook         *hook    // nil for none
	results      *results // nil until it runs
	number       uint64   // of the last final answer
	lasting      *lasting // nil for none
}

func (s *session) watching(c *cli.Context) (err error) {
	w := &watch{session: s, cli: c, key: c.String("execution-key"), names: make(map[string]bool), exports: make(chan *export), overdue: make(map[*online.Execution][]time.Time), holds: make(map[*online.Execution]string)}
	if !named(c) {
		return usagef("properties are missing: write -f FILE, or --property PATTERN (pota help watching)")
	}
	if w.properties, err = s.properties(c); err != nil {
		return err
	}
	if err := w.flags(); err != nil {
		return err
	}
	if err := w.logs(); err != nil {
		return err
	}
	var formulas []*syntax.Formula
	for _, p := range w.properties {
		formulas = append(formulas, p.Formula)
		maps.Copy(w.names, syntax.Names(p.Formula))
	}
	w.executions = online.NewExecutions(formulas, online.Options{
		Options: stream.Options{Declared: c.Bool("declared"), SyncSize: c.Int("sync-size"), Lost: c.Int("window")},
		Most:    c.Int("window"),
	})
	listen, received, err := addresses(c)
	if err == nil {
		err = w.operate()
	}
	if err != nil {
		return err
	}
	over := false // all inputs have ended, or all answers are final
	left := false // what takes too long goes on beside the end
	defer func() { err = errors.Join(err, w.lasting.end(over && err == nil && s.ctx.Err() == nil, left)) }()
	patience := &patience{most: timeToFinish}
	defer w.hook.end(s.ctx.Done(), patience)
	paths := c.Args().Slice()
	if len(paths) == 0 && len(listen) == 0 {
		paths = []string{"-"}
	}
	if len(listen) > 0 || split.Documents(w.format) {
		w.takeSpans()
	}
	w.looked = time.Now()
	w.clock = w.looked
	out := s.out
	w.results = newResults(func(text []byte) error {
		if _, err := out.Write(text); err != nil {
			return err
		}
		return out.Flush()
	}, w.note)
	defer func() {
		if bad := w.results.end(s.ctx.Done(), patience); bad != nil {
			if bad == errUnread && w.lasting != nil {
				bad = errors.New("nobody reads the results: the next run tells the final ones that are left")
			}
			err = errors.Join(err, w.unread(bad))
		}
	}()
	if err := w.last(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(s.ctx)) // an interruption ends run first
	defer stop()
	received.Spans = func(all *receive.Export) (int, string, error) { return w.receive(ctx, all) }
	received.Metrics = w.meter.handler(ctx)
	received.Ends = w.known != nil // native lines are JSON objects, of which a part is none
	in, listeners, err := s.follow(ctx, paths, w.reading(), listen, received, w.lasting)
	if err != nil {
		return err
	}
	defer func() {
		stop()
		listeners.Wait()
		w.refusals.end()
		w.mistakes.end()
	}()
	if w.key == "" && !split.Documents(w.format) {
		if _, err := w.executions.Of(nil, w.clock); err != nil {
			return err
		}
	}
	s.watch = false // answers come all the while
	ended, err := do(s, "watching", func(ctx context.Context) (bool, error) { return true, w.run(ctx, in) })
	if left = !ended; left {
		return err
	}
	over = err == nil && s.ctx.Err() == nil && !s.broken
	open := w.endSpans()
	if !s.broken {
		err = errors.Join(err, w.lasting.finish())
	}
	return errors.Join(err, w.tellOpen(open))
}

// tellOpen tells the answers that are not final, and those on spans. That they are open is no
// part of what a journal knows.
func (w *watch) tellOpen(spans []told) error {
	for i := range spans {
		w.status = worst(w.status, undecided)
		w.show(&spans[i])
	}
	for e := range w.executions.All {
		w.executions.Wake(e)
		if e.Over() || w.spans != nil && e.Name == "" && e.Stream().Admitted() == 0 {
			continue // there were only spans
		}
		for i := range w.properties {
			if a := e.Answer(i); !a.Final {
				w.tell(e, a, "")
			}
		}
		if err := w.executions.Rest(w.decided); err != nil {
			return err
		}
	}
	return nil
}

// unread ends the writing of results, which cannot be written.
func (w *watch) unread(err error) error {
	w.broken = true
	w.out = bufio.NewWriter(io.Discard)
	return fmt.Errorf("writing the results: %w", err)
}

// flags refuses what does not fit together.
func (w *watch) flags() error {
	c := w.cli
	for _, flag := range []string{"sync-size", "window"} {
		if n := c.Int(flag); n < 0 || c.IsSet(flag) && n < 1 {
			return usagef("--%s must be at least 1, not %d", flag, n)
		}
	}
	for _, flag := range []string{"deadline", "idle"} {
		if d := c.Duration(flag); c.IsSet(flag) && d <= 0 {
			return usagef("--%s must be positive, not %s", flag, d)
		}
	}
	ofSpans := c.IsSet("listen") || split.Documents(c.String("input"))
	switch {
	case c.IsSet("grace") && !ofSpans:
		return usagef("--grace is of spans: write --listen ADDRESS or --input otlp, too")
	case !c.IsSet("execution-key") && c.IsSet("idle") && !ofSpans:
		return usagef("--idle is of many executions: write --execution-key FIELD, or for spans --listen ADDRESS or --input otlp, too")
	case !c.IsSet("execution-key"):
		return nil
	case c.Bool("until-final"):
		return usagef("--until-final is of one execution, and --execution-key of any number")
	}
	return nil
}

// run decides what arrives until it ends, or all answers are final.
func (w *watch) run(ctx context.Context, in <-chan arrival) error {
	var overdue <-chan time.Time
	if d := w.cli.Duration("deadline"); d > 0 {
		ticker := time.NewTicker(max(d/8, time.Millisecond))
		defer ticker.Stop()
		overdue = ticker.C
	}
	for {
		if len(in) == 0 {
			runtime.Gosched() // who reads may have more, and no core
		}
		var wait, idle <-chan time.Time
		if !w.open.IsZero() {
			least := w.took
			if len(in) > 0 {
				least *= moreLines
			}
			wait = time.After(time.Until(w.open.Add(least)))
		}
		if d := w.cli.Duration("idle"); d > 0 && w.key != "" && w.executions.Len() > 0 {
			idle = time.After(d / idleSteps)
		}
		if err := w.lasting.step(len(in) == 0); err != nil || w.broken {
			return err
		}
		select {
		case <-ctx.Done():
			if is[*limitError](context.Cause(ctx)) {
				return ctx.Err()
			}
			return w.decide()
		case x := <-w.exports:
			w.export(x)
		case <-w.lookAtSpans():
			if w.overSpans(); w.over() {
				return nil
			}
		case err := <-w.results.failed:
			return w.unread(err)
		case measured := <-w.meter.asked:
			w.measure()
			close(measured)
		case now := <-overdue:
			w.remind(now)
		case <-wait:
			if err := w.decide(); err != nil || w.over() {
				return err
			}
		case <-idle:
		case <-w.lasting.due():
		case a, ok := <-in:
			if !ok {
				return w.end()
			}
			if err := w.take(a); err != nil || w.over() {
				return err
			}
		}
		if err := w.endIdle(); err != nil {
			return err
		}
	}
}

// moreLines is how many times as long as a decision takes lines wait for it where more have come.
const moreLines = 4

// over reports whether there is nothing left to be decided: no execution of spans is open where
// one was decided, and the answers on lines are final, or there were only spans.
func (w *watch) over() bool {
	if !w.cli.Bool("until-final") {
		return false
	}
	e := w.executions.Find("")
	if w.spans == nil {
		return e.Final()
	}
	open, _ := w.spans.Len()
	return open == 0 && (e != nil && e.Final() || w.decidedSpans && (e == nil || e.Stream().Admitted() == 0))
}

// idleSteps is in how many steps at least --idle passes.
const idleSteps = 8

// tick sets the clock by which executions are silent. Time in which the program did nothing, and so
// read no lines, counts only as one step.
func (w *watch) tick() {
	now := time.Now()
	w.clock, w.looked = w.clock.Add(min(now.Sub(w.looked), w.cli.Duration("idle")/idleSteps)), now
}

// endIdle ends the executions that have been silent for too long.
func (w *watch) endIdle() error {
	d := w.cli.Duration("idle")
	if d == 0 || w.key == "" {
		return nil
	}
	w.tick()
	for e := range w.executions.All {
		if w.clock.Sub(e.Latest) < d {
			return nil
		}
		how := fmt.Sprintf("silent for %s", d)
		w.lasting.ending(anEnd, e, how)
		if err := w.ends(e, how); err != nil {
			return err
		}
	}
	return nil
}

// take adds lines that have arrived. They are decided when no more have arrived for as
// long as the last decision took, or four times as long where they come all the while, or when a window
// is three times what was left.
func (w *watch) take(a arrival) error {
	if a.note != "" {
		w.refusals.tell("%s", a.note)
		return nil
	}
	if a.err != nil {
		return a.err
	}
	w.tick()
	if w.open.IsZero() {
		w.meter.waits(w.looked)
		defer func() { w.meter.waits(w.open) }()
	}
	undo := w.lasting.mark()
	before := a.source.scanner.At().Lines
	err := w.lines(a)
	defer a.source.free(a.text)
	if err == spans.ErrClosed { // the run is interrupted
		undo()
		if a.reply != nil {
			w.lasting.answer(a.reply, receive.ErrEnding)
		}
		return nil
	}
	if a.reply != nil && !is[*undecidedError](err) {
		w.lasting.answer(a.reply, err)
		err = nil
	}
	if err == nil {
		w.lasting.reached(&a)
	} else if !w.lasting.stopped(&a, before, err) {
		undo() // it will be read again
	}
	if e, ok := err.(*trace.Error); ok && is[*undecidedError](err) {
		err = e.Err
	}
	if err != nil {
		w.decide() //nolint:errcheck // of what came before; the first error is told
	} else if w.open.IsZero() {
		w.open = time.Now()
	}
	return err
}

// lines adds the lines of an arrival. Where they are of many executions and nobody waits for what
// is wrong with them, the others go on without an execution of which a line is refused.
func (w *watch) lines(a arrival) error {
	alone := w.key != "" && a.reply == nil
	refuse := func(e *online.Execution, number int, err error) {
		w.meter.refused.Add(1)
		w.status = worst(w.status, badInput)
		w.mistakes.tell("%s", errorText(err))
		switch late, ok := errors.AsType[*stream.LateError](err); {
		case ok:
			w.giveUp(e, late.Error())
		case e != nil:
			w.endRefused(e, fmt.Sprintf("line %d of %s was refused", number, a.source.name))
		}
	}
	take := func(number int, l *stream.Line) error {
		e, err := w.line(l, a.reply != nil)
		if err == nil || !alone {
			return err
		}
		refuse(e, number, &trace.Error{File: a.source.name, Line: number, Msg: err.Error(), Err: err})
		return nil
	}
	text, at := a.text, a.source.scanner.At()
	if _, ok := a.source.scanner.(ender); a.begins && !ok { // else events may stand in both files
		at.Lines = 0
	}
	err := a.source.scanner.Scan(text, take)
	for alone {
		wrong, ok := err.(*trace.Error)
		if !ok {
			break
		}
		line, rest := lineOf(text, wrong.Line-at.Lines)
		name := native.ExecutionOf(line, w.key)
		if name == "" {
			break // it may be of any
		}
		wrong.File = a.source.name
		e, _ := w.executions.Of([]byte(name), w.clock) //nolint:errcheck // that it has ended does not matter
		refuse(e, wrong.Line, wrong)
		at.Lines, text = wrong.Line, rest
		err = a.source.scanner.Scan(text, take)
	}
	if x, ok := a.source.scanner.(ender); ok && a.last && err == nil {
		err = x.End(take)
	}
	if why := at.LowerBound; why != "" {
		w.lower = why
	}
	if e, ok := err.(*trace.Error); ok && !is[*undecidedError](err) {
		w.meter.refused.Add(1)
		e.File = a.source.name
	}
	return err
}

// lineOf returns a line of a text, of which the first has number 1, and what follows it.
func lineOf(text []byte, number int) (line, rest []byte) {
	for ; number > 0; number-- {
		line, rest, _ = bytes.Cut(text, []byte("\n"))
		text = rest
	}
	return line, rest
}

// line adds a line to its execution. Where it shows that what was taken before it is wrong, that is an error
// of lines which are in files; to who sends lines it was said that they were taken, and what is open is unknown.
func (w *watch) line(l *stream.Line, sent bool) (*online.Execution, error) {
	e, err := w.executions.Add(l, w.clock)
	if sent && is[*stream.LateError](err) {
		err = nil
	}
	if err == nil && l.Kind == stream.Event && !w.lasting.replays() {
		w.meter.events.Add(1)
	}
	switch {
	case err != nil:
		return e, err
	case e == nil || e.Over() && l.Kind != stream.Ending:
		return e, nil
	}
	w.lasting.takes(l)
	if l.Kind == stream.Ending || w.key != "" && e.Stream().Complete() {
		return nil, w.ends(e, "")
	}
	if e.Due() {
		err = w.decided(e)
	}
	if err == nil {
		err = w.executions.Rest(w.decided)
	}
	if err != nil {
		err = &undecidedError{err}
	}
	return e, err
}

// An undecidedError says why what was taken cannot be decided. It is none of the line that came last.
type undecidedError struct{ error }

func (e *undecidedError) Unwrap() error { return e.error }

// decide decides all that has arrived.
func (w *watch) decide() error {
	begun := time.Now()
	w.open = time.Time{}
	defer w.meter.waits(w.open)
	for e := range w.executions.Open {
		if err := w.decided(e); err != nil {
			return err
		}
	}
	w.took = time.Since(begun)
	return nil
}

// end makes all answers final.
func (w *watch) end() error {
	w.ended = true
	if e := w.executions.Find(""); e != nil && w.key == "" && w.spans == nil && len(e.Stream().Processes()) == 0 {
		return errors.New("a trace without a process: no source had a line of one")
	}
	if split.Documents(w.format) && w.spans.None() {
		return fmt.Errorf("no span: no source had one in a document of %s", w.format)
	}
	for e := range w.executions.All {
		if err := w.ends(e, ""); err != nil {
			return err
		}
	}
	return nil
}

// ends makes the answers on an execution final that has ended, and says how where that is
// not what it said itself.
func (w *watch) ends(e *online.Execution, how string) error {
	defer w.forget(e)
	err := w.executions.End(context.WithoutCancel(w.ctx), e, func(e *online.Execution, a online.Answer) { w.tell(e, a, how) })
	if err == nil || w.key == "" {
		return err
	}
	w.fail(fmt.Errorf("execution %q: %w", e.Name, err))
	return nil
}

// endRefused gives up an execution of many that had a line which was refused, once what came before it
// is decided.
func (w *watch) endRefused(e *online.Execution, reason string) {
	w.executions.Wake(e)
	w.decided(e) //nolint:errcheck // where it is one of many that gives it up
	w.giveUp(e, reason)
}

func (w *watch) giveUp(e *online.Execution, reason string) {
	defer w.forget(e)
	w.lasting.ending(aGivenUp, e, reason)
	w.executions.GiveUp(e, reason, func(e *online.Execution, a online.Answer) { w.tell(e, a, "") })
}

func (w *watch) forget(e *online.Execution) {
	delete(w.overdue, e)
	delete(w.holds, e)
}

// decided decides an execution, and tells what that finds out.
func (w *watch) decided(e *online.Execution) error {
	err := w.executions.Decide(context.WithoutCancel(w.ctx), e, func(e *online.Execution, a online.Answer) { w.tell(e, a, "") })
	if e.Over() {
		return err
	}
	if s := e.Stream(); s.Held() > w.cli.Int("window")/2 {
		if hold, ok := s.Holds(); ok && hold.Why != w.holds[e] {
			w.holds[e] = hold.Why
			remedy := ""
			if hold.Silent {
				remedy = fmt.Sprintf("; if it has ended, send {\"process\":%q,\"closed\":true}", hold.Process)
			}
			w.note("of at most %s %d are kept, as %s%s", graphs.Plural(w.cli.Int("window"), "event"), s.Held(), hold.Why, remedy)
		}
	}
	if err != nil && w.key != "" {
		w.fail(fmt.Errorf("execution %q: %w", e.Name, err))
		w.giveUp(e, err.Error())
		return nil
	}
	return err
}

// remind tells of obligations that are open for longer than the deadline.
func (w *watch) remind(now time.Time) {
	deadline := w.cli.Duration("deadline")
	for e := range w.executions.All {
		for i := range w.properties {
			var late []waiting
			for _, o := range e.Obligations(i) {
				told := w.overdue[e]
				if age := now.Sub(o.Since); age > deadline && (told == nil || o.Since.After(told[i])) {
					if told == nil {
						told = make([]time.Time, len(w.properties))
						w.overdue[e] = told
					}
					late = append(late, waiting{o.Event, o.Events, report.Milliseconds(age), o.More})
					told[i] = o.Since
				}
			}
			if late != nil {
				w.executions.Wake(e)
				a := e.Answer(i)
				a.Reason = fmt.Sprintf("overdue for more than %s", deadline)
				w.print(e, a, late, "")
			}
		}
	}
}
