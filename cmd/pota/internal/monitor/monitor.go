// Package monitor decides properties while events arrive. It is a pipeline of values:
//
//	tail.Chunk → ingest.Source → wal.Append → Monitor.apply → Answer → sink.Deliver → wal: acknowledged
//
// # Stages
//
// Package tail follows files and produces chunks: whole lines of a source, and the position after them. Package
// ingest reads the events in them. Package wal keeps records on the disk. Package sink delivers answers.
// These packages do not depend on each other; this package connects them.
//
// # Records and commits
//
// The log holds raw input: accepted lines with their source and position, exports of spans, and the
// ends of idle executions. It also holds final answers and their acknowledgements. Records are
// appended in the order of application. Nothing is reported before the commit that makes it safe:
// before it, a sender gets no acknowledgement of its lines, and no answer that depends on them is
// delivered. Commits are made in groups: when no input is waiting and as much time has passed as the
// last commit took, or when enough is uncommitted.
//
// # Recovery
//
// The log is read from its beginning into the same pipeline. Verdicts depend only on the lines and
// their order, so a replay finds the same answers again. Answers in the log are dropped; the
// unacknowledged ones among them are delivered again, marked as repeated. Measured on one core of a
// virtual machine, a replay takes 1.3 µs for each line of two processes with one property, so there
// are no snapshots: ten million lines of one execution take about 13 s.
//
// # Compaction
//
// When the log has doubled, and lines or spans name their executions, it is rewritten without the lines of
// executions that have ended or have only final answers. One record holds everything else that is known:
// positions, names, and which answers are known. In a run without --execution-key, the lines of its single
// execution are kept as long as it lasts.
//
// # Goroutines
//
// One goroutine, the loop in run, owns the state: it applies, decides and commits. The goroutines of
// listeners and of package tail hand values over through channels and wait for the reply, so that
// each sender has at most one chunk in memory. Sinks run in goroutines of their own; the loop waits
// for them when their queues are full, which slows down all inputs.
//
// # Files
//
//	options.go  flags that do not fit together, certificates and tokens
//	monitor.go  the loop and its timers
//	apply.go    lines: to executions, decisions and answers
//	spans.go    spans: to executions, decided as a whole
//	listen.go   lines from the network
//	record.go   the encoding of records, and the journal with or without a log
//	recover.go  replay and compaction
//	outbox.go   answers that are not delivered to all consumers
//	deliver.go  commits, replies and delivery, in this order
//	answer.go   an answer as text and JSON
//	operate.go  metrics, and limited notes
package monitor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/ingest"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/sink"
	"github.com/pota-project/pota/cmd/pota/internal/monitor/tail"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/cmd/pota/internal/spans"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Monitor is one run. Its methods are for one goroutine, unless they say otherwise.
type Monitor struct {
	Options
	Host
	ctx        context.Context // done when the run is interrupted
	executions *online.Executions
	spans      *spans.Table
	sources    map[string]*ingest.Source
	skipped    map[string]int // by source, how many lines did not fit the mapping

	// Derived from the options.
	format     *ingest.Format
	conditions []condition
	addresses  []receive.Address
	receiving  receive.Options // without the handlers

	// Lines and spans from other goroutines.
	requests chan *arrival
	exports  chan *export

	journal  journal
	outbox   *outbox
	outlooks []string // by property, when it can hold or fail for good
	status   exit.Status
	lower    string // why the order of events is a lower bound in all executions; "" if it is not

	speaksOfEvents bool // whether some property may mention labels or times of events

	// Uncommitted work.
	replies []reply
	since   time.Time     // when the first of it arose; zero if there is none
	took    time.Duration // how long the last commit took
	stopped bool          // whether nothing more may be committed

	applied int64 // how many events were applied

	// Undecided lines.
	undecided time.Time     // when the first of them arrived; zero if there is none
	deciding  time.Duration // how long the last decision took

	// Clocks.
	clock    time.Time // the time by which executions are idle
	looked   time.Time // when clock was last moved
	spansDue time.Time // when executions of spans are checked next
	arrived  time.Time // when the replayed record had arrived; zero if none has been replayed

	// By execution, when the last reported obligation of each property arose, and the last reported reason
	// why events are kept.
	reminded map[*online.Execution][]time.Time
	holding  map[*online.Execution]string

	ended        bool // whether all inputs have ended
	decidedSpans bool // whether an execution of spans has been decided
	replaying    bool
	replayed     uint64 // the number of the record being replayed
	// by execution that ended since the last compaction, the record that ended it
	endedAt   map[string]uint64
	positions map[string]tail.Position

	meter    *meter
	refusals *limited // notes about the input of senders
	mistakes *limited // errors in the named inputs
	failures *limited // notes about the command of --exec

	patience    context.Context // done endTimeout after the run is interrupted
	closed      bool            // whether results cannot be written any more
	undelivered bool            // whether some answer was not delivered because nobody reads
	capacity    int             // the capacity of the queue to a consumer, in bytes
}

