package budget

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const limit = time.Minute

// begin returns a budget whose memory is what used says, and the channel that gets an overrun.
func begin(limits Limits, used func() int64) (*Budget, chan *LimitError) {
	overrun := make(chan *LimitError, 2)
	limits.Overrun = func(e *LimitError) { overrun <- e }
	return newBudget(limits, used), overrun
}

// forTime returns a budget of time.
func forTime() (*Budget, chan *LimitError) {
	return begin(Limits{Time: limit, Memory: math.MaxInt64}, func() int64 { return 0 })
}

// expect checks the text and the kind of an error.
func expect(t *testing.T, err error, want string) {
	t.Helper()
	if _, ok := errors.AsType[*LimitError](err); !ok || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// A step that heeds its context ends at the limit with what it has, and the next one can still
// say so.
func TestStepEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := forTime()
		defer b.End()
		begun := time.Now()
		got, err := Do(t.Context(), b, "waiting", func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 7, ctx.Err()
		})
		expect(t, err, "the time limit of 1m0s was reached while waiting")
		if took := time.Since(begun); got != 7 || took != limit {
			t.Errorf("got %d after %s", got, took)
		}
		ran := false
		err = Try(t.Context(), b, "going on", func(ctx context.Context) error {
			ran = true
			return ctx.Err()
		})
		expect(t, err, "the time limit of 1m0s was reached while going on")
		if !ran {
			t.Error("the next step did not run")
		}
	})
}

// pass lets time go by on the clock of a bubble of synctest, which nobody has to wait for.
func pass(d time.Duration) { <-time.After(d) }

// A step that does not heed its context is left alone, and so is what comes after it. Then the
// overrun is reported, once, and nothing but a report happens.
func TestStepLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, overrun := forTime()
		defer b.End()
		release := make(chan struct{}) // closed after all else: whoever waits for the step hangs
		defer close(release)
		err := Try(t.Context(), b, "sleeping", func(context.Context) error {
			<-release
			return nil
		})
		expect(t, err, "the time limit of 1m0s was reached while sleeping")
		err = Try(t.Context(), b, "going on", func(context.Context) error {
			t.Error("the next step ran")
			return nil
		})
		expect(t, err, "the time limit of 1m0s was reached while going on")

		const want = "the time limit of 1m0s was reached while writing the results"
		if got := <-overrun; got.Error() != want {
			t.Errorf("overrun %q, want %q", got, want)
		}
		pass(2 * limit)
		if len(overrun) > 0 {
			t.Error("reported twice")
		}
	})
}

// A run that is blocked for good, because nobody reads what it prints, is reported.
func TestOverrun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, overrun := forTime()
		defer b.End()
		reader, writer := io.Pipe() // nobody reads it
		go Writing(t.Context(), b, "printing", writer, func(_ context.Context, w io.Writer) error {
			_, err := w.Write([]byte("text"))
			return err
		})
		if got := <-overrun; got.Limit != "the time limit of 1m0s was reached" || got.Doing != "writing the results" {
			t.Errorf("overrun %q", got)
		}
		reader.Close()
	})
}

// A budget that has ended reports nothing.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, overrun := forTime()
		b.End()
		pass(3 * limit)
		if len(overrun) > 0 {
			t.Error(<-overrun)
		}
	})
}

// Errors of the work itself pass unchanged, also after a limit.
func TestOtherErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := forTime()
		defer b.End()
		other := errors.New("other")
		for _, wait := range []time.Duration{0, limit} {
			err := Try(t.Context(), b, "failing", func(context.Context) error {
				pass(wait)
				return other
			})
			if err != other {
				t.Error(err)
			}
		}
	})
}

// A step whose run is interrupted says so.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := forTime()
		defer b.End()
		ctx, cancel := context.WithCancel(t.Context())
		err := Try(ctx, b, "waiting", func(ctx context.Context) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		})
		expect(t, err, "interrupted while waiting")
	})
}

// A nil budget has no limits.
func TestNoBudget(t *testing.T) {
	got, err := Do(t.Context(), nil, "working", func(context.Context) (int, error) { return 7, nil })
	if got != 7 || err != nil {
		t.Error(got, err)
	}
	(*Budget)(nil).End()
}

