package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/translate/spin"
)

// A budget is the time and the memory that one run of the program may take. Whatever takes
// long is a step, a call of do. A step gets a context that ends when a limit is reached,
// with a *limitError as its cause, which names the step. Steps are expected to end soon
// after their context. One that does not is left running, and the run goes on without it:
// it prints what it has, and that everything else is undecided. If even that takes too long,
// the program ends.
//
// Memory is what the Go runtime has from the system and has not given back. Reaching its
// limit ends only the steps that are running, because what they took is free afterwards.
type budget struct {
	limit    time.Duration // 0 for none
	deadline time.Time
	bytes    int64
	size     string // bytes as text
	before   int64  // the limit of the Go runtime before
	err      io.Writer

	overdue chan struct{} // closed when steps go on although a limit was reached
	stopped chan struct{} // closed when the run ends
	mu      sync.Mutex
	steps   map[*step]bool // that are running
	late    reached        // the limit that was reached when overdue was closed
	full    bool           // the limit of memory was reached, and the memory was not given back yet
	freeing bool           // it is being given back
}

// A step is running work.
type step struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	end    context.CancelFunc
	doing  string
}

// reached says which limit was reached.
type reached string

// A limitError says that a limit was reached, and what was being done.
type limitError struct {
	reached
	doing string
}

func (e *limitError) Error() string { return string(e.reached) + " while " + e.doing }

// Is makes a limitError a context's error, whose cause it is.
func (e *limitError) Is(target error) bool { return target == context.DeadlineExceeded }

const interrupted reached = "interrupted"

const (
	lookEvery   = 4 * time.Millisecond  // how often memory is looked at
	spareMemory = 24 << 20              // beyond the limit, before a step is left alone, and again before the program ends
	spareTime   = 25                    // likewise, as a part of the limit of time
	leastSpare  = 20 * time.Millisecond // but no less
	timeToWrite = time.Second           // what is known when the limit of memory was reached; a tenth of it at that of time
)

// limitFlags bound what a command may take.
func limitFlags(timeout time.Duration) []cli.Flag {
	return []cli.Flag{
		&cli.DurationFlag{Name: "timeout", Value: timeout, Usage: "give up after `TIME`, such as 30s: what is not done then is unknown"},
		&cli.StringFlag{Name: "max-memory", Usage: "give up when more memory than `SIZE` is needed (default: most of what the machine, the container or ulimit -v allows)"},
	}
}

// begin starts the budget that the flags of a command ask for.
func (s *session) begin(c *cli.Context) error {
	limit, size := c.Duration("timeout"), c.String("max-memory")
	if limit < 0 {
		return usagef("--timeout must be positive, not %s", limit)
	}
	if c.Command.Name == serveName {
		limit = 0 // it is that of an answer
	}
	var bytes int64
	if size == "" {
		bytes = memoryHere()
		size = fmt.Sprintf("%d MiB", bytes>>20)
	} else {
		var err error
		if bytes, err = parseSize("--max-memory", size); err != nil {
			return err
		}
	}
	s.spend(limit, bytes, size)
	return nil
}

// spend starts a budget of some time, 0 for no limit, and of some memory, which size
// writes. It ends with the session.
func (s *session) spend(limit time.Duration, bytes int64, size string) {
	b := &budget{
		limit: limit, bytes: bytes, size: size, err: s.err,
		overdue: make(chan struct{}), stopped: make(chan struct{}), steps: make(map[*step]bool),
	}
	if limit > 0 {
		b.deadline = time.Now().Add(limit)
	}
	s.budget = b
	b.before = debug.SetMemoryLimit(b.bytes - b.bytes/8) // so that garbage does not reach the limit
	go b.watch()
}

// memoryHere returns how much memory the program may take where it runs.
func memoryHere() int64 {
	most := int64(math.MaxInt64)
	for _, source := range []memlimit.Provider{memlimit.FromCgroup, memlimit.FromSystem} {
		if n, err := source(); err == nil && n < uint64(most) {
			most = int64(n)
		}
	}
	const beside = 64 << 20 // taken by what is not the heap, and before a step stops
	most -= min(most/10+beside, most/2)
	if room, ok := addressSpace(); ok {
		most = min(most, room/2) // as blocks of memory must be in one piece
	}
	return most
}

// end ends the budget.
func (b *budget) end() {
	if b != nil {
		close(b.stopped)
		debug.SetMemoryLimit(b.before)
	}
}

// watch ends steps when there is too little memory, and gives up on them when they are
// overdue. It ends with the run, or soon after it gave up ends the run.
func (b *budget) watch() {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var patient <-chan time.Time
	if b.limit > 0 {
		patient = time.After(time.Until(b.deadline) + max(b.limit/spareTime, leastSpare))
	}
	late, toWrite := b.timeOver("").reached, max(b.limit/spareTime, timeToWrite/10)
	for given := false; ; {
		select {
		case <-b.stopped:
			return
		case <-patient:
		case <-look.C:
			used := memoryUsed()
			if used <= b.bytes || !b.outOfMemory(used) {
				continue
			}
			late, toWrite = b.memoryOver("").reached, timeToWrite
		}
		if given {
			b.exit(late)
		}
		given, patient = true, time.After(toWrite)
		b.giveUp(late)
	}
}

// exit ends the program where it is.
func (b *budget) exit(why reached) {
	pending.remove()
	spin.Tidy(timeToKill)
	doing := "writing the results"
	b.mu.Lock()
	for s := range b.steps {
		doing = s.doing
	}
	b.mu.Unlock()
	fmt.Fprintf(b.err, "pota: %s while %s\n", why, doing)
	os.Exit(int(undecided))
}