// An arrival is a chunk that was sent over the network. All chunks of a connection or request use the same one.
type arrival struct {
	tail.Chunk
	source *ingest.Source // the source of the connection; nil before its first lines
	reply  chan error
}

// A reply is the answer to a waiting sender.
type reply struct {
	to  chan error
	err error // nil if the lines or spans are accepted
}

// Times and sizes of the loop. They bound how long an answer waits, and do not change its contents.
const (
	// While more lines arrive, they wait this many times as long as the last decision took.
	moreLines = 4

	idleSteps      = 8       // the idle time passes in at least this many steps
	maxUncommitted = 1 << 20 // how many bytes may wait for a commit while more arrive
	maxHeld        = 1000    // how many answers may wait for a commit
	ackDelay       = 100 * time.Millisecond
	statusInterval = time.Second
	endTimeout     = time.Second // the time for an interrupted run to decide and deliver the rest
	sinkCapacity   = 4 << 20
	maxShown       = 64 << 20 // bytes of lines; beyond this an answer has only the ids of events
	readerBatch    = 64 << 10
	commandTimeout = time.Minute
	commandGrace   = time.Second
)

// Run monitors until the inputs have ended, all answers are final (if UntilFinal is set), or ctx is done.
// It returns the exit status for the verdicts.
func Run(ctx context.Context, o Options, h Host) (exit.Status, error) {
	m, err := newMonitor(ctx, o, h)
	if err != nil {
		return exit.AllHold, err
	}
	err = m.start()
	return m.status, err
}

