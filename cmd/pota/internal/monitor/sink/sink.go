// Package sink delivers answers, in order, to somebody who may be slow.
//
// An item has an increasing sequence number, or 0 if it needs no acknowledgement. Deliver puts an
// item into a queue of bounded size and waits while that is full: who does not read holds up who
// writes. A goroutine of its own takes items from the front and gives them away. Acked returns the
// last acknowledged sequence number.
package sink

import (
	"context"
	"errors"
	"sync"
)

// An Item is something that is delivered.
type Item struct {
	Seq  uint64
	Text []byte
}

// Options say how items are delivered.
type Options struct {
	// Give gives away the texts of items in a row. An error ends the sink, and closing the sink ends ctx.
	Give func(ctx context.Context, texts []byte) error

	Capacity int // bytes that may wait; one item may exceed it
	Batch    int // bytes that are given away at once at most; 0 for one item at a time
}

// ErrClosed says that an item was not delivered, as the sink has ended.
var ErrClosed = errors.New("it is closed")

// A Sink delivers items. All methods are safe for concurrent use.
//
//	(1) items before queue have been given away, or are being given away where busy
//	(2) size is the sum of the texts in queue
type Sink struct {
	options Options
	failed  chan error
	ended   chan struct{}
	ctx     context.Context
	cancel  context.CancelFunc

	mu      sync.Mutex
	changed sync.Cond
	queue   []Item
	size    int
	last    uint64 // the number of the last item that was put in
	acked   uint64
	busy    bool
	closed  bool
}

// New returns a sink. Close it after use.
func New(options Options) *Sink {
	s := &Sink{options: options, failed: make(chan error, 1), ended: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.changed.L = &s.mu
	go s.run()
	return s
}

// Deliver puts an item into the queue. It waits for room until ctx is done. The error is ErrClosed,
// or comes from ctx.
func (s *Sink) Deliver(ctx context.Context, item Item) error {
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.closed && len(s.queue) > 0 && s.size+len(item.Text) > s.options.Capacity {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.changed.Wait()
	}
	if s.closed {
		return ErrClosed
	}
	s.queue = append(s.queue, item)
	s.size += len(item.Text)
	s.last = max(s.last, item.Seq)
	s.changed.Broadcast()
	return nil
}

// wake wakes all waiting goroutines.
func (s *Sink) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// run gives items away until the sink is closed.
func (s *Sink) run() {
	defer close(s.ended)
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for !s.closed && len(s.queue) == 0 {
			s.changed.Wait()
		}
		if s.closed {
			return
		}
		texts, seq := s.take()
		s.busy = true
		s.mu.Unlock()
		err := s.options.Give(s.ctx, texts)
		s.mu.Lock()
		s.busy = false
		if err != nil {
			s.closed = true
			s.failed <- err
		} else {
			s.acked = max(s.acked, seq)
		}
		s.changed.Broadcast()
	}
}

// take takes items from the front of the queue.
func (s *Sink) take() (texts []byte, seq uint64) {
	n := 0
	for n < len(s.queue) && (n == 0 || len(texts)+len(s.queue[n].Text) <= s.options.Batch) {
		texts = append(texts, s.queue[n].Text...)
		seq = max(seq, s.queue[n].Seq)
		n++
	}
	clear(s.queue[:n])
	s.queue = s.queue[n:]
	s.size -= len(texts)
	s.changed.Broadcast()
	return texts, seq
}

// Failed receives the error of Give, once.
func (s *Sink) Failed() <-chan error { return s.failed }

// Acked returns the number of the last item that was given away.
func (s *Sink) Acked() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.acked
}

// Waiting returns how many items were not given away.
func (s *Sink) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy {
		return len(s.queue) + 1
	}
	return len(s.queue)
}

// Flush waits until all items were given away, and reports whether they were. It gives up when ctx is
// done, or the sink has ended.
func (s *Sink) Flush(ctx context.Context) bool {
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.closed && (s.busy || len(s.queue) > 0) && ctx.Err() == nil {
		s.changed.Wait()
	}
	return !s.closed && !s.busy && len(s.queue) == 0
}

// Close ends the sink: nothing more is delivered, and what waits is dropped. It does not wait for a
// running call of Give; Done does.
func (s *Sink) Close() {
	s.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.changed.Broadcast()
}

// Done is closed when nothing is given away any more.
func (s *Sink) Done() <-chan struct{} { return s.ended }