// Nothing is written once Writing has returned, or its context ended.
func TestWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := forTime()
		defer b.End()
		var text strings.Builder
		late := make(chan error, 2)
		err := Writing(t.Context(), b, "printing", &text, func(ctx context.Context, w io.Writer) error {
			io.WriteString(w, "before")
			<-ctx.Done()
			_, err := io.WriteString(w, "after the limit")
			late <- err
			pass(limit) // is left alone
			_, err = io.WriteString(w, "after the step")
			late <- err
			return err
		})
		expect(t, err, "the time limit of 1m0s was reached while printing")
		if one, two := <-late, <-late; one == nil || two == nil || text.String() != "before" {
			t.Errorf("wrote %q, then %v and %v", text.String(), one, two)
		}

		g := &gate{ctx: t.Context(), w: &text, free: make(chan struct{}, 1)}
		g.shut()
		if _, err := g.Write([]byte("late")); err != io.ErrClosedPipe {
			t.Errorf("a shut gate: %v", err)
		}
	})
}

// Memory is looked at as often as it may run out, and rarely while much is free.
func TestLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const memory = 64 << 30
		for used, most := range map[int64]int64{0: 11, memory: 251} {
			var looks atomic.Int64
			b, _ := begin(Limits{Memory: memory, Size: "64 GiB"}, func() int64 {
				looks.Add(1)
				return used
			})
			pass(time.Second)
			if n := looks.Load(); n > most || n < most-3 {
				t.Errorf("%d looks in a second with %d bytes used, want %d", n, used, most-1)
			}
			b.End()
		}
	})
}

// A step ends when memory runs out, and gives the memory back to the next one.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const memory = 64 << 20
		var used atomic.Int64
		b, overrun := begin(Limits{Memory: memory, Size: "64 MiB"}, used.Load)
		defer b.End()
		for range 3 {
			err := Try(t.Context(), b, "filling", func(ctx context.Context) error {
				used.Store(memory + 1)
				<-ctx.Done()
				used.Store(0)
				return ctx.Err()
			})
			expect(t, err, "the memory limit of 64 MiB was reached while filling")
			err = Try(t.Context(), b, "a little", func(ctx context.Context) error {
				used.Store(memory)
				pass(10 * pollInterval)
				return ctx.Err()
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(overrun) > 0 {
			t.Error(<-overrun)
		}
	})
}

// A step that goes on to take memory is left alone when it took the spare memory, and an overrun
// is reported when it took that twice; or when nothing has changed after a while.
func TestMemoryLeftAlone(t *testing.T) {
	for _, more := range []int64{0, spareMemory} {
		synctest.Test(t, func(t *testing.T) {
			const memory = 64 << 20
			var used atomic.Int64
			b, overrun := begin(Limits{Memory: memory, Size: "64 MiB"}, used.Load)
			defer b.End()
			stop := make(chan struct{})
			defer close(stop)
			err := Try(t.Context(), b, "filling", func(ctx context.Context) error {
				used.Store(memory + spareMemory)
				<-ctx.Done()
				pass(10 * pollInterval) // it still has some spare memory
				used.Add(1)
				<-stop
				return nil
			})
			expect(t, err, "the memory limit of 64 MiB was reached while filling")
			used.Add(more)
			begun := time.Now()
			got := <-overrun
			if took := time.Since(begun); got.Limit != "the memory limit of 64 MiB was reached" || (took < writeTimeout) != (more > 0) {
				t.Errorf("overrun %q after %s", got, took)
			}
		})
	}
}

// Pieces of work share the time that is left.
func TestShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := forTime()
		defer b.End()
		pass(limit / 2)
		for pieces, want := range map[int]time.Duration{0: limit / 2, 1: limit / 2, 3: limit / 6, 60: limit / 120} {
			ctx, cancel := b.Share(t.Context(), pieces, "sharing")
			at, _ := ctx.Deadline()
			if rest := time.Until(at); rest != want {
				t.Errorf("%d pieces have %s each, not %s", pieces, rest, want)
			}
			cancel()
		}
		ctx, cancel := b.Share(t.Context(), 60, "sharing")
		defer cancel()
		if Check(ctx, "sharing") != nil {
			t.Error("over at once")
		}
		<-ctx.Done()
		expect(t, Check(ctx, "sharing"), "the time limit of 1m0s was reached while sharing")
	})
}