// newMonitor checks the options, and reads the files that they name.
func newMonitor(ctx context.Context, o Options, h Host) (*Monitor, error) {
	o.Grace = cmp.Or(o.Grace, DefaultGrace)
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Unit = cmp.Or(o.Unit, time.Second)
	lines, err := ingest.New(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	addresses, receiving, err := o.listeners(ctx)
	if err != nil {
		return nil, err
	}
	if len(o.Paths)+len(addresses) == 0 {
		o.Paths = []string{"-"}
	}

	m := &Monitor{
		Options:    o,
		Host:       h,
		ctx:        ctx,
		sources:    make(map[string]*ingest.Source),
		skipped:    make(map[string]int),
		format:     lines,
		conditions: o.logConditions(lines.Mapping()),
		addresses:  addresses,
		receiving:  receiving,
		requests:   make(chan *arrival, 4),
		exports:    make(chan *export),
		journal:    volatile{},
		outbox:     newOutbox(),
		reminded:   make(map[*online.Execution][]time.Time),
		holding:    make(map[*online.Execution]string),
		endedAt:    make(map[string]uint64),
		positions:  make(map[string]tail.Position),
		meter:      newMeter(),
		clock:      time.Now(),
		capacity:   sinkCapacity,
	}
	m.looked = m.clock
	var giveUp context.CancelFunc
	m.patience, giveUp = context.WithCancel(context.Background())
	context.AfterFunc(ctx, func() { time.AfterFunc(endTimeout, giveUp) })
	m.refusals = &limited{note: h.Note, more: "%d more refusals"}
	m.mistakes = &limited{note: h.Error, more: "%d more refusals"}
	m.failures = &limited{note: h.Note, more: "--exec: %d more failures of the command"}
	var formulas []*syntax.Formula
	for _, p := range o.Properties {
		formulas = append(formulas, p.Formula)
		m.speaksOfEvents = m.speaksOfEvents || !syntax.DataFree(p.Formula) || syntax.HasBounds(p.Formula)
	}
	options := online.Options{
		Options:  stream.Options{Declared: o.Declared, SyncSize: o.SyncSize, Unit: o.Unit, Lost: o.Window},
		Most:     o.Window,
		Skew:     o.Skew,
		Bindings: o.Bindings,
		Now: func() time.Time { // the arrival time of the input being applied
			if m.replaying && !m.arrived.IsZero() {
				return m.arrived
			}
			return time.Now()
		},
	}
	if m.shows() {
		options.MaxLines = maxShown
	}
	m.executions = online.NewExecutions(formulas, options)
	m.spans = spans.New(spans.Options{
		Grace: min(m.Grace, m.spansIdle()),
		Idle:  m.spansIdle(),
		Bytes: m.spansMemory(),
		Share: min(m.spansMemory()/memoryShare, maxOfOne),
		Over:  maxPast,
	})
	return m, nil
}

// single reports whether all lines are of one execution.
func (m *Monitor) single() bool { return m.ExecutionKey == "" && !m.format.Documents() }

// start recovers the state from the log, runs the loop, and finishes.
func (m *Monitor) start() (err error) {
	m.openSinks()
	// An interruption ends the loop first, and then the inputs.
	ctx, stop := context.WithCancel(context.WithoutCancel(m.ctx))
	var listeners sync.WaitGroup
	defer func() {
		stop()
		listeners.Wait()
		m.refusals.end()
		m.mistakes.end()
		m.failures.end()
	}()
	var in <-chan tail.Chunk
	if err = m.recover(); err == nil {
		// Listeners start only when the log has been read.
		in, err = m.follow(ctx, &listeners)
	}
	if err == nil && m.single() {
		_, err = m.executions.Of(nil, m.clock)
	}
	if err != nil {
		m.closeSinks()
		return errors.Join(err, m.journal.Close())
	}
	m.foretell()
	// The limits of the process may abandon this step. In that case its state must not be touched.
	returned, err := m.Step(func(ctx context.Context) error { return m.run(ctx, in) })
	if !returned {
		return err // the abandoned step may still use the log
	}
	return m.finish(err)
}

// finish decides and delivers the rest, and closes the log.
func (m *Monitor) finish(err error) error {
	// The log can be removed if nothing remains for another run.
	over := err == nil && m.ctx.Err() == nil && !m.closed
	open := m.endSpans()
	err = errors.Join(err, m.commit())
	if !m.closed {
		err = errors.Join(err, m.reportOpen(open))
	}
	// The second commit records the acknowledgements of the last answers, so that the next run does not repeat them.
	err = errors.Join(err, m.flush(), m.commit())
	m.closeSinks()
	for _, name := range slices.Sorted(maps.Keys(m.skipped)) {
		m.Note(fmt.Sprintf("%s: skipped %s that did not fit the mapping", graphs.Printable(name), graphs.Plural(m.skipped[name], "line")))
	}
	if over && err == nil && len(m.outbox.unacked) == 0 {
		return m.journal.Remove()
	}
	return errors.Join(err, m.journal.Close())
}

// follow starts to follow the paths, and starts the listeners.
func (m *Monitor) follow(ctx context.Context, listeners *sync.WaitGroup) (<-chan tail.Chunk, error) {
	o := tail.Options{
		Paths: m.Paths,
		Stdin: m.Stdin,
		ToEnd: m.ToEnd,
		Takes: m.format.Takes,
	}
	// Files are read from the positions in the log, up to which lines are safe.
	for _, p := range m.positions {
		o.From = append(o.From, p)
	}
	in, err := tail.Follow(ctx, o)
	if err != nil {
		return nil, err
	}
	if len(m.Listen) == 0 {
		return in, nil
	}
	return in, m.listen(ctx, listeners)
}

// run applies inputs until they have ended, or all answers are final.
func (m *Monitor) run(ctx context.Context, in <-chan tail.Chunk) error {
	// A nil channel never fires.
	var overdue, tick <-chan time.Time
	if m.Deadline > 0 {
		overdue = time.Tick(max(m.Deadline/8, time.Millisecond))
	}
	pace := pace{at: time.Now()}
	if m.Status != nil && !m.Quiet {
		tick = time.Tick(statusInterval)
		defer m.Status("")
	}
	// Each iteration applies at most one input, so that timers and metrics are served under load.
	var failed <-chan error // when results cannot be written
	if s := m.outbox.sinks[reader]; s != nil {
		failed = s.Failed()
	}
	for {
		if len(in)+len(m.requests) == 0 {
			runtime.Gosched() // a reader may have more input and be waiting for this core
		}
		idle := len(in)+len(m.requests) == 0
		if err := m.maybeCommit(idle); err != nil || m.closed {
			return err
		}
		var err error
		select {
		case <-ctx.Done():
			// A limit leaves no time to decide; an interruption does.
			if failure.IsLimit(context.Cause(ctx)) {
				return ctx.Err()
			}
			return m.decide()
		case x := <-m.exports:
			m.export(x)
		case <-m.spansTimer():
			m.decideOver()
		case err := <-failed:
			return m.unwritten(err)
		case measured := <-m.meter.asked:
			m.measure()
			close(measured)
			continue
		case now := <-tick:
			m.Status(pace.text(now, m.applied, m.openAnswers(), m.undecided))
		case now := <-overdue:
			m.remind(now)
		case <-m.decisionTimer(idle):
			err = m.decide()
		case <-m.idleTimer():
		case <-m.commitTimer():
		case a := <-m.requests:
			err = m.ingest(&a.Chunk, a)
		case c, ok := <-in:
			switch {
			case ok:
				err = m.ingest(&c, nil)
			// The files have ended, but listeners have not.
			case len(m.Listen) > 0:
				in = nil
			default:
				return m.end()
			}
		}
		if err != nil || m.over() {
			return err
		}
		if err := m.endIdle(); err != nil {
			return err
		}
	}
}

// decisionTimer fires when lines must be decided: after as long as the last decision took, or a multiple of that if
// more input is waiting.
func (m *Monitor) decisionTimer(idle bool) <-chan time.Time {
	if m.undecided.IsZero() {
		return nil
	}
	wait := m.deciding
	// Deciding more lines together is cheaper, and the delay is bounded.
	if !idle {
		wait *= moreLines
	}
	return time.After(time.Until(m.undecided.Add(wait)))
}

// idleTimer fires when executions may have become idle.
func (m *Monitor) idleTimer() <-chan time.Time {
	if m.Idle == 0 || m.ExecutionKey == "" || m.executions.Len() == 0 {
		return nil
	}
	return time.After(m.Idle / idleSteps)
}

// commitTimer fires when a commit is due.
func (m *Monitor) commitTimer() <-chan time.Time {
	switch {
	case !m.since.IsZero():
		return time.After(time.Until(m.since.Add(m.took)))
	// Acknowledgements come from other goroutines, which do not wake the loop.
	case len(m.outbox.unacked) > 0 && !m.stopped:
		return time.After(ackDelay)
	}
	return nil
}

// over reports whether the run ends because all answers are final: no execution of spans is open, and the answers on
// lines are final, or there were only spans and some were decided.
func (m *Monitor) over() bool {
	if !m.UntilFinal {
		return false
	}
	e := m.executions.Find("")
	// Lines and spans may both arrive; the answers on both must be final.
	open, _ := m.spans.Len()
	lines := e != nil && e.Stream().Admitted() > 0
	return open == 0 && (e != nil && e.Final() || m.decidedSpans && !lines)
}

// tick advances the clock for idle executions. A period without progress of the process, however long, counts as one
// step.
func (m *Monitor) tick() {
	now := time.Now()
	m.clock = m.clock.Add(min(now.Sub(m.looked), m.Idle/idleSteps))
	m.looked = now
}

// endIdle ends the executions of lines that have been idle for too long.
func (m *Monitor) endIdle() error {
	if m.Idle == 0 || m.ExecutionKey == "" {
		return nil
	}
	m.tick()
	// The quietest execution comes first, so the first one that is not idle ends the search.
	for e := range m.executions.All {
		if m.clock.Sub(e.Latest) < m.Idle {
			return nil
		}
		how := fmt.Sprintf("silent for %s", m.Idle)
		// No line shows a replay that the execution has ended.
		m.journal.record(kindEnd, &head{Execution: e.Name, How: how}, nil)
		if err := m.endExecution(e, how); err != nil {
			return err
		}
	}
	return nil
}

// openSinks opens the sinks that deliver answers.
func (m *Monitor) openSinks() {
	if !m.Quiet {
		m.outbox.sinks[reader] = sink.New(sink.Options{
			Give:     func(_ context.Context, text []byte) error { return m.Write(text) },
			Capacity: m.capacity,
			Batch:    readerBatch,
		})
	}
	if m.Exec == "" {
		return
	}
	c := &sink.Command{Text: m.Exec, Timeout: commandTimeout, Grace: commandGrace}
	// A command that fails has received its answer, so the answer is acknowledged and the failure is noted.
	give := func(ctx context.Context, text []byte) error {
		err := c.Run(ctx, text)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			var a struct{ Property string }
			_ = json.Unmarshal(text, &a) // text is an answer, so there is no error
			m.failures.report("--exec: %s: %v", a.Property, err)
		}
		return nil
	}
	m.outbox.sinks[command] = sink.New(sink.Options{Give: give, Capacity: m.capacity})
}

