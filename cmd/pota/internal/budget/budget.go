// Package budget bounds the time and the memory of a run of the command. Work that may take long
// is a step, a call of Do. When a limit is reached, the context of a step ends with a *LimitError
// as its cause, which names the step. Steps should end soon after their context. A step that does
// not is abandoned: Do returns without its result, and the run goes on to print the results it
// has, and reports the rest as undecided.
//
// The package never ends the process. If the run still goes on for too long, for example because
// nobody reads its output, the package calls Limits.Overrun.
//
// Memory is the memory that the Go runtime has obtained from the system and not returned.
// Reaching its limit ends only the running steps, because their memory is free afterwards.
package budget

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"
)

// Limits bound the resources of a run.
type Limits struct {
	Time   time.Duration // the time limit; 0 for none
	Memory int64         // the memory limit in bytes
	Size   string        // Memory as the user wrote it, for messages

	// Overrun is called at most once, from another goroutine, if the run has neither ended nor
	// returned memory some time after a limit was reached. It may be nil.
	Overrun func(*LimitError)
}

// A Budget enforces limits from New until End. A nil Budget has no limits.
type Budget struct {
	limits   Limits
	deadline time.Time
	used     func() int64 // returns the bytes of memory in use
	restore  int64        // the previous memory limit of the Go runtime

	abandoned chan struct{} // closed when steps are abandoned
	ended     chan struct{} // closed by End

	mu      sync.Mutex
	running map[*step]bool
	reached string // the limit for which steps are abandoned; written before abandoned is closed
	full    bool   // the memory limit was reached, and the memory is not returned yet
	freeing bool   // the memory is being returned
}

// A step is running work.
type step struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	stop   context.CancelFunc // releases the deadline
	doing  string
}

// A LimitError says that a limit was reached, or that the run was interrupted, and during which
// step.
type LimitError struct {
	Limit string // such as "the time limit of 5s was reached"
	Doing string // such as "deciding"
}

func (e *LimitError) Error() string { return e.Limit + " while " + e.Doing }

// Is makes a LimitError match context.DeadlineExceeded, the error of a context that it ends.
func (e *LimitError) Is(target error) bool { return target == context.DeadlineExceeded }

// Interrupted is the Limit of a LimitError after the context was cancelled from outside.
const Interrupted = "interrupted"

const (
	// The memory in use is polled after the time that it takes to fill the free memory at fillRate,
	// within these bounds. A server that waits for requests should sleep.
	pollInterval    = 4 * time.Millisecond
	maxPollInterval = 25 * pollInterval
	fillRate        = 8 // bytes per nanosecond

	// A step may exceed the limits by these amounts before it is abandoned, and the run again
	// before it is given up:
	spareMemory  = 24 << 20
	spareTime    = 25                    // the divisor of the time limit
	minSpareTime = 20 * time.Millisecond // the least spare time

	// At the memory limit, the run then has this much time to write its results. At the time
	// limit, it has a tenth of it.
	writeTimeout = time.Second
)

// New returns a budget and starts its clock. Until End it also bounds the memory of the Go
// runtime, so that garbage does not reach the limit.
func New(limits Limits) *Budget {
	b := newBudget(limits, memoryUsed)
	b.restore = debug.SetMemoryLimit(limits.Memory - limits.Memory/8)
	return b
}

func newBudget(limits Limits, used func() int64) *Budget {
	b := &Budget{
		limits:    limits,
		used:      used,
		restore:   -1, // -1 leaves the limit unchanged
		abandoned: make(chan struct{}),
		ended:     make(chan struct{}),
		running:   make(map[*step]bool),
	}
	if limits.Time > 0 {
		b.deadline = time.Now().Add(limits.Time)
	}
	go b.watch()
	return b
}

// End ends the budget. It does not wait for abandoned steps.
func (b *Budget) End() {
	if b != nil {
		close(b.ended)
		debug.SetMemoryLimit(b.restore)
	}
}

// watch cancels steps when memory is short, abandons them if they go on, and then reports an
// overrun. It ends with the budget.
func (b *Budget) watch() {
	poll := time.NewTimer(pollInterval)
	defer poll.Stop()
	var overdue <-chan time.Time
	if b.limits.Time > 0 {
		spare := max(b.limits.Time/spareTime, minSpareTime)
		overdue = time.After(time.Until(b.deadline) + spare)
	}

	reached := b.timeReached()
	wait := max(b.limits.Time/spareTime, writeTimeout/10)
	for abandoned := false; ; {
		select {
		case <-b.ended:
			return
		case <-overdue:
		case <-poll.C:
			used := b.used()
			fill := time.Duration((b.limits.Memory - used) / fillRate)
			poll.Reset(min(max(fill, pollInterval), maxPollInterval))
			if !b.outOfMemory(used) {
				continue
			}
			reached = b.memoryReached()
			wait = writeTimeout
		}
		if abandoned {
			if b.limits.Overrun != nil {
				b.limits.Overrun(&LimitError{reached, "writing the results"}) // since no step is awaited any more
			}
			return
		}
		// Abandon all steps, including future ones.
		b.mu.Lock()
		b.reached = reached
		close(b.abandoned)
		b.mu.Unlock()
		overdue = time.After(wait)
		abandoned = true
	}
}