// memoryUsed returns how many bytes the Go runtime has from the system.
func memoryUsed() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}

// outOfMemory ends the contexts of all steps. It reports whether that much memory is too
// much to wait for them.
func (b *budget) outOfMemory(used int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.freeing {
		return false
	}
	b.full = true
	most := b.bytes + spareMemory
	if b.late != "" || len(b.steps) == 0 {
		most += spareMemory // enough to write what is known
	}
	for s := range b.steps {
		s.cancel(b.memoryOver(s.doing))
	}
	return used > most
}

// giveUp leaves all steps alone.
func (b *budget) giveUp(why reached) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.late = why
	close(b.overdue)
}

// enter starts a step.
func (b *budget) enter(run context.Context, doing string) *step {
	s := &step{doing: doing, end: func() {}}
	if b.limit > 0 {
		run, s.end = context.WithDeadlineCause(run, b.deadline, b.timeOver(doing))
	}
	s.ctx, s.cancel = context.WithCancelCause(run)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.steps[s] = true
	return s
}

// leave ends a step.
func (b *budget) leave(s *step) {
	b.mu.Lock()
	delete(b.steps, s)
	free := b.full && len(b.steps) == 0 && b.late == ""
	b.freeing = free
	b.mu.Unlock()
	s.cancel(nil)
	s.end()
	if free {
		debug.FreeOSMemory()
		b.mu.Lock()
		b.full, b.freeing = false, false
		b.mu.Unlock()
	}
}

func (b *budget) timeOver(doing string) *limitError {
	return &limitError{reached(fmt.Sprintf("the time limit of %s was reached", b.limit)), doing}
}

func (b *budget) memoryOver(doing string) *limitError {
	return &limitError{reached(fmt.Sprintf("the memory limit of %s was reached", b.size)), doing}
}

// share returns a context that ends when an equal share of the time that is left is over,
// so that one of several pieces of work does not take all of it.
func (b *budget) share(ctx context.Context, pieces int, doing string) (context.Context, context.CancelFunc) {
	if b.limit == 0 {
		return context.WithCancel(ctx)
	}
	rest := max(time.Until(b.deadline), 0)
	return context.WithDeadlineCause(ctx, time.Now().Add(rest/time.Duration(max(pieces, 1))), b.timeOver(doing))
}

// limitOf returns the limit that ended a context while something was done; nil if it has
// not ended.
func limitOf(ctx context.Context, doing string) error {
	if ctx.Err() == nil {
		return nil
	}
	if e, ok := errors.AsType[*limitError](context.Cause(ctx)); ok {
		return e
	}
	return &limitError{interrupted, doing}
}

// do runs a step of the session, or where that has no budget just the work. When a limit is reached the error is a *limitError. If
// the step goes on nevertheless, do returns without it.
func do[T any](s *session, doing string, work func(context.Context) (T, error)) (result T, err error) {
	if s.budget == nil {
		return work(s.ctx)
	}
	st := s.budget.enter(s.ctx, doing)
	defer s.budget.leave(st)
	select {
	case <-s.budget.overdue:
		return result, &limitError{s.budget.late, doing}
	default:
	}
	if s.tell != nil {
		s.tell(doing)
	}
	defer s.busy("%s", doing)()
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := work(st.ctx)
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		if limit := limitOf(st.ctx, doing); limit != nil && isDone(o.err) && !is[*limitError](o.err) {
			return o.result, limit
		}
		return o.result, o.err
	case <-s.budget.overdue:
		return result, &limitError{s.budget.late, doing}
	}
}

// try is do for work without a result.
func try(s *session, doing string, work func(context.Context) error) error {
	_, err := do(s, doing, func(ctx context.Context) (struct{}, error) { return struct{}{}, work(ctx) })
	return err
}

// writing runs a step that writes to w, which nothing is written to once the step is over.
func (s *session) writing(doing string, w io.Writer, write func(context.Context, io.Writer) error) error {
	g := &gate{w: w}
	defer g.shut()
	return try(s, doing, func(ctx context.Context) error {
		g.ctx = ctx
		return write(ctx, g)
	})
}

// A gate passes on what is written until its context ends or it is shut.
type gate struct {
	ctx context.Context
	mu  sync.Mutex
	w   io.Writer // nil once the gate is shut
}

func (g *gate) Write(p []byte) (int, error) {
	if err := g.ctx.Err(); err != nil {
		return 0, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.w == nil {
		return 0, io.ErrClosedPipe
	}
	return g.w.Write(p)
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.w = nil
}

// memory returns how many bytes an engine may take, one of several that work at a time:
// its part of what the limit leaves beside the traces, less some for garbage that is not
// collected yet.
func (b *budget) memory(jobs int) int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return max((b.bytes-int64(sample[0].Value.Uint64()))/int64(jobs)/10*7, 1)
}

// isDone reports whether an error is that of a context that has ended.
func isDone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// parseSize reads an amount of memory such as 512MB, 4GiB or 1000000.
func parseSize(flag, text string) (int64, error) {
	units := map[string]float64{
		"": 1, "B": 1,
		"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40,
		"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40,
	}
	size := strings.ToUpper(strings.TrimSpace(text))
	number := strings.TrimRight(size, "KMGTIB")
	unit, ok := units[size[len(number):]]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !ok || err != nil || !(n >= 0) || n*unit > 1<<62 {
		return 0, usagef("%s must be an amount such as 512MiB or 4GiB, not %q", flag, text)
	}
	return int64(n * unit), nil
}
