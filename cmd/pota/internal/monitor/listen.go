package monitor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/monitor/tail"
	"github.com/pota-project/pota/cmd/pota/internal/receive"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// listen starts the listeners. The group ends when all of them have ended.
func (m *Monitor) listen(ctx context.Context, group *sync.WaitGroup) error {
	// The handlers run in goroutines of their own, and hand values over to the loop.
	o := m.receiving
	o.Ends = m.format.NeedsEnd()
	o.Lines = func(name string, in io.Reader, patience time.Duration) (int, error) {
		return m.lines(ctx, name, in, patience)
	}
	o.Spans = func(all *receive.Export) (int, string, error) { return m.receive(ctx, all) }
	o.Metrics = m.meter.handler(ctx)
	for _, a := range m.addresses {
		l, err := receive.Listen(ctx, a, o)
		if err != nil {
			return err
		}
		group.Go(func() {
			if err := l.Serve(); err != nil {
				err = fmt.Errorf("%s: %w", l.Address(), err)
				// The error ends the run, and nobody replies.
				_ = hand(ctx, m.requests, &arrival{Chunk: tail.Chunk{Err: err}}, nil, 0)
			}
		})
		m.Note(fmt.Sprintf("listening on %s", l.Address()))
	}
	return nil
}

// hand hands x over to the loop and waits for the reply. If there is no room for x within patience (0: no
// limit), it returns receive.ErrBusy.
func hand[T any](ctx context.Context, to chan<- T, x T, reply <-chan error, patience time.Duration) error {
	var late <-chan time.Time
	if patience > 0 {
		late = time.After(patience)
	}
	select {
	case to <- x:
	case <-late:
		return receive.ErrBusy
	case <-ctx.Done():
		return receive.ErrEnding
	}

	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
	}
	// The reply may have come at the same moment.
	select {
	case err := <-reply:
		return err
	default:
		return receive.ErrEnding
	}
}

// lines hands over the lines of a sender, and returns how many were accepted, and why the rest were not:
// receive.ErrBusy if they had to wait for longer than patience (0: no limit). Several goroutines may call it.
func (m *Monitor) lines(ctx context.Context, name string, in io.Reader, patience time.Duration) (accepted int, err error) {
	a := &arrival{reply: make(chan error, 1)}
	tail.Lines(ctx, name, in, func(c tail.Chunk) bool {
		if c.Err != nil {
			err = c.Err
			return false
		}
		// One chunk at a time bounds the memory used for a sender.
		a.Chunk = c
		err = hand(ctx, m.requests, a, a.reply, patience)
		wrong, ok := errors.AsType[*trace.Error](err)
		switch {
		case err == nil:
			accepted += bytes.Count(c.Text, []byte("\n"))
		// Lines are numbered over all chunks of the connection.
		case ok && wrong.Line > 0:
			accepted = wrong.Line - 1
		}
		return err == nil
	})
	if err != nil && err != receive.ErrEnding && err != receive.ErrBusy {
		text := graphs.Printable(err.Error())
		m.refusals.report("%s", text)
		err = errors.New(text)
	}
	return accepted, err
}
