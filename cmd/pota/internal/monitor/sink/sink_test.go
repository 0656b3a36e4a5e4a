package sink

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Items come all and in order, however slow the reader is, and are acknowledged when they have come.
func TestDeliver(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			var read strings.Builder
			s := New(Options{Capacity: 1 + r.IntN(40), Batch: r.IntN(30), Give: func(_ context.Context, text []byte) error {
				time.Sleep(time.Duration(r.IntN(3)) * time.Second) // of the clock of the bubble
				read.Write(text)
				return nil
			}})
			var want strings.Builder
			for i := range 100 {
				text := fmt.Sprintf("item %d\n", i)
				want.WriteString(text)
				if err := s.Deliver(t.Context(), Item{Seq: uint64(i), Text: []byte(text)}); err != nil {
					t.Fatal(err)
				}
				if n := s.Waiting(); n > 9 {
					t.Fatalf("%d items wait", n)
				}
			}
			if !s.Flush(t.Context()) || read.String() != want.String() || s.Acked() != 99 || s.Waiting() != 0 {
				t.Errorf("%q, %d acknowledged, %d wait", read.String(), s.Acked(), s.Waiting())
			}
			s.Close()
		})
	}
}

// Who does not read holds up who delivers, until that gives up; nothing is acknowledged that did not come.
func TestBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan bool)
		s := New(Options{Capacity: 10, Give: func(context.Context, []byte) error {
			<-never
			return nil
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		delivered := 0
		var err error
		for ; err == nil; delivered++ {
			err = s.Deliver(ctx, Item{Seq: uint64(delivered + 1), Text: []byte("12345")})
		}
		if delivered != 3 || !errors.Is(err, context.DeadlineExceeded) || s.Flush(ctx) || s.Acked() != 0 {
			t.Errorf("%d were delivered, %v", delivered, err)
		}
		s.Close()
		if err := s.Deliver(t.Context(), Item{Text: []byte("6")}); err != ErrClosed {
			t.Error(err)
		}
		close(never)
		<-s.Done()
	})
}

// Items are given away together until a batch is large.
func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := make(chan bool)
		var given []string
		s := New(Options{Capacity: 100, Batch: 4, Give: func(_ context.Context, text []byte) error {
			given = append(given, string(text))
			<-next
			return nil
		}})
		for i, text := range []string{"first", "1", "23", "4", "5", "a long one", "6"} {
			if err := s.Deliver(t.Context(), Item{Seq: uint64(i), Text: []byte(text)}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // the first is being given away
			if n := s.Waiting(); n != i+1 {
				t.Errorf("%d items wait, not %d", n, i+1)
			}
		}
		close(next)
		if !s.Flush(t.Context()) || fmt.Sprint(given) != "[first 1234 5a long one 6]" {
			t.Error(given)
		}
		s.Close()
	})
}

// When items cannot be given away, that is told once, and nobody waits any more.
func TestFailed(t *testing.T) {
	broken := errors.New("broken")
	s := New(Options{Capacity: 1, Give: func(context.Context, []byte) error { return broken }})
	var err error
	for err == nil {
		err = s.Deliver(t.Context(), Item{Seq: 1, Text: []byte("text")})
	}
	if got := <-s.Failed(); got != broken || err != ErrClosed || s.Flush(t.Context()) || s.Acked() != 0 {
		t.Error(got, err)
	}
}

// A command that fails, lasts or leaves a process behind is told apart.
func TestCommand(t *testing.T) {
	for command, want := range map[string]string{
		`test "$(cat)" = input`:    "",
		"echo why; exit 3":         "exit status 3: why",
		"exec sleep 60":            "the command did not end within 200ms",
		"yes & exit 0":             "the command has ended, but a process that it started still holds its output: redirect that",
		"yes | head -c 10000; ! :": "exit status 1: y",
	} {
		c := Command{Text: command, Timeout: time.Minute, Grace: time.Minute}
		// What is waited for in vain is not waited for long.
		switch command {
		case "exec sleep 60":
			c.Timeout = 200 * time.Millisecond
		case "yes & exit 0":
			c.Grace = time.Millisecond
		}
		got := ""
		if err := c.Run(t.Context(), []byte("input")); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || (want == "") != (got == "") || len(got) > 2*maxOutput {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := Command{Text: "true", Timeout: time.Minute}
	if err := c.Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