// unwritten returns the error for results that cannot be written, after which no more are written.
func (m *Monitor) unwritten(err error) error {
	m.closed = true
	return fmt.Errorf("writing the results: %w", err)
}

// openAnswers returns a text with the number of open executions or properties.
func (m *Monitor) openAnswers() string {
	e := m.executions.Find("")
	if e == nil || !m.single() {
		return graphs.Plural(m.executions.Len(), "open execution")
	}
	open := 0
	for i := range m.Properties {
		if !e.Answer(i).Final {
			open++
		}
	}
	return fmt.Sprintf("%d of %d properties open", open, len(m.Properties))
}

// measure sets the gauges of the run. The time complexity of measure is O(executions).
func (m *Monitor) measure() {
	window := 0
	open := make([]int, len(m.Properties))
	for e := range m.executions.All {
		window += e.Kept()
		for i := range open {
			for _, o := range e.Obligations(i) {
				open[i] += 1 + o.More
			}
		}
	}
	m.meter.window.Set(float64(window))
	for i, n := range open {
		m.meter.obligations.Of(m.answerTo(i, "").Property).Set(float64(n))
	}
	m.meter.executions.Of("lines").Set(float64(m.executions.Len()))
	executions, bytes := m.spans.Len()
	m.meter.executions.Of("spans").Set(float64(executions))
	m.meter.bytes.Set(float64(bytes))
}
