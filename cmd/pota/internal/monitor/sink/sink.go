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
	"slices"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
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

	Capacity int // bytes that may wait, at least 1; one item may exceed it
	Batch    int // bytes from which on no more items are given away together; 0 for one at a time
}

// ErrClosed says that an item was not delivered, as the sink has ended.
var ErrClosed = errors.New("it is closed")

// A Sink delivers items. All methods are safe for concurrent use.
//
//	(1) room is taken by the items that were not given away, so at most maxItems of them
type Sink struct {
	options Options
	room    *semaphore.Weighted
	queue   chan Item // of maxItems
	waiting atomic.Int64
	acked   atomic.Uint64
	failed  chan error
	ended   chan struct{}
	ctx     context.Context // done when nothing more is given away
	cancel  context.CancelFunc
}

// maxItems is how many items may wait, however short they are.
const maxItems = 1 << 12

// New returns a sink. Close it after use.
func New(options Options) *Sink {
	s := &Sink{
		options: options,
		room:    semaphore.NewWeighted(int64(options.Capacity)),
		queue:   make(chan Item, maxItems),
		failed:  make(chan error, 1),
		ended:   make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.run()
	return s
}

// size returns how much room an item takes.
func (s *Sink) size(item Item) int64 {
	most := s.options.Capacity
	return int64(min(max(len(item.Text), most/maxItems, 1), most))
}

// Deliver puts an item into the queue. It waits for room until ctx is done. The error is ErrClosed,
// or comes from ctx.
func (s *Sink) Deliver(ctx context.Context, item Item) error {
	if err := s.acquire(ctx, s.size(item)); err != nil {
		return err
	}
	s.waiting.Add(1)
	s.queue <- item // by (1) this does not block
	return nil
}

// acquire takes room, and waits for it until ctx is done or the sink has ended.
func (s *Sink) acquire(ctx context.Context, size int64) error {
	if s.ctx.Err() == nil && s.room.TryAcquire(size) {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	err := s.room.Acquire(ctx, size)
	if s.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}

// run gives items away until the sink is closed.
func (s *Sink) run() {
	defer close(s.ended)
	for s.ctx.Err() == nil {
		select {
		case <-s.ctx.Done():
		case item := <-s.queue:
			if s.ctx.Err() != nil {
				return // both were ready
			}
			if err := s.give(item); err != nil {
				s.failed <- err
				s.cancel()
			}
		}
	}
}

// give gives an item away, and those behind it that a batch has room for.
func (s *Sink) give(item Item) error {
	batch := []Item{item}
	texts := slices.Clip(item.Text)
	for len(texts) < s.options.Batch && len(s.queue) > 0 { // nobody else takes from it
		item = <-s.queue
		batch = append(batch, item)
		texts = append(texts, item.Text...)
	}
	if err := s.options.Give(s.ctx, texts); err != nil {
		return err
	}
	for _, item := range batch {
		s.acked.Store(max(s.acked.Load(), item.Seq))
		s.waiting.Add(-1)
		s.room.Release(s.size(item))
	}
	return nil
}

// Failed receives the error of Give, once.
func (s *Sink) Failed() <-chan error { return s.failed }

// Acked returns the number of the last item that was given away.
func (s *Sink) Acked() uint64 { return s.acked.Load() }

// Waiting returns how many items were not given away.
func (s *Sink) Waiting() int { return int(s.waiting.Load()) }

// Flush waits until all items were given away, and reports whether they were. It gives up when ctx is
// done, or the sink has ended.
func (s *Sink) Flush(ctx context.Context) bool {
	all := int64(s.options.Capacity)
	if s.acquire(ctx, all) != nil {
		return false
	}
	s.room.Release(all)
	return true
}

// Close ends the sink: nothing more is delivered, and what waits is dropped. It does not wait for a
// running call of Give; Done does.
func (s *Sink) Close() { s.cancel() }

// Done is closed when nothing is given away any more.
func (s *Sink) Done() <-chan struct{} { return s.ended }