// outOfMemory cancels all steps if used, in bytes, exceeds the limit. It reports whether it is too
// much to wait for the steps to end.
func (b *Budget) outOfMemory(used int64) bool {
	if used <= b.limits.Memory {
		return false
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.freeing {
		return false
	}
	b.full = true
	maxMemory := b.limits.Memory + spareMemory
	if b.reached != "" || len(b.running) == 0 {
		maxMemory += spareMemory // enough to write the results
	}
	for s := range b.running {
		s.cancel(&LimitError{b.memoryReached(), s.doing})
	}
	return used > maxMemory
}

// enter begins a step.
func (b *Budget) enter(ctx context.Context, doing string) *step {
	s := &step{doing: doing, stop: func() {}}
	if b.limits.Time > 0 {
		ctx, s.stop = context.WithDeadlineCause(ctx, b.deadline, &LimitError{b.timeReached(), doing})
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)

	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[s] = true
	return s
}

// leave ends a step. After the memory limit was reached, the last step to end returns the memory.
func (b *Budget) leave(s *step) {
	b.mu.Lock()
	delete(b.running, s)
	free := b.full && len(b.running) == 0 && b.reached == ""
	b.freeing = free
	b.mu.Unlock()

	s.cancel(nil)
	s.stop()
	if free {
		debug.FreeOSMemory()
		b.mu.Lock()
		b.full = false
		b.freeing = false
		b.mu.Unlock()
	}
}

func (b *Budget) timeReached() string {
	return fmt.Sprintf("the time limit of %s was reached", b.limits.Time)
}

func (b *Budget) memoryReached() string {
	return fmt.Sprintf("the memory limit of %s was reached", b.limits.Size)
}

// Share returns a context that ends after an equal share of the remaining time, so that one of
// several pieces of work does not use all of it.
func (b *Budget) Share(ctx context.Context, pieces int, doing string) (context.Context, context.CancelFunc) {
	if b == nil || b.limits.Time == 0 {
		return context.WithCancel(ctx)
	}
	left := max(time.Until(b.deadline), 0)
	end := time.Now().Add(left / time.Duration(max(pieces, 1)))
	return context.WithDeadlineCause(ctx, end, &LimitError{b.timeReached(), doing})
}

// Check returns the *LimitError that ended a context during a step, or nil if the context has
// not ended.
func Check(ctx context.Context, doing string) error {
	if ctx.Err() == nil {
		return nil
	}
	if e, ok := errors.AsType[*LimitError](context.Cause(ctx)); ok {
		return e
	}
	return &LimitError{Interrupted, doing}
}

// IsDone reports whether an error says that a context has ended.
func IsDone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Do runs a step. When a limit is reached, the error is a *LimitError. If the work goes on
// nevertheless, Do returns without it, and its result is lost. With a nil budget, Do just calls
// work.
func Do[T any](ctx context.Context, b *Budget, doing string, work func(context.Context) (T, error)) (T, error) {
	if b == nil {
		return work(ctx)
	}
	s := b.enter(ctx, doing)
	defer b.leave(s)
	var none T
	select {
	case <-b.abandoned:
		return none, &LimitError{b.reached, doing}
	default:
	}

	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1) // abandoned work must not block
	go func() {
		result, err := work(s.ctx)
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		_, known := errors.AsType[*LimitError](o.err)
		if limit := Check(s.ctx, doing); limit != nil && IsDone(o.err) && !known {
			return o.result, limit
		}
		return o.result, o.err
	case <-b.abandoned:
		return none, &LimitError{b.reached, doing}
	}
}

// Try is Do for work without a result.
func Try(ctx context.Context, b *Budget, doing string, work func(context.Context) error) error {
	_, err := Do(ctx, b, doing, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, work(ctx)
	})
	return err
}

// Writing is Try for work that writes to w. Nothing is written to w once Writing has returned.
func Writing(ctx context.Context, b *Budget, doing string, w io.Writer, write func(context.Context, io.Writer) error) error {
	g := &gate{w: w, free: make(chan struct{}, 1)}
	defer g.shut()
	return Try(ctx, b, doing, func(ctx context.Context) error {
		g.ctx = ctx
		return write(ctx, g)
	})
}

// A gate passes writes on until its context ends or it is shut.
type gate struct {
	ctx  context.Context
	free chan struct{} // a mutex; a channel, so that a test can see that a goroutine is blocked
	w    io.Writer     // nil once the gate is shut
}

func (g *gate) Write(p []byte) (int, error) {
	if err := g.ctx.Err(); err != nil {
		return 0, err
	}
	g.free <- struct{}{}
	defer func() { <-g.free }()
	if g.w == nil {
		return 0, io.ErrClosedPipe
	}
	return g.w.Write(p)
}

// shut waits for a write in progress, and refuses later ones.
func (g *gate) shut() {
	g.free <- struct{}{}
	defer func() { <-g.free }()
	g.w = nil
}
